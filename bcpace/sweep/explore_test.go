package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
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

// team is an engine whose workers have nothing in common, as programs on several machines:
// they take tasks in any order, and answers come in any order.
type team struct {
	Local   // its blobs
	workers []*rolloutWorkers
	rng     *rand.Rand
	// spoil, if set, changes an answer.
	spoil func(Task, *Answer)
}

func newTeam(workers int, rng *rand.Rand) *team {
	e := &team{rng: rng}
	for range workers {
		e.workers = append(e.workers, new(rolloutWorkers))
	}
	return e
}

func (e *team) Do(ctx context.Context, tasks []Task, o EngineObserver) error {
	work, done := make(chan Task, len(tasks)), make(chan Answer, len(tasks))
	for _, i := range e.rng.Perm(len(tasks)) {
		work <- tasks[i]
	}
	close(work)
	var all sync.WaitGroup
	for w, worker := range e.workers {
		all.Go(func() {
			for t := range work {
				output, err := worker.play(ctx, t.Input, e)
				if ctx.Err() != nil {
					return
				}
				a := Answer{Key: t.Key, Output: output, Worker: fmt.Sprint("worker ", w), Tries: 1}
				if err != nil {
					a.Fault = err.Error()
				}
				if e.spoil != nil {
					e.spoil(t, &a)
				}
				done <- a
			}
		})
	}
	go func() {
		all.Wait()
		close(done)
	}()
	var held []Answer
	answer := func() {
		i := e.rng.IntN(len(held))
		a := held[i]
		held[i] = held[len(held)-1]
		held = held[:len(held)-1]
		o.answered(a)
	}
	for a := range done {
		if held = append(held, a); e.rng.IntN(3) == 0 {
			answer()
		}
	}
	for len(held) > 0 {
		answer()
	}
	return ctx.Err()
}

// drawn is a random model that is known by its name and parameters.
type drawn struct {
	bcpace.Finite
	spec bcpace.Spec
}

func (m drawn) Spec() bcpace.Spec { return m.spec }

func init() {
	param := func(key, value string) envs.ParamInfo {
		return envs.ParamInfo{Key: key, Default: value, Want: "a number", Doc: "For a test."}
	}
	envs.Register(envs.Info{Name: "drawn", Doc: "A random model.", Params: []envs.ParamInfo{param("seed", "1"), param("horizon", "0")}}, func(v *envs.Values) (bcpace.Model, error) {
		m := drawn{Finite: randmodel.New(rand.New(rand.NewPCG(uint64(v.Count("seed")), 1)), randmodel.Options{Horizon: int(v.Float("horizon"))})}
		m.spec = m.Finite.Spec()
		m.spec.Name, m.spec.Params = v.Name(), v.Params()
		return m, nil
	})
	// Without numbered states or a list of what follows, as a simulator is.
	runtest.RegisterPatient()
}

// made is envs.New of a model that there is.
func made(t runtest.TB, name string, params ...bcpace.Param) bcpace.Model {
	t.Helper()
	m, err := envs.New(name, params)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// drawExploration draws a model that is known by its name, and options with batches.
func drawExploration(t *rapid.T) (m bcpace.Model, o cpace.Solver) {
	o = cpace.Solver{Epsilon: rapid.Float64Range(0.2, 5).Draw(t, "epsilon"), LipQ: rapid.Float64Range(0.5, 50).Draw(t, "lip"), K: rapid.IntRange(1, 8).Draw(t, "k")}
	switch kind := rapid.IntRange(0, 40).Draw(t, "kind of model"); {
	case kind == 0: // has a Box
		m = made(t, "dual-control")
		o = cpace.Solver{Epsilon: 0.8, LipQ: 0.5, K: 2, MaxSamples: 50, ControlPoints: 5, ControlTolerance: 0.05, Grid: dp.GridOptions{MaxPoints: 17}}
	case kind < 4:
		m = made(t, "light-dark-tiger", bcpace.Param{Key: "sigma", Value: "0.1"}, bcpace.Param{Key: "width", Value: "3"}, bcpace.Param{Key: "height", Value: "3"}, bcpace.Param{Key: "nodes", Value: "2"})
		o.Bound = cpace.BoundConstant // as the values of its latent MDPs take the most time
	case kind < 8:
		m = made(t, rapid.SampledFrom([]string{"tiger", "chain", "patient"}).Draw(t, "name"))
	default:
		m = made(t, "drawn", bcpace.Param{Key: "seed", Value: fmt.Sprint(rapid.IntRange(1, 1000).Draw(t, "random model"))},
			bcpace.Param{Key: "horizon", Value: fmt.Sprint(rapid.SampledFrom([]int{0, 3, 7}).Draw(t, "its horizon"))})
	}
	if o.MaxSamples == 0 {
		o.MaxSamples = rapid.SampledFrom([]int{0, 40, 200}).Draw(t, "samples")
	}
	o.Batch, o.Horizon = rapid.IntRange(2, 12).Draw(t, "batch"), rapid.IntRange(1, 20).Draw(t, "horizon")
	o.MaxEpisodes, o.Seed, o.CertificateEpisodes = rapid.IntRange(1, 40).Draw(t, "episodes"), rapid.Uint64().Draw(t, "seed"), -1
	o.RandomBelief = rapid.Bool().Draw(t, "random belief")
	return m, o
}

// TestExplore draws explorations, and expects the run file of one process, byte for byte,
// for several numbers of workers; and when the context ends at a random point, from a file
// of what was found until then and cpace.Solver.Resume.
//
//test:race
func TestExplore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, o := drawExploration(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		want := runtest.Explored(t, m, o, 2)
		e := newTeam(rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "workers"), rng)
		r, err := Explore(t.Context(), e, m, o, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(runtest.Bytes(t, r), want) {
			t.Fatalf("%d episodes with %d samples, stop %q: another run file than that of one process", len(r.Trace), r.Samples.Len(), r.Stop)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		left := rapid.IntRange(1, 40).Draw(t, "tasks before the end")
		var mu sync.Mutex
		e.spoil = func(Task, *Answer) {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				cancel()
			}
		}
		r, err = Explore(ctx, e, m, o, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = runs.Read(bytes.NewReader(runtest.Bytes(t, r)), envs.New, nil); err != nil {
			t.Fatal(err)
		}
		played := o
		played.Rollouts = Rollouts(&Local{Workers: 2}, nil)
		if r, err = played.Resume(t.Context(), r, bcpace.Control{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(runtest.Bytes(t, r), want) {
			t.Fatalf("resumed: %d episodes with %d samples, stop %q: another run file than that of one process", len(r.Trace), r.Samples.Len(), r.Stop)
		}
	})
}

// TestOwnLatentValues: a model that brings its values of the latent MDPs, which no file holds,
// brings them where the worker makes it, too.
//
//test:race
func TestOwnLatentValues(t *testing.T) {
	m := made(t, "rocksample", bcpace.Param{Key: "size", Value: "4"}, bcpace.Param{Key: "rocks", Value: "3"})
	if _, ok := m.(bcpace.LatentValues); !ok {
		t.Fatal("the model has no values of its own")
	}
	o := cpace.Solver{Epsilon: 1, LipQ: 5, K: 2, Batch: 6, Horizon: 15, MaxEpisodes: 40, Bound: cpace.BoundQMDP, CertificateEpisodes: -1}
	here, err := runs.Explore(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	there, err := Explore(t.Context(), newTeam(2, rand.New(rand.NewPCG(1, 2))), m, o, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if here.Samples.Len() == 0 || !reflect.DeepEqual(there.Samples, here.Samples) || !slices.Equal(there.Trace, here.Trace) {
		t.Errorf("%d samples, value %v; want %d, %v", there.Samples.Len(), there.Value, here.Samples.Len(), here.Value)
	}
}

// TestExploreFromACheckpoint: a checkpoint of a distributed exploration goes on in one
// process, to the same bytes.
//
//test:race
func TestExploreFromACheckpoint(t *testing.T) {
	m := made(t, "light-dark-tiger")
	o := cpace.Solver{Epsilon: 1, LipQ: 2, K: 3, Batch: 7, MaxEpisodes: 70, CertificateEpisodes: -1}
	var saved bytes.Buffer
	r, err := Explore(t.Context(), &Local{Workers: 2}, m, o, bcpace.Control{Checkpoint: func(p bcpace.Progress, soFar io.WriterTo) {
		if p.Episodes == 35 {
			soFar.WriteTo(&saved)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	part, err := runs.Read(&saved, envs.New, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := runs.Resume(t.Context(), part, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(runtest.Bytes(t, whole), runtest.Bytes(t, r)) {
		t.Error("another run file than that of the exploration in one piece")
	}
}

// TestLargeRollouts: rollouts that an answer has no room for come as blobs, and large batches
// in tasks of many episodes.
//
//test:race
func TestLargeRollouts(t *testing.T) {
	m := made(t, "light-dark-tiger", bcpace.Param{Key: "sigma", Value: "0.1"})
	o := cpace.Solver{Epsilon: 0.01, LipQ: 10, Batch: 260, MaxEpisodes: 261, Bound: cpace.BoundConstant, Horizon: 1300, MaxSamples: 500, CertificateEpisodes: -1}
	e, large, mu := newTeam(2, rand.New(rand.NewPCG(1, 2))), 0, sync.Mutex{}
	e.spoil = func(_ Task, a *Answer) {
		mu.Lock()
		defer mu.Unlock()
		if len(a.Output) > MaxInput {
			t.Errorf("an output of %d bytes", len(a.Output))
		}
		if a.Output[0] == packedBlob {
			large++
		}
	}
	r, err := Explore(t.Context(), e, m, o, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if large == 0 || !bytes.Equal(runtest.Bytes(t, r), runtest.Explored(t, m, o, 2)) {
		t.Errorf("%d answers were blobs; want some, and the run file of one process", large)
	}
}

// TestExploreErrors: what a worker cannot do ends the exploration with an error that says
// who could not do what, and the run so far.
//
//test:race
func TestExploreErrors(t *testing.T) {
	o := cpace.Solver{Epsilon: 1, LipQ: 2, K: 3, Batch: 4, MaxEpisodes: 20, Bound: cpace.BoundConstant, CertificateEpisodes: -1}
	chain := made(t, "chain")
	late := func(change func(*Answer)) func(Task, *Answer) {
		return func(t Task, a *Answer) {
			if t.Name == "episode 10" {
				change(a)
			}
		}
	}
	for words, c := range map[string]struct {
		m        bcpace.Model
		spoil    func(Task, *Answer)
		episodes int // of the run so far
	}{
		"does something else":                            {struct{ bcpace.Model }{envs.Chain{Length: 7}}, nil, 0},
		"environment is \"nobody's\", want one of tiger": {named{chain, "nobody's"}, nil, 0},
		"episode 10, played by worker 0: no memory":      {chain, late(func(a *Answer) { a.Fault = "no memory" }), 8},
		"the output is no bytes, want rollouts":          {chain, late(func(a *Answer) { a.Output = nil }), 8},
		"the first byte of the output":                   {chain, late(func(a *Answer) { a.Output = []byte("what?") }), 8},
		"their length is":                                {chain, late(func(a *Answer) { a.Output = a.Output[:len(a.Output)-1] }), 8},
		"file does not exist":                            {chain, late(func(a *Answer) { a.Output = []byte("b" + a.Key) }), 8},
	} {
		e := newTeam(1, rand.New(rand.NewPCG(1, 2)))
		e.spoil = c.spoil
		r, err := Explore(t.Context(), e, c.m, o, bcpace.Control{})
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want %q", err, words)
			continue
		}
		if episodes := 0; r != nil || c.episodes > 0 {
			if r != nil {
				episodes = len(r.Trace)
			}
			if episodes != c.episodes || r.Stop != stop.Fault {
				t.Errorf("%s: the run so far has %d episodes, want %d", words, episodes, c.episodes)
			}
		}
	}
	played := o
	played.Rollouts = Rollouts(&Local{}, nil)
	_, err := Explore(t.Context(), newTeam(1, nil), chain, played, bcpace.Control{})
	if is := new(bcpace.InputError); !errors.As(err, &is) {
		t.Errorf("two who play rollouts: error %v", err)
	}
}

// named is a model of another name.
type named struct {
	bcpace.Model
	name string
}

func (m named) Spec() bcpace.Spec {
	spec := m.Model.Spec()
	spec.Name = m.name
	return spec
}

// TestAWorkerForgets: a worker that takes part in many explorations keeps the last ones.
//
//test:race
func TestAWorkerForgets(t *testing.T) {
	var x rolloutWorkers
	for i := range 3 * mostRolloutWorkers {
		if w := x.of(fmt.Sprint(i)); w.setup != fmt.Sprint(i) || x.of(fmt.Sprint(max(0, i-1))).setup == w.setup && i > 0 || x.of(w.setup) != w {
			t.Errorf("exploration %d: another worker", i)
		}
		if len(x.list) > mostRolloutWorkers {
			t.Fatalf("%d workers are kept, want at most %d", len(x.list), mostRolloutWorkers)
		}
	}
}

// FuzzRolloutTask reads any bytes as the input of a task and as an output.
func FuzzRolloutTask(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, err := new(rolloutWorkers).play(t.Context(), data, new(Local)); err == nil {
			t.Errorf("a task without blobs has the output %q", out)
		}
		_, _ = unpack(t.Context(), new(Local), data)
	})
}

// slowOptions explore patient with so many rollouts of so many steps.
func slowOptions(batch, episodes, steps int) cpace.Solver {
	return cpace.Solver{Epsilon: 1, LipQ: 2, K: 3, Batch: batch, Horizon: steps, MaxEpisodes: episodes, Patience: episodes, CertificateEpisodes: -1}
}

// BenchmarkSlowRollouts has one and two workers play rollouts of a simulator that takes 50 ms
// for each: the two need half of the time.
func BenchmarkSlowRollouts(b *testing.B) {
	m := made(b, "patient", bcpace.Param{Key: "step", Value: "2"})
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", workers), func(b *testing.B) {
			e := &Local{Workers: workers}
			explored(b, e, m, slowOptions(20, 1, 25)) // the workers make the model
			for b.Loop() {
				explored(b, e, m, slowOptions(20, 100, 25))
			}
		})
	}
}

// BenchmarkOverhead has rollouts of ten steps of several lengths, in milliseconds, played by
// one goroutine, by one worker of an engine in this process, and by two.
func BenchmarkOverhead(b *testing.B) {
	for _, step := range []string{"0", "0.001", "0.003", "0.01", "0.03", "0.1"} {
		m, o := made(b, "patient", bcpace.Param{Key: "step", Value: step}), slowOptions(50, 2000, 10)
		for name, e := range map[string]Engine{"here": nil, "workers=1": &Local{Workers: 1}, "workers=2": &Local{Workers: 2}} {
			b.Run("step="+step+"/"+name, func(b *testing.B) {
				for b.Loop() {
					explored(b, e, m, o)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*o.MaxEpisodes), "µs/rollout")
			})
		}
	}
}

// explored explores m with an engine or, with nil, in one goroutine.
func explored(b *testing.B, e Engine, m bcpace.Model, o cpace.Solver) {
	b.Helper()
	var err error
	if e == nil {
		_, err = o.Explore(b.Context(), m, bcpace.Control{Workers: 1})
	} else {
		_, err = Explore(b.Context(), e, m, o, bcpace.Control{})
	}
	if err != nil {
		b.Fatal(err)
	}
}
