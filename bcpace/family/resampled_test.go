package family_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/family"
	"bayescpace/envs"
)

// TestResampled compares a policy that goes on from two draws, which are close to each other, to
// one that stays with them, in the same episodes with fresh slips.
func TestResampled(t *testing.T) {
	f := slips(between(0.1, 0.9))
	earned := func(s bcpace.Solver) (mean, stderr float64) {
		b, err := family.Bracket(t.Context(), f, s, family.BracketOptions{Draws: 2, Sets: 1, Told: -1, Episodes: 120, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if b.Lower > chainValue(0.1, 0.9, 0.9) {
			t.Errorf("lower bound %v", b.Lower)
		}
		return b.Earned, b.EarnedErr
	}
	stays, _ := earned(qmdp.Solver{})
	goesOn, stderr := earned(family.Resampled{Family: f, Solver: qmdp.Solver{}, Particles: family.ParticleOptions{Draws: 200}})
	if goesOn < stays+2*stderr {
		t.Errorf("earned %v with new draws, %v without, standard error %v", goesOn, stays, stderr)
	}
}

// TestResampledRecord plays one episode, and looks at what the policy says of it.
func TestResampledRecord(t *testing.T) {
	f := slips(between(0.1, 0.9))
	m, err := family.Sampled(f, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	found, err := family.Resampled{Family: f, Solver: certified.Solver{Epsilon: 1}, Particles: family.ParticleOptions{Draws: 500}}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if found.Certificate.PolicyEarns != bcpace.NotKnown || found.Certificate.UpperBy != bcpace.ByProof || !math.IsNaN(found.Value) {
		t.Errorf("%+v", found.Certificate)
	}
	p := found.Policy.(*family.ResampledPolicy)
	sim, err := bcpace.NewWorldSimulator(m, envs.Chain{Slips: []float64{0.37}, Discount: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	r := bcpace.Rollout{Simulator: sim, Policy: p, Horizon: 400, Discount: 0.9}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2 { // an episode does not know of the one before
		for err = r.Reset(rng); err == nil && r.More(); {
			err = r.Step(rng, rng)
		}
		if err != nil {
			t.Fatal(err)
		}
		record, mean := p.Resamplings(), []float64{0}
		if len(record) == 0 || len(record) > 10 {
			t.Errorf("%d times solved again", len(record))
		}
		for i, x := range record {
			if x.Err != nil || x.Few || x.ESS >= 1+float64(x.Draws-1)/2 || i > 0 && x.Step <= record[i-1].Step {
				t.Errorf("%+v", x)
			}
		}
		if p.Posterior().Mean(mean); math.Abs(mean[0]-0.37) > 0.1 || p.Posterior().Report().Observations != 400 {
			t.Errorf("mean %v after %+v", mean, p.Posterior().Report())
		}
	}
	// The result depends on no number of workers.
	world := envs.Chain{Slips: []float64{0.15, 0.37, 0.8}, Discount: 0.9}
	var means [2]float64
	for i, workers := range []int{1, 3} {
		x, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 8, Horizon: 60, Seed: 2, Workers: workers, World: world})
		if err != nil {
			t.Fatal(err)
		}
		means[i] = x.Mean
	}
	if means[0] != means[1] {
		t.Errorf("means %v", means)
	}
}

// TestResampledList stays with a list that is the whole prior, and with a horizon reads the
// steps left.
func TestResampledList(t *testing.T) {
	f := slips(family.Points{Values: []float64{0.2, 0.8}})
	f.Build = func(thetas [][]float64) (bcpace.Model, error) {
		return cut{envs.Chain{Slips: family.Column(thetas, 0), Discount: 0.9}}, nil
	}
	m, err := family.Sampled(f, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := qmdp.Solver{}
	plain, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := family.Resampled{Family: f, Solver: s}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	var means [2]float64
	for i, p := range []bcpace.Policy{plain.Policy, found.Policy} {
		x, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 50, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		means[i] = x.Mean
	}
	if means[0] != means[1] {
		t.Errorf("mean %v of the solver's policy, %v of the same without new draws", means[0], means[1])
	}
	var input *bcpace.InputError
	for want, r := range map[string]family.Resampled{
		"Family is nil": {Solver: s}, "Solver is nil": {Family: f}, "Limit is 2": {Family: f, Solver: s, Limit: 2}, "Most is -1": {Family: f, Solver: s, Most: -1},
	} {
		if _, err := r.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

// cut is a chain of 12 steps.
type cut struct{ envs.Chain }

func (c cut) Spec() bcpace.Spec {
	s := c.Chain.Spec()
	s.Horizon = 12
	return s
}
