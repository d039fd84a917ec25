package pac

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Audit is what an exploration did at every step, beside what the theorems promise.
// The setting's N is the largest set of queries farther apart than ε/L_Q̃ that was found
// or, for Bounded, an upper bound of it.
type Audit struct {
	Analysis Analysis
	// Run is the exploration.
	Run *runs.Run
	// Cover bounds N_B(ε/L_Q̃) and its kin over the reachable (s, b), times the number
	// of actions. The analysis uses Independence.Upper, for which the theorem holds.
	Cover cover.Numbers

	// Steps is the number of steps taken, with the policy of each moment.
	Steps int
	// BelowEpsilon counts those at which the policy's value from there on was more than
	// ε below the best (Definition Sample Complexity), and BelowGuarantee those at which
	// it was more than Analysis.Guarantee below, to be compared with Analysis.M.
	BelowEpsilon, BelowGuarantee int
	// EscapeSteps counts the steps at which the probability of an unknown query within
	// T more steps exceeded Analysis.EscapeThreshold, to be compared with
	// Analysis.EscapeSteps; Escapes those at which a query was unknown.
	EscapeSteps, Escapes int
	// Policies has a row for each policy of the exploration, in order.
	Policies []PolicyRow
	// Accuracy bounds the error of every gap that was looked at: half the widths of the
	// brackets of V* and V^π, and what merging beliefs does to either. The counts are of
	// the middles of the brackets.
	Accuracy float64
}

// PolicyRow tells about one policy: that of the sample set at some moment.
type PolicyRow struct {
	Samples int // in the set
	Steps   int // taken with it
	// MeanGap and MaxGap are of V* − V^π at those steps, MeanEscape and MaxEscape of the
	// probability of an unknown query within T steps. NaN where no step was taken.
	MeanGap, MaxGap, MeanEscape, MaxEscape float64
	// StartGap and StartEscape are those at the start.
	StartGap, StartEscape float64
}

// AuditOptions of NewAudit. Every zero value is useful.
type AuditOptions struct {
	// Delta is δ. 0 means 0.05.
	Delta float64
	// Tolerance is the error allowed in a value, in reward units. 0 means
	// 1e-6·max(solverkit.Unit, range of rewards).
	Tolerance float64
	// MaxNodes is the most reachable (s, b). 0 means 100,000: each policy is asked at
	// all of them.
	MaxNodes int
}

// NewAudit explores m with those options and looks at the policy of every moment. The
// model must have numbered states and no horizon, and its optimum is computed by dynamic
// programming.
//
// Explore keeps only its last estimate. That of an earlier moment comes from exploring
// again, with MaxSamples (or, where o.Batch is set, MaxEpisodes) at what there was then:
// episode i has a random stream of its own, so that the shorter exploration is a prefix
// of the longer one, sample for sample. The episodes are then played again from those
// streams, each step with the policy of its moment, and NewAudit checks that this makes
// the same samples. An exploration with n samples costs n explorations and n evaluations
// of a policy at all reachable points; those of some hundred samples and some thousand
// points are the ones to audit.
//
// The error is an *bcpace.UnsupportedError or *bcpace.InputError for a model or options
// that cannot be audited, an *eval.LimitError for too many reachable points, or what
// Explore returns. Where ctx ends there is no audit, but its error.
func NewAudit(ctx context.Context, m bcpace.Model, o cpace.Solver, a AuditOptions) (*Audit, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	a.Delta = cmp.Or(a.Delta, 0.05)
	a.MaxNodes = cmp.Or(a.MaxNodes, 100_000)
	a.Tolerance = cmp.Or(a.Tolerance, 1e-6*max(solverkit.Unit(spec), spec.RewardMax-spec.RewardMin))
	if o.RandomBelief || len(o.Starts) > 0 {
		return nil, bcpace.In("audit").Bad("RandomBelief, Starts", fmt.Sprintf("%v, %d of them", o.RandomBelief, len(o.Starts)), "false and none: the reachable points are those from the prior")
	}
	o.CertificateEpisodes = -1 // an audit has exact values
	if o.Latent == nil && o.Bound != cpace.BoundConstant {
		if q, err := dp.SolveLatent(ctx, m); err == nil { // once for all explorations
			o.Latent = q
		}
	}
	full, err := explore(ctx, m, o)
	if err != nil {
		return nil, err
	}
	setting := SettingOf(m, o, a.Delta, 1)
	horizon, err := Horizon(setting.Epsilon, setting.Discount, setting.RMax)
	if err != nil {
		return nil, err
	}
	rollout := 0
	for _, e := range full.Trace {
		rollout = max(rollout, e.Steps)
	}
	lookahead := int(math.Ceil(horizon))
	best, err := reachable(ctx, m, cover.ReachOptions{Depth: rollout + lookahead, MaxNodes: a.MaxNodes, Tolerance: a.Tolerance})
	if err != nil {
		return nil, err
	}
	audit := &Audit{Run: full}
	if err := audit.promise(ctx, m, setting, o, a.MaxNodes); err != nil {
		return nil, err
	}
	p := newEvaluator(m, full, o.Seed, best, lookahead, a.Tolerance)
	for at := range moments(full, o) { // each policy is evaluated, and plays the steps that the exploration took with it
		run, err := explored(ctx, m, o, full, at)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if err := p.policy(ctx, run, o); err != nil {
			return nil, err
		}
		if err := audit.play(p, at); err != nil {
			return nil, err
		}
	}
	if audit.Steps != full.Steps || audit.Escapes != p.escapes() {
		return nil, differs(spec, fmt.Sprintf("%d steps and %d escapes when played again, %d and %d at first", audit.Steps, audit.Escapes, full.Steps, p.escapes()))
	}
	audit.Accuracy = p.halves + 2*best.Error
	return audit, nil
}

// explored returns an exploration, of which full is the whole, as far as a moment; nil where it had no sample yet.
func explored(ctx context.Context, m bcpace.Model, o cpace.Solver, full *runs.Run, at moment) (*runs.Run, error) {
	switch {
	case at.first:
		return nil, nil
	case at.last:
		return full, nil
	case o.Batch > 0:
		o.MaxEpisodes = at.from.episode
	default:
		o.MaxSamples = at.samples
	}
	run, err := explore(ctx, m, o)
	if err == nil && run.Samples.Len() != at.samples {
		err = differs(m.Spec(), fmt.Sprintf("%d samples after a shorter exploration, and %d in the longer one", run.Samples.Len(), at.samples))
	}
	return run, err
}

func differs(spec bcpace.Spec, what string) error {
	return &bcpace.ConformanceError{Model: spec.Name, What: "the same seed made another exploration: " + what}
}

// explore is runs.Explore with the context's end as an error.
func explore(ctx context.Context, m bcpace.Model, o cpace.Solver) (*runs.Run, error) {
	r, err := o.Explore(ctx, m, bcpace.Control{})
	return r, cmp.Or(err, ctx.Err())
}

// reachable tries all points first, which may be few although episodes are long.
func reachable(ctx context.Context, m bcpace.Model, o cover.ReachOptions) (*cover.Optimum, error) {
	all := o
	all.Depth = 0
	if x, err := cover.NewOptimum(ctx, m, all); err == nil {
		return x, nil
	}
	return cover.NewOptimum(ctx, m, o)
}

// promise computes what the theorems say, with the covering number of the reachable
// points.
func (a *Audit) promise(ctx context.Context, m bcpace.Model, s Setting, o cpace.Solver, maxNodes int) error {
	reach := cover.ReachOptions{Alpha: o.Alpha, MaxNodes: maxNodes}
	r, err := cover.Reach(ctx, m, reach)
	if err != nil {
		for _, e := range a.Run.Trace {
			reach.Depth = max(reach.Depth, e.Steps)
		}
		if r, err = cover.Reach(ctx, m, reach); err != nil {
			return err
		}
	}
	if a.Cover, err = cover.Number(ctx, r.Points, a.Run.Radius(), cover.Options{}); err != nil {
		return err
	}
	actions := len(m.Spec().Actions)
	s.Cover = float64(max(1, a.Cover.Independence.Upper*actions))
	if o.SeedOneHot {
		radius, err := SeedRadius(s.Epsilon, s.LipQ, s.Discount)
		if err != nil {
			return err
		}
		left, err := cover.Number(ctx, r.Reduced(radius).Points, a.Run.Radius(), cover.Options{})
		if err != nil {
			return err
		}
		s.Seeded, s.Reduced = true, min(float64(left.Independence.Upper*actions), s.Cover)
	}
	a.Analysis, err = Analyse(s)
	return err
}

// place is a step of an exploration: step t of an episode.
type place struct{ episode, t int }

func (p place) before(q place) bool {
	return p.episode < q.episode || p.episode == q.episode && p.t < q.t
}

// moment is a stretch of steps with one policy.
type moment struct {
	samples     int // in the set
	from, to    place
	first, last bool // no sample yet; the policy in the end
}

// moments lists the stretches of an exploration.
func moments(r *runs.Run, o cpace.Solver) func(yield func(moment) bool) {
	return func(yield func(moment) bool) {
		n, end := r.Samples.Len(), place{len(r.Trace), 0}
		from, samples := place{}, 0
		for {
			to := end
			if o.Batch > 0 {
				if e := from.episode + o.Batch; e < end.episode {
					to = place{e, 0}
				}
			} else if samples < n {
				s := r.Samples.At(samples)
				to = place{s.Episode, s.Time + 1} // the step that found it is still ours
			}
			if !yield(moment{samples: samples, from: from, to: to, first: samples == 0, last: samples == n}) || !to.before(end) {
				return
			}
			from = to
			if o.Batch == 0 {
				samples++
				continue
			}
			for samples < n && r.Samples.At(samples).Episode < to.episode {
				samples++
			}
		}
	}
}

// play takes the steps of a moment and counts.
func (a *Audit) play(p *evaluator, at moment) error {
	row := PolicyRow{Samples: at.samples, MeanGap: math.NaN(), MaxGap: math.NaN(), MeanEscape: math.NaN(), MaxEscape: math.NaN()}
	row.StartGap, row.StartEscape = p.start()
	sumGap, sumEscape := 0.0, 0.0
	err := p.play(at.from, at.to, func(node int, known bool) {
		gap, escape := p.gap(node), p.escape[node]
		if row.Steps == 0 {
			row.MaxGap, row.MaxEscape = gap, escape
		}
		row.MaxGap, row.MaxEscape = max(row.MaxGap, gap), max(row.MaxEscape, escape)
		sumGap, sumEscape = sumGap+gap, sumEscape+escape
		row.Steps++
		if gap > a.Analysis.Setting.Epsilon {
			a.BelowEpsilon++
		}
		if gap > a.Analysis.Guarantee {
			a.BelowGuarantee++
		}
		if escape > a.Analysis.EscapeThreshold {
			a.EscapeSteps++
		}
		if !known {
			a.Escapes++
		}
	})
	if row.Steps > 0 {
		row.MeanGap, row.MeanEscape = sumGap/float64(row.Steps), sumEscape/float64(row.Steps)
	}
	a.Steps += row.Steps
	a.Policies = append(a.Policies, row)
	return err
}

// evaluator evaluates the policies of an exploration on the reachable graph and plays its
// episodes again.
type evaluator struct {
	full      *runs.Run
	seed      uint64 // of the exploration
	best      *cover.Optimum
	lookahead int
	tolerance float64
	spec      bcpace.Spec

	choose       func(s []float64, b bcpace.Belief) (action int, known bool)
	act          []int  // by node: the policy's action
	known        []bool // by node: whether that query is known
	lower, upper []float64
	halves       float64   // the largest error of a gap, without that of merging
	escape, next []float64 // P(E_K) within some steps

	sim     *bcpace.Simulator
	model   bcpace.Finite
	rng     *rand.Rand
	at      place // the step that comes next
	playing bool  // an episode has begun
	node    int   // the node of the graph that the episode has reached
}

func newEvaluator(m bcpace.Model, full *runs.Run, seed uint64, best *cover.Optimum, lookahead int, tolerance float64) *evaluator {
	n, spec := best.Graph.Len(), m.Spec()
	finite, _ := bcpace.AsFinite(m) // which the graph has seen to
	return &evaluator{full: full, seed: seed, best: best, lookahead: lookahead, spec: spec, tolerance: tolerance,
		act: make([]int, n), known: make([]bool, n), lower: make([]float64, n), upper: make([]float64, n),
		escape: make([]float64, n), next: make([]float64, n), sim: bcpace.NewSimulator(m), model: finite}
}

// escapes returns the number of escapes in the trace.
func (p *evaluator) escapes() int {
	n := 0
	for _, e := range p.full.Trace {
		n += e.Escapes
	}
	return n
}

// policy sets the policy to evaluate to that of run, or if run is nil, to the initial
// policy, which has no samples.
func (p *evaluator) policy(ctx context.Context, run *runs.Run, o cpace.Solver) error {
	g := p.best.Graph
	s := make([]float64, len(p.spec.Axes))
	p.choose = p.initial(o)
	if run != nil {
		p.choose = func(s []float64, b bcpace.Belief) (int, bool) {
			_, a := run.At(s, b)
			_, known := run.Q(s, b, a)
			return a, known
		}
	}
	for n := range g.Len() {
		g.State(s, n)
		p.act[n], p.known[n] = p.choose(s, g.Belief(n))
	}
	return p.evaluate(ctx)
}

// initial is the policy without samples: Q̃ is the upper bound but near one-hot
// beliefs with Known Latent Initialization, and nothing else is known.
func (p *evaluator) initial(o cpace.Solver) func(s []float64, b bcpace.Belief) (action int, known bool) {
	seed, k := p.full.SeedRadius(), float64(max(o.K, 1))
	return func(s []float64, b bcpace.Belief) (action int, known bool) {
		latent, known := metric.NearOneHot(b, seed)
		best := math.Inf(-1)
		for a := range p.spec.Actions {
			q := k * p.full.Upper(s, b, a) / k // rounded as the estimate is
			if known {
				q = p.full.LatentValues().Q(s, latent, a)
			}
			if q > best {
				best, action = q, a
			}
		}
		return action, known
	}
}

// evaluate brackets the policy's value at every node and finds its escape
// probabilities. Where the graph is cut, the value may be anything and the policy
// escapes: P(E_K) is then too high, if anything.
func (p *evaluator) evaluate(ctx context.Context) error {
	g := p.best.Graph
	actions := len(p.spec.Actions)
	for n := range p.lower {
		p.lower[n], p.upper[n] = p.spec.VMin(), p.best.Upper[n]
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		width, moved := 0.0, 0.0
		for n := g.Expanded - 1; n >= 0; n-- {
			row := n*actions + p.act[n]
			lo, up := 0.0, 0.0
			for k := g.Row[row]; k < g.Row[row+1]; k++ {
				lo += g.Prob[k] * p.lower[g.To[k]]
				up += g.Prob[k] * p.upper[g.To[k]]
			}
			lo, up = g.Reward[row]+p.spec.Discount*lo, g.Reward[row]+p.spec.Discount*up
			moved = max(moved, lo-p.lower[n], p.upper[n]-up)
			p.lower[n], p.upper[n] = max(lo, p.lower[n]), min(up, p.upper[n])
			width = max(width, p.upper[n]-p.lower[n])
		}
		if width <= p.tolerance || moved <= p.tolerance*(1-p.spec.Discount)/4 {
			break
		}
	}
	clear(p.escape)
	for range p.lookahead {
		for n := range p.next {
			switch {
			case !p.known[n] || n >= g.Expanded:
				p.next[n] = 1
			default:
				row, sum := n*actions+p.act[n], 0.0
				for k := g.Row[row]; k < g.Row[row+1]; k++ {
					sum += g.Prob[k] * p.escape[g.To[k]]
				}
				p.next[n] = sum
			}
		}
		p.escape, p.next = p.next, p.escape
	}
	return nil
}

// gap returns V* − V^π at a node, from the middles of the brackets.
func (p *evaluator) gap(n int) float64 {
	p.halves = max(p.halves, (p.best.Upper[n]-p.best.Lower[n])/2+(p.upper[n]-p.lower[n])/2)
	return max(0, (p.best.Lower[n]+p.best.Upper[n])/2-(p.lower[n]+p.upper[n])/2)
}

// start returns the mean gap and escape probability over the start.
func (p *evaluator) start() (gap, escape float64) {
	g := p.best.Graph
	for i, n := range g.Starts {
		gap += g.StartProb[i] * p.gap(int(n))
		escape += g.StartProb[i] * p.escape[n]
	}
	return gap, escape
}

// play takes the steps from–to with the present policy and shows each to see.
func (p *evaluator) play(from, to place, see func(node int, known bool)) error {
	p.at = from
	for p.at.before(to) && p.at.episode < len(p.full.Trace) {
		if !p.playing {
			p.rng = rand.New(rand.NewPCG(p.seed, uint64(p.at.episode)))
			if err := p.sim.Reset(p.rng); err != nil {
				return err
			}
			p.playing = true
			if p.node = p.best.Graph.Node(p.sim.State, p.sim.Belief); p.node < 0 {
				return differs(p.spec, fmt.Sprintf("start %v with belief %.4g is not among the reachable points", p.sim.State, p.sim.Belief))
			}
		}
		if p.at.t == p.full.Trace[p.at.episode].Steps {
			p.at, p.playing = place{p.at.episode + 1, 0}, false
			continue
		}
		action, known := p.choose(p.sim.State, p.sim.Belief)
		see(p.node, known)
		if _, err := p.sim.Step(action, p.rng); err != nil {
			return err
		}
		if !p.sim.Done {
			if err := p.follow(action); err != nil {
				return err
			}
		}
		p.at.t++
	}
	return nil
}

// follow moves the node along the graph's own transitions. To look the belief up would
// not do: where beliefs were merged, the graph continues from the one that stands for
// them, and its successors may be merged differently from those of the others.
func (p *evaluator) follow(action int) error {
	g := p.best.Graph
	if p.node < g.Expanded {
		row := p.node*len(p.spec.Actions) + action
		number := int32(p.model.StateIndex(p.sim.State))
		for k := g.Row[row]; k < g.Row[row+1]; k++ {
			if g.States[g.To[k]] == number {
				p.node = int(g.To[k])
				return nil
			}
		}
	}
	return differs(p.spec, fmt.Sprintf("state %v is no successor of the node before it", p.sim.State))
}
