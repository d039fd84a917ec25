package eval_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// qmdp returns the QMDP policy of a model.
func qmdp(t testing.TB, m bcpace.Model) bcpace.Policy {
	t.Helper()
	q, err := dp.SolveLatent(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return dp.LatentPolicy(q, len(m.Spec().Actions))
}

// Simulation and dynamic programming share nothing but the model's two views of
// itself. A mean of thousands of returns is normal, so that 5 standard errors
// are missed with probability 6·10⁻⁷; the seed is fixed besides.
func TestRolloutsAgreeWithExactValues(t *testing.T) {
	ctx := context.Background()
	models := []bcpace.Model{
		envs.Tiger{}, envs.Tiger{Ends: true, Accuracy: 0.7}, envs.Chain{}, envs.Chain{Intended: true, Slips: []float64{0.1, 0.6}},
		envs.LightDarkTiger{}, envs.LightDarkTiger{StartAt: []float64{0, 1}},
	}
	for _, m := range models {
		spec := m.Spec()
		greedy := qmdp(t, m)
		for _, p := range []bcpace.Policy{greedy, bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
			// Any fixed rule will do: it goes about, listens, opens and enters.
			return int(17*s[0]+5*b[0]*10) % len(spec.Actions)
		})} {
			for _, horizon := range []int{1, 30} {
				want, err := eval.Evaluate(ctx, m, p, eval.ExactOptions{Horizon: horizon})
				if err != nil {
					t.Fatal(err)
				}
				got, err := eval.Rollouts(ctx, m, p, eval.Options{Episodes: 5000, Horizon: horizon, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				if d := math.Abs(got.Mean - want.Value); !(d <= 5*got.StdErr+want.Error+1e-12) {
					t.Errorf("%s %v, T=%d: mean %v ± %v, exact value %v", spec.Name, spec.Params, horizon, got.Mean, got.StdErr, want.Value)
				}
			}
		}
	}
}

//test:race
func TestRolloutsDoNotDependOnWorkers(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{Sigma: 0.1}} {
		var first eval.Result
		for i, workers := range []int{1, 3, 8} {
			r, err := eval.Rollouts(context.Background(), m, bcpace.RandomPolicy(m),
				eval.Options{Episodes: 300, Horizon: 40, Seed: 9, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			r.Elapsed = 0
			if i == 0 {
				first = r
			} else if !reflect.DeepEqual(r, first) {
				t.Errorf("%s: %d workers give another result than 1", m.Spec().Name, workers)
			}
		}
	}
}

func TestRolloutsStatistics(t *testing.T) {
	m := envs.Tiger{}
	listen := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
	ctx := context.Background()
	r, err := eval.Rollouts(ctx, m, listen, eval.Options{Episodes: 10, Horizon: 20})
	if err != nil {
		t.Fatal(err)
	}
	// Listening always earns −Σ γ^t, without variance.
	want := -(1 - math.Pow(0.95, 20)) / 0.05
	if math.Abs(r.Mean-want) > 1e-12 || r.StdErr > 1e-12 || r.Steps != 200 || r.Cut != 10 || r.Episodes != 10 {
		t.Errorf("listening: %+v, want mean %v", r, want)
	}
	if want := math.Pow(0.95, 20) * 100 / 0.05; math.Abs(r.Truncation-want) > 1e-9 {
		t.Errorf("truncation %v, want %v", r.Truncation, want)
	}
	r, err = eval.Rollouts(ctx, m, listen, eval.Options{Episodes: 1, Horizon: 20, Undiscounted: true})
	if err != nil || r.Mean != -20 || !math.IsNaN(r.StdErr) || !math.IsInf(r.Truncation, 1) {
		t.Errorf("undiscounted: %+v, %v", r, err)
	}
	// Episodes that the model ends are not cut.
	open := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 1 })
	r, err = eval.Rollouts(ctx, envs.Tiger{Ends: true}, open, eval.Options{Episodes: 50})
	if err != nil || r.Steps != 50 || r.Cut != 0 || r.CI95[0] > r.Mean || r.CI95[1] < r.Mean {
		t.Errorf("opening: %+v, %v", r, err)
	}
	// γ^T/(1−γ) ≤ 10⁻⁴ at γ = .95 from T = 238 on.
	if r.Horizon != 238 {
		t.Errorf("default horizon is %d, want 238", r.Horizon)
	}
	if r.Elapsed <= 0 {
		t.Error("no time is reported")
	}
}

// With a belief of certainty, the latent is that one.
func TestRolloutsFromBelief(t *testing.T) {
	open := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 2 })
	r, err := eval.Rollouts(context.Background(), envs.Tiger{Ends: true}, open, eval.Options{Episodes: 20, Belief: bcpace.OneHot(2, 0)})
	if err != nil || r.Mean != 10 || r.StdErr != 0 {
		t.Errorf("opening the right door: %+v, %v", r, err)
	}
}

// listening is a Tiger that notes the first draw of every episode.
type listening struct {
	envs.Tiger
	draws map[uint64]bool
}

// ShowsEnds has Validate play no episodes.
func (l listening) ShowsEnds() bool { return true }

func (l listening) Start(s []float64, latent int, rng *rand.Rand) {
	l.Tiger.Start(s, latent, rng)
	l.draws[rng.Uint64()] = true
}

// A policy must not be judged by the draws that it was made from, though the
// seed be the same: its return would be that of its training.
//
//test:race
func TestRolloutsAreNotTheExploration(t *testing.T) {
	explored, evaluated := listening{draws: make(map[uint64]bool)}, listening{draws: make(map[uint64]bool)}
	r, err := runs.Explore(context.Background(), explored, cpace.Solver{Epsilon: 1, Seed: 3, MaxEpisodes: 200, Horizon: 2, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eval.Rollouts(context.Background(), evaluated, r.Policy(), eval.Options{Episodes: 200, Horizon: 2, Seed: 3, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	for d := range evaluated.draws {
		if explored.draws[d] {
			t.Fatalf("draw %d occurs in both", d)
		}
	}
	if len(explored.draws) < 100 || len(evaluated.draws) != 200 {
		t.Errorf("%d and %d draws seen", len(explored.draws), len(evaluated.draws))
	}
}

// Two policies meet the same latents, so that a difference of 1 in every episode
// has no variance though the returns have.
func TestDifference(t *testing.T) {
	first := func(action int) bcpace.Policy {
		return bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, _ *rand.Rand) int { return action })
	}
	m := envs.Tiger{Ends: true}
	play := func(p bcpace.Policy, n int) eval.Result {
		r, err := eval.Rollouts(context.Background(), m, p, eval.Options{Episodes: n, Horizon: 1, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	left, right := play(first(1), 400), play(first(2), 300)
	for i := range right.Returns {
		if left.Returns[i]+right.Returns[i] != -90 {
			t.Fatalf("episode %d: the doors earn %v and %v, not of one latent", i, left.Returns[i], right.Returns[i])
		}
	}
	same, err := eval.Difference(left, left)
	if err != nil || same.Mean != 0 || same.StdErr != 0 || same.CI95By != eval.ByRange || same.CI95[0] != -same.CI95[1] || same.Episodes != 400 {
		t.Errorf("left against itself: %+v, %v", same, err)
	}
	d, err := eval.Difference(left, right)
	// The doors are alike: 0 is missed by 5 standard errors with probability 6·10⁻⁷.
	if err != nil || d.Episodes != 300 || math.Abs(d.Mean) > 5*d.StdErr || d.CI95[0] > d.Mean || d.CI95[1] < d.Mean {
		t.Errorf("left against right: %+v, %v", d, err)
	}
	longer, err := eval.Rollouts(context.Background(), m, first(0), eval.Options{Episodes: 2, Horizon: 2})
	if err != nil {
		t.Fatal(err)
	}
	var input *bcpace.InputError
	if _, err := eval.Difference(left, longer); !errors.As(err, &input) {
		t.Errorf("different horizons: %v", err)
	}
}

// Cancelled half way, what is there is a prefix of the whole: the first 100 of one
// worker, and of several up to the first that another had not finished, if that is none.
//
//test:race
func TestRolloutsCancelled(t *testing.T) {
	m := envs.Tiger{}
	whole, err := eval.Rollouts(context.Background(), m, qmdp(t, m), eval.Options{Episodes: 400, Horizon: 20, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := eval.Rollouts(ctx, m, qmdp(t, m), eval.Options{Episodes: 400, Horizon: 20, Seed: 2, Workers: workers,
			Progress: func(done int) {
				if done == 100 {
					cancel()
				}
			}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if workers == 1 && r.Episodes != 100 || r.Episodes >= 400 || !reflect.DeepEqual(r.Returns, whole.Returns[:r.Episodes]) {
			t.Errorf("%d workers: %d episodes, which are no prefix of the whole", workers, r.Episodes)
		}
	}
	dead, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := eval.Rollouts(dead, m, qmdp(t, m), eval.Options{})
	if !errors.Is(err, context.Canceled) || r.Episodes != 0 || !math.IsNaN(r.Mean) {
		t.Errorf("cancelled before the start: %+v, %v", r, err)
	}
}

// A policy that fails at one state: all before the first such episode is there.
//
//test:race
func TestRolloutsPolicyError(t *testing.T) {
	bad := bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, rng *rand.Rand) int {
		if rng.IntN(200) == 0 {
			return 99
		}
		return 0
	})
	var episodes [2]int
	for i, workers := range []int{1, 4} {
		r, err := eval.Rollouts(context.Background(), envs.Tiger{}, bad, eval.Options{Horizon: 10, Seed: 3, Workers: workers})
		var input *bcpace.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), "episode") {
			t.Fatalf("error %v, want one of action 99", err)
		}
		episodes[i] = r.Episodes
	}
	if episodes[0] != episodes[1] || episodes[0] == 0 {
		t.Errorf("%d episodes with 1 worker and %d with 4", episodes[0], episodes[1])
	}
}

func TestNoPolicyToPlay(t *testing.T) {
	var input *bcpace.InputError
	if _, err := eval.Rollouts(t.Context(), envs.Tiger{}, nil, eval.Options{}); !errors.As(err, &input) {
		t.Errorf("rollouts: %v", err)
	}
	if _, err := eval.RecordEachLatent(envs.Tiger{}, nil, eval.Options{}); !errors.As(err, &input) {
		t.Errorf("recording: %v", err)
	}
}

//test:race
func TestRolloutsOptionErrors(t *testing.T) {
	p := bcpace.RandomPolicy(envs.Tiger{})
	for _, o := range []eval.Options{{Episodes: -1}, {Horizon: -1}, {Workers: -1}, {Undiscounted: true}, {Belief: bcpace.Belief{1}}, {Belief: bcpace.Belief{1, 1}}} {
		var input *bcpace.InputError
		if _, err := eval.Rollouts(context.Background(), envs.Tiger{}, p, o); !errors.As(err, &input) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// counting is a policy that must be forked.
type counting struct {
	inUse atomic.Bool
	forks *atomic.Int64
}

func (c *counting) Fork() bcpace.Policy { c.forks.Add(1); return &counting{forks: c.forks} }
func (c *counting) Act([]float64, bcpace.Belief, *rand.Rand) int {
	if c.inUse.Swap(true) {
		panic("one policy in two goroutines")
	}
	defer c.inUse.Store(false)
	return 0
}

//test:race
func TestRolloutsForkPolicies(t *testing.T) {
	c := &counting{forks: new(atomic.Int64)}
	if _, err := eval.Rollouts(context.Background(), envs.Tiger{}, c, eval.Options{Episodes: 100, Horizon: 20, Workers: 4}); err != nil {
		t.Fatal(err)
	}
	if n := c.forks.Load(); n != 4 {
		t.Errorf("%d forks for 4 workers", n)
	}
}

func TestRecord(t *testing.T) {
	m := envs.LightDarkTiger{Sigma: 0.1}
	p := bcpace.RandomPolicy(m)
	o := eval.Options{Episodes: 20, Horizon: 25, Seed: 5}
	r, err := eval.Rollouts(context.Background(), m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Returns {
		x, err := eval.RecordEpisode(m, p, o, i)
		if err != nil {
			t.Fatal(err)
		}
		if x.Return != r.Returns[i] || x.Len() != r.Lengths[i] {
			t.Fatalf("episode %d earns %v in %d steps, in Rollouts %v in %d", i, x.Return, x.Len(), r.Returns[i], r.Lengths[i])
		}
		sum, bayes := 0.0, bcpace.NewBayes(m)
		b := make(bcpace.Belief, 2)
		for k, reward := range x.Rewards {
			sum += math.Pow(0.95, float64(k)) * reward
			if err := bayes.Update(b, x.Belief(k), x.State(k), x.Actions[k], x.State(k+1)); err != nil {
				t.Fatal(err)
			}
			if b.L1(x.Belief(k+1)) != 0 {
				t.Fatalf("episode %d: belief %v after step %d, want %v", i, x.Belief(k+1), k, b)
			}
		}
		if math.Abs(sum-x.Return) > 1e-12 || len(x.Latents) != x.Len()+1 || len(x.States) != 3*(x.Len()+1) {
			t.Errorf("episode %d: rewards add up to %v, return %v", i, sum, x.Return)
		}
	}
}

// The light of Light-Dark Tiger shows the tiger; from there on the latent values
// are the whole policy. "Left until the light, then greedy" must earn nearly the
// optimum, which a separate dynamic program over (x, y, revealed) on a grid of
// step 0.01 gives.
//
//test:race
func TestGridValuesMakeGoodDecisions(t *testing.T) {
	for _, c := range []struct {
		side           int
		sigma, optimum float64
	}{{9, 0.01, 4.5171}, {9, 0.05, 4.5172}, {9, 0.1, 4.5306}, {5, 0.01, 6.8088}} {
		if testing.Short() && c.side == 9 {
			continue
		}
		m := envs.LightDarkTiger{Width: c.side, Height: c.side, Sigma: c.sigma}
		greedy := qmdp(t, m)
		p := bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, rng *rand.Rand) int {
			if _, d := b.NearestOneHot(); d > 0 {
				return 2 // left
			}
			return greedy.Act(s, b, rng)
		})
		r, err := eval.Rollouts(context.Background(), m, p, eval.Options{Episodes: 4000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d, σ=%v: %v ± %v of %v", c.side, c.sigma, r.Mean, r.StdErr, c.optimum)
		// No policy is better than the optimum, this one hardly worse.
		if r.Mean < 0.995*c.optimum || r.Mean-5*r.StdErr > c.optimum+1e-3 {
			t.Errorf("%d, σ=%v: mean %v ± %v, optimum %v", c.side, c.sigma, r.Mean, r.StdErr, c.optimum)
		}
	}
}

func BenchmarkRollouts(b *testing.B) {
	m := envs.Tiger{}
	p := qmdp(b, m)
	for b.Loop() {
		if _, err := eval.Rollouts(context.Background(), m, p, eval.Options{Episodes: 1000, Horizon: 100}); err != nil {
			b.Fatal(err)
		}
	}
}

// Equal returns have no deviation, not even by rounding: listening three times
// costs 1 + γ + γ² in every episode, which no sum of 1000 of them makes inexact. What
// another episode may return is not known from them.
func TestEqualReturns(t *testing.T) {
	listen := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
	r, err := eval.Rollouts(context.Background(), envs.Tiger{}, listen, eval.Options{Episodes: 1000, Horizon: 3})
	if err != nil || r.Mean != r.Returns[0] || r.StdErr != 0 || r.CI95By != eval.ByRange || !(r.CI95[0] < r.Mean && r.Mean < r.CI95[1]) {
		t.Errorf("mean %v ± %v in %v, want %v (error %v)", r.Mean, r.StdErr, r.CI95, r.Returns[0], err)
	}
}
