package sarsop_test

import (
	"context"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/stop"
	"bayescpace/envs/envtest"
)

// TestLargeSetUp: the first bounds of a large model are those of its MDP and its blind
// policies, the same for any number of workers, and looser where the context ends before.
func TestLargeSetUp(t *testing.T) {
	envtest.NotRaced(t)
	m := randmodel.Sparse(randmodel.SparseOptions{States: 16_384, Latents: 2, Actions: 2, Discount: 0.9, Ends: 0.01})
	tables, err := pomdp.FromBAMDP(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	known, err := dp.SolveBounds(t.Context(), m, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	x, b := []float64{0}, bcpace.Uniform(2)
	_, least := known.Blind.Best(x, b)
	most := max(known.FIB.Upper(x, b, 0), known.FIB.Upper(x, b, 1))
	s, c := sarsop.Solver{MaxTrials: 1}, bcpace.Control{Workers: 1}
	first, err := within(t.Context(), tables, s, c)
	if err != nil {
		t.Fatal(err)
	}
	const slack = 1e-3
	if first.Lower < least-slack || first.Upper > most+slack || first.Lower > first.Upper {
		t.Errorf("bounds [%v, %v], want them within [%v, %v]", first.Lower, first.Upper, least, most)
	}
	c.Workers = 3
	if again, err := within(t.Context(), tables, s, c); err != nil || again.Lower != first.Lower || again.Upper != first.Upper {
		t.Errorf("with 3 workers: %v, %v, error %v, want %v, %v", again.Lower, again.Upper, err, first.Lower, first.Upper)
	}
	cut, vmax := 0, m.Spec().VMax()
	for n := int64(10); n < 60; n += 7 {
		ctx := &endedAt{Context: context.Background()}
		ctx.left.Store(n)
		r, err := within(ctx, tables, s, c)
		if err != nil {
			t.Fatal(err)
		}
		if r.InSetUp { // it has ended while the tables were looked at
			continue
		}
		cut++
		if !(r.Lower <= first.Upper && r.Upper >= first.Lower && r.Upper <= vmax+slack) || r.Stop != stop.Interrupted {
			t.Errorf("ended at look %d: [%v, %v], stop %q", n, r.Lower, r.Upper, r.Stop)
		}
	}
	if cut == 0 {
		t.Error("no context has ended within the first bounds")
	}
}
