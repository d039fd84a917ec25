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
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
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

// Solver is POMDP-lite as a solver. Every zero value is useful.
type Solver struct {
	// Beta is β, the weight of the exploration bonus, in reward units per unit of
	// ‖b' − b‖₁, which is at most 2. 0 means 1 % of the range of rewards: it breaks ties
	// towards learning and pays for little else.
	Beta float64
	// NoBonus is for β = 0: the agent acts as if it would never learn more. Beta is 0 then.
	NoBonus bool
	// Unvalued leaves out the value of the policy, which takes a plan for every belief that
	// the policy reaches.
	Unvalued bool `json:",omitempty"`
	// Seed makes the episodes that tell the value of the policy where it meets more
	// beliefs than can be listed.
	Seed uint64
}

// defaultShare is Beta where none is given, as a part of the range of rewards.
const defaultShare = 0.01

// Name implements bcpace.Solver.
func (Solver) Name() string { return "pomdp-lite" }

// Solve implements bcpace.Solver. The value is what the policy earns: exactly, or as
// the mean of simulated episodes, of those so far if ctx ends; NaN of none, or if Unvalued.
// Nothing is certified.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(
		c.Check(), bcpace.Validate(m),
		bcpace.In("options").Need(s.Beta >= 0 && !math.IsInf(s.Beta, 1), "Beta", s.Beta, "a weight of 0 or more"),
		bcpace.In("options").Need(!s.NoBonus || s.Beta == 0, "Beta", fmt.Sprint(s.Beta)+" beside NoBonus", "one of them")); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	spec := m.Spec()
	beta := s.Beta
	if beta == 0 && !s.NoBonus {
		beta = defaultShare * (spec.RewardMax - spec.RewardMin)
	}
	p, err := newPolicy(solverkit.WithControl(ctx, c), m, beta)
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.SoFar{})
	}
	found := &bcpace.Solution{Solver: s, Spec: spec, Policy: bcpace.PolicyOf(m, p), Certificate: solverkit.RangeCertificate(spec), Stop: stop.Converged}
	end := bcpace.Progress{Value: math.NaN()}
	if !s.Unvalued {
		if end, err = s.earned(ctx, m, p, c.Workers); err != nil {
			if ended := ctx.Err(); ended == nil || !errors.Is(err, ended) {
				return nil, err
			}
			found.Stop = stop.Of(ctx)
		}
	}
	found.Value, found.Trace = end.Value, []bcpace.Progress{end}
	return found, nil
}

// earned returns what p earns in m. The error may come with the mean of the episodes so far.
func (s Solver) earned(ctx context.Context, m bcpace.Model, p bcpace.Policy, workers int) (bcpace.Progress, error) {
	e, err := eval.Evaluate(ctx, m, p, eval.ExactOptions{})
	if limit := (*eval.LimitError)(nil); errors.As(err, &limit) {
		r, err := eval.Rollouts(ctx, m, p, eval.Options{Seed: s.Seed, Workers: workers})
		return bcpace.Progress{Value: r.Mean, Episodes: r.Episodes, Steps: r.Steps}, err
	} else if err != nil {
		return bcpace.Progress{Value: math.NaN()}, err
	}
	return bcpace.Progress{Value: e.Value}, nil
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "plans at every step as if it learned no more, with a bonus for what an action tells",
		Written: "POMDP-lite",
		Cited:   "POMDP-lite [@chen2016]",
		SetUp:   "the value of its policy, which takes a plan for every belief that it reaches",
		Params:  []solverkit.Param{{Key: "bonus", Field: "Beta", Arg: "B", Doc: "weight β of the bonus, in reward units (default 1% of the range of rewards)", Zero: "NoBonus"}, solverkit.Seed},
	}
}

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsNumbered(m, s.Name()) }

// scratch is room for the internal MDP of a belief.
type scratch struct {
	mdp   mdp.MDP
	entry []int // by successor of the MDP: its entry in the transitions
	q     []float64
}

func newScratch(p *plan) *scratch {
	x := &scratch{mdp: mdp.MDP{Actions: p.Actions, Discount: p.Discount, Rate: p.Rate, Row: make([]int, 1), Reward: make([]float64, p.States*p.Actions)}}
	for r := range x.mdp.Reward {
		for k, end := p.Entries(r); k < end; k++ {
			if to, done := p.Next(k); !done {
				x.mdp.Col, x.entry = append(x.mdp.Col, int32(to)), append(x.entry, k)
			}
		}
		x.mdp.Row = append(x.mdp.Row, len(x.mdp.Col))
	}
	x.mdp.Weight, x.q = make([]float64, len(x.entry)), make([]float64, len(x.mdp.Reward))
	return x
}

// solve returns the first action of each state that is as good as the best in the
// internal MDP of b. Where ctx ends before, it returns nil.
func (sc *scratch) solve(ctx context.Context, p *plan, b []float64) []int32 {
	sc.fill(p, b)
	if _, err := sc.mdp.Solve(ctx, sc.q, p.tolerance); err != nil {
		return nil
	}
	list := make([]int32, p.States)
	for s := range list {
		q := sc.q[s*p.Actions : (s+1)*p.Actions]
		best := slices.Max(q)
		list[s] = int32(slices.IndexFunc(q, func(v float64) bool { return v >= best-2*p.tolerance }))
	}
	return list
}

// fill writes the rewards and weights of the belief.
//
// With w(φ) = b(φ)·P(s'|s,φ,a), of sum P(s'|b,s,a), the bonus of a successor is
// P·‖b_s' − b‖₁ = Σ_φ |w(φ) − P·b(φ)|.
func (sc *scratch) fill(p *plan, b bcpace.Belief) {
	for r := range sc.mdp.Reward {
		surprise := 0.0
		for k, end := p.Entries(r); k < end; k++ {
			prob := p.Prob(k)
			total := b.Dot(prob)
			for l, q := range b {
				surprise += q * math.Abs(prob[l]-total)
			}
		}
		sc.mdp.Reward[r] = p.Expected(r, b) + p.beta*surprise
	}
	for i, k := range sc.entry {
		sc.mdp.Weight[i] = p.Discount * b.Dot(p.Prob(k))
	}
}
