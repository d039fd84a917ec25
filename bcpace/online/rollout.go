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
	// BlindRollout repeats one action of a list to the end: that one which UCB1 chooses by the
	// returns of the rollouts of the decision so far. So leaves soon have the value of the
	// best blind policy. It is the default for lists of actions.
	BlindRollout = "blind"
	// RandomRollout draws each action with equal probability and, in a Box, each control. It
	// is the default where an action has a Box.
	RandomRollout = "random"
	// ToldRollout acts as is best for the latent of the simulation (bcpace.SolveLatent). Its
	// returns are those of an agent that need not learn, which is too much where that is hard.
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

	// Of blind rollouts, by action.
	count []int
	mean  []float64
	total int
}

// NewRollout returns a rollout of p, forked, in m; of BlindRollout if p is nil.
func NewRollout(m bcpace.Model, p bcpace.Policy) *Rollout {
	spec := m.Spec()
	r := &Rollout{discount: spec.Discount, certain: bcpace.OneHot(len(spec.Latents), 0)}
	if p != nil {
		r.policy = bcpace.Fork(p)
	} else {
		r.count, r.mean = make([]int, len(spec.Actions)), make([]float64, len(spec.Actions))
	}
	return r
}

// Begin forgets the rollouts of earlier decisions.
func (r *Rollout) Begin() {
	clear(r.count)
	clear(r.mean)
	r.total = 0
}

// Play plays w on to its end, for so many steps at most, and returns the discounted sum of
// rewards.
func (r *Rollout) Play(w *Walk, steps int, rng *rand.Rand) (sum float64) {
	if w.Done || steps <= 0 {
		return 0
	}
	if r.policy == nil {
		return r.playBlind(w, steps, rng)
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

func (r *Rollout) playBlind(w *Walk, steps int, rng *rand.Rand) (sum float64) {
	a := r.blind()
	weight := 1.0
	for ; steps > 0 && !w.Done; steps-- {
		sum += weight * w.Step(a, rng)
		weight *= r.discount
	}
	r.total++
	r.count[a]++
	r.mean[a] += (sum - r.mean[a]) / float64(r.count[a])
	return sum
}

// blind returns the action of the next rollout, as tree.Tree.Choose would, but that actions
// are first tried in their order.
func (r *Rollout) blind() (action int) {
	if r.total < len(r.count) {
		return r.total
	}
	lo, hi := r.mean[0], r.mean[0]
	for _, q := range r.mean {
		lo, hi = min(lo, q), max(hi, q)
	}
	c := (hi - lo) * math.Sqrt(math.Log(float64(r.total)))
	best := math.Inf(-1)
	for a, q := range r.mean {
		if u := q + c/math.Sqrt(float64(r.count[a])); u > best {
			best, action = u, a
		}
	}
	return action
}
