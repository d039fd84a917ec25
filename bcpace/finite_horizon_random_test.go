package bcpace_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// paid is the model of one state that pays r at every step.
func paid(t testing.TB, r, discount float64, horizon int) bcpace.Finite {
	t.Helper()
	row := [][][]float64{{{1}}}
	m, err := bcpace.FromTables(bcpace.Tables{Discount: discount, Horizon: horizon, P: [][][][]float64{row, row}, R: [][][]float64{{{r}}, {{r}}}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cut is a model with another discount, other rewards and a horizon.
type cut struct {
	bcpace.Finite
	bcpace.LatentDynamics
	spec bcpace.Spec
	by   float64 // added to each reward
}

func (m cut) Spec() bcpace.Spec { return m.spec }

func (m cut) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := m.Finite.Step(next, s, latent, action, rng)
	out.Reward += m.by
	return out
}

func (m cut) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Finite.Successors(z, s, action)
	for i := range z.Reward {
		z.Reward[i] += m.by
	}
}

type static struct{}

func (static) LatentKind() bcpace.LatentKind                  { return bcpace.Static }
func (static) LatentTransition(_, _ []float64, _, _ int) bool { return false }

// cutModel draws a model with a horizon: of any kind of latent, discounted or not,
// with rewards of both signs, all positive or all negative.
func cutModel(rng *rand.Rand) cut {
	o := randmodel.Options{States: 2 + rng.IntN(3), Latents: 2, Actions: 2, Branch: 1 + rng.IntN(2), Kind: bcpace.LatentKind(rng.IntN(3))}
	m := cut{Finite: randmodel.New(rng, o), by: []float64{0, 11, -11}[rng.IntN(3)]}
	if m.LatentDynamics, _ = m.Finite.(bcpace.LatentDynamics); m.LatentDynamics == nil {
		m.LatentDynamics = static{}
	}
	m.spec = m.Finite.Spec()
	m.spec.Horizon = 1 + rng.IntN(5)
	m.spec.RewardMin, m.spec.RewardMax = m.spec.RewardMin+m.by, m.spec.RewardMax+m.by
	if rng.IntN(2) == 0 {
		m.spec.Discount = 1
	}
	return m
}

// TestHorizonCertified: bounds of models with a horizon hold the optimum of that
// many steps, and the policy earns the lower one in episodes of the model itself.
func TestHorizonCertified(t *testing.T) {
	for i := range uint64(300) {
		rng := rand.New(rand.NewPCG(1, i))
		m := cutModel(rng)
		o := certified.Solver{Epsilon: 1e-3}
		if rng.IntN(3) == 0 {
			s := make([]float64, 1)
			m.StateAt(s, 0)
			o.Starts = []bcpace.StartPoint{{State: s, Belief: bcpace.OneHot(2, rng.IntN(2))}}
		}
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		want, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		slack := want.Error + 1e-9
		c := r.Certificate
		if c.Kind != bcpace.ExactCertificate || !(c.Lower <= want.Value+slack && want.Value <= c.Upper+slack) || c.Gap() > o.Epsilon {
			t.Fatalf("model %d, γ = %v, T = %d: [%v, %v] is %s, the optimum is %v", i, m.spec.Discount, m.spec.Horizon, c.Lower, c.Upper, c.Kind, want.Value)
		}
		for _, on := range []bcpace.Model{m, r.Model()} {
			earned, err := eval.Evaluate(t.Context(), on, r.Policy(), eval.ExactOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if earned.Value < c.Lower-slack {
				t.Fatalf("model %d: the policy earns %v, less than %v", i, earned.Value, c.Lower)
			}
		}
		if i%10 > 0 {
			continue
		}
		var file bytes.Buffer
		if _, err := r.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		back, err := runs.Read(&file, runs.FixedModel(m), nil)
		if err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		if _, err := runs.Verify(t.Context(), back); err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		o.MaxEpisodes = 1
		short, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		o.MaxEpisodes = 0
		on, err := runs.Resume(t.Context(), short, o)
		if err != nil || on.Certificate != c {
			t.Fatalf("model %d: resumed to %v, want %v; error %v", i, on.Certificate, c, err)
		}
	}
}

// TestHorizonPaid: what is certified of three steps is what they pay.
func TestHorizonPaid(t *testing.T) {
	for _, reward := range []float64{1, -1} {
		for discount, want := range map[float64]float64{0.9: 2.71, 1: 3} {
			m := paid(t, reward, discount, 3)
			r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			if c := r.Certificate; math.Abs(c.Lower-reward*want) > 1e-6 || math.Abs(c.Upper-reward*want) > 1e-6 {
				t.Errorf("reward %v, γ = %v: [%v, %v], want %v", reward, discount, c.Lower, c.Upper, reward*want)
			}
			if discount == 1 {
				continue
			}
			r, err = runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1e-3, MaxEpisodes: 200})
			if err != nil {
				t.Fatal(err)
			}
			if c := r.Certificate; math.Abs(r.Value-reward*want) > 1e-3 || c.Lower > reward*want+1e-9 || c.Upper < reward*want-1e-9 {
				t.Errorf("Algorithm 1, reward %v: value %v, [%v, %v], want %v", reward, r.Value, c.Lower, c.Upper, reward*want)
			}
		}
	}
}

// TestHorizonBounds: bounds from tables are refused where they would take no notice
// of the horizon, and hold on the model that counts down.
func TestHorizonBounds(t *testing.T) {
	for i := range uint64(100) {
		m := cutModel(rand.New(rand.NewPCG(2, i)))
		var unsupported *bcpace.UnsupportedError
		if _, err := dp.SolveBounds(t.Context(), m, 0); !errors.As(err, &unsupported) {
			t.Fatalf("model %d: error %v", i, err)
		}
		clock, err := bcpace.FiniteHorizon(m, 100)
		if err != nil {
			t.Fatal(err)
		}
		if i%50 > 0 { // draws take their time
		} else if err := check.Model(clock, check.Options{}); err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		b, err := dp.SolveBounds(t.Context(), clock, 0)
		if err != nil {
			t.Fatal(err)
		}
		want, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		best := func(f func(s []float64, b bcpace.Belief, a int) float64) float64 {
			v, err := solverkit.MeanAtStart(clock, func(s []float64, b bcpace.Belief) float64 { return max(f(s, b, 0), f(s, b, 1)) })
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		fib, blind := best(b.FIB.Upper), best(b.Blind.Lower)
		qmdp := best(dp.QMDPBound{Values: b.Latent, Slack: b.Latent.Error}.Upper)
		worst := best(b.Worst.Lower)
		if slack := want.Error + 1e-9; fib > qmdp+slack || want.Value > fib+slack || blind > want.Value+slack || worst > blind+slack {
			t.Fatalf("model %d: worst %v, blind %v, optimum %v, FIB %v, QMDP %v", i, worst, blind, want.Value, fib, qmdp)
		}
	}
}

// soon is a noisy room, with a horizon in which nothing can be gained: in one of height 3 it takes 7
// steps to look at the left wall and go to a goal.
type soon struct{ envs.LightDarkTiger }

func (m soon) Spec() bcpace.Spec {
	s := m.LightDarkTiger.Spec()
	s.Horizon = 3
	return s
}

// TestHorizonContinuous: the horizon is in the states of a room without numbered
// ones too, and the policy plays in the room itself.
func TestHorizonContinuous(t *testing.T) {
	m := soon{envs.LightDarkTiger{Height: 3, Sigma: 0.05}}
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.1, MaxSamples: 500, CertificateEpisodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	if r.Value < 0 || r.Value > 0.1 {
		t.Errorf("the upper bound is %v, want 0", r.Value)
	}
	o := eval.Options{Episodes: 50}
	own, err := eval.Rollouts(t.Context(), m, r.Policy(), o)
	if err != nil {
		t.Fatal(err)
	}
	clocked, err := eval.Rollouts(t.Context(), r.Model(), r.Policy(), o)
	if err != nil || !slices.Equal(own.Returns, clocked.Returns) || own.Mean < -0.1 {
		t.Errorf("the policy earns %v, and %v where the steps left are in the states; error %v", own.Mean, clocked.Mean, err)
	}
	other := m.LightDarkTiger // without the horizon
	var input *bcpace.InputError
	if _, err := eval.Rollouts(t.Context(), other, r.Policy(), o); !errors.As(err, &input) {
		t.Errorf("without a horizon: error %v", err)
	}
}
