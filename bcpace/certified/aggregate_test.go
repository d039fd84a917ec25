package certified_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// What was heard last makes no difference to Tiger, nor what was seen last to
// the room, and their axes say so.
func TestStatesThatNothingDependsOnAreOne(t *testing.T) {
	for _, c := range []struct {
		m    bcpace.Model
		want int
	}{
		{envs.Tiger{}, 1}, {envs.LightDarkTiger{}, 25}, {envs.Chain{}, 5}, {chatty{}, 3},
	} {
		r := solve(t, c.m, 0.01)
		if n := certified.Classes(r); n != c.want {
			t.Errorf("%s: %d classes, want %d", r.Spec.Name, n, c.want)
		}
		exact, err := eval.Optimal(t.Context(), c.m, eval.ExactOptions{Tolerance: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Certificate; p.Lower > exact.Value+exact.Error || p.Upper < exact.Value-exact.Error || p.Gap() > 0.01 {
			t.Errorf("%s: %+v does not hold %v ± %v", r.Spec.Name, p, exact.Value, exact.Error)
		}
		if _, err := runs.Verify(t.Context(), r); err != nil {
			t.Errorf("%s: %v", r.Spec.Name, err)
		}
		// Samples lead to the states that the model has, not to the first of a class.
		f, _ := bcpace.AsFinite(c.m)
		bayes := bcpace.NewBayes(c.m)
		for i := range r.Samples.Len() {
			x := r.Samples.At(i)
			next := make(bcpace.Belief, len(x.Belief))
			if err := bayes.Update(next, x.Belief, x.State, x.Action, x.Next); err != nil {
				t.Errorf("%s, sample %d: %v", r.Spec.Name, i, err)
			} else if d := next.L1(x.NextBelief); d > 1e-9 {
				t.Errorf("%s, sample %d: the next belief is %v, want %v", r.Spec.Name, i, x.NextBelief, next)
			}
		}
		// The latent values are there for every state.
		want, err := dp.SolveFinite(t.Context(), f, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float64, len(r.Spec.Axes))
		for i := range f.NumStates() {
			f.StateAt(s, i)
			for a := range r.Spec.Actions {
				if got := r.LatentValues().Q(s, 0, a); got < want.Q(s, 0, a)-1e-6 || got > want.Q(s, 0, a)+1e-6 {
					t.Errorf("%s: Q(%v, 0, %d) = %v, want %v", r.Spec.Name, s, a, got, want.Q(s, 0, a))
				}
			}
		}
	}
}

// chatty is a Tiger whose reward depends on what was heard, though its axis
// promises that it does not.
type chatty struct{ envs.Tiger }

func (m chatty) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Tiger.Successors(z, s, action)
	for i := range z.Reward {
		if s[0] == 1 && action == 0 {
			z.Reward[i] = 0.5
		}
	}
}
