package estimated_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/estimated"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/methods"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// drifts is a random model of normal noise on some axes, with a symbol that is more likely under some latents than others.
func drifts(t testing.TB, seed uint64, axes int) bcpace.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	latents := 2 + rng.IntN(3)
	shift, sigma := make([]float64, latents*axes), make([]float64, axes)
	for i := range shift {
		shift[i] = rng.NormFloat64()
	}
	for i := range sigma {
		sigma[i] = 0.5 + rng.Float64()
	}
	spec := bcpace.Spec{Name: "drifts", Actions: bcpace.Actions("go"), Discount: 0.9, RewardMax: 1,
		Axes: []bcpace.Axis{{Name: "symbol", Max: 1, Discrete: true}}}
	for i := range axes {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: fmt.Sprint("x", i), Min: -20, Max: 20})
	}
	for φ := range latents {
		spec.Latents = append(spec.Latents, fmt.Sprint(φ))
	}
	one := func(φ int) float64 { return float64(φ+1) / float64(latents+1) } // probability of symbol 1
	m, err := bcpace.FromFuncs(bcpace.Funcs{Spec: spec,
		Step: func(next, s []float64, φ, _ int, rng *rand.Rand) bcpace.Outcome {
			next[0] = 0
			if rng.Float64() < one(φ) {
				next[0] = 1
			}
			for i, σ := range sigma {
				next[1+i] = max(-20, min(20, s[1+i]/2+shift[φ*axes+i]+σ*rng.NormFloat64()))
			}
			return bcpace.Outcome{Reward: next[0]}
		},
		LogLikelihood: func(s []float64, _ int, next []float64, φ int) float64 {
			l := math.Log(math.Abs(1 - next[0] - one(φ)))
			for i, σ := range sigma {
				z := (next[1+i] - s[1+i]/2 - shift[φ*axes+i]) / σ
				l -= z * z / 2
			}
			return l
		}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// off returns the mean over steps drawn of the largest difference between a true posterior probability and an estimated one.
func off(t testing.TB, m bcpace.Model, draws, steps int) float64 {
	t.Helper()
	guess, err := estimated.Likelihoods(m, estimated.Options{Draws: draws, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	spec, sum := m.Spec(), 0.0
	rng := rand.New(rand.NewPCG(2, 3))
	prior := bcpace.Uniform(len(spec.Latents))
	a, b := make(bcpace.Belief, len(prior)), make(bcpace.Belief, len(prior))
	s, next := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	for range steps {
		for i := range s[1:] {
			s[1+i] = rng.NormFloat64()
		}
		m.Step(next, s, prior.Sample(rng), 0, rng)
		if err := errors.Join(bcpace.NewBayes(m).Update(a, prior, s, 0, next), bcpace.NewBayes(guess).Update(b, prior, s, 0, next)); err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for φ := range a {
			worst = max(worst, math.Abs(a[φ]-b[φ]))
		}
		sum += worst / float64(steps)
	}
	return sum
}

// TestPosteriorConverges: with more draws the posterior comes to the true one, on 12 random models with one or two noisy
// axes. The error of a step lies in [0, 1]. Where its expectation is 0.03, which is the most that is seen with 10,000 draws,
// by Bernstein's inequality the mean of 100 exceeds 0.15 with probability below 4e-5; and that of all 1200, of which the
// expectation is 0.016, exceeds 0.045 below 1e-8. The seeds are fixed.
func TestPosteriorConverges(t *testing.T) {
	few, many := 0.0, 0.0
	for seed := range uint64(12) {
		m := drifts(t, seed, 1+int(seed%2))
		f, n := off(t, m, 30, 100), off(t, m, 10_000, 100)
		few, many = few+f/12, many+n/12
		if n > 0.15 {
			t.Errorf("model %d: posteriors are off by %.3f on average with 10000 draws", seed, n)
		}
	}
	if many > few/3 || many > 0.045 {
		t.Errorf("posteriors are off by %.4f with 30 draws and by %.4f with 10000", few, many)
	}
}

// An estimate is a function of the options, the state and the action, whoever asks first, and however many ask.
//
//test:race
func TestDeterministic(t *testing.T) {
	m := drifts(t, 3, 2)
	spec := m.Spec()
	one, err := estimated.Likelihoods(m, estimated.Options{Draws: 100})
	if err != nil {
		t.Fatal(err)
	}
	two, err := estimated.Likelihoods(m, estimated.Options{Draws: 100})
	if err != nil {
		t.Fatal(err)
	}
	other, err := estimated.Likelihoods(m, estimated.Options{Draws: 100, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(m bcpace.Model, i int) float64 {
		return m.LogLikelihood([]float64{0, float64(i), 0}, 0, []float64{1, 0, 0}, i%len(spec.Latents))
	}
	const n = 300 // more than are kept
	want := make([]float64, n)
	for i := range want {
		want[i] = ask(one, i)
	}
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := range n {
				if got := ask(two, (i*7+w)%n); got != want[(i*7+w)%n] {
					t.Errorf("state %d: %v, want %v", (i*7+w)%n, got, want[(i*7+w)%n])
				}
			}
		})
	}
	group.Wait()
	if ask(other, 0) == want[0] {
		t.Error("another seed gives the same estimate")
	}
}

// The kernel is a density: it sums to 1 over symbols and an axis.
func TestSumsToOne(t *testing.T) {
	m := drifts(t, 5, 1)
	guess, err := estimated.Likelihoods(m, estimated.Options{Draws: 50})
	if err != nil {
		t.Fatal(err)
	}
	const cells = 20_000
	sum := 0.0
	for symbol := range 2 {
		for i := range cells {
			x := -20 + 40*(float64(i)+0.5)/cells
			sum += math.Exp(guess.LogLikelihood([]float64{0, 0.5}, 0, []float64{float64(symbol), x}, 1)) * 40 / cells
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("the estimated density sums to %v", sum)
	}
}

// Where nothing is drawn, one step tells the latent; and no step is impossible.
func TestWithoutNoise(t *testing.T) {
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "sure", Axes: []bcpace.Axis{{Name: "x", Min: -10, Max: 10}, {Name: "angle", Max: 2, Period: 2}},
			Actions: bcpace.Actions("go"), Latents: []string{"a", "b"}, Discount: 0.9},
		Step: func(next, s []float64, φ, _ int, _ *rand.Rand) bcpace.Outcome {
			next[0], next[1] = s[0]+0.1+0.001*float64(φ), s[1]
			return bcpace.Outcome{}
		},
		LogLikelihood: func([]float64, int, []float64, int) float64 { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	guess, err := estimated.Likelihoods(m, estimated.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := bcpace.Uniform(2)
	if err := bcpace.NewBayes(guess).Update(b, b, []float64{0, 1}, 0, []float64{0.101, 1}); err != nil || b[1] < 0.999 {
		t.Errorf("%v, %v", b, err)
	}
	if l := guess.LogLikelihood([]float64{0, 1}, 0, []float64{5, 0}, 0); math.IsInf(l, 0) || math.IsNaN(l) {
		t.Errorf("log likelihood %v", l)
	}
}

// Everything that is made of such a model says so.
func TestSaysSo(t *testing.T) {
	const said = "likelihoods estimated from 200 draws"
	guess, err := estimated.Likelihoods(drifts(t, 1, 1), estimated.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if spec := guess.Spec(); spec.Estimated != said || solverkit.RangeCertificate(spec).Assumes != said {
		t.Errorf("the model says %q", spec.Estimated)
	}
	if _, lists := guess.(bcpace.Enumerator); lists {
		t.Error("it lists successors")
	}
	found, err := policysearch.Solver{MaxSteps: 50, CertificateEpisodes: 20}.Solve(t.Context(), guess, bcpace.Control{})
	if err != nil || found.Certificate.Assumes != said {
		t.Errorf("%v: policy search says %+v", err, found)
	}
	if text, err := (methods.Study{Solution: found}).Write(); err != nil || !strings.Contains(text.Plain, ", and with "+said+".") {
		t.Errorf("%v: a methods paragraph says %q", err, text.Plain)
	}
	r, err := eval.Rollouts(t.Context(), guess, found.Policy, eval.Options{Episodes: 20, Horizon: 10})
	if err != nil || eval.CertificateOf(guess, r, 100, 0.05).Assumes != said {
		t.Errorf("%v: of episodes %+v", err, eval.CertificateOf(guess, r, 100, 0.05))
	}
	o := envs.Tuned(guess)
	o.MaxEpisodes, o.Horizon, o.CertificateEpisodes = 2, 10, 50
	run, err := runs.Explore(t.Context(), guess, o)
	if err != nil || run.Certificate.Assumes != said {
		t.Errorf("%v: Algorithm 1 says %+v", err, run.Certificate)
	}
	report, err := check.Examine(guess, check.Options{Transitions: 10, Draws: 50, Episodes: 2, Steps: 5})
	if err != nil || !strings.Contains(fmt.Sprint(report.Notes), said) {
		t.Errorf("check: %v, %v", err, report)
	}
}

func TestMistakes(t *testing.T) {
	m := drifts(t, 1, 1)
	for _, n := range []int{-1, 9, 1_000_001} {
		if _, err := estimated.Likelihoods(m, estimated.Options{Draws: n}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%d draws: %v", n, err)
		}
	}
	if _, err := estimated.Likelihoods(nil, estimated.Options{}); err == nil {
		t.Error("a nil model has no error")
	}
	broken := bcpace.Derive(m, func(m bcpace.Model, a *bcpace.Abilities) {
		a.Step = func(next, _ []float64, _, _ int, _ *rand.Rand) bcpace.Outcome {
			next[0] = 7
			return bcpace.Outcome{}
		}
	})
	guess, err := estimated.Likelihoods(broken, estimated.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := bcpace.Uniform(2)
	func() {
		defer func() {
			if p, ok := recover().(error); !ok || !strings.Contains(p.Error(), `entry "symbol" is 7`) {
				t.Errorf("panics with %v", p)
			}
		}()
		_ = bcpace.NewBayes(guess).Update(b, b, []float64{0, 0}, 0, []float64{0, 0})
	}()
}

// BenchmarkLikelihood is the time of all likelihoods at a new state, from 200 draws.
func BenchmarkLikelihood(b *testing.B) {
	m := drifts(b, 1, 2)
	guess, err := estimated.Likelihoods(m, estimated.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s, next := []float64{0, 0, 0}, []float64{1, 0, 0}
	for i := range b.N {
		s[1] = float64(i) * 1e-6
		for φ := range m.Spec().Latents {
			guess.LogLikelihood(s, 0, next, φ)
		}
	}
}
