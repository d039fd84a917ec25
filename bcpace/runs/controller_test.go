package runs_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// counting is a policy for Tiger that does not read the belief: it counts what it hears, and opens the
// door opposite to it once one side is ahead by two.
type counting struct {
	calls *calls
	ahead int // growls from the left less those from the right
}

type calls struct{ begins, acts, observes atomic.Int64 }

func (c *counting) Fork() bcpace.Policy { return &counting{calls: c.calls} }

func (c *counting) Begin([]float64, bcpace.Belief) {
	c.calls.begins.Add(1)
	c.ahead = 0
}

func (c *counting) Act([]float64, bcpace.Belief, *rand.Rand) int {
	c.calls.acts.Add(1)
	switch {
	case c.ahead >= 2:
		return 2
	case c.ahead <= -2:
		return 1
	}
	return 0
}

func (c *counting) Observe(action int, _ float64, next []float64) {
	c.calls.observes.Add(1)
	switch {
	case action != 0:
		c.ahead = 0
	case next[0] == 1:
		c.ahead++
	case next[0] == 2:
		c.ahead--
	}
}

// A controller with memory is simulated with it: it is told of every episode and of every step, as by
// eval.Rollouts, it earns the same, and the run verifies.
func TestControllerRemembers(t *testing.T) {
	for name, m := range map[string]bcpace.Model{"tiger": envs.Tiger{}, "with a horizon": shortTiger{}} {
		plain, err := eval.Rollouts(t.Context(), m, &counting{calls: &calls{}}, eval.Options{Episodes: 2000})
		if err != nil {
			t.Fatal(err)
		}
		p := &counting{calls: &calls{}}
		told := func(what string) {
			t.Helper()
			// Tiger does not end, so that a step is told after every action, but for the last of the
			// steps left where a state has them.
			begins, acts, observes := p.calls.begins.Load(), p.calls.acts.Load(), p.calls.observes.Load()
			want := acts
			if m.Spec().Horizon > 0 {
				want -= begins
			}
			if begins == 0 || acts != begins*int64(plain.Horizon) || observes != want {
				t.Errorf("%s, %s: %d times Begin, %d Act and %d Observe in episodes of %d steps", name, what, begins, acts, observes, plain.Horizon)
			}
		}
		found, err := cpace.Solver{Epsilon: 10, Bound: cpace.BoundConstant, MaxSamples: 20, CertificateEpisodes: 100, Controller: p}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		told("solved")
		r := runs.Of(found)
		for _, x := range r.Choice.Tried {
			if x.Name == "controller" && !(math.Abs(x.Mean-plain.Mean) < 5*math.Hypot(x.StdErr, plain.StdErr)) {
				t.Errorf("%s: as a controller it earns %v ± %v, played alone %v ± %v", name, x.Mean, x.StdErr, plain.Mean, plain.StdErr)
			}
		}
		if _, err := runs.Verify(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		told("verified")
		if r.Choice.Name() != "controller" {
			continue
		}
		if _, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 20}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		told("evaluated")
	}
}

// slow is a policy whose decision lasts until its context ends.
type slow struct {
	end   func()
	loose *atomic.Bool // it was asked without an end
}

func (p slow) Act([]float64, bcpace.Belief, *rand.Rand) int {
	p.loose.Store(true)
	return 0
}

func (p slow) Decide(ctx context.Context, _ []float64, _ bcpace.Belief, _ *rand.Rand) (int, error) {
	if p.end(); ctx.Done() == nil {
		p.loose.Store(true)
	} else {
		<-ctx.Done()
	}
	return 0, ctx.Err()
}

// Time ends the decisions of a slow controller, and what it was about to decide does not count.
//
//test:race
func TestSlowController(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := slow{end: cancel, loose: new(atomic.Bool)}
	r, err := runs.Explore(ctx, envs.Tiger{}, cpace.Solver{Epsilon: 10, Bound: cpace.BoundConstant, MaxSamples: 20, CertificateEpisodes: 100, Controller: p})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Choice.Tried {
		if x.Name == "controller" && x.Episodes > 0 {
			t.Errorf("%d episodes of a controller that decides nothing", x.Episodes)
		}
	}
	if p.loose.Load() || ctx.Err() == nil {
		t.Error("a decision had no end, or there was none")
	}
}

// Between the steps of a controller time is looked at, if its decisions cannot be ended.
//
//test:race
func TestControllerEndsBetweenSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var late atomic.Int64
	p := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int {
		if ctx.Err() != nil {
			late.Add(1)
		}
		cancel()
		return 0
	})
	const workers = 2
	_, err := cpace.Solver{Epsilon: 10, Bound: cpace.BoundConstant, MaxSamples: 20, CertificateEpisodes: 100, Controller: p}.Solve(ctx, envs.Tiger{}, bcpace.Control{Workers: workers})
	if n := late.Load(); err != nil || n >= workers {
		t.Errorf("%d actions after the time was up, error %v", n, err)
	}
}
