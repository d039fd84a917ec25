package choose

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// chosen returns a result in which a solver was chosen.
func chosen(t *testing.T, m bcpace.Model, s bcpace.Solver) *Chosen {
	found, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	x := &Chosen{kind: kindOf(m, false), Tried: []Tried{{Name: s.Name(), Solution: found, Mean: math.NaN(), StdErr: math.NaN()}}}
	x.choose(0)
	return x
}

// TestPlannerLeads: where QMDP never learns, AdaOPS is chosen, the same without a deadline at every run, with a
// certificate of no more episodes than it may play, and who asks what else there is is told its budget.
func TestPlannerLeads(t *testing.T) {
	m := envs.LightDarkTiger{}
	var first *Chosen
	for workers := 1; workers <= 2; workers++ {
		x := chosen(t, m, qmdp.Solver{})
		c := bcpace.Control{Workers: workers}
		if err := x.plan(t.Context(), m, c); err != nil {
			t.Fatal(err)
		}
		if err := x.certify(t.Context(), m, c); err != nil {
			t.Fatal(err)
		}
		p := x.Tried[1]
		if x.Tried[0].Chosen || !p.Chosen || x.Solver.Name() != "adaops" || p.Simulations != leaves || !(p.Mean > 1) || !(x.Value > 1) || !(x.lead > plannerErrs*x.leadErr) {
			t.Fatalf("%+v, lead %v ± %v", x.Tried, x.lead, x.leadErr)
		}
		if n := x.Certificate.Episodes; n > x.affords || !(x.Certificate.Lower <= x.Value) {
			t.Errorf("%+v of %d episodes", x.Certificate, x.affords)
		}
		if next := x.next(m); !strings.Contains(next, "adaops") || !strings.Contains(next, "Budget") || !strings.Contains(p.Earned(), "at every decision") {
			t.Errorf("%q, %q", next, p.Earned())
		}
		if first == nil {
			first = x
		} else if first.Tried[1].Mean != p.Mean || first.Certificate != x.Certificate {
			t.Errorf("%+v, then %+v", first.Certificate, x.Certificate)
		}
	}
}

// TestPlannerSure: a planner that leads plays on until that is sure, and one that does not stops at once; neither plays
// more than it may, and what was played before time is up is kept. The returns are of unit variance.
func TestPlannerSure(t *testing.T) {
	for _, c := range []struct {
		lead          float64
		affords, want int
	}{{1, 2000, 200}, {0.15, 2000, 800}, {-0.1, 2000, 200}, {0.15, 300, 300}, {0.15, 50, 50}} {
		x := &Chosen{Solution: new(bcpace.Solution), affords: c.affords}
		its := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
		play := func(p bcpace.Policy, episodes int, round uint64) (r eval.Result, err error) {
			random := rand.New(rand.NewPCG(round, 2))
			for range episodes {
				r.Returns = append(r.Returns, 0)
				if p != nil {
					r.Returns[len(r.Returns)-1] = c.lead + random.NormFloat64()
				}
			}
			return r, nil
		}
		found, err := x.beside(t.Context(), make([]float64, plannerEpisodes), its, play)
		if err != nil || len(found) != c.want || c.want == 800 && !(x.lead > plannerErrs*x.leadErr) {
			t.Errorf("lead %v: %d episodes, want %d; %v ± %v, %v", c.lead, len(found), c.want, x.lead, x.leadErr, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	x := &Chosen{Solution: new(bcpace.Solution), affords: mostAfforded}
	found, err := x.beside(ended, make([]float64, plannerEpisodes), nil, func(_ bcpace.Policy, _ int, _ uint64) (r eval.Result, err error) {
		end()
		return eval.Result{Returns: []float64{2, 3, 2}}, nil
	})
	if err != nil || len(found) != 3 {
		t.Errorf("%v, %v", found, err)
	}
}

// TestPlannerStays: a planner that leads by nothing worth its time is not chosen, none is tried where time is up,
// nor where it cannot be told apart, as where nothing is listed or there is a control.
func TestPlannerStays(t *testing.T) {
	x := chosen(t, envs.Tiger{}, qmdp.Solver{}) // the best policy of Tiger
	if err := x.plan(t.Context(), envs.Tiger{}, bcpace.Control{}); err != nil || !x.Tried[0].Chosen || x.Solver.Name() != "qmdp" {
		t.Errorf("%+v, %v", x.Tried, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	x = chosen(t, envs.LightDarkTiger{}, qmdp.Solver{})
	if err := x.plan(ended, envs.LightDarkTiger{}, bcpace.Control{}); err != nil || len(x.Tried) != 1 {
		t.Errorf("%+v, %v", x.Tried, err)
	}
	control, err := envs.New("dual-control", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []bcpace.Model{control, struct{ bcpace.Model }{envs.Tiger{}}} {
		if kindOf(m, false).plans() {
			t.Errorf("%s has a planner", m.Spec().Name)
		}
	}
	x = chosen(t, struct{ bcpace.Model }{envs.Tiger{}}, cpace.Solver{Epsilon: 100, MaxSamples: 3})
	if next := x.next(struct{ bcpace.Model }{envs.Tiger{}}); !strings.Contains(next, "pomcpow") {
		t.Errorf("%q", next)
	}
}
