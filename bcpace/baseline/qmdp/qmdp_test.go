package qmdp_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// TestPlan: the policies are worth what separate dynamic programs say.
func TestPlan(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		model   bcpace.Model
		horizon int
		want    float64
	}{{envs.Tiger{}, 50, 17.703}, {envs.Tiger{}, 100, 19.243}, {envs.Chain{}, 10, 13.707}, {envs.Chain{}, 100, 47.739}, {envs.LightDarkTiger{}, 0, 0}} {
		p, err := dp.QMDPPolicy(ctx, c.model)
		if err != nil {
			t.Fatal(err)
		}
		e, err := eval.Evaluate(ctx, c.model, p, eval.ExactOptions{Horizon: c.horizon})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.Value-c.want) > 5e-4+e.Error {
			t.Errorf("%s, T = %d: %v, want %v", c.model.Spec().Name, c.horizon, e.Value, c.want)
		}
	}
	// Noise makes Light-Dark Tiger a model of grid values; without a list of
	// successors there are none.
	if _, err := dp.QMDPPolicy(ctx, envs.LightDarkTiger{Sigma: 0.1}); err != nil {
		t.Error(err)
	}
	var unsupported *bcpace.UnsupportedError
	if _, err := dp.QMDPPolicy(ctx, struct{ bcpace.Model }{envs.Tiger{}}); !errors.As(err, &unsupported) {
		t.Errorf("error %v", err)
	}
}

// solve returns the solution of p and its values.
func solve(t rapid.TB, p *pomdp.Model) (*pomdp.Solution, *qmdp.Values) {
	t.Helper()
	found, err := qmdp.Solver{}.SolvePOMDP(context.Background(), p, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	return found, found.Policy.(*qmdp.Values)
}

// agree compares values with those that package dp has for a BAMDP.
func agree(t *rapid.T, m bcpace.Finite, p *pomdp.Model, number func(x int) int) {
	want, err := dp.SolveFinite(context.Background(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, got := solve(t, p)
	latents, actions := p.NumHidden(), len(p.Actions)
	for x := range p.NumVisible() {
		n := number(x)
		if n < 0 {
			continue
		}
		for y := range latents {
			for a := range actions {
				i := (x*latents+y)*actions + a
				w := want.Table[(n*latents+y)*actions+a]
				if d := got.Q[i] - w; d < -1e-9 || d > got.Error+1e-6 {
					t.Fatalf("x = %d, y = %d, a = %d: QMDP %v, want %v", x, y, a, got.Q[i], w)
				}
			}
		}
	}
}

// TestBAMDP: the values of a BAMDP's POMDP are those of its latent MDPs.
func TestBAMDP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := bcpace.LatentKind(rapid.IntRange(0, 2).Draw(t, "kind"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := randmodel.New(rng, randmodel.Options{Kind: kind})
		p, err := pomdp.FromBAMDP(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		ends := p.Ends() // of which bcpace has no values
		agree(t, m, p, func(x int) int {
			if x >= m.NumStates() || ends[x*p.NumHidden()] {
				return -1
			}
			return x
		})
	})
}

// TestObservations: in a POMDP with observations, and a hidden part that stays,
// the values are those of its BAMDP, whatever was observed last.
func TestObservations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		p := sounds(rng, 1+rng.IntN(4), 1+rng.IntN(3), 2+rng.IntN(3))
		m, err := pomdp.AsBAMDP(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, m, p, func(x int) int { return x * m.NumStates() / p.NumVisible() })
	})
}

// sounds draws a POMDP of two actions whose hidden part is static.
func sounds(rng *rand.Rand, nx, ny, no int) *pomdp.Model {
	names := func(n int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = string(rune('a' + i))
		}
		return list
	}
	row := func(n int) bcpace.Belief {
		b := make(bcpace.Belief, n)
		b.SampleSimplex(rng)
		return b
	}
	m := &pomdp.Model{Name: "sounds", Discount: 0.5 + 0.45*rng.Float64(), Actions: names(2), Observations: names(no),
		Visible: []pomdp.Variable{{Name: "x", Values: names(nx)}}, Hidden: []pomdp.Variable{{Name: "y", Values: names(ny)}}}
	for s, p := range row(nx * ny) {
		m.Start = append(m.Start, pomdp.Entry{At: int32(s), Value: p})
	}
	for range m.Actions {
		move, sense := &pomdp.Matrix{Row: []int{0}}, &pomdp.Matrix{Row: []int{0}}
		reward := make([]float64, nx*ny)
		for s := range reward {
			reward[s] = rng.Float64()*20 - 15
			for x, p := range row(nx) {
				move.Col, move.Value = append(move.Col, int32(x*ny+s%ny)), append(move.Value, p)
			}
			for o, p := range row(no) {
				sense.Col, sense.Value = append(sense.Col, int32(o)), append(sense.Value, p)
			}
			move.Row, sense.Row = append(move.Row, len(move.Col)), append(sense.Row, len(sense.Col))
		}
		m.Move, m.Sense, m.Reward = append(m.Move, move), append(m.Sense, sense), append(m.Reward, reward)
	}
	return m
}

// TestPolicy: the policy and the bounds of a POMDP are those of its BAMDP.
func TestPolicy(t *testing.T) {
	ctx, m := context.Background(), envs.Tiger{}
	p, err := pomdp.FromBAMDP(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := solve(t, p)
	pi, err := pomdp.AsBAMDPPolicy(m, p, found.Policy)
	if err != nil {
		t.Fatal(err)
	}
	e, err := eval.Evaluate(ctx, m, pi, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(e.Value-19.3714) > 1e-4 {
		t.Errorf("worth %v, want 19.3714", e.Value)
	}
	// Listening once, then the right door without end: −1 + .95·200.
	if u := found.Certificate.Upper; math.Abs(u-189) > 1e-4 || found.Value != u {
		t.Errorf("bound %v, want 189", u)
	}
}

// TestUndiscounted: who sees the tiger opens the other door at every step. Who does not listens
// first.
func TestUndiscounted(t *testing.T) {
	p := pomdptest.Tiger()
	p.Discount, p.Horizon = 1, 3
	if found, v := solve(t, p); math.Abs(found.Value-19) > 1e-6 || v.Error > 1e-6 {
		t.Errorf("value %v ± %v, want −1 + 2·10", found.Value, v.Error)
	}
}

// TestAtStart adds up over the visible starts what the best action is worth at each.
func TestAtStart(t *testing.T) {
	const nx, ny = 3, 2
	p := sounds(rand.New(rand.NewPCG(4, 4)), nx, ny, 2)
	found, v := solve(t, p)
	want := 0.0
	for x := range nx {
		best := math.Inf(-1)
		for a := range p.Actions {
			sum := 0.0
			for y := range ny {
				sum += p.Start[x*ny+y].Value * v.Q[(x*ny+y)*len(p.Actions)+a]
			}
			best = max(best, sum)
		}
		want += best
	}
	if got := found.Value; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestErrors(t *testing.T) {
	p, err := pomdp.FromBAMDP(context.Background(), envs.Tiger{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	found, err := qmdp.Solver{}.SolvePOMDP(ctx, p, bcpace.Control{})
	if err != nil || !found.InSetUp || found.Stop != stop.Interrupted {
		t.Errorf("cancelled: %+v, %v", found, err)
	}
	var input *bcpace.InputError
	if _, err := (qmdp.Solver{}).SolvePOMDP(t.Context(), p, bcpace.Control{Workers: -1}); !errors.As(err, &input) {
		t.Errorf("workers: %v", err)
	}
	p.Discount = 1
	var unsupported *bcpace.UnsupportedError
	if _, err := (qmdp.Solver{}).SolvePOMDP(t.Context(), p, bcpace.Control{}); !errors.As(err, &unsupported) {
		t.Errorf("γ = 1: %v", err)
	}
	p.Discount = 2
	if _, err := (qmdp.Solver{}).SolvePOMDP(t.Context(), p, bcpace.Control{}); !errors.As(err, &input) {
		t.Errorf("γ = 2: %v", err)
	}
}

// BenchmarkSolve solves the MDP of a POMDP of 9,000 states.
func BenchmarkSolve(b *testing.B) {
	p, err := pomdp.FromBAMDP(context.Background(), envs.LightDarkTiger{Width: 50, Height: 90})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		solve(b, p)
	}
}
