package adaops_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// dial is a model whose latents are told by noisy readings, so many of them, on an axis that does
// not count; a look has less noise than a glance and costs more, and a bet on a latent ends it.
func dial(t testing.TB, readings int) bcpace.Finite {
	t.Helper()
	m, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{Name: "dial", Axes: []bcpace.Axis{{Name: "reading", Max: float64(readings - 1), Discrete: true, Scale: math.Inf(1)}},
			Actions: bcpace.Actions("glance", "look", "low", "middle", "high"), Latents: []string{"low", "middle", "high"}, Discount: 0.9},
		Transitions: func(s []float64, latent, action int) (list []bcpace.Transition) {
			if action > 1 {
				reward := -40.0
				if action-2 == latent {
					reward = 10
				}
				return []bcpace.Transition{{Next: s, Prob: 1, Reward: reward, Done: true}}
			}
			noise, reward := []float64{1, 0.6}[action], []float64{-0.2, -0.6}[action]
			total := 0.0
			for i := range readings {
				x := 2*float64(i)/float64(readings-1) - float64(latent) // in units of the latents' distance
				list = append(list, bcpace.Transition{Next: []float64{float64(i)}, Prob: math.Exp(-x * x / (2 * noise * noise)), Reward: reward})
				total += list[i].Prob
			}
			for i := range list {
				list[i].Prob /= total
			}
			return list
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPack: the centres of a packing are more than δ apart, everything is within δ of its own,
// so that their number is one between the numbers i and α of package cover, and the means and
// probabilities add up.
func TestPack(t *testing.T) {
	m := dial(t, 25)
	s, b, rng := []float64{0}, bcpace.Belief{0.5, 0.3, 0.2}, rand.New(rand.NewPCG(1, 1))
	last := math.MaxInt
	for _, delta := range []float64{0.02, 0.1, 0.3, 1, 2} {
		p, err := adaops.Solver{Delta: delta}.Pack(m, s, b, 0, rng)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range p.Beliefs {
			if d := x.L1(p.Beliefs[p.Centre[p.Node[i]]]); d > delta {
				t.Errorf("δ = %v: %v is %v from its centre", delta, x, d)
			}
		}
		for k, c := range p.Centre {
			for _, other := range p.Centre[:k] {
				if d := p.Beliefs[c].L1(p.Beliefs[other]); d <= delta {
					t.Errorf("δ = %v: two centres are %v apart", delta, d)
				}
			}
		}
		total := make(bcpace.Belief, len(b))
		prob := make([]float64, len(p.Means))
		for i, w := range p.Prob {
			prob[p.Node[i]] += w
		}
		for k, x := range p.Means {
			for φ := range total {
				total[φ] += prob[k] * x[φ]
			}
		}
		if d := total.L1(b); d > 1e-12 { // the mean of what follows is what is believed now
			t.Errorf("δ = %v: means add up to %v, %v from the belief", delta, total, d)
		}
		points, err := cover.FromRows(p.Points)
		if err != nil {
			t.Fatal(err)
		}
		x, err := cover.Number(t.Context(), points, delta, cover.Options{Exact: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Means); n < x.Separated.Lower || n > x.Independence.Upper || n > last {
			t.Errorf("δ = %v: %d nodes, want from %v to %v, and at most %d", delta, n, x.Separated, x.Independence, last)
		}
		last = len(p.Means)
	}
	if last != 1 {
		t.Errorf("%d nodes at δ = 2, want 1", last)
	}
	p, err := adaops.Solver{NoPacking: true}.Pack(m, s, b, 0, rng)
	if err != nil || len(p.Means) != 25 {
		t.Errorf("%+v, %v: want 25 nodes without packing", p, err)
	}
}

// TestWithoutPacking: what is not packed is the search of lookahead.
func TestWithoutPacking(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, dial(t, 9)} {
		budget := bcpace.Budget{Simulations: 60}
		var results []eval.Result
		for _, s := range []bcpace.Solver{lookahead.Solver{Budget: budget}, adaops.Solver{Budget: budget, NoPacking: true}} {
			found, _ := plannertest.Solve(t, s, m)
			r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 10, Horizon: 20, Seed: 2})
			if err != nil {
				t.Fatal(err)
			}
			r.Elapsed = 0
			results = append(results, r)
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			t.Errorf("%s: %+v, want %+v", m.Spec().Name, results[1], results[0])
		}
	}
}

// TestDeeper: in the model with many readings, a packed tree of so many leaves is deeper than a
// whole one, and its lower bound, which is one of V* all the same, is better.
func TestDeeper(t *testing.T) {
	m := dial(t, 41)
	at, rng := bcpace.StartPoint{State: []float64{0}, Belief: bcpace.Uniform(3)}, rand.New(rand.NewPCG(1, 1))
	budget := bcpace.Budget{Simulations: 1000}
	whole := plannertest.Decide(t, adaops.Solver{Budget: budget, NoPacking: true}, m, at, rng)
	few := plannertest.Decide(t, adaops.Solver{Budget: budget, Delta: 0.3}, m, at, rng)
	if few.Depth < 2*whole.Depth || few.Lower < whole.Lower+0.5 || few.Lower > whole.Upper || few.Upper < whole.Lower {
		t.Errorf("packed %+v, whole %+v: want twice the depth, and 0.5 more", few, whole)
	}
}

// simulated has no lists.
type simulated struct{ envs.Tiger }

func (simulated) Successors() {}

// wide are bounds by the range of returns of Tiger.
type wide struct{}

func (wide) Lower([]float64, bcpace.Belief) (value float64, action int) {
	lo, _ := solverkit.RangeOfReturns(envs.Tiger{})
	return lo, 0
}

func (wide) Upper([]float64, bcpace.Belief) float64 {
	_, hi := solverkit.RangeOfReturns(envs.Tiger{})
	return hi
}

// TestNoBounds: where a model lists nothing and nobody gives bounds, the search could not tell
// actions apart, and says so.
func TestNoBounds(t *testing.T) {
	_, err := adaops.Solver{}.Solve(t.Context(), simulated{}, bcpace.Control{})
	if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "list of what may follow") {
		t.Errorf("error %v, want an UnsupportedError", err)
	}
}

// TestSampled: where next states are drawn, nothing is bounded, the same seed decides the same
// with any number of workers, and the tiger is listened to.
func TestSampled(t *testing.T) {
	for _, x := range []struct {
		m bcpace.Model
		s adaops.Solver
	}{
		{simulated{}, adaops.Solver{Budget: bcpace.Budget{Simulations: 30}, Width: 12, Bounds: wide{}}},
		{envs.Tiger{}, adaops.Solver{Budget: bcpace.Budget{Simulations: 30}, Width: 12}},
		{envs.Tiger{}, adaops.Solver{Budget: bcpace.Budget{Simulations: 30}, Width: 12, NoPacking: true}},
	} {
		found, p := plannertest.Solve(t, x.s, x.m)
		if found.Certificate.PolicyEarns == bcpace.ByProof {
			t.Errorf("%T: certificate %+v", x.m, found.Certificate)
		}
		d, err := p.Plan(t.Context(), []float64{0}, bcpace.Uniform(2), rand.New(rand.NewPCG(1, 1)))
		if err != nil || d.Action != 0 || !math.IsInf(d.Lower, -1) || !math.IsInf(d.Upper, 1) {
			t.Errorf("%T: %+v, %v: want to listen, and no interval", x.m, d, err)
		}
		var means []float64
		for _, workers := range []int{1, 3} {
			r, err := eval.Rollouts(t.Context(), x.m, found.Policy, eval.Options{Episodes: 6, Horizon: 10, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			means = append(means, r.Mean)
		}
		if means[0] != means[1] || means[0] < -8.1 {
			t.Errorf("%T: mean return %v with one worker, %v with three; want the same, above -8.1, that of listening alone", x.m, means[0], means[1])
		}
	}
}

// TestContinuous: where states are not numbered, next states that are near share a node.
func TestContinuous(t *testing.T) {
	p, err := adaops.Solver{}.Pack(envs.LightDarkTiger{Sigma: 0.01, Nodes: 2}, []float64{1, 2, 0}, bcpace.Uniform(2), 0, nil)
	if err != nil || len(p.Means) != 1 || len(p.States) < 2 {
		t.Errorf("%+v, %v: want one node for all", p, err)
	}
}

func TestErrors(t *testing.T) {
	bad := []adaops.Solver{
		{Epsilon: -1}, {Epsilon: math.NaN()}, {Budget: bcpace.Budget{Simulations: -1}}, {Delta: -1}, {Delta: math.NaN()}, {Delta: math.Inf(1)},
		{Delta: 1, NoPacking: true}, {Width: -1},
	}
	plannertest.Refuses(t, envs.Tiger{}, bad)
	for _, s := range bad {
		if _, err := s.Pack(envs.Tiger{}, []float64{0}, bcpace.Uniform(2), 0, nil); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", s, err)
		}
	}
	for _, x := range []struct {
		s      []float64
		b      bcpace.Belief
		action int
	}{{nil, bcpace.Uniform(2), 0}, {[]float64{7}, bcpace.Uniform(2), 0}, {[]float64{0}, bcpace.Uniform(3), 0}, {[]float64{0}, bcpace.Belief{1, 1}, 0}, {[]float64{0}, bcpace.Uniform(2), 3}} {
		if _, err := (adaops.Solver{}).Pack(envs.Tiger{}, x.s, x.b, x.action, nil); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", x, err)
		}
	}
	for _, s := range []adaops.Solver{{Width: 5}, {}} {
		_, err := s.Pack(simulated{}, []float64{0}, bcpace.Uniform(2), 0, nil)
		if bad := new(bcpace.InputError); !errors.As(err, &bad) || bad.What != "the random numbers" {
			t.Errorf("width %d: error %v, want an InputError for the random numbers", s.Width, err)
		}
	}
	plannertest.LacksSupport(t, adaops.Solver{}, plannertest.Dual(t))
	ctx, cancel := context.WithCancel(t.Context())
	_, p := plannertest.Solve(t, adaops.Solver{}, envs.Tiger{})
	cancel()
	if d, err := p.Plan(ctx, []float64{0}, bcpace.Uniform(2), rand.New(rand.NewPCG(1, 1))); !errors.Is(err, context.Canceled) || d.Action < 0 || d.Lower > d.Upper {
		t.Errorf("%+v, error %v: want an action and the error of the context", d, err)
	}
}
