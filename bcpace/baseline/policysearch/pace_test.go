package policysearch

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
)

// ended is a model with a context that ends after so many steps of it.
type ended struct {
	bcpace.Model
	left *atomic.Int64
	end  context.CancelFunc
}

func (m ended) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	if m.left.Add(-1) == 0 {
		m.end()
	}
	return m.Model.Step(next, s, latent, action, rng)
}

// held is a place that a control is to hold at 0, against a drift of one of two sizes. No control that stays the same
// does.
func held(t *testing.T) bcpace.Model {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "held", Axes: []bcpace.Axis{{Name: "x", Min: -10, Max: 10}}, Latents: []string{"weak", "strong"}, Discount: 0.95, RewardMin: -100,
			Actions: []bcpace.Action{{Name: "push", Box: []bcpace.Axis{{Name: "force", Min: -3, Max: 3}}}}},
		Starts: [][]float64{{5}}, Sigma: []float64{0.3},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			mean[0] = s[0]*(1.05+0.1*float64(latent)) + u[0]
		},
		RewardAt: func(s []float64, _, _ int, _, _ []float64) float64 { return -s[0] * s[0] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFewSteps: a search whose time is enough for some hundred episodes alone, as of a simulator in another program, finds
// far more than the first policies earn.
//
//test:race
func TestFewSteps(t *testing.T) {
	const steps = 150_000
	m := held(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left := new(atomic.Int64)
	left.Store(steps)
	x := newSearch(ctx, ended{m, left, cancel}, 0, 1, 1<<62, func(bcpace.Progress) {})
	x.fit(steps)
	if err := x.run(); err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(t.Context(), m, x.policy(), eval.Options{Episodes: 400, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil || r.Mean < -100 { // pushes that stay the same earn some -1200 at best
		t.Errorf("after %d steps the policy earns %v ± %v, context %v", steps, r.Mean, r.StdErr, ctx.Err())
	}
}

// TestFarDeadline: a deadline that does not end the search changes nothing of it.
//
//test:race
func TestFarDeadline(t *testing.T) {
	s := Solver{Seed: 3, MaxSteps: 60_000, CertificateEpisodes: 50}
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	defer cancel()
	m := held(t)
	free, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	timed, err := s.Solve(ctx, m, bcpace.Control{})
	if err != nil || timed.Value != free.Value || timed.Certificate != free.Certificate || len(timed.Trace) != len(free.Trace) {
		t.Errorf("%v, %v with a deadline and %v, %v without one, %v", timed.Value, timed.Certificate, free.Value, free.Certificate, err)
	}
}
