package certified

import (
	"context"
	"errors"
	"runtime"

	"bayescpace/bcpace"
)

// certifier explores with expected backups until the envelope around the value
// at the start, and at each of Solver.Starts, is at most ε wide. It is the
// trial-based search of HSVI (Smith and Simmons 2005) and SARSOP (Kurniawati et
// al. 2008), over state-belief nodes: a trial follows the action that is best by
// the upper bound and the successor with the largest probability-weighted excess
// of its gap over a width that grows with every step, and backs both bounds up on
// the way back.
//
// A bound that would move by less than η times the width w of its step stays as
// it is, η = (1−γ)/50: small moves cost samples and vectors and hardly help. The
// width of the next step is w·(1−2η)/γ. So if no successor's gap exceeds that,
// the gap after the backup is at most γ·w(1−2η)/γ + 2ηw = w; and where the gap
// of a step exceeds w while those of its successors do not, a bound moves.
//
// A trial passes by nodes that it has visited, as what it learns on the way back
// shows in the next trial too. Where such a trial moves nothing, the next one
// may go in circles until the width ends it.
//
// With Solver.Batch a round plays that many trials from each start side by side,
// against the bounds as they stand (Proposition Batch Sample Update, and the
// concurrent exploration of Pazis and Parr 2016). A node that c of them have
// taken counts for 1/(1+c) of its excess, so that they spread. Their backups
// follow in the order of the trials.
type certifier struct {
	search
	env     *envelope
	nodes   []int32 // of the starts, and behind them of Solver.Starts
	trials  []trial // a round of them: one, or a batch for each of nodes
	batched bool

	least   float64 // η
	grow    float64 // (1−2η)/γ
	circles bool    // the next trials may visit a node twice
	workers int
	looks   []int32 // the nodes to look at
	taken   []int32 // by node: how many trials of a batch have taken it
	fault   error   // of a model that contradicts itself
}

// trial is a way down from a start.
type trial struct {
	at      int32 // the node reached
	width   float64
	path    []visit
	over    bool
	number  int32
	visited []int32 // by node: the number of the last trial that visited it
}

// visit is a step of a trial.
type visit struct {
	node, sample int32
	width        float64
}

// newCertifier begins an exploration in an envelope without samples.
func newCertifier(m bcpace.Model, env *envelope, solver Solver, plan bcpace.Plan, c bcpace.Control) (*certifier, error) {
	x := &certifier{env: env, least: env.Rate / 50, trials: make([]trial, 1), workers: c.Workers}
	x.grow = (1 - 2*x.least) / env.Discount
	env.epsilon = plan.Epsilon
	x.plan, x.control, x.batched = plan, c, solver.Batch > 0
	var err error
	if x.starts, err = bcpace.StartsOf(m); err != nil {
		return nil, err
	}
	x.nodes = env.begin(x.starts, plan.Starts)
	if x.batched {
		x.trials = make([]trial, solver.Batch*len(x.nodes))
	}
	if x.workers == 0 {
		x.workers = runtime.GOMAXPROCS(0)
	}
	x.run = bcpace.NewRun(m, solver, plan, env, x)
	return x, nil
}

// explore goes on until there is a reason to stop.
func (x *certifier) explore(ctx context.Context) (*bcpace.Run, error) {
	for x.run.Stop == "" && x.fault == nil {
		x.round(ctx)
	}
	if x.fault != nil {
		return nil, x.fault
	}
	x.run.Finish()
	return x.run, nil
}

// openEnvelope computes the first bounds of a model, those that the options ask
// for.
func openEnvelope(ctx context.Context, m bcpace.Finite, s Solver) (*envelope, error) {
	if err := bcpace.CheckStationary(m, s.Name()); err != nil {
		return nil, err
	}
	all, err := bcpace.ListTransitions(ctx, m)
	if err != nil {
		return nil, needsLess(err)
	}
	t := all.Aggregate()
	bounds, err := t.Bounds(ctx, 0)
	if err != nil {
		return nil, needsLess(err)
	}
	o, err := newOutset(bounds, m.Spec(), s)
	if err != nil {
		return nil, err
	}
	return newEnvelope(m, t, bounds.Latent.Disaggregate(), bounds.Blind.Vector, o), nil
}

// needsLess has an error of too large tables name the algorithm that needs them.
func needsLess(err error) error {
	if large := new(bcpace.UnsupportedError); errors.As(err, &large) {
		large.Algorithm = Solver{}.Name()
	}
	return err
}

// round plays a trial, or a batch, from each start and decides whether to go on.
func (x *certifier) round(ctx context.Context) {
	row := bcpace.Episode{}
	x.env.trials = len(x.run.Trace)
	x.cut = false
	x.open()
	samples, moved := len(x.env.q), false
	// Where rounding alone takes up ε, it goes on until nothing moves.
	down, up := x.env.margins()
	width := max(x.plan.Epsilon-(down+up), x.plan.Epsilon/100)
	if x.batched {
		for i := range x.trials {
			x.trials[i].begin(x.nodes[i%len(x.nodes)], width)
		}
		moved = x.batch(ctx, &row)
	} else {
		t := &x.trials[0]
		for _, n := range x.nodes {
			t.begin(n, width)
			for x.step(t) {
				for _, k := range x.looks {
					x.env.look(k)
				}
				x.looks = x.looks[:0]
				x.follow(t)
			}
			row.Steps += len(t.path)
			moved = x.backups(t) || moved
		}
	}
	row.Added = len(x.env.q) - samples
	moved = moved || row.Added > 0
	lower, upper := x.bounds()
	apart := x.apart()
	row.Value, row.Gap = upper, upper-lower
	if x.run.Certificate, x.fault = x.env.certificate(lower, upper); x.fault != nil {
		return
	}
	down, up = x.env.margins()
	reached := x.run.Certificate.Gap() <= x.plan.Epsilon && apart+(down+up) <= x.plan.Epsilon
	stuck := !moved && x.circles
	x.circles = !moved
	x.end(ctx, row, len(x.env.q), max(row.Gap, apart), reached, stuck)
}

// bounds returns the certificate's bounds: the means over the starts.
func (x *certifier) bounds() (lower, upper float64) {
	for i, s := range x.starts {
		l, u := x.env.boundsAt(x.nodes[i], s.Belief)
		lower, upper = lower+s.Weight*l, upper+s.Weight*u
	}
	return lower, upper
}

// apart returns the largest gap at Solver.Starts.
func (x *certifier) apart() (gap float64) {
	for i, p := range x.plan.Starts {
		l, u := x.env.boundsAt(x.nodes[len(x.starts)+i], p.Belief)
		gap = max(gap, u-l)
	}
	return gap
}

// begin starts a trial at a node.
func (t *trial) begin(n int32, width float64) {
	t.at, t.width, t.path, t.over = n, width, t.path[:0], false
	t.number++
}

// step takes the best action at the node that t has reached, and puts the new
// successors on the list of nodes to look at. It reports whether t goes on: its
// gap exceeds its width.
func (x *certifier) step(t *trial) bool {
	if t.over {
		return false
	}
	e := x.env
	a := e.refresh(t.at)
	t.over = e.gap(t.at) <= t.width || len(t.path) >= maxTrial
	if !t.over && e.sample[int(t.at)*e.Actions+a] < 0 && x.full(len(e.q)) {
		t.over, x.cut = true, true
	}
	if t.over {
		return false
	}
	known := int32(len(e.state))
	t.path = append(t.path, visit{t.at, e.sampleAt(t.at, a), t.width})
	for n := known; n < int32(len(e.state)); n++ {
		x.looks = append(x.looks, n)
	}
	t.width *= x.grow
	return true
}

// follow moves t to the successor whose gap exceeds the width most, weighted by
// its probability, or ends it where there is none.
func (x *certifier) follow(t *trial) {
	e := x.env
	t.visited = append(t.visited, make([]int32, len(e.state)-len(t.visited))...)
	last := t.path[len(t.path)-1]
	t.visited[last.node] = t.number
	worst, to := 0.0, int32(-1)
	for _, k := range e.kids(last.sample) {
		if k.node < 0 || t.visited[k.node] == t.number && !x.circles {
			continue
		}
		excess := k.prob * (e.gap(k.node) - t.width)
		if x.batched {
			excess /= float64(1 + x.taken[k.node])
		}
		if excess > worst {
			worst, to = excess, k.node
		}
	}
	t.at, t.over = to, to < 0
}

// backups backs both bounds up on the way back, and says whether any moved.
func (x *certifier) backups(t *trial) (moved bool) {
	for i := len(t.path) - 1; i >= 0; i-- {
		moved = x.backup(t.path[i]) || moved
	}
	return moved
}

// maxTrial ends a trial that no discount ends: with γ = 0.999 and a gap of 10⁹·ε
// a trial takes about 20,000 steps.
const maxTrial = 100_000

// backup raises the lower and lowers the upper bound at a step of a trial.
func (x *certifier) backup(v visit) (moved bool) {
	e := x.env
	least := x.least * v.width
	moved = e.backupUpper(v.sample, least)
	e.refresh(v.node)
	for _, j := range e.sample[int(v.node)*e.Actions:][:e.Actions] {
		if j >= 0 && e.backupLower(j, least) {
			moved = true
		}
	}
	return moved
}
