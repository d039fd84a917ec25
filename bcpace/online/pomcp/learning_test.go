package pomcp

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

// coins are two states, 0 and 1, with an unknown coin in each: to toss it leads to 1 or 0, and
// to rest leads to 0. State 1 pays 1, and a rest pays sure.
type coins struct{ sure float64 }

const coinsDiscount = 0.6

func (c coins) model(t testing.TB) bcpace.UnknownTransitions {
	t.Helper()
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "coins", Axes: []bcpace.Axis{{Name: "side", Max: 1, Discrete: true}}, Actions: bcpace.Actions("toss", "rest"),
			Latents: []string{"the coins"}, Discount: coinsDiscount, RewardMax: 2},
		Step: func(next, s []float64, _, action int, _ *rand.Rand) bcpace.Outcome {
			next[0] = 0
			return bcpace.Outcome{Reward: c.reward(int(s[0]), action)}
		},
		LogLikelihood: func(_ []float64, _ int, next []float64, _ int) float64 { return math.Log(1 - next[0]) },
		Successors: func(z *bcpace.Successors, s []float64, action int) {
			_, p, r := z.Add(false)
			p[0], r[0] = 1, c.reward(int(s[0]), action)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return unknownCoins{m.(bcpace.Finite)}
}

func (c coins) reward(s, action int) float64 { return float64(s) + float64(action)*c.sure }

type unknownCoins struct{ bcpace.Finite }

func (unknownCoins) TransitionPrior() bcpace.TransitionPrior {
	return bcpace.TransitionPrior{Alpha: 1, Follow: func(_, action int) []int32 {
		if action == 1 {
			return []int32{0}
		}
		return []int32{0, 1}
	}}
}

// value returns the Bayes value of an action at s after counts of heads and tails in each
// state, by dynamic programming over counts for so many steps.
func (c coins) value(s, action int, heads, tails [2]int, steps int, memo map[[6]int]float64) float64 {
	if steps == 0 {
		return 0
	}
	best := func(s int, heads, tails [2]int) float64 {
		key := [6]int{s, heads[0], heads[1], tails[0], tails[1], steps}
		v, ok := memo[key]
		if !ok {
			v = max(c.value(s, 0, heads, tails, steps-1, memo), c.value(s, 1, heads, tails, steps-1, memo))
			memo[key] = v
		}
		return v
	}
	q := c.reward(s, action)
	if action == 1 {
		return q + coinsDiscount*best(0, heads, tails)
	}
	p := float64(1+heads[s]) / float64(2+heads[s]+tails[s])
	up, down := heads, tails
	up[s]++
	down[s]++
	return q + coinsDiscount*(p*best(1, up, tails)+(1-p)*best(0, heads, down))
}

// With many simulations, BAMCP finds the action that is best for a Bayesian, and its value to
// 2 %. The truth of the model, in which no toss succeeds, does not matter.
func TestLearningNearsTheBayesValue(t *testing.T) {
	for _, sure := range []float64{0.2, 0.3, 0.4, 0.45, 0.55, 0.7} {
		c := coins{sure}
		memo := make(map[[6]int]float64)
		want := [2]float64{}
		for a := range want {
			want[a] = c.value(0, a, [2]int{}, [2]int{}, 18, memo)
		}
		d := plannertest.Decide(t, Solver{Budget: bcpace.Budget{Simulations: 40_000}, Exploration: 0.4}, c.model(t), bcpace.StartPoint{State: []float64{0}, Belief: bcpace.Belief{1}}, rand.New(rand.NewPCG(1, 1)))
		best := max(want[0], want[1])
		if got := d.Q[d.Action]; math.Abs(got-best) > 0.02*best || want[d.Action] < 0.99*best {
			t.Errorf("sure %v: action %d with Q %v, want %v", sure, d.Action, d.Q, want)
		}
	}
}

// A trial is an episode, in which the agent learns: in Double-loop it soon goes round the
// loop that pays more. Nothing is kept from trial to trial, nor depends on the workers.
func TestLearnsDoubleLoop(t *testing.T) {
	m, err := envs.DoubleLoop{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	sol, err := Solver{Budget: bcpace.Budget{Simulations: 100}}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	var first []float64
	for _, workers := range []int{1, 2} {
		r, err := eval.Rollouts(t.Context(), m, sol.Policy, eval.Options{Episodes: 4, Horizon: 300, Seed: 1, Workers: workers, Undiscounted: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range r.Returns { // 120 at most, and 60 in the other loop
			if x < 90 {
				t.Errorf("trial %d earned %v in 300 steps", i, x)
			}
			if first != nil && x != first[i] {
				t.Errorf("trial %d earned %v with 2 workers, %v with one", i, x, first[i])
			}
		}
		first = r.Returns
	}
}

func TestLearningRefuses(t *testing.T) {
	m := coins{0.5}.model(t)
	for _, s := range []Solver{{Rollout: "random"}, {RolloutPolicy: bcpace.RandomPolicy(m)}, {Exploration: -1}, {Budget: bcpace.Budget{Simulations: -1}}} {
		var input *bcpace.InputError
		if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, &input) {
			t.Errorf("%+v: error %v, want an InputError", s, err)
		}
	}
}

// Simulations per second of BAMCP in Double-loop, at the beginning of a trial.
func BenchmarkLearning(b *testing.B) {
	m, err := envs.DoubleLoop{}.Model()
	if err != nil {
		b.Fatal(err)
	}
	_, p := plannertest.Solve(b, Solver{Budget: bcpace.Budget{Simulations: 1000}}, m)
	rng := rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		d, err := p.Plan(b.Context(), []float64{0}, bcpace.Belief{1}, rng)
		if err != nil {
			b.Fatal(err)
		}
		n += d.Simulations
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "simulations/s")
}
