package family_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/family"
	"bayescpace/envs"
)

// strens is Chain of one slip probability for an agent that knows its rewards, and not where
// its actions lead.
func strens(t testing.TB) bcpace.UnknownTransitions {
	m, err := family.Unknown(envs.Chain{Slips: []float64{0.2}}, bcpace.TransitionPrior{Reward: func(s, _, next int) float64 {
		switch {
		case next == 0:
			return 2
		case s == 4 && next == 4:
			return 10
		}
		return 0
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tablesOf(t testing.TB, m bcpace.UnknownTransitions) *family.TransitionTables {
	t.Helper()
	f, err := family.NewTables(m)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Models of drawn tables pass the checks of every model.
func TestTablesConform(t *testing.T) {
	loop, err := envs.DoubleLoop{Sparse: true}.Model()
	if err != nil {
		t.Fatal(err)
	}
	few, err := family.Unknown(loop, bcpace.TransitionPrior{Follow: func(s, a int) []int32 { return []int32{0, int32(1 + (s+a)%8)} }})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []bcpace.UnknownTransitions{strens(t), loop, few} {
		m, err := family.Sampled(tablesOf(t, u), 5, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Model(m, check.Options{Episodes: 20, Transitions: 60, Draws: 1500}); err != nil {
			t.Error(err)
		}
	}
}

// The mean of the posterior is that of its draws, and after many observations of the true MDP
// a policy that is best for one draw earns what the best policy earns. Each of 10 frequencies
// of 4,000 draws is within 5 standard errors.
func TestCounts(t *testing.T) {
	u := strens(t)
	f := tablesOf(t, u)
	c := f.Posterior()
	rng := rand.New(rand.NewPCG(1, 1))
	s, next := []float64{1}, []float64{0}
	for range 3000 {
		a := rng.IntN(2)
		u.Step(next, s, 0, a, rng)
		if err := c.Observe(s, a, next); err != nil {
			t.Fatal(err)
		}
		s, next = next, s
	}
	if c.Observed() != 3000 {
		t.Errorf("%d observations", c.Observed())
	}
	mean, err := c.Mean([]float64{5}, 0)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 4000
	drawn := make([]float64, 5)
	θ := make([]float64, len(f.Params()))
	for range draws {
		c.Draw(θ, rng)
		for i := range drawn {
			drawn[i] += θ[(4*2+0)*5+i] / draws
		}
	}
	for i, p := range mean {
		if math.Abs(p-drawn[i]) > 5*math.Sqrt(p*(1-p)/draws)+1e-9 {
			t.Errorf("state %d has mean %v, drawn %v", i, p, drawn[i])
		}
	}
	m, err := f.Model([][]float64{θ})
	if err != nil {
		t.Fatal(err)
	}
	sol, err := certified.Solver{Epsilon: 1e-6}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	for s := range 5 { // going up is best everywhere
		if a := sol.Policy.Act([]float64{float64(s + 1)}, bcpace.Belief{1}, nil); a != 0 {
			t.Errorf("state %d: action %d", s+1, a)
		}
	}
}

func TestTablesRefuse(t *testing.T) {
	u := strens(t)
	f := tablesOf(t, u)
	n := len(f.Params())
	flat := make([]float64, n)
	for i := range flat {
		flat[i] = 0.2
	}
	with := func(i int, x float64) []float64 {
		θ := append([]float64(nil), flat...)
		θ[i] = x
		return θ
	}
	var input *bcpace.InputError
	for name, thetas := range map[string][][]float64{
		"none": {}, "short": {flat[1:]}, "sum": {with(3, 0.3)}, "negative": {with(3, -0.2)}, "not a number": {with(3, math.NaN())},
	} {
		if _, err := f.Model(thetas); !errors.As(err, &input) {
			t.Errorf("%s: error %v, want an InputError", name, err)
		}
	}
	c := f.Posterior()
	for name, err := range map[string]error{
		"state off the axes": c.Observe([]float64{9}, 0, []float64{1}),
		"no state":           c.Observe(nil, 0, []float64{1}),
		"next":               c.Observe([]float64{1}, 0, []float64{0}),
		"action":             c.Observe([]float64{1}, 2, []float64{1}),
	} {
		if !errors.As(err, &input) {
			t.Errorf("%s: error %v, want an InputError", name, err)
		}
	}
	if _, err := family.Unknown(nil, bcpace.TransitionPrior{}); !errors.As(err, &input) {
		t.Errorf("no model: error %v", err)
	}
	if _, err := family.Unknown(envs.Chain{Slips: []float64{0.2}}, bcpace.TransitionPrior{}); !errors.As(err, &input) {
		t.Errorf("rewards of the next state: error %v", err)
	}
	var unsupported *bcpace.UnsupportedError
	if _, err := family.Unknown(envs.Tiger{}, bcpace.TransitionPrior{}); !errors.As(err, &unsupported) {
		t.Errorf("a latent that moves: error %v", err)
	}
}

// An agent that has gone up from state 1 four times, and has fallen back once.
func ExampleCounts() {
	chain, err := family.Unknown(envs.Chain{Slips: []float64{0.2}}, bcpace.TransitionPrior{Alpha: 1, Reward: func(_, _, _ int) float64 { return 0 }})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := family.NewTables(chain)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := f.Posterior()
	for _, next := range []float64{2, 2, 1, 2, 2} {
		if err := c.Observe([]float64{1}, 0, []float64{next}); err != nil {
			fmt.Println(err)
		}
	}
	mean, _ := c.Mean([]float64{1}, 0)
	fmt.Printf("%.1f\n", mean)
	// Output: [0.2 0.5 0.1 0.1 0.1]
}

// Certified values of twenty tables that an agent holds possible in Chain.
func ExampleNewTables() {
	chain, err := family.Unknown(envs.Chain{Slips: []float64{0.2}}, bcpace.TransitionPrior{Reward: func(s, _, next int) float64 {
		if s == 4 && next == 4 {
			return 10
		}
		return 0
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := family.NewTables(chain)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := family.Sampled(f, 20, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(f.Params()), "probabilities in a table,", len(m.Spec().Latents), "tables")
	// Output: 50 probabilities in a table, 20 tables
}

// Double-loop with known zeros: an action leads to the next state or back to the first.
func ExampleUnknown() {
	loop, err := envs.DoubleLoop{}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := family.Unknown(loop, bcpace.TransitionPrior{Follow: func(state, _ int) []int32 {
		switch state {
		case 0:
			return []int32{1, 5}
		case 4, 8:
			return []int32{0}
		}
		return []int32{0, int32(state + 1)}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := family.NewTables(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(f.Params()), "unknown probabilities, in the place of", 9*2*9)
	// Output: 32 unknown probabilities, in the place of 162
}
