// Package pomdplite is POMDP-lite (Chen, Frazzoli, Hsu and Lee 2016, "POMDP-lite
// for robust robot planning under uncertainty"): at every step it solves an
// ordinary MDP, the mean of the latent MDPs at the present belief, whose rewards
// are raised by what an action is expected to tell.
//
// With the belief b held fixed, the internal reward MDP has
//
//	P(s'|b,s,a) = Σ_φ b(φ) P(s'|s,φ,a)
//	R(b,s,a)    = Σ_φ b(φ) R(s,φ,a) + β Σ_s' P(s'|b,s,a) ‖b_s' − b‖₁
//
// where b_s' is the posterior on arrival in s'. The agent takes its best action,
// updates its belief and solves again.
//
// The algorithm is made for a latent that is static. Where it moves, the plan
// takes it for static until the next step, and b_s' is the posterior before the
// move: the bonus pays for what is seen, not for what changes. Tiger thus runs
// with its resets, which the plan does not foresee.
package pomdplite

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/solverkit"
)

// Options of Plan. Every zero value is useful.
type Options struct {
	// Beta is β, the weight of the exploration bonus, in reward units per unit of
	// ‖b' − b‖₁, which is at most 2. With 0 there is no bonus: the agent acts as
	// if it would never learn more.
	Beta float64
	// Tolerance is the error allowed in the values of an internal MDP, in reward
	// units. If it is 0, 1e-9 × max(1, RewardMax − RewardMin) is used. Actions
	// whose values differ by no more than twice the tolerance count as equal, and
	// the first of them is taken.
	Tolerance float64
}

// Policy is POMDP-lite on a model. It solves for a belief when it first meets
// it, to within Quantum, and remembers the actions. Forks share what they
// remember.
type Policy struct {
	ctx     context.Context // of Within
	plan    *plan
	belief  []float64 // rounded
	key     []byte
	scratch *scratch
}

var (
	_ bcpace.Policy    = (*Policy)(nil)
	_ bcpace.Forker    = (*Policy)(nil)
	_ bcpace.LongActor = (*Policy)(nil)
)

// Quantum is the width to which the entries of a belief are rounded before the
// internal MDP is solved for it, so that beliefs that differ by rounding are one.
const Quantum = 1e-10

// Plan lists the transitions of m and returns the policy. The error is the
// context's; a *bcpace.UnsupportedError for a model that is not Finite, or has
// a horizon that its states do not keep (bcpace.HorizonKeeper); an *bcpace.InputError for a bad option; or a *bcpace.ConformanceError
// for Successors that are not a distribution.
func Plan(ctx context.Context, m bcpace.Model, o Options) (*Policy, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if err := solverkit.CheckStationary(m, "POMDP-lite"); err != nil {
		return nil, err
	}
	spec := m.Spec()
	f, ok := bcpace.AsFinite(m)
	switch {
	case !ok:
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "POMDP-lite", Need: solverkit.NeedNumbered(m)}
	case !(o.Beta >= 0) || math.IsInf(o.Beta, 1):
		return nil, bcpace.In("POMDP-lite").Bad("Beta", o.Beta, "a weight of 0 or more")
	case !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 1):
		return nil, bcpace.In("POMDP-lite").Bad("Tolerance", o.Tolerance, "a positive error in reward units, or 0 for the default")
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-9 * max(1, spec.RewardMax-spec.RewardMin)
	}
	t, err := dp.ListTransitions(ctx, f)
	if err != nil {
		return nil, err
	}
	p := &plan{Transitions: t, options: o, known: make(map[string][]int32)}
	return (&Policy{ctx: context.Background(), plan: p}).fork(), nil
}

// plan is what forks of a policy share.
type plan struct {
	*dp.Transitions
	options Options

	mu    sync.RWMutex
	known map[string][]int32 // by belief: the action of each state
}

// maxKnown bounds what is remembered, to 64 MB of actions.
const maxKnown = 1 << 24

// Act implements bcpace.Policy.
func (p *Policy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	n := p.plan.StateIndex(s)
	if n < 0 || len(b) != p.plan.Latents {
		return -1
	}
	// The rounded belief alone makes the answer, whoever asks first.
	p.key = p.key[:0]
	total := 0.0
	for i, x := range b {
		k := math.Round(x / Quantum)
		p.key = binary.LittleEndian.AppendUint64(p.key, uint64(int64(k)))
		p.belief[i] = k
		total += k
	}
	p.plan.mu.RLock()
	actions, ok := p.plan.known[string(p.key)]
	p.plan.mu.RUnlock()
	if ok {
		return int(actions[n])
	}
	for i := range p.belief {
		p.belief[i] /= total
	}
	if actions = p.scratch.solve(p.ctx, p.plan, p.belief); actions == nil {
		return 0
	}
	p.plan.mu.Lock()
	defer p.plan.mu.Unlock()
	if len(p.plan.known)*p.plan.States >= maxKnown {
		clear(p.plan.known)
	}
	p.plan.known[string(p.key)] = actions
	return int(actions[n])
}

// Fork implements bcpace.Forker.
func (p *Policy) Fork() bcpace.Policy { return p.fork() }

// Within implements bcpace.LongActor.
func (p *Policy) Within(ctx context.Context) bcpace.Policy {
	q := p.fork()
	q.ctx = ctx
	return q
}

func (p *Policy) fork() *Policy {
	return &Policy{ctx: p.ctx, plan: p.plan, belief: make([]float64, p.plan.Latents), scratch: newScratch(p.plan)}
}
