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
// updates its belief and solves anew.
//
// The algorithm is made for a latent that is static. Where it moves, the plan
// takes it for static until the next step, and b_s' is the posterior before the
// move: the bonus pays for what is seen, not for what changes. Tiger thus runs
// with its resets, which the plan does not foresee.
package pomdplite

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"bayescpace/bcpace"
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
// for Successors that are no distribution.
func Plan(ctx context.Context, m bcpace.Model, o Options) (*Policy, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if err := bcpace.CheckStationary(m, "POMDP-lite"); err != nil {
		return nil, err
	}
	spec := m.Spec()
	f, ok := bcpace.AsFinite(m)
	switch {
	case !ok:
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "POMDP-lite", Need: "numbered states with exact successors (Finite)"}
	case !(o.Beta >= 0) || math.IsInf(o.Beta, 1):
		return nil, &bcpace.InputError{Where: "POMDP-lite", What: "Beta", Got: fmt.Sprint(o.Beta), Want: "a weight of 0 or more"}
	case !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 1):
		return nil, &bcpace.InputError{Where: "POMDP-lite", What: "Tolerance", Got: fmt.Sprint(o.Tolerance), Want: "a positive error in reward units, or 0 for the default"}
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-9 * max(1, spec.RewardMax-spec.RewardMin)
	}
	p := &plan{model: f, options: o, discount: spec.Discount, rate: spec.Rate(), states: f.NumStates(), latents: len(spec.Latents), actions: len(spec.Actions),
		row: make([]int, 1), known: make(map[string][]int32)}
	if err := p.list(ctx, spec); err != nil {
		return nil, err
	}
	return (&Policy{ctx: context.Background(), plan: p}).fork(), nil
}

// plan is what forks of a policy share.
type plan struct {
	model                    bcpace.Finite
	options                  Options
	discount, rate           float64 // γ, and 1−γ or what stands for it, see bcpace.Spec.Rate
	states, latents, actions int

	// Row s·actions + a has the successors to[row[r]:row[r+1]], −1 where the
	// episode ends, with prob[k·latents + φ].
	row    []int
	to     []int32
	prob   []float64
	reward []float64 // row × latents: E[r|s,φ,a]

	mu    sync.RWMutex
	known map[string][]int32 // by belief: the action of each state
}

// maxKnown bounds what is remembered, to 64 MB of actions.
const maxKnown = 1 << 24

// list fills the tables.
func (p *plan) list(ctx context.Context, spec bcpace.Spec) error {
	var z bcpace.Successors
	s, sum := make([]float64, len(spec.Axes)), make([]float64, p.latents)
	for n := range p.states {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p.model.StateAt(s, n)
		for a := range p.actions {
			fault := func(latent int, what string) error {
				e := &bcpace.ConformanceError{Model: spec.Name, State: append([]float64(nil), s...), Action: spec.Actions[a].Name, What: what}
				if latent >= 0 {
					e.Latent = spec.Latents[latent]
				}
				return e
			}
			z.Reset(len(spec.Axes), p.latents)
			p.model.Successors(&z, s, a)
			mean := make([]float64, p.latents)
			clear(sum)
			for i := range z.Len() {
				state, prob, reward := z.Row(i)
				to := -1
				if !z.Done[i] {
					if to = p.model.StateIndex(state); to < 0 {
						return fault(-1, fmt.Sprintf("Successors lists %v, which is no state of the model", state))
					}
				}
				p.to, p.prob = append(p.to, int32(to)), append(p.prob, prob...)
				for l, q := range prob {
					if q != 0 { // of what cannot happen the reward means nothing
						sum[l] += q
						mean[l] += q * reward[l]
					}
				}
			}
			for l, total := range sum {
				// Nothing at all follows a state that cannot occur under l.
				if total != 0 && !(math.Abs(total-1) <= 1e-9) {
					return fault(l, fmt.Sprintf("the probabilities of Successors sum to %v, want 1", total))
				}
				if math.IsNaN(mean[l]) || math.IsInf(mean[l], 0) {
					return fault(l, fmt.Sprintf("Successors gives reward %v, want a finite number", mean[l]))
				}
			}
			p.row, p.reward = append(p.row, len(p.to)), append(p.reward, mean...)
		}
	}
	return nil
}

// Act implements bcpace.Policy. A state that the model does not have gets the
// first action.
func (p *Policy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	n := p.plan.model.StateIndex(s)
	if n < 0 {
		return 0
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
	if len(p.plan.known)*p.plan.states >= maxKnown {
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
	return &Policy{ctx: p.ctx, plan: p.plan, belief: make([]float64, p.plan.latents), scratch: newScratch(p.plan)}
}
