package online

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
)

// Names of rollout policies.
const (
	// BlindRollout repeats one action of a list to the end: that one which returns most in
	// blindTrials trials of each from the root of the decision. So leaves have the value of a
	// good blind policy, with little noise. It is the default for lists of actions.
	BlindRollout = "blind"
	// RandomRollout draws each action with equal probability and, in a Box, each control. It
	// is the default where an action has a Box.
	RandomRollout = "random"
	// ToldRollout acts as is best for the latent of the simulation (bcpace.SolveLatent). Its
	// returns are those of an agent that need not learn, which is too much where that is hard:
	// in RockSample(4, 4) POMCP then earns 2 with 1,000 simulations, and 14 with blind rollouts.
	ToldRollout = "told"
)

// CheckRollout returns an *bcpace.InputError for what cannot be the rollouts of m: an unknown
// name, one beside a policy, or one for a list of actions where there is none.
func CheckRollout(m bcpace.Model, name string, p bcpace.Policy) error {
	bad := func(got, want string) error {
		return &bcpace.InputError{Where: "options", What: "Rollout", Got: got, Want: want}
	}
	switch spec := m.Spec(); {
	case name != "" && name != BlindRollout && name != RandomRollout && name != ToldRollout:
		return bad(strconv.Quote(name), fmt.Sprintf("%s, %s or %s", BlindRollout, RandomRollout, ToldRollout))
	case name != "" && p != nil:
		return bad(name+" beside RolloutPolicy", "one of them")
	case (name == BlindRollout || name == ToldRollout) && spec.HasBox():
		return bad(name+" for actions with a Box", RandomRollout+", or a list of actions, which bcpace.Discretised makes")
	}
	return nil
}

// CheckExploration returns an *bcpace.InputError for what cannot be the constant of UCB1.
func CheckExploration(c float64) error {
	if c >= 0 && !math.IsInf(c, 1) {
		return nil
	}
	return &bcpace.InputError{Where: "options", What: "Exploration", Got: fmt.Sprint(c), Want: "a constant above 0 in reward units, or 0 for the default"}
}

// Exploration returns c or, if it is 0, the range of rewards of m.
func Exploration(m bcpace.Model, c float64) float64 {
	if c > 0 {
		return c
	}
	spec := m.Spec()
	return spec.RewardMax - spec.RewardMin
}

// RolloutPolicy returns p or, if it is nil, the policy of that name for m; nil for
// BlindRollout. Beside an error of the context it returns the latent values so far, see
// bcpace.LatentSoFar. The error is that of bcpace.SolveLatent.
func RolloutPolicy(ctx context.Context, m bcpace.Model, name string, p bcpace.Policy) (bcpace.Policy, bcpace.LatentValues, error) {
	spec := m.Spec()
	switch {
	case p != nil:
		return p, nil, nil
	case name == ToldRollout:
		q, err := bcpace.SolveLatent(ctx, m)
		if err != nil {
			return nil, q, err
		}
		return bcpace.LatentPolicy(q, len(spec.Actions)), q, nil
	case name == RandomRollout || spec.HasBox():
		return bcpace.RandomPolicy(m), nil, nil
	}
	return nil, nil, nil
}

// Rollout plays simulations on with a policy, from where a search ends. The policy gets a
// belief that is certain of the latent. A Rollout is for one goroutine.
type Rollout struct {
	policy   bcpace.Policy // nil for blind ones
	discount float64
	certain  bcpace.Belief
	latent   int // of which certain is

	// Of blind rollouts: the number of actions, and the one that is repeated, −1 before it is
	// known.
	actions, blind int
}

// blindTrials is how often each action is tried for blind rollouts.
const blindTrials = 10

// NewRollout returns a rollout of p, forked, in m; of BlindRollout if p is nil.
func NewRollout(m bcpace.Model, p bcpace.Policy) *Rollout {
	spec := m.Spec()
	r := &Rollout{discount: spec.Discount, certain: bcpace.OneHot(len(spec.Latents), 0)}
	if p != nil {
		r.policy = bcpace.Fork(p)
	} else {
		r.actions, r.blind = len(spec.Actions), -1
	}
	return r
}

// Begin says that a decision begins.
func (r *Rollout) Begin() { r.blind = -1 }

// Try chooses the action of blind rollouts at (s, b), where the decision is, unless it is
// known: the first of the best ones. w is room for it.
func (r *Rollout) Try(w *Walk, s []float64, b bcpace.Belief, steps int, rng *rand.Rand) {
	if r.policy != nil || r.blind >= 0 {
		return
	}
	best := math.Inf(-1)
	for a := range r.actions {
		sum := 0.0
		for range blindTrials {
			w.Start(s, b.Sample(rng))
			sum += r.repeat(w, a, steps, rng)
		}
		if sum > best {
			best, r.blind = sum, a
		}
	}
	r.blind = max(r.blind, 0)
}

// Play plays w on to its end, for so many steps at most, and returns the discounted sum of
// rewards.
func (r *Rollout) Play(w *Walk, steps int, rng *rand.Rand) (sum float64) {
	if w.Done || steps <= 0 {
		return 0
	}
	if r.policy == nil {
		return r.repeat(w, r.blind, steps, rng)
	}
	weight := 1.0
	for ; steps > 0 && !w.Done; steps-- {
		r.certain[r.latent] = 0
		r.latent = w.Latent
		r.certain[r.latent] = 1
		sum += weight * w.Step(r.policy.Act(w.State, r.certain, rng), rng)
		weight *= r.discount
	}
	return sum
}

// repeat is Play for an action that is repeated.
func (r *Rollout) repeat(w *Walk, action, steps int, rng *rand.Rand) (sum float64) {
	weight := 1.0
	for ; steps > 0 && !w.Done; steps-- {
		sum += weight * w.Step(action, rng)
		weight *= r.discount
	}
	return sum
}
