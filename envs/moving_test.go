package envs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// smallMoving are environments whose latents move, small enough for exact values.
func smallMoving(t testing.TB) []bcpace.Finite {
	return []bcpace.Finite{
		madeFinite(t, envs.Battery{Capacity: 4, Cells: 3, Discount: 0.7}),
		madeFinite(t, envs.Wear{Grades: 3, Discount: 0.3}),
		madeFinite(t, envs.Patrol{Phases: 6, Side: 3, Discount: 0.7}),
	}
}

func madeFinite(t testing.TB, env interface{ Model() (bcpace.Finite, error) }) bcpace.Finite {
	t.Helper()
	m, err := env.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMovingAgain makes environments again from their parameters.
func TestMovingAgain(t *testing.T) {
	for _, m := range []bcpace.Model{
		made(t, envs.Battery{Capacity: 4, Cells: 3, Accuracy: 1.0 / 3}), made(t, envs.Wear{Grades: 3, Discount: 0.3}),
		made(t, envs.Patrol{Phases: 7, Side: 3, Round: 5}), made(t, envs.Treatment{Sensitivities: []float64{0.5, 1.0 / 3}, Nodes: 7}),
	} {
		again, err := envs.New(m.Spec().Name, m.Spec().Params)
		if err != nil || !reflect.DeepEqual(again.Spec(), m.Spec()) {
			t.Errorf("made again (error %v), %s describes itself as\n%+v, want\n%+v", err, m.Spec().Name, again.Spec(), m.Spec())
		}
	}
}

// TestMovingBracketsHoldTheOptimum compares certified brackets and those of planners with exact
// dynamic programming over all beliefs within reach.
func TestMovingBracketsHoldTheOptimum(t *testing.T) {
	for _, m := range smallMoving(t) {
		name := m.Spec().Name
		exact, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Tolerance: 0.02})
		if err != nil {
			t.Fatal(err)
		}
		r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Certificate; c.Lower > exact.Value+exact.Error || c.Upper < exact.Value-exact.Error || c.Gap() > 1e-3 {
			t.Errorf("%s: [%v, %v] does not hold %v ± %v, or is open", name, c.Lower, c.Upper, exact.Value, exact.Error)
		}
		if _, err := runs.Verify(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		starts, err := bcpace.StartsOf(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []bcpace.Solver{
			lookahead.Solver{Budget: bcpace.Budget{Simulations: 300}}, adaops.Solver{Budget: bcpace.Budget{Simulations: 300}},
			pomcp.Solver{Budget: bcpace.Budget{Simulations: 3000}},
		} {
			found, err := s.Solve(t.Context(), m, bcpace.Control{})
			if err != nil {
				t.Fatal(err)
			}
			d, err := bcpace.PolicyAbilitiesOf(found.Policy).Plan(t.Context(), starts[0].State, starts[0].Belief, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if d.Lower > exact.Value+exact.Error || d.Upper < exact.Value-exact.Error {
				t.Errorf("%s: %s decides within [%v, %v], which does not hold %v", name, s.Name(), d.Lower, d.Upper, exact.Value)
			}
			span := m.Spec().VMax() - m.Spec().VMin()
			if got := d.Q[d.Action]; math.Abs(got-exact.Value) > 0.05*span {
				t.Errorf("%s: %s expects %v of its action, want %v within 5 %% of the range of values, %v", name, s.Name(), got, exact.Value, span)
			}
		}
	}
}

// TestMovingIsLearned: the policy of Bayes-CPACE earns nearly the optimum where latents move.
func TestMovingIsLearned(t *testing.T) {
	for _, m := range smallMoving(t) {
		r, err := runs.Explore(t.Context(), m, envs.Tuned(m))
		if err != nil {
			t.Fatal(err)
		}
		best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Tolerance: 0.02})
		if err != nil {
			t.Fatal(err)
		}
		earns, err := eval.Evaluate(t.Context(), m, r.Policy(), eval.ExactOptions{Tolerance: 0.02})
		if err != nil {
			t.Fatal(err)
		}
		spec := m.Spec()
		if lost := best.Value - earns.Value; lost > 0.02*(spec.VMax()-spec.VMin())+best.Error+earns.Error {
			t.Errorf("%s: the policy is worth %v after %d samples, the best one %v", spec.Name, earns.Value, r.Samples.Len(), best.Value)
		}
	}
}

// TestBattery plays actions by hand and follows what the gauge and being not stranded tell.
func TestBattery(t *testing.T) {
	const dock, away, work, look = 0, 1, 2, 3
	m := madeFinite(t, envs.Battery{Capacity: 6, Cells: 3, Accuracy: 1})
	x, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(1, 1))
	for charge := 1; charge <= 6; charge++ {
		if err := x.ResetTo(bcpace.OneHot(6, charge-1), rng); err != nil {
			t.Fatal(err)
		}
		left := charge
		for _, a := range []struct {
			action, drain int
			reward        float64
			cell          float64
		}{{look, 0, 0, 2}, {work, 1, 5, 2}, {away, 1, 0, 2}, {dock, 1, 0, 1}, {work, 1, 1, 1}, {dock, 1, 0, 0}, {work, -2, 0, 0}, {look, 0, 0, 0}} {
			left = min(left-a.drain, 6)
			if left == 0 {
				a.reward = -20
			}
			if r, err := x.Step(a.action, rng); err != nil || r != a.reward || x.State[0] != a.cell || x.Done != (left == 0) {
				t.Fatalf("charge %d: action %d earns %v (error %v) in state %v, done %v; want %v in cell %v with %d left", charge, a.action, r, err, x.State, x.Done, a.reward, a.cell, left)
			}
			if x.Done {
				if x.State[1] != 0 {
					t.Errorf("stranded in state %v", x.State)
				}
				break
			}
			if x.Latent != left-1 || x.Belief[left-1] != 1 {
				t.Fatalf("charge %d: latent %d with belief %v, want a charge of %d", charge, x.Latent, x.Belief, left)
			}
			if want := float64(left); a.action == look && x.State[1] != want || a.action != look && x.State[1] != 7 {
				t.Errorf("after action %d the gauge shows %v with a charge of %v", a.action, x.State[1], want)
			}
		}
	}
	// Three actions that have not stranded it tell that it had four units.
	b := bcpace.Uniform(6)
	bayes, at, next := bcpace.NewBayes(m), []float64{2, 7}, []float64{2, 7}
	for range 3 {
		if err := bayes.Update(b, b, at, away, next); err != nil {
			t.Fatal(err)
		}
	}
	if want := (bcpace.Belief{1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0, 0}); b.L1(want) > 1e-12 {
		t.Errorf("belief %v, want %v", b, want)
	}
}

// TestBatteryLooks: with the defaults the optimum looks, and QMDP does not, which costs it much.
func TestBatteryLooks(t *testing.T) {
	m := made(t, envs.Battery{})
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Certificate; c.Lower > 33.635 || c.Upper < 33.625 {
		t.Errorf("[%v, %v], documented as 33.63", c.Lower, c.Upper)
	}
	blind, err := qmdp.Solver{}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	// The return's standard deviation is about 25: its mean is within 2.5 of the documented
	// value but with probability 10⁻⁵.
	got, err := eval.Rollouts(t.Context(), m, blind.Policy, eval.Options{Episodes: 2000, Seed: 1})
	if err != nil || math.Abs(got.Mean-28.8) > 2.5 {
		t.Errorf("QMDP earns %v ± %v (error %v), documented as 28.8", got.Mean, got.StdErr, err)
	}
}

// TestDocumentedValues brackets the optimal values that the documentation names.
func TestDocumentedValues(t *testing.T) {
	for _, x := range []struct {
		m    bcpace.Model
		want float64
	}{{made(t, envs.Wear{}), 20.2}, {made(t, envs.Patrol{}), 7.8}} {
		r, err := sarsop.Solver{Epsilon: 0.1}.Solve(t.Context(), x.m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Certificate; c.Lower > x.want+0.05 || c.Upper < x.want-0.05 || c.Gap() > 0.1 {
			t.Errorf("%s: [%v, %v], documented as %v", x.m.Spec().Name, c.Lower, c.Upper, x.want)
		}
	}
}

// TestWear follows the wear by a sum over all grades, and through maintenance.
func TestWear(t *testing.T) {
	const slow, fast, maintain = 0, 1, 2
	m := made(t, envs.Wear{Grades: 4})
	b := bcpace.Uniform(4)
	bayes := bcpace.NewBayes(m)
	for _, x := range []struct {
		action int
		made   float64 // 1 good, 2 bad
		up     float64
	}{{slow, 1, 0.1}, {fast, 2, 0.4}, {fast, 1, 0.4}, {slow, 2, 0.1}} {
		want, sum := make(bcpace.Belief, 4), 0.0
		for w, p := range b {
			likely := 0.95 - 0.3*float64(w)
			if x.made == 2 {
				likely = 1 - likely
			}
			sum += p * likely
			if w == 3 {
				want[3] += p * likely
				continue
			}
			want[w] += p * likely * (1 - x.up)
			want[w+1] += p * likely * x.up
		}
		for w := range want {
			want[w] /= sum
		}
		if err := bayes.Update(b, b, []float64{0}, x.action, []float64{x.made}); err != nil {
			t.Fatal(err)
		}
		if b.L1(want) > 1e-12 {
			t.Fatalf("belief %v, want %v", b, want)
		}
	}
	if err := bayes.Update(b, b, []float64{1}, maintain, []float64{0}); err != nil || b[0] != 1 {
		t.Errorf("after maintenance the belief is %v (error %v)", b, err)
	}
}

// TestPatrolRounds: a round is a cycle of neighbours on the field.
func TestPatrolRounds(t *testing.T) {
	for round := 1; round < 40; round++ {
		phases, side := 2+round*7%60, 2+round%9
		m := made(t, envs.Patrol{Phases: phases, Side: side, Round: round})
		var cells [][2]int
		for φ, name := range m.Spec().Latents {
			var phase, x, y int
			if _, err := fmt.Sscanf(name, "phase %d at %d, %d", &phase, &x, &y); err != nil || phase != φ {
				t.Fatalf("latent %d is named %q", φ, name)
			}
			if min(x, y) < 0 || max(x, y) >= side {
				t.Fatalf("%s is outside of a field of side %d", name, side)
			}
			cells = append(cells, [2]int{x, y})
		}
		next := bcpace.AbilitiesOf(m).NextLatent
		for φ, cell := range cells {
			to := next(make([]float64, 3), 0, φ)
			steps := math.Abs(float64(cell[0]-cells[to][0])) + math.Abs(float64(cell[1]-cells[to][1]))
			if to != (φ+1)%phases || steps > 1 {
				t.Errorf("round %d of %d phases: %v to %v", round, phases, cell, cells[to])
			}
		}
	}
}

// TestPatrolFinds: a searcher that stays in a cell of the round is found there within a round, and
// the belief follows the target.
func TestPatrolFinds(t *testing.T) {
	m := made(t, envs.Patrol{Phases: 40, Side: 4})
	x, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(2, 2))
	first := slices.IndexFunc(m.Spec().Latents, func(name string) bool {
		var phase, x, y int
		fmt.Sscanf(name, "phase %d at %d, %d", &phase, &x, &y)
		return x == 0 && y == 0
	})
	if first < 0 {
		t.Fatal("the round does not pass the start")
	}
	for episode := range 50 {
		if err := x.Reset(rng); err != nil {
			t.Fatal(err)
		}
		for step := 1; !x.Done; step++ {
			if r, err := x.Step(4, rng); err != nil || x.Done != (r == 10) || step > 40 {
				t.Fatalf("episode %d, step %d: reward %v (error %v) in %v", episode, step, r, err, x.State)
			}
			if x.Belief[x.Latent] == 0 {
				t.Fatalf("the belief has lost the target")
			}
		}
	}
}

// TestTreatment: a dose of half effect changes the severity by −½ points a week, and the policy
// that takes the likeliest sensitivity for certain never treats, nor learns.
func TestTreatment(t *testing.T) {
	m := made(t, envs.Treatment{Sensitivities: []float64{2}})
	spec := m.Spec()
	id, err := spec.ActionID(0, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	const n = 10_000
	s, next, rng, sum := []float64{5}, []float64{0}, rand.New(rand.NewPCG(1, 1)), 0.0
	for range n {
		o := m.Step(next, s, 0, id, rng)
		sum += next[0] - s[0]
		if want := 1 - next[0]/10 - 0.15; math.Abs(o.Reward-want) > 1e-12 {
			t.Fatalf("reward %v in %v, want %v", o.Reward, next, want)
		}
	}
	// Five standard errors.
	if math.Abs(sum/n+0.5) > 5*0.7/math.Sqrt(n) {
		t.Errorf("half the effect moves the severity by %v a week, want −0.5", sum/n)
	}
}

// BenchmarkBeliefOfPhases is an update of a belief over the phases of a patrol.
func BenchmarkBeliefOfPhases(b *testing.B) {
	for _, phases := range []int{100, 1000, 10_000} {
		m := madeFinite(b, envs.Patrol{Phases: phases, Side: 10})
		// Without the method that names the next phase, an update takes rows of probabilities.
		rows := struct {
			bcpace.Finite
			bcpace.LatentDynamics
		}{m, m.(bcpace.LatentDynamics)}
		for name, m := range map[string]bcpace.Model{"named": m, "rows": rows} {
			b.Run(fmt.Sprintf("%s/%d", name, phases), func(b *testing.B) {
				bayes, belief, next := bcpace.NewBayes(m), bcpace.Uniform(phases), make(bcpace.Belief, phases)
				at, heard := []float64{4, 4, 0}, []float64{4, 4, 1}
				b.ReportAllocs()
				for b.Loop() {
					if err := bayes.Update(next, belief, at, 4, heard); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
