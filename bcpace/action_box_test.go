package bcpace_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/baseline/pomdplite"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

// boxes draws a Spec with one to four actions, some of which have a Box.
func boxes(t *rapid.T) bcpace.Spec {
	spec := bcpace.Spec{Name: "boxes", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Latents: []string{"one"}, Discount: 0.9, RewardMax: 1}
	for i := range rapid.IntRange(1, 4).Draw(t, "actions") {
		a := bcpace.Action{Name: string(rune('a' + i))}
		for j := range rapid.IntRange(0, 3).Draw(t, "axes") {
			lo := envtest.Evenly(-1e3, 1e3).Draw(t, "Min")
			axis := bcpace.Axis{Name: string(rune('u' + j)), Min: lo, Max: lo + rapid.Float64Range(1e-3, 1e3).Draw(t, "length")}
			if rapid.Bool().Draw(t, "round") {
				axis.Period = axis.Max - axis.Min
			}
			a.Box = append(a.Box, axis)
		}
		spec.Actions = append(spec.Actions, a)
	}
	return spec
}

// TestActionIDs: ids stand for the control that they are made of, to half the distance of
// two places, ends and middles exactly; the id of that is the same one.
func TestActionIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := boxes(t)
		if err := spec.Validate(); err != nil {
			t.Fatal(err)
		}
		index := rapid.IntRange(0, len(spec.Actions)-1).Draw(t, "index")
		box := spec.Actions[index].Box
		u, v := make([]float64, len(box)), make([]float64, 3)
		share := make([]float64, len(box))
		for i, a := range box {
			share[i] = rapid.OneOf(envtest.Evenly(0, 1), rapid.SampledFrom([]float64{0, 0.25, 0.5, 1})).Draw(t, "share")
			u[i] = min(a.Min+share[i]*(a.Max-a.Min), a.Max)
		}
		id, err := spec.ActionID(index, u)
		if err != nil {
			t.Fatal(err)
		}
		got, w := spec.Control(v, id)
		if got != index || len(w) != len(box) || !spec.IsAction(id) {
			t.Fatalf("id %d of action %d and control %v is action %d with control %v", id, index, u, got, w)
		}
		for i, a := range box {
			d, length := math.Abs(w[i]-u[i]), a.Max-a.Min
			if a.Period > 0 {
				d = min(d, length-d)
			}
			if d > length/(1<<19)+1e-12*(math.Abs(a.Min)+length) || share[i] == 0.5 && d > 1e-12*(math.Abs(a.Min)+length) {
				t.Fatalf("axis %d: control %v became %v", i, u[i], w[i])
			}
		}
		if again, err := spec.ActionID(index, w); err != nil || again != id {
			t.Fatalf("control %v of id %d has id %d (error %v)", w, id, again, err)
		}
		for range 20 {
			if id := spec.DrawAction(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))); !spec.IsAction(id) {
				t.Fatalf("DrawAction returned %d, no action", id)
			}
		}
		for range 20 { // whatever the bits, an id is none or is what ActionID makes
			id := int(rapid.Int64().Draw(t, "bits"))
			if index, w := spec.Control(v, id); index >= 0 {
				if again, err := spec.ActionID(index, w); err != nil || again != id {
					t.Fatalf("id %d is action %d with control %v, whose id is %d (%v)", id, index, w, again, err)
				}
			}
		}
	})
}

// TestActionIDErrors: a control outside of the box is an error, never clipped.
func TestActionIDErrors(t *testing.T) {
	spec := dual(t).Spec()
	for _, x := range []struct {
		index int
		u     []float64
		words string
	}{
		{0, []float64{1.001}, "the u of action \"push\" is 1.001, want a number within [-1, 1]"},
		{0, []float64{math.NaN()}, "the u of action \"push\" is NaN"},
		{0, nil, "0 long, want 1, one entry for each axis"},
		{1, nil, "the index of an action is 1, want one from 0 to 0"},
	} {
		if _, err := spec.ActionID(x.index, x.u); err == nil || !strings.Contains(err.Error(), x.words) {
			t.Errorf("ActionID(%d, %v): error %v, want %q", x.index, x.u, err, x.words)
		}
	}
	out := bcpace.ControlPolicy(dual(t), func(u, s []float64, _ bcpace.Belief) { u[0] = 3 })
	for _, p := range []bcpace.Policy{out, bcpace.PolicyOf(bcpace.KeepHorizon(dual(t)), out)} {
		_, err := eval.Rollouts(t.Context(), dual(t), p, eval.Options{Episodes: 3})
		if err == nil || !strings.Contains(err.Error(), `the u of action "push" is 3, want a number within [-1, 1]`) {
			t.Errorf("a policy outside of the box: error %v", err)
		}
	}
}

// TestControllerErrors: a controller where none has a place is refused before any search.
func TestControllerErrors(t *testing.T) {
	rest := bcpace.ControlPolicy(dual(t), func(u, _ []float64, _ bcpace.Belief) { u[0] = 0 })
	if _, err := (certified.Solver{Epsilon: 0.5, Controller: rest}).Solve(t.Context(), dual(t), bcpace.Control{}); err == nil || !strings.Contains(err.Error(), "cpace.Solver takes it") {
		t.Errorf("certified with a controller: error %v", err)
	}
	tiger := bcpace.ControlPolicy(envs.Tiger{}, func([]float64, []float64, bcpace.Belief) {})
	if _, err := eval.Rollouts(t.Context(), envs.Tiger{}, tiger, eval.Options{Episodes: 3}); err == nil || !strings.Contains(err.Error(), "want an action with a Box") {
		t.Errorf("a ControlPolicy without a Box: error %v", err)
	}
}

func TestBoxErrors(t *testing.T) {
	axis := bcpace.Axis{Name: "u", Min: -1, Max: 1}
	with := func(change func(*bcpace.Axis)) []bcpace.Axis {
		a := axis
		change(&a)
		return []bcpace.Axis{a}
	}
	for words, box := range map[string][]bcpace.Axis{
		"0 axes, want 1 to 3":                        {},
		"4 axes, want 1 to 3":                        {axis, axis, axis, axis},
		"want two finite numbers, the lower one":     with(func(a *bcpace.Axis) { a.Min = 2 }),
		"differ by more than rounding":               with(func(a *bcpace.Axis) { a.Min = math.Nextafter(1, 0) }),
		"another name than the axes before it":       {axis, axis},
		"want two numbers that differ":               with(func(a *bcpace.Axis) { a.Min = 1 }),
		"whole ones are actions of their own":        with(func(a *bcpace.Axis) { a.Discrete = true }),
		"Scale of Box[0] of action \"push\" is +Inf": with(func(a *bcpace.Axis) { a.Scale = math.Inf(1) }),
		"Box[0] of action \"push\".Name is \"\"":     with(func(a *bcpace.Axis) { a.Name = "" }),
	} {
		spec := dual(t).Spec()
		spec.Actions = []bcpace.Action{{Name: "push", Box: box}}
		if err := spec.Validate(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want %q", err, words)
		}
	}
}

func dual(t testing.TB) bcpace.Enumerator {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBoxesNeedAList: what loops over a list of actions refuses boxes, and says what to do.
func TestBoxesNeedAList(t *testing.T) {
	ctx := t.Context()
	var unsupported *bcpace.UnsupportedError
	for name, do := range map[string]func(bcpace.Model) error{
		"sarsop":      func(m bcpace.Model) error { _, err := sarsop.Solver{}.Solve(ctx, m, bcpace.Control{}); return err },
		"pbvi":        func(m bcpace.Model) error { _, err := pointbased.PBVI{}.Solve(ctx, m, bcpace.Control{}); return err },
		"perseus":     func(m bcpace.Model) error { _, err := pointbased.Perseus{}.Solve(ctx, m, bcpace.Control{}); return err },
		"POMDP-lite":  func(m bcpace.Model) error { _, err := pomdplite.Solver{}.Solve(ctx, m, bcpace.Control{}); return err },
		"SolveLatent": func(m bcpace.Model) error { _, err := dp.SolveLatent(ctx, m); return err },
		"Evaluate": func(m bcpace.Model) error {
			_, err := eval.Evaluate(ctx, m, bcpace.RandomPolicy(m), eval.ExactOptions{})
			return err
		},
	} {
		if err := do(dual(t)); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "Discretised makes one") {
			t.Errorf("%s: error %v, want one that names Discretised", name, err)
		}
	}
}

// TestDiscretised: the list has the controls at equal distances, and is worth no more than
// the box, and at least what a part of it is worth.
func TestDiscretised(t *testing.T) {
	m := dual(t)
	list, err := bcpace.Discretised(m, 5)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range list.Spec().Actions {
		names = append(names, a.Name)
	}
	if want := []string{"push(u=-1)", "push(u=-0.5)", "push(u=0)", "push(u=0.5)", "push(u=1)"}; !slices.Equal(names, want) {
		t.Errorf("actions %v, want %v", names, want)
	}
	if err := check.Model(list, check.Options{}); err != nil {
		t.Error(err)
	}
	room, err := bcpace.Discretised(envs.LightDarkTiger{AnyHeading: true}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(room.Spec().Actions); n != 4 {
		t.Errorf("%d headings, want 4: round the period, the last point is not the first", n)
	}
	for _, points := range []int{1, -1, 1 << 20} {
		if _, err := bcpace.Discretised(m, points); err == nil {
			t.Errorf("Discretised with %d points: no error", points)
		}
	}
	if _, err := bcpace.Discretised(envs.Tiger{}, 5); err == nil || !strings.Contains(err.Error(), "want 0, as no action has a Box") {
		t.Errorf("points for a model without boxes: error %v", err)
	}
	if same, err := bcpace.Discretised(envs.Tiger{}, 0); err != nil || same != bcpace.Model(envs.Tiger{}) {
		t.Errorf("a model without boxes became %v (error %v)", same, err)
	}
}

// TestBoxPolicies: the policy of a list in place of boxes plays the model with the boxes,
// and earns the same there as in the model with the list.
func TestBoxPolicies(t *testing.T) {
	m := dual(t)
	x, err := qmdp.Solver{ControlPoints: 5}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := bcpace.Discretised(m, 5)
	if err != nil {
		t.Fatal(err)
	}
	o := eval.Options{Episodes: 50, Horizon: 20, Seed: 1}
	a, err1 := eval.Rollouts(t.Context(), m, x.Policy, o)
	b, err2 := eval.Rollouts(t.Context(), list, x.Policy, o)
	if err := errors.Join(err1, err2); err != nil || !slices.Equal(a.Returns, b.Returns) {
		t.Errorf("the policy earns %v in the model and %v in the one with the list (error %v)", a.Mean, b.Mean, err)
	}
}

// TestCertifiedOnBoxes: the policy for an unknown gain probes, and its run comes back from
// a file. The optimum is 9.372, by dynamic programming on a fine grid.
func TestCertifiedOnBoxes(t *testing.T) {
	m, err := envs.DualControl{Nodes: 5}.Model()
	if err != nil {
		t.Fatal(err)
	}
	s := certified.Solver{Epsilon: 0.5, ControlPoints: 5, CertificateEpisodes: 1000, Grid: dp.GridOptions{MaxPoints: 33}}
	run, err := runs.Explore(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	if c := run.Certificate; !(c.Lower > 9.1 && c.Lower < 9.38 && c.Upper > 9.37) {
		t.Errorf("certificate %+v, want one round 9.372", c)
	}
	again, err := runs.Read(bytes.NewReader(runtest.Bytes(t, run)), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Verify(t.Context(), again); err != nil {
		t.Error(err)
	}
	r, err := eval.Rollouts(t.Context(), m, again.Policy(), eval.Options{Episodes: 2000, Horizon: 60})
	if err != nil || r.Mean < 9.15 {
		t.Errorf("the policy read back earns %v (error %v)", r.Mean, err)
	}
}

// TestCertifiedOnCoarseBoxes: the certificate counts what the list of controls misses. The
// best control is 0.3, and the value of that at every step is 10; the best of −1, 0 and 1 earns 9.1.
func TestCertifiedOnCoarseBoxes(t *testing.T) {
	m := arm(t, 0)
	run, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.1, ControlPoints: 3, CertificateEpisodes: 100, Grid: dp.GridOptions{MaxPoints: 9}})
	if err != nil {
		t.Fatal(err)
	}
	if c := run.Certificate; !(c.Lower < 9.2 && c.Upper >= 10 && c.Upper < 12) || !strings.Contains(c.Assumes, "list") {
		t.Errorf("certificate %+v, want one that contains 10 and names the list", c)
	}
}

// arm is a bandit with a continuous arm.
func arm(t *testing.T, horizon int) bcpace.Enumerator {
	t.Helper()
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "arm", Discount: 0.9, Horizon: horizon, RewardMin: -2, RewardMax: 3, Latents: []string{"only"},
			Axes:    []bcpace.Axis{{Name: "x", Min: -1, Max: 1}},
			Actions: []bcpace.Action{{Name: "pull", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}}},
		Starts: [][]float64{{0}}, Sigma: []float64{0.2}, Nodes: 3,
		MeanAt:   func(mean, s []float64, _, _ int, _ []float64) { mean[0] = s[0] },
		RewardAt: func(_ []float64, _, _ int, u, _ []float64) float64 { return 1 - (u[0]-0.3)*(u[0]-0.3) }})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAlgorithm1OnCoarseBoxes: the bound of Algorithm 1 counts what its list of controls
// misses. The reward is 1 − (u − peak)², whatever the state, so that the value is 10.
func TestAlgorithm1OnCoarseBoxes(t *testing.T) {
	for _, points := range []int{2, 3, 6} {
		m := arm(t, 0)
		run, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1, LipQ: 1, K: 1, MaxSamples: 20, ControlPoints: points, CertificateEpisodes: 50, Grid: dp.GridOptions{MaxPoints: 9}})
		if err != nil {
			t.Fatal(err)
		}
		if c := run.Certificate; !(c.Upper > 10-1e-3 && c.Upper < 12) {
			t.Errorf("%d points: certificate %+v, want one that contains 10", points, c)
		}
	}
}

// TestFinerListsOfBoxes: a model with boxes has finer lists of successors and, as a list with
// the steps left too, of controls.
func TestFinerListsOfBoxes(t *testing.T) {
	m := dual(t)
	if finer := bcpace.AbilitiesOf(m).FinerList; finer == nil || finer() == nil {
		t.Error("no finer list of successors")
	}
	list, err := bcpace.Discretised(m, 3)
	if err != nil {
		t.Fatal(err)
	}
	if f := bcpace.AbilitiesOf(list).FinerList(); f == nil || len(f.Spec().Actions) != 3 {
		t.Errorf("the finer list of successors of a list of controls is %v", f)
	}
	short, err := bcpace.Discretised(arm(t, 4), 3)
	if err != nil {
		t.Fatal(err)
	}
	if f := solverkit.FinerControls(bcpace.KeepHorizon(short).(bcpace.Enumerator)); f == nil || len(f.Spec().Actions) != 5 || len(f.Spec().Axes) != 2 {
		t.Errorf("the finer list of controls with the steps left is %v", f)
	}
}

// TestNumberedBoxes: what is proved of a list is not proved of the box, so solvers that make
// the list themselves refuse numbered states.
func TestNumberedBoxes(t *testing.T) {
	spec := bcpace.Spec{Name: "aim", Discount: 0.9, RewardMin: -2, RewardMax: 1, Latents: []string{"only"},
		Axes:    []bcpace.Axis{{Name: "x", Max: 1, Discrete: true}},
		Actions: []bcpace.Action{{Name: "aim", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}}}
	m, err := bcpace.FromFuncs(bcpace.Funcs{Spec: spec,
		StepAt: func(next, s []float64, _, _ int, u []float64, _ *rand.Rand) bcpace.Outcome {
			next[0] = 1 - s[0]
			return bcpace.Outcome{Reward: 1 - (u[0]-0.3)*(u[0]-0.3)}
		},
		LogLikelihoodAt: func([]float64, int, []float64, []float64, int) float64 { return 0 },
		SuccessorsAt: func(z *bcpace.Successors, s []float64, _ int, u []float64) {
			next, p, r := z.Add(false)
			next[0], p[0], r[0] = 1-s[0], 1, 1-(u[0]-0.3)*(u[0]-0.3)
		}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []bcpace.Solver{qmdp.Solver{}, certified.Solver{Epsilon: 0.1}} {
		if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.UnsupportedError)) || !strings.Contains(err.Error(), "Discretised") {
			t.Errorf("%s: error %v, want one that names Discretised", s.Name(), err)
		}
		list, err := bcpace.Discretised(m, 5)
		if err != nil {
			t.Fatal(err)
		}
		if x, err := s.Solve(t.Context(), list, bcpace.Control{}); err != nil || x.Certificate.UpperBy != bcpace.ByProof {
			t.Errorf("%s on the list: %+v (error %v)", s.Name(), x, err)
		}
	}
	run, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 0.5, MaxSamples: 50})
	if err != nil || run.Certificate.UpperBy == bcpace.ByProof || run.Certificate.Upper < 10 && !strings.Contains(run.Certificate.Assumes, "list") {
		t.Errorf("Algorithm 1: certificate %+v (error %v), want one that assumes a list", run.Certificate, err)
	}
}

// TestCheckOfBoxes: a likelihood that ignores the control is found.
func TestCheckOfBoxes(t *testing.T) {
	spec := dual(t).Spec()
	push := func(s []float64, latent int, u []float64) float64 {
		return s[0] + []float64{1, -1}[latent]*u[0]
	}
	f := bcpace.Funcs{Spec: spec,
		StepAt: func(next, s []float64, latent, _ int, u []float64, rng *rand.Rand) bcpace.Outcome {
			next[0] = min(max(push(s, latent, u)+0.5*rng.NormFloat64(), -4), 4)
			return bcpace.Outcome{Reward: 1 - next[0]*next[0]/16}
		},
		LogLikelihoodAt: func(s []float64, _ int, u, next []float64, latent int) float64 {
			switch m := push(s, latent, u); next[0] { // the walls have probabilities, all else a density
			case -4:
				return math.Log(0.5 * math.Erfc((4+m)/0.5/math.Sqrt2))
			case 4:
				return math.Log(0.5 * math.Erfc((4-m)/0.5/math.Sqrt2))
			default:
				return -(next[0] - m) * (next[0] - m) / 0.5
			}
		}}
	sound, err := bcpace.FromFuncs(f)
	if err != nil {
		t.Fatal(err)
	}
	f.LogLikelihoodAt = func(s []float64, _ int, u, next []float64, latent int) float64 {
		d := next[0] - push(s, latent, []float64{1})
		return -2 * d * d
	}
	wrong, err := bcpace.FromFuncs(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Model(wrong, check.Options{}); err == nil {
		t.Error("a likelihood that ignores the control was not found")
	}
	if err := check.Model(sound, check.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := bcpace.FromFuncs(bcpace.Funcs{Spec: spec, Step: func([]float64, []float64, int, int, *rand.Rand) (o bcpace.Outcome) { return }}); err == nil || !strings.Contains(err.Error(), "StepAt") {
		t.Errorf("Step beside a Box: error %v, want one that names StepAt", err)
	}
}

// TestAlgorithm1OnBoxes: a run on boxes comes back from a file, is verified, goes on from a
// checkpoint to the same bits, and does not depend on the number of workers.
//
//test:race
func TestAlgorithm1OnBoxes(t *testing.T) {
	m, err := envs.DualControl{Nodes: 5}.Model()
	if err != nil {
		t.Fatal(err)
	}
	o := cpace.Solver{Epsilon: 0.8, LipQ: 0.5, K: 2, Batch: 10, MaxSamples: 120, ControlPoints: 5, ControlTolerance: 0.05, Grid: dp.GridOptions{MaxPoints: 17},
		Bound: cpace.BoundQMDP, CertificateEpisodes: 20}
	var soFar []byte
	whole, err := o.Explore(t.Context(), m, bcpace.Control{Workers: 1, Checkpoint: func(p bcpace.Progress, w io.WriterTo) {
		if p.Samples > 40 && soFar == nil {
			var b bytes.Buffer
			w.WriteTo(&b)
			soFar = b.Bytes()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := runtest.Bytes(t, whole)
	again, err := runs.Read(bytes.NewReader(file), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Verify(t.Context(), again); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(runtest.Bytes(t, again), file) {
		t.Error("the run that was read back is saved as other bytes")
	}
	part, err := runs.Read(bytes.NewReader(soFar), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := runs.Resume(t.Context(), part, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(runtest.Bytes(t, resumed), file) {
		t.Error("a run that was resumed from a checkpoint has other bytes")
	}
	for i := range min(whole.Samples.Len(), 20) {
		c := whole.Samples.At(i)
		if q, _ := whole.Q(c.State, c.Belief, c.Action); math.IsNaN(q) || q > whole.Upper(c.State, c.Belief, c.Action)+1e-9 {
			t.Errorf("sample %d: value %v, upper bound %v", i, q, whole.Upper(c.State, c.Belief, c.Action))
		}
	}
	if _, err := runs.Explore(t.Context(), envs.Tiger{}, cpace.Solver{Epsilon: 1, ControlPoints: 3}); err == nil || !strings.Contains(err.Error(), "want 0, as no action has a Box") {
		t.Errorf("ControlPoints for a model without boxes: error %v", err)
	}
}

// TestModes: actions with and without a Box stand side by side.
func TestModes(t *testing.T) {
	spec := dual(t).Spec()
	spec.Name, spec.Actions = "modes", []bcpace.Action{{Name: "rest"}, {Name: "push", Box: spec.Actions[0].Box}}
	m, err := bcpace.FromGaussian(bcpace.Gaussian{Spec: spec, Starts: [][]float64{{2}}, Sigma: []float64{0.5}, Nodes: 5,
		MeanAt: func(mean, s []float64, latent, action int, u []float64) {
			mean[0] = s[0]
			if action == 1 {
				mean[0] += []float64{1, -1}[latent] * u[0]
			}
		},
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 { return 1 - next[0]*next[0]/16 }})
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Model(m, check.Options{}); err != nil {
		t.Error(err)
	}
	run, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 0.8, LipQ: 0.5, Batch: 10, MaxSamples: 60, ControlPoints: 5, ControlTolerance: 0.05,
		Grid: dp.GridOptions{MaxPoints: 17}, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if n := run.Samples.Actions(); n[0] == 0 || n[1] == 0 {
		t.Errorf("samples by action: %v, want some of each", n)
	}
}
