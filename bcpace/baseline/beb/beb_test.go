package beb_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/beb"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// brute is value iteration, as one writes it first: q returns Q(s, a) from values of the states.
func brute(states, actions int, q func(s, a int, v []float64) float64) (v []float64) {
	v = make([]float64, states)
	for range 120 {
		old := append([]float64(nil), v...)
		for s := range v {
			v[s] = math.Inf(-1)
			for a := range actions {
				v[s] = max(v[s], q(s, a, old))
			}
		}
	}
	return v
}

// slack is what an action may lose where value iteration ends: twice the precision of values.
func slack(spec bcpace.Spec) float64 { return 2.1e-3 * (spec.RewardMax - spec.RewardMin) }

// Without a bonus an action is the best one of the mean MDP at the belief, by brute force over
// what the model lists.
func TestGreedyOnTheMean(t *testing.T) {
	for seed := range uint64(15) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := randmodel.New(rng, randmodel.Options{Discount: 0.3 + 0.5*rng.Float64()})
		spec := m.Spec()
		found, err := beb.Solver{NoBonus: true}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		state, b := make([]float64, len(spec.Axes)), make(bcpace.Belief, len(spec.Latents))
		for range 5 {
			b.SampleSimplex(rng)
			q := func(s, a int, v []float64) (sum float64) {
				var z bcpace.Successors
				z.Reset(len(spec.Axes), len(spec.Latents))
				m.StateAt(state, s)
				m.Successors(&z, state, a)
				for i := range z.Len() {
					next, prob, reward := z.Row(i)
					for φ, p := range prob {
						sum += b[φ] * p * reward[φ]
						if !z.Done[i] {
							sum += b[φ] * p * spec.Discount * v[m.StateIndex(next)]
						}
					}
				}
				return sum
			}
			v := brute(m.NumStates(), len(spec.Actions), q)
			for s := range v {
				m.StateAt(state, s)
				a := found.Policy.Act(state, b, rng)
				if loss := v[s] - q(s, a, v); loss > slack(spec) {
					t.Errorf("model %d: action %d at state %d loses %v of %v", seed, a, s, loss, v[s])
				}
			}
		}
	}
}

// What it learns of unknown transitions are counts: its actions are those of value iteration on
// the mean of a Dirichlet distribution with the bonus β/(1 + n), made anew for each step.
func TestLearns(t *testing.T) {
	for _, beta := range []float64{0.1, 1, 5} {
		m := plannertest.Paths(t, bcpace.TransitionPrior{Alpha: 0.5})
		spec := m.Spec()
		found, err := beb.Solver{Beta: beta}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		reward := [3][2]float64{{0.3, 0}, {0, 0.1}, {1, 0.5}}
		rng := rand.New(rand.NewPCG(1, 1))
		for range 5 {
			var count [3][2][3]float64
			sim, p := bcpace.NewSimulator(m), bcpace.PolicyAbilitiesOf(found.Policy)
			if err := sim.Reset(rng); err != nil {
				t.Fatal(err)
			}
			p.Begin(sim.State, sim.Belief)
			for range 60 {
				q := func(s, a int, v []float64) float64 {
					n, sum := 1.5, 0.0
					for _, c := range count[s][a] {
						n += c
					}
					for next, c := range count[s][a] {
						sum += (0.5 + c) / n * v[next]
					}
					return reward[s][a] + beta/(1+n) + spec.Discount*sum
				}
				v := brute(3, 2, q)
				s := int(sim.State[0])
				a := found.Policy.Act(sim.State, sim.Belief, rng)
				if loss := v[s] - q(s, a, v); loss > slack(spec) {
					t.Fatalf("β = %v: action %d at state %d loses %v of %v", beta, a, s, loss, v[s])
				}
				r, err := sim.Step(a, rng)
				if err != nil {
					t.Fatal(err)
				}
				p.Observe(a, r, sim.State)
				count[s][a][int(sim.State[0])]++
			}
		}
	}
}

// It is near the optimum of Chain, where a latent is soon known.
func TestChain(t *testing.T) {
	m := envs.Chain{}
	found, err := beb.Solver{}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mean < 0.9*48.08 { // the optimum: package certified brackets it in [48.0808, 48.0819]
		t.Errorf("mean %v ± %v, want 43.3 or more", r.Mean, r.StdErr)
	}
}

// What cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	plannertest.Refuses(t, envs.Chain{}, []beb.Solver{{Beta: -1}, {Beta: math.NaN()}, {Beta: math.Inf(1)}, {Beta: 1, NoBonus: true}, {Sweeps: -1}})
	plannertest.LacksSupport(t, beb.Solver{}, envs.LightDarkTiger{Sigma: 0.1}, plannertest.Dual(t))
}
