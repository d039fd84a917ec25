package viz

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/envs"
)

func TestExplainedNeighbourAtTheQuery(t *testing.T) {
	f := must(Explained{Explanation: &cpace.Explanation{
		Spec: envs.Tiger{}.Spec(), Belief: bcpace.Belief{0.5, 0.5}, Latent: -1, K: 2, LipQ: 10, Radius: 0.4, Upper: 20, Q: 5, Known: true,
		Neighbours: []cpace.Neighbour{{Value: 3, Term: 3}, {Value: 6, Term: 6}},
	}}.Figure())
	f.Legend = nil
	from, to := box(t, f, blue)
	first, last := box(t, f, vermilion)
	if to < 0 || last < 0 || max(from+to-first-last, first+last-from-to) > 3 {
		t.Errorf("the dots reach from %d to %d and the triangles from %d to %d, want both around the distance 0", from, to, first, last)
	}
}
