package certified

import (
	"context"
	"errors"
	"runtime"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// finiteSearch explores with expected backups until the bounds at the start, and at each
// of Solver.Starts, are at most ε apart. It is the trial-based search of HSVI (Smith and
// Simmons 2005) and SARSOP (Kurniawati et al. 2008), over state-belief nodes. A trial
// takes the action with the largest upper bound, and goes to the successor with the
// largest probability-weighted excess of its gap over a width, which grows with every
// step. On the way back it backs up both bounds.
//
// A backup that would move a bound by less than η = (1−γ)/50 times the width w of its
// step is left out: small moves cost samples and vectors, and hardly help. The width of
// the next step is w·(1−2η)/γ. So if no successor's gap exceeds that, the gap after the
// backup is at most γ·w(1−2η)/γ + 2ηw = w; and if the gap of a step exceeds w while
// those of its successors do not, a bound moves.
//
// A trial does not visit a node twice: what it learns on the way back reaches the next
// trial anyway. If no bound moves, trials of the next round may visit nodes again, until
// the width ends them.
//
// With Solver.Batch a round plays that many trials from each start side by side, all
// with the bounds as they stand (Proposition Batch Sample Update, and the concurrent
// exploration of Pazis and Parr 2016). The excess of a node that c trials have taken
// counts 1/(1+c), so that the trials spread. Backups follow in the order of the trials.
type finiteSearch struct {
	searchBase
	bounds  *finiteBounds
	nodes   []int32 // those of the model's starts, then those of Solver.Starts
	trials  []trial // of a round: one, or a batch for each of nodes
	batched bool

	minMove     float64 // η
	widthGrowth float64 // (1−2η)/γ
	revisit     bool    // trials of the next round may visit a node twice
	workers     int
	newNodes    []int32 // the nodes whose bounds are not computed yet
	taken       []int32 // by node: how many trials of the batch have visited it
	lower       lowerSearch
	fault       error // bounds that cross, as those of a model do that contradicts itself
}

// trial is a path of state-belief nodes from a start.
type trial struct {
	node    int32 // the node reached
	width   float64
	path    []visit
	ended   bool
	number  int32
	visited []int32 // by node: the number of the last trial that visited it
}

// visit is a step of a trial.
type visit struct {
	node, sample int32
	width        float64
}

// newFiniteSearch returns a search with bounds that have no samples yet.
func newFiniteSearch(m bcpace.Model, bounds *finiteBounds, solver Solver, plan runs.Plan, c bcpace.Control) (*finiteSearch, error) {
	x := &finiteSearch{bounds: bounds, minMove: bounds.Rate / 50, trials: make([]trial, 1), workers: c.Workers}
	x.widthGrowth = (1 - 2*x.minMove) / bounds.Discount
	bounds.epsilon = plan.Epsilon
	x.plan, x.control, x.batched = plan, c, solver.Batch > 0
	var err error
	if x.starts, err = bcpace.StartsOf(m); err != nil {
		return nil, err
	}
	// Which beliefs share a node depends on the order in which they come, so every search of a
	// model must add the same nodes first.
	for _, s := range x.starts {
		x.nodes = append(x.nodes, bounds.nodeOf(bounds.StateIndex(s.State), s.Belief))
	}
	for _, p := range plan.Starts {
		x.nodes = append(x.nodes, bounds.nodeOf(bounds.StateIndex(p.State), p.Belief))
	}
	if x.batched {
		x.trials = make([]trial, solver.Batch*len(x.nodes))
	}
	if x.workers == 0 {
		x.workers = runtime.GOMAXPROCS(0)
	}
	x.run = runs.New(m, solver, plan, bounds, x)
	return x, nil
}

// explore plays rounds until there is a reason to stop.
func (fs *finiteSearch) explore(ctx context.Context) (*runs.Run, error) {
	for fs.run.Stop == "" && fs.fault == nil {
		fs.round(ctx)
	}
	if fs.fault != nil {
		return nil, fs.fault
	}
	fs.run.Finish()
	return fs.run, nil
}

// solveFiniteBounds computes the initial bounds of a model that the options choose, from
// the tables that it returns beside them. Where ctx ends, these are the ones so far.
func solveFiniteBounds(ctx context.Context, m bcpace.Finite, s Solver) (*finiteBounds, *dp.FiniteBounds, error) {
	if err := solverkit.CheckStationary(m, s.Name()); err != nil {
		return nil, nil, err
	}
	all, err := dp.ListTransitions(ctx, m)
	if err != nil {
		return nil, nil, nameAlgorithm(err)
	}
	t := all.Aggregate()
	if err := t.Fits(searchBytes(t)); err != nil {
		return nil, nil, nameAlgorithm(err)
	}
	bounds, err := t.Bounds(ctx, s.tolerance(t))
	if err != nil {
		return nil, bounds, nameAlgorithm(err)
	}
	o, err := newInitialBounds(bounds, m.Spec(), s)
	if err != nil {
		return nil, nil, err
	}
	return newFiniteBounds(m, t, bounds.Latent.Disaggregate(), bounds.Blind.Vector, o), bounds, nil
}

// searchBytes returns the size in bytes of what newFiniteBounds makes: for each state an
// index of beliefs and a set of vectors, for each row its lists and its blind vector twice.
// Those of an index and of a set are measured, without a belief in them.
func searchBytes(t *dp.Transitions) float64 {
	const index, set, list = 350, 64, 24
	states, rows := float64(t.States), float64(t.States)*float64(t.Actions)
	_, entries := t.Entries(t.States*t.Actions - 1)
	return states*(index+set+list) + rows*(2*list+2*8*float64(t.Latents)+8+4+4) + 4*float64(entries)
}

// boundsShare is the error allowed in the first bounds of a large model, as a part of ε. The
// search may have to live with it, where no backup improves on them.
const boundsShare = 1e-2

// tolerance returns the error allowed in the first bounds. 0 is what they have by default:
// in a small model that takes no time.
func (s Solver) tolerance(t *dp.Transitions) float64 {
	if t.States*t.Latents < mdp.Large {
		return 0
	}
	return boundsShare * s.Epsilon
}

// nameAlgorithm adds the name of this algorithm to an error of tables that are too large.
func nameAlgorithm(err error) error {
	if large := new(bcpace.UnsupportedError); errors.As(err, &large) {
		large.Algorithm = Solver{}.Name()
	}
	return err
}

// round plays a trial, or a batch, from each start and decides whether to continue.
func (fs *finiteSearch) round(ctx context.Context) {
	row := runs.Episode{}
	fs.bounds.trials = len(fs.run.Trace)
	fs.cutShort = false
	fs.recordRound()
	samples, moved := len(fs.bounds.q), false
	// If the margins for rounding exceed ε, the search continues until no bound moves.
	down, up := fs.bounds.margins()
	width := max(fs.plan.Epsilon-(down+up), fs.plan.Epsilon/100)
	if fs.batched {
		for i := range fs.trials {
			fs.trials[i].begin(fs.nodes[i%len(fs.nodes)], width)
		}
		moved = fs.playBatch(ctx, &row)
	} else {
		t := &fs.trials[0]
		for _, n := range fs.nodes {
			t.begin(n, width)
			for !runs.Late(ctx) && fs.step(t) {
				for _, k := range fs.newNodes {
					fs.bounds.initBounds(k)
				}
				fs.newNodes = fs.newNodes[:0]
				fs.descend(t)
			}
			row.Steps += len(t.path)
			moved = fs.backupTrial(ctx, t) || moved
		}
	}
	moved = fs.raiseLower(ctx) || moved
	row.Added = len(fs.bounds.q) - samples
	moved = moved || row.Added > 0
	lower, upper := fs.boundsAtStart()
	gapStarts := fs.gapAtStarts()
	row.Value, row.Gap = upper, upper-lower
	if fs.run.Certificate, fs.fault = fs.bounds.certificate(lower, upper); fs.fault != nil {
		return
	}
	down, up = fs.bounds.margins()
	reached := fs.run.Certificate.Gap() <= fs.plan.Epsilon && gapStarts+(down+up) <= fs.plan.Epsilon
	stuck := !moved && fs.revisit
	fs.revisit = !moved
	fs.endRound(ctx, row, len(fs.bounds.q), max(row.Gap, gapStarts), reached, stuck)
}

// boundsAtStart returns the means of both bounds over the model's starts.
func (fs *finiteSearch) boundsAtStart() (lower, upper float64) {
	for i, s := range fs.starts {
		l, u := fs.bounds.boundsAt(fs.nodes[i], s.Belief)
		lower, upper = lower+s.Weight*l, upper+s.Weight*u
	}
	return lower, upper
}

// gapAtStarts returns the largest gap at Solver.Starts.
func (fs *finiteSearch) gapAtStarts() (gap float64) {
	for i, p := range fs.plan.Starts {
		l, u := fs.bounds.boundsAt(fs.nodes[len(fs.starts)+i], p.Belief)
		gap = max(gap, u-l)
	}
	return gap
}

// begin starts a trial at a node.
func (t *trial) begin(n int32, width float64) {
	t.node, t.width, t.path, t.ended = n, width, t.path[:0], false
	t.number++
}

// step takes the best action at the node that t has reached, and appends the new
// successors to newNodes. It reports whether t continues, which it does while the gap of
// its node exceeds its width.
func (fs *finiteSearch) step(t *trial) bool {
	if t.ended {
		return false
	}
	e := fs.bounds
	a := e.refresh(t.node)
	t.ended = e.gap(t.node) <= t.width || len(t.path) >= maxTrial
	if !t.ended && e.sample[int(t.node)*e.Actions+a] < 0 && fs.samplesSpent(len(e.q)) {
		t.ended, fs.cutShort = true, true
	}
	if t.ended {
		return false
	}
	known := int32(len(e.state))
	t.path = append(t.path, visit{t.node, e.sampleAt(t.node, a), t.width})
	for n := known; n < int32(len(e.state)); n++ {
		fs.newNodes = append(fs.newNodes, n)
	}
	t.width *= fs.widthGrowth
	return true
}

// descend moves t to the successor with the largest probability-weighted excess of its
// gap over the width, or ends t if no gap exceeds it.
func (fs *finiteSearch) descend(t *trial) {
	e := fs.bounds
	t.visited = append(t.visited, make([]int32, len(e.state)-len(t.visited))...)
	last := t.path[len(t.path)-1]
	t.visited[last.node] = t.number
	worst, to := 0.0, int32(-1)
	for _, k := range e.successors(last.sample) {
		if k.node < 0 || t.visited[k.node] == t.number && !fs.revisit {
			continue
		}
		excess := k.prob * (e.gap(k.node) - t.width)
		if fs.batched {
			excess /= float64(1 + fs.taken[k.node])
		}
		if excess > worst {
			worst, to = excess, k.node
		}
	}
	t.node, t.ended = to, to < 0
}

// backupTrial backs up both bounds from the end of a trial to its start, and reports
// whether any moved. Where it is late, the rest is left as it is: the bounds hold at any time.
func (fs *finiteSearch) backupTrial(ctx context.Context, t *trial) (moved bool) {
	for i := len(t.path) - 1; i >= 0 && !runs.Late(ctx); i-- {
		moved = fs.backupVisit(t.path[i]) || moved
	}
	return moved || runs.Late(ctx)
}

// maxTrial limits the steps of a trial for γ next to 1: with γ = 0.999 and a gap of
// 10⁹·ε the width ends a trial after about 20,000 steps.
const maxTrial = 100_000

// backupVisit raises the lower and lowers the upper bound at a step of a trial.
func (fs *finiteSearch) backupVisit(v visit) (moved bool) {
	e := fs.bounds
	least := fs.minMove * v.width
	moved = e.backupUpper(v.sample, least)
	e.refresh(v.node)
	for _, j := range e.sample[int(v.node)*e.Actions:][:e.Actions] {
		if j >= 0 && e.backupLower(j, least) {
			moved = true
		}
	}
	return moved
}

// callsEach is how many nodes are worth the time that it takes to wake a worker.
const callsEach = 4

// playBatch plays the trials that have begun side by side, step by step. It adds new
// nodes in the order of the trials, and the workers share the computation of their
// bounds and, after the backups, the pruning of the sets of vectors. Neither depends on
// which worker does it, nor when. When ctx ends, the trials go no deeper, and are backed
// up from where they are.
func (fs *finiteSearch) playBatch(ctx context.Context, row *runs.Episode) (moved bool) {
	e := fs.bounds
	for going := true; going; {
		going = false
		for i := range fs.trials {
			going = fs.step(&fs.trials[i]) || going
		}
		side.Each(min(fs.workers, len(fs.newNodes)/callsEach), len(fs.newNodes), func(_, i int) { e.initBounds(fs.newNodes[i]) })
		fs.newNodes = fs.newNodes[:0]
		fs.taken = append(fs.taken, make([]int32, len(e.state)-len(fs.taken))...)
		for i := range fs.trials {
			if t := &fs.trials[i]; !t.ended {
				fs.descend(t)
				if !t.ended {
					fs.taken[t.node]++
				}
			}
		}
		if going && ctx.Err() != nil {
			fs.cutShort = true
			break
		}
	}
	for i := range fs.trials {
		for _, v := range fs.trials[i].path {
			fs.taken[v.node] = 0
		}
		if n := fs.trials[i].node; n >= 0 {
			fs.taken[n] = 0
		}
	}
	e.deferPruning = true
	for i := range fs.trials {
		row.Steps += len(fs.trials[i].path)
		moved = fs.backupTrial(ctx, &fs.trials[i]) || moved
	}
	e.deferPruning = false
	side.Each(fs.workers, e.States, func(_, s int) { e.best[s].Settle() })
	return moved
}
