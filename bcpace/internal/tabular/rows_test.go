package tabular

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/envs"
)

// ring is a model of n states and two actions, of which nobody knows where they lead.
type ring struct {
	bcpace.Finite
	prior bcpace.TransitionPrior
}

func (r ring) TransitionPrior() bcpace.TransitionPrior { return r.prior }

func newRing(t testing.TB, n int, prior bcpace.TransitionPrior) ring {
	t.Helper()
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "ring", Axes: []bcpace.Axis{{Name: "place", Max: float64(n - 1), Discrete: true}}, Actions: bcpace.Actions("stay", "go"),
			Latents: []string{"the ring"}, Discount: 0.9, RewardMax: 1},
		Step: func(next, s []float64, _, action int, _ *rand.Rand) bcpace.Outcome {
			next[0] = math.Mod(s[0]+float64(action), float64(n))
			return bcpace.Outcome{Reward: s[0] / float64(n)}
		},
		LogLikelihood: func(s []float64, action int, next []float64, _ int) float64 {
			if next[0] == math.Mod(s[0]+float64(action), float64(n)) {
				return 0
			}
			return math.Inf(-1)
		},
		Successors: func(z *bcpace.Successors, s []float64, action int) {
			next, p, r := z.Add(false)
			next[0], p[0], r[0] = math.Mod(s[0]+float64(action), float64(n)), 1, s[0]/float64(n)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ring{m.(bcpace.Finite), prior}
}

func newRows(t testing.TB, m bcpace.UnknownTransitions) *Rows {
	t.Helper()
	x, err := NewRows(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// probability returns that of a sequence of next states of one row, by summing over all
// supports of k ≤ n states: for each, the Dirichlet integral Γ(kα)/Γ(kα+N)·Π Γ(α+N_i)/Γ(α).
// size gives P(k).
func probability(sequence []int, n int, α float64, size func(k int) float64) float64 {
	total, norm := 0.0, 0.0
	for k := 1; k <= n; k++ {
		norm += size(k)
	}
	for set := 1; set < 1<<n; set++ {
		k := 0
		for i := range n {
			k += set >> i & 1
		}
		p := size(k) / norm / choose(n, k)
		counts := make([]float64, n)
		for i, next := range sequence {
			if set>>next&1 == 0 {
				p = 0
				break
			}
			p *= (α + counts[next]) / (α*float64(k) + float64(i))
			counts[next]++
		}
		total += p
	}
	return total
}

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return c
}

// The predictive distribution, followed along any sequence of observations, gives the sequence
// the probability that the prior gives it.
func TestPredictiveOfSequences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, x := range []struct {
		prior bcpace.TransitionPrior
		α     float64
		size  func(k int) float64
	}{
		{bcpace.TransitionPrior{}, 1.0 / 5, func(k int) float64 { return float64(k / 5) }},
		{bcpace.TransitionPrior{Alpha: 2}, 2, func(k int) float64 { return float64(k / 5) }},
		{bcpace.TransitionPrior{Sparse: true}, sparseAlpha, func(k int) float64 { return math.Exp2(-float64(k)) }},
		{bcpace.TransitionPrior{Sparse: true, Alpha: 1.5}, 1.5, func(k int) float64 { return math.Exp2(-float64(k)) }},
	} {
		rows := newRows(t, newRing(t, 5, x.prior))
		for range 50 {
			got := 1.0
			var sequence []int
			for range 1 + rng.IntN(6) {
				next := rng.IntN(5)
				got *= rows.Mean(2, 1)[next]
				if err := rows.Observe(2, 1, next); err != nil {
					t.Fatal(err)
				}
				sequence = append(sequence, next)
			}
			if want := probability(sequence, 5, x.α, x.size); math.Abs(got-want) > 1e-12 {
				t.Fatalf("prior %+v: sequence %v has probability %v, want %v", x.prior, sequence, got, want)
			}
			rows.Undo(0)
		}
	}
}

// Draws of a next state, a table and the mean agree, and so does a backup. Each of some 300
// frequencies of 20,000 draws is within 5 standard errors, which fails by chance with a
// probability below 2e-4.
func TestDrawsAgreeWithMean(t *testing.T) {
	follow := func(s, action int) []int32 { return []int32{int32(s), int32((s + 1 + action) % 7), int32((s + 4) % 7)} }
	for _, prior := range []bcpace.TransitionPrior{{}, {Sparse: true}, {Follow: follow}, {Follow: follow, Sparse: true, Alpha: 0.7}} {
		x := newRows(t, newRing(t, 7, prior))
		rng := rand.New(rand.NewPCG(2, 2))
		for range 12 {
			s, a := rng.IntN(2), rng.IntN(2)
			next, _ := x.Predict(s, a, rng)
			if err := x.Observe(s, a, next); err != nil {
				t.Fatal(err)
			}
		}
		v := make([]float64, 7)
		total := 0.0
		for i := range v {
			v[i] = rng.NormFloat64()
			total += v[i]
		}
		const draws = 20_000
		for row := range 4 {
			s, a := row/2, row%2
			mean := x.Mean(s, a)
			sum, q := 0.0, 0.0
			predicted, drawn := make([]float64, 7), make([]float64, 7)
			var d drawnRow
			for range draws {
				next, _ := x.Predict(s, a, rng)
				predicted[next] += 1.0 / draws
				x.drawRow(&d, s*2+a, rng)
				for i, next := range d.next {
					drawn[next] += d.prob[i] / draws
				}
			}
			for next, p := range mean {
				sum += p
				q += p * (float64(s)/7 + 0.9*v[next])
				within := 5*math.Sqrt(p*(1-p)/draws) + 1e-12
				if math.Abs(predicted[next]-p) > within || math.Abs(drawn[next]-p) > within {
					t.Fatalf("prior %+v, row %d: state %d has mean %v, predicted %v, drawn %v", prior, row, next, p, predicted[next], drawn[next])
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("probabilities sum to %v", sum)
			}
			if got := x.Backup(s, a, v, total); math.Abs(got-q) > 1e-12 {
				t.Fatalf("prior %+v, row %d: backup %v, want %v", prior, row, got, q)
			}
		}
	}
}

// A draw of a whole MDP has the rows of the table drawn by the same random numbers.
func TestDrawIsATable(t *testing.T) {
	x := newRows(t, newRing(t, 6, bcpace.TransitionPrior{Sparse: true}))
	var p mdp.MDP
	x.Draw(&p, rand.New(rand.NewPCG(3, 3)))
	table := make([]float64, 6*2*6)
	x.DrawTable(table, rand.New(rand.NewPCG(3, 3)))
	v := []float64{1, 2, 4, 8, 16, 32}
	for r := range 12 {
		want := float64(r/2) / 6
		for next, q := range table[r*6 : r*6+6] {
			want += 0.9 * q * v[next]
		}
		if got := p.Backup(v, r); math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d: %v, want %v", r, got, want)
		}
	}
}

// Undo takes back what was observed, in any number of steps.
func TestUndo(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, prior := range []bcpace.TransitionPrior{{}, {Sparse: true}} {
		x := newRows(t, newRing(t, 4, prior))
		var means [][]float64
		walk := func(n int) {
			for range n {
				means = append(means, slices.Concat(x.Mean(0, 0), x.Mean(0, 1), x.Mean(1, 0)))
				if err := x.Observe(rng.IntN(2), rng.IntN(2), rng.IntN(4)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 100 {
			walk(rng.IntN(8))
			back := rng.IntN(x.Observed() + 1)
			fork := x.Fork()
			for _, y := range []*Rows{x, fork} {
				y.Undo(back)
				if y.Observed() != back {
					t.Fatalf("%d observations, want %d", y.Observed(), back)
				}
			}
			if back < len(means) {
				if got := slices.Concat(fork.Mean(0, 0), fork.Mean(0, 1), fork.Mean(1, 0)); !slices.Equal(got, means[back]) {
					t.Fatalf("after Undo(%d): %v, want %v", back, got, means[back])
				}
				means = means[:back]
			}
		}
	}
}

// Rows of the smallest α are drawn without a sum of 0.
func TestSmallAlpha(t *testing.T) {
	x := newRows(t, newRing(t, 50, bcpace.TransitionPrior{Alpha: 1e-300}))
	var d drawnRow
	for range 100 {
		x.drawRow(&d, 0, rand.New(rand.NewPCG(5, 5)))
		sum := 0.0
		for _, p := range d.prob {
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("a row of sum %v", sum)
		}
	}
}

func TestBadPriors(t *testing.T) {
	for name, prior := range map[string]bcpace.TransitionPrior{
		"α below 0":        {Alpha: -1},
		"α infinite":       {Alpha: math.Inf(1)},
		"α not a number":   {Alpha: math.NaN()},
		"nothing follows":  {Follow: func(int, int) []int32 { return nil }},
		"twice":            {Follow: func(int, int) []int32 { return []int32{1, 1} }},
		"no state":         {Follow: func(int, int) []int32 { return []int32{4} }},
		"reward too large": {Reward: func(int, int, int) float64 { return 2 }},
	} {
		var input *bcpace.InputError
		if _, err := NewRows(t.Context(), newRing(t, 4, prior)); !errors.As(err, &input) {
			t.Errorf("%s: error %v, want an InputError", name, err)
		}
	}
	// Chain pays by the next state.
	var input *bcpace.InputError
	if _, err := NewRows(t.Context(), ring{envs.Chain{Slips: []float64{0.2}}, bcpace.TransitionPrior{}}); !errors.As(err, &input) {
		t.Errorf("rewards of the next state: error %v, want an InputError", err)
	}
	x := newRows(t, newRing(t, 4, bcpace.TransitionPrior{Follow: func(s, _ int) []int32 { return []int32{int32(s)} }}))
	var impossible *bcpace.ImpossibleObservationError
	if err := x.Observe(1, 0, 2); !errors.As(err, &impossible) || x.Observed() != 0 {
		t.Errorf("what cannot follow: error %v and %d observations", err, x.Observed())
	}
}

// Random observations of a large table cost neither memory nor time that grows.
func BenchmarkPredict(b *testing.B) {
	maze, err := envs.Maze{Sparse: true}.Model()
	if err != nil {
		b.Fatal(err)
	}
	x := newRows(b, maze)
	rng := rand.New(rand.NewPCG(6, 6))
	b.ReportAllocs()
	s := 0
	for b.Loop() {
		a := rng.IntN(4)
		next, _ := x.Predict(s, a, rng)
		if err := x.Observe(s, a, next); err != nil {
			b.Fatal(err)
		}
		if s = next; x.Observed() > 10_000 {
			x.Undo(0)
		}
	}
}

// Actions of equal value are chosen equally often: 1,000 choices of two, within 5 standard
// errors.
func TestGreedyDrawsTies(t *testing.T) {
	x := newRows(t, newRing(t, 4, bcpace.TransitionPrior{}))
	values := NewIteration(x, 1e-3)
	if err := values.Run(t.Context(), x.Backup, 100); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	ones := 0
	for range 1000 {
		ones += values.Greedy(2, x.Backup, rng)
	}
	if math.Abs(float64(ones)-500) > 5*math.Sqrt(250) {
		t.Errorf("the second of two equal actions was chosen %d times of 1000", ones)
	}
}
