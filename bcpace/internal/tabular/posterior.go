// Package tabular is what an agent knows of a finite MDP whose transitions it learns: the
// posterior of its table of transitions, as counts under a Dirichlet prior of each row, or as a
// belief over a list of tables. Algorithms of Bayesian reinforcement learning work on either.
package tabular

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/solverkit"
)

// Posterior is a distribution over finite MDPs, which differ in their transitions. States and
// actions are numbers. A Posterior is for one goroutine.
type Posterior interface {
	// States and Actions return how many there are.
	States() int
	Actions() int
	// Discount returns γ.
	Discount() float64
	// Count returns how many observations of (s, a) stand behind what is known of it, those
	// included that the prior is worth.
	Count(s, action int) float64
	// Tried reports whether (s, a) was observed.
	Tried(s, action int) bool
	// Reward returns the mean reward of a step, in reward units.
	Reward(s, action, next int) float64
	// Backup returns the mean of r + γ·v(s') over what follows (s, a), where total is the sum
	// of v.
	Backup(s, action int, v []float64, total float64) float64
	// Moments appends to list what may follow (s, a).
	Moments(s, action int, list []Moment) []Moment
	// Predict draws what follows (s, a), and whether the process ends with it. After an
	// Observe of each draw, a sequence of draws is distributed as one of a single MDP that was
	// drawn before it.
	Predict(s, action int, rng *rand.Rand) (next int, done bool)
	// Draw draws an MDP and puts it into p, which it reuses.
	Draw(p *mdp.MDP, rng *rand.Rand)
	// Observe says that next has followed (s, a). The error is an
	// *bcpace.ImpossibleObservationError, and nothing is learned then.
	Observe(s, action, next int) error
	// Observed returns the number of observations.
	Observed() int
	// Undo takes back all but the first of the observations.
	Undo(observed int)
	// Fork returns the same posterior, for another goroutine.
	Fork() Posterior
}

// Moment is the mean and the variance of P(s'|s,a) in a Posterior.
type Moment struct {
	Next           int
	Mean, Variance float64
}

// New returns what an agent knows of m at first: counts if m is a
// bcpace.UnknownTransitions, and its prior otherwise. The error is an *bcpace.InputError for a
// prior that cannot be used, an *bcpace.UnsupportedError for a model that is not finite, or that
// of dp.ListTransitions.
func New(ctx context.Context, m bcpace.Model, algorithm string) (Posterior, error) {
	if u, ok := m.(bcpace.UnknownTransitions); ok {
		if err := Check(u, algorithm); err != nil {
			return nil, err
		}
		return NewRows(ctx, u)
	}
	f, ok := bcpace.AsFinite(m)
	if !ok {
		return nil, notFinite(m, algorithm)
	}
	return NewLatents(ctx, f)
}

// Check returns a *bcpace.UnsupportedError for a model that is not finite or whose latent moves:
// its transitions cannot be unknown.
func Check(m bcpace.Model, algorithm string) error {
	if _, ok := bcpace.AsFinite(m); !ok {
		return notFinite(m, algorithm)
	}
	if kind := bcpace.KindOf(m); kind != bcpace.Static {
		return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm,
			Need: "a latent that stays as it is, and this one is " + kind.String() + ": what was learned of a table would not stay true"}
	}
	return nil
}

func notFinite(m bcpace.Model, algorithm string) error {
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm, Need: solverkit.NeedNumbered(m)}
}

// impossible returns the error of an observation that has no probability. at gives the state of
// a number.
func impossible(spec bcpace.Spec, at func(s []float64, number int), s, action, next int, b bcpace.Belief) error {
	from, to := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	at(from, s)
	at(to, next)
	return &bcpace.ImpossibleObservationError{State: from, Next: to, Action: spec.ActionName(action), Belief: append(bcpace.Belief(nil), b...)}
}
