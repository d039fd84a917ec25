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

// policy is POMDP-lite on a model. It solves for a belief when it first meets
// it, to within quantum, and remembers the actions. Forks share what they
// remember.
type policy struct {
	plan    *plan
	belief  []float64 // rounded
	key     []byte
	scratch *scratch
}

// quantum is the width to which the entries of a belief are rounded before the
// internal MDP is solved for it, so that beliefs that differ by rounding are one.
const quantum = 1e-10

// tolerance is the error allowed in the values of an internal MDP, as a part of the range
// of rewards, or of solverkit.Unit where that is more. Actions whose values differ by no more than
// twice that count as equal, and the first of them is taken.
const tolerance = 1e-9

// newPolicy lists the transitions of m and returns the policy with bonus weight beta. The
// error is the context's; a *bcpace.UnsupportedError for a model that is not Finite, or has
// a horizon that its states do not keep (bcpace.Abilities.KeepsHorizon); or a *bcpace.ConformanceError
// for Successors that are not a distribution.
func newPolicy(ctx context.Context, m bcpace.Model, beta float64) (*policy, error) {
	if err := solverkit.CheckStationary(m, "POMDP-lite"); err != nil {
		return nil, err
	}
	spec := m.Spec()
	f, ok := bcpace.AsFinite(m)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "POMDP-lite", Need: solverkit.NeedNumbered(m)}
	}
	t, err := dp.ListTransitions(ctx, f)
	if err != nil {
		return nil, err
	}
	p := &plan{Transitions: t, beta: beta, tolerance: tolerance * max(solverkit.Unit(spec), spec.RewardMax-spec.RewardMin), known: make(map[string][]int32)}
	return (&policy{plan: p}).fork(), nil
}

// plan is what forks of a policy share.
type plan struct {
	*dp.Transitions
	beta, tolerance float64 // in reward units

	mu    sync.RWMutex
	known map[string][]int32 // by belief: the action of each state
}

// maxKnown bounds what is remembered, to 64 MB of actions.
const maxKnown = 1 << 24

// Act implements bcpace.Policy.
func (p *policy) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := p.Decide(context.Background(), s, b, rng)
	return action
}

// Decide is bcpace.PolicyAbilities.Act.
func (p *policy) Decide(ctx context.Context, s []float64, b bcpace.Belief, _ *rand.Rand) (int, error) {
	n := p.plan.StateIndex(s)
	if n < 0 || len(b) != p.plan.Latents {
		return -1, nil
	}
	// The rounded belief alone makes the answer, whoever asks first.
	p.key = p.key[:0]
	total := 0.0
	for i, x := range b {
		k := math.Round(x / quantum)
		p.key = binary.LittleEndian.AppendUint64(p.key, uint64(int64(k)))
		p.belief[i] = k
		total += k
	}
	p.plan.mu.RLock()
	actions, ok := p.plan.known[string(p.key)]
	p.plan.mu.RUnlock()
	if ok {
		return int(actions[n]), nil
	}
	for i := range p.belief {
		p.belief[i] /= total
	}
	if actions = p.scratch.solve(ctx, p.plan, p.belief); actions == nil {
		return -1, ctx.Err()
	}
	p.plan.mu.Lock()
	defer p.plan.mu.Unlock()
	if len(p.plan.known)*p.plan.States >= maxKnown {
		clear(p.plan.known)
	}
	p.plan.known[string(p.key)] = actions
	return int(actions[n]), nil
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *policy) Fork() bcpace.Policy { return p.fork() }

func (p *policy) fork() *policy {
	return &policy{plan: p.plan, belief: make([]float64, p.plan.Latents), scratch: newScratch(p.plan)}
}
