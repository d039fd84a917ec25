package hidden

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/solverkit"
)

// Spec describes a Model. Its Latents are empty, as the hidden variable is a vector.
type Spec struct {
	bcpace.Spec
	// Hidden has an axis for each entry of the hidden vector, at least one. Min and Max bound the values.
	Hidden []bcpace.Axis
}

// Model is a problem with a hidden vector. Its functions must be safe for concurrent use, must not
// keep or change the slices that they read, and fill those that they are to fill.
//
// An axis of Spec.Axes may be a measurement: nothing that follows depends on it. Such an axis may have an infinite Scale.
// Then adaops looks only at what it tells of the hidden vector, and has far fewer nodes. Try both: in light-dark-1d
// that earns more, in subhunt less.
type Model struct {
	Spec Spec
	// Prior draws a hidden vector as an episode begins. Required.
	Prior func(x []float64, rng *rand.Rand)
	// Start draws the first state of an episode. nil means the lowest value of every axis.
	Start func(s, x []float64, rng *rand.Rand)
	// StartLogDensity is log p(s|x) of the first state, up to a number that is the same for all x.
	// nil where the first state tells nothing of x.
	StartLogDensity func(s, x []float64) float64
	// Step draws the next hidden vector and state. Required. Where an episode may end (Outcome.Done), the
	// agent sees that it has not, and beliefs learn from the share of steps that go on. So given (s, x, a, nextX), the end must not
	// depend on next too: else put it on an axis of its own, and have LogDensity speak of it.
	Step func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome
	// LogDensity is log p(next|s,x,a,nextX), the density or probability of the next state, up to a number that is
	// the same for all x and nextX; −Inf where it cannot be. Without it a belief is made of those simulated steps
	// that lead to the very state, which works where what is observed takes few values.
	LogDensity func(s, x []float64, action int, next, nextX []float64) float64
	// Gaussian, if not nil, says that x' and what is observed of it are means with normal noise. Belief filters may
	// use it in the place of Step and LogDensity, with which it must agree.
	Gaussian *Gaussian
	// Listed, if not nil, is the model whose latents the hidden vector numbers, as FromModel has it. Filters may use
	// it in the place of Step and LogDensity, with which it must agree.
	Listed bcpace.Model
	// Bounds, if not nil, are a lower and an upper bound of the value of (s, x) for an agent who sees x,
	// in reward units, as if an episode began there. The lower one must be earned by an agent who does not see it. They hold for
	// every x, also where s tells of another one: a belief that did not foresee s has such vectors. Planners that
	// search between bounds take them; without them they take the range of returns.
	Bounds func(s, x []float64) (lower, upper float64)
	// Rollout, if not nil, is an action at (s, x) for simulations beyond a search tree, where it may look at x, and one of
	// the controls that PFT tries where an action has a Box. nil means one action that is repeated, or random ones with a Box; and
	// where states and hidden vectors are at most 128 combinations of whole numbers and Bounds is nil too, what a table says of the plan for
	// the first decision of an episode.
	Rollout func(s, x []float64, rng *rand.Rand) (action int)
}

// in is what errors about the model belong to.
func (m *Model) in() bcpace.In { return bcpace.In("model " + strconv.Quote(m.Spec.Name)) }

// Validate checks what can be checked of m without stepping it. The error is a *bcpace.InputError.
func (m *Model) Validate() error {
	if m == nil {
		return bcpace.In("Validate").Bad("the model", "nil", "a model")
	}
	in := m.in()
	if len(m.Spec.Latents) > 0 {
		return in.Bad("Spec.Latents", m.Spec.Latents, "none, as the hidden variable is the vector of Spec.Hidden; package bcpace is for latents from a list")
	}
	whole := m.Spec.Spec
	whole.Latents = []string{"hidden"}
	if err := cmp.Or(
		whole.Validate(),
		in.Need(len(m.Spec.Hidden) != 0, "Spec.Hidden", "none", "at least one axis")); err != nil {
		return err
	}
	whole.Axes = m.Spec.Hidden
	if err := whole.Validate(); err != nil {
		return fmt.Errorf("hidden axes: %w", err)
	}
	if err := cmp.Or(
		in.Need(m.Prior != nil, "Prior", "nil", "a function that draws the hidden vector"),
		in.Need(m.Step != nil, "Step", "nil", "a function that draws what follows"),
		in.Need(m.StartLogDensity == nil || m.Start != nil, "Start", "nil", "a function beside StartLogDensity, or neither")); err != nil {
		return err
	}
	if m.Gaussian != nil {
		return m.Gaussian.check(m)
	}
	return nil
}

// Weigh returns LogDensity. The error is a *bcpace.ConformanceError for NaN and +Inf, which no density is.
func (m *Model) Weigh(s, x []float64, action int, next, nextX []float64) (float64, error) {
	l := m.LogDensity(s, x, action, next, nextX)
	if math.IsNaN(l) || l > math.MaxFloat64 {
		return 0, m.Spec.Fault(s, action, -1, "LogDensity of next state %v from hidden vector %v to %v is %v, want a number, or −Inf where it cannot be", next, x, nextX, l)
	}
	return l, nil
}

// weighStart returns StartLogDensity, 0 without one. The error is a *bcpace.ConformanceError for NaN and +Inf, which no density is.
func (m *Model) weighStart(s, x []float64) (float64, error) {
	if m.StartLogDensity == nil {
		return 0, nil
	}
	l := m.StartLogDensity(s, x)
	if math.IsNaN(l) || math.IsInf(l, 1) {
		return 0, m.Spec.Fault(s, -1, -1, "StartLogDensity of hidden vector %v is %v, want a number, or −Inf where it cannot be", x, l)
	}
	return l, nil
}

// Bound returns Bounds. The error is a *bcpace.ConformanceError where no value is between them.
func (m *Model) Bound(s, x []float64) (lower, upper float64, err error) {
	if lower, upper = m.Bounds(s, x); solverkit.Crossed(m.Spec.Spec, lower, upper) {
		err = m.Spec.Fault(s, -1, -1, "Bounds for hidden vector %v are %v and %v, want a lower bound and an upper one that is no less, or −Inf and +Inf where nothing is known", x, lower, upper)
	}
	return lower, upper, err
}

// DrawStart draws the start of an episode into s and x.
func (m *Model) DrawStart(s, x []float64, rng *rand.Rand) {
	m.Prior(x, rng)
	if m.Start != nil {
		m.Start(s, x, rng)
		return
	}
	for i, a := range m.Spec.Axes {
		s[i] = a.Min
	}
}

// CheckStep returns a *bcpace.ConformanceError unless a step led to values on their axes and a reward
// in its range.
func (m *Model) CheckStep(out bcpace.Outcome, next, nextX, s []float64, action int) error {
	if err := m.Spec.CheckOutcome(out, next, s, action, -1); err != nil {
		return err
	}
	return m.CheckHidden(nextX, s, action)
}

// CheckHidden returns a *bcpace.ConformanceError unless x lies on the hidden axes.
func (m *Model) CheckHidden(x, s []float64, action int) error {
	for i := range m.Spec.Hidden {
		a := &m.Spec.Hidden[i]
		if !(x[i] >= a.Min && x[i] <= a.Max) {
			return m.Spec.Fault(s, action, -1, "the hidden vector is %v, want entry %d (%s) from %v to %v", x, i, strconv.Quote(a.Name), a.Min, a.Max)
		}
		if a.Whole() && x[i] != math.Trunc(x[i]) {
			return m.Spec.Fault(s, action, -1, "the hidden vector is %v, want a whole number for entry %d (%s)", x, i, strconv.Quote(a.Name))
		}
	}
	return nil
}

// FromModel returns m, whose latents are a list, as a model whose hidden vector has one whole number, that of the latent, so
// that planners for a hidden vector play it. Its latent may move. If m has a horizon, the states have the
// steps left, as bcpace.KeepHorizon puts them there.
//
// Bounds and Rollout are left to the caller. Where the values of the latents are known, as from dp.SolveLatent, the
// largest value of an action bounds that of a state and latent from above, and the action that has it plays on well. Where there
// are few states and latents and both are left out, planners make a table of what they can do without seeing the latent, which is
// better where the latent has to be found out first, as in envs.Tiger.
// The error is that of bcpace.Validate.
func FromModel(m bcpace.Model) (*Model, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	spec := m.Spec()
	latents := spec.Latents
	prior := make(bcpace.Belief, len(latents))
	m.Prior(prior)
	spec.Latents = nil
	h := &Model{
		Spec:   Spec{Spec: spec, Hidden: []bcpace.Axis{{Name: "latent", Max: float64(len(latents) - 1), Labels: latents}}},
		Prior:  func(x []float64, rng *rand.Rand) { x[0] = float64(prior.Sample(rng)) },
		Start:  func(s, x []float64, rng *rand.Rand) { m.Start(s, int(x[0]), rng) },
		Step:   stepOf(m),
		Listed: m,
		LogDensity: func(s, x []float64, action int, next, _ []float64) float64 {
			return m.LogLikelihood(s, action, next, int(x[0]))
		},
	}
	if told := bcpace.AbilitiesOf(m).StartLogLikelihood; told != nil {
		h.StartLogDensity = func(s, x []float64) float64 { return told(s, int(x[0])) }
	}
	return h, h.Validate()
}

// stepOf returns the Step of FromModel.
func stepOf(m bcpace.Model) func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
	if bcpace.AbilitiesOf(m).Mover() == nil {
		return func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0] = x[0]
			return m.Step(next, s, int(x[0]), action, rng)
		}
	}
	movers := sync.Pool{New: func() any { return bcpace.AbilitiesOf(m).Mover() }}
	return func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
		latent := int(x[0])
		out := m.Step(next, s, latent, action, rng)
		mover := movers.Get().(*sparse.Mover)
		nextX[0] = float64(mover.Draw(s, action, latent, rng))
		movers.Put(mover)
		return out
	}
}
