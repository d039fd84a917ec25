package jetstream

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/sweep"
	"bayescpace/envs"
)

// patient is Chain with steps that take a time, and nothing but steps, as a simulator is. It
// computes for less than a millisecond, as a clock is no finer, and waits for more.
type patient struct {
	bcpace.Model
	spec bcpace.Spec
	step time.Duration
}

func (m patient) Spec() bcpace.Spec { return m.spec }
func (m patient) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	began := time.Now()
	if m.step >= time.Millisecond {
		time.Sleep(m.step)
	}
	for m.step > 0 && time.Since(began) < m.step {
		continue
	}
	return m.Model.Step(next, s, latent, action, rng)
}

func init() { // in worker processes as well
	step := envs.ParamInfo{Key: "step", Default: "0", Want: "a number of milliseconds", Doc: "What a step takes."}
	envs.Register(envs.Info{Name: "patient", Doc: "A slow simulator.", Params: []envs.ParamInfo{step}}, func(v *envs.Values) (bcpace.Model, error) {
		m := patient{Model: envs.Chain{}, spec: envs.Chain{}.Spec(), step: time.Duration(v.Float("step") * 1e6)}
		m.spec.Name, m.spec.Params = v.Name(), v.Params()
		return m, nil
	})
}

// TestExplore: two worker processes play the rollouts of an exploration to the run file of
// one process.
func TestExplore(t *testing.T) {
	e := embed(t, Embedded{Workers: 2})
	for _, name := range []string{"light-dark-tiger", "patient"} {
		m, err := envs.New(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := bcpace.Options{Epsilon: 0.5, LipQ: 2, K: 3, Batch: 11, MaxEpisodes: 40, CertificateEpisodes: -1}
		r, err := sweep.Explore(t.Context(), e, m, o, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(runtest.Bytes(t, r), runtest.Explored(t, m, o, 1)) {
			t.Errorf("%s: another run file than that of one process", name)
		}
	}
}

// BenchmarkExplore has 200 rollouts of 25 steps, in batches of 20, played by one goroutine
// and by two worker processes, for steps that take so many milliseconds.
func BenchmarkExplore(b *testing.B) {
	o := bcpace.Options{Epsilon: 1, LipQ: 2, K: 3, Batch: 20, Horizon: 25, MaxEpisodes: 200, Patience: 200, CertificateEpisodes: -1}
	for _, step := range []string{"0", "0.01", "0.04", "0.4", "2"} {
		m, err := envs.New("patient", []bcpace.Param{{Key: "step", Value: step}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("step="+step+"/here", func(b *testing.B) {
			for b.Loop() {
				if _, err := o.Explore(b.Context(), m, bcpace.Control{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
			perRollout(b, o)
		})
		b.Run(fmt.Sprintf("step=%s/workers=2", step), func(b *testing.B) {
			e := embed(b, Embedded{Workers: 2})
			first := o
			first.MaxEpisodes = 20 // the workers start and make the model
			if _, err := sweep.Explore(b.Context(), e, m, first, bcpace.Control{}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := sweep.Explore(b.Context(), e, m, o, bcpace.Control{}); err != nil {
					b.Fatal(err)
				}
			}
			perRollout(b, o)
		})
	}
}

func perRollout(b *testing.B, o bcpace.Options) {
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*o.MaxEpisodes), "ms/rollout")
}
