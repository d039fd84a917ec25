package runs_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// players returns an cpace.Solver.Rollouts that has batches played by so many workers, which make
// the model by find: it cuts batches at random, and hands in what is played in any order.
func players(find runs.ModelFinder, workers int, rng *rand.Rand) func(context.Context, *cpace.Batch) error {
	team := make([]*cpace.BatchWorker, workers)
	return func(ctx context.Context, b *cpace.Batch) error {
		type part struct{ first, n, worker int }
		var parts []part
		for at, end := b.First, b.First+b.Episodes; at < end; {
			n := 1 + rng.IntN(min(end-at, 5))
			parts = append(parts, part{at, n, rng.IntN(workers)})
			at += n
		}
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for w := range team {
			if team[w] == nil || rng.IntN(8) == 0 { // a worker joins anew
				var err error
				if team[w], err = cpace.NewBatchWorker(ctx, bytes.Clone(b.Setup), find); err != nil {
					return err
				}
			}
		}
		out, failed := make([][]byte, len(parts)), make([]error, len(parts))
		var wg sync.WaitGroup
		for i, p := range parts {
			wg.Go(func() {
				out[i], failed[i] = team[p.worker].Play(ctx, bytes.Clone(b.Estimate), p.first, p.n)
			})
		}
		wg.Wait()
		for i, p := range parts {
			if failed[i] == nil {
				failed[i] = b.Played(p.first, p.n, out[i])
			}
		}
		return errors.Join(failed...)
	}
}

// boxed is a model an action of which has a Box.
func boxed(t interface{ Fatal(...any) }) (bcpace.Model, cpace.Solver) {
	m, err := envs.DualControl{Nodes: 5}.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m, cpace.Solver{ControlPoints: 5, ControlTolerance: 0.05, LipQ: 0.5, Grid: dp.GridOptions{MaxPoints: 17}}
}

// drawBatches draws a model and options with batches.
func drawBatches(t *rapid.T) (bcpace.Model, cpace.Solver) {
	var m bcpace.Model
	o := cpace.Solver{LipQ: rapid.Float64Range(0.5, 50).Draw(t, "lip"), Epsilon: rapid.Float64Range(0.2, 20).Draw(t, "epsilon"), K: rapid.IntRange(1, 8).Draw(t, "k")}
	switch kind := rapid.IntRange(0, 20).Draw(t, "kind of model"); {
	case kind == 20:
		m, o = boxed(t)
		o.Epsilon, o.K, o.MaxSamples = 0.8, 2, 60
	case kind > 10:
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "random model"), 1))
		m = randmodel.New(rng, randmodel.Varied(rng)) // half of them with a horizon
	default:
		m, _ = drawModel(t)
	}
	o.Bound = rapid.SampledFrom([]cpace.Bound{"", cpace.BoundConstant, cpace.BoundQMDP, cpace.BoundBestCase}).Draw(t, "bound")
	o.SeedOneHot = rapid.Bool().Draw(t, "seeded") && bcpace.KindOf(m) != bcpace.Redrawn
	o.Beta = rapid.SampledFrom([]float64{0, 0, 0.1}).Draw(t, "beta")
	o.Batch, o.Horizon = rapid.IntRange(2, 12).Draw(t, "batch"), rapid.IntRange(1, 30).Draw(t, "horizon")
	o.Patience, o.MaxEpisodes = rapid.IntRange(1, 20).Draw(t, "patience"), rapid.IntRange(1, 40).Draw(t, "episodes")
	if o.MaxSamples == 0 {
		o.MaxSamples = rapid.SampledFrom([]int{0, 1, 50, 100}).Draw(t, "samples")
	}
	o.Seed, o.CertificateEpisodes = rapid.Uint64().Draw(t, "seed"), -1
	switch rapid.IntRange(0, 3).Draw(t, "starts") {
	case 0:
		o.RandomBelief = true
	case 1:
		starts, err := bcpace.StartsOf(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range starts[:min(3, len(starts))] {
			o.Starts = append(o.Starts, bcpace.StartPoint{State: s.State, Belief: bcpace.Uniform(len(s.Belief))})
		}
	}
	return m, o
}

// playedBy returns o with its rollouts played by play.
func playedBy(o cpace.Solver, play func(context.Context, *cpace.Batch) error) cpace.Solver {
	o.Rollouts = play
	return o
}

// TestRolloutsElsewhere draws models and options, and expects the run file of batches that
// are played by workers to have the bytes of that of one process: in one piece, and cut off
// at a random point and resumed.
//
//test:race
func TestRolloutsElsewhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, o := drawBatches(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		elsewhere := func() cpace.Solver {
			return playedBy(o, players(runs.FixedModel(m), 1+rng.IntN(5), rng))
		}
		want := runtest.Explored(t, m, o, 2)
		r, err := elsewhere().Explore(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(runtest.Bytes(t, r), want) {
			t.Fatalf("%d episodes with %d samples, stop %q: another run file than that of one process", len(r.Trace), r.Samples.Len(), r.Stop)
		}
		if r, err = elsewhere().Explore(runtest.Asked(rapid.IntRange(1, 1000).Draw(t, "context")), m, bcpace.Control{}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if r, err = elsewhere().Resume(runtest.Asked(rapid.IntRange(1, 2000).Draw(t, "another context")), r, bcpace.Control{}); err != nil {
				t.Fatal(err)
			}
		}
		how := elsewhere()
		if rapid.Bool().Draw(t, "in one process") {
			how.Rollouts = nil
		}
		if r, err = how.Resume(t.Context(), r, bcpace.Control{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(runtest.Bytes(t, r), want) {
			t.Fatalf("resumed: %d episodes with %d samples, stop %q: another run file than that of one process", len(r.Trace), r.Samples.Len(), r.Stop)
		}
	})
}

// TestRolloutsThatFail: the error of a model that breaks its contract is that of one process,
// and so is the run before it, whether the model fails at once, late or by a panic.
//
//test:race
func TestRolloutsThatFail(t *testing.T) {
	o := cpace.Solver{Epsilon: 20, LipQ: 1, Alpha: 100, RandomBelief: true, MaxEpisodes: 300, Batch: 7, Bound: cpace.BoundConstant, CertificateEpisodes: -1}
	for name, m := range map[string]bcpace.Model{
		"late":  struct{ bcpace.Model }{overpaid{}},
		"early": struct{ bcpace.Model }{overpaid{any: true}},
		"panic": struct{ bcpace.Model }{faulty{fault: func([]float64, *float64) { panic("none") }}},
	} {
		r, want := o.Explore(t.Context(), m, bcpace.Control{})
		s, err := playedBy(o, players(runs.FixedModel(m), 2, rand.New(rand.NewPCG(1, 2)))).Explore(t.Context(), m, bcpace.Control{})
		if is := new(bcpace.ConformanceError); !errors.As(err, &is) || err.Error() != want.Error() {
			t.Errorf("%s: error %v, want %v", name, err, want)
		}
		if (r == nil) != (s == nil) || r != nil && (s.Stop != r.Stop || s.Samples.Len() != r.Samples.Len() || s.Value != r.Value) {
			t.Errorf("%s: the run before the fault is %+v, want %+v", name, s, r)
		}
	}
}

// TestRolloutsRefused: what cannot be played elsewhere, and what the players get wrong, is an
// error that says so.
//
//test:race
func TestRolloutsRefused(t *testing.T) {
	tiger := envs.Tiger{}
	sound := players(runs.FixedModel(tiger), 1, rand.New(rand.NewPCG(1, 2)))
	down := errors.New("the server is down")
	with := func(change func(*cpace.Solver)) cpace.Solver {
		o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 5, Batch: 4, MaxEpisodes: 8, CertificateEpisodes: -1}
		change(&o)
		return o
	}
	as := func(*cpace.Solver) {}
	for words, c := range map[string]struct {
		o    cpace.Solver
		play func(context.Context, *cpace.Batch) error
	}{
		"Batch is 1, want at least 2":                {with(func(o *cpace.Solver) { o.Batch = 1 }), sound},
		"Latent is latent values, want none":         {with(func(o *cpace.Solver) { o.Latent = noValues{} }), sound},
		"a function that has left out episode 0":     {with(as), func(context.Context, *cpace.Batch) error { return nil }},
		"playing episodes 0 to 3: the server is dow": {with(as), func(context.Context, *cpace.Batch) error { return down }},
		"does something else": {with(as), players(func(string, []bcpace.Param) (bcpace.Model, error) {
			return envs.Tiger{Accuracy: 0.9}, nil
		}, 1, rand.New(rand.NewPCG(1, 2)))},
		"5 episodes from number 0 on, want some of the 4": {with(as), func(_ context.Context, b *cpace.Batch) error { return b.Played(0, 5, nil) }},
		"does not fail here": {with(as), func(ctx context.Context, b *cpace.Batch) error {
			w, err := cpace.NewBatchWorker(ctx, b.Setup, runs.FixedModel(tiger))
			if err != nil {
				return err
			}
			for i := range b.Episodes {
				out, err := w.Play(ctx, b.Estimate, i, 1)
				if err != nil {
					return err
				}
				if i == 2 { // an error of four letters in place of the steps
					out = append(append(bytes.Clone(out[:24]), make([]byte, 24)...), 4, 0, 0, 0, 'o', 'o', 'p', 's')
				}
				if err := b.Played(i, 1, out); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		r, err := playedBy(c.o, c.play).Explore(t.Context(), tiger, bcpace.Control{})
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("run %v, error %v, want %q", r, err, words)
		}
	}
}

// TestRolloutsAreResumedAfterAFault: where the players fail, the run so far comes back, and
// goes on to the end.
//
//test:race
func TestRolloutsAreResumedAfterAFault(t *testing.T) {
	m := envs.LightDarkTiger{}
	o := cpace.Solver{Epsilon: 1, LipQ: 2, K: 3, Batch: 6, MaxEpisodes: 60, CertificateEpisodes: -1}
	sound, batches := players(runs.FixedModel(m), 2, rand.New(rand.NewPCG(1, 2))), 0
	r, err := playedBy(o, func(ctx context.Context, b *cpace.Batch) error {
		if batches++; batches > 3 {
			return errors.New("the server is down")
		}
		return sound(ctx, b)
	}).Explore(t.Context(), m, bcpace.Control{})
	if err == nil || r == nil || r.Stop != stop.Fault || len(r.Trace) != 18 {
		t.Fatalf("run %v, error %v, want one of 18 episodes", r, err)
	}
	if r, err = playedBy(o, sound).Resume(t.Context(), r, bcpace.Control{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(runtest.Bytes(t, r), runtest.Explored(t, m, o, 1)) {
		t.Error("another run file than that of one process")
	}
}

// firstBatches returns the first batches of an exploration, and a worker for them.
func firstBatches(t testing.TB, m bcpace.Model, o cpace.Solver) (batches []cpace.Batch, w *cpace.BatchWorker) {
	t.Helper()
	play := players(runs.FixedModel(m), 1, rand.New(rand.NewPCG(1, 2)))
	_, err := playedBy(o, func(ctx context.Context, b *cpace.Batch) error {
		batches = append(batches, *b)
		return play(ctx, b)
	}).Explore(t.Context(), m, bcpace.Control{})
	if err == nil {
		w, err = cpace.NewBatchWorker(t.Context(), batches[0].Setup, runs.FixedModel(m))
	}
	if err != nil {
		t.Fatal(err)
	}
	return batches, w
}

// TestEstimatesOfManyBatches: a worker that goes from one estimate to another, and back,
// while others play, plays what a fresh one does.
//
//test:race
func TestEstimatesOfManyBatches(t *testing.T) {
	o := cpace.Solver{Epsilon: 0.5, LipQ: 10, K: 3, Batch: 5, MaxEpisodes: 60, CertificateEpisodes: -1}
	m := envs.LightDarkTiger{Sigma: 0.1, Width: 3, Height: 3, Nodes: 2}
	batches, w := firstBatches(t, m, o)
	var wg sync.WaitGroup
	for g := range 4 {
		rng := rand.New(rand.NewPCG(uint64(g), 3))
		wg.Go(func() {
			for range 12 {
				b := batches[rng.IntN(len(batches))]
				got, err := w.Play(context.Background(), b.Estimate, b.First, b.Episodes)
				fresh, failed := cpace.NewBatchWorker(context.Background(), b.Setup, runs.FixedModel(m))
				if err != nil || failed != nil {
					t.Error(err, failed)
					return
				}
				if want, _ := fresh.Play(context.Background(), b.Estimate, b.First, b.Episodes); !bytes.Equal(got, want) {
					t.Errorf("episodes from %d on: other rollouts than those of a fresh worker", b.First)
				}
			}
		})
	}
	wg.Wait()
}

// TestForeignBytes: a change of any byte of what programs send to each other is an error or
// makes other bytes that may be right, and never a panic; bytes that are cut off are errors.
func TestForeignBytes(t *testing.T) {
	m := envs.LightDarkTiger{Width: 3, Height: 3}
	batches, w := firstBatches(t, m, cpace.Solver{Epsilon: 0.5, LipQ: 2, K: 2, Batch: 2, MaxEpisodes: 6, Horizon: 4, CertificateEpisodes: -1})
	b := batches[1]
	rollouts, err := w.Play(t.Context(), b.Estimate, b.First, b.Episodes)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		read func([]byte) error
	}{
		"setup": {b.Setup, func(data []byte) error {
			_, err := cpace.NewBatchWorker(t.Context(), data, runs.FixedModel(m))
			return err
		}},
		"estimate": {b.Estimate, func(data []byte) error {
			_, err := w.Play(t.Context(), data, b.First, b.Episodes)
			return err
		}},
		"rollouts": {rollouts, func(data []byte) error { return b.Played(b.First, b.Episodes, data) }},
	} {
		if err := c.read(c.data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range c.data {
			if n < 400 || n%97 == 0 {
				if err := c.read(c.data[:n]); err == nil {
					t.Errorf("%s: its first %d bytes are taken for all %d", name, n, len(c.data))
				}
			}
		}
		if err := c.read(append(bytes.Clone(c.data), 0)); err == nil {
			t.Errorf("%s: taken with a byte more", name)
		}
		for n := range c.data {
			changed := bytes.Clone(c.data)
			changed[n] ^= 0xff
			if err := c.read(changed); n < 8 && err == nil {
				t.Errorf("%s: taken with another byte %d", name, n)
			}
		}
	}
	if _, err := w.Play(t.Context(), b.Estimate, math.MaxInt, 2); err == nil {
		t.Error("episodes beyond the last number are played")
	}
	if err := b.Played(math.MaxInt, 2, nil); err == nil {
		t.Error("episodes beyond the last number are taken")
	}
}

// FuzzBatch reads any bytes as what programs send to each other.
func FuzzBatch(f *testing.F) {
	m := envs.Chain{}
	batches, w := firstBatches(f, m, cpace.Solver{Epsilon: 0.5, LipQ: 2, K: 2, Batch: 2, MaxEpisodes: 6, Horizon: 4, CertificateEpisodes: -1})
	b := batches[1]
	rollouts, err := w.Play(f.Context(), b.Estimate, b.First, b.Episodes)
	if err != nil {
		f.Fatal(err)
	}
	for _, data := range [][]byte{b.Setup, b.Estimate, rollouts} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, err := cpace.NewBatchWorker(t.Context(), data, runs.FixedModel(m)); err == nil {
			_, _ = w.Play(t.Context(), b.Estimate, b.First, 1)
		}
		_, _ = w.Play(t.Context(), data, b.First, 1)
		_ = b.Played(b.First, b.Episodes, data)
	})
}
