package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/metric"
)

// TestWithin: Within says of random pairs what Distance does, at radii on either side of it and at the distance itself.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		spec := bcpace.Spec{Axes: []bcpace.Axis{{Name: "a", Max: 1}, {Name: "b", Max: 1, Period: 1}, {Name: "c", Max: 1, Scale: math.Inf(1)}}}
		m := metric.New(spec, 0.5+rng.Float64())
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.Float64()
			}
			return x
		}
		latents := rng.IntN(40)
		s, u, b, c := draw(3), draw(3), draw(latents), draw(latents)
		d := m.Distance(s, b, u, c)
		for _, r := range []float64{d * rng.Float64(), d, d * (1 + rng.Float64())} {
			if got := m.Within(r, s, b, u, c); got != (d <= r) {
				t.Errorf("a distance of %v is within %v: %v", d, r, got)
			}
		}
	}
}

// TestQueries: the distance of two queries is α·(d(s, s') + d(a, a')) + ‖b − b'‖₁ of Section 3.1, added up here axis by
// axis, and that of their coordinates, on random axes of states and controls of which some have a period.
func TestQueries(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	axes := func(n int) (x []bcpace.Axis) {
		for range n {
			a := bcpace.Axis{Name: "x", Max: 1 + rng.Float64(), Scale: 0.2 + rng.Float64()}
			if rng.IntN(3) == 0 {
				a.Period = a.Max
			}
			x = append(x, a)
		}
		return x
	}
	gap := func(x, y, period float64) float64 {
		d := math.Abs(x - y)
		if period > 0 {
			d = min(d, period-d)
		}
		return d
	}
	along := func(list []bcpace.Axis, x, y []float64) (d float64) {
		for i, a := range list {
			d += gap(x[i], y[i], a.Period) / a.Scale
		}
		return d
	}
	draw := func(list []bcpace.Axis) (x []float64) {
		for _, a := range list {
			x = append(x, a.Max*rng.Float64())
		}
		return x
	}
	for range 300 {
		α, spec := 0.2+rng.Float64(), bcpace.Spec{Axes: axes(1 + rng.IntN(3)), Latents: []string{"a", "b", "c"}}
		for range 3 {
			spec.Actions = append(spec.Actions, bcpace.Action{Name: "act", Box: axes(rng.IntN(3))})
		}
		m := metric.NewQueries(spec, α)
		type query struct {
			s        []float64
			b        bcpace.Belief
			index    int
			action   int
			u, point []float64
		}
		ask := func() (q query) {
			q = query{s: draw(spec.Axes), b: make(bcpace.Belief, 3), index: rng.IntN(3), point: make([]float64, m.Dim())}
			q.b.SampleSimplex(rng)
			var err error
			if q.action, err = spec.ActionID(q.index, draw(spec.Actions[q.index].Box)); err != nil {
				t.Fatal(err)
			}
			_, q.u = spec.Control(make([]float64, 8), q.action)
			if index := m.Embed(q.point, q.s, q.b, q.action); index != q.index {
				t.Fatalf("the coordinates are those of action %d, want %d", index, q.index)
			}
			return q
		}
		p, q := ask(), ask()
		want := math.Inf(1)
		if p.index == q.index {
			want = α*(along(spec.Axes, p.s, q.s)+along(spec.Actions[p.index].Box, p.u, q.u)) + p.b.L1(q.b)
			d, periods := 0.0, m.Periods()
			for i, x := range p.point {
				period := 0.0
				if i < len(periods) {
					period = periods[i]
				}
				d += gap(x, q.point[i], period)
			}
			if math.Abs(d-want) > 1e-9 {
				t.Errorf("%v by coordinates, want %v", d, want)
			}
		}
		if d := m.Distance(p.s, p.b, p.action, q.s, q.b, q.action); d != want && math.Abs(d-want) > 1e-9 {
			t.Errorf("%v, want %v", d, want)
		}
		weights, _ := m.Action(p.index)
		for i, a := range spec.Actions[p.index].Box {
			if math.Abs(weights[i]-α/a.Scale) > 1e-12 {
				t.Errorf("axis %d has weight %v, want %v", i, weights[i], α/a.Scale)
			}
		}
	}
}
