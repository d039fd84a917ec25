package metric

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
)

// Queries is the paper's distance between queries (s, b, a), which is over states and
// actions jointly (Section 3.1):
//
//	α·(d(s, s') + d(a, a')) + ‖b − b'‖₁,   d(a, a') = Σ_j |u_j − u'_j| / Scale_j
//
// for two controls u, u' of the same entry of Spec.Actions; those of different entries are
// infinitely far apart. Without a Box it is Metric.
type Queries struct {
	pairs    Metric
	spec     bcpace.Spec
	controls [][]float64 // by action: α / Scale of each axis of its Box
	first    []int       // by action: its first coordinate
	own      int         // coordinates of controls
	periods  []float64
}

// NewQueries returns the metric of a model's queries with weight alpha > 0, which has no unit, as states
// and controls are divided by their Scale.
func NewQueries(spec bcpace.Spec, alpha float64) Queries {
	m := Queries{pairs: New(spec, alpha), spec: spec}
	var axes []bcpace.Axis
	var weights []float64
	for _, a := range spec.Actions {
		var own []float64
		for _, x := range a.Box {
			own = append(own, alpha/x.MetricUnit())
		}
		m.first, m.controls = append(m.first, len(axes)), append(m.controls, own)
		axes, weights = append(axes, a.Box...), append(weights, own...)
	}
	m.own, m.periods = len(axes), periodsOf(axes, weights, m.pairs)
	return m
}

// Action returns the weight in the distance of each axis of the Box of an action, an index in
// Spec.Actions, nil without one, and the Periods of coordinates of these with those of a Metric
// behind them, nil where none has one.
func (m *Queries) Action(index int) (weights, periods []float64) {
	return m.controls[index], periodsOf(m.spec.Actions[index].Box, m.controls[index], m.pairs)
}

// periodsOf returns the Periods of coordinates of controls with those of a Metric behind them,
// nil where none has one.
func periodsOf(axes []bcpace.Axis, weights []float64, pairs Metric) []float64 {
	periods, some := make([]float64, 0, len(axes)+len(pairs.Periods())), pairs.Periods() != nil
	for i, x := range axes {
		periods, some = append(periods, x.Period*weights[i]), some || x.Period > 0
	}
	if !some {
		return nil
	}
	return append(periods, pairs.Periods()...)
}

// Dim returns the number of coordinates of Embed: those of the boxes of all actions, and
// those of state and belief.
func (m *Queries) Dim() int { return m.own + m.pairs.Dim() }

// Periods is Metric.Periods for the coordinates of Embed.
func (m *Queries) Periods() []float64 { return m.periods }

// Distance returns the distance of two queries, each a state, a belief and the id of an action. It is
// +Inf for different entries of Spec.Actions.
func (m *Queries) Distance(s1 []float64, b1 bcpace.Belief, action1 int, s2 []float64, b2 bcpace.Belief, action2 int) float64 {
	var x, y [num.MaxBoxAxes]float64
	index, u := m.spec.Control(x[:], action1)
	other, v := m.spec.Control(y[:], action2)
	if index != other {
		return math.Inf(1)
	}
	d := m.pairs.Distance(s1, b1, s2, b2)
	for i, w := range u {
		d += m.controls[index][i] * knn.Outside(w, v[i], v[i], m.spec.Actions[index].Box[i].Period)
	}
	return d
}

// Embed writes the coordinates of a query to x, of length Dim, and returns the index in
// Spec.Actions of its action, an id. The distance is the L1 distance there, but for Periods,
// between queries of the same index.
func (m *Queries) Embed(x, s []float64, b bcpace.Belief, action int) (index int) {
	m.pairs.Embed(x[m.own:], s, b)
	clear(x[:m.own])
	var buffer [num.MaxBoxAxes]float64
	index, u := m.spec.Control(buffer[:], action)
	for i, v := range u {
		x[m.first[index]+i] = v * m.controls[index][i]
	}
	return index
}
