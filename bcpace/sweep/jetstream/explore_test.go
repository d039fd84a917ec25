package jetstream

import (
	"bytes"
	"fmt"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/sweep"
	"bayescpace/envs"
)

func init() { runtest.RegisterPatient() } // in worker processes as well

// TestExplore: two worker processes play the rollouts of an exploration to the run file of
// one process.
//
//test:race
func TestExplore(t *testing.T) {
	e := embed(t, Embedded{Workers: 2})
	for _, name := range []string{"light-dark-tiger", "patient"} {
		m, err := envs.New(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := cpace.Solver{Epsilon: 0.5, LipQ: 2, K: 3, Batch: 11, MaxEpisodes: 40, CertificateEpisodes: -1}
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
	o := cpace.Solver{Epsilon: 1, LipQ: 2, K: 3, Batch: 20, Horizon: 25, MaxEpisodes: 200, Patience: 200, CertificateEpisodes: -1}
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

func perRollout(b *testing.B, o cpace.Solver) {
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*o.MaxEpisodes), "ms/rollout")
}
