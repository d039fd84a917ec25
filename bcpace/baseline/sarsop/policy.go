package sarsop

import (
	"fmt"
	"math"
)

// Policy takes, where the agent sees x and believes b, the action of the α-vector
// of x that is highest at b. It is a pomdp.Policy, safe for concurrent use.
//
// The lower bound that a vector proves is of V*: the plan that attains it goes on
// with vectors that may have been pruned since. What the policy earns is seldom
// less, and pomdp.Rollouts measures it.
type Policy struct {
	Vectors [][]Vector // by x, at least one for each
}

// Vector is an α-vector: the expected discounted reward, by y, of a plan that
// begins with Action.
type Vector struct {
	Action int
	Value  []float64 // of length |Y|, in reward units
}

func newPolicy(p *problem, gamma []vectors) *Policy {
	r := &Policy{Vectors: make([][]Vector, p.nx)}
	for x := range gamma {
		for _, v := range gamma[x].list {
			r.Vectors[x] = append(r.Vectors[x], Vector{int(v.action), v.value})
		}
	}
	return r
}

// Act returns the action at x with belief b over y, of length |Y|. An x that the
// model does not have gets the first action. It panics for a belief of another
// length.
func (p *Policy) Act(x int, b []float64) int {
	action, _ := p.best(x, b)
	return action
}

// Value returns the lower bound of V*(x, b), in reward units; NaN for an x that the
// model does not have. It panics for a belief of another length than |Y|.
func (p *Policy) Value(x int, b []float64) float64 {
	_, v := p.best(x, b)
	return v
}

// best returns the action of the vector that is highest at b, and its value there.
func (p *Policy) best(x int, b []float64) (action int, value float64) {
	if x < 0 || x >= len(p.Vectors) {
		return 0, math.NaN()
	}
	value = math.Inf(-1)
	for _, v := range p.Vectors[x] {
		if len(b) != len(v.Value) {
			panic(fmt.Sprintf("sarsop: a belief of %d entries over %d hidden values", len(b), len(v.Value)))
		}
		if d := (belief{p: b}).dot(v.Value); d > value {
			action, value = v.Action, d
		}
	}
	return action, value
}
