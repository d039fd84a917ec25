package bcpace

import (
	"context"
)

// certifier explores with expected backups until the envelope around the value
// at the start, and at each of Options.Starts, is at most ε wide. It is the trial-based search of HSVI (Smith
// and Simmons 2005) and SARSOP (Kurniawati et al. 2008), over state-belief
// nodes: a trial follows the action that is best by the upper bound and the
// successor with the largest probability-weighted excess of its gap over a width
// that grows with every step, and backs both bounds up on the way back.
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
type certifier struct {
	run    *Run
	set    settings
	env    *envelope
	starts []start
	nodes  []int32 // of the starts, and behind them of Options.Starts
	path   []visit

	least   float64 // η
	grow    float64 // (1−2η)/γ
	circles bool    // the next trials may visit a node twice
	trials  int32
	visited []int32 // by node: the last trial that did, from 1 on
}

// visit is a step of a trial.
type visit struct {
	node, sample int32
	width        float64
}

// certify is Explore for the certified algorithm.
func certify(ctx context.Context, m Model, opts Options) (*Run, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	f, ok := AsFinite(m)
	if !ok {
		return nil, &UnsupportedError{Model: m.Spec().Name, Algorithm: string(Certified),
			Need: "numbered states (Finite), for exact expected backups and α-vectors"}
	}
	set, err := opts.resolve(m)
	if err != nil {
		return nil, err
	}
	env, err := openEnvelope(ctx, f)
	if err != nil {
		return nil, err
	}
	env.epsilon = set.Epsilon
	x := &certifier{set: set, env: env, least: (1 - env.discount) / 50}
	x.grow = (1 - 2*x.least) / env.discount
	if x.starts, err = startsOf(m); err != nil {
		return nil, err
	}
	for _, s := range x.starts {
		x.nodes = append(x.nodes, env.nodeOf(f.StateIndex(s.state), s.belief))
	}
	for _, p := range set.Starts {
		x.nodes = append(x.nodes, env.nodeOf(f.StateIndex(p.State), p.Belief))
	}
	x.run = &Run{Spec: m.Spec(), Options: opts, model: m, values: env}
	for x.run.Stop == "" {
		x.round(ctx)
	}
	x.run.Samples = env.list()
	return x.run, nil
}

// openEnvelope computes the first bounds of a model.
func openEnvelope(ctx context.Context, m Finite) (*envelope, error) {
	d, err := newDynamics(ctx, m)
	if err != nil {
		return nil, err
	}
	bounds, err := SolveBounds(ctx, m, 0)
	if err != nil {
		return nil, err
	}
	return newEnvelope(m, d, bounds), nil
}

// round plays one trial from each start and decides whether to go on.
func (x *certifier) round(ctx context.Context) {
	row := Episode{}
	x.env.trials = len(x.run.Trace)
	moved := false
	slack := x.env.certificate(0, 0).Gap()
	for _, n := range x.nodes {
		moved = x.trial(n, x.set.Epsilon-slack, &row) || moved
	}
	lower, upper := x.bounds()
	apart := x.apart()
	row.Value, row.Gap = upper, upper-lower
	row.Escapes = row.Added
	x.run.Steps += row.Steps
	x.run.Trace = append(x.run.Trace, row)
	x.run.Value = upper
	x.run.Certificate = x.env.certificate(lower, upper)
	if x.set.Progress != nil {
		x.set.Progress(Progress{Episodes: len(x.run.Trace), Samples: len(x.env.q), Steps: x.run.Steps, Value: upper, Gap: max(upper-lower, apart)})
	}
	switch {
	case x.run.Certificate.Gap() <= x.set.Epsilon && apart+x.env.certificate(0, 0).Gap() <= x.set.Epsilon:
		x.run.Stop = StopCertified
	case !moved && x.circles:
		x.run.Stop = StopRounding
	default:
		x.run.Stop = x.set.spent(ctx, len(x.run.Trace), len(x.env.q))
	}
	x.circles = !moved
}

// bounds returns the certificate's bounds: the means over the starts.
func (x *certifier) bounds() (lower, upper float64) {
	for i, s := range x.starts {
		n := x.nodes[i]
		x.env.refresh(n)
		lower += s.weight * x.env.lowerAt(n)
		upper += s.weight * x.env.top[n]
	}
	return lower, upper
}

// apart returns the largest gap at Options.Starts.
func (x *certifier) apart() (gap float64) {
	for _, n := range x.nodes[len(x.starts):] {
		x.env.refresh(n)
		gap = max(gap, x.env.gap(n))
	}
	return gap
}

// trial goes down from node n while the gap exceeds the width, and backs up on
// the way back. It reports whether anything moved.
func (x *certifier) trial(n int32, width float64, row *Episode) (moved bool) {
	e := x.env
	x.path = x.path[:0]
	x.trials++
	before := len(e.q)
	for ; ; width *= x.grow {
		a := e.refresh(n)
		if e.gap(n) <= width {
			break
		}
		if x.set.MaxSamples > 0 && len(e.q) >= x.set.MaxSamples && e.sample[int(n)*e.actions+a] < 0 {
			break
		}
		j := e.sampleAt(n, a)
		x.path = append(x.path, visit{n, j, width})
		if n = x.follow(n, j, width*x.grow); n < 0 || len(x.path) >= maxTrial {
			break
		}
	}
	row.Steps += len(x.path)
	row.Added += len(e.q) - before
	for i := len(x.path) - 1; i >= 0; i-- {
		moved = x.backup(x.path[i]) || moved
	}
	return moved || len(e.q) > before
}

// follow returns the successor of sample j at node n whose gap exceeds width
// most, weighted by its probability, or −1.
func (x *certifier) follow(n, j int32, width float64) int32 {
	e := x.env
	for len(x.visited) < len(e.state) {
		x.visited = append(x.visited, 0)
	}
	x.visited[n] = x.trials
	worst, to := 0.0, int32(-1)
	for _, k := range e.kids(j) {
		if k.node < 0 || x.visited[k.node] == x.trials && !x.circles {
			continue
		}
		if excess := k.prob * (e.gap(k.node) - width); excess > worst {
			worst, to = excess, k.node
		}
	}
	return to
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
	for _, j := range e.sample[int(v.node)*e.actions:][:e.actions] {
		if j >= 0 && e.backupLower(j, least) {
			moved = true
		}
	}
	return moved
}
