package sarsop_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// checkEarned fails where the policy of r earns less than the lower bound of r, or where
// the bounds do not hold the optimal value.
func checkEarned(t *testing.T, name string, m *pomdp.Model, r found) {
	t.Helper()
	const tol = 1e-8
	if _, high := sarsop.Outlook(m, r.Policy, 300, tol); high < r.Lower-2*tol {
		t.Errorf("%s: the policy earns at most %v, the lower bound is %v (stopped by %s)", name, high, r.Lower, r.Stop)
	}
	if low, high := sarsop.Outlook(m, nil, 200, tol); r.Lower > high+2*tol || r.Upper < low-2*tol {
		t.Errorf("%s: the bounds are [%v, %v], the optimal value is in [%v, %v]", name, r.Lower, r.Upper, low, high)
	}
}

// TestEarns: the policy earns the lower bound, exactly, wherever the search was
// stopped.
func TestEarns(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := sarsop.Game(rng)
		s, c := sarsop.Solver{Epsilon: 1e-3, MaxTrials: 300}, bcpace.Control{Workers: 1}
		ctx, cancel := context.WithCancel(context.Background())
		if rng.IntN(2) == 0 { // stopped early, by a limit or by the context
			s.MaxTrials = 1 + rng.IntN(20)
			if most := s.MaxTrials; rng.IntN(2) == 0 {
				s.MaxTrials = 0
				c.Progress = func(p bcpace.Progress) {
					if p.Episodes == most {
						cancel()
					}
				}
			}
		}
		r, err := within(ctx, m, s, c)
		cancel()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		name := fmt.Sprintf("seed %d", seed)
		checkEarned(t, name, m, r)
		sarsop.CheckClosed(t, name, m, r.Policy, rng)
	}
}

// TestClosed: so is the set of vectors in models of many beliefs, seen in part or not,
// that were not solved to the end.
func TestClosed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		m := pomdptest.Random(rng, 1+rng.IntN(4), 2+rng.IntN(6), []float64{.5, .9, .99}[rng.IntN(3)])
		sarsop.CheckClosed(t, fmt.Sprintf("seed %d", seed), m, solve(t, m, sarsop.Solver{MaxTrials: 1 + rng.IntN(30)}).Policy, rng)
		r, err := within(ctx, m, sarsop.Solver{}, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		sarsop.CheckClosed(t, fmt.Sprintf("seed %d at once", seed), m, r.Policy, rng)
	}
}

// TestFewVectors: where the search goes round the same beliefs many times, the policy does
// not hold all the vectors that it went by, and earns the lower bound all the same.
func TestFewVectors(t *testing.T) {
	m, err := pomdpfile.ReadFile(t.Context(), "../../../data/chain.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	patient := *m
	patient.Discount = .99
	r := solve(t, &patient, sarsop.Solver{Epsilon: 1e-3})
	if n, beliefs := len(r.Policy.Vectors[0]), r.end().Samples; beliefs < 500 || 5*n > beliefs {
		t.Errorf("%d vectors for %d beliefs", n, beliefs)
	}
	b := make([]float64, m.NumHidden())
	if m.StartBelief(b, 0); r.Policy.Value(0, b) < r.Lower {
		t.Errorf("the vectors are worth %v at the start, the lower bound is %v", r.Policy.Value(0, b), r.Lower)
	}
	sarsop.CheckClosed(t, "chain", &patient, r.Policy, rand.New(rand.NewPCG(1, 2)))
}

// TestUnvisited: where a plan continues at a belief that the search has not visited, since
// its bounds were near enough, the policy has the vector for it: here that of staying,
// once the state is known to be good. It has it when it is written and read again, too.
func TestUnvisited(t *testing.T) {
	m, err := pomdpfile.Read(t.Context(), strings.NewReader(pomdptest.Unvisited), "unvisited.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	r := solve(t, m, sarsop.Solver{Epsilon: 1e-3})
	checkEarned(t, "solved", m, r)
	var list []pomdpfile.Vector
	for _, v := range r.Policy.Vectors[0] {
		list = append(list, pomdpfile.Vector{Action: v.Action, Value: v.Value})
	}
	var file strings.Builder
	if err := pomdpfile.WritePolicy(&file, m, list); err != nil {
		t.Fatal(err)
	}
	if list, err = pomdpfile.ReadPolicy(t.Context(), strings.NewReader(file.String()), "unvisited.policy", m); err != nil {
		t.Fatal(err)
	}
	r.Policy = &pomdp.VectorPolicy{Vectors: make([][]pomdp.Vector, 1)}
	for _, v := range list {
		r.Policy.Vectors[0] = append(r.Policy.Vectors[0], pomdp.Vector{Action: v.Action, Value: v.Value})
	}
	checkEarned(t, "read", m, r)
	if v := r.Policy.Value(0, []float64{.86, .14}); v != r.Lower {
		t.Errorf("the vectors read are worth %v at the start, the lower bound is %v", v, r.Lower)
	}
}

// TestEarnsUndiscounted: the same for a number of steps without a discount, which the
// context may end before the first trial.
//
//test:race
func TestEarnsUndiscounted(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	var earned func(m *pomdp.Model, p pomdp.Policy, x int, b []float64, steps int) float64
	earned = func(m *pomdp.Model, p pomdp.Policy, x int, b []float64, steps int) (v float64) {
		if steps == 0 {
			return 0
		}
		a, next := p.Act(x, b), make([]float64, len(b))
		for y, q := range b {
			v += q * m.Reward[a][x*len(b)+y]
		}
		for xNext := range m.NumVisible() {
			for o := range m.Observations {
				if q := m.Update(next, b, x, a, xNext, o); q > 0 {
					v += q * earned(m, p, xNext, next, steps-1)
				}
			}
		}
		return v
	}
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 8))
		m := sarsop.Game(rng)
		m.Discount = 1
		steps := 1 + rng.IntN(4)
		m.Horizon = steps
		for _, ctx := range []context.Context{ended, t.Context()} {
			r, err := within(ctx, m, sarsop.Solver{Epsilon: 1e-3, MaxTrials: 1 + rng.IntN(30)}, bcpace.Control{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			clock := r.Model
			v, b := 0.0, make([]float64, clock.NumHidden())
			for x := range clock.NumVisible() {
				if q := clock.StartBelief(b, x); q > 0 {
					v += q * earned(clock, r.Policy, x, b, steps)
				}
			}
			if v < r.Lower-1e-9 || v > r.Upper+1e-9 {
				t.Errorf("seed %d, %d steps: the policy earns %v, the bounds are [%v, %v] (stopped by %s)", seed, steps, v, r.Lower, r.Upper, r.Stop)
			}
		}
	}
}

// TestEarnsInBAMDP: the same on BAMDPs, with latents that stay, change and are redrawn,
// by the exact value of the policy on the model itself.
func TestEarnsInBAMDP(t *testing.T) {
	judged := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m := randmodel.New(rng, randmodel.Options{States: 2 + rng.IntN(4), Latents: 2 + rng.IntN(2), Actions: 2 + rng.IntN(2),
			Kind: bcpace.LatentKind(rng.IntN(3)), Discount: .3 + .4*rng.Float64()})
		flat := fromBAMDP(t, m)
		r := solve(t, flat, sarsop.Solver{Epsilon: 1e-2, MaxTrials: 1 + rng.IntN(60)})
		p, err := pomdp.AsBAMDPPolicy(m, flat, r.Policy)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		e, err := eval.Evaluate(t.Context(), m, p, eval.ExactOptions{MaxNodes: 3000, Tolerance: 1e-2})
		if limit := (*eval.LimitError)(nil); errors.As(err, &limit) {
			continue
		} else if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		judged++
		if tol := e.Error + 1e-9; e.Value < r.Lower-tol || e.Value > r.Upper+tol {
			t.Errorf("seed %d: the policy earns %v ± %v, the bounds are [%v, %v]", seed, e.Value, e.Error, r.Lower, r.Upper)
		}
	}
	if judged < 300 {
		t.Errorf("%d policies have an exact value, want 300", judged)
	}
}
