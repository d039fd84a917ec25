package nb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
)

// Solve runs any solver with what a notebook needs around it: a progress display and
// Kernel > Interrupt. An Explorer, such as cpace.Solver or certified.Solver, gets its
// run from the store on disk where it is in it, as with Explore; other solvers solve again
// in every cell, and so does one with a Controller, a policy of your own.
//
//	nb.Show(nb.Solve(tiger, certified.Solver{Epsilon: 1e-3}))
//
// Without a solver several are tried, and the policy that earns most is returned, with the solution
// of its solver (package choose). The cell shows what each has earned. It takes up to some two minutes. Where a
// planner is what earns most, its policy takes time at every decision.
//
// An interrupted solver returns what it has so far, and the cell says so. An error ends
// the cell with one line.
func Solve(m bcpace.Model, s ...bcpace.Solver) *bcpace.Solution {
	return interruptible(func(ctx context.Context, out *output) (*bcpace.Solution, error) {
		switch len(s) {
		case 0:
			return tryAll(ctx, out, m)
		case 1:
			return solve(ctx, out, m, s[0])
		}
		return nil, bcpace.In("solving").Bad("the number of solvers", len(s), "one; Compare takes several")
	})
}

// tryAll tries several solvers, and shows what each has earned.
func tryAll(ctx context.Context, out *output, m bcpace.Model) (*bcpace.Solution, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	progress := startProgress("solving "+m.Spec().Name, "trying solvers", out)
	x, err := choose.Solve(ctx, m, bcpace.Control{Progress: watch(progress, runs.Plan{}, nil)}, choose.Options{})
	progress.Close()
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, t := range x.Tried {
		rows = append(rows, []any{t.Name, t.Earned(), when(t.Chosen, "chosen")})
	}
	if ctx.Err() != nil {
		soFar(out, stop.Interrupted, x.Solution, "this is the best policy so far", "no solver has a policy yet")
	}
	if x.Next != "" {
		rows = append(rows, []any{"may earn more", x.Next, ""})
	}
	out.show(render1(Table{Title: "Tried on " + m.Spec().Name, Header: []string{"solver", "earned", ""}, Rows: rows}, limits{}))
	return x.Solution, nil
}

func solve(ctx context.Context, out *output, m bcpace.Model, s bcpace.Solver) (*bcpace.Solution, error) {
	if n, ok := s.(renamed); ok {
		s = n.Solver
	}
	if err := cmp.Or(
		bcpace.In("solving").Need(s != nil, "the solver", "nil", "a solver, such as cpace.Solver{Epsilon: 1}"),
		bcpace.Validate(m)); err != nil {
		return nil, err
	}
	if o, ok := s.(cpace.Solver); ok && o.Policy == "" {
		o.Policy = runs.PolicyBest // as Solve has it
		s = o
	}
	if e, ok := s.(runs.Explorer); ok {
		run, err := explore(ctx, out, m, e, bcpace.Control{})
		if err != nil {
			return nil, err
		}
		return runs.SolutionOf(run), nil
	}
	progress := startProgress("solving "+m.Spec().Name, "preparing", out)
	found, _, err := store.Solve(ctx, m, s, bcpace.Control{Progress: watch(progress, runs.Plan{}, nil)})
	progress.Close()
	if err != nil {
		return nil, err
	}
	if found.Stop.ByContext() {
		soFar(out, found.Stop, found, "this is the solution so far", "the solver has no policy yet")
	}
	return found, nil
}

// soFar says what has been found when a solver was interrupted: so much, or no policy.
func soFar(out *output, why stop.Reason, s *bcpace.Solution, much, none string) {
	if s.InSetUp {
		much = none + ", and in its place is " + s.StandIn
	}
	out.show(message{plain: string(why) + ": " + much + "; execute the cell again to solve in full"})
}

// Named is a solver under another name in a table or figure of Compare:
//
//	nb.Named("certified to 0.1", certified.Solver{Epsilon: 0.1})
func Named(name string, s bcpace.Solver) bcpace.Solver { return renamed{s, name} }

type renamed struct {
	bcpace.Solver
	name string
}

func (n renamed) Name() string { return n.name }

// AsSolver is a policy among the solvers of Compare. There is nothing to solve, and
// nothing is claimed of the policy.
func AsSolver(name string, p bcpace.Policy) bcpace.Solver { return policySolver{name, p} }

type policySolver struct {
	name   string
	policy bcpace.Policy
}

func (p policySolver) Name() string { return p.name }

// Solve implements bcpace.Solver.
func (p policySolver) Solve(_ context.Context, m bcpace.Model, _ bcpace.Control) (*bcpace.Solution, error) {
	spec := m.Spec()
	return &bcpace.Solution{Solver: p, Spec: spec, Policy: p.policy, Value: math.NaN(), Certificate: solverkit.RangeCertificate(spec), Stop: stop.Unsolved}, nil
}

// Compare solves m with each solver, as Solve does, and plays their policies on the same
// episodes: episode i has the same latent and the same random numbers for each of them.
// Show makes a table of the scores, and viz.ScoreIntervals the rows of a figure.
//
//	play := eval.Options{Episodes: 10_000, Horizon: 100}
//	nb.Show(nb.Compare(tiger, play, qmdp.Solver{}, certified.Solver{Epsilon: 1e-3}))
//
// The scores have bounds of the optimal value where a solver claims some, and where the
// episodes are of the problem that it has solved: from the model's start, over all of the
// model's horizon, with its discount.
//
// Named gives a solver another name, and AsSolver makes one of a policy.
//
// An interrupt ends the episodes of the policy that is being played and leaves out the
// solvers after it, and the cell says so. An error ends the cell with one line.
func Compare(m bcpace.Model, o eval.Options, solvers ...bcpace.Solver) []eval.Score {
	return interruptible(func(ctx context.Context, out *output) ([]eval.Score, error) { return compare(ctx, out, m, o, solvers) })
}

func compare(ctx context.Context, out *output, m bcpace.Model, o eval.Options, solvers []bcpace.Solver) ([]eval.Score, error) {
	var scores []eval.Score
	for i, s := range solvers {
		if ctx.Err() != nil {
			out.show(message{plain: fmt.Sprintf("interrupted: %d of %d solvers are left out", len(solvers)-i, len(solvers))})
			break
		}
		found, err := solve(ctx, out, m, s)
		if err != nil {
			return nil, err
		}
		r, err := rollouts(ctx, out, m, found.Policy, o)
		if err != nil {
			return nil, err
		}
		score := eval.Score{Name: s.Name(), Policy: found.Policy, Result: r, Objective: found.Objective}
		if solves(m.Spec(), o) {
			score.Certificate = found.Certificate
		}
		scores = append(scores, score)
	}
	return scores, nil
}

// solves says that episodes with o are of the problem that a solver solves: they are of
// its model, begin where the model's do, count rewards as it does and, if it has a horizon, end there.
// Without one, the bounds are those of episodes that nothing cuts, as Scores says.
func solves(spec bcpace.Spec, o eval.Options) bool {
	return o.World == nil && o.Belief == nil && (!o.Undiscounted || spec.Discount == 1) && (spec.Horizon == 0 || o.Horizon == 0 || o.Horizon == spec.Horizon)
}

// Scores is the table of a comparison, as Show has it, for further rows: each policy's
// mean return with its 95 % interval and, where a solver claims bounds of the optimal
// value, these beside it, rounded outward. If an interval is not by Student's t, a last column
// says what it rests on. If a solver has another bcpace.Objective than the largest mean return, further columns say what its
// bounds are of, and what its policy scores there. A model without a horizon has the bounds of episodes that never end,
// whatever the number of steps played.
func Scores(scores []eval.Score) Table {
	t := Table{Header: []string{"policy", "mean return", "95% from", "to"}}
	claims, kinds, asked, optimum := false, false, false, "optimum"
	for _, s := range scores {
		asked = asked || s.Objective != (bcpace.Objective{})
		kinds = kinds || s.CI95By.Remark() != ""
		claims = claims || claimed(s.Certificate.LowerBy) || claimed(s.Certificate.UpperBy)
		if s.Truncation > 0 {
			optimum = "optimum over unlimited steps"
		}
	}
	if asked {
		t.Header = append(t.Header, "asked for", "scores")
	}
	if claims {
		t.Header = append(t.Header, optimum+" at least", "", "at most", "")
	}
	if kinds {
		t.Header = append(t.Header, "interval")
	}
	for _, s := range scores {
		row := []any{s.Name, s.Mean, s.CI95[0], s.CI95[1]}
		if asked {
			x, _ := s.At(s.Objective) // zero where no episode was played
			row = append(row, cmp.Or(s.Objective.Bounds, "the mean return"), x.Text(2))
		}
		if claims {
			row = append(row, bound(atLeast(s.Certificate.Lower), s.Certificate.LowerBy)...)
			row = append(row, bound(atMost(s.Certificate.Upper), s.Certificate.UpperBy)...)
		}
		if kinds {
			row = append(row, s.CI95By.Remark())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// claimed says that a bound rests on more than the range of rewards.
func claimed(b bcpace.Basis) bool { return b != "" && b != bcpace.ByRange && b != bcpace.NotKnown }

// bound is a bound with what it rests on, or nothing where nobody claims it.
func bound(x any, by bcpace.Basis) []any {
	if !claimed(by) {
		return []any{nil, nil}
	}
	return []any{x, string(by)}
}

// Explore runs runs.Explore with what a notebook needs around it: a progress
// display, Kernel > Interrupt, and a store on disk, from which every later
// cell (and every later session) gets the same run back in milliseconds as
// long as model, solver and code are the same. A run with a Controller is not kept.
//
// An interrupted exploration returns the run so far, and says so in the cell. It
// continues from its last checkpoint when the cell is executed again, also after the
// kernel or the machine has died, to the run that it would have made in one piece,
// see store.Memo. An error ends the cell with one line.
func Explore(m bcpace.Model, s runs.Explorer) *runs.Run {
	return interruptible(func(ctx context.Context, out *output) (*runs.Run, error) {
		return explore(ctx, out, m, s, bcpace.Control{})
	})
}

func explore(ctx context.Context, out *output, m bcpace.Model, s runs.Explorer, c bcpace.Control) (*runs.Run, error) {
	plan, err := s.Plan(m)
	if err != nil {
		return nil, err
	}
	progress := startProgress("exploring "+m.Spec().Name, "preparing", out)
	c.Progress = watch(progress, plan, c.Progress)
	run, origin, err := store.Memo(ctx, m, s, c)
	progress.Close()
	if run == nil {
		return nil, err
	}
	if err != nil {
		out.show(message{plain: fmt.Sprintf("%s\nThis is the run so far, %s and %s. Mend the model, and explore again.",
			clean(err.Error()), numtext.Several(len(run.Trace), "episode"), numtext.Several(run.Samples.Len(), "sample"))})
	}
	if notes := notes(run, origin); notes != "" {
		out.show(message{plain: notes})
	}
	return run, nil
}

// notes are what the reader of the cell must know about where a run is from. That
// it continued from a checkpoint is no such thing: it is the same run, and whether
// there was one depends on the clock.
func notes(run *runs.Run, origin store.Origin) string {
	var lines []string
	line := func(s string) { lines = append(lines, s) }
	if origin.Damaged != nil {
		line("set aside: " + clean(origin.Damaged.Error()))
	}
	switch {
	case run.InSetUp():
		line(fmt.Sprintf("%s: the set-up has not ended, and in the place of a policy is %s; execute the cell again to explore in full", run.Stop, run.StandIn()))
	case run.Stop.ByContext():
		again := "explore in full"
		if origin.Kept > 0 {
			again = "go on from " + numtext.Several(origin.Kept, "episode")
		}
		line(fmt.Sprintf("%s: this is the run so far, %s and %s; execute the cell again to %s",
			run.Stop, numtext.Several(len(run.Trace), "episode"), numtext.Several(run.Samples.Len(), "sample"), again))
	}
	if origin.Unsaved != nil {
		line("not stored, later cells will explore again: " + clean(origin.Unsaved.Error()))
	}
	return strings.Join(lines, "\n")
}

// Rollouts runs eval.Rollouts with a progress display. Kernel > Interrupt ends
// it, and the statistics are then of the episodes played so far, which the cell
// says. An error ends the cell with one line.
func Rollouts(m bcpace.Model, p bcpace.Policy, opts eval.Options) eval.Result {
	return interruptible(func(ctx context.Context, out *output) (eval.Result, error) { return rollouts(ctx, out, m, p, opts) })
}

func rollouts(ctx context.Context, out *output, m bcpace.Model, p bcpace.Policy, opts eval.Options) (eval.Result, error) {
	progress := startProgress("playing "+m.Spec().Name, "", out)
	if opts.Progress == nil && opts.Episodes > 0 {
		opts.Progress = progress.Of(opts.Episodes)
	}
	r, err := eval.Rollouts(ctx, m, p, opts)
	progress.Close()
	if ctx.Err() != nil && r.Episodes > 0 {
		out.show(message{plain: "interrupted: these are the first " + numtext.Several(r.Episodes, "episode")})
		return r, nil
	}
	return r, err
}

// Sweeper is many trials, as a sweep.Spec or a sweep.On is: Run calls progress while it runs,
// and keeps what it has when ctx ends, so that the next Run goes on.
type Sweeper[R any, P Tally] interface {
	Run(ctx context.Context, progress func(P)) (R, error)
}

// Tally is how far many trials have come: the numbers of those that are done, running, failed
// (of those done) and all, and the time left, negative where it is not known.
type Tally interface {
	Tally() (done, running, failed, total int, left time.Duration)
}

// Sweep runs a sweep with what a notebook needs around it: a display of how many trials are
// done, run and have failed, and the time left; and Kernel > Interrupt, which returns the
// results so far. The next execution of the cell goes on from there, and computes nothing
// again:
//
//	results := nb.Sweep(sweep.Spec{…})
//
// A trial that fails is a row with its error. An error of the sweep itself, such as a
// parameter that there is not, ends the cell with one line.
func Sweep[R any, P Tally](s Sweeper[R, P]) R {
	return interruptible(func(ctx context.Context, out *output) (R, error) { return runSweep(ctx, out, s) })
}

func runSweep[R any, P Tally](ctx context.Context, out *output, s Sweeper[R, P]) (R, error) {
	progress := startProgress("trials", "preparing", out)
	done, total := 0, 0
	results, err := s.Run(ctx, func(p P) {
		done, _, _, total, _ = p.Tally()
		progress.set(tallyOf(p))
	})
	progress.Close()
	if errors.Is(err, context.Canceled) && total > 0 {
		out.show(message{plain: fmt.Sprintf("interrupted: these are the results of %s of %d; execute the cell again to go on", numtext.Several(done, "trial"), total)})
		return results, nil
	}
	return results, err
}

// tallyOf returns the share that is done, and how things stand in words.
func tallyOf(p Tally) (share float64, status string) {
	done, running, failed, total, left := p.Tally()
	status = fmt.Sprintf("%s of %s done, %d running, %d failed", Count(done), Count(total), running, failed)
	status += when(left >= 0, ", "+left.Round(time.Second).String()+" left")
	if total == 0 {
		return -1, status
	}
	return float64(done) / float64(total), status
}
