package pac_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/pac"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TestAuditByHand counts what an audit counts, step by step from the definitions: the
// policy of a moment is that of an exploration cut there, values are those of
// eval.Optimal and eval.Evaluate from the present state and belief, and P(E_K) is the
// sum over all that may be heard within T steps.
func TestAuditByHand(t *testing.T) {
	m := envs.Tiger{Ends: true, Discount: 0.6}
	for name, o := range map[string]cpace.Solver{
		"plain": {Epsilon: 0.3, LipQ: 60, K: 2, Seed: 1, Patience: 10},
		// Seeds reach from 0.08, between the distances of two growls more on one side
		// and of one, 0.0604 and 0.3; half of it would not do.
		"seeded": {Epsilon: 0.5, LipQ: 0.5 / (0.08 * 1.6), K: 3, Seed: 2, Patience: 10, SeedOneHot: true},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := pac.NewAudit(t.Context(), m, o, pac.AuditOptions{})
			if err != nil {
				t.Fatal(err)
			}
			c := counter{t: t, m: m, o: o, horizon: int(math.Ceil(a.Analysis.Horizon))}
			c.count(a)
			if c.steps != a.Steps || c.belowEpsilon != a.BelowEpsilon || c.belowGuarantee != a.BelowGuarantee || c.escapeSteps != a.EscapeSteps || c.escapes != a.Escapes {
				t.Errorf("by hand %+v, audited %d, %d, %d, %d, %d", c, a.Steps, a.BelowEpsilon, a.BelowGuarantee, a.EscapeSteps, a.Escapes)
			}
			if a.BelowEpsilon < a.BelowGuarantee || name == "plain" && a.BelowEpsilon == a.BelowGuarantee || a.BelowGuarantee == 0 || a.EscapeSteps < a.Escapes {
				t.Errorf("counts %d, %d, %d, %d tell nothing apart", a.BelowEpsilon, a.BelowGuarantee, a.EscapeSteps, a.Escapes)
			}
			if !(a.Accuracy > 0 && a.Accuracy <= 1.2e-4) { // the tolerance is 1e-6 of the range 110
				t.Errorf("accuracy %v", a.Accuracy)
			}
			// Of the beliefs, those of k = −1, 0 and 1 growls more lie beyond the seeds;
			// they are farther apart than ε/L_Q̃, and there are three actions.
			if s := a.Analysis.Setting; o.SeedOneHot && (!s.Seeded || s.Reduced != 9) {
				t.Errorf("N′ = %v, want 9", s.Reduced)
			}
		})
	}
}

// counter plays an exploration of Tiger again.
type counter struct {
	t       *testing.T
	m       envs.Tiger
	o       cpace.Solver
	horizon int

	policy  func(s []float64, b bcpace.Belief) (action int, known bool)
	gaps    map[string]float64
	escaped map[string]float64

	steps, belowEpsilon, belowGuarantee, escapeSteps, escapes int
}

func (c *counter) count(a *pac.Audit) {
	c.o.CertificateEpisodes = -1
	row, samples := 0, 0
	var measured pac.PolicyRow
	finish := func() {
		r := a.Policies[row]
		n := float64(measured.Steps)
		if r.Samples != samples || r.Steps != measured.Steps || measured.Steps > 0 && (!alike(r.MaxGap, measured.MaxGap) || !alike(r.MaxEscape, measured.MaxEscape) ||
			!alike(r.MeanGap, measured.MeanGap/n) || !alike(r.MeanEscape, measured.MeanEscape/n)) {
			c.t.Fatalf("policy %d: by hand %+v of %d samples, audited %+v", row, measured, samples, r)
		}
		row, measured = row+1, pac.PolicyRow{}
	}
	c.cut(samples)
	for episode, e := range a.Run.Trace {
		rng := rand.New(rand.NewPCG(c.o.Seed, uint64(episode)))
		sim := bcpace.NewSimulator(c.m)
		if err := sim.Reset(rng); err != nil {
			c.t.Fatal(err)
		}
		for range e.Steps {
			gap, escape := c.gap(sim.State, sim.Belief), c.escape(sim.State, sim.Belief, c.horizon)
			action, known := c.policy(sim.State, sim.Belief)
			c.steps++
			if gap > c.o.Epsilon {
				c.belowEpsilon++
			}
			if gap > 7*c.o.Epsilon/(1-c.m.Discount) {
				c.belowGuarantee++
			}
			if escape > c.o.Epsilon/110 { // Qmax = 110/(1−γ)
				c.escapeSteps++
			}
			measured.Steps++
			measured.MeanGap, measured.MeanEscape = measured.MeanGap+gap, measured.MeanEscape+escape
			measured.MaxGap, measured.MaxEscape = max(measured.MaxGap, gap), max(measured.MaxEscape, escape)
			if _, err := sim.Step(action, rng); err != nil {
				c.t.Fatal(err)
			}
			if !known {
				c.escapes++
				finish()
				samples++
				c.cut(samples)
			}
		}
	}
	finish()
	if row != len(a.Policies) {
		c.t.Errorf("%d policies, want %d", len(a.Policies), row)
	}
}

// alike allows for the tolerances of the audit and of eval.
func alike(x, y float64) bool { return math.Abs(x-y) < 1e-3 }

// cut takes the policy of an exploration with so many samples.
func (c *counter) cut(samples int) {
	c.gaps, c.escaped = map[string]float64{}, map[string]float64{}
	if samples == 0 {
		q, err := dp.SolveLatent(c.t.Context(), c.m)
		if err != nil {
			c.t.Fatal(err)
		}
		radius := c.o.Epsilon / (c.o.LipQ * (1 + c.m.Discount))
		c.policy = func(s []float64, b bcpace.Belief) (action int, known bool) {
			sure := 0
			if b[1] > b[0] {
				sure = 1
			}
			known = c.o.SeedOneHot && 2*b[1-sure] <= radius
			best := math.Inf(-1)
			for a := range 3 {
				v := max(q.Q(s, 0, a), q.Q(s, 1, a)) // the best case, where neither is ruled out
				if known {
					v = q.Q(s, sure, a)
				}
				if v > best {
					best, action = v, a
				}
			}
			return action, known
		}
		return
	}
	o := c.o
	o.MaxSamples = samples
	r, err := runs.Explore(c.t.Context(), c.m, o)
	if err != nil || r.Samples.Len() != samples {
		c.t.Fatal(err)
	}
	c.policy = func(s []float64, b bcpace.Belief) (int, bool) {
		_, a := r.At(s, b)
		_, known := r.Q(s, b, a)
		return a, known
	}
}

// key tells beliefs apart that are some growls apart.
func key(b bcpace.Belief, left int) string { return fmt.Sprintf("%d %.9f", left, b[0]) }

// acting is a policy for eval.
type acting func(s []float64, b bcpace.Belief) (int, bool)

func (p acting) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int { a, _ := p(s, b); return a }

func (c *counter) gap(s []float64, b bcpace.Belief) float64 {
	if v, ok := c.gaps[key(b, 0)]; ok {
		return v
	}
	o := eval.ExactOptions{State: s, Belief: b, Tolerance: 1e-5}
	best, err := eval.Optimal(c.t.Context(), c.m, o)
	if err != nil {
		c.t.Fatal(err)
	}
	got, err := eval.Evaluate(c.t.Context(), c.m, acting(c.policy), o)
	if err != nil {
		c.t.Fatal(err)
	}
	c.gaps[key(b, 0)] = best.Value - got.Value
	return best.Value - got.Value
}

// escape is the probability of an unknown query within so many steps.
func (c *counter) escape(s []float64, b bcpace.Belief, left int) float64 {
	if left == 0 {
		return 0
	}
	action, known := c.policy(s, b)
	if !known {
		return 1
	}
	if action > 0 { // a door ends the episode
		return 0
	}
	k := key(b, left)
	if v, ok := c.escaped[k]; ok {
		return v
	}
	v := 0.0
	for heard := range 2 {
		like := bcpace.Belief{0.15, 0.15}
		like[heard] = 0.85
		p := b[0]*like[0] + b[1]*like[1]
		v += p * c.escape([]float64{float64(heard + 1)}, bcpace.Belief{b[0] * like[0] / p, b[1] * like[1] / p}, left-1)
	}
	c.escaped[k] = v
	return v
}

// TestAuditAccuracy: however coarse the values, the last gap is within Accuracy of
// that of exact evaluation.
func TestAuditAccuracy(t *testing.T) {
	m, o := envs.Tiger{}, cpace.Solver{Epsilon: 8, LipQ: 60, K: 3, Seed: 1, Patience: 10}
	best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wide := 0.0
	for _, tolerance := range []float64{0, 0.1, 20} {
		a, err := pac.NewAudit(t.Context(), m, o, pac.AuditOptions{Tolerance: tolerance})
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.Evaluate(t.Context(), m, a.Run.Policy(), eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		last := a.Policies[len(a.Policies)-1].StartGap
		if off := math.Abs(last - (best.Value - got.Value)); off > a.Accuracy+2e-4 {
			t.Errorf("tolerance %v: gap %v is off by %v, accuracy %v", tolerance, last, off, a.Accuracy)
		}
		if a.Accuracy < wide {
			t.Errorf("accuracy %v at tolerance %v, %v at a smaller one", a.Accuracy, tolerance, wide)
		}
		wide = a.Accuracy
	}
	if wide < 0.1 {
		t.Errorf("accuracy %v where values may be off by 20", wide)
	}
}

// TestSettingOf: R̄ is the range of rewards with 0, as it is where an episode ends and
// 0 is all that follows, and L_Q is that of Explore.
func TestSettingOf(t *testing.T) {
	for _, c := range []struct{ low, high, rMax float64 }{{2, 3, 3}, {-3, -2, 3}, {-1, 4, 5}, {2, 2, 2}, {0, 0, 0}} {
		m, err := bcpace.FromTables(bcpace.Tables{Name: "one state", Discount: 0.5, Prior: []float64{1}, Start: []float64{1},
			P: [][][][]float64{{{{1}}, {{1}}}}, R: [][][]float64{{{c.low}, {c.high}}}})
		if err != nil {
			t.Fatal(err)
		}
		o := cpace.Solver{Epsilon: 0.1}
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		if x := pac.SettingOf(m, o, 0.1, 7); x.RMax != c.rMax || x.LipQ != r.LipQ()/2 || x.K != 1 || x.Batch != 1 || x.Cover != 7 || x.Delta != 0.1 || x.Discount != 0.5 || x.Epsilon != 0.1 {
			t.Errorf("rewards from %v to %v: %+v, want Rmax %v and L_Q %v", c.low, c.high, x, c.rMax, r.LipQ()/2)
		}
	}
}
