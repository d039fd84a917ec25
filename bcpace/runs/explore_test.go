package runs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

// literal is the paper's algorithm written down once more, word for word and
// without any index: every query sorts all samples of its action, and every
// sweep recomputes all estimates.
type literal struct {
	m      bcpace.Model
	o      cpace.Solver
	spec   bcpace.Spec
	metric metric.Metric
	latent bcpace.LatentValues
	c      []runs.Sample
}

func (l *literal) upper(s []float64, b bcpace.Belief, a int) float64 {
	switch l.o.Bound {
	case cpace.BoundBestCase:
		return dp.BestCase(l.latent, s, b, a)
	case cpace.BoundQMDP:
		return dp.Expected(l.latent, s, b, a)
	}
	return l.spec.VMax()
}

func (l *literal) query(s []float64, b bcpace.Belief, a int) (q float64, known bool) {
	if φ, d := b.NearestOneHot(); l.o.SeedOneHot && d <= l.o.Epsilon/(l.o.LipQ*(1+l.spec.Discount)) {
		return l.latent.Q(s, φ, a), true
	}
	type neighbour struct {
		d float64
		i int
	}
	var near []neighbour
	for i, x := range l.c {
		if x.Action == a {
			// Points that coincide up to rounding are one site.
			near = append(near, neighbour{math.Round(l.metric.Distance(s, b, x.State, x.Belief)*1e9) / 1e9, i})
		}
	}
	slices.SortStableFunc(near, func(x, y neighbour) int { return cmpFloat(x.d, y.d) })
	up := l.upper(s, b, a)
	for j := range l.o.K {
		if j < len(near) {
			q += min(2*l.o.LipQ*near[j].d+l.c[near[j].i].Q, up) / float64(l.o.K)
		} else {
			q += up / float64(l.o.K)
		}
	}
	return q, len(near) >= l.o.K && near[l.o.K-1].d <= l.o.Epsilon/(2*l.o.LipQ)
}

func cmpFloat(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (l *literal) value(s []float64, b bcpace.Belief) (v float64, action int) {
	v = math.Inf(-1)
	for a := range l.spec.Actions {
		if q, _ := l.query(s, b, a); q > v {
			v, action = q, a
		}
	}
	return v, action
}

// fixedPoint sweeps all samples at once until nothing moves.
func (l *literal) fixedPoint() {
	next := make([]float64, len(l.c))
	for range 2000 {
		change := 0.0
		for i, x := range l.c {
			next[i] = x.Reward
			if !x.Done {
				v, _ := l.value(x.Next, x.NextBelief)
				next[i] += l.spec.Discount * v
			}
			change = max(change, math.Abs(next[i]-x.Q))
		}
		for i := range l.c {
			l.c[i].Q = next[i]
		}
		if change < 1e-9 {
			return
		}
	}
}

// explore is Algorithm 1 for a number of episodes.
func (l *literal) explore(t *testing.T, episodes, horizon int) {
	sim := bcpace.NewSimulator(l.m)
	for e := range episodes {
		rng := rand.New(rand.NewPCG(l.o.Seed, uint64(e)))
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		for step := 0; step < horizon && !sim.Done; step++ {
			_, a := l.value(sim.State, sim.Belief)
			_, known := l.query(sim.State, sim.Belief, a)
			r, err := sim.Step(a, rng)
			if err != nil {
				t.Fatal(err)
			}
			if !known {
				l.c = append(l.c, runs.Sample{
					State: slices.Clone(sim.Prev), Belief: slices.Clone(sim.PrevBelief), Action: a, Reward: r, Done: sim.Done,
					Next: slices.Clone(sim.State), NextBelief: slices.Clone(sim.Belief), Q: r, Episode: e, Time: step,
				})
				l.fixedPoint()
			}
		}
	}
}

// Explore and its incremental lists against the literal algorithm: on the
// samples of the run the same fixed point, the same estimates and the same known
// queries, up to the tolerance of the fixed point, which is ε/1000. Where no two
// actions tie, the literal algorithm also takes the same samples in the same
// order; symmetric models tie, and rounding then chooses.
func TestExploreAgainstLiteralAlgorithm(t *testing.T) {
	for _, c := range []struct {
		name     string
		m        bcpace.Model
		o        cpace.Solver
		episodes int
		ties     bool
	}{
		{"tiger", envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 4, Alpha: 1, Bound: cpace.BoundBestCase, Seed: 3}, 6, true},
		{"tiger, constant bound", envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 30, K: 2, Alpha: 1, Bound: cpace.BoundConstant, Seed: 4}, 6, true},
		{"chain", envs.Chain{}, cpace.Solver{Epsilon: 2, LipQ: 8, K: 3, Alpha: 0.5, Bound: cpace.BoundBestCase, Seed: 5}, 4, false},
		{"chain in batches", envs.Chain{}, cpace.Solver{Epsilon: 2, LipQ: 8, K: 3, Alpha: 0.5, Bound: cpace.BoundBestCase, Seed: 5, Batch: 4}, 20, true},
		{"room, seeded", envs.LightDarkTiger{}, cpace.Solver{Epsilon: 0.2, LipQ: 1, K: 2, Alpha: 2, Bound: cpace.BoundQMDP, SeedOneHot: true, Seed: 6}, 12, true},
		{"ring", ring(t, 0), cpace.Solver{Epsilon: 0.3, LipQ: 0.5, K: 2, Alpha: 1, Bound: cpace.BoundBestCase, Seed: 8}, 5, true},
		{"noisy room", envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1}, cpace.Solver{Epsilon: 0.3, LipQ: 0.5, K: 2, Alpha: 1, Bound: cpace.BoundConstant, Seed: 7}, 5, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := c.m.Spec()
			latent, err := dp.SolveLatent(t.Context(), c.m)
			if err != nil {
				t.Fatal(err)
			}
			c.o.Latent, c.o.Horizon, c.o.MaxEpisodes, c.o.CertificateEpisodes = latent, 15, c.episodes, -1
			r, err := runs.Explore(t.Context(), c.m, c.o)
			if err != nil {
				t.Fatal(err)
			}
			l := &literal{m: c.m, o: c.o, spec: spec, metric: metric.New(spec, c.o.Alpha), latent: latent}
			if c.ties {
				for i := range r.Samples.Len() {
					l.c = append(l.c, r.Samples.At(i))
				}
				l.fixedPoint()
			} else {
				l.explore(t, c.episodes, c.o.Horizon)
			}
			if r.Samples.Len() != len(l.c) || len(l.c) == 0 {
				t.Fatalf("%d samples, want %d", r.Samples.Len(), len(l.c))
			}
			tolerance := c.o.Epsilon/1000 + 1e-6
			for i, want := range l.c {
				got := r.Samples.At(i)
				if got.Action != want.Action || got.Episode != want.Episode || got.Time != want.Time || !slices.Equal(got.State, want.State) {
					t.Fatalf("sample %d is %+v, want %+v", i, got, want)
				}
				if math.Abs(got.Q-want.Q) > tolerance {
					t.Errorf("sample %d has Q %v, want %v", i, got.Q, want.Q)
				}
			}
			rng := rand.New(rand.NewPCG(1, 1))
			b := make(bcpace.Belief, len(spec.Latents))
			for range 200 {
				i := rng.IntN(len(l.c))
				b.SampleSimplex(rng)
				if i%2 == 0 {
					copy(b, l.c[i].Belief)
				}
				a := rng.IntN(len(spec.Actions))
				q, known := r.Q(l.c[i].State, b, a)
				want, wantKnown := l.query(l.c[i].State, b, a)
				if math.Abs(q-want) > tolerance || known != wantKnown {
					t.Errorf("Q(%v, %v, %d) = %v, %v, want %v, %v", l.c[i].State, b, a, q, known, want, wantKnown)
				}
			}
		})
	}
}

// In a model without chance, with a Lipschitz constant that holds, the estimate
// is optimistic: Q̃ ≥ Q* at every query, up to the tolerance of the fixed point.
func TestEstimateIsOptimistic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, actions := rapid.IntRange(1, 5).Draw(t, "states"), rapid.IntRange(1, 3).Draw(t, "actions")
		γ := envtest.Evenly(0.3, 0.95).Draw(t, "discount")
		tables := bcpace.Tables{Name: "certain", States: names("s", n), Actions: names("a", actions), Latents: []string{"only"}, Discount: γ,
			P: [][][][]float64{make([][][]float64, actions)}, R: [][][]float64{make([][]float64, actions)}}
		for a := range actions {
			for range n {
				row := make([]float64, n)
				row[rapid.IntRange(0, n-1).Draw(t, "next")] = 1
				tables.P[0][a] = append(tables.P[0][a], row)
				tables.R[0][a] = append(tables.R[0][a], float64(rapid.IntRange(-5, 5).Draw(t, "reward")))
			}
		}
		m, err := bcpace.FromTables(tables)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := dp.SolveFinite(context.Background(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		spec := m.Spec()
		o := cpace.Solver{Epsilon: envtest.Evenly(0.01, 2).Draw(t, "epsilon"), K: rapid.IntRange(1, 3).Draw(t, "k"),
			LipQ: max(spec.VMax()-spec.VMin(), 0.1), Bound: rapid.SampledFrom([]cpace.Bound{cpace.BoundConstant, cpace.BoundBestCase}).Draw(t, "bound"),
			Batch: rapid.IntRange(0, 3).Draw(t, "batch"), MaxEpisodes: 8, Horizon: 20, Seed: rapid.Uint64().Draw(t, "seed"), CertificateEpisodes: -1}
		r, err := runs.Explore(context.Background(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		s, b := make([]float64, 1), bcpace.Belief{1}
		for i := range n {
			m.StateAt(s, i)
			for a := range actions {
				if q, _ := r.Q(s, b, a); q < exact.Q(s, 0, a)-o.Epsilon/1000-1e-9 {
					t.Fatalf("Q(%d, %d) = %v is below the optimum %v", i, a, q, exact.Q(s, 0, a))
				}
			}
		}
	})
}

func names(prefix string, n int) []string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprint(prefix, i)
	}
	return s
}

//test:race
func TestSameRunForAnyNumberOfWorkers(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Sigma: 0.1}} {
		o := envs.Tuned(m)
		o.K, o.MaxEpisodes, o.Seed, o.CertificateEpisodes = min(o.K, 10), 40, 9, 200
		one := runtest.Explored(t, m, o, 1)
		if eight := runtest.Explored(t, m, o, 8); !bytes.Equal(one, eight) {
			t.Errorf("%s: the run files of 1 and 8 workers differ", m.Spec().Name)
		}
		o.Seed++
		if other := runtest.Explored(t, m, o, 0); bytes.Equal(one, other) {
			t.Errorf("%s: another seed makes the same run", m.Spec().Name)
		}
	}
}

func TestRunFileKeepsTheRun(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{Sigma: 0.1}} {
		o := envs.Tuned(m)
		o.K, o.MaxEpisodes, o.RandomBelief, o.CertificateEpisodes = 3, 60, true, 200
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		var w bytes.Buffer
		if _, err := r.WriteTo(&w); err != nil {
			t.Fatal(err)
		}
		again, err := runs.Read(bytes.NewReader(w.Bytes()), envs.New, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again.Value != r.Value || again.Stop != r.Stop || again.Steps != r.Steps || !slices.Equal(again.Trace, r.Trace) {
			t.Errorf("%s: the run read back differs from the one saved", r.Spec.Name)
		}
		rng := rand.New(rand.NewPCG(2, 2))
		b := make(bcpace.Belief, len(r.Spec.Latents))
		for range 100 {
			x := r.Samples.At(rng.IntN(r.Samples.Len()))
			b.SampleSimplex(rng)
			q, known := r.Q(x.State, b, x.Action)
			if got, gotKnown := again.Q(x.State, b, x.Action); got != q || gotKnown != known {
				t.Fatalf("%s: Q = %v, %v after reading, %v, %v before", r.Spec.Name, got, gotKnown, q, known)
			}
		}
		var w2 bytes.Buffer
		if _, err := again.WriteTo(&w2); err != nil || !bytes.Equal(w.Bytes(), w2.Bytes()) {
			t.Errorf("%s: saved, read and saved again, the file differs (%v)", r.Spec.Name, err)
		}
	}
}

func TestUnusableRunFiles(t *testing.T) {
	o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 2, MaxEpisodes: 5}
	whole := runtest.Explored(t, envs.Tiger{}, o, 0)
	version := bytes.Clone(whole)
	version[8] = 99
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "truncated to 0 bytes"},
		{"cut in the magic", whole[:5], "truncated to 5 bytes"},
		{"cut in the frame", whole[:20], "truncated to 20 bytes"},
		{"cut in the middle", whole[:len(whole)/2], "truncated or damaged"},
		{"one byte short", whole[:len(whole)-1], "truncated or damaged"},
		{"foreign", []byte("\x89PNG\r\n\x1a\n and what follows in a picture"), "another kind of file"},
		{"later version", version, "version 99"},
		{"one bit flipped", flipped, "truncated or damaged"},
	} {
		_, err := runs.Read(bytes.NewReader(c.data), envs.New, nil)
		if !errors.Is(err, runs.ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an ErrFormat with %q", c.name, err, c.want)
		}
	}
	if _, err := runs.Read(bytes.NewReader(whole), runs.FixedModel(envs.Chain{}), nil); err == nil || !strings.Contains(err.Error(), `"tiger"`) {
		t.Errorf("the run of another model: %v", err)
	}
	if _, err := runs.Read(bytes.NewReader(whole), runs.FixedModel(envs.Tiger{Accuracy: 0.7}), nil); err == nil {
		t.Error("the run of a model with other parameters was read")
	}
}

// Whatever the bytes, reading gives a run that answers and may continue, or an error.
func FuzzReadRun(f *testing.F) {
	for _, o := range []runs.Explorer{
		cpace.Solver{Epsilon: 1, LipQ: 60, MaxEpisodes: 3},
		certified.Solver{Epsilon: 1, MaxEpisodes: 3},
		certified.Solver{Epsilon: 1, MaxSamples: 7, Batch: 2},
	} {
		var last []byte
		r, err := o.Explore(context.Background(), envs.Tiger{}, bcpace.Control{Checkpoint: func(_ bcpace.Progress, soFar io.WriterTo) {
			var w bytes.Buffer
			if _, err := soFar.WriteTo(&w); err != nil {
				f.Fatal(err)
			}
			last = w.Bytes()
		}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(last)
		whole := runtest.Bytes(f, r)
		f.Add(whole)
		f.Add(whole[:40])
		for _, at := range []int{34, 40, 50, 60, 70, 100, 200} { // of the state, and of the columns before
			spoilt := bytes.Clone(whole)
			spoilt[len(spoilt)-at] ^= 0xf0
			f.Add(spoilt)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := runs.Read(bytes.NewReader(runtest.Reseal(data)), envs.New, nil)
		if err != nil {
			return
		}
		r.At([]float64{0}, bcpace.Uniform(2))
		runtest.GoOn(r)
	})
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		o    runs.Explorer
		want string
	}{
		{cpace.Solver{}, "Epsilon is 0"},
		{cpace.Solver{Epsilon: -1}, "Epsilon is -1"},
		{cpace.Solver{Epsilon: math.NaN()}, "Epsilon is NaN"},
		{cpace.Solver{Epsilon: 1, K: -1}, "K is -1"},
		{cpace.Solver{Epsilon: 1, LipQ: math.Inf(1)}, "LipQ is +Inf"},
		{cpace.Solver{Epsilon: 1, Alpha: -2}, "Alpha is -2"},
		{cpace.Solver{Epsilon: 1, Beta: math.NaN()}, "Beta is NaN"},
		{cpace.Solver{Epsilon: 1, Batch: -1}, "Batch is -1"},
		{certified.Solver{Epsilon: 1, Batch: 5000}, "Batch is 5000, want a number of trials from 1 to 1024"},
		{cpace.Solver{Epsilon: 1, Horizon: -1}, "Horizon is -1"},
		{cpace.Solver{Epsilon: 1, Patience: -1}, "Patience is -1"},
		{cpace.Solver{Epsilon: 1, MaxSamples: -1}, "MaxSamples"},
		{cpace.Solver{Epsilon: 1, Bound: "tight"}, `Bound is "tight"`},
	} {
		_, err := runs.Explore(t.Context(), envs.Chain{}, c.o)
		if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an InputError with %q", c.o, err, c.want)
		}
	}
}

func TestSeedingIsRefusedWhereTheLatentIsRedrawn(t *testing.T) {
	_, err := runs.Explore(t.Context(), envs.Tiger{}, cpace.Solver{Epsilon: 1, SeedOneHot: true})
	if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "redrawn") {
		t.Errorf("%v, want an UnsupportedError that says why", err)
	}
	if _, err := runs.Explore(t.Context(), envs.Tiger{Ends: true}, cpace.Solver{Epsilon: 1, SeedOneHot: true, MaxEpisodes: 2}); err != nil {
		t.Errorf("Tiger that ends keeps its latent: %v", err)
	}
}

// contradictory changes a model's description or dynamics.
type contradictory struct {
	envs.Tiger
	calls *int
	fault string
}

func (b contradictory) Spec() bcpace.Spec {
	spec := b.Tiger.Spec()
	switch *b.calls++; {
	case b.fault == "actions" && *b.calls > 60: // while it is explored
		spec.Actions = spec.Actions[:2]
	case b.fault == "discount":
		spec.Discount = 1
	}
	return spec
}

func (b contradictory) Prior(p bcpace.Belief) {
	b.Tiger.Prior(p)
	if b.fault == "prior" {
		p[0] = 0.9
	}
}

func (b contradictory) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := b.Tiger.Step(next, s, latent, action, rng)
	if b.fault == "reward" {
		out.Reward = math.NaN()
	}
	return out
}

func (b contradictory) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	if b.fault == "likelihood" {
		return math.Inf(-1)
	}
	return b.Tiger.LogLikelihood(s, action, next, latent)
}

func TestModelsThatContradictThemselves(t *testing.T) {
	for fault, want := range map[string]string{
		"prior":      "want 1",
		"discount":   "a Horizon beside it",
		"reward":     "reward NaN",
		"likelihood": "impossible observation",
		"actions":    "2 actions",
	} {
		_, err := runs.Explore(t.Context(), contradictory{calls: new(int), fault: fault}, cpace.Solver{Epsilon: 1, MaxEpisodes: 200, Bound: cpace.BoundConstant})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", fault, err, want)
		}
	}
}

//test:race
func TestInterruptKeepsTheRun(t *testing.T) {
	for _, batch := range []int{0, 10} {
		ctx, cancel := context.WithCancel(t.Context())
		o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 50, Batch: batch}
		r, err := o.Explore(ctx, envs.Tiger{}, bcpace.Control{Progress: func(p bcpace.Progress) {
			if p.Samples > 30 {
				cancel()
			}
		}})
		if err != nil || r.Stop != stop.Interrupted || r.Samples.Len() <= 30 {
			t.Fatalf("batch %d: %v, stop %q", batch, err, r.Stop)
		}
		if _, action := r.At([]float64{0}, bcpace.Uniform(2)); action < 0 {
			t.Error("no action")
		}
	}
}

func TestBudgets(t *testing.T) {
	for _, batch := range []int{0, 7} {
		o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 50, Batch: batch, MaxSamples: 33, CertificateEpisodes: -1}
		r, err := runs.Explore(t.Context(), envs.Tiger{}, o)
		if err != nil || r.Samples.Len() != 33 || r.Stop != stop.Samples {
			t.Errorf("batch %d: %v, %d samples, stop %q, want 33 and the sample budget", batch, err, r.Samples.Len(), r.Stop)
		}
		added := 0
		for _, row := range r.Trace {
			added += row.Added
		}
		if added != 33 {
			t.Errorf("batch %d: the trace adds up to %d samples", batch, added)
		}
		o.MaxSamples, o.MaxEpisodes = 0, 16
		if r, err = runs.Explore(t.Context(), envs.Tiger{}, o); err != nil || len(r.Trace) != 16 || r.Stop != stop.Episodes {
			t.Errorf("batch %d: %v, %d episodes, stop %q, want 16 and the episode budget", batch, err, len(r.Trace), r.Stop)
		}
	}
}

// Proposition Approximate Value Iteration: no update takes more sweeps than
// ⌈log(β/Q̃max)/log γ⌉, here ⌈log(1/200)/log 0.95⌉ = 104 for the range 200+2000.
func TestApproximateValueIteration(t *testing.T) {
	r, err := runs.Explore(t.Context(), envs.Tiger{}, cpace.Solver{Epsilon: 1e-6, LipQ: 60, K: 5, Batch: 5, Beta: 11, MaxEpisodes: 50})
	if err != nil {
		t.Fatal(err)
	}
	limit := int(math.Ceil(math.Log(11.0/2200) / math.Log(0.95)))
	most := 0
	for _, row := range r.Trace {
		most = max(most, row.Sweeps)
	}
	if most == 0 || most > limit {
		t.Errorf("an update took %d sweeps, want at most %d", most, limit)
	}
}

// Returns against the exact optima, which are in the exact solver's tests too:
// dynamic programming over sufficient statistics. The seeds are fixed; the
// margins are many standard errors wide.
// A batch that finds samples does not end the exploration, however many of its
// episodes came after the last sample: the policy has not met it yet.
func TestABatchThatFindsSamplesIsNotTheLast(t *testing.T) {
	r, err := runs.Explore(t.Context(), envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 50, Batch: 200, Patience: 10, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stop != stop.Converged {
		t.Fatalf("stop %q", r.Stop)
	}
	for i, row := range r.Trace[len(r.Trace)-200:] {
		if row.Added > 0 {
			t.Errorf("episode %d of the last batch added %d samples", i, row.Added)
		}
	}
	if r.Value > 100 { // 200 is the bound that it begins with
		t.Errorf("value %v at the start", r.Value)
	}
}

// The policy is evaluated exactly where the model is finite, and played otherwise.
func TestTunedRunsAreNearOptimal(t *testing.T) {
	for _, c := range []struct {
		m       bcpace.Model
		horizon int
		least   float64
	}{
		{envs.Tiger{}, 100, 0.999 * 19.247},
		{envs.Chain{}, 100, 0.98 * 47.749},
		{envs.LightDarkTiger{Width: 9, Height: 9, Sigma: 0.01}, 0, 0.97 * 4.5171},
		{envs.LightDarkTiger{Width: 9, Height: 9, Sigma: 0.1}, 0, 0.97 * 4.5306},
	} {
		o := envs.Tuned(c.m)
		o.Seed, o.CertificateEpisodes = 1, -1
		r, err := runs.Explore(t.Context(), c.m, o)
		if err != nil {
			t.Fatal(err)
		}
		var value float64
		if _, finite := bcpace.AsFinite(c.m); finite {
			x, failed := eval.Evaluate(t.Context(), c.m, r.Policy(), eval.ExactOptions{Horizon: c.horizon})
			value, err = x.Value, failed
		} else {
			x, failed := eval.Rollouts(t.Context(), c.m, r.Policy(), eval.Options{Episodes: 4000, Horizon: c.horizon, Seed: 7})
			value, err = x.Mean, failed
		}
		if err != nil {
			t.Fatal(err)
		}
		if value < c.least {
			t.Errorf("%s %v: value %.3f, want at least %.3f", r.Spec.Name, r.Spec.Params, value, c.least)
		}
		if w := r.Warnings(); w != nil {
			t.Errorf("%s %v: there is nothing to warn of, not %v", r.Spec.Name, r.Spec.Params, w)
		}
	}
}

func TestDiscreteRoomsAreSolvedExactly(t *testing.T) {
	for _, c := range []struct {
		size    int
		optimum float64
	}{{5, 6.98337}, {9, 4.63291}} {
		m := envs.LightDarkTiger{Width: c.size, Height: c.size}
		r, err := runs.Explore(t.Context(), m, envs.Tuned(m))
		if err != nil {
			t.Fatal(err)
		}
		res, err := eval.Rollouts(t.Context(), m, r.Policy(), eval.Options{Episodes: 100})
		if err != nil {
			t.Fatal(err)
		}
		if w := r.Warnings(); w != nil {
			t.Errorf("%d×%d: there is nothing to warn of, not %v", c.size, c.size, w)
		}
		for _, g := range res.Returns {
			if math.Abs(g-c.optimum) > 5e-6 {
				t.Fatalf("%d×%d: return %v, want the optimum %v", c.size, c.size, g, c.optimum)
			}
		}
	}
}
