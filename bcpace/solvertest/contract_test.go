package solvertest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// contractModels tries every solver on random models of every kind.
func contractModels(t *testing.T, try func(t *testing.T, s bcpace.Solver, m bcpace.Finite)) {
	for _, name := range solvers.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(20) {
				rng := rand.New(rand.NewPCG(seed, 17))
				o := randmodel.Varied(rng)
				o.Lists, o.Drifts = seed%2 == 1, seed%4 == 3
				m := randmodel.New(rng, o)
				try(t, entrant(t, name, m, rng), m)
			}
		})
	}
}

// summary is all of a solution that can be compared, with the actions of its policy
// where episodes may begin and at random beliefs.
func summary(t *testing.T, s bcpace.Solver, m bcpace.Finite, workers int) any {
	t.Helper()
	found, err := s.Solve(t.Context(), m, bcpace.Control{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	if found.Solver.Name() != s.Name() || !found.Stop.ByItself() && found.Stop != stop.Episodes && found.Stop != stop.Samples && found.Stop != stop.Steps {
		t.Errorf("%s: solver %s, stop %q", s.Name(), found.Solver.Name(), found.Stop)
	}
	var actions []int
	rng := rand.New(rand.NewPCG(1, 1))
	state, b := make([]float64, len(m.Spec().Axes)), make(bcpace.Belief, len(m.Spec().Latents))
	for i := range 20 {
		m.StateAt(state, i%m.NumStates())
		b.SampleSimplex(rng)
		s := state
		if len(found.Spec.Axes) > len(state) {
			s = append(s, 1) // one step left
		}
		actions = append(actions, found.Policy.Act(s, b, rand.New(rand.NewPCG(1, 1))))
	}
	value := found.Value
	for _, x := range append([]*float64{&value}, traced(found.Trace)...) { // of which none equals another
		if math.IsNaN(*x) {
			*x = math.MaxFloat64
		}
	}
	return []any{value, found.Certificate, found.Stop, found.Trace, actions}
}

// traced returns the values in a trace.
func traced(trace []bcpace.Progress) (values []*float64) {
	for i := range trace {
		values = append(values, &trace[i].Value)
	}
	return values
}

// The same solver finds the same, bit for bit, again and with any number of workers.
//
//test:race
func TestDeterminism(t *testing.T) {
	numbers := []int{8, 0}
	if testing.Short() {
		numbers = []int{8}
	}
	contractModels(t, func(t *testing.T, s bcpace.Solver, m bcpace.Finite) {
		one := summary(t, s, m, 1)
		for _, workers := range numbers {
			if again := summary(t, s, m, workers); !reflect.DeepEqual(one, again) {
				t.Errorf("%+v with %d workers finds %v, with one %v", s, workers, again, one)
			}
		}
	})
}

// A number of workers that cannot be is an error, and so are no model and a model that
// is no valid one.
//
//test:race
func TestBadInput(t *testing.T) {
	contractModels(t, func(t *testing.T, s bcpace.Solver, m bcpace.Finite) {
		for what, solve := range map[string]func() error{
			"workers": func() error { _, err := s.Solve(t.Context(), m, bcpace.Control{Workers: -1}); return err },
			"nil":     func() error { _, err := s.Solve(t.Context(), nil, bcpace.Control{}); return err },
		} {
			if err := solve(); !errors.As(err, new(*bcpace.InputError)) {
				t.Errorf("%+v, %s: %v, want an InputError", s, what, err)
			}
		}
	})
}

// hole is a Tiger whose first action leads nowhere.
type hole struct{ envs.Tiger }

func (m hole) Successors(z *bcpace.Successors, s []float64, action int) {
	if action > 0 {
		m.Tiger.Successors(z, s, action)
	}
}

// A model that lists nothing where an episode may be breaks its contract, whatever the
// solver; a planner and policy search do without lists.
func TestNothingFollows(t *testing.T) {
	for _, name := range solvers.Names() {
		if x, _ := solvers.Find(name); x.Plans() || name == policySearch {
			continue
		}
		s, err := solvers.New(name, envs.Tiger{})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := s.Solve(t.Context(), hole{}, bcpace.Control{}); !errors.As(err, new(*bcpace.ConformanceError)) {
			t.Errorf("%s: %+v, %v, want a ConformanceError", name, found, err)
		}
	}
}

// A policy of another model has no action there, which is an error and not a number.
func TestForeignPolicy(t *testing.T) {
	models := []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Width: 3, Height: 3}, runtest.NewLine(rand.New(rand.NewPCG(1, 1)), false)}
	for _, name := range solvers.Names() {
		for i, made := range models {
			s, err := solvers.New(name, made)
			if err != nil {
				t.Fatal(err)
			}
			switch e := s.(type) { // that end soon
			case cpace.Solver:
				e.MaxSamples, e.CertificateEpisodes = 20, -1
				s = e
			case certified.Solver:
				e.MaxSamples, e.CertificateEpisodes = 20, -1
				s = e
			case policysearch.Solver:
				e.MaxSteps, e.CertificateEpisodes = 2000, -1
				s = e
			}
			found, err := s.Solve(t.Context(), made, bcpace.Control{})
			if errors.As(err, new(*bcpace.UnsupportedError)) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for j, m := range models {
				if len(m.Spec().Axes) == len(made.Spec().Axes) && len(m.Spec().Latents) == len(made.Spec().Latents) {
					continue
				}
				r, rolled := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 100})
				if !errors.As(rolled, new(*bcpace.InputError)) {
					t.Errorf("the policy of %s on model %d earns %v on model %d, error %v, want an InputError", name, i, r.Mean, j, rolled)
				}
				if _, finite := bcpace.AsFinite(m); finite { // and a planner is refused anywhere
					v, err := eval.Evaluate(t.Context(), m, found.Policy, eval.ExactOptions{Horizon: 8})
					if !errors.As(err, new(*bcpace.InputError)) {
						t.Errorf("the policy of %s on model %d is worth %v on model %d, error %v, want an InputError", name, i, v.Value, j, err)
					}
				}
			}
		}
	}
}

// A solver is what its JSON says.
//
//test:race
func TestJSON(t *testing.T) {
	contractModels(t, func(t *testing.T, s bcpace.Solver, m bcpace.Finite) {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again := reflect.New(reflect.TypeOf(s))
		if err := json.Unmarshal(data, again.Interface()); err != nil {
			t.Fatal(err)
		}
		if read := again.Elem().Interface().(bcpace.Solver); !reflect.DeepEqual(read, s) {
			t.Errorf("%+v is %+v after JSON", s, read)
		}
	})
}

// Where the context ends, a solver returns what there is, with the reason, or the
// error of the context; and no bounds that contradict each other.
//
//test:race
func TestContextEnds(t *testing.T) {
	contractModels(t, func(t *testing.T, s bcpace.Solver, m bcpace.Finite) {
		past, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
		defer cancel()
		for what, c := range map[string]struct {
			ctx  context.Context
			err  error
			stop stop.Reason
		}{
			"cancelled": {runtest.Asked(0), context.Canceled, stop.Interrupted}, "soon": {runtest.Asked(3), context.Canceled, stop.Interrupted},
			"later": {runtest.Asked(40), context.Canceled, stop.Interrupted}, "deadline": {past, context.DeadlineExceeded, stop.Deadline},
		} {
			found, err := s.Solve(c.ctx, m, bcpace.Control{})
			switch {
			case err != nil && !errors.Is(err, c.err):
				t.Errorf("%+v, %s: error %v", s, what, err)
			case err != nil:
			case !(found.Certificate.Lower <= found.Certificate.Upper):
				t.Errorf("%+v, %s: %+v", s, what, found.Certificate)
			case found.Stop != c.stop && !found.Stop.ByItself() && found.Stop != stop.Episodes && found.Stop != stop.Samples && found.Stop != stop.Steps:
				t.Errorf("%+v, %s: stop %q", s, what, found.Stop)
			}
		}
	})
}
