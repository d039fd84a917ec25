package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// expectimax is the oracle of Optimal and Evaluate: it follows every sequence of
// actions and states with the joint weights w(φ) of what has been seen, without
// Bayes' rule, merging or a graph. p chooses the action; nil is the best one.
func expectimax(m bcpace.Finite, p bcpace.Policy, s, w []float64, horizon int) (value float64, q []float64) {
	spec := m.Spec()
	q = make([]float64, len(spec.Actions))
	if horizon == 0 {
		return 0, q
	}
	mass := 0.0
	for _, x := range w {
		mass += x
	}
	dynamics, moves := m.(bcpace.LatentDynamics)
	row := make([]float64, len(w))
	for a := range q {
		var z bcpace.Successors
		z.Reset(len(spec.Axes), len(spec.Latents))
		m.Successors(&z, s, a)
		for i := range z.Len() {
			next, prob, reward := z.Row(i)
			after, reached := make([]float64, len(w)), 0.0
			for latent, x := range w {
				joint := x * prob[latent]
				q[a] += joint * reward[latent]
				reached += joint
				if moves && joint > 0 && dynamics.LatentTransition(row, s, a, latent) {
					for to, t := range row {
						after[to] += joint * t
					}
				} else {
					after[latent] += joint
				}
			}
			if reached > 0 && !z.Done[i] {
				v, _ := expectimax(m, p, next, after, horizon-1)
				q[a] += spec.Discount * v
			}
		}
	}
	value = math.Inf(-1)
	for _, x := range q {
		value = max(value, x)
	}
	if p != nil {
		b := make(bcpace.Belief, len(w))
		for i, x := range w {
			b[i] = x / mass
		}
		value = q[p.Act(s, b, nil)]
	}
	return value, q
}

//test:race
func TestExactAgainstExpectimax(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		m       bcpace.Finite
		horizon int
	}{
		{envs.Tiger{Accuracy: 0.7}, 7},
		{envs.Tiger{Ends: true}, 6},
		{envs.Chain{Slips: []float64{0.15, 0.4, 0.9}, Length: 3}, 7},
		{envs.Chain{Slips: []float64{0.15, 0.4}, Intended: true}, 7},
		{envs.LightDarkTiger{Width: 2, Height: 3, StartAt: []float64{0, 1}}, 6},
		{undiscounted{envs.Chain{}}, 6},
	} {
		spec := c.m.Spec()
		rng := rand.New(rand.NewPCG(7, 7))
		for trial := range 6 {
			b := make(bcpace.Belief, len(spec.Latents))
			b.SampleSimplex(rng)
			s := make([]float64, len(spec.Axes))
			c.m.StateAt(s, rng.IntN(c.m.NumStates()))
			actions := rng.Perm(len(spec.Actions))
			p := bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
				return actions[int(7*s[0]+11*b[0]+0.123)%len(actions)]
			})
			if trial == 0 {
				p = nil
			}
			horizon := 1 + rng.IntN(c.horizon)
			if trial < 2 {
				horizon = c.horizon
			}
			o := eval.ExactOptions{Horizon: horizon, State: s, Belief: b}
			var got eval.ExactValue
			var err error
			var oracle bcpace.Policy // a nil interface for the best policy
			if p == nil {
				got, err = eval.Optimal(ctx, c.m, o)
			} else {
				oracle = p
				got, err = eval.Evaluate(ctx, c.m, p, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			want, q := expectimax(c.m, oracle, s, b, horizon)
			if d := math.Abs(got.Value - want); !(d <= 1e-9+got.Error) {
				t.Errorf("%s %v from %v %v, T=%d: %v, want %v", spec.Name, spec.Params, s, b, horizon, got.Value, want)
			}
			for a := range q {
				if d := math.Abs(got.Q[a] - q[a]); !(d <= 1e-9+got.Error) {
					t.Errorf("%s from %v %v, T=%d: Q[%d] = %v, want %v", spec.Name, s, b, horizon, a, got.Q[a], q[a])
				}
			}
		}
	}
}

// A start in the light tells the latent: half of the mass on each of two states.
func TestReachSeveralStarts(t *testing.T) {
	m := envs.LightDarkTiger{StartAt: []float64{0, 2}}
	g, err := eval.Reach(context.Background(), m, eval.ReachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Starts) != 2 || g.StartProb[0] != 0.5 || g.StartProb[1] != 0.5 || slices.Max(g.Belief(0)) != 1 {
		t.Errorf("starts %v with %v, belief %v", g.Starts, g.StartProb, g.Belief(0))
	}
	// Five steps lead to the goal, in (0,2) → (4,4): 4 right, 2 up.
	e, err := eval.Optimal(context.Background(), m, eval.ExactOptions{})
	if want := 10 * math.Pow(0.95, 5); err != nil || math.Abs(e.Value-want) > 1e-12 {
		t.Errorf("value %v, %v, want %v", e.Value, err, want)
	}
}

func TestReachInvariants(t *testing.T) {
	ctx := context.Background()
	for _, m := range []bcpace.Finite{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{}} {
		whole, err := eval.Reach(ctx, m, eval.ReachOptions{Depth: 12})
		if err != nil {
			t.Fatal(err)
		}
		latents, actions := len(m.Spec().Latents), len(m.Spec().Actions)
		s := make([]float64, len(m.Spec().Axes))
		for n := range whole.Len() {
			if err := whole.Belief(n).Validate(); err != nil {
				t.Fatal(err)
			}
			if n > 0 && whole.Depth[n] < whole.Depth[n-1] {
				t.Fatalf("node %d is less deep than the one before", n)
			}
			if whole.State(s, n); whole.Node(s, whole.Belief(n)) != n {
				t.Fatalf("node %d cannot be found by its state and belief", n)
			}
		}
		if len(whole.Row) != whole.Expanded*actions+1 || len(whole.Beliefs) != whole.Len()*latents || len(whole.Reward) != whole.Expanded*actions {
			t.Errorf("%s: arrays of wrong length", m.Spec().Name)
		}
		if whole.Merged > eval.Quantum*float64(latents) {
			t.Errorf("%s: beliefs at distance %v were merged", m.Spec().Name, whole.Merged)
		}
		if whole.Node(s, make(bcpace.Belief, latents+1)) != -1 || whole.Node(s, make(bcpace.Belief, latents)) != -1 {
			t.Errorf("%s: a node that is not there is found", m.Spec().Name)
		}
		// A shallower graph is a prefix.
		part, err := eval.Reach(ctx, m, eval.ReachOptions{Depth: 5})
		if err != nil {
			t.Fatal(err)
		}
		for n := range part.Len() {
			if part.States[n] != whole.States[n] || part.Belief(n).L1(whole.Belief(n)) != 0 {
				t.Fatalf("%s: node %d depends on the depth", m.Spec().Name, n)
			}
		}
		if again, err := eval.Reach(ctx, m, eval.ReachOptions{Depth: 12}); err != nil || again.Len() != whole.Len() || len(again.To) != len(whole.To) {
			t.Errorf("%s: the graph is not always the same", m.Spec().Name)
		}
	}
	closed, err := eval.Reach(ctx, envs.LightDarkTiger{}, eval.ReachOptions{})
	if err != nil || closed.Expanded < closed.Len() {
		t.Errorf("Light-Dark Tiger's graph is not closed (%v)", err)
	}
}

// Where the values of a fine and a coarse tolerance differ, it is within their errors.
func TestOptimalErrorBound(t *testing.T) {
	ctx := context.Background()
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}} {
		fine, err := eval.Optimal(ctx, m, eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tol := range []float64{0.01, 1, 30} {
			rough, err := eval.Optimal(ctx, m, eval.ExactOptions{Tolerance: tol})
			if err != nil {
				t.Fatal(err)
			}
			if d := math.Abs(fine.Value - rough.Value); d > fine.Error+rough.Error || rough.Error > 1.01*tol {
				t.Errorf("%s: at tolerance %v %v ± %v, finely %v ± %v", m.Spec().Name, tol, rough.Value, rough.Error, fine.Value, fine.Error)
			}
		}
	}
}

//test:race
func TestExactErrors(t *testing.T) {
	ctx := context.Background()
	listen := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
	var unsupported *bcpace.UnsupportedError
	if _, err := eval.Optimal(ctx, envs.LightDarkTiger{Sigma: 0.1}, eval.ExactOptions{}); !errors.As(err, &unsupported) {
		t.Errorf("a model that is not finite: %v", err)
	}
	if _, err := eval.Evaluate(ctx, envs.Tiger{}, bcpace.RandomPolicy(envs.Tiger{}), eval.ExactOptions{}); !errors.As(err, &unsupported) {
		t.Errorf("a policy that randomises: %v", err)
	}
	var input *bcpace.InputError
	for _, o := range []eval.ExactOptions{{Horizon: -1}, {Tolerance: -1}, {Tolerance: math.NaN()}, {MaxNodes: -1}, {State: []float64{9}},
		{State: []float64{0, 0}}, {Belief: bcpace.Belief{1}}, {Belief: bcpace.Belief{0.5, 0.6}}} {
		if _, err := eval.Evaluate(ctx, envs.Tiger{}, listen, o); !errors.As(err, &input) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := eval.Evaluate(ctx, envs.Tiger{}, nil, eval.ExactOptions{}); !errors.As(err, &input) {
		t.Errorf("no policy: %v", err)
	}
	bad := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 3 })
	if _, err := eval.Evaluate(ctx, envs.Tiger{}, bad, eval.ExactOptions{}); !errors.As(err, &input) {
		t.Errorf("action 3 of 3: %v", err)
	}
	var limit *eval.LimitError
	if _, err := eval.Optimal(ctx, envs.Chain{}, eval.ExactOptions{Horizon: 50, MaxNodes: 100}); !errors.As(err, &limit) || limit.Limit != 100 {
		t.Errorf("100 nodes for Chain: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := eval.Optimal(cancelled, envs.Chain{}, eval.ExactOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestOptimalOfSeveralStarts: what one step earns, by hand. The best action differs
// between the two start states, so that Value is above every Q.
func TestOptimalOfSeveralStarts(t *testing.T) {
	stay := [][]float64{{1, 0}, {0, 1}}
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.5, Prior: []float64{1}, Start: []float64{0.25, 0.75},
		P: [][][][]float64{{stay, stay}}, R: [][][]float64{{{8, 0}, {0, 4}}}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := eval.Optimal(context.Background(), m, eval.ExactOptions{Horizon: 1})
	if err != nil || len(e.Q) != 2 || e.Q[0] != 2 || e.Q[1] != 3 || e.Value != 5 {
		t.Errorf("%+v, %v, want Q 2 and 3 and the value 5", e, err)
	}
}

// noStart is Tiger with a start that is not a distribution.
type noStart struct {
	envs.Tiger
	p float64
}

func (m noStart) Starts(z *bcpace.Successors) {
	_, p, _ := z.Add(false)
	p[0], p[1] = m.p, m.p
}

func TestReachWithoutAStart(t *testing.T) {
	conformance := (*bcpace.ConformanceError)(nil)
	for _, p := range []float64{0, 0.5, 2, math.NaN(), math.Inf(1)} {
		if _, err := eval.Reach(context.Background(), noStart{p: p}, eval.ReachOptions{Depth: 2}); !errors.As(err, &conformance) {
			t.Errorf("a start of probability %v: %v", p, err)
		}
	}
}

func BenchmarkReach(b *testing.B) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Width: 9, Height: 9}} {
		b.Run(m.Spec().Name, func(b *testing.B) {
			b.ReportAllocs()
			nodes := 0
			for b.Loop() {
				g, err := eval.Reach(context.Background(), m, eval.ReachOptions{Depth: 100})
				if err != nil {
					b.Fatal(err)
				}
				nodes = g.Len()
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}

func ExampleOptimal() {
	e, err := eval.Optimal(context.Background(), envs.Tiger{}, eval.ExactOptions{Horizon: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f from %d states and beliefs\n", e.Value, e.Nodes)
	// Output: 17.760 from 57 states and beliefs
}

func ExampleRollouts() {
	tiger := envs.Tiger{}
	q, err := dp.SolveLatent(context.Background(), tiger)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := eval.Rollouts(context.Background(), tiger, dp.LatentPolicy(q, 3), eval.Options{Episodes: 2000, Horizon: 50, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := eval.Evaluate(context.Background(), tiger, dp.LatentPolicy(q, 3), eval.ExactOptions{Horizon: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("QMDP earns %.2f; the simulated interval holds it: %v\n", exact.Value, r.CI95[0] < exact.Value && exact.Value < r.CI95[1])
	// Output: QMDP earns 17.70; the simulated interval holds it: true
}
