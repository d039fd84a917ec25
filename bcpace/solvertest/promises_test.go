package solvertest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pomdplite"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
)

// promise is what a solver says of a model. A bound it does not give is infinite.
type promise struct {
	lower, upper float64 // of V*
	policy       bcpace.Policy
	earns        float64 // what policy is said to be worth at least
}

// solve returns what a solver promises for a model. The random numbers are for
// options that must not matter. In a model with a horizon the policy reads the steps
// left behind the state.
type solve func(ctx context.Context, m bcpace.Finite, rng *rand.Rand) (promise, error)

var solvers = map[string]solve{
	"bayes-cpace": explored(func(p drawn) bcpace.Explorer {
		return bcpace.Options{K: 2, MaxSamples: 40, MaxEpisodes: 60, Simulated: 200, Delta: 1e-7, Epsilon: p.epsilon, Seed: p.seed, Batch: p.batch, Starts: p.starts}
	}),
	"certified": explored(func(p drawn) bcpace.Explorer {
		return certified.Solver{MaxEpisodes: 300, Epsilon: p.epsilon, Seed: p.seed, Batch: p.batch, Starts: p.starts}
	}),
	"sarsop": counted(solveSARSOP),
	"qmdp": counted(func(ctx context.Context, m bcpace.Finite, _ *rand.Rand) (promise, error) {
		p, err := qmdp.Plan(ctx, m)
		return promise{lower: math.Inf(-1), upper: math.Inf(1), policy: p, earns: math.Inf(-1)}, err
	}),
	"pomdp-lite": counted(func(ctx context.Context, m bcpace.Finite, rng *rand.Rand) (promise, error) {
		p, err := pomdplite.Plan(ctx, m, pomdplite.Options{Beta: rng.Float64()})
		return promise{lower: math.Inf(-1), upper: math.Inf(1), policy: p, earns: math.Inf(-1)}, err
	}),
	"tables": counted(solveTables),
}

// counted gives a solver of stationary values the steps left in the states of a
// model with a horizon.
func counted(solve solve) solve {
	return func(ctx context.Context, m bcpace.Finite, rng *rand.Rand) (promise, error) {
		horizon := m.Spec().Horizon
		if horizon == 0 {
			return solve(ctx, m, rng)
		}
		var err error
		if m, err = bcpace.Countdown(m, horizon); err != nil {
			return promise{}, err
		}
		return solve(ctx, m, rng)
	}
}

// drawn are parameters drawn at random.
type drawn struct {
	epsilon float64
	seed    uint64
	batch   int
	starts  []bcpace.StartPoint
}

// explored is bcpace.Explore with some of its parameters drawn at random. The
// certificate of bayes-cpace is statistical: with δ = 1e-7, one of 400 fails with
// probability 4e-5 at most.
func explored(with func(drawn) bcpace.Explorer) solve {
	return func(ctx context.Context, m bcpace.Finite, rng *rand.Rand) (promise, error) {
		spec := m.Spec()
		p := drawn{epsilon: max(spec.VMax()-spec.VMin(), 1e-3) / 200, seed: rng.Uint64(), batch: rng.IntN(3)}
		if rng.IntN(2) == 0 {
			for s := range m.NumStates() {
				state := make([]float64, len(spec.Axes))
				m.StateAt(state, s)
				p.starts = append(p.starts, bcpace.StartPoint{State: state, Belief: bcpace.OneHot(len(spec.Latents), rng.IntN(len(spec.Latents)))})
			}
		}
		r, err := bcpace.Explore(ctx, m, with(p))
		if err != nil {
			return promise{}, err
		}
		if _, err := bcpace.Verify(ctx, r); err != nil {
			return promise{}, fmt.Errorf("not verified: %w", err)
		}
		c := r.Certificate
		return promise{lower: c.Lower, upper: c.Upper, policy: r.Policy(), earns: c.Lower}, nil
	}
}

func solveSARSOP(ctx context.Context, m bcpace.Finite, _ *rand.Rand) (promise, error) {
	p, err := pomdp.FromBAMDP(ctx, m)
	if err != nil {
		return promise{}, err
	}
	spec := m.Spec()
	r, err := sarsop.Solve(ctx, p, sarsop.Options{Epsilon: max(spec.VMax()-spec.VMin(), 1e-3) / 200, MaxTrials: 200})
	if err != nil {
		return promise{}, err
	}
	policy, err := pomdp.OnBAMDP(m, p, r.Policy)
	return promise{lower: r.Lower, upper: r.Upper, policy: policy, earns: r.Lower}, err
}

// solveTables promises the bounds of SolveBounds and the blind policy.
func solveTables(ctx context.Context, m bcpace.Finite, _ *rand.Rand) (promise, error) {
	b, err := bcpace.SolveBounds(ctx, m, 0)
	if err != nil {
		return promise{}, err
	}
	p := promise{policy: bcpace.PolicyFunc(func(s []float64, b0 bcpace.Belief, _ *rand.Rand) int { a, _ := b.Blind.Best(s, b0); return a })}
	if p.lower, err = bcpace.AtStart(m, func(s []float64, b0 bcpace.Belief) float64 { _, v := b.Blind.Best(s, b0); return v }); err != nil {
		return p, err
	}
	p.earns = math.Inf(-1)
	p.upper, err = bcpace.AtStart(m, func(s []float64, b0 bcpace.Belief) float64 {
		best := math.Inf(-1)
		for a := range m.Spec().Actions {
			best = max(best, b.FIB.Upper(s, b0, a))
		}
		return best
	})
	return p, err
}

// The bounds of every solver contain the exact value of random models, and its
// policy, evaluated exactly, earns what the solver says of it.
func TestPromises(t *testing.T) {
	const models = 300
	for name, solve := range solvers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(models) {
				rng := rand.New(rand.NewPCG(seed, 7))
				o := randmodel.Varied(rng)
				if o.Horizon == 0 {
					o.Discount = 0.2 + 0.3*rng.Float64() // shallow graphs
				}
				m := randmodel.New(rng, o)
				p, err := solve(t.Context(), m, rng)
				if err != nil {
					t.Errorf("model %d, %+v: %v", seed, o, err)
					continue
				}
				optimum, earned, slack := exactValues(t, m, p.policy)
				slack += 1e-9 * max(1, math.Abs(optimum))
				if optimum < p.lower-slack || optimum > p.upper+slack {
					t.Errorf("model %d, %+v: [%v, %v] does not hold the optimum %v ± %v", seed, o, p.lower, p.upper, optimum, slack)
				}
				if earned < p.earns-slack || earned > optimum+slack {
					t.Errorf("model %d, %+v: the policy earns %v, want between %v and the optimum %v", seed, o, earned, p.earns, optimum)
				}
			}
		})
	}
}

// exactValues returns the optimum of m, what a policy earns there, and the error of
// both.
func exactValues(t *testing.T, m bcpace.Finite, p bcpace.Policy) (optimum, earned, slack float64) {
	t.Helper()
	spec := m.Spec()
	if spec.Horizon > 0 {
		follows := func(left int, s []float64, b bcpace.Belief) int {
			return p.Act(append(slices.Clone(s), float64(left)), b, nil)
		}
		return bruteForce{m, spec, nil}.atStart(), bruteForce{m, spec, follows}.atStart(), 0
	}
	o := eval.ExactOptions{Tolerance: 1e-3 * max(spec.VMax()-spec.VMin(), 1e-3)}
	best, err := eval.Optimal(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	own, err := eval.Evaluate(t.Context(), m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return best.Value, own.Value, best.Error + own.Error
}
