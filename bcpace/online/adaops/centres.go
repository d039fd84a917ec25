package adaops

import (
	"cmp"
	"slices"
)

// centres says which of several things are centres, any two of which are more than a distance apart, and which
// centre, within that distance, stands for each thing. Its memory is used again.
type centres struct {
	Node    []int32 // by thing: the place in Centres of the one that stands for it
	Centres []int32 // the things that are centres

	order []int32
}

// make makes the packing of things with those weights: each, the heaviest first, joins the first centre that
// within reports to be so near, or becomes one. Where apart is set, each is a centre.
func (p *centres) make(weight []float64, apart bool, within func(centre, thing int) bool) {
	p.order, p.Node, p.Centres = p.order[:0], p.Node[:0], p.Centres[:0]
	for i := range weight {
		p.order, p.Node = append(p.order, int32(i)), append(p.Node, 0)
	}
	if !apart {
		slices.SortStableFunc(p.order, func(i, j int32) int { return cmp.Compare(weight[j], weight[i]) })
	}
	for _, i := range p.order {
		k := 0
		for k < len(p.Centres) && (apart || !within(int(p.Centres[k]), int(i))) {
			k++
		}
		if k == len(p.Centres) {
			p.Centres = append(p.Centres, i)
		}
		p.Node[i] = int32(k)
	}
}
