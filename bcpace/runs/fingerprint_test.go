package runs_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// changed is a model of which one ingredient is another one.
type changed struct {
	bcpace.Finite
	spec    func(*bcpace.Spec)
	kind    func(bcpace.LatentKind) bcpace.LatentKind
	prior   func(bcpace.Belief)
	starts  func(*bcpace.Successors)
	lists   func(z *bcpace.Successors, s []float64, action int)
	latents func(p []float64, s []float64, action, latent int)
}

func (m changed) Spec() bcpace.Spec {
	spec := m.Finite.Spec()
	if m.spec != nil {
		spec.Axes, spec.Actions, spec.Latents = slices.Clone(spec.Axes), slices.Clone(spec.Actions), slices.Clone(spec.Latents)
		m.spec(&spec)
	}
	return spec
}

func (m changed) Prior(b bcpace.Belief) {
	if m.Finite.Prior(b); m.prior != nil {
		m.prior(b)
	}
}

func (m changed) Starts(z *bcpace.Successors) {
	if m.Finite.Starts(z); m.starts != nil {
		m.starts(z)
	}
}

func (m changed) Successors(z *bcpace.Successors, s []float64, action int) {
	if m.Finite.Successors(z, s, action); m.lists != nil {
		m.lists(z, s, action)
	}
}

func (m changed) LatentKind() bcpace.LatentKind {
	kind := bcpace.KindOf(m.Finite)
	if m.kind != nil {
		kind = m.kind(kind)
	}
	return kind
}

func (m changed) LatentTransition(p []float64, s []float64, action, latent int) bool {
	d, ok := m.Finite.(bcpace.LatentDynamics)
	if ok = ok && d.LatentTransition(p, s, action, latent); ok && m.latents != nil {
		m.latents(p, s, action, latent)
	}
	return ok
}

// shift moves a little of the largest probability to another one.
func shift(rng *rand.Rand, p []float64) {
	from := 0
	for i, x := range p {
		if x > p[from] {
			from = i
		}
	}
	δ := p[from] * math.Exp2(-float64(2+rng.IntN(25)))
	p[from] -= δ
	p[(from+1)%len(p)] += δ
}

// alterations draws one change of every ingredient of m, by its name.
func alterations(rng *rand.Rand, m bcpace.Finite) map[string]changed {
	spec := m.Spec()
	s := make([]float64, len(spec.Axes))
	at := func(change func(z *bcpace.Successors, row int, φ int)) func(z *bcpace.Successors, s []float64, action int) {
		state, action, row, φ := rng.IntN(m.NumStates()), rng.IntN(len(spec.Actions)), rng.IntN(100), rng.IntN(len(spec.Latents))
		return func(z *bcpace.Successors, s []float64, a int) {
			if m.StateIndex(s) == state && a == action {
				change(z, row%z.Len(), φ)
			}
		}
	}
	all := map[string]changed{
		"prior": {prior: func(b bcpace.Belief) { b[0], b[1] = b[1], b[0] }},
		"start": {starts: func(z *bcpace.Successors) {
			// The weight of a start state moves to another one, under every latent.
			last := z.Len() - 1
			if last == 0 {
				z.States[0]++
				return
			}
			for φ := range spec.Latents {
				δ := z.Prob[φ] / 1e6
				z.Prob[φ] -= δ
				z.Prob[last*len(spec.Latents)+φ] += δ
			}
		}},
		"start of one latent": {starts: func(z *bcpace.Successors) { z.Prob[0] = math.Nextafter(z.Prob[0], 0) }},
		"end":                 {lists: at(func(z *bcpace.Successors, i, _ int) { z.Done[i] = !z.Done[i] })},
		"reward": {lists: at(func(z *bcpace.Successors, i, φ int) {
			_, _, r := z.Row(i)
			r[φ] = math.Nextafter(r[φ], 0)
			if r[φ] == 0 {
				r[φ] = 1e-9
			}
		})},
		"successor": {lists: at(func(z *bcpace.Successors, i, _ int) {
			to, _, _ := z.Row(i)
			m.StateAt(s, (m.StateIndex(to)+1)%m.NumStates())
			copy(to, s)
		})},
		"probability": {lists: at(func(z *bcpace.Successors, i, φ int) {
			_, p, _ := z.Row(i)
			if p[φ] = math.Nextafter(p[φ], 0); p[φ] == 0 {
				p[φ] = 1e-9
			}
		})},
		"discount":    {spec: func(s *bcpace.Spec) { s.Discount = math.Nextafter(s.Discount, 0) }},
		"horizon":     {spec: func(s *bcpace.Spec) { s.Horizon = s.Horizon + 50 }},
		"least":       {spec: func(s *bcpace.Spec) { s.RewardMin = math.Nextafter(s.RewardMin, -1e9) }},
		"largest":     {spec: func(s *bcpace.Spec) { s.RewardMax = math.Nextafter(s.RewardMax, 1e9) }},
		"axis":        {spec: func(s *bcpace.Spec) { s.Axes[0].Scale = 2 }},
		"action":      {spec: func(s *bcpace.Spec) { s.Actions[0].Name += "'" }},
		"latent":      {spec: func(s *bcpace.Spec) { s.Latents[1] += "'" }},
		"parameter":   {spec: func(s *bcpace.Spec) { s.Params = []bcpace.Param{{Key: "p", Value: "1"}} }},
		"latent kind": {kind: func(k bcpace.LatentKind) bcpace.LatentKind { return (k + 1) % 3 }},
	}
	if d, ok := m.(bcpace.LatentDynamics); ok {
		row := make([]float64, len(spec.Latents))
		for range 100 {
			state, action, φ := rng.IntN(m.NumStates()), rng.IntN(len(spec.Actions)), rng.IntN(len(spec.Latents))
			m.StateAt(s, state)
			if d.LatentTransition(row, s, action, φ) {
				seed := rng.Uint64()
				all["latent dynamics"] = changed{latents: func(p []float64, s []float64, a, l int) {
					if m.StateIndex(s) == state && a == action && l == φ {
						shift(rand.New(rand.NewPCG(seed, 0)), p)
					}
				}}
				break
			}
		}
	}
	for name, a := range all {
		a.Finite = m
		all[name] = a
	}
	return all
}

// TestFingerprint: any change of an ingredient, however small, gives another
// fingerprint and is refused where a run is read; the same model has the same one.
func TestFingerprint(t *testing.T) {
	for i := range 48 {
		rng := rand.New(rand.NewPCG(uint64(i), 30))
		m := randmodel.New(rng, randmodel.Options{Kind: bcpace.LatentKind(i % 3)})
		was := changed{Finite: m}
		print := func(m bcpace.Model) string {
			t.Helper()
			text, err := fingerprint.Of(m, nil)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if a, b := print(m), print(was); a != b || len(a) != 64 {
			t.Fatalf("model %d: fingerprints %s and %s of the same model", i, a, b)
		}
		o := []runs.Explorer{cpace.Solver{Epsilon: 1, MaxEpisodes: 2, CertificateEpisodes: -1}, certified.Solver{Epsilon: 1, MaxEpisodes: 2, CertificateEpisodes: -1}}[i/3%2]
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := r.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(was), nil); err != nil {
			t.Fatalf("model %d: the same model: %v", i, err)
		}
		for name, is := range alterations(rng, m) {
			if print(is) == print(m) {
				t.Errorf("model %d: another %s has the same fingerprint", i, name)
			}
			_, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(is), nil)
			if input := new(bcpace.InputError); !errors.As(err, &input) {
				t.Errorf("model %d: another %s: the run is read, error %v", i, name, err)
			}
		}
	}
}

// TestFingerprintFuncs changes models that list nothing.
func TestFingerprintFuncs(t *testing.T) {
	type walk struct {
		start, slip, reward, prior, tells float64
		end                               bool
	}
	model := func(w walk) bcpace.Model {
		f := bcpace.Funcs{
			Spec: bcpace.Spec{Name: "walk", Axes: []bcpace.Axis{{Name: "x", Min: -10, Max: 10}}, Actions: bcpace.Actions("left", "right"),
				Latents: []string{"dry", "wet"}, Discount: 0.9, RewardMin: -10, RewardMax: 10},
			Prior: bcpace.Belief{0.5 + w.prior, 0.5 - w.prior},
			Start: func(s []float64, latent int, rng *rand.Rand) {
				s[0] = 0
				if rng.Float64() < 0.5+w.start {
					s[0] = 1
				}
			},
			StartLogLikelihood: func(s []float64, latent int) float64 { return w.tells * float64(latent) },
			Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
				x := float64(2*action-1) + float64(latent)*w.slip
				next[0] = min(max(s[0]+x, -10), 10)
				return bcpace.Outcome{Reward: next[0]*0.5 + w.reward, Done: w.end && next[0] > 4}
			},
			LogLikelihood: func(s []float64, action int, next []float64, latent int) float64 { return 0 },
		}
		m, err := bcpace.FromFuncs(f)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	seen := map[string]string{}
	for name, w := range map[string]walk{
		"none": {}, "start": {start: 0.05}, "slip": {slip: 1e-9}, "reward": {reward: 1e-9}, "prior": {prior: 1e-12}, "what the start tells": {tells: 1e-9}, "end": {end: true},
	} {
		print, err := fingerprint.Of(model(w), nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := fingerprint.Of(model(w), nil); again != print {
			t.Errorf("change %s: the same model has two fingerprints", name)
		}
		if other, ok := seen[print]; ok {
			t.Errorf("change %s has the fingerprint of change %s", name, other)
		}
		seen[print] = name
	}
}

// TestFingerprintErrors: a model that panics is named.
func TestFingerprintErrors(t *testing.T) {
	m := changed{Finite: randmodel.New(rand.New(rand.NewPCG(1, 1)), randmodel.Options{}), lists: func(*bcpace.Successors, []float64, int) { panic("no list") }}
	_, err := fingerprint.Of(m, nil)
	if fault := new(bcpace.ConformanceError); !errors.As(err, &fault) {
		t.Errorf("error %v, want a ConformanceError", err)
	}
	if _, err := fingerprint.Of(nil, nil); err == nil {
		t.Error("no error without a model")
	}
}

// TestReadLatent: the user's own latent values are compared where a run is read.
func TestReadLatent(t *testing.T) {
	values := func(x float64) bcpace.LatentValues {
		return dp.LatentFunc(func(s []float64, latent, action int) float64 {
			if s[0] == 2 && latent == 1 {
				return 50 + x
			}
			return 50
		})
	}
	for _, m := range []bcpace.Model{envs.Tiger{}, listed{envs.Tiger{}}} {
		o := cpace.Solver{Epsilon: 10, MaxEpisodes: 2, CertificateEpisodes: -1, Latent: values(0), Bound: cpace.BoundQMDP}
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := r.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		for x, same := range map[float64]bool{0: true, 1e-12: false} {
			_, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(m), values(x))
			if input := new(bcpace.InputError); (err == nil) != same || err != nil && !errors.As(err, &input) {
				t.Errorf("%T: values that differ by %v are read with error %v", m, x, err)
			}
		}
	}
}

func BenchmarkFingerprint(b *testing.B) {
	big := randmodel.New(rand.New(rand.NewPCG(1, 1)), randmodel.Options{States: 100, Latents: 2, Actions: 4, Branch: 4})
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Width: 9, Height: 9}, envs.LightDarkTiger{Width: 100, Height: 100},
		envs.LightDarkTiger{Width: 5, Height: 5, Sigma: 0.1}, big} {
		spec := m.Spec()
		b.Run(fmt.Sprint(spec.Name, spec.Params), func(b *testing.B) {
			for b.Loop() {
				if _, err := fingerprint.Of(m, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
