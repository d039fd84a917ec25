package discretise_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/discretise"
	"bayescpace/bcpace/internal/plannertest"
)

// TestPolicyHandsOn: the discretePolicy of a policy that plans, remembers or takes long does so too.
//
//test:race
func TestPolicyHandsOn(t *testing.T) {
	m := jumps()
	d := listed(t, m, discretise.Options{Parts: 2})
	const episodes = 3
	simulate := func(p bcpace.Policy) eval.Result {
		t.Helper()
		q, err := d.Policy(p)
		if err != nil {
			t.Fatal(err)
		}
		r, err := hidden.Simulate(t.Context(), m, q, hidden.Options{Episodes: episodes, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain := plannertest.NewRecorder(d.Model)
	if r := simulate(plain); r.Simulations != 0 || plain.Begins+plain.Plans > 0 || plain.Acts != 5*episodes {
		t.Errorf("%+v, %d simulations", *plain.Calls, r.Simulations)
	}
	if q, _ := d.Policy(plain); q != nil {
		if _, plans := q.(hidden.Planner); plans {
			t.Error("a policy that does not plan has become a planner")
		}
	}
	for _, of := range []bcpace.Model{d.Model, bcpace.KeepHorizon(d.Model)} {
		p := plannertest.EpisodicPolicy{Recorder: plannertest.NewRecorder(of)}
		if simulate(bcpace.PolicyOf(of, p)); p.Begins != episodes || p.Observes != 5*episodes || p.Acts != 5*episodes {
			t.Errorf("of a policy with memory: %+v", *p.Calls)
		}
	}
	p := plannertest.Planning{Recorder: plannertest.NewRecorder(d.Model)}
	if r := simulate(p); p.Plans != 5*episodes || r.Simulations != p.Plans {
		t.Errorf("of a planner: %+v, and %d simulations are counted", *p.Calls, r.Simulations)
	}
	long := plannertest.Deciding{Recorder: plannertest.NewRecorder(d.Model)}
	q, err := d.Policy(long)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b, err := hidden.DefaultFilter(m).Begin(m, []float64{0}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Act(ended, []float64{0}, b, rand.New(rand.NewPCG(1, 1))); err == nil || len(long.Contexts) != 1 || long.Contexts[0] != ended {
		t.Errorf("error %v, contexts %v, want those of the call", err, long.Contexts)
	}
}
