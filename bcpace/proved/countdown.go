package proved

import (
	"context"
	"slices"
)

// down solves a model with a horizon: one backup for each step, from none that is left on. The theorem has
// V* at one step less on its right side, and what is told or left at a step is worth what it is with
// one step less.
func (so *solver) down(ctx context.Context, report func(share float64)) {
	sure, others := so.p.apart()
	so.layers = append(so.layers, layer{u: so.u}) // 0
	for t := 1; t <= so.steps; t++ {
		if so.floor != nil {
			so.floor.step(ctx, t)
		}
		so.goTo(t - 1)
		so.backups(ctx, sure)
		if so.backups(ctx, others); ctx.Err() != nil {
			return
		}
		so.layers = append(so.layers, so.below(so.next))
		so.u = so.layers[t].u
		report(float64(t) / float64(so.steps))
	}
}

// goTo sets what arriving with so many steps left is worth.
func (so *solver) goTo(left int) {
	so.u = so.layers[left].u
	so.settled(so.all)
}

// below returns the layer that a backup has found.
func (so *solver) below(next [][]float64) layer {
	l := layer{found: slices.Clone(so.found)}
	for _, u := range next {
		l.u = append(l.u, slices.Clone(u))
	}
	return l
}
