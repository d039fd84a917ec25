package pomdptest

import (
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/pomdp"
)

// Game draws a POMDP of a kind in which few beliefs can be reached: actions that
// move and show the state, that move unseen, that only listen, and that do nothing.
// Starts are certain, skewed or spread, seen in part or not at all; rewards are small
// integers, so that there are ties, or any number; some states end the episode.
func Game(rng *rand.Rand) *pomdp.Model {
	nx, ny := 1+rng.IntN(2)*rng.IntN(2), 2+rng.IntN(2)
	na, no := 2+rng.IntN(2), 1+rng.IntN(3)
	n := nx * ny
	row := func(n int) []float64 { return Row(rng, n, rng.IntN(3)) }
	m := New(nx, ny, na, no, []float64{.3, .5, .8, .9, .95}[rng.IntN(5)], row(n))
	end := -1
	if rng.IntN(3) == 0 {
		end = rng.IntN(n)
	}
	certain := func(n, i int) []float64 {
		r := make([]float64, n)
		r[i] = 1
		return r
	}
	uniform := slices.Repeat([]float64{1 / float64(no)}, no)
	few, shift := rng.IntN(2) == 0, float64(rng.IntN(3)-1)
	for range na {
		move, sense, rewards := rng.IntN(3), rng.IntN(4), make([]float64, n)
		var moves, senses [][]float64
		right := .6 + .35*rng.Float64()
		for s := range n {
			if s == end {
				moves = append(moves, certain(n, s))
			} else {
				switch move {
				case 0:
					moves = append(moves, certain(n, s))
				case 1:
					moves = append(moves, certain(n, rng.IntN(n)))
				default:
					moves = append(moves, row(n))
				}
				if few {
					rewards[s] = shift + float64(rng.IntN(3)*rng.IntN(2))
				} else {
					rewards[s] = shift + rng.NormFloat64()
				}
			}
			switch sense {
			case 0:
				senses = append(senses, uniform)
			case 1:
				senses = append(senses, certain(no, s%no))
			case 2:
				senses = append(senses, row(no))
			default: // s is observed rightly or as any other
				r := slices.Repeat([]float64{(1 - right) / float64(max(no-1, 1))}, no)
				if r[s%no] = right; no == 1 {
					r[0] = 1
				}
				senses = append(senses, r)
			}
		}
		Append(m, moves, senses, rewards)
	}
	return m
}

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
