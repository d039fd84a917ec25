package bcpace_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// movingModels returns a random model whose latent moves, first with rows of probabilities
// alone, and then with one of the faster methods.
func movingModels(seed uint64) (rows, lists bcpace.Finite) {
	o := randmodel.Options{Kind: bcpace.Deterministic + bcpace.LatentKind(seed%2), Drifts: seed/2%2 == 0, InformativeStart: seed/4%2 == 0}
	rows = randmodel.New(rand.New(rand.NewPCG(seed, 31)), o)
	o.Lists = true
	return rows, randmodel.New(rand.New(rand.NewPCG(seed, 31)), o)
}

// TestListsOfMovesAgreeWithRows expects the same beliefs, latents, transitions and latent
// values, to the last bit, however a model says where its latent goes.
func TestListsOfMovesAgreeWithRows(t *testing.T) {
	for seed := range uint64(40) {
		rows, lists := movingModels(seed)
		wrapped, err := bcpace.FiniteHorizon(lists, 3)
		if err != nil {
			t.Fatal(err)
		}
		other, err := bcpace.WithPrior(lists, bcpace.OneHot(len(lists.Spec().Latents), 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []bcpace.Model{lists, wrapped, other} {
			if bcpace.AbilitiesOf(m).LatentMoves == nil {
				t.Fatalf("seed %d: %s has no lists of moves", seed, m.Spec().Name)
			}
		}
		if bcpace.AbilitiesOf(rows).LatentMoves != nil {
			t.Fatalf("seed %d: rows became lists", seed)
		}
		how := check.Options{Episodes: 5, Transitions: 20, Draws: 200}
		if seed%8 > 0 {
			how.Skip = []string{check.Goroutines} // what they may share does not depend on the numbers
		}
		if err := check.Model(wrapped, how); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var tables [2][]float64
		var transitions [2]*dp.Transitions
		for i, m := range []bcpace.Finite{rows, lists} {
			v, err := dp.SolveFinite(t.Context(), m, 0)
			if err != nil {
				t.Fatal(err)
			}
			tables[i] = v.Table
			if transitions[i], err = dp.ListTransitions(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(tables[0], tables[1]) {
			t.Fatalf("seed %d: latent values differ", seed)
		}
		x, y := transitions[0], transitions[1]
		for r := range x.States * x.Actions {
			for φ := range x.Latents {
				to1, p1, _ := x.Moves(r, φ)
				to2, p2, _ := y.Moves(r, φ)
				if !slices.Equal(to1, to2) || !slices.Equal(p1, p2) {
					t.Fatalf("seed %d: row %d moves latent %d to %v with %v, by lists to %v with %v", seed, r, φ, to1, p1, to2, p2)
				}
			}
		}
		one, two := bcpace.NewSimulator(rows), bcpace.NewSimulator(lists)
		for step := range uint64(300) {
			r1, r2 := rand.New(rand.NewPCG(seed, step)), rand.New(rand.NewPCG(seed, step))
			if step%20 == 0 || one.Done {
				if err := errors.Join(one.Reset(r1), two.Reset(r2)); err != nil {
					t.Fatal(err)
				}
			}
			action := int(step) % x.Actions
			reward1, err1 := one.Step(action, r1)
			reward2, err2 := two.Step(action, r2)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			if reward1 != reward2 || one.Latent != two.Latent || !slices.Equal(one.Belief, two.Belief) {
				t.Fatalf("seed %d, step %d: latent %d, belief %v; by lists %d, %v", seed, step, one.Latent, one.Belief, two.Latent, two.Belief)
			}
		}
	}
}

// TestFuncsMoveTheLatent makes models again from their methods as functions.
func TestFuncsMoveTheLatent(t *testing.T) {
	for seed := range uint64(8) {
		rows, lists := movingModels(seed)
		f := funcsOf(lists)
		f.LatentTransition = nil
		can := bcpace.AbilitiesOf(lists)
		if can.NextLatent != nil {
			f.LatentKind, f.NextLatent = bcpace.Static, can.NextLatent
		} else {
			f.LatentKind, f.LatentMoves = bcpace.Static, can.LatentMoves
		}
		for range 3 { // Finite, Enumerator, and neither
			m, err := bcpace.FromFuncs(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := check.Model(m, check.Options{Episodes: 5, Transitions: 20, Draws: 200}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			sparse := bcpace.AbilitiesOf(m).LatentMoves != nil
			named := bcpace.AbilitiesOf(m).NextLatent != nil
			if !sparse || named != (f.NextLatent != nil) || bcpace.KindOf(m) != bcpace.KindOf(lists) {
				t.Fatalf("seed %d: a latent that is %v became %v, with lists: %v, with names: %v", seed, bcpace.KindOf(lists), bcpace.KindOf(m), sparse, named)
			}
			n := len(m.Spec().Latents)
			other, err := bcpace.WithPrior(m, bcpace.OneHot(n, 0))
			if err != nil {
				t.Fatal(err)
			}
			can := bcpace.AbilitiesOf(other)
			if ok, again := can.LatentMoves != nil, can.NextLatent != nil; !ok || again != named {
				t.Fatalf("seed %d: with another prior, it has lists: %v, and names: %v", seed, ok, again)
			}
			got, want, s := make([]float64, n), make([]float64, n), make([]float64, 1)
			for number := range rows.NumStates() {
				for action := range m.Spec().Actions {
					for φ := range n {
						rows.StateAt(s, number)
						clear(got)
						clear(want)
						if !m.(bcpace.LatentDynamics).LatentTransition(got, s, action, φ) {
							got[φ] = 1
						}
						if !rows.(bcpace.LatentDynamics).LatentTransition(want, s, action, φ) {
							want[φ] = 1
						}
						if !slices.Equal(got, want) {
							t.Fatalf("seed %d: latent %d moves with %v, want %v", seed, φ, got, want)
						}
					}
				}
			}
			if f.Starts == nil {
				break
			}
			if f.Spec.Axes[0].Discrete {
				f.Spec.Axes = slices.Clone(f.Spec.Axes)
				f.Spec.Axes[0].Discrete, f.Spec.Axes[0].Labels = false, nil
			} else {
				f.Starts, f.Successors = nil, nil
			}
		}
	}
	moves := func(to []int32, share []float64, _ []float64, _, latent int) ([]int32, []float64) {
		return append(to, int32(latent)), append(share, 1)
	}
	for words, spoil := range map[string]func(*bcpace.Funcs){
		"NextLatent or LatentMoves is more than one": func(f *bcpace.Funcs) { f.NextLatent = func([]float64, int, int) int { return 0 } },
		"LatentMoves is more than one":               func(f *bcpace.Funcs) { f.LatentMoves = moves },
		"LatentKind is redrawn, want deterministic": func(f *bcpace.Funcs) {
			f.LatentTransition, f.NextLatent = nil, func([]float64, int, int) int { return 0 }
		},
	} {
		f := funcsOf(envs.Tiger{})
		spoil(&f)
		_, err := bcpace.FromFuncs(f)
		if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v\nwant an *InputError that says %q", err, words)
		}
	}
}

// TestKnownLatentsOfMovingLatents: where the latent moves by a function, the values of the
// latent MDPs are those of the BAMDP at one-hot beliefs, so that seeding with them is right;
// where it is drawn they are above, and seeding is refused. The exact values are those of the
// graph of beliefs.
func TestKnownLatentsOfMovingLatents(t *testing.T) {
	above, drawn := 0, 0
	for seed := range uint64(24) {
		o := randmodel.Options{States: 3, Latents: 3, Actions: 2, Branch: 2, Discount: 0.4,
			Kind: bcpace.Deterministic + bcpace.LatentKind(seed%2), Drifts: seed/2%2 == 0, Lists: seed/4%2 == 0}
		m := randmodel.New(rand.New(rand.NewPCG(seed, 47)), o)
		v, err := dp.SolveFinite(t.Context(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		run, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1, SeedOneHot: true, Latent: v, MaxEpisodes: 20})
		if o.Kind == bcpace.Redrawn {
			if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) {
				t.Fatalf("seed %d: seeding a latent that is drawn: %v, want an UnsupportedError", seed, err)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		s := make([]float64, 1)
		for state := range m.NumStates() {
			if state == m.NumStates()-1 {
				continue // episodes may end there
			}
			m.StateAt(s, state)
			for φ := range o.Latents {
				known := bcpace.OneHot(o.Latents, φ)
				exact, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: s, Belief: known, Tolerance: 0.02})
				if err != nil {
					t.Fatal(err)
				}
				best := math.Inf(-1)
				for a := range o.Actions {
					q := v.Q(s, φ, a)
					best = max(best, q)
					if run == nil {
						continue
					}
					if estimate, _ := run.Q(s, known, a); estimate != q {
						t.Errorf("seed %d: Q̃(%v, e_%d, %d) is %v, seeded with %v", seed, s, φ, a, estimate, q)
					}
				}
				switch margin := exact.Error + v.Error; {
				case best < exact.Value-margin:
					t.Errorf("seed %d: state %d, latent %d is worth %v ± %v, and %v to one who sees the latent", seed, state, φ, exact.Value, margin, best)
				case o.Kind == bcpace.Deterministic && best > exact.Value+margin:
					t.Errorf("seed %d: state %d, latent %d is worth %v ± %v; its latent MDP says %v", seed, state, φ, exact.Value, margin, best)
				case o.Kind == bcpace.Redrawn:
					if drawn++; best > exact.Value+margin {
						above++
					}
				}
			}
		}
	}
	if above < drawn/4 {
		t.Errorf("the latent MDPs of drawn latents are above the value in %d of %d cases: this test shows nothing", above, drawn)
	}
}
