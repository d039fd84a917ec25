package runs_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// TestNumbersOutOfReach expects options that no machine can serve to be refused
// or to cost nothing.
func TestNumbersOutOfReach(t *testing.T) {
	r, err := runs.Explore(t.Context(), envs.LightDarkTiger{}, cpace.Solver{Epsilon: 1, K: math.MaxInt, MaxEpisodes: 2, Horizon: 50})
	if err != nil || r.Stop != stop.Episodes {
		t.Errorf("K = %d: %v", math.MaxInt, err)
	}
	_, err = runs.Explore(t.Context(), envs.Chain{}, cpace.Solver{Epsilon: 1, Batch: math.MaxInt})
	if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), "Batch is") {
		t.Errorf("Batch = %d: %v, want an InputError", math.MaxInt, err)
	}
	_, err = runs.Explore(t.Context(), envs.Chain{}, cpace.Solver{Epsilon: 1, LipQ: 1e308}) // L_Q̃ = 2·L_Q overflows
	if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), "LipQ is") {
		t.Errorf("LipQ = 1e308: %v, want an InputError", err)
	}
}

// TestHorizonsAndWorkersOutOfReach expects numbers of steps with which nothing would end, and of
// workers that would swell, to be refused wherever the library takes them.
//
//test:race
func TestHorizonsAndWorkersOutOfReach(t *testing.T) {
	ctx, m, p := t.Context(), envs.Tiger{}, bcpace.RandomPolicy(envs.Tiger{})
	const workers = num.MaxWorkers + 1
	spec := m.Spec()
	spec.Horizon = math.MaxInt
	for name, f := range map[string]func() error{
		"Spec": spec.Validate,
		"Options": func() error {
			_, err := runs.Explore(ctx, m, cpace.Solver{Epsilon: 1, Horizon: math.MaxInt})
			return err
		},
		"Rollouts": func() error {
			_, err := eval.Rollouts(ctx, m, p, eval.Options{Horizon: math.MaxInt})
			return err
		},
		"Evaluate": func() error {
			_, err := eval.Evaluate(ctx, m, p, eval.ExactOptions{Horizon: math.MaxInt})
			return err
		},
		"Reach": func() error {
			_, err := eval.Reach(ctx, m, eval.ReachOptions{Depth: math.MaxInt})
			return err
		},
		"FiniteHorizon": func() error {
			_, err := bcpace.FiniteHorizon(m, math.MaxInt)
			return err
		},
		"workers of Control": bcpace.Control{Workers: workers}.Check,
		"workers of Rollouts": func() error {
			_, err := eval.Rollouts(ctx, m, p, eval.Options{Horizon: 3, Workers: workers})
			return err
		},
	} {
		if input := new(bcpace.InputError); !errors.As(f(), &input) || !strings.Contains(input.Want, " up to 1") {
			t.Errorf("%s: %v, want an InputError that says the largest number", name, f())
		}
	}
}

// TestTinyLipQ expects an L_Q whose known radius would be infinite to be refused, as every query
// would be known at once.
func TestTinyLipQ(t *testing.T) {
	_, err := runs.Explore(t.Context(), envs.Chain{}, cpace.Solver{Epsilon: 1, LipQ: 1e-320})
	if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), "LipQ is 1e-320, want a larger one") {
		t.Errorf("LipQ = 1e-320: %v, want an InputError", err)
	}
}

// zeros is a file without end, as /dev/zero.
type zeros struct{ read int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.read += len(p); z.read > 1<<20 {
		return 0, errors.New("1 MB was read")
	}
	clear(p)
	return len(p), nil
}

func TestForeignFileIsNotReadWhole(t *testing.T) {
	if _, err := runs.Read(new(zeros), envs.New, nil); !errors.Is(err, runs.ErrFormat) {
		t.Errorf("a file without end: error %v", err)
	}
}

// strolled is a chain that calls end in its thousandth step.
type strolled struct {
	envs.Chain
	steps *atomic.Int64
	end   func()
}

func (m strolled) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	if m.steps.Add(1) == 1000 {
		m.end()
	}
	return m.Chain.Step(next, s, latent, action, rng)
}

// TestInterruptWithinAnEpisode cancels an episode that would not end.
//
//test:race
func TestInterruptWithinAnEpisode(t *testing.T) {
	for _, batch := range []int{0, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		m := bcpace.Model(strolled{envs.Chain{}, new(atomic.Int64), cancel})
		r, err := runs.Explore(ctx, m, cpace.Solver{Epsilon: 10, LipQ: 1, Batch: batch, Horizon: num.MaxHorizon})
		cancel()
		if err != nil || r.Stop != stop.Interrupted {
			t.Errorf("batch %d: %+v, %v", batch, r, err)
		}
		if batch > 0 && len(r.Trace) > 0 {
			t.Errorf("batch %d: an episode without end is in the trace: %+v", batch, r.Trace)
		}
	}
}
