package sarsop

import (
	"context"
	"fmt"
	"math"
)

// Policy takes, where the agent sees x and believes b, the action of the α-vector
// of x that is highest at b. It is a pomdp.Policy, safe for concurrent use.
//
// The policy of a Result earns at least Value(x, b) from every x and b on, and so at
// least Result.Lower from the start. Proof:
//
//  1. A vector was made by a backup of some action a from a vector for every x' and o
//     that can follow: at every y it is what a pays and γ times the mean of those
//     vectors. A vector of a blind policy is at most that, with the vectors of the same
//     blind policy.
//  2. With a vector, the policy holds every vector that it was made from, or one that
//     is nowhere below it. Where that would be many, the policy may hold instead the
//     vectors of a plan that tree.evaluate has shown to earn Result.Lower: they, too,
//     are at most a backup of each other.
//  3. So let L(x, b) be the highest vector and π the policy. By 1 and 2, at every y and
//     hence in the mean over b, the highest vector at b is at most what its action pays
//     and γ times the highest vectors at the beliefs that follow, in the mean:
//     L ≤ B_π L, with B_π for a step of π before L.
//  4. B_π keeps the order of functions and shrinks their distance by γ. Hence
//     L ≤ B_π L ≤ B_π² L ≤ …, which goes to what π earns. (Where γ = 1, the steps left
//     are a part of x, and it gets there once they have run out.)
//
// This does not ask how long the search continued, nor which beliefs it visited. A backup
// is rounded, by some 1e-16 of the largest |reward|/(1−γ) for each term of its sums. A
// step that falls short by δ costs the policy δ/(1−γ) at most.
type Policy struct {
	Vectors [][]Vector // by x, at least one for each
}

// Vector is an α-vector: the expected discounted reward, by y, of a plan that
// begins with Action.
type Vector struct {
	Action int
	Value  []float64 // of length |Y|, in reward units
}

// manyVectors is how many times the vectors of the search a policy may have before it is
// worth the time to look for fewer.
const manyVectors = 8

// evaluateTime is the share of the time to a deadline that is left for evaluate.
const evaluateTime = 0.05

// policy returns the closure of the vectors of the search. Where these are too many, it
// looks for fewer that earn the lower bound at the start, too, the longer the more, but not
// beyond the deadline of ctx.
func (t *tree) policy(ctx context.Context) *Policy {
	vectors, found := t.closure()
	listed := 0
	for x := range t.gamma {
		listed += len(t.gamma[x].list)
	}
	if times := found / (manyVectors * listed); times > 0 {
		if plan := t.evaluate(ctx, min(times, 3)*t.backups); plan != nil {
			vectors = plan
		}
	}
	r := &Policy{Vectors: make([][]Vector, t.nx)}
	for x, list := range vectors {
		for _, v := range list {
			r.Vectors[x] = append(r.Vectors[x], Vector{int(v.action), v.value})
		}
	}
	return r
}

// closure returns, by x, the vectors of the search, those that they were made from, and
// so on, and how many these are. It leaves out vectors that are nowhere above another
// one of them.
func (t *tree) closure() (found [][]*vector, n int) {
	t.marks++
	found = make([][]*vector, t.nx)
	var open []*vector
	need := func(v *vector) {
		for v = v.top(); v.mark != t.marks; v = v.top() {
			if !v.yield(t.gamma[v.x].list) {
				v.mark = t.marks
				found[v.x], open = append(found[v.x], v), append(open, v)
			}
		}
	}
	for x := range t.gamma {
		for _, v := range t.gamma[x].list {
			need(v)
		}
	}
	walked := make(map[**vector]bool) // the vectors of a blind policy share a list of all x
	for ; len(open) > 0; n++ {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		if len(v.next) == 0 || walked[&v.next[0]] {
			continue
		}
		walked[&v.next[0]] = true
		for _, w := range v.next {
			need(w)
		}
	}
	return found, n
}

// Act returns the action at x with belief b over y, of length |Y|, and −1 for an x that
// the model does not have. It panics for a belief of another
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
		return -1, math.NaN()
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
