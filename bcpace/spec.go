package bcpace

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"bayescpace/bcpace/internal/ends"
	"bayescpace/bcpace/internal/normal"
	"bayescpace/bcpace/internal/num"
)

// Spec describes a Model. Slices are shared and must not be changed.
type Spec struct {
	Name   string  // such as "tiger"
	Params []Param // that, with the name, make the model again

	Axes    []Axis   // one for each entry of a state; at least one
	Actions []Action // at least one
	Latents []string // names of the latent MDPs, at least one

	Discount             float64 // γ in (0, 1), or 1 where Horizon or Goal is set
	RewardMin, RewardMax float64 // of every single reward; their values, VMax and VMin, differ by at most 1e150
	Horizon              int     // steps after which every episode is cut, as part of the problem, or 0; KeepHorizon puts those left into the state
	// Goal says that there is neither a discount nor a horizon: episodes go on until the model ends them, and values are
	// totals of rewards, such as minus the cost of the way to a goal, or the chance of what alone pays (package sarsop).
	Goal      bool
	Estimated string // what certificates say of likelihoods that are an estimate (package estimated); "" otherwise
}

// Param is a parameter of a model, as written on the command line.
type Param struct{ Key, Value string }

// Axis describes an entry of the state.
type Axis struct {
	Name     string
	Unit     string // such as "cell" or "m"; "" where there is none
	Min, Max float64
	Labels   []string // of the values Min, Min+1, … of a discrete axis; nil otherwise
	Discrete bool     // only whole numbers stand on this axis
	// Scale is the length on this axis that counts as one unit of the metric
	// d(s, s') = Σ |s_i − s'_i| / Scale_i. 0 means 1; +Inf leaves the axis out, which is
	// right exactly where neither transitions nor rewards depend on it.
	Scale float64
	// Period is the length after which values come again, as those of an angle do: Max − Min, or one more for whole numbers. 0 is none.
	Period float64
}

// Wrap returns the number in [Min, Min + Period) that is x but for periods; x where there is none.
func (a Axis) Wrap(x float64) float64 {
	if a.Period == 0 {
		return x
	}
	return normal.Wrap(x, a.Min, a.Min+a.length())
}

// holds reports whether x is a value on the axis.
func (a *Axis) holds(x float64) bool {
	return x >= a.Min && x <= a.Max && (!a.Whole() || x == math.Trunc(x))
}

// Whole reports whether the axis has whole numbers only.
func (a Axis) Whole() bool { return a.Discrete || a.Labels != nil }

// length returns what Period is on an axis that has one.
func (a Axis) length() float64 {
	if a.Whole() {
		return a.Max - a.Min + 1
	}
	return a.Max - a.Min
}

// Action is an element of a model's action set or, with a Box, a part of it. Different ones are
// infinitely far apart. It is named by its id: its index in Spec.Actions or, with a Box, what ActionID
// makes of the index and a control. All that takes an action takes ids.
type Action struct {
	Name string
	// Box has one to three axes if a control u is chosen with the action, such as a
	// torque or a heading: a point in [Min, Max] of each. nil is an action without a control.
	Box []Axis
}

// Actions makes the actions of a finite set from their names.
func Actions(names ...string) []Action {
	as := make([]Action, len(names))
	for i, n := range names {
		as[i].Name = n
	}
	return as
}

// MetricUnit returns the length that counts as 1 in the metric with α = 1.
func (a Axis) MetricUnit() float64 {
	if a.Scale == 0 {
		return 1
	}
	return a.Scale
}

// VMax returns an upper bound of every value: RewardMax, or 0 if that is more, earned at every step; 0 or +∞ with a Goal.
func (s Spec) VMax() float64 { return s.earned(max(s.RewardMax, 0)) }

// VMin returns a lower bound of every value: RewardMin, or 0 if that is less, earned at every step; 0 or −∞ with a Goal.
func (s Spec) VMin() float64 { return s.earned(min(s.RewardMin, 0)) }

// earned returns the value of a reward earned at every step.
func (s Spec) earned(reward float64) float64 {
	if reward == 0 {
		return 0
	}
	return reward * s.EffectiveHorizon()
}

// EffectiveHorizon is Σ γ^t over the steps of an episode, +∞ with a Goal.
func (s Spec) EffectiveHorizon() float64 {
	switch {
	case s.Goal:
		return math.Inf(1)
	case s.Discount == 1:
		return float64(s.Horizon)
	case s.Horizon > 0:
		return (1 - math.Pow(s.Discount, float64(s.Horizon))) / (1 - s.Discount)
	}
	return 1 / (1 - s.Discount)
}

// Rate returns a lower bound of 1/Σ γ^t over the steps of an episode: 1−γ, or for γ = 1 the reciprocal
// of the horizon, or 0 with a Goal. An error made at every step is divided by it.
func (s Spec) Rate() float64 {
	if s.Discount == 1 && !s.Goal {
		return 1 / float64(s.Horizon)
	}
	return 1 - s.Discount
}

// DefaultHorizon returns the model's own horizon or, without one, the first T with γ^T/(1−γ) ≤ 10⁻⁴, after which an
// expected return changes by less than 10⁻⁴ of the largest reward; for γ = 1, 10,000 with a Goal, and 0 without.
func (s Spec) DefaultHorizon() int {
	const negligible, goal = 1e-4, 10_000
	switch {
	case s.Horizon > 0:
		return s.Horizon
	case s.Goal:
		return goal
	case s.Discount >= 1:
		return 0
	}
	return int(math.Ceil(math.Log(negligible*(1-s.Discount)) / math.Log(s.Discount)))
}

// PaperHorizon returns the model's own horizon or, without one, T = ⌈log(R/ε)/(1−γ)⌉ of the paper's
// supplement (Lemma 2 of Kearns and Singh 2002), at least 1, after which a policy's value is within
// ε/(1−γ) of its value without a horizon; R is the range of rewards.
func (s Spec) PaperHorizon(epsilon float64) int {
	if s.Horizon > 0 {
		return s.Horizon
	}
	return max(1, int(math.Ceil(math.Log(max((s.RewardMax-s.RewardMin)/epsilon, 1))/(1-s.Discount))))
}

// ActionIndex returns the id of the named action, or -1.
func (s Spec) ActionIndex(name string) int {
	return slices.IndexFunc(s.Actions, func(a Action) bool { return a.Name == name })
}

// LatentIndex returns the id of the named latent, or -1.
func (s Spec) LatentIndex(name string) int { return slices.Index(s.Latents, name) }

// in is what errors about the model belong to.
func (s *Spec) in() In { return In("model " + strconv.Quote(s.Name)) }

// Validate returns an *InputError unless s is complete and consistent.
func (s Spec) Validate() error {
	in := s.in()
	if err := cmp.Or(
		in.Need(s.Name != "", "Spec.Name", `""`, "a name"),
		in.Need(len(s.Axes) != 0, "Spec.Axes", "none", "at least one axis (a model without a state has one axis of one value)"),
		in.Need(len(s.Actions) != 0, "Spec.Actions", "none", "at least one action"),
		in.Need(len(s.Latents) != 0, "Spec.Latents", "none", "at least one latent"),
		in.Need(s.Horizon >= 0 && s.Horizon <= num.MaxHorizon, "Spec.Horizon", s.Horizon, fmt.Sprintf("0 (no horizon) or a positive number of steps up to %d", num.MaxHorizon)),
		in.Need(!s.Goal || s.Discount == 1 && s.Horizon == 0, "Spec.Goal", fmt.Sprintf("true beside Discount %v and Horizon %d", s.Discount, s.Horizon), "a Discount of 1 and no Horizon, or false"),
		in.Need(s.Discount != 1 || s.Horizon != 0 || s.Goal, "Spec.Discount", s.Discount, "a value in (0, 1), or a Horizon beside it: without either, values are infinite, unless episodes end by themselves (Goal)"),
		in.Need(s.Discount > 0 && s.Discount <= 1, "Spec.Discount", s.Discount, "a value in (0, 1)"),
		in.Need(num.Finite(s.RewardMin) && num.Finite(s.RewardMax) && s.RewardMin <= s.RewardMax, "Spec.RewardMin, RewardMax", fmt.Sprintf("%v, %v", s.RewardMin, s.RewardMax), "two finite numbers, the lower one first"),
		in.Need((s.VMax()-s.VMin() <= num.MaxValue || s.Goal) && s.RewardMax-s.RewardMin <= num.MaxValue, "Spec.RewardMin, RewardMax", fmt.Sprintf("%v, %v", s.RewardMin, s.RewardMax),
			fmt.Sprintf("rewards whose sums over an episode differ by at most %g", num.MaxValue)),
		in.Need(!hasControl(s.Name), "Spec.Name", strconv.Quote(s.Name), noControl)); err != nil {
		return err
	}
	for i, a := range s.Axes {
		if err := a.check(s.in(), fmt.Sprintf("Spec.Axes[%d]", i)); err != nil {
			return err
		}
	}
	if err := s.checkBoxes(); err != nil {
		return err
	}
	for _, a := range s.Axes {
		if i := slices.IndexFunc(a.Labels, hasControl); i >= 0 {
			return in.Bad(fmt.Sprintf("Labels[%d] of axis %s", i, strconv.Quote(a.Name)), strconv.Quote(a.Labels[i]), noControl)
		}
	}
	actions := make([]string, len(s.Actions))
	for i, a := range s.Actions {
		actions[i] = a.Name
	}
	for _, list := range []struct {
		field, of, each string
		names           []string
	}{{"Spec.Latents", "", "latent", s.Latents}, {"Spec.Actions", ".Name", "action", actions}} {
		if i := slices.IndexFunc(list.names, hasControl); i >= 0 {
			return in.Bad(fmt.Sprintf("%s[%d]%s", list.field, i, list.of), strconv.Quote(list.names[i]), noControl)
		}
		if name, ok := repeated(list.names); ok {
			return in.Bad(list.field, strconv.Quote(name)+" twice", "a name of its own for each "+list.each)
		}
	}
	return nil
}

// check checks what holds of an axis of states and of one of a Box in a model; where names it. It makes the texts of an error where there is one alone: models are validated often.
func (a *Axis) check(in In, where string) error {
	switch {
	case a.Name == "":
		return in.Bad(where+".Name", `""`, "a name")
	case hasControl(a.Name) || hasControl(a.Unit):
		return in.Bad("Name, Unit of "+where, strconv.Quote(a.Name)+", "+strconv.Quote(a.Unit), noControl)
	case !num.Finite(a.Min) || !num.Finite(a.Max) || a.Min > a.Max:
		return in.Bad("Min, Max of axis "+strconv.Quote(a.Name), fmt.Sprintf("%v, %v", a.Min, a.Max), "two finite numbers, the lower one first")
	case math.IsNaN(a.Scale) || a.Scale < 0:
		return in.Bad("Scale of axis "+strconv.Quote(a.Name), a.Scale, "a positive length, 0 for the default 1, or +Inf to leave the axis out of the metric")
	case a.Period != 0 && !(a.Period > 0 && math.Abs(a.Period-a.length()) <= 1e-9*a.length()):
		return in.Bad("Period of axis "+strconv.Quote(a.Name), a.Period, fmt.Sprintf("%v, the length of the axis, or 0 where its ends are not the same", a.length()))
	case a.Labels != nil && len(a.Labels) != int(a.Max-a.Min)+1:
		return in.Bad("Labels of axis "+strconv.Quote(a.Name), len(a.Labels), fmt.Sprintf("one label for each value from %v to %v", a.Min, a.Max))
	}
	return nil
}

// repeated returns the first name that stands in names a second time.
func repeated(names []string) (string, bool) {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if seen[n] {
			return n, true
		}
		seen[n] = true
	}
	return "", false
}

// noControl is what is right in place of a name that hasControl.
const noControl = "a name without control characters, such as line ends"

func hasControl(name string) bool { return strings.ContainsFunc(name, unicode.IsControl) }

// Validate checks what can be checked of a model without stepping it: its Spec, its own parameters
// where it is a Validator, and its prior. Package check goes further.
func Validate(m Model) error {
	if m == nil {
		return In("Validate").Bad("the model", "nil", "a model")
	}
	spec := m.Spec()
	if v, ok := m.(Validator); ok {
		if err := v.Validate(); err != nil {
			return err
		}
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	b := make(Belief, len(spec.Latents))
	m.Prior(b)
	if err := b.Validate(); err != nil {
		return fmt.Errorf("prior of model %s: %w", strconv.Quote(spec.Name), err)
	}
	return hidesEnd(m, b)
}

// hidesEnd returns a *ConformanceError where a short look finds that whether the episode ends tells of the latent what the next
// state does not. A model that Derive has made is looked at once.
func hidesEnd(m Model, prior Belief) error {
	if d := asDerived(m); d != nil {
		d.tried.Do(func() { d.fault = findHiddenEnd(m, prior) })
		return d.fault
	}
	return findHiddenEnd(m, prior)
}

func findHiddenEnd(m Model, prior Belief) error {
	if e, ok := m.(interface{ ShowsEnds() bool }); len(prior) < 2 || ok && e.ShowsEnds() {
		return nil
	}
	w, spec := AbilitiesOf(m).Ends(), m.Spec()
	if c, _ := ends.Find(w, ends.Short); c != nil {
		return spec.Fault(c.State, c.Action, -1, "%s", c.Text(spec.Latents))
	}
	if c := ends.FindStart(w, 0, ends.Short); c != nil {
		return spec.Fault(nil, -1, -1, "%s", c.Text(spec.Latents, spec.Axes[c.Axis].Name))
	}
	return nil
}

// Ends returns the model as package internal/ends plays it.
func (a Abilities) Ends() *ends.PlayedModel {
	prior := make(Belief, len(a.Spec.Latents))
	a.Prior(prior)
	w := &ends.PlayedModel{Prior: prior, Axes: len(a.Spec.Axes), Horizon: a.Spec.Horizon, Action: a.Spec.DrawAction, Start: a.Start, Mover: a.Mover(),
		Continuous: slices.ContainsFunc(a.Spec.Axes, func(x Axis) bool { return !x.Whole() }),
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) (done, ok bool) {
			out := a.Step(next, s, latent, action, rng)
			return out.Done, a.Spec.CheckOutcome(out, next, s, action, latent) == nil
		},
		StartLog: a.StartLogLikelihood, Log: a.LogLikelihood}
	if a.Spec.Estimated != "" {
		w.Log = nil
	}
	return w
}
