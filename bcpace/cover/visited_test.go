package cover_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// explored returns a short run of a model.
func explored(t *testing.T, m bcpace.Model, o cpace.Solver) *runs.Run {
	t.Helper()
	o.Epsilon, o.LipQ, o.MaxSamples, o.CertificateEpisodes = 0.5, 10, 30, -1
	r, err := runs.Explore(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestVisited: the distances of visited points are those of the paper between the samples, or between their
// states or beliefs alone.
func TestVisited(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Sigma: 0.1}} {
		r := explored(t, m, cpace.Solver{Alpha: 0.7})
		queries, pairs := metric.NewQueries(r.Spec, 0.7), metric.New(r.Spec, 0.7)
		for what, distance := range map[cover.Visit]func(x, y runs.Sample) float64{
			cover.Queries: func(x, y runs.Sample) float64 {
				return queries.Distance(x.State, x.Belief, x.Action, y.State, y.Belief, y.Action)
			},
			cover.StateBeliefs: func(x, y runs.Sample) float64 { return pairs.Distance(x.State, x.Belief, y.State, y.Belief) },
			cover.States:       func(x, y runs.Sample) float64 { return pairs.Distance(x.State, x.Belief, y.State, x.Belief) },
			cover.Beliefs:      func(x, y runs.Sample) float64 { return x.Belief.L1(y.Belief) },
		} {
			p, err := cover.Visited(r, what)
			if err != nil || p.Len() != r.Samples.Len() || p.Validate() != nil {
				t.Fatalf("%s, %v: %v, %v", r.Spec.Name, what, p, err)
			}
			for i := range p.Len() {
				for j := range i {
					got, want := p.Distance(i, j), distance(r.Samples.At(i), r.Samples.At(j))
					if !(math.Abs(got-want) <= 1e-12) && got != want {
						t.Fatalf("%s, %v: %v from %d to %d, want %v", r.Spec.Name, what, got, i, j, want)
					}
				}
			}
		}
	}
}

// TestVisitedByMany: the points of several runs of one model follow one another, and what runs of other models or of
// another α have visited is refused.
func TestVisitedByMany(t *testing.T) {
	r, s := explored(t, envs.Chain{}, cpace.Solver{}), explored(t, envs.Chain{}, cpace.Solver{Seed: 4})
	for what := cover.Queries; what <= cover.Beliefs; what++ {
		x, err := cover.Visited(r, what)
		y, err2 := cover.Visited(s, what)
		both, err3 := cover.Visited(r, what, s)
		if err := errors.Join(err, err2, err3); err != nil || !slices.Equal(both.Coords, append(x.Coords, y.Coords...)) || !slices.Equal(both.Kind, append(x.Kind, y.Kind...)) {
			t.Errorf("%v: %v, %v", what, both, err)
		}
	}
	input := (*bcpace.InputError)(nil)
	for want, bad := range map[string]func() (*cover.Points, error){
		"visited points: run 1 is of another model (": func() (*cover.Points, error) {
			return cover.Visited(r, cover.States, explored(t, envs.Tiger{}, cpace.Solver{}))
		},
		"visited points: run 2 is of another model (": func() (*cover.Points, error) {
			return cover.Visited(r, cover.States, s, explored(t, envs.Chain{Slips: []float64{0.1, 0.5}}, cpace.Solver{}))
		},
		"visited points: run 1 is of α = 2, want 1": func() (*cover.Points, error) {
			return cover.Visited(r, cover.States, explored(t, envs.Chain{}, cpace.Solver{Alpha: 2}))
		},
		"visited points: run 0 is nil": func() (*cover.Points, error) { return cover.Visited(nil, cover.States) },
		"visited points: Visit is 4":   func() (*cover.Points, error) { return cover.Visited(r, cover.Beliefs+1) },
	} {
		if _, err := bad(); !errors.As(err, &input) || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
