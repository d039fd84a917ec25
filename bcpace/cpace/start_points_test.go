package cpace_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// The bounds at every chosen start hold the optimum there, which is that of the
// model moved to start there, and are within ε.
func TestCertifiedStarts(t *testing.T) {
	const epsilon = 0.01
	starts := []bcpace.StartPoint{
		{State: []float64{0}, Belief: bcpace.Belief{0.97, 0.03}},
		{State: []float64{1}, Belief: bcpace.Belief{0.3, 0.7}},
		{State: []float64{0}, Belief: bcpace.Belief{0.6, 0.4}},
	}
	r, err := runs.Explore(t.Context(), envs.Tiger{}, certified.Solver{Epsilon: epsilon, Starts: starts})
	if err != nil || r.Stop != stop.Certified {
		t.Fatalf("%v, stop %q", err, r.Stop)
	}
	if c := r.Certificate; c.Lower > 19.371369 || c.Upper < 19.371368 || c.Gap() > epsilon {
		t.Errorf("the model's own start has %+v, want 19.371368 in it", c)
	}
	for _, p := range starts {
		exact, err := eval.Optimal(t.Context(), moved{envs.Tiger{}, p}, eval.ExactOptions{Tolerance: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		upper, action := r.At(p.State, p.Belief)
		if upper < exact.Value-exact.Error || upper > exact.Value+exact.Error+epsilon {
			t.Errorf("at %v: upper bound %v, optimum %v ± %v", p, upper, exact.Value, exact.Error)
		}
		if _, known := r.Q(p.State, p.Belief, action); !known {
			t.Errorf("at %v: not within ε", p)
		}
	}
	if _, err := runs.Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
	read := func() *runs.Run {
		var w bytes.Buffer
		if _, err := r.WriteTo(&w); err != nil {
			t.Fatal(err)
		}
		again, err := runs.Read(&w, envs.New, nil)
		if err != nil {
			t.Fatal(err)
		}
		return again
	}
	if got := read().Solver.(certified.Solver).Starts; !reflect.DeepEqual(got, starts) {
		t.Errorf("read back, the starts are %v, want %v", got, starts)
	}
}

// moved is Tiger with another start.
type moved struct {
	envs.Tiger
	at bcpace.StartPoint
}

func (m moved) Prior(b bcpace.Belief) { copy(b, m.at.Belief) }
func (m moved) Starts(z *bcpace.Successors) {
	s, p, _ := z.Add(false)
	copy(s, m.at.State)
	for i := range p {
		p[i] = 1
	}
}

// Episodes of Bayes-CPACE go through the list in turn.
func TestExploreFromStarts(t *testing.T) {
	starts := []bcpace.StartPoint{
		{State: []float64{3}, Belief: bcpace.Belief{1, 0, 0}},
		{State: []float64{5}, Belief: bcpace.Belief{0.2, 0.2, 0.6}},
	}
	for _, batch := range []int{0, 7} {
		r, err := runs.Explore(t.Context(), envs.Chain{}, cpace.Solver{Epsilon: 1, LipQ: 5, MaxEpisodes: 20, Batch: batch, Starts: starts})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for i := range r.Samples.Len() {
			if x := r.Samples.At(i); x.Time == 0 {
				seen++
				if p := starts[x.Episode%2]; x.State[0] != p.State[0] || x.Belief.L1(p.Belief) != 0 {
					t.Errorf("episode %d starts at %v, %v, want %v", x.Episode, x.State, x.Belief, p)
				}
			}
		}
		if seen < 2 {
			t.Errorf("batch %d: %d samples from the starts", batch, seen)
		}
	}
}

func TestStartsThatCannotBeUsed(t *testing.T) {
	b := bcpace.Belief{0.2, 0.3, 0.5}
	for _, c := range []struct {
		o    cpace.Solver
		want string
	}{
		{cpace.Solver{Starts: []bcpace.StartPoint{{State: []float64{1, 2}, Belief: b}}}, "Starts[0]: model \"chain\": the state is [1 2], want 1 numbers"},
		{cpace.Solver{Starts: []bcpace.StartPoint{{State: []float64{1}, Belief: b}, {State: []float64{9}, Belief: b}}}, "Starts[1]: model \"chain\": the state on axis"},
		{cpace.Solver{Starts: []bcpace.StartPoint{{State: []float64{math.NaN()}, Belief: b}}}, "is NaN"},
		{cpace.Solver{Starts: []bcpace.StartPoint{{State: []float64{1.5}, Belief: b}}}, "a whole number"},
		{cpace.Solver{Starts: []bcpace.StartPoint{{State: []float64{1}, Belief: bcpace.Belief{1}}}}, "3 probabilities"},
		{cpace.Solver{Starts: []bcpace.StartPoint{{State: []float64{1}, Belief: bcpace.Belief{0.5, 0.5, 0.5}}}}, "want 1"},
		{cpace.Solver{Starts: []bcpace.StartPoint{{State: []float64{1}, Belief: b}}, RandomBelief: true}, "RandomBelief is true beside Starts"},
	} {
		c.o.Epsilon = 1
		solvers := []runs.Explorer{c.o}
		if !c.o.RandomBelief {
			solvers = append(solvers, certified.Solver{Epsilon: 1, Starts: c.o.Starts})
		}
		for _, s := range solvers {
			_, err := runs.Explore(t.Context(), envs.Chain{}, s)
			if input := new(bcpace.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want an InputError with %q", s.Name(), err, c.want)
			}
		}
	}
}
