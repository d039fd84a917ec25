package dp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/envs"

	"gonum.org/v1/gonum/mat"
)

// tables is a finite model of one axis, made of random numbers.
type tables struct {
	states, latents, actions int
	discount                 float64
	prob                     []float64 // (s, φ, a, s'): P(s'|s,φ,a), then one more for the end
	reward                   []float64 // (s, φ, a)
	moved                    []float64 // (a, φ, φ'); nil for a static latent
}

func randomTables(rng *rand.Rand, moves bool) *tables {
	t := &tables{states: 1 + rng.IntN(6), latents: 1 + rng.IntN(3), actions: 1 + rng.IntN(3), discount: 0.5 + 0.49*rng.Float64()}
	for range t.states * t.latents * t.actions {
		p := make(bcpace.Belief, t.states+1)
		p.SampleSimplex(rng)
		t.prob = append(t.prob, p...)
		t.reward = append(t.reward, 20*rng.Float64()-10)
	}
	if moves {
		for range t.actions * t.latents {
			p := make(bcpace.Belief, t.latents)
			p.SampleSimplex(rng)
			t.moved = append(t.moved, p...)
		}
	}
	return t
}

func (t *tables) row(s, latent, action int) []float64 {
	i := (s*t.latents+latent)*t.actions + action
	return t.prob[i*(t.states+1) : (i+1)*(t.states+1)]
}

func (t *tables) Spec() bcpace.Spec {
	names := func(letter string, n int) []string {
		x := make([]string, n)
		for i := range x {
			x[i] = fmt.Sprint(letter, i)
		}
		return x
	}
	return bcpace.Spec{Name: "tables", Axes: []bcpace.Axis{{Name: "s", Max: float64(t.states - 1), Discrete: true}},
		Actions: bcpace.Actions(names("a", t.actions)...), Latents: names("φ", t.latents), Discount: t.discount,
		RewardMin: -10, RewardMax: 10}
}
func (t *tables) Prior(b bcpace.Belief)                  { copy(b, bcpace.Uniform(len(b))) }
func (t *tables) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0 }
func (t *tables) NumStates() int                         { return t.states }
func (t *tables) StateAt(s []float64, number int)        { s[0] = float64(number) }
func (t *tables) StateIndex(s []float64) int             { return int(s[0]) }
func (t *tables) LatentKind() bcpace.LatentKind          { return bcpace.Redrawn }
func (t *tables) ShowsEnds() bool                        { return true } // values by latent do not go by what is seen
func (t *tables) Starts(z *bcpace.Successors)            { _, p, _ := z.Add(false); copy(p, ones(len(p))) }
func (t *tables) LogLikelihood(s []float64, a int, next []float64, latent int) float64 {
	return math.Log(t.row(int(s[0]), latent, a)[int(next[0])])
}

func (t *tables) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	to := bcpace.Belief(t.row(int(s[0]), latent, action)).Sample(rng)
	next[0] = float64(to % t.states)
	return bcpace.Outcome{Reward: t.reward[(int(s[0])*t.latents+latent)*t.actions+action], Done: to == t.states}
}

func (t *tables) Successors(z *bcpace.Successors, s []float64, action int) {
	for to := range t.states + 1 {
		x, p, r := z.Add(to == t.states)
		x[0] = float64(to % t.states)
		for latent := range t.latents {
			p[latent] = t.row(int(s[0]), latent, action)[to]
			r[latent] = t.reward[(int(s[0])*t.latents+latent)*t.actions+action]
		}
	}
}

func (t *tables) LatentTransition(p []float64, _ []float64, action, latent int) bool {
	if t.moved == nil {
		return false
	}
	copy(p, t.moved[(action*t.latents+latent)*t.latents:])
	return true
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// policyIteration is the oracle of dp.SolveFinite: Howard's algorithm, with the
// value equations of each policy solved directly by LU decomposition.
func policyIteration(t *tables) []float64 {
	n := t.states * t.latents
	transition := func(node, action int) []float64 { // P(node'|node, action)
		p := make([]float64, n)
		s, latent := node/t.latents, node%t.latents
		for to := range t.states {
			w := t.row(s, latent, action)[to]
			if t.moved == nil {
				p[to*t.latents+latent] += w
				continue
			}
			for l := range t.latents {
				p[to*t.latents+l] += w * t.moved[(action*t.latents+latent)*t.latents+l]
			}
		}
		return p
	}
	q := make([]float64, n*t.actions)
	policy := make([]int, n)
	for range 1000 {
		a, r := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			for j, p := range transition(i, policy[i]) {
				a.Set(i, j, -t.discount*p)
			}
			a.Set(i, i, 1+a.At(i, i))
			r.SetVec(i, t.reward[i*t.actions+policy[i]])
		}
		var v mat.VecDense
		if err := v.SolveVec(a, r); err != nil {
			panic(err) // I − γP is never singular
		}
		stable := true
		for i := range n {
			for x := range t.actions {
				q[i*t.actions+x] = t.reward[i*t.actions+x] + t.discount*mat.Dot(mat.NewVecDense(n, transition(i, x)), &v)
				if q[i*t.actions+x] > q[i*t.actions+policy[i]]+1e-12 {
					policy[i], stable = x, false
				}
			}
		}
		if stable {
			return q
		}
	}
	panic("policy iteration does not end")
}

func TestSolveFiniteAgainstPolicyIteration(t *testing.T) {
	for seed := range uint64(200) {
		m := randomTables(rand.New(rand.NewPCG(seed, 0)), seed%2 == 1)
		v, err := dp.SolveFinite(context.Background(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := policyIteration(m)
		for i, q := range v.Table {
			if d := math.Abs(q - want[i]); d > v.Error+1e-11 || d > 2e-9 {
				t.Fatalf("seed %d: Table[%d] = %v, want %v within %v", seed, i, q, want[i], v.Error)
			}
		}
		// With a tolerance that a few sweeps meet, the bound must still hold.
		rough, err := dp.SolveFinite(context.Background(), m, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range rough.Table {
			if d := math.Abs(q - want[i]); d > rough.Error+1e-11 || rough.Error > 1 {
				t.Fatalf("seed %d: at tolerance 1 Table[%d] = %v, want %v within %v", seed, i, q, want[i], rough.Error)
			}
		}
	}
}

// In Tiger the agent of the latent MDP sees the tiger anew after every door, so
// it always opens the right one: 10/(1−.95) = 200. Listening costs 1 and a step:
// −1 + .95·200 = 189; the tiger −100 + 190 = 90.
func TestSolveFiniteTiger(t *testing.T) {
	v, err := dp.SolveFinite(context.Background(), envs.Tiger{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for s := range 3 {
		for latent := range 2 {
			for a, want := range []float64{189, 90, 200} {
				if latent == 1 && a > 0 {
					want = 290 - want
				}
				if got := v.Q([]float64{float64(s)}, latent, a); math.Abs(got-want) > v.Error {
					t.Errorf("Q(%d, φ%d, a%d) = %v, want %v within %v", s, latent, a, got, want, v.Error)
				}
			}
		}
	}
	if v.Error > 1.1e-8 {
		t.Errorf("error bound %v is above the default tolerance", v.Error)
	}
	if q := v.Q([]float64{7}, 0, 0); !math.IsNaN(q) {
		t.Errorf("Q outside the states is %v, want NaN", q)
	}
}

func TestLatentValuesDoNotAllocate(t *testing.T) {
	ctx := context.Background()
	f, err := dp.SolveLatent(ctx, envs.Tiger{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := dp.SolveLatent(ctx, envs.LightDarkTiger{Sigma: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	heard, place := []float64{1}, []float64{1.3, 2.7, 0}
	if n := testing.AllocsPerRun(100, func() { f.Q(heard, 1, 2) }); n != 0 {
		t.Errorf("FiniteValues.Q allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { g.Q(place, 1, 2) }); n != 0 {
		t.Errorf("GridValues.Q allocates %v times", n)
	}
}

// plain hides every upgrade of a model.
type plain struct{ bcpace.Model }

// spoiled changes what a model says of itself and lists.
type spoiled struct {
	bcpace.Finite
	spec func(*bcpace.Spec)
	list func(*bcpace.Successors)
}

func (m spoiled) Spec() bcpace.Spec {
	s := m.Finite.Spec()
	if m.spec != nil {
		m.spec(&s)
	}
	return s
}

func (m spoiled) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Finite.Successors(z, s, action)
	if m.list != nil && s[0] == 2 && action == 1 {
		m.list(z)
	}
}

//test:race
func TestSolveLatentErrors(t *testing.T) {
	ctx := context.Background()
	var unsupported *bcpace.UnsupportedError
	if v, err := dp.SolveLatent(ctx, plain{envs.Tiger{}}); !errors.As(err, &unsupported) || v != nil {
		t.Errorf("a model without successors gives %v, %v", v, err)
	}
	undiscounted := spoiled{Finite: envs.Chain{}, spec: func(s *bcpace.Spec) { s.Discount, s.Horizon = 1, 10 }}
	if v, err := dp.SolveLatent(ctx, undiscounted); !errors.As(err, &unsupported) || v != nil {
		t.Errorf("γ = 1 gives %v, %v", v, err)
	}
	var input *bcpace.InputError
	for _, tol := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := dp.SolveFinite(ctx, envs.Chain{}, tol); !errors.As(err, &input) {
			t.Errorf("tolerance %v gives %v", tol, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := dp.SolveLatent(cancelled, envs.Chain{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for name, list := range map[string]func(*bcpace.Successors){
		"sum":    func(z *bcpace.Successors) { z.Prob[0] /= 2 },
		"NaN":    func(z *bcpace.Successors) { z.Prob[0] = math.NaN() },
		"sign":   func(z *bcpace.Successors) { z.Prob[0] = -z.Prob[0] },
		"reward": func(z *bcpace.Successors) { z.Reward[0] = math.Inf(1) },
		"state":  func(z *bcpace.Successors) { z.States[0] = 77 },
	} {
		var fault *bcpace.ConformanceError
		_, err := dp.SolveLatent(ctx, spoiled{Finite: envs.Chain{}, list: list})
		if !errors.As(err, &fault) || fault.Action != "B" || len(fault.State) != 1 || fault.State[0] != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A latent that moves nowhere is a fault of the model, not a loss of value.
func TestSolveFiniteChecksLatentTransition(t *testing.T) {
	m := randomTables(rand.New(rand.NewPCG(1, 1)), true)
	m.moved[0] += 0.5
	var fault *bcpace.ConformanceError
	if _, err := dp.SolveFinite(context.Background(), m, 0); !errors.As(err, &fault) || fault.Latent == "" {
		t.Errorf("a latent transition of sum 1.5 gives %v", err)
	}
}

func BenchmarkSolveFinite(b *testing.B) {
	for _, m := range []bcpace.Finite{envs.Tiger{}, envs.Chain{Discount: 0.99}, envs.LightDarkTiger{Width: 30, Height: 30, Discount: 0.99}} {
		b.Run(m.Spec().Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := dp.SolveFinite(context.Background(), m, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
