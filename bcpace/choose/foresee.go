package choose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Forecast is what is to be expected of a solver on a model. Numbers are rough: they are
// counted from a short look, and nothing is solved.
type Forecast struct {
	Model  string
	Solver bcpace.Solver
	// Horizon is the number of steps of an episode, 0 for a solver without episodes.
	Horizon int
	// Radius is the distance within which the samples of Algorithm 1 make a query known,
	// and Spread the mean distance of two visited places in the same metric; both 0 for
	// another solver.
	Radius, Spread float64
	// Samples is how many samples it takes to cover the visited places with that radius,
	// for every action and K neighbours; 0 for another solver. AtLeast says that further
	// visits would ask for more: most of the places are a ball of their own.
	Samples int
	AtLeast bool
	// SetUp is what comes before the first sample or bound.
	SetUp SetUp
	// Warnings say what to change, the worst first.
	Warnings []runs.Warning
}

// SetUp is what it takes to solve the latent MDPs or the first bounds.
type SetUp struct {
	Points  int     // states or grid points; 0 for a solver that begins at once
	Axes    int     // that a grid interpolates on; 0 without a grid
	Entries float64 // of the tables of transitions, over points, latents and actions
	Bytes   float64 // of memory
	// Operations is the number of multiplications, about. Time is what they take at some
	// 10⁸ a second, as one core does; nobody has looked at a clock.
	Operations float64
	Time       time.Duration
}

// Kinds of warnings that only a forecast has.
const (
	TooManySamples runs.WarningKind = "too many samples"
	OneForAll      runs.WarningKind = "one sample for all"
	NoiseIgnored   runs.WarningKind = "noise ignored"
	TooMuchMemory  runs.WarningKind = "too much memory"
	LongSetUp      runs.WarningKind = "long set-up"
)

const (
	manySamples   = 200_000
	muchMemory    = 2e9 // bytes, where tables are refused
	gridMemory    = 1e9 // bytes, for which grids are made coarser
	longSetUp     = 2 * time.Minute
	perSecond     = 1e8
	iterations    = 30 // sweeps over the tables, policy iteration being quick
	bytesPerEntry = 12
	bytesPerRow   = 24
	listed        = 40 // places whose successors are counted
	fewVisits     = 100
	nearlyAll     = 0.9 // of the visited places
)

// Foresee looks at a model for a moment, without solving anything, and says what is to be
// expected of a solver, before it has taken its time. The error is an *bcpace.InputError
// for no solver or parameters that it would refuse, an *bcpace.UnsupportedError for a model
// that it would refuse, that of Explorer.Plan, or the model's.
func Foresee(ctx context.Context, m bcpace.Model, s bcpace.Solver) (*Forecast, error) {
	if s == nil {
		return nil, bcpace.In("a forecast").Bad("the solver", "nil", "a solver, such as cpace.Solver{Epsilon: 1}")
	}
	x, err := Glance(ctx, m)
	if err != nil {
		return nil, err
	}
	if err := refused(m, s); err != nil {
		return nil, err
	}
	f := &Forecast{Model: m.Spec().Name, Solver: s}
	sampled := false // its estimates are averages of samples
	if e, ok := s.(runs.Explorer); ok {
		plan, err := e.Plan(x.Model)
		if err != nil {
			return nil, err
		}
		if f.Horizon, sampled = plan.Horizon, !math.IsNaN(plan.LipQ); sampled {
			if err := f.explores(ctx, x, plan); err != nil {
				return nil, err
			}
		}
	}
	if !tabulates(x.Model, s) {
		return f, nil
	}
	do := instead(x.Model, sampled)
	// A grid has no room for some axes.
	if f.SetUp, err = setUp(x); errors.As(err, new(*bcpace.UnsupportedError)) || errors.As(err, new(*bcpace.InputError)) {
		f.warn(TooMuchMemory, do, "its states have no grid: %v", err)
	} else if err != nil {
		return nil, err
	}
	switch x := f.SetUp; {
	case x.Bytes > muchMemory:
		f.warn(TooMuchMemory, do, "the tables of %d points take %.2g GB", x.Points, x.Bytes/1e9)
	case x.Time > longSetUp:
		f.warn(LongSetUp, do, "it takes about %v before the first sample or bound, for tables of %.2g entries", x.Time.Round(time.Minute), x.Entries)
	}
	if f.SetUp.Axes > actAxes {
		f.warn(runs.CoarseGrid, "policy search, which needs no grid, or "+ownController, "a grid between %d axes tells little of the values", f.SetUp.Axes)
	}
	return f, nil
}

// refused returns the error of a solver for a model that it does not support.
func refused(m bcpace.Model, s bcpace.Solver) error {
	if x, ok := s.(solverkit.Selective); ok {
		return x.Supports(m)
	}
	return solverkit.NeedDiscount(m.Spec(), s.Name())
}

// tabulates reports whether a solver makes tables of m before it begins.
func tabulates(m bcpace.Model, s bcpace.Solver) bool {
	x, ok := s.(solverkit.Tabulator)
	return !ok || x.Tabulates(m)
}

func (f *Forecast) warn(kind runs.WarningKind, do, what string, args ...any) {
	f.Warnings = append(f.Warnings, runs.Warning{Kind: kind, What: fmt.Sprintf(what, args...), Do: do})
}

// explores fills in what is to be expected of Algorithm 1.
func (f *Forecast) explores(ctx context.Context, x *Look, plan runs.Plan) error {
	const suggest = "choose.Suggest suggests an Epsilon, LipQ, Alpha and K for this model"
	f.Radius = plan.Epsilon / plan.LipQ
	f.Spread = x.Spread(plan.Alpha)
	places, err := x.Cover(ctx, plan.Alpha, f.Radius)
	if err != nil {
		return err
	}
	k := max(plan.K, 1)
	f.Samples = places * len(x.Model.Spec().Actions) * k
	f.AtLeast = len(x.States) >= fewVisits && 2*places > len(x.States)
	noise, err := x.Noise()
	if err != nil {
		return err
	}
	limit := manySamples
	if plan.MaxSamples > 0 {
		limit = min(limit, plan.MaxSamples)
	}
	if f.Horizon == 1 && x.Model.Spec().Horizon != 1 {
		f.warn(runs.OneStep, "cpace.Solver.Horizon, or a smaller Epsilon, from which it follows", "episodes have one step, as ε = %.3g is all that can be earned", plan.Epsilon)
	}
	switch {
	case f.AtLeast && nearlyAll*float64(len(x.States)) < float64(places):
		f.warn(TooManySamples, suggest+"; with those, an Epsilon or Alpha of your own for fewer places, or another solver (Recommend)",
			"nearly every place that a random walk visits (%d of %d) is further than the known radius %.3g from all others: it takes more than %d samples, and hardly a query will be known", places, len(x.States), f.Radius, f.Samples)
	case f.Samples > limit:
		f.warn(TooManySamples, suggest, "within the known radius %.3g there are few of the places that a random walk visits (%d are apart): about %d samples are needed, and at most %d are taken or sensible", f.Radius, places, f.Samples, limit)
	}
	if f.Spread > 0 && places == 1 {
		f.warn(OneForAll, "a smaller Epsilon, or a larger LipQ or Alpha", "all places that a random walk visits are within the known radius %.3g: one sample of an action stands for all", f.Radius)
	}
	if k < 4 && noise > 4*plan.Epsilon {
		f.warn(NoiseIgnored, fmt.Sprintf("K = %d or more, so that a mean of K varies by ε or less, or a larger Epsilon", int(min(math.Ceil(noise*noise/plan.Epsilon/plan.Epsilon), 1e6))),
			"what a step pays varies by %.3g, which the mean of K = %d samples hardly smooths", noise, k)
	}
	return nil
}

// ownController is what helps where grids do not.
const ownController = "as Controller of the solver a policy of your own, such as a PID controller, which is simulated and returned if it earns more"

// instead is what helps against a set-up that takes too much.
func instead(m bcpace.Model, sampled bool) string {
	if sampled {
		return "Bound: cpace.BoundConstant, which needs no tables, or cpace.Solver.Latent"
	}
	fewer := "fewer latents or states"
	if _, numbered := bcpace.AsFinite(m); !numbered {
		fewer = "fewer latents, or fewer MaxPoints in the solver's Grid"
	}
	return fewer + "; or Algorithm 1 with Bound: cpace.BoundConstant, which needs no tables"
}

// setUp counts what it takes to solve the latent MDPs of the model.
func setUp(x *Look) (SetUp, error) {
	m, ok := x.Model.(bcpace.Enumerator)
	if !ok {
		return SetUp{}, nil
	}
	spec := m.Spec()
	u, corners := SetUp{}, 1.0
	f, finite := bcpace.AsFinite(m)
	if finite {
		u.Points = f.NumStates()
	} else {
		axes, err := dp.GridOptions{}.Grid(spec)
		if err != nil {
			return SetUp{}, err
		}
		u.Points, u.Axes = grid.Points(axes), grid.Between(axes)
		corners = float64(grid.Corners(u.Axes))
	}
	list := bcpace.NewLister(m)
	successors, n := 0, 0
	for i := 0; i < len(x.States); i += 1 + len(x.States)/listed {
		for a := range spec.Actions {
			if err := list.List(x.States[i], a); err != nil {
				return SetUp{}, err
			}
			n++
			successors += floats.Count(func(p float64) bool { return p > 0 }, list.Successors.Prob)
		}
	}
	rows := float64(u.Points) * float64(len(spec.Actions))
	u.Entries = rows * corners * float64(successors) / float64(n)
	u.Bytes = bytesPerEntry*u.Entries + bytesPerRow*rows*float64(len(spec.Latents))
	if room := gridMemory / u.Bytes; !finite && room < 1 { // the grid is made coarser
		u.Points, u.Entries, u.Bytes = int(room*float64(u.Points)), room*u.Entries, gridMemory
	}
	u.Operations = iterations * u.Entries
	u.Time = time.Duration(u.Operations / perSecond * float64(time.Second))
	return u, nil
}

// String writes the forecast in lines, as nb.Show shows it.
func (f *Forecast) String() string {
	b := listing{width: 16}
	b.line("solver", "%s on %s", f.Solver.Name(), f.Model)
	if f.Horizon > 0 {
		b.line("horizon", "%d steps", f.Horizon)
	}
	if f.Radius > 0 {
		b.line("known radius", "%.3g, and two places are %.3g apart", f.Radius, f.Spread)
		about := "about"
		if f.AtLeast {
			about = "more than"
		}
		b.line("samples", "%s %d", about, f.Samples)
	}
	if u := f.SetUp; u.Points > 0 {
		b.line("set-up", "%d points, %.2g entries, %s, about %v", u.Points, u.Entries, inBytes(u.Bytes), roughly(u.Time))
	}
	for _, w := range f.Warnings {
		b.line("warning", "%s", w.What)
		b.line("what would help", "%s", w.Do)
	}
	return strings.TrimRight(b.String(), "\n")
}

func inBytes(x float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if x >= u.size {
			return fmt.Sprintf("%.3g %s", x/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f bytes", x)
}

// roughly rounds a time to one digit.
func roughly(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d >= 10*unit {
		unit *= 10
	}
	return d.Round(max(unit, time.Millisecond))
}
