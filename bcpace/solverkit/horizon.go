package solverkit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// endless is what an algorithm needs that cannot do without a discount and a horizon.
const endless = "a discount below 1, or a horizon; of the solvers, sarsop does without, for finite models whose episodes end"

// NeedDiscount returns an *bcpace.UnsupportedError for a model with a Spec.Goal.
func NeedDiscount(spec bcpace.Spec, algorithm string) error {
	return needs(spec, algorithm, !spec.Goal, endless)
}

// CheckDiscount returns the error of bcpace.Validate, or that of NeedDiscount.
func CheckDiscount(m bcpace.Model, algorithm string) error {
	if err := bcpace.Validate(m); err != nil {
		return err
	}
	return NeedDiscount(m.Spec(), algorithm)
}

// needs returns an *bcpace.UnsupportedError for a model that has not what an algorithm needs.
func needs(spec bcpace.Spec, algorithm string, has bool, need string) error {
	if has {
		return nil
	}
	return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: algorithm, Need: need}
}

// CheckStationary returns an *UnsupportedError that names the algorithm if m has a
// horizon and states without the steps left, so that its values and best actions are not
// functions of state and belief, or a Spec.Goal.
func CheckStationary(m bcpace.Model, algorithm string) error {
	if m == nil {
		return bcpace.Validate(m)
	}
	if !bcpace.AbilitiesOf(m).CutsEpisodes() {
		return NeedDiscount(m.Spec(), algorithm)
	}
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm,
		Need: fmt.Sprintf("the steps left in the states, as values in a model with a horizon depend on them: use bcpace.FiniteHorizon(model, %d)", m.Spec().Horizon)}
}

// SearchDepth returns the first T with γ^T ≤ 1 %, at most the model's own horizon: what is
// earned after T steps changes a value by at most 1 % of VMax − VMin. Simulations of a
// planner go no deeper.
func SearchDepth(spec bcpace.Spec) int {
	const negligible = 1e-2
	if spec.Discount == 1 {
		return spec.Horizon
	}
	depth := int(math.Ceil(math.Log(negligible) / math.Log(spec.Discount)))
	if spec.Horizon > 0 {
		depth = min(depth, spec.Horizon)
	}
	return max(depth, 1)
}

// ListControls is bcpace.Discretised for a solver that needs a list and whose certificate is to hold
// for m. The error is an *UnsupportedError for a model some of whose actions have a Box and
// whose states are numbered, as what is proved of the list would not be proved of m, and for one with a Spec.Goal.
func ListControls(m bcpace.Model, points int, algorithm string) (bcpace.Model, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	can := bcpace.AbilitiesOf(m)
	if err := cmp.Or(NeedDiscount(can.Spec, algorithm), needs(can.Spec, algorithm, !can.Spec.HasBox() || can.NumStates == nil,
		"states without numbers beside actions with a Box, or a list of actions: bcpace.Discretised makes one, and what is proved then holds for policies that keep to the list")); err != nil {
		return nil, err
	}
	return bcpace.Discretised(m, points)
}

// FinerControls returns m, which bcpace.Discretised has made, with half the distance between the
// points on each axis of a Box, and with the steps left if m has them; nil where m comes from
// elsewhere or numbers its states, and where there would be too many.
func FinerControls(m bcpace.Enumerator) bcpace.Enumerator {
	can := bcpace.AbilitiesOf(m)
	if can.Behind == nil || can.NumStates != nil {
		return nil
	}
	finer, err := bcpace.Discretised(can.Behind, 2*can.Points-1)
	if err != nil {
		return nil
	}
	if can.StepsLeft > 0 {
		finer = bcpace.KeepHorizon(finer)
	}
	return finer.(bcpace.Enumerator)
}

// RealAxes returns how many axes of a state have real numbers, neither whole ones nor labels.
func RealAxes(spec bcpace.Spec) (n int) {
	for _, a := range spec.Axes {
		if !a.Whole() {
			n++
		}
	}
	return n
}

// Coordinate is a number of the state whose mean says something: the value on an axis or,
// where that comes again after a Period, the cosine or the sine of its angle.
type Coordinate struct {
	Name      string
	Axis      int
	Width     float64 // of its range
	turn      float64 // radians per unit of the axis, 0 where the value itself is meant
	from, lag float64 // the angle is turn·(x − from) − lag
}

// CoordinatesOf returns the coordinates of the states of a model.
func CoordinatesOf(spec bcpace.Spec) []Coordinate {
	var all []Coordinate
	for i, a := range spec.Axes {
		if name := strconv.Quote(a.Name); a.Period == 0 {
			all = append(all, Coordinate{Name: name, Axis: i, Width: a.Max - a.Min})
		} else {
			turn := 2 * math.Pi / a.Period
			all = append(all, Coordinate{Name: "the cosine of " + name, Axis: i, Width: 2, turn: turn, from: a.Min},
				Coordinate{Name: "the sine of " + name, Axis: i, Width: 2, turn: turn, from: a.Min, lag: math.Pi / 2})
		}
	}
	return all
}

// Of returns the coordinate of s.
func (c *Coordinate) Of(s []float64) float64 {
	if c.turn == 0 {
		return s[c.Axis]
	}
	return math.Cos(c.turn*(s[c.Axis]-c.from) - c.lag)
}

// CheckHorizon returns an *bcpace.InputError, with where and what as its fields, for a number of steps
// below 0 or above 1,000,000,000. zero says what 0 means.
func CheckHorizon(where, what string, steps int, zero string) error {
	return bcpace.In(where).Need(steps >= 0 && steps <= num.MaxHorizon, what, steps, fmt.Sprintf("a number of steps up to %d, or 0 for %s", num.MaxHorizon, zero))
}

// CheckWorkers returns an *bcpace.InputError, with where and what as its fields, for a number of
// workers below 0 or above 1,024. unit names what works, such as "goroutines"; 0 means one for each
// processor.
func CheckWorkers(where, what string, workers int, unit string) error {
	return bcpace.In(where).Need(workers >= 0 && workers <= num.MaxWorkers, what, workers, num.WantWorkers(unit))
}

// LipschitzOf returns the constants that m states. It returns false where there are none, as for
// bcpace.FiniteHorizon. The error is an *bcpace.InputError for a constant that is negative or no number.
func LipschitzOf(m bcpace.Model) (stated bcpace.Lipschitz, ok bool, err error) {
	can := bcpace.AbilitiesOf(m)
	if can.Lipschitz == nil {
		return stated, false, nil
	}
	stated = can.Lipschitz()
	if err := stated.Check(can.Spec); err != nil {
		return bcpace.Lipschitz{}, false, err
	}
	return stated, !math.IsInf(stated.R, 1) || !math.IsInf(stated.P, 1), nil
}

// ListedLikelihood returns the LogLikelihood of a model with so many axes and latents that lists what follows.
func ListedLikelihood(axes, latents int, successors func(z *bcpace.Successors, s []float64, action int)) func(s []float64, action int, next []float64, latent int) float64 {
	return func(s []float64, action int, next []float64, latent int) float64 {
		var z bcpace.Successors
		z.Reset(axes, latents)
		successors(&z, s, action)
		sum := 0.0
		for i := range z.Len() {
			if to, prob, _ := z.Row(i); slices.Equal(to, next) {
				sum += prob[latent]
			}
		}
		return math.Log(sum)
	}
}

// NeedsNumbered returns an *bcpace.UnsupportedError for a model without numbered states, or with a Spec.Goal.
func NeedsNumbered(m bcpace.Model, algorithm string) error {
	_, finite := bcpace.AsFinite(m)
	return cmp.Or(NeedDiscount(m.Spec(), algorithm), needs(m.Spec(), algorithm, finite, NeedNumbered(m)))
}

// NeedsList returns an *bcpace.UnsupportedError for a model that does not list what follows, or with a Spec.Goal.
func NeedsList(m bcpace.Model, algorithm string) error {
	_, lists := m.(bcpace.Enumerator)
	return cmp.Or(NeedDiscount(m.Spec(), algorithm), needs(m.Spec(), algorithm, lists, NeedSuccessors("")))
}

// Valued reports whether m knows its own latent values, so that no tables of them are made.
func Valued(m bcpace.Model) bool {
	_, valued := m.(bcpace.LatentValues)
	return valued
}

// Bounded reports whether m bounds its own values, so that no tables of bounds are made.
func Bounded(m bcpace.Model) bool {
	_, bounded := m.(bcpace.ValueBounds)
	return bounded
}

// needList is what an algorithm needs in place of boxes.
const needList = "a list of actions: bcpace.Discretised makes one of their boxes"

// NeedSuccessors says that an algorithm needs a list of what follows, how a model has one, and what
// does without, for UnsupportedError.Need. or is what it might have in the list's place, with a comma
// before it; "" for nothing.
func NeedSuccessors(or string) string {
	return "a list of the successors of a state (Enumerator), for which Successors in Funcs beside Step, FromOutcomes or FromGaussian would do" + or + "; pomcpow and policy-search do without"
}

// NeedActionList returns an *bcpace.UnsupportedError for a model some of whose actions have a Box,
// which the algorithm has no use for.
func NeedActionList(spec bcpace.Spec, algorithm string) error {
	return needs(spec, algorithm, !spec.HasBox(), needList)
}

// NeedNumbered says that an algorithm needs numbered states, and how m would have them, for
// UnsupportedError.Need.
func NeedNumbered(m bcpace.Model) string {
	const need = "numbered states with exact successors (Finite)"
	spec := m.Spec()
	if spec.HasBox() {
		return needList
	}
	if i := slices.IndexFunc(spec.Axes, func(a bcpace.Axis) bool { return !a.Discrete && a.Labels == nil }); i >= 0 {
		return fmt.Sprintf("%s, and axis %q is continuous: package certified takes a model with Successors as it is, and cpace.Solver any model", need, spec.Axes[i].Name)
	}
	if _, listed := m.(bcpace.Enumerator); !listed {
		return need + ": as all axes are discrete, Successors would do, in Funcs beside Step or by FromOutcomes"
	}
	return need + ": as all axes are discrete, FromFuncs numbers up to a million combinations of their values; otherwise write NumStates, StateAt and StateIndex"
}
