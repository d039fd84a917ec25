package cover

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// smaller looks for small covers. Candidates for them are few points that are spread well; it
// covers first what lies farthest out, where fewest candidates can.
type smaller struct {
	*coverage
	candidates []int32 // slots
	near       *tree   // of the candidates
	cover      []int32 // slots
	rng        *rand.Rand
	around     ball
	list       []int32 // the candidates around a point
	hole       []openPoint
}

type openPoint struct {
	slot int32
	key  float64 // of how far out it lies
}

// newSmaller begins without a cover. near is the tree of the candidates.
func newSmaller(t *tree, epsilon float64, candidates []int32, near *tree, seed uint64) *smaller {
	s := &smaller{coverage: newCoverage(t, epsilon), candidates: candidates, near: near, rng: rand.New(rand.NewPCG(seed, 1))}
	s.around = ball{tree: near, limit: s.limit, found: func(slot int, _ float64) {
		s.list = append(s.list, candidates[near.at[slot]])
	}}
	return s
}

// shells is into how many levels, by their distance from the middle, points are sorted.
const shells = 1 << 12

// fromOutside returns the slots from the farthest from the middle of all to the nearest.
func (t *tree) fromOutside() []int32 {
	middle, most := make([]float64, t.dim), 0.0
	for c := range middle {
		middle[c] = t.boxes[2*c] + (t.boxes[2*c+1]-t.boxes[2*c])/2
	}
	key := func(s int) float64 { return t.norm.between(t.point(s), middle, nil) }
	for s := range t.at {
		most = max(most, key(s))
	}
	level := func(s int) int {
		if most == 0 {
			return 0
		}
		return int((1 - key(s)/most) * (shells - 1))
	}
	var begin [shells + 1]int32
	for s := range t.at {
		begin[level(s)+1]++
	}
	for k := range shells {
		begin[k+1] += begin[k]
	}
	order := make([]int32, len(t.at))
	for s := range t.at {
		k := level(s)
		order[begin[k]] = int32(s)
		begin[k]++
	}
	return order
}

// first makes a cover from the outside in.
func (s *smaller) first(ctx context.Context) error {
	for i, slot := range s.fromOutside() {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.times[slot] == 0 {
			s.cover = append(s.cover, s.fill(slot, 0))
		}
	}
	s.cover = s.coverage.reduce(s.cover)
	return nil
}

// fill covers the point at a slot by the candidate, or the point itself, that covers the most open
// points with it; with noise, by one that covers nearly as many.
func (s *smaller) fill(slot int32, noise float64) int32 {
	s.list = append(s.list[:0], slot)
	s.around.x = s.point(int(slot))
	s.around.visit(0)
	best, most := slot, -1.0
	for _, c := range s.list {
		gain := float64(s.gain(int(c)))
		if noise > 0 {
			gain *= 1 + noise*s.rng.Float64()
		}
		if gain > most {
			best, most = c, gain
		}
	}
	s.take(int(best), 1)
	return best
}

// again takes the points of the cover around one of them out and covers the hole anew, from the
// outside in, if that takes no more of them.
func (s *smaller) again(epsilon float64) {
	middle := s.point(int(s.cover[s.rng.IntN(len(s.cover))]))
	limit := s.norm.key(epsilon * (1.5 + 1.5*s.rng.Float64()))
	var kept, out, in []int32
	for _, c := range s.cover {
		if s.norm.between(s.point(int(c)), middle, s.periods) <= limit {
			out = append(out, c)
		} else {
			kept = append(kept, c)
		}
	}
	if len(out) < 2 {
		return
	}
	for _, c := range out {
		s.take(int(c), -1)
	}
	s.hole = s.hole[:0]
	s.openIn(0, middle)
	slices.SortFunc(s.hole, func(a, b openPoint) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.slot, b.slot)) })
	const noise = 0.1
	for _, h := range s.hole {
		if s.times[h.slot] == 0 && len(in) < len(out) {
			in = append(in, s.fill(h.slot, noise))
		}
	}
	if s.open[0] == 0 {
		s.cover = append(kept, s.coverage.reduce(in)...)
		return
	}
	for _, c := range in {
		s.take(int(c), -1)
	}
	for _, c := range out {
		s.take(int(c), 1)
	}
}

// openIn appends the open points below a node to the hole.
func (s *smaller) openIn(node int, middle []float64) {
	if s.open[node] == 0 {
		return
	}
	nd := &s.nodes[node]
	if nd.right > 0 {
		s.openIn(node+1, middle)
		s.openIn(int(nd.right), middle)
		return
	}
	for slot := nd.from; slot < nd.to; slot++ {
		if s.times[slot] == 0 {
			s.hole = append(s.hole, openPoint{slot, s.norm.between(s.point(int(slot)), middle, s.periods)})
		}
	}
}
