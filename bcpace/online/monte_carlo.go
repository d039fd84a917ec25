package online

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// MonteCarlo are the parameters that planners have in common whose simulations choose by UCB1
// and end in rollouts. Every zero value is useful.
type MonteCarlo struct {
	Budget bcpace.Budget // of a decision
	// Exploration is c of UCB1, in reward units. 0 means the range of the model's rewards.
	Exploration float64
	// Rollout names the policy of the rollouts. "" means BlindRollout for a list of actions,
	// and RandomRollout where an action has a Box. RolloutPolicy, if set, stands in its place.
	Rollout       string
	RolloutPolicy bcpace.Policy
}

// Solve returns the solution of solver s for m: a planner, whose searches make makes for m, with
// the steps left on an axis if it has a horizon, and for the policy of the rollouts, nil for
// BlindRollout. check looks at the other parameters of s, and at m once it is known to be valid.
//
// The error is an *bcpace.InputError for a parameter, a model or a control that cannot be
// used, or that of check or of dp.SolveLatent.
func (o MonteCarlo) Solve(ctx context.Context, s bcpace.Solver, m bcpace.Model, c bcpace.Control, check func(bcpace.Model) error, make func(m bcpace.Model, rollout bcpace.Policy) Search[bcpace.Belief]) (*bcpace.Solution, error) {
	if err := Check(s, m, c, o.Budget); err != nil {
		return nil, err
	}
	if err := cmp.Or(o.check(m), check(m)); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	rollout, q, err := o.rollout(solverkit.WithControl(ctx, c), m)
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.LatentSoFar(q))
	}
	return Solution(s, m, New(m.Spec(), o.Budget, func() Search[bcpace.Belief] { return make(m, rollout) })), nil
}

// check returns an *bcpace.InputError for an exploration or rollouts that cannot be those of m:
// an unknown name, one beside a policy, or one for a list of actions where there is none.
func (o MonteCarlo) check(m bcpace.Model) error {
	need, spec := bcpace.In("options").Need, m.Spec()
	return cmp.Or(
		CheckExploration(o.Exploration),
		need(slices.Contains([]string{"", BlindRollout, RandomRollout, ToldRollout}, o.Rollout), "Rollout", strconv.Quote(o.Rollout), fmt.Sprintf("%s, %s or %s", BlindRollout, RandomRollout, ToldRollout)),
		need(o.Rollout == "" || o.RolloutPolicy == nil, "Rollout", o.Rollout+" beside RolloutPolicy", "one of them"),
		need(o.Rollout == "" || o.Rollout == RandomRollout || !spec.HasBox(), "Rollout", o.Rollout+" for actions with a Box", RandomRollout+", or a list of actions, which bcpace.Discretised makes"))
}

// CheckVectors returns an *bcpace.InputError for an exploration or rollouts that cannot be those of a model with a hidden vector, which says itself how to
// play on.
func (o MonteCarlo) CheckVectors() error {
	return cmp.Or(
		bcpace.In("options").Need(o.Rollout == "" && o.RolloutPolicy == nil, "Rollout", cmp.Or(o.Rollout, "a policy"), "none for a hidden vector: Rollout of its model is the policy of rollouts"),
		CheckExploration(o.Exploration))
}

// CheckExploration returns an *bcpace.InputError for a c that UCB1 cannot have.
func CheckExploration(c float64) error {
	return bcpace.In("options").Need(c >= 0 && !math.IsInf(c, 1), "Exploration", c, "a constant above 0 in reward units; without one there is a default")
}

// rollout returns the policy of the rollouts in m, nil for BlindRollout. Beside an error of the
// context it returns the latent values so far, see runs.LatentSoFar.
func (o MonteCarlo) rollout(ctx context.Context, m bcpace.Model) (bcpace.Policy, bcpace.LatentValues, error) {
	spec := m.Spec()
	switch {
	case o.RolloutPolicy != nil:
		return o.RolloutPolicy, nil, nil
	case o.Rollout == ToldRollout:
		q, err := dp.SolveLatentOn(ctx, m, dp.GridOptions{NoError: true})
		if err != nil {
			return nil, q, err
		}
		return dp.LatentPolicy(q, len(spec.Actions)), q, nil
	case o.Rollout == RandomRollout || spec.HasBox():
		return bcpace.RandomPolicy(m), nil, nil
	}
	return nil, nil, nil
}

// Names of rollout policies.
const (
	// BlindRollout repeats one action of a list to the end: that one which returns most in
	// BlindTrials trials of each from the root of the decision. So leaves have the value of a
	// good blind policy, with little noise. It is the default for lists of actions.
	BlindRollout = "blind"
	// RandomRollout draws each action with equal probability and, in a Box, each control. It
	// is the default where an action has a Box.
	RandomRollout = "random"
	// ToldRollout acts as is best for the latent of the simulation (dp.SolveLatent). Its
	// returns are those of an agent that need not learn, which is too much where that is hard:
	// in RockSample(4, 4) POMCP then earns 2 with 1,000 simulations, and 14 with blind rollouts.
	ToldRollout = "told"
)

// LeafRollout plays simulations on with a policy, from where a search ends. The policy gets a
// belief that is certain of the latent. A LeafRollout is for one goroutine.
type LeafRollout struct {
	can      bcpace.PolicyAbilities // of the policy; none for blind rollouts
	discount float64
	certain  bcpace.Belief
	latent   int // of which certain is

	// Of blind rollouts: the number of actions, and the one that is repeated, −1 before it is
	// known.
	actions, blind int
}

// BlindTrials is how often each action is tried for blind rollouts.
const BlindTrials = 10

// NewRollout returns a rollout of p, forked, in m; of BlindRollout if p is nil.
func NewRollout(m bcpace.Model, p bcpace.Policy) *LeafRollout {
	spec := m.Spec()
	r := &LeafRollout{discount: spec.Discount, certain: bcpace.OneHot(len(spec.Latents), 0)}
	if p != nil {
		r.can = bcpace.PolicyAbilitiesOf(bcpace.Fork(p))
	} else {
		r.actions, r.blind = len(spec.Actions), -1
	}
	return r
}

// Begin says that a decision begins.
func (r *LeafRollout) Begin() { r.blind = -1 }

// Try chooses the action of blind rollouts at (s, b), where the decision is, unless it is
// known: the first of the best ones. w is room for it. The error is that of ctx, if it ends
// before; then the action stays unknown.
func (r *LeafRollout) Try(ctx context.Context, w *Walk, s []float64, b bcpace.Belief, steps int, rng *rand.Rand) error {
	if r.can.Act != nil || r.blind >= 0 {
		return nil
	}
	_, blind, err := BestAction(r.actions, BlindTrials, func(a int) (float64, error) {
		w.Start(s, b.Sample(rng))
		return r.play(ctx, w, a, steps, rng)
	})
	if err == nil {
		r.blind = blind
	}
	return err
}

// BestAction tries each of so many actions so often, and returns the first of those that earn most, and what that earns in all
// of its trials. The error is the first one of a trial.
func BestAction(actions, trials int, trial func(action int) (earned float64, err error)) (most float64, best int, err error) {
	most = math.Inf(-1)
	for a := range actions {
		sum := 0.0
		for range trials {
			earned, err := trial(a)
			if err != nil {
				return 0, 0, err
			}
			sum += earned
		}
		if sum > most {
			most, best = sum, a
		}
	}
	return most, best, nil
}

// Play plays w on to its end, for so many steps at most, and returns the discounted sum of
// rewards. The error is that of ctx, if it ends before.
func (r *LeafRollout) Play(ctx context.Context, w *Walk, steps int, rng *rand.Rand) (sum float64, err error) {
	return r.play(ctx, w, r.blind, steps, rng)
}

// play is Play, by an action that is repeated where the rollouts are blind.
func (r *LeafRollout) play(ctx context.Context, w *Walk, action, steps int, rng *rand.Rand) (sum float64, err error) {
	weight := 1.0
	for step := 0; step < steps && !w.Done; step++ {
		if err := Glance(ctx, step); err != nil {
			return 0, err
		}
		if r.can.Act != nil {
			r.know(w.Latent)
			if r.can.Begin != nil && step == 0 {
				r.can.Begin(w.State, r.certain)
			}
			if action, err = r.can.Act(ctx, w.State, r.certain, rng); err != nil && ctx.Err() != nil {
				return 0, ctx.Err()
			}
		}
		reward := w.Step(action, rng)
		if r.can.Observe != nil && !w.Done {
			r.can.Observe(action, reward, w.State)
		}
		sum += weight * reward
		weight *= r.discount
	}
	return sum, nil
}

// know makes the belief certain of a latent.
func (r *LeafRollout) know(latent int) {
	r.certain[r.latent] = 0
	r.latent = latent
	r.certain[latent] = 1
}

// Glance returns the error of ctx at the first of the steps of a simulation and at each 64th
// after it, so that one of many steps ends with ctx, and to look costs little.
func Glance(ctx context.Context, step int) error {
	if step%64 == 0 {
		return ctx.Err()
	}
	return nil
}

// Walk is a simulated episode without a belief: a state and the latent behind it, which the
// model's step moves. It is for one goroutine, and does not allocate in Step.
type Walk struct {
	State, Prev []float64 // where it is, and where it was before the last step
	Latent      int
	Done        bool // the episode has ended

	model bcpace.Model
	mover *sparse.Mover
}

// NewWalk returns a walk in m.
func NewWalk(m bcpace.Model) *Walk {
	spec := m.Spec()
	return &Walk{State: make([]float64, len(spec.Axes)), Prev: make([]float64, len(spec.Axes)), model: m, mover: bcpace.AbilitiesOf(m).Mover()}
}

// Start puts the walk to a state and latent.
func (w *Walk) Start(s []float64, latent int) {
	copy(w.State, s)
	w.Latent, w.Done = latent, false
}

// Step takes an action and returns its reward.
func (w *Walk) Step(action int, rng *rand.Rand) (reward float64) {
	w.State, w.Prev = w.Prev, w.State
	out := w.model.Step(w.State, w.Prev, w.Latent, action, rng)
	w.Done = out.Done
	w.Latent = w.mover.Draw(w.Prev, action, w.Latent, rng)
	return out.Reward
}
