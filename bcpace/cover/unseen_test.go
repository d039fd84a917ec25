package cover_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/metric"
	"bayescpace/envs"
)

// missing returns the exact probability that an episode of the random policy, of so many steps at most, meets a point
// farther than ε from all of r: backwards over the steps, on the graph of all that is reached.
func missing(t *testing.T, m bcpace.Model, r *cover.Reached, epsilon float64, steps int) float64 {
	t.Helper()
	g, err := eval.Reach(t.Context(), m, eval.ReachOptions{Depth: steps})
	if err != nil {
		t.Fatal(err)
	}
	spec := m.Spec()
	distance, s := metric.New(spec, 1), make([]float64, len(spec.Axes))
	far := make([]bool, g.Len())
	for n := range far {
		far[n] = true
		g.State(s, n)
		for i := range r.Len() {
			far[n] = far[n] && distance.Distance(s, g.Belief(n), r.State(i), r.Belief(i)) > epsilon
		}
	}
	later := make([]float64, g.Len()) // the probability from each node on, with one step less
	for left := 0; left <= steps; left++ {
		now := make([]float64, g.Len())
		for n := range now {
			if far[n] {
				now[n] = 1
				continue
			}
			if left == 0 || n >= g.Expanded {
				continue
			}
			for k := g.Row[n*len(spec.Actions)]; k < g.Row[(n+1)*len(spec.Actions)]; k++ {
				now[n] += g.Prob[k] * later[g.To[k]] / float64(len(spec.Actions))
			}
		}
		later = now
	}
	p := 0.0
	for i, n := range g.Starts {
		p += g.StartProb[i] * later[n]
	}
	return p
}

// TestUnseen compares the bounds with the exact probability in random models. At a confidence of 0.8, each bound errs with
// probability 0.1 at most in each of the 300 models, independently. That one of them errs more than 60 times has a
// probability below 2·exp(−300·KL(0.2, 0.1)) < 4·10⁻⁶ (Chernoff 1952).
func TestUnseen(t *testing.T) {
	const models, steps, most = 300, 4, 60
	above, below, between := 0, 0, 0
	for i := range uint64(models) {
		rng := rand.New(rand.NewPCG(i, 77))
		m := randmodel.New(rng, randmodel.Options{States: 4, Latents: 2, Actions: 2, Branch: 3})
		random := bcpace.RandomPolicy(m)
		r, err := cover.Sample(t.Context(), m, cover.ReachOptions{Depth: steps, Episodes: 6, Seed: i}, random)
		if err != nil {
			t.Fatal(err)
		}
		epsilon := []float64{0.0317, 0.1373, 0.3171}[i%3]
		u, err := cover.MeasureUnseen(t.Context(), m, r, random, cover.UnseenOptions{Epsilon: epsilon, Confidence: 0.8, Depth: steps, Episodes: 40, Seed: i})
		if err != nil || u.Trials != 40 || u.Epsilon != epsilon || u.Confidence != 0.8 {
			t.Fatalf("%+v, %v", u, err)
		}
		p := missing(t, m, r, epsilon, steps)
		if p > u.Probability[1]+1e-9 {
			above++
		}
		if p < u.Probability[0]-1e-9 {
			below++
		}
		if p > 0.05 && p < 0.95 {
			between++
		}
	}
	if above > most || below > most || between < models/3 {
		t.Errorf("of %d probabilities %d are above the bounds and %d below, want %d at most; %d are neither near 0 nor 1", models, above, below, most, between)
	}
}

// TestUnseenDraws counts the draws that are far by looking at all pairs. The interval for none of them is in closed form.
func TestUnseenDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9))
		p := &cover.Points{Dim: 2, Norm: cover.Norm(rng.IntN(3))}
		for range rapid.IntRange(2, 40).Draw(t, "n") {
			p.Coords = append(p.Coords, rng.Float64(), rng.Float64())
			p.Kind = append(p.Kind, int32(rng.IntN(2)))
		}
		seen, epsilon, missed := rapid.IntRange(0, p.Len()-1).Draw(t, "seen"), rng.Float64()/2, 0
		for i := seen; i < p.Len(); i++ {
			near := false
			for j := range seen {
				near = near || p.Distance(i, j) <= epsilon
			}
			if !near {
				missed++
			}
		}
		u, err := cover.UnseenDraws(context.Background(), p, seen, epsilon, 0)
		if err != nil || u.Missed != missed || u.Trials != p.Len()-seen || !nearly(u.Probability, cover.ClopperPearson(missed, u.Trials)) {
			t.Fatalf("%+v, %v, want %d missed", u, err, missed)
		}
	})
}

func nearly(x, y [2]float64) bool { return math.Abs(x[0]-y[0]) < 1e-9 && math.Abs(x[1]-y[1]) < 1e-9 }

// TestCarriedOver: what the numbers of a part say of those of the whole, as the package comment has it.
func TestCarriedOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 11))
		all, part := &cover.Points{Dim: 2}, &cover.Points{Dim: 2}
		for range rapid.IntRange(1, 25).Draw(t, "n") {
			x := []float64{float64(rng.IntN(8)), float64(rng.IntN(8))}
			all.Coords = append(all.Coords, x...)
			if rng.IntN(2) == 0 {
				part.Coords = append(part.Coords, x...)
			}
		}
		number := func(p *cover.Points, epsilon float64) cover.Numbers {
			x, err := cover.Number(context.Background(), p, epsilon, cover.Options{Exact: true})
			if err != nil || !x.Complete {
				t.Fatal(x, err)
			}
			return x
		}
		epsilon := float64(rapid.IntRange(1, 4).Draw(t, "epsilon"))
		x, y, far := number(all, epsilon), number(part, epsilon), number(part, 2*epsilon)
		if y.Independence.Lower > x.Independence.Lower || y.Independence.Lower > x.Upper.Lower || far.Independence.Lower > x.Domination.Lower {
			t.Fatalf("part %+v, at 2ε %+v, all %+v", y, far, x)
		}
		// What a cover of the part covers, covered or not by the part's own points.
		var near []int
		c := part.Pick(y.Smallest)
		for i := range all.Len() {
			for j := range c.Len() {
				if x, y := all.At(i), c.At(j); math.Abs(x[0]-y[0])+math.Abs(x[1]-y[1]) <= epsilon {
					near = append(near, i)
					break
				}
			}
		}
		mostly := all.Pick(near)
		if got := number(mostly, epsilon).Domination.Lower; got > c.Len() {
			t.Fatalf("%d points cover what %d cover", got, c.Len())
		}
		if got := number(mostly, 2*epsilon).Independence.Lower; got > c.Len() {
			t.Fatalf("%d points more than 2ε apart within ε of %d", got, c.Len())
		}
	})
}

// TestNotCarriedOver: with a hub, a star of leaves has a smaller cover, and the columns of the package comment with a point
// beside each have small minimal covers alone.
func TestNotCarriedOver(t *testing.T) {
	const n = 5
	columns := [][]float64{}
	for j := range n {
		columns = append(columns, []float64{0, float64(j)}, []float64{n * n, float64(j)})
	}
	for _, c := range []struct {
		name       string
		part, more [][]float64
		epsilon    float64
		at         func(cover.Numbers) cover.Interval
		less, all  int
	}{
		{"γ", [][]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, [][]float64{{0, 0}}, 1, func(x cover.Numbers) cover.Interval { return x.Domination }, 4, 1},
		{"i", [][]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, [][]float64{{0, 0}}, 1, func(x cover.Numbers) cover.Interval { return x.Separated }, 4, 1},
		{"Γ", columns, [][]float64{{-1, 0}, {n*n + 1, 0}}, n * n, func(x cover.Numbers) cover.Interval { return x.Upper }, n, 2},
	} {
		for _, x := range []struct {
			rows [][]float64
			want int
		}{{c.part, c.less}, {append(c.more, c.part...), c.all}} {
			p, err := cover.FromRows(x.rows)
			if err != nil {
				t.Fatal(err)
			}
			got, err := cover.Number(t.Context(), p, c.epsilon, cover.Options{Exact: true})
			if err != nil || c.at(got) != (cover.Interval{Lower: x.want, Upper: x.want}) {
				t.Errorf("%s of %d points: %+v, %v, want %d", c.name, p.Len(), got, err, x.want)
			}
		}
	}
}

func TestUnseenErrors(t *testing.T) {
	tiger, random := envs.Tiger{}, bcpace.RandomPolicy(envs.Tiger{})
	r, err := cover.Sample(t.Context(), tiger, cover.ReachOptions{Depth: 3, Episodes: 5}, random)
	if err != nil {
		t.Fatal(err)
	}
	input := (*bcpace.InputError)(nil)
	for name, o := range map[string]cover.UnseenOptions{"epsilon": {Epsilon: -1}, "NaN": {Epsilon: math.NaN()}, "confidence": {Confidence: 1},
		"below": {Confidence: -0.5}, "depth": {Depth: -1}, "episodes": {Episodes: -1}} {
		if _, err := cover.MeasureUnseen(t.Context(), tiger, r, random, o); !errors.As(err, &input) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := cover.MeasureUnseen(t.Context(), envs.Chain{}, r, bcpace.RandomPolicy(envs.Chain{}), cover.UnseenOptions{}); !errors.As(err, &input) {
		t.Errorf("another model: %v", err)
	}
	if _, err := cover.MeasureUnseen(t.Context(), tiger, nil, random, cover.UnseenOptions{}); !errors.As(err, &input) {
		t.Errorf("no sample: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cover.MeasureUnseen(ctx, tiger, r, random, cover.UnseenOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
