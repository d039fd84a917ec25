package discretise_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/family"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/discretise"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
)

func listed(t *testing.T, m *hidden.Model, o discretise.Options) *discretise.Discrete {
	t.Helper()
	d, err := discretise.New(t.Context(), m, o, bcpace.Control{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestThereAndBack: a random model with a list of latents, which move in two of three, as one with a hidden number and back again has the
// value that it had, to 2 % of the range of values: the shares of 2000 steps are off by that much with a probability far below 10⁻⁶.
func TestThereAndBack(t *testing.T) {
	models := uint64(6)
	if testing.Short() {
		models = 3
	}
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 6))
		m := randmodel.New(rng, randmodel.Options{States: 3, Latents: 3, Actions: 2, Branch: 2, Discount: 0.6, Kind: bcpace.LatentKind(seed % 3), Lists: seed%2 == 0, InformativeStart: seed%4 == 1, Horizon: 4})
		h, err := hidden.FromModel(m)
		if err != nil {
			t.Fatal(err)
		}
		d := listed(t, h, discretise.Options{Steps: 2000, Seed: seed})
		if err := check.Model(d.Model, check.Options{Draws: 1000}); err != nil {
			t.Fatalf("model %d: %v", seed, err)
		}
		want, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Tolerance: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.Optimal(t.Context(), d.Model, eval.ExactOptions{Tolerance: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		spec := m.Spec()
		if off := math.Abs(got.Value - want.Value); off > 0.02*(spec.VMax()-spec.VMin()) {
			t.Errorf("model %d: value %v, want %v", seed, got.Value, want.Value)
		}
	}
}

// jumps is a hidden bit that is drawn anew at each step, and is seen after its move. A guess pays 1 if it is right.
func jumps() *hidden.Model {
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "jumps", Axes: []bcpace.Axis{{Name: "seen", Max: 1, Discrete: true}}, Actions: bcpace.Actions("0", "1"), Discount: 0.9, RewardMax: 1, Horizon: 5},
			Hidden: []bcpace.Axis{{Name: "bit", Max: 1, Discrete: true}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = float64(rng.IntN(2)) },
		Step: func(next, nextX, _, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0] = float64(rng.IntN(2))
			next[0] = nextX[0]
			if float64(action) == x[0] {
				return bcpace.Outcome{Reward: 1}
			}
			return bcpace.Outcome{}
		},
	}
}

// TestParts: what is seen of a hidden vector after its move tells of it where a latent has parts.
//
//test:race
func TestParts(t *testing.T) {
	sum := 0.0
	for k := 1; k < 5; k++ {
		sum += math.Pow(0.9, float64(k))
	}
	for _, c := range []struct {
		parts int
		value float64
	}{{1, 0.5 + 0.5*sum}, {2, 0.5 + sum}} {
		d := listed(t, jumps(), discretise.Options{Parts: c.parts, Steps: 2000})
		got, err := eval.Optimal(t.Context(), bcpace.KeepHorizon(d.Model), eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Value-c.value) > 0.1 {
			t.Errorf("%d parts: value %v, want %v", c.parts, got.Value, c.value)
		}
	}
}

// TestOffline: the policy of a discretised problem plays the problem itself, on a belief of particles, and earns what is certified of it
// to within five standard errors, missed with probability 6·10⁻⁷, and 0.05 for cells and draws.
//
//test:race
func TestOffline(t *testing.T) {
	m := plannertest.Guess(0.1)
	for _, o := range []discretise.Options{{}, {Cells: 20}} {
		d := listed(t, m, o)
		found, err := certified.Solver{Epsilon: 0.01}.Solve(t.Context(), d.Model, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Policy(found.Policy)
		if err != nil {
			t.Fatal(err)
		}
		r, err := hidden.Simulate(t.Context(), m, p, hidden.Options{Episodes: 400, Filter: hidden.Particles{Number: 200}})
		if err != nil {
			t.Fatal(err)
		}
		if c := found.Certificate; r.Mean < c.Lower-5*r.StdErr-0.05 || r.Mean > c.Upper+5*r.StdErr+0.05 || r.Surprises > 0 {
			t.Errorf("%+v: mean %v ± %v, %d surprises, certified [%v, %v]", o, r.Mean, r.StdErr, r.Surprises, c.Lower, c.Upper)
		}
	}
}

// TestHorizon: a policy that reads the steps left gets them.
//
//test:race
func TestHorizon(t *testing.T) {
	m := jumps()
	d := listed(t, m, discretise.Options{Parts: 2})
	kept := bcpace.KeepHorizon(d.Model)
	left := []float64{}
	p, err := d.Policy(bcpace.PolicyOf(kept, bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, _ *rand.Rand) int {
		left = append(left, s[len(s)-1])
		return 0
	})))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hidden.Simulate(t.Context(), m, p, hidden.Options{Episodes: 2, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(left), "[5 4 3 2 1 5 4 3 2 1]"; got != want {
		t.Errorf("steps left %s, want %s", got, want)
	}
}

// TestFamily: the bracket of the family of a hidden vector that does not move holds the value of the best policy. It fails with probability
// 0.05 at most; the seed is fixed.
func TestFamily(t *testing.T) {
	m := plannertest.Guess(0.1)
	m.Prior = func(x []float64, rng *rand.Rand) { x[0] = rng.Float64() * 0.7 } // 5 in 7 are low
	f, err := discretise.Options{Steps: 400}.Family(m)
	if err != nil {
		t.Fatal(err)
	}
	sampled, err := family.Sampled(f, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Model(sampled, check.Options{Transitions: 20, Draws: 1000}); err != nil {
		t.Fatal(err)
	}
	best := eval.ExactOptions{Tolerance: 1e-3}
	one := *m // f still has m
	one.Spec.Hidden = []bcpace.Axis{{Name: "x", Max: 1, Discrete: true}}
	one.Prior = func(x []float64, rng *rand.Rand) {
		if x[0] = 0; rng.Float64() < 2.0/7 {
			x[0] = 1
		}
	}
	exact, err := eval.Optimal(t.Context(), listed(t, &one, discretise.Options{Steps: 20_000}).Model, best)
	if err != nil {
		t.Fatal(err)
	}
	b, err := family.Bracket(t.Context(), f, certified.Solver{Epsilon: 0.01}, family.BracketOptions{Draws: 8, Episodes: 200, Sets: 5, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if b.Lower > exact.Value+0.02 || b.Upper < exact.Value-0.02 {
		t.Errorf("[%v, %v] without %v", b.Lower, b.Upper, exact.Value)
	}
}

// TestRefuses: what cannot be used is an error that says what would be right.
//
//test:race
func TestRefuses(t *testing.T) {
	run := func(m *hidden.Model, o discretise.Options) error {
		_, err := discretise.New(t.Context(), m, o, bcpace.Control{Workers: 1})
		return err
	}
	for _, o := range []discretise.Options{{Cells: -1}, {Cells: 1 << 20, Parts: 2}, {Parts: 300}, {Steps: -1}, {StateCells: -1}} {
		if err := run(plannertest.Guess(0.1), o); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", o, err)
		}
	}
	moving, err := discretise.Options{}.Family(jumps())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := family.Sampled(moving, 2, 0); !errors.As(err, new(*bcpace.ConformanceError)) {
		t.Errorf("error %v, want a ConformanceError for a hidden vector that moves", err)
	}
	bad := jumps()
	bad.Step = func(_, _, _, _ []float64, _ int, _ *rand.Rand) bcpace.Outcome { panic("nothing") }
	if err := run(bad, discretise.Options{}); !errors.As(err, new(*bcpace.ConformanceError)) {
		t.Errorf("error %v, want a ConformanceError for a panic", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := discretise.New(ctx, jumps(), discretise.Options{}, bcpace.Control{Workers: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := (discretise.Options{Cells: 3}).Family(jumps()); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError for Cells of a family", err)
	}
}
