package solvertest

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/stop"
)

// TestLargeSetUp: the first bounds of a large model are those of its MDP and its blind
// policies, the same for any number of workers, and looser where the context ends before.
func TestLargeSetUp(t *testing.T) {
	m := sparseModel(sparseOptions{States: 16_384, Latents: 2, Actions: 2, Discount: 0.9, Ends: 0.01})
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
	s, c := sarsop.Solver{MaxTrials: 1, Unrevealed: true}, bcpace.Control{Workers: 1}
	first, err := s.SolvePOMDP(t.Context(), tables, c)
	if err != nil {
		t.Fatal(err)
	}
	const slack = 1e-3
	bounds := first.Certificate
	if bounds.Lower < least-slack || bounds.Upper > most+slack || bounds.Lower > bounds.Upper {
		t.Errorf("bounds [%v, %v], want them within [%v, %v]", bounds.Lower, bounds.Upper, least, most)
	}
	c.Workers = 3
	if again, err := s.SolvePOMDP(t.Context(), tables, c); err != nil || again.Certificate.Lower != bounds.Lower || again.Certificate.Upper != bounds.Upper {
		t.Errorf("with 3 workers: %v, %v, error %v, want %v, %v", again.Certificate.Lower, again.Certificate.Upper, err, bounds.Lower, bounds.Upper)
	}
	cut, vmax := 0, m.Spec().VMax()
	for n := 10; n < 60; n += 7 {
		r, err := s.SolvePOMDP(runtest.Asked(n), tables, c)
		if err != nil {
			t.Fatal(err)
		}
		if r.InSetUp { // it has ended while the tables were looked at
			continue
		}
		cut++
		if !(r.Certificate.Lower <= bounds.Upper && r.Certificate.Upper >= bounds.Lower && r.Certificate.Upper <= vmax+slack) || r.Stop != stop.Interrupted {
			t.Errorf("ended at look %d: [%v, %v], stop %q", n, r.Certificate.Lower, r.Certificate.Upper, r.Stop)
		}
	}
	if cut == 0 {
		t.Error("no context has ended within the first bounds")
	}
}
