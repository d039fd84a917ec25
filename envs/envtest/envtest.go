// Package envtest is the conformance suite that every model passes: one of the
// project's own, or yours.
//
//	func TestMaze(t *testing.T) { envtest.Run(t, Maze{}) }
package envtest

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"

	"pgregory.net/rapid"
)

// Run checks m against the contract of bcpace.Model: all that check.Model
// looks at; that Step and LogLikelihood do not allocate, and Successors does
// not once its list has grown; and that several goroutines may use m at once,
// for which the race detector should be on.
func Run(t *testing.T, m bcpace.Model) {
	t.Helper()
	t.Run("check", func(t *testing.T) {
		// Fewer draws than check.Model takes by itself: suites run often, and under the race detector.
		if err := check.Model(m, check.Options{Episodes: 20, Transitions: 60, Draws: 1500}); err != nil {
			t.Fatal(err)
		}
	})
	if t.Failed() {
		return
	}
	if !RaceDetector {
		t.Run("allocations", func(t *testing.T) { allocations(t, m) })
	}
	t.Run("parallel", func(t *testing.T) { parallel(t, m) })
}

func allocations(t *testing.T, m bcpace.Model) {
	const steps = 200
	spec := m.Spec()
	s, next := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	prior := make(bcpace.Belief, len(spec.Latents))
	m.Prior(prior)
	rng := rand.New(rand.NewPCG(1, 2))
	latent := prior.Sample(rng)

	// walk takes a step, starting again where an episode ends.
	m.Start(s, latent, rng)
	walk := func(do func(action int)) float64 {
		return testing.AllocsPerRun(steps, func() {
			action := spec.DrawAction(rng)
			if m.Step(next, s, latent, action, rng).Done {
				m.Start(next, latent, rng)
			}
			do(action)
			s, next = next, s
		})
	}
	if n := walk(func(int) {}); n > 0 {
		t.Errorf("Step allocates %v times, want 0", n)
	}
	if n := walk(func(action int) { m.LogLikelihood(s, action, next, latent) }); n > 0 {
		t.Errorf("Step and LogLikelihood allocate %v times, want 0", n)
	}
	e, ok := m.(bcpace.Enumerator)
	if !ok {
		return
	}
	var z bcpace.Successors
	list := func(action int) {
		z.Reset(len(spec.Axes), len(spec.Latents))
		e.Successors(&z, s, action)
	}
	walk(list) // to grow the list
	if n := walk(list); n > 0 {
		t.Errorf("Step and Successors allocate %v times with a list that has grown, want 0", n)
	}
}

// parallel plays the same episodes in several goroutines, and expects them to
// see the same.
func parallel(t *testing.T, m bcpace.Model) {
	const workers, episodes, steps = 4, 5, 30
	seen := make([][]float64, workers)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, 2))
			sim := bcpace.NewSimulator(m)
			spec := m.Spec()
			for range episodes {
				if errs[w] = sim.Reset(rng); errs[w] != nil {
					return
				}
				for t := 0; t < steps && !sim.Done; t++ {
					reward, err := sim.Step(spec.DrawAction(rng), rng)
					if err != nil {
						errs[w] = err
						return
					}
					seen[w] = append(append(append(seen[w], sim.State...), sim.Belief...), reward)
				}
			}
		})
	}
	wg.Wait()
	for w := range workers {
		if errs[w] != nil {
			t.Fatal(errs[w])
		}
		if !reflect.DeepEqual(seen[w], seen[0]) {
			t.Errorf("episodes from equal seeds differ between goroutines")
		}
	}
}

// Evenly draws a place, a probability or another number that is as likely in one part of a range as in any other, and the ends of the range
// once in sixteen draws each. rapid.Float64Range and IntRange draw small numbers most: of 0 to 1 they draw more
// than six in ten below 0.001, or in the lowest tenth.
func Evenly(low, high float64) *rapid.Generator[float64] {
	const bits = 16 // those of rapid.Bool are even
	return rapid.Custom(func(t *rapid.T) float64 {
		n := 0
		for _, one := range rapid.SliceOfN(rapid.Bool(), bits, bits).Draw(t, "bits") {
			if n *= 2; one {
				n++
			}
		}
		const end = 1 << (bits - 4)
		switch {
		case n < end:
			return low
		case n >= 1<<bits-end:
			return high
		}
		return min(low+(high-low)*float64(n-end)/(1<<bits-2*end), high)
	})
}
