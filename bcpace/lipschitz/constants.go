package lipschitz

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/solverkit"
)

// Options of FromModel. Every zero value is useful.
type Options struct {
	// Alpha is α > 0, the weight of the state's distance in Paper.LQ. If it is 0,
	// 1 is used, as in cpace.Solver.
	Alpha float64
	// MaxStates is the most states of a Finite model of which all pairs are
	// compared; a larger one is sampled like a continuous one. If it is 0, 4,000
	// is used.
	MaxStates int

	// The rest is for models that are sampled.

	// Pairs is the number of pairs of states drawn. If it is 0, 2,000 is used.
	Pairs int
	// Draws is the number of transitions drawn from each state of a pair. If it
	// is 0, 256 is used.
	Draws int
	// Refine is the number of steps of the local search that starts from the
	// worst pair of each action, for R and for P. If it is 0, 200 is used; if it
	// is negative, there is none.
	Refine int
	// Steps is the most random actions taken to reach a state of a pair. If it is
	// 0, the model's horizon or, without one, 50 is used.
	Steps int
	// Seed makes the sample: the same seed gives the same constants.
	Seed uint64
}

// Constants are the Lipschitz constants of a model. All are in reward units per
// unit of distance but for L_P, which is per unit of distance alone.
type Constants struct {
	Model string
	// R and P are L_R and L_P of Assumption 3.1, with the pairs that attain them. Where an
	// action has a Box, they are constants over states and controls jointly.
	R, P Constant
	// ControlR and ControlP are those of pairs that differ in the control alone, 0 without
	// a Box: they say how finely controls need be tried.
	ControlR, ControlP Constant
	// Stated are the constants that the model states (bcpace.Lipschitz); nil if it
	// states none. R and P are these then where they are finite, and Worst is the steepest
	// pair that was found.
	Stated *bcpace.Lipschitz
	// Estimated says that R or P, and what is computed from them, come from a
	// sample: they are lower estimates of the true constants. Method says how R
	// and P were found, in one sentence.
	Estimated bool
	Method    string
	Paper     Paper
	Tight     Tight

	spec bcpace.Spec
}

// Constant is a Lipschitz constant of R or P.
type Constant struct {
	Value float64
	// StdErr is the standard error of Value as a mean of draws at the witness; 0
	// where Value is exact.
	StdErr float64
	// Worst is the pair that attains it, or for a constant that the model states the
	// steepest one found. If the function is constant, it is the zero Witness.
	Worst Witness
	// ByAction has the same for each action.
	ByAction []Constant
}

// Paper are the constants of the paper's supplement. See the package comment for
// their meaning and for rewards that are negative.
type Paper struct {
	LR, LP float64
	// RMax is the range of rewards with 0, R̄, and VMax is R̄/(1−γ).
	RMax, VMax float64
	// LQB = (RMax + γVMax)/(1−γ) is the constant in the belief at a fixed (s, a).
	LQB float64
	// LS = L_R + γ·VMax·L_P and LB = RMax + γ(2−γ)/(1−γ)·VMax are the two parts of
	// LQ = max(LS/Alpha, LB).
	LS, LB, LQ float64
	// Alpha is the one given, and BestAlpha = LS/LB the least one at which LQ is LB.
	Alpha, BestAlpha float64
}

// NewPaper computes the paper's constants for discount γ, rewards in [0, rMax], L_R,
// L_P and α > 0. For γ = 1 they are infinite.
func NewPaper(discount, rMax, lr, lp, alpha float64) Paper {
	p := Paper{LR: lr, LP: lp, RMax: rMax, Alpha: alpha}
	if rMax > 0 { // and not 0·∞ for γ = 1
		p.VMax = rMax / (1 - discount)
		p.LQB = (rMax + discount*p.VMax) / (1 - discount)
		p.LB = rMax + discount*(2-discount)/(1-discount)*p.VMax
	}
	p.LS = lr + discount*times(p.VMax, lp)
	p.LQ = max(p.LS/alpha, p.LB)
	p.BestAlpha = ratio(p.LS, p.LB)
	return p
}

// Tight are constants that need no Assumption 3.2. See the package comment for
// their derivation.
type Tight struct {
	// VMin and VMax bound the values of all policies at all states and latents,
	// and contain 0 if an episode may end. DeltaV is VMax − VMin.
	VMin, VMax, DeltaV float64
	// DeltaQ is the widest range of latent values at one state and action.
	DeltaQ float64
	// Source says where the bounds of values come from.
	Source string
	// LB = ½ΔQ is the constant in the belief, LS = L_R + ½γΔV·L_P that in the state.
	LB, LS float64
	// LD = ½γΔV·L_P is the constant in the state of the shortfall of Q*(s,b,a) from
	// Σ_φ b(φ)·Q(s,φ,a), on which the bounds of a certified search rest: its LipState.
	LD float64
	// ControlLS is the part of LS that pairs have which differ in the control alone; 0
	// without a Box.
	ControlLS float64
	// Alpha is α* = LS/LB, for which LQ = LB: the settings of cpace.Solver that
	// suit the model best. α* is 0, which Options takes as 1, where the state makes
	// no difference; it is infinite where LS is, and no α helps.
	Alpha, LQ float64
	// LBByAction and LSByAction have L_B(a) and L_S(a) for each action.
	LBByAction, LSByAction []float64
}

// QWith returns L_Q = max(LS/α, LB), the constant in the paper's metric with
// weight alpha > 0.
func (t Tight) QWith(alpha float64) float64 { return max(t.LS/alpha, t.LB) }

// Table returns the constants beside each other: what, the paper's and ours.
func (c Constants) Table() (header []string, rows [][]any) {
	p, t := c.Paper, c.Tight
	rows = [][]any{
		{"L_R", p.LR, c.R.Value},
		{"L_P", p.LP, c.P.Value},
		{"range of values", p.VMax, t.DeltaV},
		{"in the state, L_S", p.LS, t.LS},
		{"in the belief, L_B", p.LB, t.LB},
		{"best α = L_S/L_B", p.BestAlpha, t.Alpha},
		{"L_Q at the best α", p.LB, t.LQ},
		{fmt.Sprintf("L_Q at α = %.4g", p.Alpha), p.LQ, t.QWith(p.Alpha)},
	}
	if c.spec.HasBox() {
		rows[3][0] = "in state and control, L_S"
		lr, lp := c.ControlR.Value, c.ControlP.Value
		rows = slices.Insert(rows, 4, []any{"in the control alone", lr + c.spec.Discount*times(p.VMax, lp), t.ControlLS})
	}
	return []string{"constant", "paper", "tight"}, rows
}

// String returns the table as text, with the methods below it.
func (c Constants) String() string {
	var b strings.Builder
	header, rows := c.Table()
	fmt.Fprintf(&b, "%s\n%-20s %12s %12s\n", c.Model, header[0], header[1], header[2])
	for _, r := range rows {
		fmt.Fprintf(&b, "%-20s %12.6g %12.6g\n", r...)
	}
	fmt.Fprintf(&b, "L_R, L_P: %s\nvalues: %s\n", c.Method, c.Tight.Source)
	return b.String()
}

// FromModel computes the constants of m.
//
// Of a Finite model of up to MaxStates states all pairs are compared, and L_R and
// L_P are exact: the maxima over all pairs of states, actions and latents. Two
// states at distance 0 whose rewards or transitions differ make the constant
// +Inf, and are its witness: an axis of infinite Scale that matters after all.
// States that are only entered as an episode ends, and latents under which
// nothing follows a state, are left out: no query is ever made there.
//
// Of any other model pairs are sampled, and Estimated is set unless the model states its
// constants. One state is reached by random actions. The other differs from it on the axes of finite
// Scale, on one of them or on all, by 2⁰ to 2⁻¹² units of the metric (whole
// numbers on a discrete axis), clipped to the axes; or is another that was
// reached so; or differs on axes of infinite Scale only, by values taken from
// another state, to find out whether they matter. The model must accept such
// states. Then
//   - |R1−R2| is the mean difference of the rewards of Draws steps from both states
//     with the same random numbers;
//   - Σ|P1−P2| is the mean of |p1−p2|/(p1+p2) over Draws steps from either state,
//     added up: E over s'~P1 plus E over s'~P2, p being the likelihoods. The
//     model's LogLikelihood may leave out only terms common to all states.
//
// For each action the pair of the largest ratio, less three standard errors, is
// improved by a random local search, and the ratio at the pair that remains is
// estimated again by 64 × Draws fresh draws; the largest of these over the actions
// is Value, which leans upwards by about a StdErr where actions are alike. It is
// claimed that the ratio at the witness is Value within a few StdErr, and so that
// the true constant is hardly smaller. Nothing says that it
// is no larger: a steep place that the sample missed, or one steeper than the
// draws can resolve, is not seen. Successors of a model that is not Finite are not
// used, being a quadrature, whose atoms tell nothing of a distance.
//
// Of actions with a Box, the controls count as axes of the state, with their Scale: pairs
// differ in state and control, and once more, for ControlR and ControlP, in the control
// alone.
//
// Values: where all states are compared and γ < 1 and there is no horizon, up is
// from dp.SolveFIB and lo from dp.SolveWorst. For a static latent these are
// the values of the best and the worst policy that sees it. Otherwise they follow
// from the range of rewards.
//
// The error is an *bcpace.InputError for a model or options that cannot be used,
// or for a constant that the model states and a pair refutes, with the pair,
// a *bcpace.ConformanceError for successors that are not a distribution, a
// *bcpace.UnsupportedError for likelihoods that leave out terms which depend on
// the state, or the context's.
func FromModel(ctx context.Context, m bcpace.Model, o Options) (Constants, error) {
	if err := solverkit.CheckDiscount(m, "FromModel"); err != nil {
		return Constants{}, err
	}
	o, err := o.resolve(m)
	if err != nil {
		return Constants{}, err
	}
	spec := m.Spec()
	c := Constants{Model: spec.Name, spec: spec}
	f, finite := bcpace.AsFinite(m)
	if finite && f.NumStates() <= o.MaxStates {
		err = c.fromFinite(ctx, f)
	} else {
		c.Estimated = true
		err = c.fromSample(ctx, m, o)
	}
	if err == nil {
		err = c.readStated(m)
	}
	if err != nil {
		return Constants{}, err
	}
	rMax := max(spec.RewardMax, 0) - min(spec.RewardMin, 0)
	c.Paper = NewPaper(spec.Discount, rMax, c.R.Value, c.P.Value, o.Alpha)
	t := &c.Tight
	t.DeltaV = t.VMax - t.VMin
	for a, lb := range t.LBByAction {
		t.LB = max(t.LB, lb)
		t.LSByAction = append(t.LSByAction, c.R.ByAction[a].Value+spec.Discount/2*times(t.DeltaV, c.P.ByAction[a].Value))
	}
	t.DeltaQ = 2 * t.LB
	t.ControlLS = c.ControlR.Value + spec.Discount/2*times(t.DeltaV, c.ControlP.Value)
	t.LD = spec.Discount / 2 * times(t.DeltaV, c.P.Value)
	t.LS = c.R.Value + t.LD
	t.LQ = t.LB
	t.Alpha = ratio(t.LS, t.LB)
	return c, nil
}

const (
	defaultMaxStates = 4000
	defaultPairs     = 2000
	defaultDraws     = 256
	defaultRefine    = 200
	defaultSteps     = 50
	// minDraws is the least number of draws for which a standard error means
	// anything.
	minDraws = 16
)

// resolve checks o and fills in the defaults.
func (o Options) resolve(m bcpace.Model) (Options, error) {
	need := bcpace.In("options").Need
	if err := cmp.Or(
		need(o.Alpha >= 0 && num.Finite(o.Alpha), "Alpha", o.Alpha, "α > 0, or 0 for 1"),
		need(min(o.MaxStates, o.Pairs, o.Steps) >= 0 && o.Steps <= num.MaxHorizon, "MaxStates, Pairs, Steps", fmt.Sprintf("%d, %d, %d", o.MaxStates, o.Pairs, o.Steps), fmt.Sprintf("positive numbers, of steps up to %d, or 0 for the defaults", num.MaxHorizon)),
		need(o.Draws == 0 || o.Draws >= minDraws, "Draws", o.Draws, fmt.Sprintf("at least %d, or 0 for %d", minDraws, defaultDraws))); err != nil {
		return o, err
	}
	o.MaxStates = cmp.Or(o.MaxStates, defaultMaxStates)
	o.Pairs = cmp.Or(o.Pairs, defaultPairs)
	o.Draws = cmp.Or(o.Draws, defaultDraws)
	o.Refine = cmp.Or(o.Refine, defaultRefine)
	o.Steps = cmp.Or(o.Steps, m.Spec().Horizon, defaultSteps)
	o.Alpha = cmp.Or(o.Alpha, 1)
	return o, nil
}

// times returns x·y for x, y ≥ 0, and 0 where one of them is: an infinite
// constant of something that makes no difference makes none.
func times(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x * y
}

// ratio returns the least α ≥ 0 with x/α ≤ y: x/y, 0 for x = 0, +Inf where there
// is none.
func ratio(x, y float64) float64 {
	switch {
	case x == 0:
		return 0
	case math.IsInf(x, 1):
		return x
	}
	return x / y
}

// statedCaution is how many standard errors a sampled slope must exceed a stated constant by
// before the model is refused. A true statement is refused with a probability below 1e-6 for
// each of the two constants, by the normal distribution.
const statedCaution = 5

// readStated puts the constants that a model states in the place of those that were found,
// which are evidence against a statement. The error is an *InputError with the pair that
// refutes one.
func (c *Constants) readStated(m bcpace.Model) error {
	stated, ok, err := solverkit.LipschitzOf(m)
	if err != nil || !ok {
		return err
	}
	c.Stated = &stated
	found := fmt.Sprintf("the steepest pairs found have %.4g and %.4g (%s)", c.R.Value, c.P.Value, c.Method)
	for _, x := range []struct {
		name   string
		stated float64
		found  *Constant
	}{{"R", stated.R, &c.R}, {"P", stated.P, &c.P}} {
		if math.IsInf(x.stated, 1) {
			continue
		}
		if least := x.found.Value - statedCaution*x.found.StdErr; least > x.stated*(1+1e-9) {
			return bcpace.In("model "+fmt.Sprintf("%q", c.Model)).Bad("Lipschitz()."+x.name, x.stated, fmt.Sprintf("at least %.6g: %s", least, x.found.Worst.Describe(c.spec)))
		}
		x.found.set(x.stated)
	}
	c.Estimated = c.Estimated && (math.IsInf(stated.R, 1) || math.IsInf(stated.P, 1))
	c.Method = "stated by the model; " + found
	return nil
}

// set puts another value in the place of c's, for all actions.
func (c *Constant) set(value float64) {
	c.Value, c.StdErr = value, 0
	for a := range c.ByAction {
		c.ByAction[a].set(value)
	}
}

// Witness is a pair of queries at which a function changes most for their
// distance, with all its numbers, so that anyone can compute them again. What
// does not belong to the function is nil, or -1 for Action and Latent.
type Witness struct {
	// What is compared, such as "|R1−R2|".
	What string
	// S1, S2 and B1, B2 are the states and beliefs of the two queries. Where the
	// states are the same, S2 is nil.
	S1, S2 []float64
	B1, B2 bcpace.Belief
	// Action and Latent are those of both queries. Where the action has a Box, it is the id
	// with the control of the first one, and U2 the control of the second one, nil where it is
	// the same.
	Action, Latent int
	U2             []float64
	// Next is s' of a belief update, and After1, After2 the updated beliefs.
	Next           []float64
	After1, After2 bcpace.Belief

	// Distance is that of the queries, Difference that of the function's values,
	// and Ratio the latter by the former: +Inf where the queries are at distance 0
	// and their values differ.
	Distance, Difference, Ratio float64
}

// Describe returns the witness as one line, with the names of a model's parts.
func (w Witness) Describe(spec bcpace.Spec) string {
	if w.What == "" {
		return "none: the function is constant"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %.4g at distance %.4g (ratio %.4g): ", w.What, w.Difference, w.Distance, w.Ratio)
	pair := func(name string, x, y []float64) {
		switch {
		case x == nil:
		case y == nil:
			fmt.Fprintf(&b, "%s %.4g, ", name, x)
		default:
			fmt.Fprintf(&b, "%s %.4g and %.4g, ", name, x, y)
		}
	}
	pair("state", w.S1, w.S2)
	pair("belief", w.B1, w.B2)
	if w.Action >= 0 {
		fmt.Fprintf(&b, "action %q, ", spec.ActionName(w.Action))
		pair("other control", w.U2, nil)
	}
	if w.Latent >= 0 {
		fmt.Fprintf(&b, "latent %q, ", spec.Latents[w.Latent])
	}
	pair("next state", w.Next, nil)
	pair("beliefs after it", w.After1, w.After2)
	return strings.TrimSuffix(b.String(), ", ")
}
