// Package metric measures how far state-belief pairs are apart.
package metric

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
)

// Metric is the paper's distance between state-belief pairs that share an
// action (Section 3.1):
//
//	α·d(s, s') + ‖b − b'‖₁,   d(s, s') = Σ_i |s_i − s'_i| / Scale_i
//
// where |s_i − s'_i| goes the shorter way round on an axis with a Period.
//
// Different actions of a finite set are infinitely far apart, so every search
// runs within one action. Embed maps a pair to coordinates in which the
// distance is the L1 distance, but for Periods; axes of infinite scale have no coordinate.
// For actions with a Box see Queries.
type Metric struct {
	axes    []int     // the axes that count
	weights []float64 // α / Scale of each of them
	periods []float64 // the Period of each of them, in coordinates; nil where none has one
	latents int
}

// New returns the metric of a model's axes with weight alpha > 0.
func New(spec bcpace.Spec, alpha float64) Metric {
	return NewWeighted(spec, func(a bcpace.Axis) float64 { return alpha / a.MetricUnit() })
}

// NewWeighted returns the metric in which one unit of an axis counts as weight
// says. An axis of infinite scale counts nothing.
func NewWeighted(spec bcpace.Spec, weight func(bcpace.Axis) float64) Metric {
	m := Metric{latents: len(spec.Latents)}
	for i, a := range spec.Axes {
		if !math.IsInf(a.Scale, 1) {
			m.axes = append(m.axes, i)
			m.weights = append(m.weights, weight(a))
			m.periods = append(m.periods, a.Period*weight(a))
		}
	}
	if !slices.ContainsFunc(m.periods, func(period float64) bool { return period > 0 }) {
		m.periods = nil
	}
	return m
}

// Periods returns, for each of the first coordinates of Embed, the length after which it
// comes again, 0 where it does not: a view. It is nil where none does.
func (m Metric) Periods() []float64 { return m.periods }

// Dim returns the number of coordinates of Embed.
func (m Metric) Dim() int { return len(m.axes) + m.latents }

// Embed writes the coordinates of (s, b) to x, of length Dim.
func (m Metric) Embed(x, s []float64, b bcpace.Belief) {
	for i, a := range m.axes {
		x[i] = s[a] * m.weights[i]
	}
	copy(x[len(m.axes):], b)
}

// Distance returns α·d(s1, s2) + ‖b1 − b2‖₁.
func (m Metric) Distance(s1 []float64, b1 bcpace.Belief, s2 []float64, b2 bcpace.Belief) float64 {
	d := b1.L1(b2)
	for i := range m.axes {
		d += m.gap(i, s1, s2)
	}
	return d
}

// gap returns how far states are apart on one of the axes that count.
func (m Metric) gap(i int, s1, s2 []float64) float64 {
	a := m.axes[i]
	gap := m.weights[i] * math.Abs(s1[a]-s2[a])
	if m.periods != nil && m.periods[i] > 0 {
		gap = max(0, min(gap, m.periods[i]-gap))
	}
	return gap
}

// Within reports whether Distance is at most r, in the same unit; never where r is negative. Where the distance is far more,
// Within sees it sooner.
func (m Metric) Within(r float64, s1 []float64, b1 bcpace.Belief, s2 []float64, b2 bcpace.Belief) bool {
	for i := range m.axes {
		if m.gap(i, s1, s2) > r {
			return false
		}
	}
	const stretch = 8
	for d, k := 0.0, 0; k < len(b1); k += stretch {
		end := min(k+stretch, len(b1))
		if d += b1[k:end].L1(b2[k:end]); d > r*(1+1e-9) {
			return false
		}
	}
	return m.Distance(s1, b1, s2, b2) <= r
}

// NearOneHot reports whether some one-hot vector is within radius of b in L1, and which
// one is the closest. A distance that is radius in decimals is within it, however it is
// rounded: the tolerance is that of a distance of known queries, see Run.Radius.
func NearOneHot(b bcpace.Belief, radius float64) (latent int, near bool) {
	latent, d := b.NearestOneHot()
	return latent, d <= radius || radius >= 0 && d <= radius+knn.Rounding(1, radius, len(b))
}
