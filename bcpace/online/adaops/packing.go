package adaops

import (
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/online/bracket"
	"bayescpace/bcpace/solverkit"
)

// packed is the Source whose children are those of another one, packed.
type packed struct {
	bracket.Source
	spec   bcpace.Spec
	metric metric.Metric
	delta  float64 // negative where nothing shares a node
	bounds bracket.Bounds
	half   float64 // ½(Vmax − Vmin)
	holds  bool    // what Bounds reports

	all    bracket.Children
	nodes  centres // of all, the likeliest first
	mean   bcpace.Belief
	beyond bcpace.Belief
}

// newPacked packs what a source lists for m to within delta. bounds are those of V*.
func newPacked(m bcpace.Model, from bracket.Source, delta float64, bounds bracket.Bounds) *packed {
	spec := m.Spec()
	lo, hi := solverkit.RangeOfReturns(m)
	_, finite := bcpace.AsFinite(m)
	return &packed{Source: from, spec: spec, metric: metricOf(spec, finite), delta: delta, bounds: bounds, half: (hi - lo) / 2, holds: from.Bounds() && (finite || delta < 0), mean: make(bcpace.Belief, len(spec.Latents)), beyond: make(bcpace.Belief, len(spec.Latents))}
}

// metricOf returns the metric of the packing: that of the axes with α = 1, in which different
// values on an axis are too far apart for any delta where the model is Finite or the axis has
// separate values.
func metricOf(spec bcpace.Spec, finite bool) metric.Metric {
	const apart = 1e100
	return metric.NewWeighted(spec, func(a bcpace.Axis) float64 {
		if finite || a.Whole() {
			return apart
		}
		return 1 / a.MetricUnit()
	})
}

// List implements bracket.Source.
func (p *packed) List(x *bracket.Children, s []float64, b bcpace.Belief, action int, rng *rand.Rand) error {
	x.Reset(p.spec)
	if err := p.Source.List(&p.all, s, b, action, rng); err != nil {
		return err
	}
	p.pack()
	p.merge(x)
	if len(p.nodes.Centres) < len(p.nodes.Node) && p.holds {
		p.error(x)
	}
	return nil
}

// Bounds implements bracket.Source: where a child stands for several states, nothing is bounded.
func (p *packed) Bounds() bool { return p.holds }

// pack makes the packing of all.
func (p *packed) pack() {
	p.nodes.make(p.all.Prob, p.delta < 0, func(c, i int) bool {
		return p.metric.Within(p.delta, p.all.State(c), p.all.Belief(c), p.all.State(i), p.all.Belief(i))
	})
}

// merge sets x to a child for each centre.
func (p *packed) merge(x *bracket.Children) {
	x.Reward = p.all.Reward
	for k, c := range p.nodes.Centres {
		clear(p.mean)
		sum := 0.0
		for i, w := range p.all.Prob {
			if int(p.nodes.Node[i]) == k {
				sum += w
				for φ, q := range p.all.Belief(i) {
					p.mean[φ] += w * q
				}
			}
		}
		for φ := range p.mean {
			p.mean[φ] /= sum
		}
		x.Add(p.all.State(int(c)), p.mean, sum)
	}
}

// error sets what the packing adds to the upper bound.
func (p *packed) error(x *bracket.Children) {
	x.Most = 0
	for k := range p.nodes.Centres {
		lower, _ := p.bounds.Lower(x.State(k), x.Belief(k))
		for i, w := range p.all.Prob {
			if int(p.nodes.Node[i]) == k {
				x.Spread += w * p.above(p.all.Belief(i), x.Belief(k), x.State(k), lower)
			}
		}
	}
	for i, w := range p.all.Prob {
		x.Most += w * p.bounds.Upper(p.all.State(i), p.all.Belief(i))
	}
}

// above bounds V*(s, b) − V*(s, mean), where V*(s, mean) ≥ lower: by how much V* changes at most
// with the belief, and because V* is convex. For b = (1−t)·mean + t·c and a belief c beyond b,
// V*(b) ≤ (1−t)·V*(mean) + t·U(c). The smallest t is the one that brings c to the border.
func (p *packed) above(b, mean bcpace.Belief, s []float64, lower float64) float64 {
	t := 0.0
	for φ, q := range mean {
		if q > 0 {
			t = max(t, 1-b[φ]/q)
		}
	}
	if t == 0 {
		return 0
	}
	for φ, q := range mean {
		p.beyond[φ] = max(0, q+(b[φ]-q)/t)
	}
	return min(p.half*b.L1(mean), t*(p.bounds.Upper(s, p.beyond)-lower))
}
