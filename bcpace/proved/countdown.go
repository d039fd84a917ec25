package proved

import (
	"context"
	"slices"
)

// down solves a model with a horizon: one backup for each step, from none that is left on. The theorem has
// V* at one step less on its right side, and what is told or left at a step is worth what it is with
// one step less.
func (x *solver) down(ctx context.Context, report func(share float64)) {
	sure, others := x.p.apart()
	x.layers = append(x.layers, layer{u: x.u}) // 0
	for t := 1; t <= x.steps; t++ {
		if x.floor != nil {
			x.floor.step(ctx, t)
		}
		x.goTo(t - 1)
		x.backups(ctx, sure)
		if x.backups(ctx, others); ctx.Err() != nil {
			return
		}
		x.layers = append(x.layers, x.below(x.next))
		x.u = x.layers[t].u
		report(float64(t) / float64(x.steps))
	}
}

// goTo sets what arriving with so many steps left is worth.
func (x *solver) goTo(left int) {
	x.u = x.layers[left].u
	x.settled(x.all)
}

// below returns the layer that a backup has found.
func (x *solver) below(next [][]float64) layer {
	l := layer{found: slices.Clone(x.found)}
	for _, u := range next {
		l.u = append(l.u, slices.Clone(u))
	}
	return l
}
