package runs_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// corridor walks 30 cells to a goal; its latents differ in how often a step
// succeeds. It has no parameters, as a model in a notebook cell.
type corridor struct {
	goal     float64
	slip     float64
	lists    bool // of successors
	numbered bool // states
}

func (c corridor) model(t testing.TB) bcpace.Model {
	t.Helper()
	odds := func(latent int) float64 { return []float64{0.9, c.slip}[latent] }
	f := bcpace.Funcs{
		Spec: bcpace.Spec{Name: "corridor", Axes: []bcpace.Axis{{Name: "cell", Max: 29, Discrete: true}}, Actions: bcpace.Actions("back", "forth"),
			Latents: []string{"dry", "wet"}, Discount: 0.98, RewardMin: -1e4, RewardMax: 100},
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			next[0] = s[0]
			if rng.Float64() < odds(latent) {
				next[0] = min(max(s[0]+float64(2*action-1), 0), 29)
			}
			if next[0] == 29 {
				return bcpace.Outcome{Reward: c.goal, Done: true}
			}
			return bcpace.Outcome{}
		},
		LogLikelihood: func(s []float64, action int, next []float64, latent int) float64 {
			moved := min(max(s[0]+float64(2*action-1), 0), 29)
			p := 0.0
			if next[0] == moved {
				p += odds(latent)
			}
			if next[0] == s[0] {
				p += 1 - odds(latent)
			}
			return math.Log(p)
		},
	}
	if c.lists {
		f.Successors = func(z *bcpace.Successors, s []float64, action int) {
			moved := min(max(s[0]+float64(2*action-1), 0), 29)
			add := func(to float64, p func(latent int) float64) {
				next, prob, reward := z.Add(to == 29)
				next[0] = to
				for l := range prob {
					prob[l] = p(l)
					if to == 29 {
						reward[l] = c.goal
					}
				}
			}
			if moved == s[0] {
				add(moved, func(int) float64 { return 1 })
				return
			}
			add(moved, odds)
			add(s[0], func(l int) float64 { return 1 - odds(l) })
		}
	}
	m, err := bcpace.FromFuncs(f)
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := bcpace.AsFinite(m); ok && !c.numbered {
		return listed{f}
	}
	return m
}

// TestChangedModel: a run is read for the model that was explored, and for no other
// one of the same description.
func TestChangedModel(t *testing.T) {
	certified := certified.Solver{Epsilon: 1, MaxSamples: 200, CertificateEpisodes: -1}
	for _, c := range []struct {
		was corridor
		o   runs.Explorer
	}{
		{corridor{goal: 100, slip: 0.5}, cpace.Solver{Epsilon: 1, LipQ: 20, K: 3, MaxEpisodes: 60, Horizon: 200, CertificateEpisodes: -1}},
		{corridor{goal: 100, slip: 0.5, lists: true}, certified},
		{corridor{goal: 100, slip: 0.5, lists: true, numbered: true}, certified},
		{corridor{goal: -5000, slip: 0.5, lists: true, numbered: true}, certified},
	} {
		was, o := c.was, c.o
		r, err := runs.Explore(t.Context(), was.model(t), o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := r.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := runs.Read(bytes.NewReader(b.Bytes()), runs.FixedModel(was.model(t)), nil); err != nil {
			t.Errorf("%s: the same model: %v", o.Name(), err)
		}
		rapid.Check(t, func(rt *rapid.T) {
			is := was
			if rapid.Bool().Draw(rt, "another goal") {
				is.goal = rapid.Float64Range(-1e4, was.goal-0.1).Draw(rt, "goal")
			} else {
				is.slip = envtest.Evenly(0, 0.49).Draw(rt, "slip")
			}
			_, err := runs.Read(bytes.NewReader(b.Bytes()), runs.FixedModel(is.model(t)), nil)
			if input := new(bcpace.InputError); !errors.As(err, &input) {
				rt.Fatalf("%s: a run of %+v is read for %+v: error %v", o.Name(), was, is, err)
			}
		})
	}
}
