package pomdp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// VectorPolicy takes, where the agent sees x and believes b, the action of the α-vector
// of x that is highest at b. It is a Policy, safe for concurrent use.
//
// Where every vector is at most what its action pays and γ times a vector of the same
// policy for each x' and observation that can follow, the policy earns at least Value(x, b)
// from every x and b on. Policies of point-based solvers are made so.
type VectorPolicy struct {
	Vectors [][]Vector // by x; none where the policy never comes to x
}

// Vector is an α-vector: the expected discounted reward, by y, of a plan that
// begins with Action.
type Vector struct {
	Action int
	Value  []float64 // of length |Y|, in reward units
}

// Act returns the action at x with belief b over y, of length |Y|, and −1 for an x that
// the model does not have, or that has no vector. It panics for a belief of another
// length.
func (p *VectorPolicy) Act(x int, b []float64) int {
	action, _ := p.best(x, b)
	return action
}

// Value returns the value of the highest vector at (x, b), in reward units; NaN for an x
// that the model does not have, or that has no vector. It panics for a belief of another length than |Y|.
func (p *VectorPolicy) Value(x int, b []float64) float64 {
	_, v := p.best(x, b)
	return v
}

// best returns the action of the vector that is highest at b, and its value there.
func (p *VectorPolicy) best(x int, b []float64) (action int, value float64) {
	if x < 0 || x >= len(p.Vectors) || len(p.Vectors[x]) == 0 {
		return -1, math.NaN()
	}
	value = math.Inf(-1)
	for _, v := range p.Vectors[x] {
		if len(b) != len(v.Value) {
			panic(fmt.Sprintf("pomdp: a belief of %d entries over %d hidden values", len(b), len(v.Value)))
		}
		if d := floats.Dot(b, v.Value); d > value {
			action, value = v.Action, d
		}
	}
	return action, value
}
