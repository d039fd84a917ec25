package choose

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// Recommendation is a solver for a model, and why that one.
type Recommendation struct {
	Model  string
	Solver bcpace.Solver
	Why    string
	// Earned is what simple policies earn, with QMDP and the informed policy if the model
	// lists what follows a state; nil if nothing was played.
	Earned []eval.Score
	// Reasons are those of the parameters that are suggested for Algorithm 1, be it the
	// solver or not.
	Reasons []SettingReason
}

const (
	// alike is the number of standard errors within which two policies earn the same.
	alike = 3
	// worthless is the share of what is to be gained that is not worth another solver, and
	// doubtful what it may be beside the noise of a look.
	worthless = 0.01
	doubtful  = 0.05
)

// Recommend takes a look at a model and says which solver to take:
//
//   - qmdp, if it earns what the informed policy does, which no policy exceeds (on a grid
//     that is an estimate), but for a hundredth of what is to be gained, and a grid is between
//     four axes at most;
//   - sarsop, if the model has a Spec.Goal, or if it is Finite and has more than ManyLatents latents;
//   - policy-search, if a grid would be between more than four axes;
//   - certified, if the model lists what follows a state, and the tables have room;
//   - lookahead, if they have none and the model bounds its own values (ValueBounds);
//   - Algorithm 1 otherwise, with the parameters of Suggest.
//
// It solves the latent MDPs for that, unless their tables have no room. The error is that
// of Suggest, or an *bcpace.UnsupportedError for a Spec.Goal of a model without numbered states.
func Recommend(ctx context.Context, m bcpace.Model) (*Recommendation, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	r := &Recommendation{Model: m.Spec().Name}
	if m.Spec().Goal {
		r.Solver, r.Why = solvers.TunedSARSOP(m), "the model has neither a discount nor a horizon, which no other solver does without"
		return r, refused(m, r.Solver)
	}
	if _, ok := m.(bcpace.Enumerator); !ok {
		return r.sampled(ctx, m, "it lists no successors, so that only samples of its steps tell what follows")
	}
	f, err := Foresee(ctx, m, certified.Solver{Epsilon: 1})
	if unsupported := (*bcpace.UnsupportedError)(nil); errors.As(err, &unsupported) {
		return r.sampled(ctx, m, "certified needs "+unsupported.Need)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range f.Warnings {
		if w.Kind == TooMuchMemory {
			return r.untabled(ctx, m, w.What)
		}
	}
	x, err := Take(ctx, m)
	if err != nil {
		return nil, err
	}
	r.Earned = x.Earned
	if r.Solver, r.Why, err = singled(x, f.SetUp.Axes); err != nil {
		return nil, err
	}
	switch {
	case f.SetUp.Axes > actAxes:
		r.Solver = policysearch.Solver{}
		r.Why = fmt.Sprintf("a grid between %d axes tells little of the values, and a search among policies needs none; or take certified, and give %s", f.SetUp.Axes, ownController)
	case f.SetUp.Axes > coarseAxes:
		r.Why += fmt.Sprintf("; a grid between %d axes is coarse, and policy-search needs none: without a named solver both are tried", f.SetUp.Axes)
	}
	if x.Model.Spec().Discount < 1 { // as Algorithm 1 needs
		s, err := x.Suggest(ctx)
		if err != nil {
			return nil, err
		}
		r.Reasons = s.Reasons
	}
	return r, nil
}

// untabled recommends a search at every decision where the model has the bounds for one, and
// else Algorithm 1. why says that tables have no room.
func (r *Recommendation) untabled(ctx context.Context, m bcpace.Model, why string) (*Recommendation, error) {
	s := lookahead.Solver{}
	if tabulates(bcpace.KeepHorizon(m), s) || solverkit.NeedActionList(m.Spec(), s.Name()) != nil {
		return r.sampled(ctx, m, why+", so that values start from the range of rewards")
	}
	r, err := r.sampled(ctx, m, why+"; a search at every decision needs none, as the model bounds its own values")
	if err == nil {
		r.Solver = s
	}
	return r, err
}

// sampled recommends Algorithm 1, without latent values; and policy search where its forecast warns of Algorithm 1, or
// the discount is 1, which Algorithm 1 does not take.
func (r *Recommendation) sampled(ctx context.Context, m bcpace.Model, why string) (*Recommendation, error) {
	x, err := Glance(ctx, m)
	if err != nil {
		return nil, err
	}
	r.Solver, r.Why, r.Earned = policysearch.Solver{}, why+"; and a search among policies takes a discount of 1", x.Earned
	if m.Spec().Discount == 1 {
		return r, nil
	}
	s, err := x.Suggest(ctx)
	if err != nil {
		return nil, err
	}
	f, err := Foresee(ctx, m, s.Options)
	if err != nil {
		return nil, err
	}
	if len(f.Warnings) > 0 {
		r.Why = fmt.Sprintf("%s; and a search among policies needs no cover of the places, for which Algorithm 1 has too much to do (%s)", why, f.Warnings[0].Kind)
		return r, nil
	}
	r.Solver, r.Why, r.Reasons = s.Options, why, s.Reasons
	return r, nil
}

// singled singles a solver out for a model that lists what follows a state, with a grid between so many
// axes.
func singled(x *Look, axes int) (s bcpace.Solver, why string, err error) {
	_, own, informed := x.scores()
	d, err := eval.Difference(informed.Result, own.Result)
	if err != nil {
		return nil, "", err
	}
	both := fmt.Sprintf("in %d episodes QMDP earns %s and the informed policy %s", own.Episodes, mean(own), mean(informed))
	gain, _ := x.Gain()
	spec := x.Model.Spec()
	if axes <= actAxes && d.Mean <= worthless*gain && d.Mean+alike*d.StdErr <= doubtful*gain {
		exceeds := "which no policy exceeds"
		if _, grid := x.Latent.(*dp.GridValues); grid {
			exceeds += ", as far as its grid goes"
		}
		return qmdp.Solver{}, fmt.Sprintf("%s, %s: stop here", both, exceeds), nil
	}
	left := both + ": what lies between may be worth learning"
	k, least := kindOf(x.Model, false), worthless*gain/10
	switch {
	case k.manyLatents():
		s := solvers.TunedSARSOP(x.Model)
		s.Epsilon = max(s.Epsilon, least)
		return s, fmt.Sprintf("%s; with %d latents, more than %d, its bounds close faster than those of certified", left, len(spec.Latents), ManyLatents), nil
	case k.finite:
		s := solvers.TunedCertified(x.Model)
		s.Epsilon = max(s.Epsilon, least)
		return s, left + "; states are numbered, so that its bounds are proved", nil
	}
	return certified.Solver{Epsilon: worthless * gain, MaxSamples: solvers.ContinuousSamples}, left + "; its bounds are simulated below, and assumed above", nil
}

// mean writes a mean return with its 95 % interval: few episodes tell it poorly, and that of a
// good policy may lie above the optimum.
func mean(e eval.Score) string {
	return fmt.Sprintf("%.4g (95%%: %.4g to %.4g)", e.Mean, e.CI95[0], e.CI95[1])
}

// String writes the recommendation in lines, as nb.Show shows it.
func (r *Recommendation) String() string {
	b := listing{width: 16}
	b.line("solver", "%s for %s", r.Solver.Name(), r.Model)
	if r.Why != "" {
		b.line("why", "%s", r.Why)
	}
	for _, e := range r.Earned {
		name := e.Name
		if by := e.CI95By.Remark(); by != "" {
			name += ", " + by
		}
		b.line("earned", "%s %s", eval.Interval{Mean: e.Mean, Lo: e.CI95[0], Hi: e.CI95[1]}.Text(2), name)
	}
	if len(r.Earned) > 0 {
		if e := r.Earned[0]; e.Cut > 0 && e.Truncation > 2*e.StdErr { // "random"
			b.line("", "in episodes of %d steps at most: what comes later is worth up to %.3g, either way", e.Horizon, e.Truncation)
		}
	}
	if len(r.Reasons) > 0 {
		b.line("for Algorithm 1", "%s", "")
	}
	for _, x := range r.Reasons {
		b.line("  "+x.Parameter, "%s: %s", x.Value, x.Why)
	}
	return strings.TrimRight(b.String(), "\n")
}
