package proved

import (
	"math"
	"slices"
)

// told has what arriving at a point is worth, at most, where the rests of the kernels of all axes may lie.
type told struct {
	g      *grid
	values [][]float64 // by point: by the numbers of the reaches on each axis
	stride []int
}

func newTold(g *grid, points int) *told {
	t := &told{g: g, values: make([][]float64, points), stride: make([]int, len(g.axes))}
	all := 1
	for i := len(g.axes) - 1; i >= 0; i-- {
		t.stride[i] = all
		all *= len(g.rows[i].reaches)
	}
	return t
}

// fill takes the values of a point at the nodes. On one axis after the other, the last one first,
// blocks and then reaches come in the place of nodes.
func (t *told) fill(point int, values []float64) {
	after := 1 // the numbers that follow a node of the axis, of the axes that are done
	for i := len(t.g.axes) - 1; i >= 0; i-- {
		x, list := t.g.axes[i], t.g.rows[i].reaches
		blocks := (len(x.node) + x.block - 1) / x.block
		before := len(values) / (len(x.node) * after)
		next := slices.Repeat([]float64{math.Inf(-1)}, before*len(list)*after)
		most := make([]float64, blocks*after)
		for p := range before {
			for k := range most {
				most[k] = math.Inf(-1)
			}
			for n := range x.node {
				block := most[n/x.block*after : (n/x.block+1)*after]
				for k, v := range values[(p*len(x.node)+n)*after : (p*len(x.node)+n+1)*after] {
					block[k] = max(block[k], v)
				}
			}
			for l, r := range list {
				to := next[(p*len(list)+l)*after : (p*len(list)+l+1)*after]
				for b := r.first; b <= r.last; b++ {
					for k, v := range most[int(b)*after : (int(b)+1)*after] {
						to[k] = max(to[k], v)
					}
				}
			}
		}
		values = next
		after *= len(list)
	}
	t.values[point] = values
}
