package discretise

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// project sets state to the one of Model that stands for s, and belief to the belief over its latents that stands for b: each point of b
// counts for the cell that it is in. x is room for a hidden vector; rng draws from a belief without points.
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
		first := d.hidden.Cell(at) * d.parts
		for k := range d.parts {
			belief[first+k] += w / float64(d.parts)
		}
	}
	for k := range belief {
		belief[k] /= sum
	}
}

// Policy returns a policy of the problem that d was made of, from one for d.Model, such as that of a solution: it acts for the
// state and belief of d.Model that stand for those of the problem, each point of a belief for its cell. The error is an *bcpace.InputError for a policy of another model.
func (d *Discrete) Policy(p bcpace.Policy) (hidden.Policy, error) {
	if p == nil {
		return nil, bcpace.In("policy of a discretised model").Bad("the policy", "nil", "a policy")
	}
	m, err := bcpace.ForPolicy(d.Model, p)
	if err != nil {
		return nil, err
	}
	return d.policy(bcpace.Fork(p), m.Spec()), nil
}

// policy returns a hidden.Planner if p plans.
func (d *Discrete) policy(p bcpace.Policy, spec bcpace.Spec) hidden.Policy {
	q := &discretePolicy{of: d, policy: p, can: bcpace.PolicyAbilitiesOf(p), spec: spec, state: make([]float64, len(d.states)+1, len(spec.Axes)), belief: make(bcpace.Belief, len(spec.Latents)), x: make([]float64, len(d.hidden))}
	q.counts = len(spec.Axes) > len(q.state)
	if q.can.Plan != nil {
		return &discretePlanner{q}
	}
	return q
}

// discretePolicy plays a policy for a Discrete.
type discretePolicy struct {
	of     *Discrete
	policy bcpace.Policy
	can    bcpace.PolicyAbilities // of the policy
	spec   bcpace.Spec
	state  []float64
	belief bcpace.Belief
	x      []float64
	counts bool // the policy reads the steps left
	steps  int  // taken in the episode
	begins bool // the policy is to be told that an episode begins
}

// discretePlanner is that of a policy which plans.
type discretePlanner struct{ *discretePolicy }

var (
	_ hidden.Forker   = (*discretePolicy)(nil)
	_ hidden.Episodic = (*discretePolicy)(nil)
	_ hidden.Planner  = (*discretePlanner)(nil)
)

// at sets what the policy sees at a state and belief.
func (p *discretePolicy) at(s []float64, b hidden.Belief, rng *rand.Rand) error {
	if len(s) != len(p.of.states) {
		return bcpace.In(fmt.Sprintf("policy of discretised model %q", p.spec.Name)).Bad("the state", s, fmt.Sprintf("%d numbers, one for each axis", len(p.of.states)))
	}
	p.of.project(p.state, p.belief, p.x, s, b, rng)
	if p.counts {
		p.state = append(p.state[:len(p.of.states)+1], float64(max(p.spec.Horizon-p.steps, 0)))
	}
	if p.begins && p.can.Begin != nil {
		p.can.Begin(p.state, p.belief)
	}
	p.begins = false
	return nil
}

// Act implements Policy.
func (p *discretePolicy) Act(ctx context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (int, error) {
	if err := p.at(s, b, rng); err != nil {
		return -1, err
	}
	action, err := p.spec.Act(ctx, &p.can, p.state, p.belief, rng)
	return action, cmp.Or(ctx.Err(), err)
}

// Plan implements hidden.Planner.
func (p *discretePlanner) Plan(ctx context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (bcpace.Decision, error) {
	if err := p.at(s, b, rng); err != nil {
		return bcpace.Decision{Action: -1}, err
	}
	return p.spec.Plan(ctx, &p.can, p.state, p.belief, rng)
}

// Begin implements Episodic. The policy is told at the first Act, which has a state and a belief.
func (p *discretePolicy) Begin() { p.steps, p.begins = 0, true }

// Observe implements Episodic.
func (p *discretePolicy) Observe(action int, reward float64, next []float64) {
	if p.steps++; p.can.Observe == nil {
		return
	}
	p.of.number(p.state, next)
	if p.counts {
		p.state[len(p.state)-1] = float64(max(p.spec.Horizon-p.steps, 0))
	}
	p.can.Observe(action, reward, p.state)
}

// Fork implements Forker.
func (p *discretePolicy) Fork() hidden.Policy { return p.of.policy(bcpace.Fork(p.policy), p.spec) }
