package adaops_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/online/adaops"
)

// hiddenDial is a hidden number that a noisy reading tells; nothing depends on the last one.
func hiddenDial() *hidden.Model {
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "dial", Axes: []bcpace.Axis{{Name: "reading", Min: -9, Max: 9, Scale: math.Inf(1)}}, Actions: bcpace.Actions("read"), Discount: 0.9, RewardMax: 1},
			Hidden: []bcpace.Axis{{Name: "x", Min: -9, Max: 9}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = min(max(rng.NormFloat64(), -9), 9) },
		Step: func(next, nextX, _, x []float64, _ int, rng *rand.Rand) bcpace.Outcome {
			nextX[0] = x[0]
			next[0] = min(max(x[0]+rng.NormFloat64(), -9), 9)
			return bcpace.Outcome{}
		},
		LogDensity: func(_, _ []float64, _ int, next, x []float64) float64 {
			return -(next[0] - x[0]) * (next[0] - x[0]) / 2
		},
	}
}

// TestVectorsPack: the centres of a packing are more than δ apart, everything is within δ of its own, so that their number is one
// between the numbers i and α of package cover, and the means and probabilities add up.
func TestVectorsPack(t *testing.T) {
	m, rng := hiddenDial(), rand.New(rand.NewPCG(1, 1))
	b, err := hidden.Particles{}.Begin(m, []float64{0}, rng)
	if err != nil {
		t.Fatal(err)
	}
	last := math.MaxInt
	for _, delta := range []float64{0.05, 0.2, 0.6, 1.5, 2} {
		p, err := adaops.Solver{Delta: delta, Least: 40, Most: 40}.PackVectors(m, []float64{0}, b, 0, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		l1 := func(i, j int) float64 { return p.Beliefs[i].L1(p.Beliefs[j]) }
		for i, k := range p.Node {
			if d := l1(i, p.Centre[k]); d > delta {
				t.Errorf("δ = %v: %d is %v from its centre", delta, i, d)
			}
		}
		for k, c := range p.Centre {
			for _, other := range p.Centre[:k] {
				if d := l1(c, other); d <= delta {
					t.Errorf("δ = %v: two centres are %v apart", delta, d)
				}
			}
		}
		prob := make([]float64, len(p.Means))
		for i, w := range p.Prob {
			prob[p.Node[i]] += w
		}
		sum := 0.0
		for k, mean := range p.Means {
			for i := range mean {
				for j, w := range p.Beliefs {
					if p.Node[j] == k {
						mean[i] -= p.Prob[j] * w[i] / prob[k]
					}
				}
				if math.Abs(mean[i]) > 1e-12 {
					t.Fatalf("δ = %v: the mean of node %d is %v off", delta, k, mean[i])
				}
			}
			sum += prob[k]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("δ = %v: probabilities sum to %v", delta, sum)
		}
		points, err := cover.FromRows(p.Points)
		if err != nil {
			t.Fatal(err)
		}
		x, err := cover.Number(context.Background(), points, delta, cover.Options{Exact: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Centre); n < x.Separated.Lower || n > x.Independence.Upper || n > last {
			t.Errorf("δ = %v: %d nodes, want from i = %v to α = %v, and at most %d", delta, n, x.Separated, x.Independence, last)
		}
		last = len(p.Centre)
	}
	if last != 1 {
		t.Errorf("%d nodes with δ = 2, want 1", last)
	}
	p, err := adaops.Solver{NoPacking: true, Least: 40, Most: 40}.PackVectors(m, []float64{0}, b, 0, rand.New(rand.NewPCG(1, 1)))
	if err != nil || len(p.Means) != 30 {
		t.Errorf("%d nodes without packing, %v: want 30, of 40 next states", len(p.Means), err)
	}
}

// TestVectorsAxes: positions that are near count in the distance, in their units, and different whole numbers never share a node.
func TestVectorsAxes(t *testing.T) {
	for _, x := range []struct {
		axis  bcpace.Axis
		nodes int
	}{{bcpace.Axis{Name: "place", Max: 9, Scale: 100}, 1}, {bcpace.Axis{Name: "place", Max: 9, Scale: 0.01}, 4}, {bcpace.Axis{Name: "place", Max: 9, Discrete: true, Scale: 100}, 4}, {bcpace.Axis{Name: "place", Max: 9, Discrete: true, Scale: math.Inf(1)}, 1}} {
		m := hiddenDial()
		m.Spec.Axes = []bcpace.Axis{x.axis}
		m.LogDensity = func(_, _ []float64, _ int, _, _ []float64) float64 { return 0 }
		m.Step = func(next, nextX, _, x []float64, _ int, _ *rand.Rand) bcpace.Outcome {
			nextX[0] = x[0]
			next[0] = float64(min(max(int(x[0]*4+2), 0), 3))
			return bcpace.Outcome{}
		}
		b, err := hidden.Particles{Number: 400}.Begin(m, []float64{0}, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		p, err := adaops.Solver{}.PackVectors(m, []float64{0}, b, 0, rand.New(rand.NewPCG(1, 1)))
		if err != nil || len(p.States) != 4 || len(p.Centre) != x.nodes {
			t.Errorf("%+v: %d states in %d nodes, %v: want 4 in %d", x.axis, len(p.States), len(p.Centre), err, x.nodes)
		}
	}
	if d := metric.New(bcpace.Spec{Axes: []bcpace.Axis{{Name: "a", Max: 1}}}, 1).Dim(); d != 1 {
		t.Errorf("dimension %d of a metric without latents, want 1", d)
	}
}

// TestVectorsNumber: a belief that is spread over more cells has more particles, from Least to Most.
func TestVectorsNumber(t *testing.T) {
	count := func(deviation float64) int {
		m := hiddenDial()
		m.Spec.Hidden[0] = bcpace.Axis{Name: "x", Min: -50, Max: 50, Discrete: true}
		m.Prior = func(x []float64, rng *rand.Rand) { x[0] = math.Round(min(max(deviation*rng.NormFloat64(), -50), 50)) }
		b, err := hidden.Particles{}.Begin(m, []float64{0}, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		p, err := adaops.Solver{Least: 10, Most: 500}.PackVectors(m, []float64{0}, b, 0, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return len(p.Hidden)
	}
	counts := []int{count(0), count(1), count(3), count(10), count(30)}
	if counts[0] != 10 || counts[4] != 500 || !slices.IsSorted(counts) || counts[1] == counts[2] {
		t.Errorf("%v particles, want more and more from 10 to 500", counts)
	}
}

// TestVectorsSame: particles that come from one place to one place are weighed once for what follows, and have the weights that each
// of them would have.
func TestVectorsSame(t *testing.T) {
	m, weighed := hiddenDial(), 0
	density := m.LogDensity
	m.Spec.Hidden[0] = bcpace.Axis{Name: "x", Max: 2, Discrete: true}
	m.Prior = func(x []float64, rng *rand.Rand) { x[0] = float64(rng.IntN(3)) }
	m.LogDensity = func(s, x []float64, action int, next, nextX []float64) float64 {
		weighed++
		return density(s, x, action, next, nextX)
	}
	b, err := hidden.Particles{}.Begin(m, []float64{0}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := adaops.Solver{Least: 60, Most: 60, NoPacking: true}.PackVectors(m, []float64{0}, b, 0, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.States) != 30 || weighed != 3*30 {
		t.Errorf("%d densities for 3 places and %d next states, want 90 for 30", weighed, len(p.States))
	}
	for k, w := range p.Beliefs {
		want, sum := make([]float64, len(w)), 0.0
		for i, x := range p.Hidden {
			want[i] = math.Exp(density(nil, x, 0, p.States[k], x))
			sum += want[i]
		}
		for i := range w {
			if math.Abs(w[i]-want[i]/sum) > 1e-9 {
				t.Fatalf("next state %d gives particle %d the weight %v, want %v", k, i, w[i], want[i]/sum)
			}
		}
	}
	sum := 0.0
	for _, q := range p.Prob {
		sum += q
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the next states have probability %v, want 1", sum)
	}
}

// TestFollowsRollout: one trial is enough to know what Model.Rollout earns at a leaf where Model.Bounds says less. A
// corridor has its goal five steps away, which pays 10, and a step costs 1: after the first one to the goal, 10·γ⁴ − 1 − γ − … −
// γ³ are left of it. The lower bound is that of who always stays.
func TestFollowsRollout(t *testing.T) {
	const γ, ahead, goal = 0.9, 1, 5
	m := &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "corridor", Axes: []bcpace.Axis{{Name: "nothing", Max: 1, Discrete: true}}, Actions: bcpace.Actions("stay", "ahead"), Discount: γ, RewardMin: -2, RewardMax: 10},
			Hidden: []bcpace.Axis{{Name: "x", Max: goal, Discrete: true}},
		},
		Prior: func(x []float64, _ *rand.Rand) { x[0] = 0 },
		Step: func(next, nextX, _, x []float64, action int, _ *rand.Rand) bcpace.Outcome {
			next[0], nextX[0] = 0, min(x[0]+float64(action), goal)
			if nextX[0] == goal {
				return bcpace.Outcome{Reward: 10, Done: true}
			}
			return bcpace.Outcome{Reward: -1}
		},
		LogDensity: func(_, _ []float64, _ int, _, _ []float64) float64 { return 0 },
		Rollout:    func(_, _ []float64, _ *rand.Rand) int { return ahead },
		Bounds:     func(_, _ []float64) (lower, upper float64) { return -1 / (1 - γ), 10 },
	}
	p, err := adaops.Solver{Budget: bcpace.Budget{Simulations: 1, Depth: 20}}.Planner(m)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Plan(t.Context(), []float64{0}, plannertest.Begin(t, m, []float64{0}), rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	want := 10 * math.Pow(γ, goal-1)
	for step := range goal - 1 {
		want -= math.Pow(γ, float64(step))
	}
	if len(d.Q) != 2 || math.Abs(d.Q[ahead]-want) > 1e-9 {
		t.Errorf("the actions earn %v at least, want %v of %q", d.Q, want, "ahead")
	}
}

// TestVectorsBadInput: what cannot be used is an error that says what would be right.
func TestVectorsBadInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	good := plannertest.Guess(0.1)
	b := plannertest.Begin(t, good, []float64{0})
	for _, s := range []adaops.Solver{
		{Delta: -1}, {Delta: math.NaN()}, {Delta: 1, NoPacking: true}, {Least: -1}, {Least: 9, Most: 8}, {Most: 1e6}, {Zeta: -1}, {Zeta: math.NaN()},
		{Threshold: 0.5}, {Threshold: math.NaN()}, {Budget: bcpace.Budget{Simulations: -1}},
	} {
		if _, err := s.Planner(good); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", s, err)
		}
	}
	for _, s := range []adaops.Solver{{Least: 300}, {Most: 20}} {
		if _, err := s.Planner(good); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if _, err := (adaops.Solver{}).PackVectors(good, []float64{0}, b, 7, rng); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError for the action", err)
	}
	if _, err := (adaops.Solver{}).PackVectors(good, nil, b, 0, rng); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError for the state", err)
	}
	blind := plannertest.Guess(0.1)
	blind.LogDensity = nil
	boxed := plannertest.Guess(0.1)
	boxed.Spec.Actions[0].Box = []bcpace.Axis{{Name: "u", Max: 1}}
	for _, m := range []*hidden.Model{blind, boxed} {
		if _, err := (adaops.Solver{}).Planner(m); !errors.As(err, new(*bcpace.UnsupportedError)) {
			t.Errorf("error %v, want an UnsupportedError", err)
		}
	}
}
