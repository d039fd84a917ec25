package store

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
)

// twoRooms pays 10 at every step in one of two rooms that nobody leaves.
func twoRooms(t *testing.T, start []float64) bcpace.Model {
	t.Helper()
	stay := [][]float64{{1, 0}, {0, 1}}
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9, Start: start, P: [][][][]float64{{stay}}, R: [][][]float64{{{0, 10}}}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMemoStart: where nothing but the start distribution has changed, a run is
// computed anew.
func TestMemoStart(t *testing.T) {
	s := open(t)
	o := certified.Solver{Epsilon: 0.01}
	for _, p := range []float64{0.5, 0.45, 0.45 + 1e-9} {
		m := twoRooms(t, []float64{1 - p, p})
		r, origin, err := s.Memo(t.Context(), m, o, bcpace.Control{})
		if err != nil || origin.Cached || math.Abs(r.Certificate.Lower-100*p) > 0.01 || math.Abs(r.Certificate.Upper-100*p) > 0.01 {
			t.Errorf("start %v: bounds [%v, %v], %+v, %v", p, r.Certificate.Lower, r.Certificate.Upper, origin, err)
		}
	}
}
