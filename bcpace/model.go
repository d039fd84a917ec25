package bcpace

import (
	"fmt"
	"math/rand/v2"
)

// Model is a Bayes-adaptive MDP (BAMDP): a Markov decision process whose transitions and rewards
// depend on a latent variable φ from a finite set, which the agent never sees. See Section 2.1 of the
// paper.
//
// A state is a []float64 with one entry per Spec.Axes, an action an id (see Action), a latent an index
// into Spec.Latents. Everything that the agent observes is part of the state, so that the Bayes
// estimator can work from (s, a, s') alone: a model with observations puts the last one on an axis.
//
// Methods must be safe for concurrent use and must not keep the slices they are given. Step and
// LogLikelihood are the inner loops of every algorithm: they should not allocate.
type Model interface {
	// Spec describes the model. It must return the same value at every call.
	Spec() Spec
	// Prior fills b, of length len(Spec.Latents), with P0(φ).
	Prior(b Belief)
	// Start draws s ~ P0(s | φ) into s. Where that depends on φ, the model must be a StartLikelihood.
	Start(s []float64, latent int, rng *rand.Rand)
	// Step draws next ~ P(s' | s, φ, a) into next, which never overlaps s, and
	// returns the reward and whether the episode ends there.
	Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome
	// LogLikelihood returns log P(next | s, φ, a), or -Inf where next cannot
	// follow. For continuous states it is a log density; a term that is the
	// same for all latents may be left out.
	LogLikelihood(s []float64, action int, next []float64, latent int) float64
}

// Outcome is what Step returns beside the next state.
type Outcome struct {
	Reward float64 // within [Spec.RewardMin, Spec.RewardMax]
	Done   bool    // the episode ends in the next state: nothing is earned after it. What that tells of the latent, the state shows
}

// The upgrades below are found by type assertion, and AbilitiesOf tells of all of them. An
// algorithm that needs one returns an *UnsupportedError for a model without it. A model that is
// made of another one by Derive has those of the other.

// Enumerator is a Model that lists the successors of a state with their probabilities, which makes
// expected backups possible. If the noise is continuous, the list is a quadrature, whose rule the
// model documents. Only the list of a Finite model counts as exact.
type Enumerator interface {
	Model
	// Starts adds to z every start state with P0(s|φ) as its probabilities.
	Starts(z *Successors)
	// Successors adds to z every s' with P(s'|s,φ,a) > 0 for some φ, each
	// once, with its probability and its expected reward under every latent.
	Successors(z *Successors, s []float64, action int)
}

// Finite is an Enumerator whose states are numbered 0 … NumStates()-1. Its successors are exact and
// are states of that set. Ask AsFinite for it rather than a type assertion.
type Finite interface {
	Enumerator
	NumStates() int
	// StateAt fills s with the state of the given number.
	StateAt(s []float64, number int)
	// StateIndex returns the number of s, or -1 where s is not a state of the set.
	StateIndex(s []float64) int
}

// AsFinite returns m as a Finite, unless it lacks the methods, has a method IsFinite() bool that says
// no, as Light-Dark Tiger does when its moves are noisy, or an action has a Box, of which Discretised
// makes a list.
func AsFinite(m Model) (Finite, bool) {
	if f, ok := asNumbered(m); ok {
		if spec := m.Spec(); !spec.HasBox() {
			return f, true
		}
	}
	return nil, false
}

// asNumbered is AsFinite without regard to the actions.
func asNumbered(m Model) (Finite, bool) {
	f, ok := m.(Finite)
	if !ok {
		return nil, false
	}
	if c, ok := m.(interface{ IsFinite() bool }); ok && !c.IsFinite() {
		return nil, false
	}
	return f, true
}

// LatentDynamics is a Model whose latent may change within an episode.
type LatentDynamics interface {
	// LatentKind says how the latent moves, for all states and actions.
	LatentKind() LatentKind
	// LatentTransition fills p, of length len(Spec.Latents), with
	// P(φ' | latent, s, a) and returns true; or leaves p and returns false,
	// where the latent stays as it is.
	LatentTransition(p []float64, s []float64, action, latent int) bool
}

// DeterministicLatent is LatentDynamics of kind Deterministic that names the latent that follows.
// Beliefs over thousands of latents then move without rows of probabilities.
type DeterministicLatent interface {
	LatentDynamics
	// NextLatent returns φ', for which LatentTransition gives probability 1, or latent
	// itself where LatentTransition returns false.
	NextLatent(s []float64, action, latent int) int
}

// LatentKind says how a model's latent moves within an episode.
type LatentKind int

const (
	Static        LatentKind = iota // φ' = φ
	Deterministic                   // φ' is a function of (φ, s, a)
	Redrawn                         // φ' is drawn at some (s, a): anew, as in Tiger after a door is opened, or near φ, as wear that grows
)

func (k LatentKind) String() string {
	switch k {
	case Static:
		return "static"
	case Deterministic:
		return "deterministic"
	case Redrawn:
		return "redrawn"
	}
	return "unknown"
}

// KindOf returns how the latent of m moves, Static without LatentDynamics.
func KindOf(m Model) LatentKind {
	if d, ok := m.(LatentDynamics); ok {
		return d.LatentKind()
	}
	return Static
}

// StartLikelihood is a Model whose start state tells of the latent.
type StartLikelihood interface {
	// StartLogLikelihood returns log P0(s|φ), up to a term common to all φ.
	StartLogLikelihood(s []float64, latent int) float64
}

// Smoothness says how means and expected rewards bend in a model whose next state has independent
// normal noise on each axis, and stops at the ends of the axes or goes round where they have a Period.
// Package proved makes bounds of it. What jumps is said apart: regions that differ in rewards, end the
// episode or tell the latent. Their borders are places on single axes, Jumps; the ends of an axis
// without a Period are regions of their own, as noise stops there.
type Smoothness struct {
	// Sigma is the standard deviation of the noise, by axis: 0 on that of the steps left (KeepHorizon), and on
	// a Discrete one on which nothing else depends, and which tells the latent, or nothing, as Arrive says.
	Sigma []float64
	// SigmaAt sets the standard deviations of a step on the axes with noise; nil where they are those of Sigma.
	SigmaAt func(sigma, s []float64, latent, action int)
	// Mean sets mean to that of the next state, before it is brought onto the axes.
	Mean func(mean, s []float64, latent, action int)
	// Reward is the expected reward E[r|s,φ,a], without what Arrive pays; nil where Arrive pays
	// everything. Mean and Reward take the id of an action.
	Reward func(s []float64, latent, action int) float64
	// MeanCurve and SigmaCurve bound by axis how much its mean and its standard deviation bend: the size of the
	// second derivative along each coordinate of the state and of the control, in the unit of the axis per
	// squared Scale of the coordinate. It is 0 where they are affine, as a SigmaCurve of nil says everywhere.
	MeanCurve, SigmaCurve []float64
	// RewardCurve bounds how concave Reward is: minus its second derivative along each of these
	// coordinates, in reward units per squared Scale. It is 0 where Reward is convex.
	RewardCurve float64
	// RewardConvex bounds how convex Reward is along the state, in the same unit, for a lower bound: any small
	// number where Reward is concave, and 0 where it is not known or Reward is nil.
	RewardConvex float64
	Control      *ControlCurve // other bounds along the control; nil where those above serve for both
	// Jumps has by axis, ascending, the places between its ends where what Arrive says may jump, and what is
	// bounded above may have a kink but no jump; nil means that there are none, as on an axis with a Period.
	Jumps [][]float64
	// Moves sets p to P(φ'|latent, action), if it is the same at all states and controls of a Box; nil if not.
	Moves func(p []float64, latent, action int)
	// Arrive says what it means to arrive at a place under a latent, the same everywhere between the Jumps;
	// nil means that nothing ends, is paid or told.
	Arrive func(next []float64, latent int) Arrival
}

// ControlCurve is Smoothness.MeanCurve, SigmaCurve and RewardCurve along the control.
type ControlCurve struct {
	Mean, Sigma []float64 // by axis; nil means 0
	Reward      float64
}

// Arrival is what arriving in a region means.
type Arrival struct {
	Reward float64 // what is paid beside Smoothness.Reward
	Ends   bool    // the episode; the same for all latents
	Tells  bool    // the latent, as the state there shows it; the same for all latents
}

// Lipschitz are the constants of Assumption 3.1 of the paper: for each latent φ and any two pairs z1,
// z2 of a state and a control of one action,
//
//	|R(z1,φ) − R(z2,φ)| ≤ R·d(z1,z2),   Σ_y |P(y|z1,φ) − P(y|z2,φ)| ≤ P·d(z1,z2),
//
// where R(z,φ) is the expected reward, and an outcome y is the next state, whether the episode ends
// there, and the next latent; densities have an integral for a sum. The distance d adds up what z1 and
// z2 differ by on each axis of the state and of the Box, in units of its Scale. An infinite constant
// says nothing.
type Lipschitz struct {
	R float64 // in reward units per unit of distance
	P float64 // per unit of distance
}

// Check returns an *InputError for a constant that is negative or no number.
func (l Lipschitz) Check(spec Spec) error {
	if l.R >= 0 && l.P >= 0 {
		return nil
	}
	return spec.in().Bad("Lipschitz", fmt.Sprintf("%+v", l), "two constants from 0 up, +Inf for one that is not known")
}

// ToldModel is a Model that has too many successors to list them, but whose latent MDPs have not: all
// that tells them apart are axes of Scale +Inf, which say something of the latent alone.
type ToldModel interface {
	Model
	// Told returns the model of an agent that knows the latent: the same one, but that its states are
	// those of this model without its last axes.
	Told() Finite
}

// ValueBounds is a Model that bounds its own values, which spares planners the tables of a large one.
// It is safe for concurrent use.
type ValueBounds interface {
	// Lower returns a value that is earned from (s, b) on, at least, and the action that is taken first
	// for that: the value is at most what that action earns and Lower expects after it.
	Lower(s []float64, b Belief) (value float64, action int)
	// Upper returns a value that no policy exceeds from (s, b) on.
	Upper(s []float64, b Belief) float64
}

// LatentValues are the optimal values Q(s, φ, a) of the latent MDPs: the values of an agent that knows
// φ now and, if φ changes, at every later step. They bound the values of the BAMDP from above.
// Implementations are safe for concurrent use and do not allocate in Q. A Model that is one knows its
// own values. See dp.LatentMaxima for more that they may do.
type LatentValues interface {
	Q(s []float64, latent, action int) float64
}

// Validator is a Model that checks its own parameters. The error names the parameter, its value and
// what would be right.
type Validator interface {
	Validate() error
}

// Successors is a list of weighted states in flat arrays, filled by an
// Enumerator and reused from call to call.
type Successors struct {
	States []float64 // n × axes
	Prob   []float64 // n × latents: P(s'|s,φ,a)
	Reward []float64 // n × latents: E[r | s,φ,a,s']
	Done   []bool    // n: the episode ends on arrival

	axes, latents int
}

// Reset empties z and sets the number of axes and latents of a row.
func (z *Successors) Reset(axes, latents int) {
	z.axes, z.latents = axes, latents
	z.States, z.Prob, z.Reward, z.Done = z.States[:0], z.Prob[:0], z.Reward[:0], z.Done[:0]
}

// Len returns the number of states in the list.
func (z *Successors) Len() int { return len(z.Done) }

// sized reports whether all rows have so many axes and latents.
func (z *Successors) sized(axes, latents int) bool {
	n := z.Len()
	return z.axes == axes && z.latents == latents && len(z.States) == n*axes && len(z.Prob) == n*latents && len(z.Reward) == n*latents
}

// Add appends a row of zeros and returns it for the caller to fill, until the next Add: the state and,
// for each latent, its probability and reward.
func (z *Successors) Add(done bool) (state, prob, reward []float64) {
	i := len(z.Done)
	z.States = append(z.States, make([]float64, z.axes)...)
	z.Prob = append(z.Prob, make([]float64, z.latents)...)
	z.Reward = append(z.Reward, make([]float64, z.latents)...)
	z.Done = append(z.Done, done)
	return z.Row(i)
}

// Row returns row i: the state, and its probability and reward by latent.
func (z *Successors) Row(i int) (state, prob, reward []float64) {
	return z.States[i*z.axes : (i+1)*z.axes : (i+1)*z.axes],
		z.Prob[i*z.latents : (i+1)*z.latents : (i+1)*z.latents],
		z.Reward[i*z.latents : (i+1)*z.latents : (i+1)*z.latents]
}
