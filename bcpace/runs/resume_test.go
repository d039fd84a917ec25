package runs_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// TestResume draws explorations with BayesCPACE, see resumes.
//
//test:race
func TestResume(t *testing.T) {
	fewerExamples(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		m, latent := drawModel(t)
		episodes, samples := drawLimits(t, "", 25, 1, 50, 100)
		resumes(t, m, cpace.Solver{
			Epsilon: rapid.Float64Range(0.2, 20).Draw(t, "epsilon"), K: rapid.OneOf(rapid.IntRange(1, 30), rapid.IntRange(33, 50)).Draw(t, "k"), LipQ: rapid.Float64Range(0.5, 50).Draw(t, "lip"),
			Bound: rapid.SampledFrom([]cpace.Bound{"", cpace.BoundConstant, cpace.BoundQMDP}).Draw(t, "bound"), Latent: latent,
			// Seeding is refused where the latent is redrawn.
			SeedOneHot:   rapid.Bool().Draw(t, "seeded") && bcpace.KindOf(m) != bcpace.Redrawn,
			RandomBelief: rapid.Bool().Draw(t, "random belief"), Beta: rapid.SampledFrom([]float64{0, 0, 0.1}).Draw(t, "beta"),
			Batch: rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(t, "batch"), Horizon: rapid.IntRange(1, 40).Draw(t, "horizon"),
			Patience: rapid.IntRange(1, 10).Draw(t, "patience"), MaxEpisodes: episodes, MaxSamples: samples,
			Seed: rapid.Uint64().Draw(t, "seed"), CertificateEpisodes: rapid.SampledFrom([]int{-1, 10}).Draw(t, "simulated"),
		})
	})
}

// TestResumeControls draws explorations of models with a box of controls with BayesCPACE.
func TestResumeControls(t *testing.T) {
	fewerExamples(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"dual-control", "pendulum", "light-dark-tiger"}).Draw(t, "model")
		params := []bcpace.Param{{Key: "discount", Value: rapid.SampledFrom([]string{"0.6", "0.9"}).Draw(t, "discount")}}
		if name == "light-dark-tiger" {
			params = append(params, bcpace.Param{Key: "heading", Value: "any"}, bcpace.Param{Key: "sigma", Value: "0.1"})
		} else if name == "dual-control" {
			params = nil
		}
		m, err := envs.New(name, params)
		if err != nil {
			t.Fatal(err)
		}
		top := m.Spec().VMax() - m.Spec().VMin()
		episodes, samples := drawLimits(t, "", 12, 1, 20, 60)
		resumes(t, m, cpace.Solver{
			Epsilon: top * rapid.Float64Range(0.01, 0.2).Draw(t, "epsilon"), K: rapid.IntRange(1, 5).Draw(t, "k"), LipQ: top * rapid.Float64Range(0.2, 2).Draw(t, "lip"),
			Bound: cpace.BoundConstant, Beta: top * rapid.SampledFrom([]float64{0, 0, 0.01}).Draw(t, "beta"),
			Batch: rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "batch"), Horizon: rapid.IntRange(1, 20).Draw(t, "horizon"),
			Patience: rapid.IntRange(1, 10).Draw(t, "patience"), MaxEpisodes: episodes, MaxSamples: samples,
			Seed: rapid.Uint64().Draw(t, "seed"), CertificateEpisodes: -1,
		})
	})
}

// TestResumeCertified draws explorations of random finite models with the
// certified algorithm.
//
//test:race
func TestResumeCertified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randmodel.New(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "model"), 1)), randmodel.Options{Kind: bcpace.LatentKind(rapid.IntRange(0, 2).Draw(t, "kind"))})
		episodes, samples := drawLimits(t, "", 40, 1, 5, 50, 200)
		o := certified.Solver{Epsilon: rapid.SampledFrom([]float64{1e-13, 0.001, 0.1, 1}).Draw(t, "epsilon"),
			Bound:       rapid.SampledFrom([]cpace.Bound{"", cpace.BoundConstant, cpace.BoundQMDP, cpace.BoundBestCase}).Draw(t, "bound"),
			Batch:       rapid.IntRange(0, 4).Draw(t, "batch"),
			MaxEpisodes: episodes, MaxSamples: samples,
		}
		for range rapid.IntRange(0, 2).Draw(t, "starts") {
			s := make([]float64, len(m.Spec().Axes))
			m.StateAt(s, rapid.IntRange(0, m.NumStates()-1).Draw(t, "state"))
			o.Starts = append(o.Starts, bcpace.StartPoint{State: s, Belief: bcpace.Uniform(len(m.Spec().Latents))})
		}
		resumes(t, m, o)
	})
}

// TestResumeContinuousOfFewer is TestResumeContinuous with fewer examples.
func TestResumeContinuousOfFewer(t *testing.T) {
	fewerExamples(t, 15)
	rapid.Check(t, resumeContinuous)
}

// resumeContinuous draws explorations of models with continuous states with
// the certified algorithm. It draws the room rarely, whose first bounds take long,
// and simulates only where ε is wide, as the bound from grids takes seconds otherwise.
func resumeContinuous(t *rapid.T) {
	var m bcpace.Model = envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1, Nodes: 2, Discount: 0.8}
	at := []float64{0.2, 1, 0}
	if rapid.IntRange(0, 30).Draw(t, "room") != 15 {
		m = runtest.NewLine(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "line"), 1)), rapid.Bool().Draw(t, "redraw"))
		at = []float64{0.7, 1}
	}
	o := certified.Solver{Epsilon: rapid.SampledFrom([]float64{1e-9, 0.1, 1}).Draw(t, "epsilon"), LipState: rapid.SampledFrom([]float64{0, 3}).Draw(t, "lip"),
		MaxEpisodes: rapid.IntRange(1, 12).Draw(t, "episodes"), MaxSamples: rapid.SampledFrom([]int{0, 1, 5, 50, 100}).Draw(t, "samples"),
		Seed: 1, CertificateEpisodes: -1,
	}
	if o.Epsilon == 1 {
		o.CertificateEpisodes = rapid.SampledFrom([]int{-1, -1, -1, -1, -1, 10}).Draw(t, "simulated")
	}
	if rapid.Bool().Draw(t, "starts") {
		o.Starts = []bcpace.StartPoint{{State: at, Belief: bcpace.Belief{0.3, 0.7}}}
	}
	resumes(t, m, o)
}

// fewerExamples has rapid.Check try n examples until the end of a test, unless the command
// line says how many.
func fewerExamples(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if before != checks.DefValue {
		return
	}
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { checks.Value.Set(before) })
}

// drawLimits draws limits of episodes and samples. With 0, no limit, of samples there
// are few episodes, as one may take hundreds of samples.
func drawLimits(t *rapid.T, of string, most int, samples ...int) (maxEpisodes, maxSamples int) {
	maxEpisodes = rapid.IntRange(1, most).Draw(t, of+"episodes")
	if maxSamples = rapid.SampledFrom(append(samples, 0)).Draw(t, of+"samples"); maxSamples == 0 {
		maxEpisodes = min(maxEpisodes, 4)
	}
	return maxEpisodes, maxSamples
}

// resumes cuts an exploration off at random points, or ends it by a budget, and
// expects Resume, again and again and through files, to make the run that was
// never cut off, byte for byte.
func resumes(t *rapid.T, m bcpace.Model, o runs.Explorer) {
	want, err := runs.Explore(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	workers := func() int { return rapid.IntRange(0, 3).Draw(t, "workers") }
	// The first part has limits of its own, lower or higher.
	first := o
	how := bcpace.Control{Workers: workers()}
	limits := rapid.Bool().Draw(t, "other limits")
	undone, latent := 0, bcpace.LatentValues(nil)
	if p, ok := o.(cpace.Solver); ok {
		undone, latent = max(p.Batch, 1), p.Latent
	}
	if limits {
		patience := rapid.IntRange(1, 10).Draw(t, "first patience")
		episodes, samples := drawLimits(t, "first ", 60, 1, 20, 300)
		first = runtest.With(first, func(o *cpace.Solver) { o.Patience, o.MaxEpisodes, o.MaxSamples = patience, episodes, samples },
			func(s *certified.Solver) { s.MaxEpisodes, s.MaxSamples = episodes, samples })
	}
	var saved []byte
	kept := rapid.IntRange(1, 10).Draw(t, "checkpoint")
	how.Checkpoint = func(p bcpace.Progress, soFar io.WriterTo) {
		if saved == nil && p.Episodes >= kept {
			var b bytes.Buffer
			if _, err := soFar.WriteTo(&b); err != nil {
				t.Error(err)
			}
			saved = b.Bytes()
		}
	}
	// Cut off before the first episode, in the latent MDPs, there is nothing to go on from:
	// then it is later.
	var r *runs.Run
	for patience := rapid.IntRange(1, 1000).Draw(t, "patience of the context"); r == nil || r.InSetUp(); patience *= 2 {
		saved = nil
		if r, err = first.Explore(runtest.Asked(patience), m, how); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	goesOnAtOnce(t, r)
	if rapid.Bool().Draw(t, "from the checkpoint") && saved != nil {
		if r, err = runs.Read(bytes.NewReader(saved), runs.FixedModel(m), latent); err != nil {
			t.Fatal(err)
		}
		if r.Stop != "" || r.Values().ResumableEpisodes(r) != len(r.Trace) {
			t.Fatalf("checkpoint: stop %q, %d of %d episodes are whole", r.Stop, r.Values().ResumableEpisodes(r), len(r.Trace))
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "interruptions") {
		episodes, stated := r.Values().ResumableEpisodes(r), r.State() != nil
		how := bcpace.Control{Workers: workers()}
		if r, err = o.Resume(runtest.Asked(rapid.IntRange(0, 1000).Draw(t, "context")), r, how); err != nil {
			t.Fatal(err)
		}
		if !limits && r.Stop == stop.Interrupted && r.Values().ResumableEpisodes(r) < episodes-undone {
			t.Fatalf("interrupted: %d whole episodes, were %d", r.Values().ResumableEpisodes(r), episodes)
		}
		if stated {
			goesOnAtOnce(t, r)
		}
		if rapid.Bool().Draw(t, "through a file") {
			if r, err = runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), latent); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r.Stop != "" && len(r.SavedState()) > 0 && !r.Brackets() && rapid.IntRange(0, 3).Draw(t, "old") == 0 { // as a file of version 5 has none
		old := runtest.WithState(runtest.Bytes(t, r), func(s []byte) []byte { return s[:0] })
		if r, err = runs.Read(bytes.NewReader(old), runs.FixedModel(m), latent); err != nil {
			t.Fatal(err)
		}
	}
	before := runtest.Bytes(t, r)
	got, err := runs.Resume(context.Background(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(runtest.Bytes(t, got), runtest.Bytes(t, want)) {
		t.Errorf("the resumed run has %d episodes, %d samples, stop %q, value %v; the run in one piece %d, %d, %q, %v",
			len(got.Trace), got.Samples.Len(), got.Stop, got.Value, len(want.Trace), want.Samples.Len(), want.Stop, want.Value)
	}
	if !bytes.Equal(runtest.Bytes(t, r), before) {
		t.Error("Resume changed the run that it was given")
	}
}

// goesOnAtOnce expects a run of Algorithm 1 that has not ended by itself to have kept its state, also in its file: that
// before the update in which a limit has cut it off, and where the context has, that of all samples of
// the whole episodes but 1/64.
func goesOnAtOnce(t *rapid.T, r *runs.Run) {
	whole := r.Values().ResumableEpisodes(r)
	if _, paper := r.Solver.(cpace.Solver); !paper || r.Stop.ByItself() || whole == 0 {
		return
	}
	before := func(episode int) (n int) {
		for n < r.Samples.Len() && int(r.Samples.Episode[n]) < episode {
			n++
		}
		return n
	}
	n, kept := before(whole), before(r.Kept())
	if len(r.SavedState()) == 0 && n > 0 || r.State() == nil || r.Kept() > whole || n-kept > n/64 || !r.Stop.ByContext() && r.Kept() != whole {
		t.Errorf("stopped by %q after %d episodes, %d whole, it has kept a state of %d bytes after %d, with %d samples of %d", r.Stop, len(r.Trace), whole, len(r.State()), r.Kept(), kept, n)
	}
}

// counted counts how often it is asked whether it has ended: by each search for a control, for one.
type counted struct {
	context.Context
	asked atomic.Int64
}

func (c *counted) Err() error {
	c.asked.Add(1)
	return nil
}

// TestResumeAtOnce: a run that MaxSamples has cut off within an episode goes on from its file without the searches of
// its fixed points.
func TestResumeAtOnce(t *testing.T) {
	m, err := envs.New("dual-control", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := cpace.Solver{Epsilon: 0.1, LipQ: 5, Bound: cpace.BoundConstant, Horizon: 15, MaxSamples: 400, CertificateEpisodes: -1}
	var explored, resumed counted
	explored.Context, resumed.Context = t.Context(), t.Context()
	r, err := runs.Explore(&explored, m, o)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil); err != nil {
		t.Fatal(err)
	}
	if o.MaxSamples++; r.Samples.Len() != 400 {
		t.Fatalf("%d samples, want a limit that is reached", r.Samples.Len())
	}
	if r, err = runs.Resume(&resumed, r, o); err != nil || r.Samples.Len() != 401 {
		t.Fatal(r.Samples.Len(), err)
	}
	if all, more := explored.asked.Load(), resumed.asked.Load(); more > all/8 {
		t.Errorf("the context was asked %d times by 400 samples, and %d times by one more", all, more)
	}
}

// TestKeptBeforeTheLimit: whatever number of samples ends a run, or of episodes within a batch, the state that it has kept is
// that before the update which the limit has cut off.
func TestKeptBeforeTheLimit(t *testing.T) {
	for k := range 12 {
		o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 40, Horizon: 6, MaxSamples: 300 + 7*k, Patience: 1000, Seed: uint64(k), CertificateEpisodes: -1}
		if o.Batch = k % 3; k%4 == 3 {
			o.MaxSamples, o.MaxEpisodes = 0, 400+k
		}
		r, err := runs.Explore(t.Context(), envs.Tiger{}, o)
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Samples.Len(); r.Stop.ByItself() || n < 100 || r.Kept() != r.Values().ResumableEpisodes(r) || len(r.Trace)-r.Kept() > max(o.Batch, 1) {
			t.Errorf("%+v: stopped by %q with %d samples in %d episodes, of which %d are whole and %d in its state", o, r.Stop, n, len(r.Trace), r.Values().ResumableEpisodes(r), r.Kept())
		}
	}
}

// drawModel draws an environment, numbered or with real states, and latent
// values or none.
func drawModel(t *rapid.T) (bcpace.Model, bcpace.LatentValues) {
	name := rapid.SampledFrom([]string{"tiger", "chain", "light-dark-tiger", "tiger", "chain"}).Draw(t, "model")
	var params []bcpace.Param
	if name == "light-dark-tiger" && rapid.Bool().Draw(t, "noisy") {
		params = []bcpace.Param{{Key: "sigma", Value: "0.1"}, {Key: "width", Value: "3"}, {Key: "height", Value: "3"}, {Key: "nodes", Value: "2"}}
	}
	m, err := envs.New(name, params)
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "own latent values") {
		top := m.Spec().VMax()
		return m, dp.LatentFunc(func(_ []float64, latent, action int) float64 { return top - float64(latent+action)/8 })
	}
	return m, nil
}

// TestResumeRefuses expects errors that say what does not fit.
func TestResumeRefuses(t *testing.T) {
	m, err := envs.New("tiger", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 20, MaxEpisodes: 30, Seed: 1, CertificateEpisodes: -1}
	r, err := runs.Explore(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*cpace.Solver){
		"Seed":    func(o *cpace.Solver) { o.Seed = 2 },
		"Epsilon": func(o *cpace.Solver) { o.Epsilon = 2 },
		"Starts": func(o *cpace.Solver) {
			o.Starts = []bcpace.StartPoint{{State: []float64{0}, Belief: bcpace.Belief{0.5, 0.5}}}
		},
		"Latent": func(o *cpace.Solver) { o.Latent = dp.LatentFunc(func([]float64, int, int) float64 { return 0 }) },
	} {
		changed := o
		change(&changed)
		input := new(bcpace.InputError)
		if _, err := runs.Resume(context.Background(), r, changed); !errors.As(err, &input) || input.What != name {
			t.Errorf("another %s: %v", name, err)
		}
	}
	o.MaxEpisodes = 60
	if r, err := runs.Resume(context.Background(), r, o); err != nil || len(r.Trace) != 60 {
		t.Errorf("empty Starts: %v", err)
	}
	// A file of version 5 has no state of a run that has ended.
	file := runtest.WithState(runtest.Bytes(t, r), func(s []byte) []byte { return s[:0] })
	if r, err = runs.Read(bytes.NewReader(file), runs.FixedModel(m), nil); err != nil {
		t.Fatal(err)
	}
	// Other code may have found the same fixed point in another order.
	r.Trace[3].Sweeps, r.Trace[3].Value = r.Trace[3].Sweeps+1, r.Trace[3].Value+o.Epsilon/1000
	if got, err := runs.Resume(context.Background(), r, o); err != nil || len(got.Trace) != 60 {
		t.Errorf("a value within the tolerance: %v", err)
	}
	r.Trace[3].Value++
	if _, err := runs.Resume(context.Background(), r, o); err == nil || !strings.Contains(err.Error(), "episode 3") {
		t.Errorf("values that the samples do not give: %v", err)
	}
}

// TestResumeReports: the way back to a state is told from its begin to its end, before the first update.
func TestResumeReports(t *testing.T) {
	box, err := envs.DualControl{Discount: 0.6}.Model()
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]bcpace.Model{"list": envs.Chain{}, "box": box} {
		o := cpace.Solver{Epsilon: 1, K: 2, MaxEpisodes: 30, CertificateEpisodes: -1, Bound: cpace.BoundConstant}
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		var shares []float64
		updates := 0
		o.MaxEpisodes = 31
		if _, err := o.Resume(t.Context(), r, bcpace.Control{Progress: func(p bcpace.Progress) {
			if p.Phase == "samples of the run" && updates == 0 {
				shares = append(shares, p.Share)
			} else if p.Phase == "" {
				updates++
			}
		}}); err != nil {
			t.Fatal(err)
		}
		if n := len(shares); n < 10 || !slices.IsSorted(shares) || shares[0] > 0.5 || shares[n-1] != 1 || updates != 1 {
			t.Errorf("%s: %v, and %d updates", name, shares, updates)
		}
	}
}

// BenchmarkResume compares an exploration with the way back to a checkpoint
// near its end, and with writing one.
func BenchmarkResume(b *testing.B) {
	slips := make([]float64, 64)
	for i := range slips {
		slips[i] = 0.05 + 0.9*float64(i)/63
	}
	for _, c := range []struct {
		name string
		m    bcpace.Model
		o    runs.Explorer
	}{
		{"tiger", envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 200, MaxSamples: 20_000, CertificateEpisodes: -1}},
		{"chain", envs.Chain{}, cpace.Solver{Epsilon: 1, LipQ: 2, K: 20, MaxSamples: 5_000, CertificateEpisodes: -1}},
		{"room", envs.LightDarkTiger{Sigma: 0.1}, cpace.Solver{Epsilon: 0.5, LipQ: 10, K: 3, MaxSamples: 5_000, CertificateEpisodes: -1}},
		{"room-batch", envs.LightDarkTiger{Sigma: 0.1}, cpace.Solver{Epsilon: 0.5, LipQ: 10, K: 3, Batch: 20, MaxSamples: 20_000, CertificateEpisodes: -1}},
		{"certified-latents", envs.Chain{Slips: slips}, certified.Solver{Epsilon: 0.1, MaxSamples: 2900}},
		{"certified-states", randmodel.New(rand.New(rand.NewPCG(7, 1)), randmodel.Options{States: 30, Latents: 6, Actions: 3, Branch: 3, Discount: 0.9}),
			certified.Solver{Epsilon: 0.002, MaxSamples: 12_000}},
		{"certified-room", envs.LightDarkTiger{Width: 9, Height: 9, StartAt: []float64{4, 4}, Sigma: 0.01}, certified.Solver{Epsilon: 0.5, MaxSamples: 1200, CertificateEpisodes: -1}},
	} {
		plan, err := c.o.Plan(c.m)
		if err != nil {
			b.Fatal(err)
		}
		var saved bytes.Buffer
		how := bcpace.Control{Checkpoint: func(p bcpace.Progress, soFar io.WriterTo) {
			if saved.Len() == 0 && (p.Samples > plan.MaxSamples*9/10 || p.Patience > 0 && p.Quiet > p.Patience*9/10) {
				if _, err := soFar.WriteTo(&saved); err != nil {
					b.Fatal(err)
				}
			}
		}}
		if _, err := c.o.Explore(context.Background(), c.m, how); err != nil {
			b.Fatal(err)
		}
		r, err := runs.Read(bytes.NewReader(saved.Bytes()), runs.FixedModel(c.m), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/explore", func(b *testing.B) {
			for b.Loop() {
				if _, err := runs.Explore(context.Background(), c.m, c.o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(r.Trace)), "episodes")
			b.ReportMetric(float64(r.Samples.Len()), "samples")
		})
		b.Run(c.name+"/resume", func(b *testing.B) {
			n := len(r.Trace)
			o := runtest.With(c.o, func(o *cpace.Solver) { o.MaxEpisodes = n }, func(s *certified.Solver) { s.MaxEpisodes = n })
			for b.Loop() {
				if _, err := runs.Resume(context.Background(), r, o); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/read", func(b *testing.B) {
			for b.Loop() {
				if _, err := runs.Read(bytes.NewReader(saved.Bytes()), runs.FixedModel(c.m), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/checkpoint", func(b *testing.B) {
			b.SetBytes(int64(saved.Len()))
			for b.Loop() {
				if _, err := r.WriteTo(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(r.State())), "state-bytes")
		})
	}
}

// TestResumeBadState expects errors for states that cannot be, and no harm from
// any other.
func TestResumeBadState(t *testing.T) {
	for name, c := range map[string]struct {
		m bcpace.Model
		o runs.Explorer
	}{
		"tiger":      {envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 40, MaxEpisodes: 30, Seed: 1, CertificateEpisodes: -1}},
		"certified":  {envs.Tiger{}, certified.Solver{Epsilon: 1e-3, MaxEpisodes: 30, Batch: 2}},
		"continuous": {runtest.NewLine(rand.New(rand.NewPCG(1, 7)), true), certified.Solver{Epsilon: 1e-3, MaxEpisodes: 30, CertificateEpisodes: -1}},
	} {
		var saved []byte
		want, err := c.o.Explore(context.Background(), c.m, bcpace.Control{Checkpoint: func(p bcpace.Progress, soFar io.WriterTo) {
			if p.Episodes == 20 {
				var b bytes.Buffer
				if _, err := soFar.WriteTo(&b); err != nil {
					t.Error(err)
				}
				saved = b.Bytes()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		read := func(change func(state []byte) []byte) *runs.Run {
			r, err := runs.Read(bytes.NewReader(runtest.WithState(saved, change)), runs.FixedModel(c.m), nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		for what, change := range map[string]func(state []byte) []byte{
			"short":      func(s []byte) []byte { return s[:len(s)-1] },
			"one number": func(s []byte) []byte { return s[:4] },
			"not finite": func(s []byte) []byte { return bytes.Repeat([]byte{0xff}, len(s)) },
			"zeros":      func(s []byte) []byte { return make([]byte, len(s)) },
			"end only":   func(s []byte) []byte { copy(s[len(s)/2:], bytes.Repeat([]byte{0xff}, len(s))); return s },
		} {
			if what == "zeros" && name == "tiger" { // values like others
				continue
			}
			if _, err := runs.Resume(context.Background(), read(change), c.o); !errors.Is(err, runs.ErrFormat) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		r := read(func(s []byte) []byte { return s[:0] })
		if got, err := runs.Resume(context.Background(), r, c.o); name == "tiger" && !errors.Is(err, runs.ErrFormat) {
			t.Errorf("%s, no state: %v", name, err)
		} else if name != "tiger" && (err != nil || r.Values().ResumableEpisodes(r) != 0 || !bytes.Equal(runtest.Bytes(t, got), runtest.Bytes(t, want))) {
			t.Errorf("%s, no state: not the run in one piece: %v", name, err)
		}
		rng := rand.New(rand.NewPCG(1, 9))
		for range 40 {
			r := read(func(s []byte) []byte { s[rng.IntN(len(s))] ^= byte(1 << rng.IntN(8)); return s })
			_, _ = runs.Resume(runtest.Asked(100), r, c.o)
		}
	}
}

// TestResumeElsewhere expects an error where the samples are not where this
// processor puts them.
func TestResumeElsewhere(t *testing.T) {
	for _, c := range []struct {
		m bcpace.Model
		o runs.Explorer
	}{
		{envs.Tiger{}, certified.Solver{Epsilon: 1e-3, MaxEpisodes: 30}},
		{runtest.NewLine(rand.New(rand.NewPCG(1, 7)), true), certified.Solver{Epsilon: 1e-3, MaxEpisodes: 30, CertificateEpisodes: -1}},
	} {
		r, err := runs.Explore(context.Background(), c.m, c.o)
		if err != nil {
			t.Fatal(err)
		}
		wrong := func(what string) {
			if _, err := runs.Resume(context.Background(), r, c.o); err == nil || !strings.Contains(err.Error(), "another kind of processor") {
				t.Errorf("%s, %s: %v", r.Spec.Name, what, err)
			}
		}
		last := &r.Trace[len(r.Trace)-1]
		last.Gap = math.Nextafter(last.Gap, 0)
		wrong("another gap")
		last.Gap = math.Nextafter(last.Gap, 1)
		b := r.Samples.At(r.Samples.Len() - 1).Belief
		b[0] = math.Nextafter(b[0], 2)
		wrong("another belief")
	}
}
