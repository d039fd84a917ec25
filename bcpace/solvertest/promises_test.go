package solvertest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/baseline/pomdplite"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// promise is what a solver says of a model.
type promise struct {
	lower, upper float64 // of V*
	policy       bcpace.Policy
	earns        float64 // what policy is said to be worth at least
}

// drawn are parameters drawn at random.
type drawn struct {
	epsilon float64
	seed    uint64
	batch   int
	starts  []bcpace.StartPoint
}

// draw draws parameters for m that must not make a promise false. Starts are one-hot
// beliefs at every state, or none.
func draw(m bcpace.Finite, rng *rand.Rand) drawn {
	spec := m.Spec()
	p := drawn{epsilon: max(spec.VMax()-spec.VMin(), 1e-3) / 200, seed: rng.Uint64(), batch: rng.IntN(3)}
	if rng.IntN(2) == 0 {
		for s := range m.NumStates() {
			state := make([]float64, len(spec.Axes))
			m.StateAt(state, s)
			p.starts = append(p.starts, bcpace.StartPoint{State: state, Belief: bcpace.OneHot(len(spec.Latents), rng.IntN(len(spec.Latents)))})
		}
	}
	return p
}

// policySearch is the name of the solver that asks for no list, and has a policy from the beginning.
const policySearch = "policy-search"

// entrants make solvers with parameters that were drawn; a solver without an entry has
// those that are tuned for the model. The certificate of bayes-cpace is statistical: with δ = 1e-7, one of 400 fails with
// probability 4e-5 at most.
var entrants = map[string]func(drawn) bcpace.Solver{
	solvers.BayesCPACE: func(p drawn) bcpace.Solver {
		return cpace.Solver{K: 2, MaxSamples: 40, MaxEpisodes: 60, CertificateEpisodes: 200, Delta: 1e-7, Epsilon: p.epsilon, Seed: p.seed, Batch: p.batch, Starts: p.starts}
	},
	solvers.Certified: func(p drawn) bcpace.Solver {
		return certified.Solver{MaxEpisodes: 300, Epsilon: p.epsilon, Seed: p.seed, Batch: p.batch, Starts: p.starts}
	},
	solvers.SARSOP: func(p drawn) bcpace.Solver { return sarsop.Solver{Epsilon: p.epsilon, MaxTrials: 200} },
	"pbvi": func(p drawn) bcpace.Solver {
		return pointbased.PBVI{Epsilon: p.epsilon, Beliefs: 60, MaxStages: 100, Seed: p.seed}
	},
	"perseus": func(p drawn) bcpace.Solver {
		return pointbased.Perseus{Epsilon: p.epsilon, Beliefs: 60, MaxStages: 100, Seed: p.seed}
	},
	policySearch: func(p drawn) bcpace.Solver {
		return policysearch.Solver{MaxSteps: 2000, CertificateEpisodes: -1, Seed: p.seed}
	},
	"pomdp-lite": func(p drawn) bcpace.Solver { return pomdplite.Solver{Beta: 1 / float64(1+p.batch), Seed: p.seed} },
}

// entrant makes a solver of the registry for m.
func entrant(t *testing.T, name string, m bcpace.Finite, rng *rand.Rand) bcpace.Solver {
	t.Helper()
	p := draw(m, rng)
	if of := entrants[name]; of != nil {
		return of(p)
	}
	s, err := solvers.New(name, m)
	x, _ := solvers.Find(name)
	if err == nil && x.Plans() {
		s, err = solvers.Set(s, "budget", "30")
	}
	if _, has := x.Param("scenarios"); err == nil && has { // by default so many that each decision takes most of the time
		s, err = solvers.Set(s, "scenarios", "30")
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// promised returns what a solver promises for m. The runs of explorers are verified.
func promised(ctx context.Context, s bcpace.Solver, m bcpace.Finite) (promise, error) {
	found, err := s.Solve(ctx, m, bcpace.Control{})
	if err != nil {
		return promise{}, err
	}
	if runs.Of(found) != nil {
		if _, err := runs.Verify(ctx, runs.Of(found)); err != nil {
			return promise{}, fmt.Errorf("not verified: %w", err)
		}
	}
	c := found.Certificate
	return promise{lower: c.Lower, upper: c.Upper, policy: found.Policy, earns: c.Lower}, nil
}

// solveTables promises the bounds of SolveBounds and the blind policy.
func solveTables(ctx context.Context, m bcpace.Finite) (promise, error) {
	if horizon := m.Spec().Horizon; horizon > 0 {
		var err error
		if m, err = bcpace.FiniteHorizon(m, horizon); err != nil {
			return promise{}, err
		}
	}
	b, err := dp.SolveBounds(ctx, m, 0)
	if err != nil {
		return promise{}, err
	}
	p := promise{policy: bcpace.PolicyFunc(func(s []float64, b0 bcpace.Belief, _ *rand.Rand) int { a, _ := b.Blind.Best(s, b0); return a })}
	if p.lower, err = solverkit.MeanAtStart(m, func(s []float64, b0 bcpace.Belief) float64 { _, v := b.Blind.Best(s, b0); return v }); err != nil {
		return p, err
	}
	p.earns = math.Inf(-1)
	p.upper, err = solverkit.MeanAtStart(m, func(s []float64, b0 bcpace.Belief) float64 {
		best := math.Inf(-1)
		for a := range m.Spec().Actions {
			best = max(best, b.FIB.Upper(s, b0, a))
		}
		return best
	})
	return p, err
}

// The bounds of every solver contain the exact value of random models, and its
// policy, evaluated exactly, earns what the solver says of it. Algorithm 1, which simulates,
// takes the most time, and has fewer models here than in TestPromises.
func TestPromisesOfFewerModels(t *testing.T) {
	for name := range entrants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			models := promiseModels
			if name == solvers.BayesCPACE {
				models = 20
			}
			keepPromises(t, name, models)
		})
	}
	t.Run("tables", func(t *testing.T) {
		t.Parallel()
		keeps(t, promiseModels, func(m bcpace.Finite, _ *rand.Rand) (promise, error) { return solveTables(t.Context(), m) })
	})
}

// promiseModels is how many models of every kind a solver is tried on.
const promiseModels = 300

// keepPromises tries a solver on the first models of every kind.
func keepPromises(t *testing.T, name string, models int) {
	t.Helper()
	keeps(t, models, func(m bcpace.Finite, rng *rand.Rand) (promise, error) {
		return promised(t.Context(), entrants[name](draw(m, rng)), m)
	})
}

// keeps checks what is promised for so many random models of every kind.
func keeps(t *testing.T, models int, promised func(bcpace.Finite, *rand.Rand) (promise, error)) {
	for seed := range uint64(models) {
		rng := rand.New(rand.NewPCG(seed, 7))
		o := randmodel.Varied(rng)
		if o.Horizon == 0 {
			o.Discount = 0.2 + 0.3*rng.Float64() // shallow graphs
		}
		m := randmodel.New(rng, o)
		p, err := promised(m, rng)
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
