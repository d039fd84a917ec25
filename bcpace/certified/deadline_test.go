package certified_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

// ending is a model that calls end when it is asked for successors after a step, as only the
// upper bound of a certificate asks.
type ending struct {
	runtest.LineModel
	stepped *atomic.Bool
	end     func()
}

// ShowsEnds has Validate take no steps.
func (m ending) ShowsEnds() bool { return true }

func (m ending) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	m.stepped.Store(true)
	return m.LineModel.Step(next, s, latent, action, rng)
}

func (m ending) Successors(z *bcpace.Successors, s []float64, action int) {
	if m.stepped.Load() {
		m.end()
	}
	m.LineModel.Successors(z, s, action)
}

// TestUpperBoundWhenTimeIsUp: with a deadline, the upper bound of the latent values takes the
// place of the one for which there is no time, whether or not the policy was simulated.
func TestUpperBoundWhenTimeIsUp(t *testing.T) {
	m := runtest.NewLine(rand.New(rand.NewPCG(1, 7)), true)
	solver := certified.Solver{Epsilon: 0.5, MaxEpisodes: 2, CertificateEpisodes: 50}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // far away
	simulated, err := solver.Explore(ctx, ending{m, new(atomic.Bool), cancel}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Hour)
	searched, err := solver.Explore(ctx, m, bcpace.Control{Progress: func(p bcpace.Progress) {
		if p.Phase == "" { // the search has begun
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for kind, r := range map[bcpace.CertificateKind]*runs.Run{bcpace.StatisticalCertificate: simulated, bcpace.NoCertificate: searched} {
		c := r.Certificate
		if c.Kind != kind || c.UpperBy != bcpace.ByAssumption || c.Assumes == "" || c.Upper >= r.Spec.VMax() || r.Stop != stop.Interrupted {
			t.Errorf("stop %q with %+v, want kind %q and an assumed upper bound", r.Stop, c, kind)
		}
		var file bytes.Buffer
		if _, err := r.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		back, err := runs.Read(&file, runs.FixedModel(m), nil)
		if err != nil || back.Certificate != c {
			t.Fatalf("read %+v, %v, want %+v", back, err, c)
		}
		if kind == bcpace.NoCertificate {
			continue
		}
		if _, err := runs.Verify(t.Context(), back); err != nil {
			t.Error(err)
		}
		back.Certificate.Upper = c.Lower
		if _, err := runs.Verify(t.Context(), back); err == nil {
			t.Error("Verify takes an upper bound that nothing supports")
		}
	}
}

// TestUpperBoundOfFinishedGrids: the grids of the upper bound say after the search how far they
// have come, and where time ends, those that are done count.
func TestUpperBoundOfFinishedGrids(t *testing.T) {
	m := runtest.NewLine(rand.New(rand.NewPCG(13, 7)), true)
	solver := certified.Solver{Epsilon: 0.05, MaxEpisodes: 2, CertificateEpisodes: 50}
	explore := func(upTo float64) *runs.Run {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // far away
		defer cancel()
		searched, last := false, 0.0
		r, err := solver.Explore(ctx, m, bcpace.Control{Progress: func(p bcpace.Progress) {
			searched = searched || p.Phase == ""
			if !searched || p.Phase == "" {
				return
			}
			if p.Phase != "upper bound by grids" || p.Share < last || p.Share > 1 {
				t.Errorf("%q, share %v after %v", p.Phase, p.Share, last)
			}
			if last = p.Share; last >= upTo {
				cancel()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if last == 0 {
			t.Error("no progress of the upper bound")
		}
		return r
	}
	whole, three, none := explore(2), explore(3.0/5), explore(1.0/5)
	if u := three.Certificate.Upper; u < whole.Certificate.Lower || u >= none.Certificate.Upper || three.Stop != stop.Interrupted {
		t.Errorf("stop %q, upper bound %v, want one below %v, of no grid", three.Stop, u, none.Certificate.Upper)
	}
	for _, r := range []*runs.Run{whole, three, none} {
		if _, err := runs.Verify(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
}

// TestCutSetUpFollowsLatentValues: where time ends after the latent values are known, and before
// the search, the policy is QMDP on them.
//
//test:race
func TestCutSetUpFollowsLatentValues(t *testing.T) {
	m := runtest.NewLine(rand.New(rand.NewPCG(1, 7)), true)
	q, err := dp.SolveLatent(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	qmdp := dp.LatentPolicy(q, len(m.Spec().Actions))
	var last *bcpace.Solution
	for n := 0; ; n += 1 + n/8 {
		found, err := certified.Solver{Epsilon: 0.5, MaxEpisodes: 1, CertificateEpisodes: -1}.Solve(runtest.Asked(n), m, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !found.InSetUp {
			break
		}
		last = found
	}
	for x := 0.05; x < 1; x += 0.1 {
		s, b := []float64{x, 0}, bcpace.Uniform(len(m.Spec().Latents))
		if got, want := last.Policy.Act(s, b, nil), qmdp.Act(s, b, nil); got != want {
			t.Errorf("at %v action %d, want %d", s, got, want)
		}
	}
}

// TestWideGapByRange: where the upper bound is that of the range, as the run was cut short, the warning
// says so and why none is proved, and names no Lipschitz constant.
//
//test:race
func TestWideGapByRange(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := ending{runtest.NewLine(rand.New(rand.NewPCG(1, 7)), true), new(atomic.Bool), cancel}
	r, err := certified.Solver{Epsilon: 0.1, MaxEpisodes: 2, CertificateEpisodes: 50}.Explore(ctx, m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Warnings(), func(w runs.Warning) bool { return w.Kind == runs.WideGap })
	if i < 0 {
		t.Fatalf("%+v, warnings %v", r.Certificate, r.Warnings())
	}
	if w := r.Warnings()[i]; !strings.Contains(w.What, "range of rewards, as the run was interrupted") || !strings.Contains(w.What, "no upper bound is proved, as that needs") || !strings.Contains(w.Do, "more time") || strings.Contains(w.Do, "Lip") {
		t.Errorf("%q: %q, want more time for the upper bound", w.What, w.Do)
	}
}
