package bcpace_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// world is a random finite model with latent dynamics of a given kind.
type world struct {
	bcpace.Finite
	kind bcpace.LatentKind
	move [][][]float64 // [latent][action]: P(φ'|φ,a), nil to stay
}

func (w world) LatentKind() bcpace.LatentKind { return w.kind }
func (w world) LatentTransition(p []float64, _ []float64, action, latent int) bool {
	if w.move[latent][action] == nil {
		return false
	}
	copy(p, w.move[latent][action])
	return true
}

// drawWorld draws a model with 1–3 latents, 1–3 states and 1–2 actions.
func drawWorld(t *rapid.T, kind bcpace.LatentKind) world {
	latents := rapid.IntRange(1, 3).Draw(t, "latents")
	states := rapid.IntRange(1, 3).Draw(t, "states")
	actions := rapid.IntRange(1, 2).Draw(t, "actions")
	tables := bcpace.Tables{Discount: 0.9, Prior: drawBelief(t, "prior", latents)}
	w := world{kind: kind}
	for l := range latents {
		tables.P = append(tables.P, nil)
		tables.R = append(tables.R, nil)
		w.move = append(w.move, nil)
		for range actions {
			var rows [][]float64
			for range states {
				rows = append(rows, drawBelief(t, "row", states))
			}
			tables.P[l] = append(tables.P[l], rows)
			tables.R[l] = append(tables.R[l], make([]float64, states))
			var to []float64
			if kind != bcpace.Static && rapid.Bool().Draw(t, "moves") {
				if kind == bcpace.Deterministic {
					to = bcpace.OneHot(latents, rapid.IntRange(0, latents-1).Draw(t, "to"))
				} else {
					to = drawBelief(t, "to", latents)
				}
			}
			w.move[l] = append(w.move[l], to)
		}
	}
	m, err := bcpace.FromTables(tables)
	if err != nil {
		t.Fatal(err)
	}
	w.Finite = m
	return w
}

// transition is a step of a history.
type transition struct {
	s, next []float64
	action  int
}

// drawHistory plays random actions in w, whose latent moves unseen.
func drawHistory(t *rapid.T, w world, steps int) []transition {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	spec := w.Spec()
	prior, row := make(bcpace.Belief, len(spec.Latents)), make(bcpace.Belief, len(spec.Latents))
	w.Prior(prior)
	latent := prior.Sample(rng)
	s := make([]float64, 1)
	w.Start(s, latent, rng)
	var h []transition
	for range steps {
		next, action := make([]float64, 1), rng.IntN(len(spec.Actions))
		w.Step(next, s, latent, action, rng)
		h = append(h, transition{s, next, action})
		if w.LatentTransition(row, s, action, latent) {
			latent = row.Sample(rng)
		}
		s = next
	}
	return h
}

// pathPosterior is the oracle of the Bayes estimator: the distribution of the
// last latent, by summing over all histories φ0 … φT of latents.
func pathPosterior(w world, prior bcpace.Belief, h []transition) bcpace.Belief {
	post := make(bcpace.Belief, len(prior))
	var walk func(step, latent int, p float64)
	walk = func(step, latent int, p float64) {
		if p == 0 {
			return
		}
		if step == len(h) {
			post[latent] += p
			return
		}
		x := h[step]
		p *= math.Exp(w.LogLikelihood(x.s, x.action, x.next, latent))
		row := make([]float64, len(prior))
		if !w.LatentTransition(row, x.s, x.action, latent) {
			walk(step+1, latent, p)
			return
		}
		for to, q := range row {
			walk(step+1, to, p*q)
		}
	}
	sum := 0.0
	for latent, p := range prior {
		walk(0, latent, p)
	}
	for _, p := range post {
		sum += p
	}
	for i := range post {
		post[i] /= sum
	}
	return post
}

func near(a, b bcpace.Belief, tol float64) bool { return len(a) == len(b) && a.L1(b) <= tol }

// TestBayesAgainstEnumeration compares the estimator with the sum over all
// histories of latents, for every way in which the latent may move.
func TestBayesAgainstEnumeration(t *testing.T) {
	for _, kind := range []bcpace.LatentKind{bcpace.Static, bcpace.Deterministic, bcpace.Redrawn} {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := drawWorld(t, kind)
				h := drawHistory(t, w, rapid.IntRange(0, 5).Draw(t, "steps"))
				b := make(bcpace.Belief, len(w.Spec().Latents))
				w.Prior(b)
				want := pathPosterior(w, b, h)
				bayes := bcpace.NewBayes(w)
				for _, x := range h {
					// In place, and for one step not.
					next := make(bcpace.Belief, len(b))
					if err := bayes.Update(next, b, x.s, x.action, x.next); err != nil {
						t.Fatal(err)
					}
					if err := bayes.Update(b, b, x.s, x.action, x.next); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(b, next) {
						t.Errorf("in place %v, into another slice %v", b, next)
					}
					if err := b.Validate(); err != nil {
						t.Error(err)
					}
				}
				if !near(b, want, 1e-9) {
					t.Errorf("belief %v, want %v", b, want)
				}
			})
		})
	}
}

// TestBayesOrder expects the order of observations not to matter while the
// latent is static.
func TestBayesOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, bcpace.Static)
		h := drawHistory(t, w, 6)
		bayes := bcpace.NewBayes(w)
		var last [2]bcpace.Belief
		for i, order := range [][]transition{h, rapid.Permutation(h).Draw(t, "order")} {
			b := make(bcpace.Belief, len(w.Spec().Latents))
			w.Prior(b)
			for _, x := range order {
				if err := bayes.Update(b, b, x.s, x.action, x.next); err != nil {
					t.Fatal(err)
				}
			}
			last[i] = b
		}
		if !near(last[0], last[1], 1e-9) {
			t.Errorf("belief %v in one order, %v in another", last[0], last[1])
		}
	})
}

// likelihoods is a model with a given log likelihood for each latent.
func likelihoods(t testing.TB, logs ...float64) bcpace.Model {
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "given", Axes: []bcpace.Axis{{Name: "x"}}, Actions: bcpace.Actions("look"),
			Latents: []string{"a", "b", "c"}[:len(logs)], Discount: 0.9},
		Step:          func(_, _ []float64, _, _ int, _ *rand.Rand) bcpace.Outcome { return bcpace.Outcome{} },
		LogLikelihood: func(_ []float64, _ int, _ []float64, latent int) float64 { return logs[latent] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBayesUnderflow takes in observations whose likelihoods, or products, are
// far below what a float64 holds.
func TestBayesUnderflow(t *testing.T) {
	one := []float64{0}
	bayes := bcpace.NewBayes(likelihoods(t, -1e5+math.Log(0.9), -1e5, -1e5-1e4))
	b := bcpace.Uniform(3)
	for range 500 {
		if err := bayes.Update(b, b, one, 0, one); err != nil {
			t.Fatal(err)
		}
	}
	// 10⁵ + log 0.9 is rounded to 1.5e-11, 500 times.
	r := math.Pow(0.9, 500)
	if want := (bcpace.Belief{r / (1 + r), 1 / (1 + r), 0}); !near(b, want, 1e-12) || math.Abs(b[0]/want[0]-1) > 1e-7 {
		t.Errorf("belief %v, want %v", b, want)
	}
}

// TestBayesImpossible expects a typed error that leaves next as it was.
func TestBayesImpossible(t *testing.T) {
	for name, x := range map[string]struct {
		m bcpace.Model
		b bcpace.Belief
	}{
		"under every latent":        {likelihoods(t, math.Inf(-1), math.Inf(-1)), bcpace.Belief{0.5, 0.5}},
		"under the latent believed": {likelihoods(t, math.Inf(-1), 0), bcpace.Belief{1, 0}},
		"infinite":                  {likelihoods(t, math.Inf(1), 0), bcpace.Belief{0.5, 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			next := bcpace.Belief{0.25, 0.75}
			err := bcpace.NewBayes(x.m).Update(next, x.b, []float64{1}, 0, []float64{2})
			var impossible *bcpace.ImpossibleObservationError
			if !errors.As(err, &impossible) {
				t.Fatalf("got %v, want an *ImpossibleObservationError", err)
			}
			if impossible.State[0] != 1 || impossible.Next[0] != 2 || impossible.Action != "look" || !slices.Equal(impossible.Belief, x.b) {
				t.Errorf("%+v names the wrong place", impossible)
			}
			if !slices.Equal(next, bcpace.Belief{0.25, 0.75}) {
				t.Errorf("next was changed to %v", next)
			}
		})
	}
}

// TestBayesNotANumber expects the latent whose likelihood is not a number.
func TestBayesNotANumber(t *testing.T) {
	next := bcpace.Belief{0.25, 0.75}
	err := bcpace.NewBayes(likelihoods(t, 0, math.NaN())).Update(next, bcpace.Belief{0.5, 0.5}, []float64{1}, 0, []float64{2})
	if e := new(bcpace.ConformanceError); !errors.As(err, &e) || e.State[0] != 1 || e.Action != "look" || e.Latent != "b" || !slices.Equal(next, bcpace.Belief{0.25, 0.75}) {
		t.Errorf("got %v and %v, want a *ConformanceError of latent b", err, next)
	}
}

// TestBayesStart expects a start that tells of the latent to be taken in.
func TestBayesStart(t *testing.T) {
	b := make(bcpace.Belief, 2)
	light := bcpace.NewBayes(envs.LightDarkTiger{StartAt: []float64{0, 2}})
	if err := light.Start(b, []float64{0, 2, 2}); err != nil || !slices.Equal(b, bcpace.Belief{0, 1}) {
		t.Errorf("in the light: belief %v, error %v, want [0 1]", b, err)
	}
	if err := light.Start(b, []float64{0, 2, 0}); err == nil {
		t.Error("a start that cannot be got no error")
	}
	dark := bcpace.NewBayes(envs.LightDarkTiger{})
	if err := dark.Start(b, []float64{2, 2, 0}); err != nil || !slices.Equal(b, bcpace.Belief{0.5, 0.5}) {
		t.Errorf("in the dark: belief %v, error %v, want [0.5 0.5]", b, err)
	}
}

// TestTigerContraction is the counterexample to the paper's Assumption 3.2: from
// two nearby beliefs, hearing the same side moves them further apart.
func TestTigerContraction(t *testing.T) {
	bayes := bcpace.NewBayes(envs.Tiger{})
	heardLeft := []float64{1}
	b, c := bcpace.Belief{0.01, 0.99}, bcpace.Belief{0.02, 0.98}
	before := b.L1(c)
	for i, x := range []bcpace.Belief{b, c} {
		if err := bayes.Update(x, x, []float64{0}, 0, heardLeft); err != nil {
			t.Fatal(err)
		}
		if want := []float64{0.0085 / (0.0085 + 0.1485), 0.017 / (0.017 + 0.147)}[i]; math.Abs(x[0]-want) > 1e-12 {
			t.Errorf("b(tiger left) is %v, want %v", x[0], want)
		}
	}
	if after := b.L1(c); math.Abs(before-0.02) > 1e-12 || math.Abs(after-0.099) > 5e-5 {
		t.Errorf("the distance grows from %v to %v, want from 0.02 to 0.099", before, after)
	}
}

// TestBayesRedrawn expects certainty to end when a door is opened.
func TestBayesRedrawn(t *testing.T) {
	b := bcpace.Belief{0, 1}
	if err := bcpace.NewBayes(envs.Tiger{}).Update(b, b, []float64{2}, 1, []float64{0}); err != nil || !slices.Equal(b, bcpace.Uniform(2)) {
		t.Errorf("belief %v, error %v, want [0.5 0.5]", b, err)
	}
	b = bcpace.Belief{0, 1}
	if err := bcpace.NewBayes(envs.Tiger{Ends: true}).Update(b, b, []float64{2}, 1, []float64{0}); err != nil || !slices.Equal(b, bcpace.Belief{0, 1}) {
		t.Errorf("belief %v, error %v, want [0 1] where the episode ends", b, err)
	}
}

func TestBayesAllocations(t *testing.T) {
	bayes, b := bcpace.NewBayes(envs.Tiger{}), bcpace.Uniform(2)
	s, next := []float64{0}, []float64{1}
	if n := testing.AllocsPerRun(100, func() {
		if err := bayes.Update(b, b, s, 0, next); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("Update allocates %v times, want 0", n)
	}
}

func BenchmarkBeliefUpdate(b *testing.B) {
	for _, x := range []struct {
		name    string
		m       bcpace.Model
		s, next []float64
	}{
		{"tiger", envs.Tiger{}, []float64{0}, []float64{1}},
		{"chain", envs.Chain{}, []float64{1}, []float64{2}},
		{"dark", envs.LightDarkTiger{Sigma: 0.1}, []float64{2, 2, 0}, []float64{2.1, 3.1, 0}},
	} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			n := len(x.m.Spec().Latents)
			bayes, belief, next := bcpace.NewBayes(x.m), bcpace.Uniform(n), make(bcpace.Belief, n)
			for b.Loop() {
				if err := bayes.Update(next, belief, x.s, 0, x.next); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
