package cover

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace/internal/kdtree"
)

// smaller looks for small covers. Candidates for them are few points that are spread well; it
// covers first what lies farthest out, where fewest candidates can.
type smaller struct {
	*kdtree.Coverage
	norm       Norm
	periods    []float64
	candidates []int32 // slots
	cover      []int32 // slots
	rng        *rand.Rand
	around     kdtree.Ball
	list       []int32 // the candidates around a point
}

// newSmaller begins without a cover, of the points of t.
func newSmaller(t *kdtree.Tree, p *Points, epsilon float64, candidates []int32, near *kdtree.Tree, seed uint64) *smaller {
	s := &smaller{Coverage: kdtree.NewCoverage(t, epsilon), norm: p.Norm, periods: p.Periods, candidates: candidates, rng: rand.New(rand.NewPCG(seed, 1))}
	s.around = kdtree.Ball{Tree: near, Limit: p.Norm.Key(epsilon), Found: func(slot int, _ float64) {
		s.list = append(s.list, candidates[near.At[slot]])
	}}
	return s
}

// first makes a cover from the outside in.
func (s *smaller) first(ctx context.Context) error {
	for i, slot := range s.FromOutside() {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.Open(slot) {
			s.cover = append(s.cover, s.fill(slot, 0))
		}
	}
	s.cover = s.Reduce(s.cover)
	return nil
}

// mostTried is how many of the candidates around a point are tried, where there are more by far: in many dimensions.
const mostTried = 64

// fill covers the point at a slot by the candidate, or the point itself, that covers the most open
// points with it; with noise, by one that covers nearly as many.
func (s *smaller) fill(slot int32, noise float64) int32 {
	s.list = append(s.list[:0], slot)
	s.around.Around(s.Point(int(slot)), 0)
	best, most := slot, -1.0
	step := 1 + len(s.list)/mostTried
	for k := 0; k < len(s.list); k += step {
		c := s.list[k]
		gain := float64(s.Gain(int(c)))
		if noise > 0 {
			gain *= 1 + noise*s.rng.Float64()
		}
		if gain > most {
			best, most = c, gain
		}
	}
	s.Take(int(best), 1)
	return best
}

// again takes the points of the cover around one of them out and covers the hole anew, from the
// outside in, if that takes no more of them.
func (s *smaller) again(epsilon float64) {
	middle := int(s.cover[s.rng.IntN(len(s.cover))])
	limit := s.norm.Key(epsilon * (1.2 + 1.2*s.rng.Float64()))
	var kept, out, in []int32
	for _, c := range s.cover {
		if s.norm.Between(s.Point(int(c)), s.Point(middle), s.periods) <= limit {
			out = append(out, c)
		} else {
			kept = append(kept, c)
		}
	}
	if len(out) < 2 {
		return
	}
	for _, c := range out {
		s.Take(int(c), -1)
	}
	const noise = 0.03
	for len(in) < len(out) && s.Left() > 0 {
		in = append(in, s.fill(int32(s.Farthest(middle)), noise))
	}
	if s.Left() == 0 {
		s.cover = append(kept, s.Reduce(in)...)
		return
	}
	for _, c := range in {
		s.Take(int(c), -1)
	}
	for _, c := range out {
		s.Take(int(c), 1)
	}
}
