package policysearch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// TestPopulation: CMA-ES finds the top of random ill-conditioned quadratics.
func TestPopulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(1, 12).Draw(t, "dimensions")
		turn := mat.NewDense(n, n, nil)
		top := make([]float64, n)
		for i := range n {
			top[i] = 3 * rng.NormFloat64()
			for j := range n {
				turn.Set(i, j, rng.NormFloat64()*math.Pow(100, float64(j)/float64(n)))
			}
		}
		height := func(x []float64) float64 {
			d := make([]float64, n)
			for i := range d {
				d[i] = x[i] - top[i]
			}
			var v mat.VecDense
			v.MulVec(turn, mat.NewVecDense(n, d))
			return -mat.Dot(&v, &v)
		}
		p := newPopulation(n, 4*(4+int(3*math.Log(float64(n)))), 1)
		values := make([]float64, len(p.drawn))
		for range 400 {
			p.draw(rng)
			for i, x := range p.drawn {
				values[i] = height(x)
			}
			if slices.Max(values) > -1e-9 {
				return
			}
			if !p.move(values) {
				t.Fatalf("cannot go on after %d generations, at %v", p.generation, slices.Max(values))
			}
		}
		t.Fatalf("it has reached %v after %d generations, want 0", slices.Max(values), p.generation)
	})
}

func solve(t testing.TB, ctx context.Context, m bcpace.Model, s Solver, workers int) *bcpace.Solution {
	t.Helper()
	found, err := s.Solve(ctx, m, bcpace.Control{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func model(t testing.TB, of interface {
	Model() (bcpace.Enumerator, error)
}) bcpace.Model {
	t.Helper()
	m, err := of.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSearchEarns: within seconds it earns what is near the best that is known. The optimum of dual control is 9.372
// (fine-grid dynamic programming), where QMDP earns 7.92; a pole can be balanced without end, for 20. In the double
// integrator it comes to 19.45 with thirty times the steps, as certified does (19.50). A false alarm takes five
// standard errors.
func TestSearchEarns(t *testing.T) {
	for _, c := range []struct {
		m     bcpace.Model
		steps int
		least float64
	}{{model(t, envs.DualControl{}), 600_000, 9}, {model(t, envs.CartPole{}), 1_000_000, 19.9}, {model(t, envs.DoubleIntegrator{}), 1_500_000, 15}} {
		found := solve(t, t.Context(), c.m, Solver{MaxSteps: c.steps}, 0)
		r, err := eval.Rollouts(t.Context(), c.m, found.Policy, eval.Options{Episodes: 500, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v ± %v, says %v", c.m.Spec().Name, r.Mean, r.StdErr, found.Value)
		if r.Mean < c.least-5*r.StdErr {
			t.Errorf("%s: %v ± %v, want %v", c.m.Spec().Name, r.Mean, r.StdErr, c.least)
		}
		if l := found.Certificate.Lower; l > r.Mean+5*r.StdErr || l > found.Value {
			t.Errorf("%s: lower bound %v of a policy that earns %v ± %v", c.m.Spec().Name, l, r.Mean, r.StdErr)
		}
	}
}

// TestBetweenBlindAndOptimal: on random finite models, the exact value of the policy is no more than
// the optimum, and no less than that of the best policy that takes one action without end, but for what the
// validation may miss: its standard error times 5 for each of both.
func TestBetweenBlindAndOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 6 {
		m := randmodel.New(rng, randmodel.Options{})
		found := solve(t, t.Context(), m, Solver{MaxSteps: 80_000, CertificateEpisodes: -1}, 0)
		o := eval.ExactOptions{Horizon: 8}
		at := func(p bcpace.Policy) float64 {
			e, err := eval.Evaluate(t.Context(), m, p, o)
			if err != nil {
				t.Fatal(err)
			}
			return e.Value
		}
		optimal, err := eval.Optimal(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		v, spec := at(found.Policy), m.Spec()
		if v > optimal.Value+1e-9 {
			t.Errorf("%v exceeds the optimum %v", v, optimal.Value)
		}
		r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: mostValid, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 2000, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		for a := range spec.Actions {
			blind, err := eval.Rollouts(t.Context(), m, bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return a }), eval.Options{Episodes: 2000, Seed: 2})
			if err != nil {
				t.Fatal(err)
			}
			if whole.Mean < blind.Mean-5*(r.StdErr+whole.StdErr+blind.StdErr) {
				t.Errorf("it earns %v, and action %d without end %v", whole.Mean, a, blind.Mean)
			}
		}
	}
}

// TestSameForAllWorkers: the policy is the same for any number of workers.
func TestSameForAllWorkers(t *testing.T) {
	m := model(t, envs.DualControl{})
	var first *bcpace.Solution
	for _, workers := range []int{1, 2, 5} {
		found := solve(t, t.Context(), m, Solver{MaxSteps: 150_000, Seed: 4}, workers)
		if first == nil {
			first = found
			continue
		}
		if found.Value != first.Value || found.Certificate != first.Certificate || !slices.Equal(found.Trace, first.Trace) {
			t.Errorf("%d workers find %v, one finds %v", workers, found.Value, first.Value)
		}
	}
}

// TestOutOfTime: a search whose time is up at once has a policy that acts, and says why it ended.
func TestOutOfTime(t *testing.T) {
	m := model(t, envs.CartPole{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	found := solve(t, ctx, m, Solver{}, 0)
	if found.Stop != stop.Deadline || found.Certificate.Kind != bcpace.NoCertificate {
		t.Errorf("stop %q, certificate %+v", found.Stop, found.Certificate)
	}
	if _, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 3}); err != nil {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	calls := 0
	found, err := Solver{}.Solve(ctx, m, bcpace.Control{Progress: func(bcpace.Progress) {
		if calls++; calls == 10 {
			cancel()
		}
	}})
	if err != nil || found.Stop != stop.Interrupted || calls > 20 {
		t.Errorf("interrupted: %v, %v, %d calls", found, err, calls)
	}
}

// TestHorizon: with a horizon, the policy reads the steps left, and episodes end there.
//
//test:race
func TestHorizon(t *testing.T) {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "pushed", Discount: 0.9, RewardMin: -1, Horizon: 5, Latents: []string{"left", "right"},
			Axes: []bcpace.Axis{{Name: "x", Min: -1, Max: 1}}, Actions: bcpace.Actions("left", "stay", "right")},
		Sigma: []float64{0.1},
		Mean: func(mean, s []float64, φ, a int) {
			mean[0] = s[0] + 0.2*float64(a-1) + 0.2*float64(φ) - 0.1
		},
		Reward: func(s []float64, _, _ int, _ []float64) float64 { return -s[0] * s[0] },
	})
	if err != nil {
		t.Fatal(err)
	}
	found := solve(t, t.Context(), m, Solver{MaxSteps: 200_000}, 0)
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 500})
	if err != nil || slices.Max(r.Lengths) != 5 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLabelsAndCircles: what is best may depend on a label in any way, and a control on a circle may
// follow a state that goes around it.
func TestLabelsAndCircles(t *testing.T) {
	axes := []bcpace.Axis{{Name: "room", Max: 5, Labels: []string{"a", "b", "c", "d", "e", "f"}}}
	right := []int{0, 2, 1, 0, 1, 2}
	rooms, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "rooms", Axes: axes, Actions: bcpace.Actions("x", "y", "z"), Latents: []string{"one"}, Discount: 0.9, RewardMax: 1},
		Step: func(next, s []float64, _, a int, rng *rand.Rand) (o bcpace.Outcome) {
			if right[int(s[0])] == a {
				o.Reward = 1
			}
			next[0] = float64(rng.IntN(6))
			return o
		},
		LogLikelihood: func([]float64, int, []float64, int) float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	box := bcpace.Axis{Name: "turn", Min: -1, Max: 3, Period: 4}
	spec := bcpace.Spec{Name: "circle", Axes: []bcpace.Axis{{Name: "θ", Max: 2 * math.Pi, Period: 2 * math.Pi}}, Actions: []bcpace.Action{{Name: "turn", Box: []bcpace.Axis{box}}},
		Latents: []string{"one"}, Discount: 0.9, RewardMin: -1, RewardMax: 1}
	circle, err := bcpace.FromFuncs(bcpace.Funcs{Spec: spec,
		StepAt: func(next, s []float64, _, _ int, u []float64, rng *rand.Rand) bcpace.Outcome {
			next[0] = 2 * math.Pi * rng.Float64()
			return bcpace.Outcome{Reward: math.Cos(u[0]*math.Pi/2 - s[0] - 1)}
		},
		LogLikelihoodAt: func([]float64, int, []float64, []float64, int) float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []bcpace.Model{rooms, circle} {
		if found := solve(t, t.Context(), m, Solver{MaxSteps: 500_000}, 0); found.Value < 9.5 {
			t.Errorf("%s: %v, want nearly 10", m.Spec().Name, found.Value)
		}
	}
}

// TestKeepsToItsSteps: but for the simple policies, a search takes no more steps than it may, however
// long its episodes are.
func TestKeepsToItsSteps(t *testing.T) {
	for _, steps := range []int{1, 50_000, 400_000} {
		m := model(t, envs.DualControl{Discount: 0.99})
		found := solve(t, t.Context(), m, Solver{MaxSteps: steps, CertificateEpisodes: -1}, 0)
		end, spec := found.Trace[len(found.Trace)-1], m.Spec()
		if simple := 3 * max(leastValid*spec.DefaultHorizon(), steps/validShare); end.Steps > steps+simple {
			t.Errorf("%d steps of at most %d", end.Steps, steps)
		}
	}
}

// TestOneAction: where there is nothing to choose, the search ends at once.
//
//test:race
func TestOneAction(t *testing.T) {
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9, P: [][][][]float64{{{{1}}}}, R: [][][]float64{{{1}}}})
	if err != nil {
		t.Fatal(err)
	}
	if found := solve(t, t.Context(), m, Solver{}, 0); math.Abs(found.Value-10) > 1e-3 || found.Stop != stop.Converged {
		t.Errorf("value %v, stop %q", found.Value, found.Stop)
	}
}

// broken is a model that panics after some steps.
type broken struct{ envs.Tiger }

func (broken) Step(next, s []float64, φ, a int, rng *rand.Rand) bcpace.Outcome {
	if rng.Float64() < 1e-3 {
		panic("broken")
	}
	return envs.Tiger{}.Step(next, s, φ, a, rng)
}

// TestBrokenModel: a model that breaks its contract is an error that says so.
func TestBrokenModel(t *testing.T) {
	if _, err := (Solver{}).Solve(t.Context(), broken{}, bcpace.Control{}); !errors.As(err, new(*bcpace.ConformanceError)) {
		t.Errorf("%v, want a ConformanceError", err)
	}
}

// TestBadInput: what cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	for _, s := range []Solver{{MaxSteps: -1}, {CertificateEpisodes: -2}} {
		if _, err := s.Solve(t.Context(), envs.Tiger{}, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: %v, want an InputError", s, err)
		}
	}
	if _, err := (Solver{}).Solve(t.Context(), nil, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("no model: %v, want an InputError", err)
	}
	p := newPolicy(newFamily(envs.Tiger{}), make([]float64, newFamily(envs.Tiger{}).weights()))
	for _, c := range []struct {
		s []float64
		b bcpace.Belief
	}{{nil, bcpace.Uniform(2)}, {[]float64{0}, bcpace.Uniform(3)}, {[]float64{0}, bcpace.Belief{math.NaN(), 1}}} {
		if a := p.Act(c.s, c.b, nil); a != -1 {
			t.Errorf("at %v, %v it takes %d, want -1", c.s, c.b, a)
		}
	}
}

// BenchmarkAct measures decisions in a model of four continuous axes.
func BenchmarkAct(b *testing.B) {
	m := model(b, envs.CartPole{})
	f := newFamily(m)
	p := newPolicy(f, make([]float64, f.weights()))
	s, belief := make([]float64, len(f.spec.Axes)), bcpace.Uniform(len(f.spec.Latents))
	b.ReportAllocs()
	for b.Loop() {
		p.Act(s, belief, nil)
	}
}
