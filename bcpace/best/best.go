// Package best tries several solvers on a model, and returns the policy that earns most. It is what
// a user gets who names no solver.
//
// Which solver is the best for a model is seldom clear before it was tried. So those that may be are
// run one after the other, each for a part of the time:
//
//   - policy search for a short time, where an axis has real numbers: it acts early;
//   - certified, whose bounds prove it where nothing better is left: then no other is tried. Where
//     the bounds come together for a Finite model with many latents, it is sarsop, and it is sarsop
//     alone for a model with a Spec.Goal;
//   - policy search, which needs no grid, and comes before certified where a grid has many axes;
//   - certainty equivalence and QMDP, where the model lists what follows a state and there was time
//     for the tables of certified, which they need too;
//   - Algorithm 1, where it does not;
//   - certainty equivalence before all others, where a Finite model is so large that the set-up of
//     certified takes long: its tables are the first of those, and its policy acts early;
//   - policy search again, where much of the time before a deadline is left.
//
// With more than three axes of real numbers, a deadline, and a list of actions, it is policy search alone: QMDP is among its
// policies, on as fine a grid as is worth its time, and what a search finds there grows with its time.
//
// Each policy search goes on from the policy of the one before. Where the time before a deadline is short for the
// grid of certified, it has a coarser one, whose set-up ends. Then certainty equivalence is not tried, and QMDP, which
// solves its grid once and not some three times, is tried next where there is time for that, and on more than three axes in
// the place of certified.
//
// Their policies then play the same episodes, in rounds. One that is behind the best by four standard
// errors after 800 episodes plays no further. A policy that comes with a run, whose bounds say more,
// is kept before one that earns hardly more: by a hundredth of what lies between the best and the worst, or a tenth of
// what lies between its bounds where the upper one is proved, and by two standard errors.
//
// Last, AdaOPS plays some of these episodes beside the policy chosen, with ten leaves at a decision: where
// actions are listed and have no Box, and its bounds are cheap, as where a model is small or has two axes of real numbers
// at most. A planner takes its time at every decision, so that it is chosen only where it earns more by three
// standard errors and by a hundredth of what lies between the best and the worst; while it leads and that is not sure, it
// plays on. Otherwise Result.Next says what it earned.
package best

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/advice"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/settings"
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

// Result is what was found.
type Result struct {
	// Solution is that of the solver whose policy was chosen. Its upper bound is the lowest of all
	// that were found, and where the solver had simulated less, its lower bound is that of 20,000
	// fresh episodes, with probability 95 %.
	*bcpace.Solution
	Tried []Tried
	// Next says what may earn more, and has not been tried; "" where nothing can.
	Next string

	seed     uint64
	course   func(bcpace.Progress)
	searches int // policy searches so far
	affords  int // episodes of the planner

	lead, leadErr float64 // of the planner before the policy chosen until then, in the same episodes
}

const (
	manyAxes = 2           // of real numbers, above which a grid is poor
	mostAxes = 3           // above which its policy seldom earns most
	patience = time.Minute // for a solver where there are more, or where there is a Goal, without a deadline
	delta    = 0.05        // of the certificate

	episodesOfCertificate = 20_000

	briefSteps    = 300_000 // of a search that is to act early
	briefEpisodes = 200     // of its certificate

	leftForRace  = 0.15 // of the time before a deadline
	leftForOne   = 0.05 // where nothing is compared
	leftForProof = 0.4  // of what is left after the comparison, where bounds can be proved
	onceShare    = 0.7  // of what is left of it then, at most, for QMDP on a grid that is too fine for certified
)

// Options of Solve. The zero value is useful.
type Options struct {
	// Seed is that of the solvers which draw random numbers, and of the episodes in which policies
	// are compared.
	Seed uint64
	// Course, if set, is told the updates of every solver that is tried, which Control.Progress has as phases.
	Course func(bcpace.Progress)
}

// stage is a solver and what part of the time that is left it may take.
type stage struct {
	solver bcpace.Solver
	share  float64
	tables bool // it needs those of the latent MDPs, and no other time than for these
	looks  bool // its settings come from a look at the model
}

// Solve tries solvers on m. Where ctx ends, the policy is the best one so far. The error is an
// *bcpace.InputError for a model or control that cannot be used, the model's where it breaks its
// contract, or that of the first solver where none has found a policy.
func Solve(ctx context.Context, m bcpace.Model, c bcpace.Control, o Options) (*Result, error) {
	if err := cmp.Or(c.Check(), bcpace.Validate(m)); err != nil {
		return nil, err
	}
	_, timed := ctx.Deadline()
	stages, err := stagesOf(m, timed)
	if err != nil {
		return nil, err
	}
	x := &Result{seed: o.Seed, course: o.Course}
	tables := true // there is time for those of the latent MDPs
	left := leftForRace
	switch {
	case plans(m):
		left += leftForPlanner
	case len(stages) == 1:
		left = leftForOne
	}
	trying, cancel := runs.LeaveTime(ctx, left)
	defer cancel()
	for len(stages) > 0 {
		s := stages[0]
		stages = stages[1:]
		if s.tables && !tables {
			continue
		}
		if len(x.Tried) > 0 && trying.Err() != nil {
			break
		}
		if exact, ok := s.solver.(certified.Solver); ok {
			fit, once, err := fitted(trying, s.share, m, exact, bcpace.Control{Workers: c.Workers, Progress: report(c, "trying "+exact.Name())})
			if err != nil {
				return nil, err
			}
			s.solver = fit
			if once > 0 {
				instead := false
				if stages, instead = tableOnce(trying, stages, once); instead && solverkit.RealAxes(m.Spec()) > mostAxes {
					continue
				}
			}
		}
		if err := x.try(trying, m, c, s); err != nil {
			return nil, err
		}
		t := x.Tried[len(x.Tried)-1]
		if t.Solution != nil && t.Solution.Stop == stop.Certified {
			break
		}
		tables = tables && (t.Solution == nil || !t.Solution.InSetUp)
	}
	if err := x.goOn(trying, m, c); err != nil {
		return nil, err
	}
	if err := x.race(ctx, m, c); err != nil {
		return nil, err
	}
	if err := x.plan(ctx, m, c); err != nil {
		return x, err
	}
	if err := cmp.Or(x.certify(ctx, m, c), x.prove(ctx, m, c)); err != nil {
		return x, err
	}
	if x.Stop != stop.Certified {
		x.Next = x.next(m)
	}
	return x, nil
}

// next says what else there is for a model: a planner, which takes its time at every decision, or more of
// that for the one that was tried.
func (x *Result) next(m bcpace.Model) string {
	if t := x.Tried[len(x.Tried)-1]; t.Simulations > 0 {
		earned := ""
		switch {
		case t.Chosen:
		case x.lead > 0:
			earned = fmt.Sprintf(", now %.2g ± %.2g ahead", x.lead, x.leadErr)
		default:
			earned = fmt.Sprintf(", now %.2g ± %.2g behind", -x.lead, x.leadErr)
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
func (x *Result) goOn(ctx context.Context, m bcpace.Model, c bcpace.Control) error {
	if m.Spec().Goal {
		return nil
	}
	end, timed := ctx.Deadline()
	took := time.Duration(0)
	for _, t := range x.Tried {
		if took += t.Took; t.Solution != nil && t.Solution.Stop == stop.Certified {
			return nil
		}
	}
	if !timed || ctx.Err() != nil || time.Until(end) < took/4 {
		return nil
	}
	return x.try(ctx, m, c, stage{solver: policysearch.Solver{MaxSteps: math.MaxInt}, share: 1})
}

// tableOnce returns the stages that are left where the default grid is too fine for certified: QMDP comes first then, if
// that grid can be solved once in time, which takes so many seconds.
func tableOnce(ctx context.Context, stages []stage, once float64) (left []stage, first bool) {
	end, _ := ctx.Deadline()
	for _, s := range stages {
		_, is := s.solver.(qmdp.Solver)
		switch {
		case !s.tables:
			left = append(left, s)
		case is && once < onceShare*time.Until(end).Seconds():
			s.share = onceShare
			left, first = append([]stage{s}, left...), true
		}
	}
	return left, first
}

// stagesOf lists what is tried.
func stagesOf(m bcpace.Model, timed bool) (list []stage, err error) {
	add := func(s bcpace.Solver, share float64) { list = append(list, stage{solver: s, share: share}) }
	_, lists := m.(bcpace.Enumerator)
	f, finite := bcpace.AsFinite(m)
	first := solvers.Certified
	spec := m.Spec()
	if finite && len(spec.Latents) > advice.ManyLatents || spec.Goal {
		first = solvers.SARSOP
	}
	exact, err := solvers.New(first, m)
	if err != nil {
		return nil, err
	}
	if spec.Goal { // which no other solver takes
		return []stage{{solver: exact, share: 1}}, nil
	}
	search, brief := policysearch.Solver{}, policysearch.Solver{MaxSteps: briefSteps, CertificateEpisodes: briefEpisodes}
	if timed { // their part of the time ends them
		search.MaxSteps, brief.MaxSteps = math.MaxInt, math.MaxInt
	}
	last := []stage{{solver: qmdp.CertaintyEquivalent{}, share: 0.3, tables: true}, {solver: qmdp.Solver{}, share: 0.4, tables: true}}
	switch {
	case timed && solverkit.RealAxes(spec) > mostAxes && policysearch.HasValues(m):
		add(search, 1)
		return list, nil
	case !lists:
		add(search, 0.6)
		if spec.Discount < 1 { // as Algorithm 1 needs
			list = append(list, stage{solver: cpace.Solver{}, share: 1, looks: true})
		}
		return list, nil
	case solverkit.RealAxes(spec) > mostAxes:
		add(search, 0.4)
		add(exact, 0.35)
	case solverkit.RealAxes(spec) > manyAxes:
		add(search, 0.4)
		add(exact, 0.5)
	case finite:
		if f.NumStates()*len(spec.Latents) >= mdp.Large {
			list, last = last[:1:1], last[1:]
		}
		add(exact, 0.5)
		add(search, 0.5)
	default:
		add(brief, 0.1)
		add(exact, 0.4)
		add(search, 0.6)
	}
	return append(list, last...), nil
}

// try runs a solver for its part of the time, and puts what it has found at the end of what was tried. A
// policy search goes on from the one before, and takes its place. The error is one that ends all.
func (x *Result) try(ctx context.Context, m bcpace.Model, c bcpace.Control, s stage) (err error) {
	if s.solver, err = solvers.Seeded(s.solver, x.seed); err != nil {
		return err
	}
	t := Tried{Name: s.solver.Name(), Mean: math.NaN(), StdErr: math.NaN()}
	before := -1
	if search, ok := s.solver.(policysearch.Solver); ok {
		before = slices.IndexFunc(x.Tried, func(b Tried) bool { return b.Name == t.Name && b.Solution != nil })
		if before >= 0 {
			search.Seed += uint64(x.searches)
			search.From, t.Took = x.Tried[before].Solution.Policy, x.Tried[before].Took
			s.solver = search
		}
		x.searches++
	}
	within, cancel := runs.LeaveTime(ctx, 1-s.share)
	defer cancel()
	if _, timed := ctx.Deadline(); !timed && (m.Spec().Goal || solverkit.RealAxes(m.Spec()) > manyAxes) {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, patience)
		defer stop()
	}
	begin := time.Now()
	if s.looks {
		look, err := settings.Suggest(within, m)
		if err == nil {
			look.Options.Seed, look.Options.Latent = s.solver.(cpace.Solver).Seed, look.Look.Latent
			look.Options.Policy = runs.PolicyBest
			s.solver = look.Options
		}
		t.Err = err
	}
	if t.Err == nil {
		t.Solution, t.Err = s.solver.Solve(within, m, bcpace.Control{Workers: c.Workers, Progress: x.tell(report(c, "trying "+t.Name)), Checkpoint: c.Checkpoint})
	}
	t.Took += time.Since(begin)
	if broken := (*bcpace.ConformanceError)(nil); errors.As(t.Err, &broken) {
		return t.Err
	}
	if before >= 0 {
		if t.Solution == nil {
			t = x.Tried[before]
		}
		x.Tried = slices.Delete(x.Tried, before, before+1)
	}
	x.Tried = append(x.Tried, t)
	return nil
}

// tell hands the updates of a solver on to the course too.
func (x *Result) tell(progress func(bcpace.Progress)) func(bcpace.Progress) {
	if x.course == nil {
		return progress
	}
	return func(p bcpace.Progress) {
		if p.Phase == "" {
			x.course(p)
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

// prove has the runs that prove bounds, which hold for any control, go on with that while there is time.
func (x *Result) prove(ctx context.Context, m bcpace.Model, c bcpace.Control) error {
	lo, _ := solverkit.RangeOfReturns(m)
	for _, t := range x.Tried {
		if t.Solution == nil {
			continue
		}
		r := runs.Of(t.Solution)
		if r == nil {
			continue
		}
		lower, upper, err := r.Prove(solverkit.WithControl(ctx, bcpace.Control{Workers: c.Workers, Progress: c.Progress}))
		if err != nil {
			return err
		}
		own := &x.Solution.Certificate
		if take(own, upper, bcpace.ByProof, "", lo); own.Lower <= lower && own.LowerBy == bcpace.BySimulation {
			own.LowerBy = bcpace.ByProof
		}
	}
	return nil
}

// certify says what is known of the policy chosen. Where an action has a Box, the bounds of a solver
// may be those of a list of controls, and count for that solver alone.
func (x *Result) certify(ctx context.Context, m bcpace.Model, c bcpace.Control) error {
	own, episodes := x.Solution, episodesOfCertificate
	t := x.Tried[len(x.Tried)-1]
	planner := t.Chosen && t.Simulations > 0 // whose bounds are those of the best policy, and do not say what it earns
	if planner {
		episodes = x.affords
	}
	lo, _ := solverkit.RangeOfReturns(m)
	if (planner || own.Certificate.Kind != bcpace.ExactCertificate) && own.Certificate.Episodes < episodes && ctx.Err() == nil {
		playing, cancel := ctx, func() {}
		if proved.Takes(m) == nil {
			playing, cancel = runs.LeaveTime(ctx, leftForProof)
		}
		defer cancel()
		r, err := eval.Rollouts(playing, m, own.Policy, eval.Options{Episodes: episodes, Seed: x.seed + freshSeed, Workers: c.Workers})
		if err != nil && playing.Err() == nil {
			return err
		}
		if s := eval.CertificateOf(m, r, episodes, delta); s.Kind == bcpace.StatisticalCertificate && s.Episodes > own.Certificate.Episodes && (planner || own.Certificate.LowerBy != bcpace.ByProof) {
			if !planner || own.Certificate.UpperBy == bcpace.ByProof { // what was refuted is not in it
				take(&s, own.Certificate.Upper, own.Certificate.UpperBy, own.Certificate.Assumes, lo)
			}
			s.Refuted = own.Certificate.Refuted
			own.Value, own.Certificate = r.Mean, s
		}
	}
	if spec := m.Spec(); spec.HasBox() || own.Certificate.Kind != bcpace.StatisticalCertificate {
		return nil
	}
	for _, t := range x.Tried {
		if t.Solution != nil && (t.Simulations == 0 || t.Solution.Certificate.UpperBy == bcpace.ByProof) {
			other := t.Solution.Certificate // a planner's grids are not asked how much they err
			take(&own.Certificate, other.Upper, other.UpperBy, other.Assumes, lo)
		}
	}
	return nil
}
