package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
)

// Tried is a solver that was tried.
type Tried struct {
	Name string
	// Solution is what it has found; nil where Err says why there is none.
	Solution *bcpace.Solution
	Err      error
	// Took is the time of its search.
	Took time.Duration
	// Mean is the mean return of its policy in so many Episodes, and StdErr its standard error; NaN
	// where it has played none.
	Mean, StdErr float64
	Episodes     int
	// Simulations is the number of simulations at every decision of a planner; 0 for another solver.
	Simulations int
	// Chosen says that it is the one whose policy was chosen.
	Chosen bool
}

// Chosen is what was found.
type Chosen struct {
	// Solution is that of the solver whose policy was chosen. Its upper bound is the lowest of all
	// that were found, and where the solver had simulated less, its lower bound is that of 20,000
	// fresh episodes, with probability 95 %.
	*bcpace.Solution
	Tried []Tried
	// Next says what may earn more, and has not been tried; "" where nothing can.
	Next string

	kind     kind
	seed     uint64
	course   func(bcpace.Progress)
	searches int // policy searches so far
	affords  int // episodes of the planner

	lead, leadErr float64 // of the planner before the policy chosen until then, in the same episodes
}

const (
	patience = time.Minute // for a solver where a grid is coarse, or where there is a Goal, without a deadline
	delta    = 0.05        // of the certificate

	episodesOfCertificate = 20_000
)

// Options of Solve. The zero value is useful.
type Options struct {
	// Seed is that of the solvers which draw random numbers, and of the episodes in which policies
	// are compared.
	Seed uint64
	// Course, if set, is told the updates of every solver that is tried, which Control.Progress has as phases.
	Course func(bcpace.Progress)
}

// Solve tries solvers on m. Where ctx ends, the policy is the best one so far. The error is an
// *bcpace.InputError for a model or control that cannot be used, the model's where it breaks its
// contract, or that of the first solver where none has found a policy.
func Solve(ctx context.Context, m bcpace.Model, c bcpace.Control, o Options) (*Chosen, error) {
	if err := cmp.Or(c.Check(), bcpace.Validate(m)); err != nil {
		return nil, err
	}
	_, timed := ctx.Deadline()
	x := &Chosen{seed: o.Seed, course: o.Course, kind: kindOf(m, timed)}
	trying, cancel := runs.LeaveTime(ctx, x.kind.leftAfterStages())
	defer cancel()
	if err := x.tryAll(trying, m, c); err != nil {
		return nil, err
	}
	if err := x.race(ctx, m, c); err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context, bcpace.Model, bcpace.Control) error{x.plan, x.certify, x.prove} {
		if err := part(ctx, m, c); err != nil {
			return x, err
		}
	}
	if x.Stop != stop.Certified {
		x.Next = x.next(m)
	}
	return x, nil
}

// tryAll runs the stages of the model's kind, one after the other, and goes on where there is time.
func (ch *Chosen) tryAll(trying context.Context, m bcpace.Model, c bcpace.Control) error {
	stages := rowOf(ch.kind).list(ch.kind)
	tables := true // there is time for those of the latent MDPs
	for len(stages) > 0 {
		s := stages[0]
		stages = stages[1:]
		if s.tables && !tables {
			continue
		}
		if len(ch.Tried) > 0 && trying.Err() != nil {
			break
		}
		if s.onGrid != nil {
			points, once, err := fitted(trying, s.share, m, s.solver.Name(), bcpace.Control{Workers: c.Workers, Progress: report(c, "trying "+s.solver.Name())})
			if err != nil {
				return err
			}
			if once > 0 {
				s.solver = s.onGrid(points)
				instead := false
				if stages, instead = tableOnce(trying, stages, once); instead && ch.kind.axes > poorAxes {
					continue
				}
			}
		}
		if err := ch.try(trying, m, c, s); err != nil {
			return err
		}
		t := ch.Tried[len(ch.Tried)-1]
		if t.Solution != nil && t.Solution.Stop == stop.Certified {
			break
		}
		tables = tables && (t.Solution == nil || !t.Solution.InSetUp)
	}
	return ch.goOn(trying, m, c)
}

// next says what else there is for a model: a planner, which takes its time at every decision, or more of
// that for the one that was tried.
func (ch *Chosen) next(m bcpace.Model) string {
	if t := ch.Tried[len(ch.Tried)-1]; t.Simulations > 0 {
		earned := ""
		switch {
		case t.Chosen:
		case ch.lead > 0:
			earned = fmt.Sprintf(", now %.2g ± %.2g ahead", ch.lead, ch.leadErr)
		default:
			earned = fmt.Sprintf(", now %.2g ± %.2g behind", -ch.lead, ch.leadErr)
		}
		return "more time, or " + t.Name + " with a larger Budget" + earned
	}
	planner, spec := "pomcpow", m.Spec()
	if spec.Goal { // which no planner takes
		return "more time"
	}
	if _, lists := m.(bcpace.Enumerator); lists && !spec.HasBox() {
		planner = "adaops"
	}
	return "more time, or a planner, such as " + planner + ", which searches at every decision"
}

// goOn searches among policies once more, from the best one found so, where much of the time before a
// deadline is left and nothing is proved to be the best.
func (ch *Chosen) goOn(ctx context.Context, m bcpace.Model, c bcpace.Control) error {
	end, timed := ctx.Deadline()
	took := time.Duration(0)
	for _, t := range ch.Tried {
		if took += t.Took; t.Solution != nil && t.Solution.Stop == stop.Certified {
			return nil
		}
	}
	if ch.kind.spec.Goal || !timed || ctx.Err() != nil || time.Until(end) < took/4 {
		return nil
	}
	return ch.try(ctx, m, c, further(ch.kind))
}

// tableOnce returns the stages that are left where the default grid is too fine for certified: QMDP comes first then, if
// that grid can be solved once in time, which takes so many seconds.
func tableOnce(ctx context.Context, stages []stage, once float64) (left []stage, first bool) {
	end, _ := ctx.Deadline()
	for _, s := range stages {
		switch {
		case !s.tables:
			left = append(left, s)
		case s.once && once < onceShare*time.Until(end).Seconds():
			s.share = onceShare
			left, first = append([]stage{s}, left...), true
		}
	}
	return left, first
}

// try runs a solver for its part of the time, and puts what it has found at the end of what was tried. A
// policy search goes on from the one before, and takes its place. The error is one that ends all.
func (ch *Chosen) try(ctx context.Context, m bcpace.Model, c bcpace.Control, s stage) (err error) {
	if s.solver, err = solvers.Seeded(s.solver, ch.seed); err != nil {
		return err
	}
	t := Tried{Name: s.solver.Name(), Mean: math.NaN(), StdErr: math.NaN()}
	before := -1
	if s.again != nil {
		before = slices.IndexFunc(ch.Tried, func(b Tried) bool { return b.Name == t.Name && b.Solution != nil })
		if before >= 0 {
			s.solver, t.Took = s.again(ch.Tried[before].Solution.Policy, ch.seed+uint64(ch.searches)), ch.Tried[before].Took
		}
		ch.searches++
	}
	within, cancel := runs.LeaveTime(ctx, 1-s.share)
	defer cancel()
	if _, timed := ctx.Deadline(); !timed && (ch.kind.spec.Goal || ch.kind.axes > coarseAxes) {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, patience)
		defer stop()
	}
	begin := time.Now()
	if s.looks {
		look, err := Suggest(within, m)
		if err == nil {
			look.Options.Seed, look.Options.Latent = ch.seed, look.Look.Latent
			look.Options.Policy = runs.PolicyBest
			s.solver = look.Options
		}
		t.Err = err
	}
	if t.Err == nil {
		t.Solution, t.Err = s.solver.Solve(within, m, bcpace.Control{Workers: c.Workers, Progress: ch.tell(report(c, "trying "+t.Name)), Checkpoint: c.Checkpoint})
	}
	t.Took += time.Since(begin)
	if broken := (*bcpace.ConformanceError)(nil); errors.As(t.Err, &broken) {
		return t.Err
	}
	if before >= 0 {
		if t.Solution == nil {
			t = ch.Tried[before]
		}
		ch.Tried = slices.Delete(ch.Tried, before, before+1)
	}
	ch.Tried = append(ch.Tried, t)
	return nil
}

// tell hands the updates of a solver on to the course too.
func (ch *Chosen) tell(progress func(bcpace.Progress)) func(bcpace.Progress) {
	if ch.course == nil {
		return progress
	}
	return func(p bcpace.Progress) {
		if p.Phase == "" {
			ch.course(p)
		}
		if progress != nil {
			progress(p)
		}
	}
}

// report tells the progress of a solver as that of a phase, from now on.
func report(c bcpace.Control, phase string) func(bcpace.Progress) {
	if c.Progress == nil {
		return nil
	}
	c.Progress(bcpace.Progress{Phase: phase, Share: -1})
	return func(p bcpace.Progress) {
		if p.Phase != "" {
			c.Progress(bcpace.Progress{Phase: phase + ": " + p.Phase, Share: p.Share})
			return
		}
		c.Progress(bcpace.Progress{Phase: phase, Share: -1})
	}
}

const (
	fewPoints   = 256 // of the first grid that is solved to see how long it takes,
	finerPoints = 4   // and how many times as many the next one has
	setUpSolves = 3   // how many times the values of the latents its set-up takes, about
	growth      = 1.1 // the power of the number of points with which they grow, about
)

// fitted returns how many points a grid of certified, the solver of that name, has whose set-up is to take no more than
// half of a share of the time before the deadline of ctx, if its default grid would take more: a coarse grid that is solved
// is worth more than a fine one that is not. It is measured on small grids, each finer than the one before while there is
// time. once is the seconds that it takes to solve the default grid once, about, and 0 where that is the one to take. The
// error is the model's.
func fitted(ctx context.Context, share float64, m bcpace.Model, name string, c bcpace.Control) (points int, once float64, err error) {
	ctx, done := runs.LeaveTime(ctx, 1-share)
	defer done()
	end, timed := ctx.Deadline()
	if _, numbered := bcpace.AsFinite(m); !timed || numbered {
		return 0, 0, nil
	}
	list, err := solverkit.ListControls(m, 0, name)
	if err != nil {
		return 0, 0, nil // as certified will say
	}
	spec, few := list.Spec(), dp.GridOptions{MaxPoints: fewPoints, NoError: true}
	small, err := few.Grid(spec)
	for ; err != nil && few.MaxPoints < 1<<16; small, err = few.Grid(spec) { // the coarsest grid has more points
		few.MaxPoints *= 4
	}
	full, err2 := dp.GridOptions{}.Grid(spec)
	if errors.Join(err, err2) != nil || grid.Points(small) >= grid.Points(full) {
		return 0, 0, nil
	}
	within, cancel := runs.LeaveTime(ctx, 1-fitShare)
	defer cancel()
	enough, _ := within.Deadline()
	took, next := 0.0, small
	for o := few; ; {
		begin := time.Now()
		if _, err := dp.SolveLatentOn(solverkit.WithControl(within, c), bcpace.KeepHorizon(list).(bcpace.Enumerator), o); within.Err() == nil && err != nil {
			if errors.As(err, new(*bcpace.ConformanceError)) {
				return 0, 0, err
			}
			return 0, 0, nil
		}
		if took > 0 && within.Err() != nil {
			break // and the grid before is the last one that was solved
		}
		took, few, small = time.Since(begin).Seconds(), o, next
		o.MaxPoints *= finerPoints
		if next, err = o.Grid(spec); err != nil || grid.Points(next) >= grid.Points(full) ||
			took*float64(grid.Points(next)) > time.Until(enough).Seconds()*float64(grid.Points(small)) {
			break
		}
	}
	left := time.Until(end).Seconds()
	finer := float64(grid.Points(full)) / float64(grid.Points(small))
	times := math.Pow(setUpShare*left/(setUpSolves*took), 1/growth) // as many points as the small grid has
	if times >= finer {
		return 0, 0, nil
	}
	points = max(int(float64(grid.Points(small))*times), few.MaxPoints)
	return points, took * math.Pow(finer, growth), nil
}
