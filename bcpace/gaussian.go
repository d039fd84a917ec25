package bcpace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/num"
)

// Gaussian is a model of continuous states whose next state is a function of state, latent and
// action, with independent normal noise on each axis. FromGaussian makes a Model of it. Its
// functions must be safe for concurrent use, and must not keep the slices they are given.
//
// What would come to lie beyond an axis stops at its end; on an axis with a Period it goes
// on at the other one. An axis of standard deviation 0 has no noise: where the means of two latents
// differ on it, one step tells them apart. Several axes may share one noise; see After.
type Gaussian struct {
	Spec   Spec
	Prior  Belief      // P0(φ); nil is uniform
	Starts [][]float64 // equally likely; nil is the lowest value of every axis

	// Mean sets every entry of mean to that of the next state, before it is brought onto
	// the axes. It may leave those that After sets.
	Mean func(mean, s []float64, latent, action int)
	// MeanAt stands in its place where an action has a Box: action is its index in
	// Spec.Actions, and u its control, nil for an action without one, here and below.
	MeanAt func(mean, s []float64, latent, action int, u []float64)
	// Sigma has a standard deviation for each axis, in its unit: 0, or at least a
	// billionth of the largest number on the axis and, where the axis has a Period, at
	// most an eighth of that. It is 0 on a Discrete axis.
	Sigma []float64
	// SigmaAt, if set, changes the standard deviations with the step: sigma comes with those of
	// Sigma, and what SigmaAt leaves stays. An axis has noise always or never: an entry of 0 stays 0,
	// and another one keeps within the limits of Sigma, or is a *ConformanceError.
	SigmaAt func(sigma, s []float64, latent, action int, u []float64)
	// After, if set, sets entries of axes without noise that follow from those with noise, which
	// have been drawn and brought onto their axes: x' = x + v' is next[0] = s[0] + next[1]. Other
	// entries without noise are those of Mean. All are brought onto their axes. It must not write
	// to entries of axes with noise.
	//
	// After does not see the latent, so that what it sets tells no more of it than the noise does:
	// what depends on the latent belongs to the means of axes with noise. So x' = μ + L·n, with a
	// matrix L and independent n, is x' = L·w' for axes w with mean L⁻¹·μ and standard deviation 1.
	// The agent sees w; where nothing else depends on it, its Scale is +Inf.
	After func(next, s []float64, action int, u []float64)
	// Reward returns the reward for arriving at next; RewardAt stands in its place where an action
	// has a Box.
	Reward   func(s []float64, latent, action int, next []float64) float64
	RewardAt func(s []float64, latent, action int, u, next []float64) float64
	// Ends says whether the episode ends on arrival; nil is never. EndsAt stands in its place where
	// that depends on the step too, as where a line is crossed or an action stops.
	Ends   func(next []float64) bool
	EndsAt func(s []float64, action int, u, next []float64) bool

	// Lipschitz states how much Mean and Reward change with state and control, for package lipschitz, and
	// Curve how Mean and SigmaAt bend and what the reward is on average, for package proved. They are nil if that is
	// not known, and beside After or EndsAt; Lipschitz beside SigmaAt too.
	Lipschitz *GaussianLipschitz
	Curve     *GaussianCurve

	// Nodes is the fineness of the quadrature that Successors lists: on no axis does a
	// node have more than 5/4 of 1/Nodes of the probability, under any latent, but for a
	// limit where noise stops. Lists grow with Nodes to the power of the axes with noise.
	// It is from 1 to 64; if it is 0, 5 is used, or 3 where more than two axes have noise.
	Nodes int
}

// check checks what can be seen without calling the functions.
func (g *Gaussian) check() error {
	in := In("Gaussian model " + strconv.Quote(g.Spec.Name))
	if err := g.Spec.Validate(); err != nil {
		return err
	}
	axes, latents, boxed := len(g.Spec.Axes), len(g.Spec.Latents), g.Spec.HasBox()
	if err := cmp.Or(
		in.Need(boxed || g.MeanAt == nil && g.RewardAt == nil, "MeanAt or RewardAt", "set", "nil, as no action has a Box"),
		in.Need(!boxed || g.Mean == nil && g.Reward == nil, "Mean or Reward", "set", "nil, and MeanAt and RewardAt in their place: an action has a Box"),
		in.Need(!boxed || g.MeanAt != nil, "MeanAt", "nil", "a function, as an action has a Box"),
		in.Need(!boxed || g.RewardAt != nil, "RewardAt", "nil", "a function, as an action has a Box"),
		in.Need(boxed || g.Mean != nil, "Mean", "nil", "a function"),
		in.Need(boxed || g.Reward != nil, "Reward", "nil", "a function"),
		in.Need(len(g.Sigma) == axes, "Sigma", fmt.Sprintf("%d long", len(g.Sigma)), fmt.Sprintf("%d, one standard deviation for each axis", axes)),
		in.Need(g.Nodes >= 0 && g.Nodes <= maxNodes, "Nodes", g.Nodes, "a number from 1 to 64, or 0 for the default"),
		in.Need(g.Prior == nil || len(g.Prior) == latents && g.Prior.Validate() == nil, "Prior", []float64(g.Prior), "a probability for each latent, with sum 1"),
		in.Need(g.Starts == nil || len(g.Starts) > 0, "Starts", "empty", "at least one state, or nil for the lowest values"),
		in.Need(g.Ends == nil || g.EndsAt == nil, "Ends and EndsAt", "set", "one of them"),
		in.Need(g.After == nil || slices.Contains(g.Sigma, 0), "After", "set", "nil, as all axes have noise and it may set only entries of others"),
		in.Need(g.Lipschitz == nil || g.SigmaAt == nil && g.After == nil && g.EndsAt == nil, "Lipschitz", "set", "nil beside SigmaAt, After or EndsAt: what it states is of noise that is the same everywhere, on each axis of its own"),
		in.Need(g.Curve == nil || g.After == nil && g.EndsAt == nil, "Curve", "set", "nil beside After or EndsAt: what it states is of noise on each axis of its own, and of ends where a step leads")); err != nil {
		return err
	}
	if g.Curve != nil {
		if err := g.Curve.check(g, in); err != nil {
			return err
		}
	}
	if g.Lipschitz != nil {
		if err := g.Lipschitz.check(axes, in); err != nil {
			return err
		}
	}
	for i, a := range g.Spec.Axes {
		if want := a.wantSigma(g.Sigma[i]); want != "" {
			return in.Bad("Sigma of axis "+strconv.Quote(a.Name), g.Sigma[i], want)
		}
	}
	for i, s := range g.Starts {
		if len(s) != axes {
			return in.Bad(fmt.Sprintf("Starts[%d]", i), fmt.Sprintf("%d long", len(s)), fmt.Sprintf("%d, one entry for each axis", axes))
		}
		if off, want := g.Spec.OffAxes(s); off != "" {
			return in.Bad(fmt.Sprintf("Starts[%d]", i), fmt.Sprintf("%v, a state %s", s, off), want)
		}
		for _, before := range g.Starts[:i] {
			if slices.Equal(s, before) {
				return in.Bad(fmt.Sprintf("Starts[%d]", i), s, "a state that is not there yet")
			}
		}
	}
	return nil
}

// wantSigma says what would be right where σ cannot be the standard deviation of noise on the
// axis; "" where it can.
func (a *Axis) wantSigma(σ float64) string {
	least := 1e-9 * max(math.Abs(a.Min), math.Abs(a.Max))
	switch {
	case !(σ >= 0) || math.IsInf(σ, 1):
		return "0 or a positive number"
	case σ > 0 && a.length() == 0:
		return "0, as the axis has one value"
	case σ > 0 && a.Whole():
		return "0, as the axis is of whole numbers"
	case σ > 0 && σ < least:
		return fmt.Sprintf("0, or at least %v: less than that is rounding", least)
	case a.Period > 0 && σ > a.Period/8:
		return fmt.Sprintf("at most %v, an eighth of its Period: five nodes stand for no more", a.Period/8)
	}
	return ""
}

// try calls the functions at the start states.
func (m *gaussianModel) try() error {
	t := &gaussianTrial{m: m, x: m.pool.Get().(*gaussianScratch)}
	defer m.pool.Put(t.x)
	for _, s := range m.g.Starts {
		for _, a := range m.g.Spec.CornerActions() {
			for φ := range m.g.Spec.Latents {
				t.start, t.s, t.latent, t.action = s, slices.Clone(s), φ, a
				for _, call := range []func(){t.mean, t.sigma, t.after, t.rest} {
					if call(); t.err != nil {
						return t.err
					}
				}
			}
		}
	}
	return nil
}

// gaussianTrial calls the functions of a model at a state, under a latent and for an action.
type gaussianTrial struct {
	m              *gaussianModel
	x              *gaussianScratch
	start, s       []float64 // s is given to the functions, and must stay as start is
	latent, action int
	err            error // the first
}

func (t *gaussianTrial) in() In { return In(t.m.g.Spec.where(t.start, t.latent, t.action)) }

func (t *gaussianTrial) bad(what string, got any, want string) {
	if t.err == nil {
		t.err = t.in().Bad(what, got, want)
	}
}

// call calls a function of that name. It reports false, with the error, where that panics or writes to s.
func (t *gaussianTrial) call(name, want, to string, f func()) bool {
	if p := panicOf(f); p != nil {
		t.err = t.in().panicked("the result of "+name, p, want)
	} else if !slices.Equal(t.start, t.s) {
		t.bad(name, "a function that writes to s", "one that writes to "+to+" alone")
	}
	return t.err == nil
}

// mean sets t.x.next to the mean.
func (t *gaussianTrial) mean() {
	m, mean := t.m, t.x.next
	for i := range mean {
		mean[i] = math.NaN()
	}
	if !t.call("Mean", "a mean for every state, latent and action", "mean", func() { m.g.Mean(mean, t.s, t.latent, t.action) }) {
		return
	}
	for i, x := range mean {
		if left := m.g.After != nil && m.noise[i].Sigma == 0 && math.IsNaN(x); !num.Finite(x) && !left {
			t.bad("the mean of "+strconv.Quote(m.g.Spec.Axes[i].Name), x, "a finite number: Mean sets every entry")
		}
		mean[i] = m.noise[i].Onto(x)
	}
}

func (t *gaussianTrial) sigma() {
	i, want := 0, ""
	if t.m.g.SigmaAt == nil || !t.call("SigmaAt", "a standard deviation for each axis", "sigma", func() { i, want = t.m.noiseAt(t.x, t.s, t.latent, t.action) }) {
		return
	}
	if want != "" {
		t.bad("the standard deviation of "+strconv.Quote(t.m.g.Spec.Axes[i].Name)+" by SigmaAt", t.x.sigma[i], want)
	}
}

// after has After change the mean in t.x.next.
func (t *gaussianTrial) after() {
	m, next, drawn := t.m, t.x.next, slices.Clone(t.x.next)
	if m.g.After == nil ||
		!t.call("After", "the entries that follow from others, for every state and action", "next", func() { m.derive(next, t.s, t.action) }) {
		return
	}
	for i, x := range next {
		name := strconv.Quote(m.g.Spec.Axes[i].Name)
		switch {
		case m.noise[i].Sigma > 0 && x != drawn[i]:
			t.bad("After", "a function that writes to the entry of "+name+", which has noise", "one that writes to entries without noise alone")
		case !num.Finite(x):
			t.bad("the entry of "+name+" behind After", x, "a finite number: Mean or After sets every entry")
		}
	}
}

// rest calls Reward and what says where episodes end, for arriving at t.x.next.
func (t *gaussianTrial) rest() {
	m, spec, next, r := t.m, &t.m.g.Spec, t.x.next, 0.0
	ok := t.call("Reward or Ends", "one for every state on the axes", "nothing", func() {
		r = m.g.Reward(t.s, t.latent, t.action, next)
		m.ends(t.s, t.action, next)
	})
	if ok && !spec.AllowsReward(r) {
		t.bad("the reward for reaching "+fmt.Sprint(next), r, fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]", spec.RewardMin, spec.RewardMax))
	}
}

// panicOf calls f and returns what it panicked with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
