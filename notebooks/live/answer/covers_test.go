package answer

import (
	"math"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// Every belief lies in a ball around the cover, which its number allows; a farthest-first
// net is separated as well, and no point of a minimal cover can be dropped.
func TestCoversCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := CoversQuestion{Epsilon: envtest.Evenly(0.1, 2).Draw(t, "ε"), Cover: rapid.SampledFrom([]string{coverFarthest, coverSmallest, coverLargest}).Draw(t, "cover")}
		if rapid.Bool().Draw(t, "even") {
			q.Even = &Even{Parts: rapid.IntRange(4, 16).Draw(t, "parts")}
		} else {
			q.Reached = &ChainBeliefs{Steps: rapid.IntRange(1, 20).Draw(t, "steps")}
		}
		a, err := Covers(q)
		if err != nil {
			t.Fatal(err)
		}
		balls := make([]int, len(a.Points)) // by point: how many it lies in
		for _, c := range a.Cover {
			for i := range a.Points {
				if d := bcpace.Belief(a.Points[i][:]).L1(a.Points[c][:]); d <= q.Epsilon+1e-12 {
					balls[i]++
				}
			}
		}
		for i, n := range balls {
			if n == 0 {
				t.Fatalf("no ball holds %v", a.Points[i])
			}
		}
		for _, c := range a.Cover {
			alone := false
			for i := range a.Points {
				alone = alone || balls[i] == 1 && bcpace.Belief(a.Points[i][:]).L1(a.Points[c][:]) <= q.Epsilon+1e-12
			}
			if !alone {
				t.Fatalf("the point %v can be dropped from the cover", a.Points[c])
			}
		}
		within := map[string]cover.Interval{coverFarthest: {Lower: a.Separated.Lower, Upper: a.Independence.Upper}, coverSmallest: a.Domination, coverLargest: a.Upper}[q.Cover]
		if n := len(a.Cover); n < within.Lower || n > within.Upper {
			t.Fatalf("%s has %d points, want %v", q.Cover, n, within)
		}
		for i, n := range a.Curve.Net {
			if most := a.Curve.Most[i]; n > most {
				t.Fatalf("at ε = %v the net has %d points, more than %d", a.Curve.Epsilon[i], n, most)
			}
		}
	})
}

// Beliefs that are the same but for rounding come once, though others lie between them in
// the order of their first entries.
func TestDistinctBeliefs(t *testing.T) {
	const third = 1.0 / 3
	up := math.Nextafter(third, 1)
	points := [][3]float64{{third, 0.2, 1 - third - 0.2}, {up, 0.1, 1 - up - 0.1}, {up, 0.2, 1 - up - 0.2}, {third, 0.1, 1 - third - 0.1}, {1, 0, 0}}
	got := distinct(slices.Clone(points))
	if len(got) != 3 || got[0][1] != 0.1 || got[1][1] != 0.2 || got[2] != points[4] {
		t.Errorf("of %v these differ: %v; want the second, the first and the last", points, got)
	}
}

// The belief of the chain depends on how often the agent has slipped and how often not, so n
// steps reach (n + 1)(n + 2)/2 beliefs.
func TestReachedBeliefs(t *testing.T) {
	for steps, want := range map[int]int{1: 3, 2: 6, 3: 10} {
		a, err := Covers(CoversQuestion{Reached: &ChainBeliefs{Steps: steps}, Epsilon: 0.5, Cover: coverFarthest})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Points) != want {
			t.Errorf("%d steps reach %d beliefs, want %d", steps, len(a.Points), want)
		}
	}
}
