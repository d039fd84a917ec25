package discretise

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/solverkit"
)

// Project returns the state of Model that stands for s, and the belief over its latents that stands for b: each point of b counts for the
// cell that it is in or for the nearest draw, in the lengths of the axes. rng draws from a belief without points.
func (d *Discrete) Project(s []float64, b hidden.Belief, rng *rand.Rand) (state []float64, belief bcpace.Belief) {
	state, belief = make([]float64, len(d.states)+1), make(bcpace.Belief, d.cells*d.parts)
	d.project(state, belief, make([]float64, len(d.hidden)), s, b, rng)
	return state, belief
}

// project is Project into state and belief, with room for a hidden vector.
func (d *Discrete) project(state []float64, belief bcpace.Belief, x, s []float64, b hidden.Belief, rng *rand.Rand) {
	d.number(state, s)
	clear(belief)
	points, weighted := b.(hidden.Weighted)
	n := projectionDraws
	if weighted {
		n = points.Len()
	}
	sum := 0.0
	for i := range n {
		at, w := x, 1/float64(n)
		if weighted {
			at, w = points.At(i)
		} else {
			b.Draw(x, rng)
		}
		if w == 0 {
			continue
		}
		sum += w
		first := d.latent(at) * d.parts
		for k := range d.parts {
			belief[first+k] += w / float64(d.parts)
		}
	}
	for k := range belief {
		belief[k] /= sum
	}
}

// latent returns the cell or draw that stands for a hidden vector.
func (d *Discrete) latent(x []float64) (best int) {
	if d.vectors == nil {
		return d.hidden.Cell(x)
	}
	least := math.Inf(1)
	for k, y := range d.vectors {
		distance := 0.0
		for j, a := range d.of.Spec.Hidden {
			gap := math.Abs(x[j] - y[j])
			if a.Period > 0 {
				gap = min(gap, a.Period-gap)
			}
			if a.Max > a.Min {
				distance += gap / (a.Max - a.Min)
			}
		}
		if distance < least {
			best, least = k, distance
		}
	}
	return best
}

// Policy returns a policy of the problem that d was made of, from one for d.Model, such as that of a solution: it acts for what
// Project makes of the state and belief. The error is an *bcpace.InputError for a policy of another model.
func (d *Discrete) Policy(p bcpace.Policy) (hidden.Policy, error) {
	if p == nil {
		return nil, bcpace.In("policy of a discretised model").Bad("the policy", "nil", "a policy")
	}
	m, err := bcpace.ForPolicy(d.Model, p)
	if err != nil {
		return nil, err
	}
	spec := m.Spec()
	q := &discretePolicy{of: d, policy: p, spec: spec, state: make([]float64, len(d.states)+1, len(spec.Axes)), belief: make(bcpace.Belief, len(spec.Latents)), x: make([]float64, len(d.hidden))}
	q.counts = len(spec.Axes) > len(q.state)
	return q, nil
}

// discretePolicy plays a policy for a Discrete.
type discretePolicy struct {
	of     *Discrete
	policy bcpace.Policy
	spec   bcpace.Spec
	state  []float64
	belief bcpace.Belief
	x      []float64
	counts bool // the policy reads the steps left
	steps  int  // taken in the episode
}

var (
	_ hidden.Forker   = (*discretePolicy)(nil)
	_ hidden.Episodic = (*discretePolicy)(nil)
)

// Act implements Policy.
func (p *discretePolicy) Act(ctx context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (int, error) {
	if len(s) != len(p.of.states) {
		return -1, bcpace.In(fmt.Sprintf("policy of discretised model %q", p.spec.Name)).Bad("the state", s, fmt.Sprintf("%d numbers, one for each axis", len(p.of.states)))
	}
	p.of.project(p.state, p.belief, p.x, s, b, rng)
	state := p.state
	if p.counts {
		state = append(state, float64(max(p.spec.Horizon-p.steps, 0)))
	}
	return p.spec.Act(solverkit.Within(ctx, p.policy), state, p.belief, rng)
}

// Begin implements Episodic.
func (p *discretePolicy) Begin() { p.steps = 0 }

// Observe implements Episodic.
func (p *discretePolicy) Observe(int, []float64) { p.steps++ }

// Fork implements Forker.
func (p *discretePolicy) Fork() hidden.Policy {
	q, _ := p.of.Policy(bcpace.Fork(p.policy)) // which has passed before
	return q
}
