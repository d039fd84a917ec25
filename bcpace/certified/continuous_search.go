package certified

import (
	"context"
	"errors"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// continuousSearch tightens a continuousBounds until the bounds at the starts are at most
// ε apart, by trials like those of finiteSearch. Every trial ends, as the width ε·γ^−t
// exceeds any gap after enough steps.
//
// While gaps are wide that is late: trials go to and fro for a hundred steps, at the end of
// which nothing matters to the start. Once the gap has stalled, the width of a trial begins
// with a part of its start's gap, as in HSVI2 (Smith and Simmons 2005), so that samples are
// spent near the start. A gap of a start that is left is then at most that part of what it
// was, and the search goes on until ε.
type continuousSearch struct {
	searchBase
	bounds    *continuousBounds
	numStarts int32   // trials begin at the first nodes: the model's starts, then Solver.Starts
	path      []int32 // the samples of a trial
	stall     stall
}

// newContinuousSearch returns a search with bounds that have no samples yet.
func newContinuousSearch(bounds *continuousBounds, solver Solver, plan runs.Plan, c bcpace.Control) (*continuousSearch, error) {
	x := &continuousSearch{bounds: bounds}
	x.plan, x.control = plan, c
	var err error
	if x.starts, err = bcpace.StartsOf(bounds.model); err != nil {
		return nil, err
	}
	for _, s := range x.starts {
		bounds.newNode(s.State, s.Belief, s.Weight)
	}
	for _, p := range plan.Starts {
		bounds.newNode(p.State, p.Belief, 0)
	}
	x.numStarts = int32(len(bounds.prob))
	x.run = runs.New(bounds.model, solver, plan, bounds, x)
	return x, nil
}

// exploreGrid plays rounds until there is a reason to stop, and simulates the certificate. With
// a deadline it leaves time for that, and an upper bound for the case that it is not enough.
func (cs *continuousSearch) exploreGrid(ctx context.Context) (*runs.Run, error) {
	searching, cancel := ctx, func() {}
	if cs.plan.CertificateEpisodes > 0 {
		searching, cancel = runs.LeaveTime(ctx, runs.AfterSearch(bcpace.AbilitiesOf(cs.bounds.model).Behind != nil))
	}
	defer cancel()
	if _, ok := searching.Deadline(); ok {
		if t, err := cs.bounds.withError(searching); err == nil {
			cs.bounds.continuousTables = t
		} else if searching.Err() == nil {
			return nil, err
		}
	}
	for cs.run.Stop == "" && cs.bounds.fault == nil {
		cs.round(searching)
	}
	cs.run.Finish()
	if err := cs.bounds.fault; err != nil && len(cs.bounds.node) == 0 {
		return nil, err
	} else if err != nil {
		return cs.run, cs.run.Failed(err)
	}
	if cs.run.Stop != stop.Certified || cs.plan.Controller != nil { // its policy may be worse than QMDP
		if err := cs.choose(ctx); err != nil {
			return cs.run, err
		}
	}
	simulate := func() error { return cs.run.Simulate(solverkit.WithControl(ctx, cs.control), cs.control.Workers) }
	if err := simulate(); err != nil || cs.run.Stop != stop.Refuted || cs.run.Choice != nil || bcpace.AbilitiesOf(cs.bounds.model).Behind == nil {
		return cs.run, err
	}
	// The bounds are false, so that their policy may be poor. Where time is up before another one
	// was simulated as often, it stays, with its episodes.
	own := *cs.run
	cs.run.Stop = stop.Certified
	if err := cs.choose(ctx); err != nil {
		return cs.run, err
	}
	if err := simulate(); err != nil {
		return cs.run, err
	}
	if cs.run.Certificate.Episodes < own.Certificate.Episodes {
		*cs.run = own
	}
	return cs.run, nil
}

// choose looks for policies by proved bounds and on a grid, and chooses among the run's policies, if there are to be
// simulated episodes and there is time.
func (cs *continuousSearch) choose(ctx context.Context) error {
	if cs.plan.CertificateEpisodes <= 0 || ctx.Err() != nil {
		return nil
	}
	for _, plan := range []func(context.Context) error{cs.planByProof, cs.planOnGrid} {
		if err := plan(ctx); err != nil {
			return cs.run.Failed(err)
		}
	}
	return cs.run.Choose(ctx, cs.plan.CertificateEpisodes, cs.control.Workers)
}

// planOnGrid finds the policy of GridPolicy where a list of actions stands for a Box: where many
// of them are nearly equal, trials do not get far. With a deadline it leaves half of the time for
// the choice and the certificate.
func (cs *continuousSearch) planOnGrid(ctx context.Context) (err error) {
	if bcpace.AbilitiesOf(cs.bounds.model).Behind == nil {
		return nil
	}
	planning, cancel := runs.LeaveTime(solverkit.WithControl(ctx, cs.control), 1-runs.GridShare)
	defer cancel()
	cs.bounds.onGrid, err = solveGridValues(planning, cs.bounds.model, cs.bounds.continuousTables)
	return err
}

// round plays one trial from each start and decides whether to continue.
func (cs *continuousSearch) round(ctx context.Context) {
	row := runs.Episode{}
	moved := false
	cs.cutShort = false
	cs.recordRound()
	cs.stall.look(cs.run.Trace)
	for n := range cs.numStarts {
		moved = cs.trial(ctx, n, &row) || moved
	}
	cs.cutShort = cs.cutShort || cs.bounds.fault != nil
	for n := range cs.numStarts {
		cs.bounds.refresh(n)
	}
	lower, upper, gapStarts := cs.boundsAtStart()
	row.Value, row.Gap = upper, upper-lower
	gap := max(row.Gap, gapStarts)
	cs.endRound(ctx, row, len(cs.bounds.node), gap, gap <= cs.plan.Epsilon, !moved)
}

// boundsAtStart returns the means of both bounds over the model's starts, and the
// largest gap at Solver.Starts, all as kept at the nodes.
func (cs *continuousSearch) boundsAtStart() (lower, upper, apart float64) {
	e := cs.bounds
	for n := range cs.numStarts {
		if int(n) < len(cs.starts) {
			lower += cs.starts[n].Weight * e.bottom[n]
			upper += cs.starts[n].Weight * e.top[n]
		} else {
			apart = max(apart, e.gap(n))
		}
	}
	return lower, upper, apart
}

// trial goes down from node n while the gap exceeds the width, ε·γ^−t unless the search has
// stalled, and backs up both bounds on the way back. Where ctx ends, it goes no further down: with many controls
// a step takes long. It reports whether a bound moved or a sample was added.
func (cs *continuousSearch) trial(ctx context.Context, n int32, row *runs.Episode) (moved bool) {
	e := cs.bounds
	cs.path = cs.path[:0]
	before := len(e.node)
	width := cs.plan.Epsilon
	if cs.stall.found {
		width = max(width, nearShare*e.gap(n))
	}
	for ; ; width /= e.spec.Discount {
		if len(cs.path) > 0 && ctx.Err() != nil {
			cs.cutShort = true
			break
		}
		a := e.refresh(n)
		if e.gap(n) <= width {
			break
		}
		j := e.sampleNear(n, a, reuse*(e.gap(n)-width))
		if j < 0 {
			if cs.samplesSpent(len(e.node)) {
				cs.cutShort = true
				break
			}
			if j = e.sampleAt(n, a, len(cs.run.Trace)); j < 0 {
				break
			}
		}
		cs.path = append(cs.path, j)
		to := e.widestSuccessor(j, width/e.spec.Discount)
		if to < 0 || len(cs.path) >= maxTrial {
			break
		}
		n = to
	}
	row.Steps += len(cs.path)
	row.Added += len(e.node) - before
	for i := len(cs.path) - 1; i >= 0; i-- {
		j := cs.path[i]
		moved = e.tighten(j) || moved
		e.refresh(e.node[j])
	}
	return moved || len(e.node) > before
}

// reuse times the excess of a node's gap over the width is what a bound may lose on the
// way from a sample to the node for the sample to stand for the node. Below ½, every
// trial moves a bound: if the gap at the sample were at most the width, the gap at the
// node would be at most width + 2·reuse·(gap − width), which is less than it is. So
// samples are far apart while the gaps are wide, and come closer as the gaps close.
const reuse = 0.25

// sampleNear returns the sample of (node, action), or else one whose bounds lose less
// than limit on the way to the node, or −1 if there is none.
func (e *continuousBounds) sampleNear(n int32, a int, limit float64) int32 {
	if j := e.sample[int(n)*len(e.spec.Actions)+a]; j >= 0 {
		return j
	}
	s, b, _ := e.nodeData(n)
	e.metric.Embed(e.point, s, b)
	if i, _ := e.shortfallOf[a].search(loss, e.point, limit, math.Inf(-1)); i >= 0 {
		return e.samplesOf[a][i]
	}
	return -1
}

// widestSuccessor returns the successor of sample j with the largest
// probability-weighted excess of its gap over width, or −1 if no gap exceeds it. It
// tightens the bounds of the successors that may be this one.
func (e *continuousBounds) widestSuccessor(j int32, width float64) (to int32) {
	worst, to := 0.0, int32(-1)
	from, end := e.successors(j)
	for k := from; k < end; k++ {
		if e.prob[k]*(e.gap(k)-width) <= worst {
			continue
		}
		e.refresh(k)
		if excess := e.prob[k] * (e.gap(k) - width); excess > worst {
			worst, to = excess, k
		}
	}
	return to
}

// explore searches, and begins again on a grid of half the step where simulated episodes, or
// the bounds themselves, refute the bounds: their grid, or the list of successors, was too
// coarse. It does so until the bounds hold, a limit or the time is up, or the grid is as fine as
// it may be. A run that is left without the episodes of the one before, as time was up, gives
// way to that.
//
// Where a list of actions stands for a Box it does not begin again: there the policy by dynamic
// programming on the grid stands in, which takes most of the time (see choose).
func (cs *continuousSearch) explore(ctx context.Context) (*runs.Run, error) {
	run, err := cs.exploreGrid(ctx)
	if bcpace.AbilitiesOf(cs.bounds.model).Behind != nil {
		return run, err
	}
	for err == nil && run.Stop == stop.Refuted && cs.bounds.halvings < mostHalvings {
		finer, fault := cs.onFinerGrid(ctx)
		if fault != nil {
			return run, run.Failed(fault)
		}
		if finer == nil {
			break
		}
		next, fault := finer.exploreGrid(ctx)
		if fault == nil && next.Certificate.Episodes < run.Certificate.Episodes {
			break
		}
		cs, run, err = finer, next, fault
	}
	return run, err
}

// onFinerGrid returns a search without samples on a grid of half the step and with a finer list
// of successors, or nil where no axis has a step, the grid would be too large or ctx ends
// before. The error is the model's.
func (cs *continuousSearch) onFinerGrid(ctx context.Context) (*continuousSearch, error) {
	s, m, axes := cs.run.Solver.(Solver), cs.bounds.model, cs.bounds.Latent.Axes
	limit := s.Grid.MaxPoints
	if limit == 0 {
		limit = mostPoints
	}
	if n := grid.Between(axes); n == 0 || grid.Points(axes) > limit>>n {
		return nil, nil
	}
	tables, err := solveContinuousTables(solverkit.WithControl(ctx, cs.control), m, s, cs.bounds.halvings+1)
	tooFine, tooLarge := new(bcpace.InputError), new(bcpace.UnsupportedError)
	switch {
	case err != nil && (ctx.Err() != nil || errors.As(err, &tooFine) || errors.As(err, &tooLarge)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	bounds := newContinuousBounds(m, tables, s.LipState, s.Epsilon)
	bounds.proof = cs.bounds.proof // which rests on the model alone
	return newContinuousSearch(bounds, s, cs.plan, cs.control)
}

const (
	// The gap has stalled if it is still stallShare of what it was stallSteps steps of trials
	// ago, but not if it is more than begunShare of the first one: then trials have yet to find
	// what pays, which may be far.
	stallSteps = 25_000
	stallShare = 0.98
	begunShare = 0.75
	// nearShare is the part of a start's gap with which the width of a trial then begins.
	nearShare = 0.8
)

// stall says whether the gap of a search has stalled in some round.
type stall struct {
	found bool
	// The rows from this one on have so many steps: stallSteps at least, if from > 0.
	from, steps int
}

// look looks at the last row of a trace; it must have looked at the others before.
func (s *stall) look(trace []runs.Episode) {
	if s.found || len(trace) == 0 {
		return
	}
	last := trace[len(trace)-1]
	s.steps += last.Steps
	for s.steps-trace[s.from].Steps >= stallSteps {
		s.steps -= trace[s.from].Steps
		s.from++
	}
	s.found = s.from > 0 && last.Gap > stallShare*trace[s.from-1].Gap && last.Gap <= begunShare*trace[0].Gap
}
