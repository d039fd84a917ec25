package cpace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// paperValues are the values of a run of Algorithm 1: those of its estimator, from
// any goroutine.
type paperValues struct{ *estimator }

// Query implements Values.
func (v paperValues) Query(s []float64, b bcpace.Belief, action int) (q float64, known bool) {
	w := v.pool.Get().(*scratch)
	defer v.pool.Put(w)
	return v.query(w, s, b, action)
}

// At implements Values.
func (v paperValues) At(s []float64, b bcpace.Belief) (value float64, action int) {
	w := v.pool.Get().(*scratch)
	defer v.pool.Put(w)
	value, action, _ = v.greedy(w, s, b, nil, -1)
	return value, action
}

// Upper implements Values.
func (v paperValues) Upper(s []float64, b bcpace.Belief, action int) float64 {
	return v.upper(s, b, action)
}

// Policy implements Values.
func (v paperValues) Policy() bcpace.Policy {
	return &greedyPolicy{est: v.estimator, scratch: v.scratch()}
}

// LatentValues implements Values.
func (v paperValues) LatentValues() bcpace.LatentValues { return v.latent }

// Bytes implements Values: the latent values that the run computed for itself.
func (v paperValues) Bytes() ([]byte, error) {
	if v.set.Latent != nil || v.latent == nil {
		return nil, nil
	}
	return dp.AppendLatentValues(nil, v.latent)
}

// UpperAtStart implements Values. It follows from the latent MDPs, and is proved for a
// Finite model.
func (v paperValues) UpperAtStart(ctx context.Context, r *runs.Run) (upper, grid float64, err error) {
	_, top := solverkit.RangeOfReturns(r.Model())
	m, latent, missed := r.Model(), v.latent, 0.0
	if c, ok := latent.(*controlValues); ok {
		m, latent = c.model, c.LatentValues
		if missed, err = c.missed(ctx, r.Samples); err != nil {
			return top, 0, err
		}
	} else if r.Spec.HasBox() {
		return top, 0, nil
	}
	bound, err := v.latentBound(ctx, m, latent)
	if q, ok := latent.(*dp.FiniteValues); ok && err != nil && v.set.Latent == nil {
		bound = dp.QMDPBound{Values: q, Slack: q.Error}
	} else if bound == nil || err != nil {
		return top, 0, err
	}
	if q, ok := latent.(*dp.GridValues); ok && v.set.Latent == nil {
		grid = q.Error
	}
	actions := len(m.Spec().Actions)
	upper, failed := solverkit.MeanAtStart(m, func(s []float64, b bcpace.Belief) float64 {
		u := math.Inf(-1)
		for a := range actions {
			u = max(u, bound.Upper(s, b, a))
		}
		return u
	})
	if failed != nil {
		return top, 0, failed
	}
	if missed > 0 {
		upper = min(upper+missed, top)
	}
	return upper, grid, err
}

// latentBound returns a bound from the values of the latent MDPs of m where the run has computed
// them, and a computed one for another Finite model; nil where there is none.
func (v paperValues) latentBound(ctx context.Context, m bcpace.Model, values bcpace.LatentValues) (dp.UpperBound, error) {
	if bcpace.AbilitiesOf(m).CutsEpisodes() { // a run from before the steps left were in the states
		return nil, nil
	}
	if v.set.Latent != nil {
		values = nil // the user's own may be anything
	}
	switch q := values.(type) {
	case *dp.FiniteValues:
		if bcpace.KindOf(m) != bcpace.Redrawn { // the informed bounds are QMDP
			return dp.QMDPBound{Values: q, Slack: q.Error}, nil
		}
	case *dp.GridValues:
		return dp.QMDPBound{Values: q, Slack: q.Error}, nil
	}
	if f, ok := bcpace.AsFinite(m); ok {
		// A typed nil beside an error is not looked at.
		return dp.SolveTIB(ctx, f)
	}
	return nil, nil
}

// ReadValues implements Explorer.
func (o Solver) ReadValues(r *runs.Run, written []byte) (runs.Values, error) {
	set, err := o.resolve(r.Model())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", runs.ErrFormat, err)
	}
	latent := o.Latent
	if len(written) > 0 {
		if latent, err = o.readLatent(written, r.Model()); err != nil {
			return nil, fmt.Errorf("%w: latent values: %w", runs.ErrFormat, err)
		}
	}
	if err := set.bind(context.Background(), r.Model()); err != nil {
		return nil, fmt.Errorf("%w: %w", runs.ErrFormat, err)
	}
	e := newEstimator(r.Spec, set, latent)
	e.extend(r.Samples)
	e.freeze()
	return paperValues{e}, nil
}

// latentValues returns the user's values of the latent MDPs. Without them it computes
// them if the options need them and the model allows it; otherwise it returns nil. Beside
// an error they are unfinished, or nil.
func latentValues(ctx context.Context, m bcpace.Model, opts Solver) (bcpace.LatentValues, error) {
	if opts.Latent != nil {
		return opts.Latent, nil
	}
	if opts.Bound == BoundConstant && !opts.SeedOneHot {
		return nil, nil
	}
	var q bcpace.LatentValues
	var err error
	if spec := m.Spec(); spec.HasBox() {
		q, err = solveControls(ctx, m, opts.ControlPoints, opts.Grid)
	} else {
		q, err = dp.SolveLatentOn(ctx, m, opts.Grid)
	}
	if unsupported := new(bcpace.UnsupportedError); errors.As(err, &unsupported) {
		return nil, nil
	}
	if err != nil {
		return q, fmt.Errorf("latent values of model %s: %w", strconv.Quote(m.Spec().Name), err)
	}
	return q, nil
}

// Verify implements Values. It checks the latent values and the value at the start.
func (v paperValues) Verify(ctx context.Context, r *runs.Run) (bcpace.Certificate, error) {
	if err := v.verifyLatent(ctx, r); err != nil {
		return bcpace.Certificate{}, err
	}
	scratch := v.scratch()
	value, err := solverkit.MeanAtStart(r.Model(), func(s []float64, b bcpace.Belief) float64 {
		q, _, _ := v.greedy(scratch, s, b, nil, -1)
		return q
	})
	if err != nil {
		return bcpace.Certificate{}, err
	}
	if !(math.Abs(r.Value-value) <= 1e-9*(r.Spec.VMax()-r.Spec.VMin())) {
		return bcpace.Certificate{}, runs.Claim("the value at the start", r.Value, "that of the samples, %v", value)
	}
	return bcpace.Certificate{}, nil
}

// verifyLatent checks the latent values that a run has computed.
func (v paperValues) verifyLatent(ctx context.Context, r *runs.Run) error {
	if v.set.Latent != nil || bcpace.AbilitiesOf(r.Model()).CutsEpisodes() { // given, or from before the steps left were in the states
		return nil
	}
	want, err := latentValues(ctx, r.Model(), v.set.Solver)
	if err != nil {
		return err
	}
	tolerance := 2*v.set.Grid.ToleranceFor(r.Spec) + 1e-12*(r.Spec.VMax()-r.Spec.VMin())
	same := func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(a, b float64) bool {
			return math.Abs(a-b) <= tolerance || math.IsNaN(a) && math.IsNaN(b)
		})
	}
	ok, given := false, v.latent
	if c, is := given.(*controlValues); is {
		given = c.LatentValues
	}
	if c, is := want.(*controlValues); is {
		want = c.LatentValues
	}
	switch got := given.(type) {
	case nil:
		ok = want == nil
	case *dp.FiniteValues:
		w, is := want.(*dp.FiniteValues)
		ok = is && same(got.Table, w.Table) && same([]float64{got.Error}, []float64{w.Error})
	case *dp.GridValues:
		w, is := want.(*dp.GridValues)
		ok = is && slices.Equal(got.Axes, w.Axes) && same(got.BendTable(), w.BendTable()) && same(got.Table, w.Table) && same([]float64{got.Error, got.MeanError}, []float64{w.Error, w.MeanError})
	}
	return bcpace.In("run").Need(ok, "the latent values", "other ones than the model's", "those that the options ask for, solved to "+fmt.Sprint(v.set.Grid.ToleranceFor(r.Spec)))
}

const (
	// missedStates is at how many states of samples missed looks, and missedControls how
	// many controls it tries there, or twice as many on each axis as the list has.
	missedStates   = 32
	missedControls = 129
)

// missed estimates by how much the values of the latent MDPs fall short, as they are those of a
// list of controls. If, wherever one is, the best control of a finer list earns at most δ more in
// one step, by the values of the list after it, then all values fall short of those of the
// finer list by δ·Σ_t γ^t at most. δ is the largest one at states of the samples, for latents in
// their beliefs. It is 0 where there is no finer list.
func (v *controlValues) missed(ctx context.Context, samples *runs.Samples) (float64, error) {
	coarse, ok := v.model.(bcpace.Enumerator)
	if !ok {
		return 0, nil
	}
	finer := coarse
	for len(finer.Spec().Actions) < missedControls || finer == coarse {
		next := solverkit.FinerControls(finer)
		if next == nil {
			return 0, nil
		}
		finer = next
	}
	// after is the value that follows, by the list that the values are for, and best that of the best action of another list.
	after := func(s []float64, b bcpace.Belief) (mean float64) {
		for φ, p := range b {
			if p > 0 {
				value, _ := v.best(s, φ)
				mean += p * value
			}
		}
		return mean
	}
	best := func(list *bcpace.Lister, actions int, s []float64, latent bcpace.Belief) (float64, error) {
		best := math.Inf(-1)
		for a := range actions {
			if err := cmp.Or(ctx.Err(), list.List(s, a)); err != nil {
				return 0, err
			}
			best = max(best, list.Backup(latent, after))
		}
		return best, nil
	}
	lists, actions := bcpace.NewLister(coarse), len(coarse.Spec().Actions)
	finerLists, finerActions := bcpace.NewLister(finer), len(finer.Spec().Actions)
	most := 0.0
	for i := range min(missedStates, samples.Len()) {
		x := samples.At(i * samples.Len() / min(missedStates, samples.Len()))
		for φ, p := range x.Belief {
			if p == 0 {
				continue
			}
			latent := bcpace.OneHot(v.latents, φ)
			before, err := best(lists, actions, x.State, latent)
			if err != nil {
				return 0, err
			}
			better, err := best(finerLists, finerActions, x.State, latent)
			if err != nil {
				return 0, err
			}
			most = max(most, better-before)
		}
	}
	spec := v.model.Spec()
	return most * spec.EffectiveHorizon(), nil
}

// proofShare is the part of ε by which a finer grid lowers the proved bound for it to be refined.
const proofShare = 1.0 / 8

// bind computes the bound of BoundFIB, BoundTIB or BoundProved; for another Bound it does nothing.
func (s *resolvedOptions) bind(ctx context.Context, m bcpace.Model) (err error) {
	switch s.Bound {
	case BoundFIB, BoundTIB:
		f, ok := bcpace.AsFinite(m)
		if !ok {
			return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: "Bayes-CPACE with an informed bound", Need: "numbered states (Finite)"}
		}
		if s.Bound == BoundFIB {
			s.informed, err = dp.SolveFIB(ctx, f)
		} else {
			s.informed, err = dp.SolveTIB(ctx, f)
		}
	case BoundProved:
		s.proved, err = proved.Upper(ctx, m, proved.Options{Tolerance: proofShare * s.Epsilon})
	}
	return err
}

// ProvedAtStart returns the upper bound of the optimal value at the start by BoundProved, +Inf without it.
func (v paperValues) ProvedAtStart(context.Context, *runs.Run) (lower, upper float64, err error) {
	if v.set.proved == nil {
		return math.Inf(-1), math.Inf(1), nil
	}
	return math.Inf(-1), v.set.proved.Start, nil
}

// Explanation says how the optimistic value estimate Q̃(s, b, a) of Algorithm 1 comes about:
// Definition Optimistic Value Estimate line by line, on the samples of a run.
//
//	Q̃(s, b, a) = (1/K) Σ_j min(LipQ·d_j + Q̃_j, Upper)
//
// over the K nearest samples of the action, and with Upper for each one that is missing.
type Explanation struct {
	Spec   bcpace.Spec
	State  []float64
	Belief bcpace.Belief
	Action int
	// Q is Q̃(s, b, a), in reward units, and Known says that the query is known: there are K
	// samples of the action within Radius (Definition Known Query), or Latent stands for it.
	Q     float64
	Known bool
	// Latent is the latent near whose one-hot belief b is, so that Q is the value of that
	// latent MDP (Known Latent Initialization) and there are no Neighbours; −1 otherwise.
	Latent int
	// K, LipQ and Radius are k, L_Q̃ = 2·L_Q and ε/L_Q̃ of the run. Upper is the bound that
	// replaces Q̃max at this query.
	K            int
	LipQ, Radius float64
	Upper        float64
	// Neighbours are the samples that count, the nearest first. Missing is K less their number.
	Neighbours []Neighbour
	Missing    int
}

// Neighbour is a sample that counts in an Explanation.
type Neighbour struct {
	Sample int // its index in Run.Samples
	// StateDistance is α·d(s, s_j), with that of the control for an action with a Box;
	// BeliefDistance is ‖b − b_j‖₁; and Distance is d_j, their sum.
	StateDistance, BeliefDistance, Distance float64
	// Value is Q̃_j of the sample, Bonus is LipQ·d_j, and Term is what it counts:
	// min(Bonus + Value, Upper), less than the sum if it is Clipped. In reward units.
	Value, Bonus, Term float64
	Clipped            bool
}

// Explain returns how r.Q(s, b, action) comes about. The error is an *InputError for a query that
// the model does not have, and for a run of a solver that brackets values: its bounds do not
// come from neighbours.
func Explain(r *runs.Run, s []float64, b bcpace.Belief, action int) (*Explanation, error) {
	v, ok := r.Values().(paperValues)
	if !ok {
		return nil, bcpace.In("Explain").Bad("the run", "one of "+r.Solver.Name(), "one of Algorithm 1, whose values are estimates from neighbours")
	}
	if err := (bcpace.StartPoint{State: s, Belief: b}).Check(r.Model()); err != nil {
		return nil, fmt.Errorf("explaining a query: %w", err)
	}
	if !r.Spec.IsAction(action) {
		return nil, bcpace.In("explaining a query").Bad("the action", action, fmt.Sprintf("the id of an action of model %s: its index or, with a Box, what Spec.ActionID returns", strconv.Quote(r.Spec.Name)))
	}
	x := &Explanation{Spec: r.Spec, State: append([]float64(nil), s...), Belief: append(bcpace.Belief(nil), b...), Action: action, Latent: -1,
		K: v.set.K, LipQ: r.LipQ(), Radius: r.Radius(), Upper: v.upper(s, b, action)}
	w := v.pool.Get().(*scratch)
	defer v.pool.Put(w)
	x.Q, x.Known = v.query(w, s, b, action)
	if l, ok := v.seeded(b); ok {
		x.Latent = l
		return x, nil
	}
	index, queries := num.BoxIndex(action), metric.NewQueries(r.Spec, r.Alpha())
	for _, n := range w.near {
		for _, id := range v.index[index].Samples(n.Site) {
			if len(x.Neighbours) < x.K {
				x.Neighbours = append(x.Neighbours, v.neighbour(x, &queries, int(id), n.Dist))
			}
		}
	}
	x.Missing = x.K - len(x.Neighbours)
	return x, nil
}

// neighbour returns a sample at a distance as it counts in x.
func (v paperValues) neighbour(x *Explanation, queries *metric.Queries, sample int, distance float64) Neighbour {
	c := v.samples.At(sample)
	n := Neighbour{Sample: sample, Distance: distance, BeliefDistance: x.Belief.L1(c.Belief), Value: c.Q, Bonus: x.LipQ * distance}
	n.StateDistance = queries.Distance(x.State, x.Belief, x.Action, c.State, x.Belief, c.Action)
	n.Term = n.Bonus + n.Value
	if n.Clipped = n.Term > x.Upper; n.Clipped {
		n.Term = x.Upper
	}
	return n
}
