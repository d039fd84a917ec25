package constrained

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
)

// solution returns the best mixture of at most two policies so far that costs d at most, with its bounds; nil where there is none.
func (x *search) solution(limit float64) *Solution {
	d := limit + keeps*x.all
	first, second, share := -1, -1, 1.0 // share of first
	best := math.Inf(-1)
	for i, p := range x.points {
		if p.Cost > d {
			continue
		}
		if p.Return > best {
			first, second, share, best = i, -1, 1, p.Return
		}
		for j, q := range x.points {
			if q.Cost <= d || q.Return <= p.Return {
				continue
			}
			w := math.Nextafter((q.Cost-d)/(q.Cost-p.Cost), 2)
			if v := w*p.Return + (1-w)*q.Return; w <= 1 && v > best {
				first, second, share, best = i, j, w, v
			}
		}
	}
	if first < 0 {
		return nil
	}
	found := &Solution{Limit: limit, Points: append([]Point(nil), x.points...), Cost: x.points[first].Cost}
	found.Points[first].Weight = share
	members, weight := []controller.Member{x.members[first]}, []float64{share}
	if second >= 0 {
		found.Points[second].Weight = 1 - share
		members, weight = append(members, x.members[second]), append(weight, 1-share)
		found.Cost = min(share*x.points[first].Cost+(1-share)*x.points[second].Cost, d)
	}
	kept := bcpace.KeepHorizon(x.model)
	found.Policy = bcpace.PolicyOf(kept, controller.NewMixture(members, weight))
	c := bcpace.Certificate{Lower: best - 0x1p-50*math.Abs(best), Upper: math.Inf(1)}
	for _, p := range x.points {
		if math.IsInf(p.Multiplier, 1) {
			continue
		}
		if u := p.Upper + p.Multiplier*d; u < c.Upper {
			c.Upper, c.UpperBy, c.Assumes, found.Multiplier = u+0x1p-50*(math.Abs(p.Upper)+p.Multiplier*d), p.UpperBy, p.Assumes, p.Multiplier
		}
	}
	x.set.Certify(&c, x.simulated)
	found.Certificate = c
	return found
}

// slope returns the multiplier at which the policies of a mixture are worth the same; +Inf where one policy is alone within the limit, and nothing but the
// cost says more.
func (x *search) slope(found *Solution) (λ float64, ok bool) {
	var within, beyond *Point
	for i := range found.Points {
		p := &found.Points[i]
		switch {
		case p.Weight == 0:
		case p.Cost <= found.Limit+keeps*x.all:
			within = p
		default:
			beyond = p
		}
	}
	if within == nil || beyond == nil || beyond.Cost <= within.Cost {
		return 0, false
	}
	return (beyond.Return - within.Return) / (beyond.Cost - within.Cost), true
}
