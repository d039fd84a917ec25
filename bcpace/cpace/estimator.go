package cpace

import (
	"math"
	"math/rand/v2"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
)

// estimator is the optimistic value estimate Q̃ on a sample set (Definitions
// Known Query, Optimistic Value Estimate, Best-Case Upper Bound and Known
// Latent Initialization).
type estimator struct {
	set    resolvedOptions
	spec   bcpace.Spec
	metric metric.Metric
	latent bcpace.LatentValues // nil without latent values
	bound  Bound
	// byAction says that the bound differs between actions, as that by latent values does.
	byAction bool
	samples  *runs.Samples
	index    []knn.Index // by action: its index in Spec.Actions
	// controls has, by action, the weight of each axis of its Box in the metric. Their
	// coordinates come before those of state and belief.
	controls [][]float64
	boxed    bool      // some action has a Box
	pool     sync.Pool // of *scratch, for queries from any goroutine
	// frozen is nil while values change; by action and site otherwise.
	frozen [][]siteValues
}

// scratch is what one goroutine needs to query an estimator.
type scratch struct {
	x    []float64 // embedded query
	near []knn.Neighbor

	boxed  []float64      // embedded query with a control
	search *controlSearch // nil if no action has a Box
}

func newEstimator(spec bcpace.Spec, set resolvedOptions, latent bcpace.LatentValues) *estimator {
	e := &estimator{
		set: set, spec: spec, latent: latent, bound: set.Bound,
		metric:  metric.New(spec, set.Alpha),
		samples: runs.NewSamples(spec),
		index:   make([]knn.Index, len(spec.Actions)),
	}
	if e.bound == "" {
		e.bound = BoundConstant
		if latent != nil {
			e.bound = BoundBestCase
		}
	}
	e.byAction = latent != nil && e.bound != BoundConstant
	e.pool.New = func() any { return e.scratch() }
	queries := metric.NewQueries(spec, set.Alpha)
	e.controls, e.boxed = make([][]float64, len(e.index)), spec.HasBox()
	for a := range e.index {
		e.controls[a], e.index[a].Periods = queries.Action(a)
		e.index[a].Dim = len(e.controls[a]) + e.metric.Dim()
		if e.boxed {
			e.index[a].Radii = 1
		}
	}
	return e
}

func (e *estimator) scratch() *scratch {
	// A K that is out of reach must not ask for memory: the list grows where it is needed.
	const enough = 4096
	w := &scratch{x: make([]float64, e.metric.Dim()), near: make([]knn.Neighbor, 0, min(e.set.K, enough)+1)}
	if e.boxed {
		w.boxed, w.search = make([]float64, num.MaxBoxAxes+e.metric.Dim()), &controlSearch{e: e, tolerance: e.set.tolerance, point: make([]float64, e.metric.Dim()+num.MaxBoxAxes)}
	}
	return w
}

// scratches returns so many of them.
func (e *estimator) scratches(n int) []*scratch {
	w := make([]*scratch, n)
	for i := range w {
		w[i] = e.scratch()
	}
	return w
}

// upper returns the admissible bound that replaces Q̃max at a query.
func (e *estimator) upper(s []float64, b bcpace.Belief, action int) float64 {
	top := e.top(s, b)
	if !e.byAction {
		return top
	}
	if c, ok := e.latent.(*controlValues); ok {
		return c.interpolate(action, func(node int) float64 { return e.upperOf(c.LatentValues, s, b, node, top) })
	}
	return e.upperOf(e.latent, s, b, action, top)
}

// top returns the part of the bound that is the same for all actions.
func (e *estimator) top(s []float64, b bcpace.Belief) float64 {
	if e.set.proved != nil {
		return min(e.set.proved.At(s, b), e.set.qMax)
	}
	return e.set.qMax
}

// upperOf is the bound by the latent values q, and by top.
func (e *estimator) upperOf(q bcpace.LatentValues, s []float64, b bcpace.Belief, action int, top float64) float64 {
	if e.bound == BoundBestCase {
		return min(dp.BestCase(q, s, b, action), top)
	}
	if e.set.informed != nil {
		return min(e.set.informed.Upper(s, b, action), top)
	}
	return min(dp.Expected(q, s, b, action), top)
}

// seeded returns the latent whose values stand for Q̃ near its one-hot belief.
func (e *estimator) seeded(b bcpace.Belief) (latent int, ok bool) {
	if e.set.seed < 0 {
		return 0, false
	}
	return metric.NearOneHot(b, e.set.seed)
}

// average is Definition Optimistic Value Estimate on a list of neighbours:
// (1/k) Σ min(L_Q̃·d_j + Q̃_j, up), with up for each one missing.
func (e *estimator) average(near []knn.Neighbor, action int, up float64) float64 {
	left, clipped, sum := e.set.K, 0, 0.0
	for _, n := range near {
		bonus, ids := e.set.lip*n.Dist, e.index[action].Samples(n.Site)
		if e.frozen != nil {
			if s := e.frozen[action][n.Site]; len(ids) <= left && bonus+s.top <= up {
				sum += float64(len(ids))*bonus + s.sum
				left -= len(ids)
				continue
			}
		}
		ids = ids[:min(len(ids), left)]
		for _, id := range ids {
			if v := bonus + e.samples.Q[id]; e.boxed && v >= up {
				clipped++ // the same bits as without it, see controlSearch
			} else {
				sum += min(v, up)
			}
		}
		left -= len(ids)
	}
	return (sum + float64(left+clipped)*up) / float64(e.set.K)
}

// setRadius sets how far a site of an action with or beside a Box counts, see controlSearch.
func (e *estimator) setRadius(action int, site int32) {
	least := math.Inf(1)
	for _, id := range e.index[action].Samples(site) {
		least = min(least, e.samples.Q[id])
	}
	e.index[action].SetRadius(site, 0, widened((e.set.qMax-least)/e.set.lip))
}

// setRadii is setRadius for all sites, if some action has a Box.
func (e *estimator) setRadii() {
	for a := range e.index {
		for site := range int32(e.index[a].Sites() * e.index[a].Radii) {
			e.setRadius(a, site)
		}
	}
}

// siteValues sums the values of the samples at a site up.
type siteValues struct{ sum, top float64 }

// freeze is called when the values have become final. A site whose samples all
// count, and none of which is clipped, then costs the same whether it has one
// sample or, as in Tiger, thousands.
func (e *estimator) freeze() {
	e.frozen = make([][]siteValues, len(e.index))
	for a := range e.index {
		e.frozen[a] = make([]siteValues, e.index[a].Sites())
		for i := range e.frozen[a] {
			v := siteValues{top: math.Inf(-1)}
			for _, id := range e.index[a].Samples(int32(i)) {
				v.sum, v.top = v.sum+e.samples.Q[id], max(v.top, e.samples.Q[id])
			}
			e.frozen[a][i] = v
		}
	}
}

// query returns Q̃(s, b, a), and whether the query is known.
func (e *estimator) query(w *scratch, s []float64, b bcpace.Belief, action int) (q float64, known bool) {
	if l, ok := e.seeded(b); ok {
		return e.latent.Q(s, l, action), true
	}
	e.metric.Embed(w.x, s, b)
	return e.queryEmbedded(w, s, b, action)
}

// queryEmbedded is query for an unseeded belief whose embedding is in w.x.
func (e *estimator) queryEmbedded(w *scratch, s []float64, b bcpace.Belief, action int) (q float64, known bool) {
	index, x := num.BoxIndex(action), w.x
	if e.controls[index] != nil {
		x = e.embedControl(w.boxed, action)
		copy(x[len(e.controls[index]):], w.x)
	}
	w.near = e.index[index].Nearest(w.near, x, e.set.K)
	known = e.index[index].Count(w.near) >= e.set.K && knn.Within(w.near[len(w.near)-1].Dist, e.set.radius, x)
	return e.average(w.near, index, e.upper(s, b, action)), known
}

// embed writes the coordinates of (s, b, a) to x, which has room for them, and returns them.
func (e *estimator) embed(x, s []float64, b bcpace.Belief, action int) []float64 {
	x = e.embedControl(x, action)
	e.metric.Embed(x[len(x)-e.metric.Dim():], s, b)
	return x
}

// embedControl writes the coordinates of a control to x, and returns x with room for those of
// state and belief behind them.
func (e *estimator) embedControl(x []float64, action int) []float64 {
	var buffer [num.MaxBoxAxes]float64
	index, u := e.spec.Control(buffer[:], action)
	for i, weight := range e.controls[index] {
		x[i] = u[i] * weight
	}
	return x[:len(u)+e.metric.Dim()]
}

// greedy returns max over a of Q̃(s, b, a), the first action that attains it, and whether that query is known. The control
// of an action with a Box is greedy up to the tolerance of a controlSearch: searches begin with the action warm, unless it is
// −1; bounds has the upper bounds there, as upperOnList returns them for all of the list, or is nil.
func (e *estimator) greedy(w *scratch, s []float64, b bcpace.Belief, bounds []float64, warm int) (value float64, action int, known bool) {
	l, seeded := e.seeded(b)
	if c, ok := e.latent.(*controlValues); seeded && ok {
		value, action = c.best(s, l)
		return value, action, true
	}
	e.metric.Embed(w.x, s, b)
	value, action = math.Inf(-1), -1
	for a, box := range e.controls {
		q, id, k := 0.0, a, true
		switch {
		case seeded:
			q = e.latent.Q(s, l, a)
		case box == nil:
			if e.boxed {
				w.search.widest = max(w.search.widest, e.index[a].Widest(w.x, 0, 0, e.less(e.upper(s, b, a))))
			}
			q, k = e.queryEmbedded(w, s, b, a)
		default:
			if id = w.search.find(s, b, bounds, a, value, warm); id < 0 {
				continue
			}
			q, k = e.queryEmbedded(w, s, b, id)
		}
		if action < 0 || q > value || box != nil {
			value, action, known = q, id, k
		}
	}
	return value, action, known
}

// greedyPolicy acts greedily on an estimator that no longer changes.
type greedyPolicy struct {
	est     *estimator
	scratch *scratch
}

func (p *greedyPolicy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	if len(s) != len(p.est.spec.Axes) || len(b) != len(p.est.spec.Latents) {
		return -1
	}
	_, a, _ := p.est.greedy(p.scratch, s, b, nil, -1)
	return a
}

func (p *greedyPolicy) Fork() bcpace.Policy {
	return &greedyPolicy{est: p.est, scratch: p.est.scratch()}
}

// extend takes c as the sample set, which begins with the present one.
func (e *estimator) extend(c *runs.Samples) {
	x := make([]float64, e.metric.Dim()+num.MaxBoxAxes)
	axes, latents := len(e.spec.Axes), len(e.spec.Latents)
	for i := len(e.samples.Action); i < len(c.Action); i++ {
		s, b := c.State[i*axes:(i+1)*axes], bcpace.Belief(c.Belief[i*latents:(i+1)*latents])
		e.index[c.Action[i]].Add(e.embed(x, s, b, c.ActionID(i)), int32(i))
	}
	e.samples = c
	e.setRadii()
}
