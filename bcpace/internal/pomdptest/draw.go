package pomdptest

import (
	"math/rand/v2"

	"bayescpace/bcpace/pomdp"
)

// Random draws a POMDP with rows of many shapes: certain, sparse and full, the
// hidden part kept or not.
func Random(rng *rand.Rand, nx, ny int, discount float64) *pomdp.Model {
	na, no := 1+rng.IntN(3), 1+rng.IntN(3)
	row := func(n int) []float64 { return Row(rng, n, rng.IntN(3)) }
	m := New(nx, ny, na, no, discount, row(nx*ny))
	for range na {
		kind, blind := rng.IntN(4), rng.IntN(4) == 0
		var move, sense [][]float64
		var reward []float64
		only, to := rng.IntN(no), rng.IntN(nx)
		for s := range nx * ny {
			r := row(nx * ny)
			switch kind {
			case 0: // to one x', with y' = y
				clear(r)
				r[to*ny+s%ny] = 1
			case 1: // any x', with y' = y
				clear(r)
				for x, p := range row(nx) {
					r[x*ny+s%ny] = p
				}
			}
			see := row(no)
			if blind {
				clear(see)
				see[only] = 1
			}
			move, sense, reward = append(move, r), append(sense, see), append(reward, rng.Float64()-.5)
		}
		Append(m, move, sense, reward)
	}
	return m
}
