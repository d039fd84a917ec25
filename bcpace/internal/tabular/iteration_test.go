package tabular

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
)

// priors are of every kind.
var priors = map[string]bcpace.TransitionPrior{
	"flat": {}, "heavy": {Alpha: 2}, "sparse": {Sparse: true},
	"few":        {Follow: func(s, a int) []int32 { return []int32{int32(s), int32((s + 1) % 3)} }},
	"sparse few": {Sparse: true, Alpha: 0.5, Follow: func(s, a int) []int32 { return []int32{2, 0} }},
}

// learned returns the posterior of three states and two actions after some observations.
func learned(t *testing.T, prior bcpace.TransitionPrior, rng *rand.Rand, observations int) *Rows {
	t.Helper()
	x, err := NewRows(t.Context(), plannertest.Paths(t, prior))
	if err != nil {
		t.Fatal(err)
	}
	s := 0
	for range observations {
		a := rng.IntN(2)
		next, _ := x.Predict(s, a, rng)
		if err := x.Observe(s, a, next); err != nil {
			t.Fatal(err)
		}
		s = next
	}
	return x
}

// Means and variances are those of drawn rows. Of 5 priors × 6 rows × 3 states a mean or
// variance is off by more than six standard errors with probability 4·10⁻⁷.
func TestMomentsOfRows(t *testing.T) {
	const draws = 20_000
	for name, prior := range priors {
		rng := rand.New(rand.NewPCG(3, 1))
		x := learned(t, prior, rng, 12)
		var p mdp.MDP
		sums := make([][4]float64, 6*3) // of p, p², p³, p⁴
		for range draws {
			x.Draw(&p, rng)
			for r := range 6 {
				for k := p.Row[r]; k < p.Row[r+1]; k++ {
					w, at := p.Weight[k]/x.Discount(), &sums[3*r+int(p.Col[k])]
					for i := range at {
						at[i] += math.Pow(w, float64(i+1)) / draws
					}
				}
			}
		}
		for r := range 6 {
			total := 0.0
			for _, m := range x.Moments(r/2, r%2, nil) {
				total += m.Mean
				at := sums[3*r+m.Next]
				variance := at[1] - at[0]*at[0]
				fourth := at[3] - 4*at[0]*at[2] + 6*at[0]*at[0]*at[1] - 3*math.Pow(at[0], 4)
				if off := math.Abs(m.Mean - at[0]); off > 6*math.Sqrt(variance/draws)+1e-9 {
					t.Errorf("%s, row %d: mean %v of state %d, drawn %v", name, r, m.Mean, m.Next, at[0])
				}
				if off := math.Abs(m.Variance - variance); off > 6*math.Sqrt(max(0, fourth-variance*variance)/draws)+1e-9 {
					t.Errorf("%s, row %d: variance %v of state %d, drawn %v", name, r, m.Variance, m.Next, variance)
				}
			}
			if math.Abs(total-1) > 1e-12 {
				t.Errorf("%s, row %d: means add up to %v", name, r, total)
			}
		}
	}
}

// Means and variances over a belief are sums over the latents.
func TestMomentsOfLatents(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		m := randmodel.New(rng, randmodel.Options{})
		x, err := NewLatents(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		b := make(bcpace.Belief, len(m.Spec().Latents))
		b.SampleSimplex(rng)
		x.SetBelief(b)
		for s := range x.States() {
			for a := range x.Actions() {
				from, _ := x.Entries(s*x.Actions() + a)
				for i, got := range x.Moments(s, a, nil) {
					mean, variance := 0.0, 0.0
					for φ, p := range x.Prob(from + i) {
						mean += b[φ] * p
					}
					for φ, p := range x.Prob(from + i) {
						variance += b[φ] * (p - mean) * (p - mean)
					}
					if math.Abs(got.Mean-mean) > 1e-12 || math.Abs(got.Variance-variance) > 1e-12 {
						t.Fatalf("seed %d: %+v, want mean %v and variance %v", seed, got, mean, variance)
					}
				}
			}
		}
	}
}

// Value iteration ends within its tolerance of the values that the posterior's mean MDP has, by
// many sweeps of another kind, and again after each observation.
func TestIteration(t *testing.T) {
	for name, prior := range priors {
		rng := rand.New(rand.NewPCG(5, 1))
		x := learned(t, prior, rng, 0)
		v := NewIteration(x, 1e-6)
		for range 10 {
			if err := v.Run(t.Context(), x.Backup, DefaultSweeps); err != nil {
				t.Fatal(err)
			}
			want := make([]float64, 3)
			for range 200 {
				old := append([]float64(nil), want...)
				for s := range want {
					want[s] = math.Inf(-1)
					for a := range 2 {
						q := 0.0
						for _, m := range x.Moments(s, a, nil) {
							q += m.Mean * (x.Reward(s, a, m.Next) + x.Discount()*old[m.Next])
						}
						want[s] = max(want[s], q)
					}
				}
			}
			for s, w := range want {
				if math.Abs(v.V[s]-w) > 1e-6 {
					t.Fatalf("%s: value %v of state %d, want %v", name, v.V[s], s, w)
				}
			}
			s, a := rng.IntN(3), rng.IntN(2)
			next, _ := x.Predict(s, a, rng)
			if err := x.Observe(s, a, next); err != nil {
				t.Fatal(err)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := v.Run(ended, x.Backup, DefaultSweeps); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v where the context has ended", name, err)
		}
	}
}

// forgetful is an agent that counts what it is told.
type forgetful struct {
	know            Posterior
	learned, begins int
}

func (a *forgetful) Begin()                { a.begins, a.learned = a.begins+1, 0 }
func (a *forgetful) Learned(int, int, int) { a.learned++ }
func (a *forgetful) Act(context.Context, int, *rand.Rand) (int, error) {
	return a.learned % 2, nil
}

// A policy tells its agent what follows its actions, and that an episode begins where nothing has
// followed the last one. A fork knows nothing of it.
func TestPolicy(t *testing.T) {
	var made []*forgetful
	p, err := Policy(t.Context(), plannertest.Paths(t, bcpace.TransitionPrior{}), "test", func(know Posterior) Agent {
		made = append(made, &forgetful{know: know})
		return made[len(made)-1]
	})
	if err != nil {
		t.Fatal(err)
	}
	e := bcpace.PolicyAbilitiesOf(p)
	b, a := bcpace.Belief{1}, made[0]
	act := func(p bcpace.Policy, want int) {
		t.Helper()
		if got := p.Act([]float64{1}, b, nil); got != want {
			t.Errorf("action %d, want %d", got, want)
		}
	}
	e.Begin([]float64{1}, b)
	act(p, 0)
	e.Observe(0, 0, []float64{2})
	act(p, 1)
	e.Observe(1, 0, []float64{0})
	act(p, 0)
	if a.begins != 1 || a.learned != 2 || a.know.(*Rows).Observed() != 2 || a.know.Count(1, 1) != 2 {
		t.Errorf("%+v has seen %d", a, a.know.(*Rows).Observed())
	}
	q := bcpace.Fork(p)
	act(q, 0)
	if x := made[1]; x.know.(*Rows).Observed() != 0 {
		t.Errorf("a fork has seen %d", x.know.(*Rows).Observed())
	}
	e.Observe(0, 0, []float64{1})
	e.Begin([]float64{1}, b)
	act(p, 0)
	act(p, 0) // nothing has followed the last one
	if a.begins != 3 || a.learned != 0 || a.know.(*Rows).Observed() != 0 {
		t.Errorf("%+v has seen %d", a, a.know.(*Rows).Observed())
	}
	for _, s := range [][]float64{{1, 2}, {7}, {0.5}} {
		if got := p.Act(s, b, nil); got != -1 {
			t.Errorf("action %d at %v, which is no state", got, s)
		}
	}
	if got := p.Act([]float64{1}, bcpace.Belief{0.5, 0.5}, nil); got != -1 {
		t.Errorf("action %d at a belief of another model", got)
	}
}
