package choose

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// TestTake: an upper bound of another solver counts where it is less and rests on no less.
func TestTake(t *testing.T) {
	const proved, assumed, byRange = bcpace.ByProof, bcpace.ByAssumption, bcpace.ByRange
	for _, c := range []struct {
		was                  bcpace.Basis
		upper                float64
		by                   bcpace.Basis
		wantUpper, wantLower float64
		want                 bcpace.Basis
	}{
		{byRange, 8, proved, 8, 5, proved},
		{byRange, 8, assumed, 8, 5, assumed},
		{byRange, 8, byRange, 10, 5, byRange},
		{proved, 8, assumed, 10, 5, proved},
		{assumed, 8, proved, 8, 5, proved},
		{proved, 12, proved, 10, 5, proved},
		{byRange, 4, assumed, 10, 5, byRange},
		{byRange, 4, proved, 4, -1, proved},
		{byRange, math.NaN(), proved, 10, 5, byRange},
	} {
		x := bcpace.Certificate{Lower: 5, Upper: 10, UpperBy: c.was, LowerBy: bcpace.BySimulation}
		take(&x, c.upper, c.by, "something", -1)
		if x.Upper != c.wantUpper || x.Lower != c.wantLower || x.UpperBy != c.want || (x.Assumes != "") != (c.want == assumed && c.was != assumed) {
			t.Errorf("%v at 10, then %v at %v: %+v", c.was, c.by, c.upper, x)
		}
	}
}

// TestTakeOfRefutedSearch: a run whose search was refuted withdraws that bound alone, and the upper bound of its
// certificate counts for the policy of another solver.
func TestTakeOfRefutedSearch(t *testing.T) {
	chosen := bcpace.Certificate{Kind: bcpace.StatisticalCertificate, Lower: 5, Upper: 100, LowerBy: bcpace.BySimulation, UpperBy: bcpace.ByRange, Episodes: episodesOfCertificate}
	other := bcpace.Certificate{Kind: bcpace.StatisticalCertificate, Lower: 4, Upper: 8, UpperBy: bcpace.ByAssumption, Assumes: "grids", Refuted: "the upper bound 3 of the search"}
	x := Chosen{Solution: &bcpace.Solution{Certificate: chosen},
		Tried: []Tried{{Chosen: true, Solution: &bcpace.Solution{Certificate: chosen}}, {Solution: &bcpace.Solution{Certificate: other}}}}
	if err := x.certify(t.Context(), envs.Tiger{}, bcpace.Control{}); err != nil {
		t.Fatal(err)
	}
	if c := x.Certificate; c.Upper != 8 || c.UpperBy != bcpace.ByAssumption || c.Assumes != "grids" || c.Lower != 5 || c.Refuted != "" {
		t.Errorf("%+v", c)
	}
}
