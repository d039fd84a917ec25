package constrained

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
)

// keeps reports whether the i-th policy keeps to a limit: what it costs is no more, but for the rounding of that bound.
func (se *search) keeps(i int, limit float64) bool { return se.points[i].Cost <= limit+se.rounding[i] }

// candidate is a mixture with its bounds.
type candidate struct {
	policy *controller.Mixture
	bounds bcpace.Certificate
	Tradeoff
}

// mixed returns the best mixture of at most two policies so far that keeps to a limit; nil where there is none.
func (se *search) mixed(limit float64) *candidate {
	first, second, share := -1, -1, 1.0 // share of first
	best := math.Inf(-1)
	for i, p := range se.points {
		if !se.keeps(i, limit) {
			continue
		}
		if p.Return > best {
			first, second, share, best = i, -1, 1, p.Return
		}
		for j, q := range se.points {
			if se.keeps(j, limit) || q.Return <= p.Return {
				continue
			}
			w := math.Nextafter((q.Cost-limit)/(q.Cost-p.Cost), 2)
			if v := w*p.Return + (1-w)*q.Return; w <= 1 && v > best {
				first, second, share, best = i, j, w, v
			}
		}
	}
	if first < 0 {
		return nil
	}
	found := Tradeoff{Limit: limit, Points: slices.Clone(se.points), Cost: se.points[first].Cost}
	found.Points[first].Weight = share
	members, weight := []controller.Member{se.members[first]}, []float64{share}
	if second >= 0 {
		found.Points[second].Weight = 1 - share
		members, weight = append(members, se.members[second]), append(weight, 1-share)
		found.Cost = min(share*se.points[first].Cost+(1-share)*se.points[second].Cost, limit)
	}
	d := max(limit, found.Cost)
	c := bcpace.Certificate{Lower: best - 0x1p-50*math.Abs(best), Upper: math.Inf(1)}
	for _, p := range se.points {
		if math.IsInf(p.Multiplier, 1) {
			continue
		}
		if u := p.Upper + p.Multiplier*d; u < c.Upper {
			c.Upper, c.UpperBy, c.Assumes, found.Multiplier = u+0x1p-50*(math.Abs(p.Upper)+p.Multiplier*d), p.UpperBy, p.Assumes, p.Multiplier
		}
	}
	se.inner.Certify(&c, se.simulated)
	return &candidate{controller.NewMixture(members, weight), c, found}
}

// slope returns the multiplier at which the best policy within the limit and the best one to mix it with are worth the same: the largest at
// which some policy beyond it is worth as much.
func (se *search) slope(found *candidate) (λ float64, ok bool) {
	var p Point // within the limit
	for i, q := range found.Points {
		if q.Weight > 0 && se.keeps(i, found.Limit) {
			p = q
		}
	}
	for _, q := range found.Points {
		if q.Cost > p.Cost && q.Return > p.Return {
			λ, ok = max(λ, (q.Return-p.Return)/(q.Cost-p.Cost)), true
		}
	}
	return λ, ok
}
