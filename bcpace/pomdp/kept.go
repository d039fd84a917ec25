package pomdp

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kept"

	"gonum.org/v1/gonum/floats"
)

const keptKind = "vectors"

func init() { kept.Register(keptKind, readKept) }

// Keep is bcpace.PolicyAbilities.Keep, for the α-vectors of point-based solvers.
func (p onBAMDP) Keep() (kind string, data any, err error) {
	v, ok := p.policy.(*VectorPolicy)
	if !ok {
		return "", nil, fmt.Errorf("a policy of type %T: %w", p.policy, kept.ErrNoData)
	}
	return keptKind, v.Kept(), nil
}

// Kept returns the vectors as a file holds them.
func (p *VectorPolicy) Kept() *kept.Vectors {
	list := &kept.Vectors{}
	for _, vectors := range p.Vectors {
		list.Next()
		for _, x := range vectors {
			list.Add(x.Action, x.Value)
		}
	}
	return list
}

// ReadVectors returns the policy of vectors that a file holds. For parameters and errors see kept.Vectors.Each.
func ReadVectors(list *kept.Vectors, states, more, hidden, actions int) (*VectorPolicy, error) {
	v := &VectorPolicy{Vectors: make([][]Vector, len(list.Count))}
	err := list.Each(states, more, hidden, actions, func(x, action int, entries []float64) {
		v.Vectors[x] = append(v.Vectors[x], Vector{Action: action, Value: slices.Clone(entries)})
	})
	return v, err
}

// readKept is a kept.Read.
func readKept(_ context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var list kept.Vectors
	f, err := kept.Numbered(m, data, &list)
	if err != nil {
		return nil, err
	}
	spec := f.Spec()
	latents := len(spec.Latents)
	v, err := ReadVectors(&list, f.NumStates(), 1, latents, len(spec.Actions))
	if err != nil {
		return nil, err
	}
	return onBAMDP{f, v, len(spec.Axes), latents}, nil
}

// AsBAMDPPolicy returns p, a policy of the POMDP that FromBAMDP made of m, as a policy
// of m. The error is a *bcpace.UnsupportedError where the states of the two are
// not the same, as where the steps left were added to those of the POMDP.
func AsBAMDPPolicy(m bcpace.Finite, of *Model, p Policy) (bcpace.Policy, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if d := of.NumVisible() - m.NumStates(); d != 0 && d != 1 || of.NumHidden() != len(m.Spec().Latents) {
		return nil, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: "acting by the policy of a POMDP",
			Need: "the states of that POMDP; for a model with a horizon, those of bcpace.FiniteHorizon"}
	}
	return onBAMDP{m, p, len(m.Spec().Axes), of.NumHidden()}, nil
}

type onBAMDP struct {
	model  bcpace.Finite
	policy Policy
	// axes and hidden are the lengths of a state and of a belief.
	axes, hidden int
}

// Act implements bcpace.Policy.
func (p onBAMDP) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	if len(s) != p.axes || len(b) != p.hidden {
		return -1
	}
	if x := p.model.StateIndex(s); x >= 0 {
		return p.policy.Act(x, b)
	}
	return -1
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p onBAMDP) Fork() bcpace.Policy { return onBAMDP{p.model, Fork(p.policy), p.axes, p.hidden} }

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
	if k, _ := p.best(x, b); k >= 0 {
		return p.Vectors[x][k].Action
	}
	return -1
}

// Value returns the value of the highest vector at (x, b), in reward units; NaN for an x
// that the model does not have, or that has no vector. It panics for a belief of another length than |Y|.
func (p *VectorPolicy) Value(x int, b []float64) float64 {
	_, v := p.best(x, b)
	return v
}

// best returns the place of the vector that is highest at b, −1 where there is none, and its value there.
func (p *VectorPolicy) best(x int, b []float64) (place int, value float64) {
	if x < 0 || x >= len(p.Vectors) || len(p.Vectors[x]) == 0 {
		return -1, math.NaN()
	}
	value = math.Inf(-1)
	for i, v := range p.Vectors[x] {
		if len(b) != len(v.Value) {
			panic(fmt.Sprintf("pomdp: a belief of %d entries over %d hidden values", len(b), len(v.Value)))
		}
		if d := floats.Dot(b, v.Value); d > value {
			place, value = i, d
		}
	}
	return place, value
}
