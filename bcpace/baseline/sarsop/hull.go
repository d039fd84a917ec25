package sarsop

import "slices"

// hull is an upper bound of V*(x, ·) where the hidden part has two values: the largest convex function of the probability of the second
// one that is not above the bounds that are known. V* is convex, and so is below the straight line between any two bounds. That is lower
// between them than what one point says with the values at the corners. The sawtooth, which has the vectors of actions in their
// place, may still be lower, and counts too.
type hull struct {
	p, v []float64 // probabilities, ascending from 0 to 1, and bounds there
}

// second returns the probability of the second of two values.
func second(at []int32, p []float64) float64 {
	if at == nil {
		return p[1] / (p[0] + p[1])
	}
	sum, two := 0.0, 0.0
	for i, y := range at {
		if sum += p[i]; y == 1 {
			two = p[i]
		}
	}
	return two / sum
}

// at returns the bound at p.
func (h *hull) at(p float64) float64 {
	i, found := slices.BinarySearch(h.p, p)
	if found || i == 0 {
		return h.v[i]
	}
	return h.between(i-1, i, p)
}

// between returns the value at p of the line through two points.
func (h *hull) between(i, j int, p float64) float64 {
	share := (p - h.p[i]) / (h.p[j] - h.p[i])
	return (1-share)*h.v[i] + share*h.v[j]
}

// lower takes note of the bound v at p.
func (h *hull) lower(p, v float64) {
	if v >= h.at(p) {
		return
	}
	i, found := slices.BinarySearch(h.p, p)
	if found {
		h.v[i] = v
	} else {
		h.p, h.v = slices.Insert(h.p, i, p), slices.Insert(h.v, i, v)
	}
	left, right := i, i // points between left and i, and between i and right, are above the hull
	for left = i - 1; left > 0 && h.v[left] >= h.between(left-1, i, h.p[left]); left-- {
	}
	for right = i + 1; right < len(h.p)-1 && h.v[right] >= h.between(i, right+1, h.p[right]); right++ {
	}
	if right < len(h.p) {
		h.p, h.v = slices.Delete(h.p, i+1, right), slices.Delete(h.v, i+1, right)
	}
	if left >= 0 {
		h.p, h.v = slices.Delete(h.p, left+1, i), slices.Delete(h.v, left+1, i)
	}
}
