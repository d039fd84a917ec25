package solvertest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
)

// looks are after how many looks at the context it ends: all of the first, and then ever
// fewer.
func looks(yield func(n int) bool) {
	for n := 0; n < 4000; n += 1 + n/8 {
		if !yield(n) {
			return
		}
	}
}

// Wherever the context ends, a solver returns a policy that acts and bounds that hold, and
// the run of an explorer is saved and resumed, or says that it ended in its set-up and
// begins again.
func TestEndsInSetUp(t *testing.T) {
	for _, name := range solvers.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cut := 0
			for seed := range uint64(8) {
				rng := rand.New(rand.NewPCG(seed, 23))
				o := randmodel.Varied(rng)
				if o.Horizon == 0 {
					o.Discount = 0.2 + 0.3*rng.Float64()
				}
				m := randmodel.New(rng, o)
				s := entrant(t, name, m, rng)
				optimum, _, slack := exactValues(t, m, bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 }))
				slack += 1e-9 * max(1, math.Abs(optimum))
				cut += endsAt(t, s, m, optimum-slack, optimum+slack)
				if t.Failed() {
					t.Fatalf("%+v on model %d, %+v", s, seed, o)
				}
			}
			// A model with more states, whose optimum the bounds of a search hold.
			m := sparseModel(sparseOptions{States: 600, Latents: 2, Actions: 2, Discount: 0.4})
			search := certified.Solver{Epsilon: 1e-2}
			r, err := search.Explore(t.Context(), m, bcpace.Control{})
			if err != nil {
				t.Fatal(err)
			}
			s := entrant(t, name, m, rand.New(rand.NewPCG(1, 1)))
			x, _ := solvers.Find(name)
			if cut += endsAt(t, s, m, r.Certificate.Lower, r.Certificate.Upper); cut == 0 && !x.Plans() && name != policySearch {
				t.Error("no context has ended a set-up")
			}
		})
	}
}

// endsAt solves m with contexts that end at one look after the other, until some have ended
// behind the set-up. It returns how many have ended in it. The optimum lies in [least, most].
func endsAt(t *testing.T, s bcpace.Solver, m bcpace.Finite, least, most float64) (cut int) {
	t.Helper()
	behind := 0
	for n := range looks {
		ctx := runtest.Asked(n)
		found, err := s.Solve(ctx, m, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatalf("ended at look %d: %v", n, err)
		}
		// That of Algorithm 1 is statistical, with a δ for which it holds here.
		if c := found.Certificate; !(c.Lower <= most && least <= c.Upper) {
			t.Errorf("ended at look %d: [%v, %v] does not hold the optimum in [%v, %v]: %+v", n, c.Lower, c.Upper, least, most, c)
		}
		acts(t, found, m)
		if found.InSetUp != (found.StandIn != "") {
			t.Errorf("in set-up %v, but what stands in for the policy is %q", found.InSetUp, found.StandIn)
		}
		if behind++; found.InSetUp {
			cut++
			behind = 0
			if found.Stop != stop.Interrupted {
				t.Errorf("ended at look %d: stop %q", n, found.Stop)
			}
		}
		if runs.Of(found) != nil && (n%5 == 0 || behind == 1) {
			resumes(t, s.(runs.Explorer), m, runs.Of(found))
		}
		if t.Failed() || behind == 4 || ctx.Err() == nil {
			break
		}
	}
	return cut
}

// acts asks the policy of a solution for its action at every state and at some beliefs.
func acts(t *testing.T, found *bcpace.Solution, m bcpace.Finite) {
	t.Helper()
	spec := m.Spec()
	can, rng := bcpace.PolicyAbilitiesOf(found.Policy), rand.New(rand.NewPCG(5, 5))
	state, b := make([]float64, len(spec.Axes)), make(bcpace.Belief, len(spec.Latents))
	for number := 0; number < m.NumStates(); number += 1 + m.NumStates()/8 {
		m.StateAt(state, number)
		b.SampleSimplex(rng)
		s := state
		if len(found.Spec.Axes) > len(s) {
			s = append(s, 1) // one step left
		}
		if _, err := found.Spec.Act(t.Context(), &can, s, b, rng); err != nil {
			t.Errorf("in state %d: %v", number, err)
		}
	}
}

// resumes resumes a run that was cut off, from its file if it has one, to that which would
// have been made in one piece.
func resumes(t *testing.T, s runs.Explorer, m bcpace.Finite, r *runs.Run) {
	t.Helper()
	whole, err := s.Explore(context.Background(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	_, err = r.WriteTo(&file)
	if input := (*bcpace.InputError)(nil); r.InSetUp() {
		if !errors.As(err, &input) {
			t.Errorf("saving a run that ended in its set-up: %v, want an InputError", err)
		}
		if q, known := r.Q(make([]float64, len(r.Spec.Axes)), bcpace.Uniform(len(r.Spec.Latents)), 0); known || math.IsNaN(q) {
			t.Errorf("Q is %v, known %v", q, known)
		}
		if _, err := runs.Verify(context.Background(), r); !errors.As(err, new(*bcpace.UnsupportedError)) {
			t.Errorf("Verify: %v, want an UnsupportedError", err)
		}
	} else if err == nil {
		if r, err = runs.Read(&file, runs.FixedModel(m), nil); err == nil && r.Certificate.Kind != bcpace.NoCertificate {
			_, err = runs.Verify(context.Background(), r)
		}
	}
	if err != nil && !r.InSetUp() {
		t.Error(err)
		return
	}
	again, err := runs.Resume(context.Background(), r, s)
	if err != nil {
		t.Error(err)
		return
	}
	if !bytes.Equal(runtest.Bytes(t, again), runtest.Bytes(t, whole)) {
		t.Error("resumed, it is another run than in one piece")
	}
}
