package mdp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawBlocks draws a process of so many points and latents in blocks, and returns it and the same one with its rows written out
// by the product that Block says, in plain loops.
func drawBlocks(rng *rand.Rand, points, latents, actions, perBlock int) (packed, written *MDP) {
	states := points * latents
	packed = &MDP{Actions: actions, Discount: 0.9, Rate: 0.1, Run: perBlock * latents, Latents: latents}
	written = &MDP{Actions: actions, Discount: 0.9, Rate: 0.1, Row: []int{0}}
	pack := NewPacker(actions)
	for point := range points {
		var cells [2]struct {
			stride []int32
			frac   []float64
		}
		for k := range cells {
			for range rng.IntN(4) {
				cells[k].stride, cells[k].frac = append(cells[k].stride, int32(rng.IntN(3)-1)), append(cells[k].frac, rng.Float64())
			}
		}
		var next, last []int32
		var weight, lastWeight []float64
		for latent := range latents {
			for a := range actions {
				c := cells[rng.IntN(2)]
				if rng.IntN(3) > 0 { // else as before
					last, lastWeight = last[:0], lastWeight[:0]
					for range rng.IntN(4) {
						last, lastWeight = append(last, int32(8+rng.IntN(states-8-latents-8))), append(lastWeight, rng.Float64()/4)
					}
				}
				next, weight = append(next[:0], last...), append(weight[:0], lastWeight...)
				for k, at := range next {
					for corner := range 1 << len(c.stride) {
						to, w := int(at)+latent, 1.0
						for i, f := range c.frac {
							if corner>>i&1 == 1 {
								to, w = to+int(c.stride[i]), w*f
							} else {
								w *= 1 - f
							}
						}
						written.Col, written.Weight = append(written.Col, int32(to)), append(written.Weight, w*weight[k])
					}
				}
				reward := rng.NormFloat64()
				written.Row, written.Reward = append(written.Row, len(written.Col)), append(written.Reward, reward)
				packed.Reward = append(packed.Reward, reward)
				for k := range next {
					next[k] += int32(latent)
				}
				pack.Add(latent, a, next, weight, c.stride, c.frac)
			}
		}
		if point%perBlock == perBlock-1 || point == points-1 {
			b, _ := pack.Block()
			packed.Blocks = append(packed.Blocks, b)
		}
	}
	return packed, written
}

// TestBlocks: rows in blocks are those that are written out, in entries, backups of all kinds and what their processes are worth, to the
// last bit.
//
//test:race
func TestBlocks(t *testing.T) {
	shared := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		points := 30 + rng.IntN(50)
		p, q := drawBlocks(rng, points, 1+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(9))
		v, old, out := make([]float64, p.States()), make([]float64, p.States()), make([]float64, len(p.Reward))
		for s := range v {
			v[s], old[s] = rng.NormFloat64(), rng.NormFloat64()
		}
		var next []int32
		var weight []float64
		for row := range p.Reward {
			from := rng.IntN(p.States())
			to := from + rng.IntN(p.States()-from)
			next, weight = p.Entries(next, weight, row)
			wantNext, wantWeight := q.Entries(nil, nil, row)
			if !slices.Equal(next, wantNext) || !slices.Equal(weight, wantWeight) {
				t.Fatalf("seed %d, row %d: %v with %v, want %v with %v", seed, row, next, weight, wantNext, wantWeight)
			}
			s := row / p.Actions
			p.best(out[:p.Actions], v, v, s, 0, 0)
			if a := row % p.Actions; out[a] != q.Backup(v, row) {
				t.Fatalf("seed %d: the backup of row %d is %v, want %v", seed, row, out[a], q.Backup(v, row))
			}
			x, best := p.best(out[:p.Actions], v, old, s, from, to)
			a := row % p.Actions
			if want := q.backupWithin(v, old, row, from, to); out[a] != want || x < want || out[best] != x {
				t.Fatalf("seed %d: the backup of row %d is %v, want %v, and the best %v by action %d", seed, row, out[a], want, x, best)
			}
		}
		if got, want := p.Rounding()(1), q.Rounding()(1); got != want {
			t.Errorf("seed %d: rounding %v, want %v", seed, got, want)
		}
		want := make([]float64, len(out))
		p.Solve(t.Context(), out, 1e-9)
		q.Solve(t.Context(), want, 1e-9)
		if !slices.Equal(out, want) {
			t.Errorf("seed %d: the values differ", seed)
		}
		p.ByPolicies(t.Context(), out, 1e-9)
		q.ByPolicies(t.Context(), want, 1e-9)
		for row, x := range want {
			if math.Float64bits(out[row]) != math.Float64bits(x) {
				t.Fatalf("seed %d: policy iteration gives row %d %v, want %v", seed, row, out[row], x)
			}
		}
		for _, b := range p.Blocks {
			shared += len(b.of) - len(b.lists)
		}
	}
	if shared == 0 {
		t.Error("no two rows stood once: nothing of that was tested")
	}
}
