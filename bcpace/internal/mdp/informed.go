package mdp

import (
	"math"
	"slices"
)

// Informed computes the maxima of the fast informed bound (Hauskrecht 2000), whose
// agent learns the observation o of a step before it acts again, and its hidden state
// only one step later:
//
//	Q(s,a) = R(s,a) + γ·Σ_o max over a' of Σ_s' P(s',o|s,a)·Q(s',a')
//
// and those of OneStep. The successors of (s, a) are given one after the other by Add. It is for one
// goroutine.
type Informed struct {
	actions int
	place   []int32   // by observation: its place, or −1
	used    []int32   // the observations in use, by place: in the order of their first use
	sum     []float64 // by place and action: Σ_s' P(s',o|s,a)·Q(s',a')
	Work    int       // of At, as that of a BoundStep
}

// NewInformed returns an Informed for observations 0 … observations−1.
func NewInformed(observations, actions int) *Informed {
	return &Informed{actions: actions, place: slices.Repeat([]int32{-1}, observations)}
}

// Add adds a successor: its observation, its weight, and its Q by action.
func (f *Informed) Add(o int32, weight float64, q []float64) {
	place := f.placeOf(o)
	if place*f.actions == len(f.sum) {
		for range f.actions {
			f.sum = append(f.sum, 0)
		}
	}
	sum, value := f.sum[place*f.actions:][:len(q)], q
	for len(value) >= 4 {
		s, v := (*[4]float64)(sum), (*[4]float64)(value)
		s[0] += weight * v[0]
		s[1] += weight * v[1]
		s[2] += weight * v[2]
		s[3] += weight * v[3]
		sum, value = sum[4:], value[4:]
	}
	for a, v := range value {
		sum[a] += weight * v
	}
}

// placeOf returns the place of an observation: places are numbered in the order of their first use.
func (f *Informed) placeOf(o int32) int {
	place := f.place[o]
	if place < 0 {
		place = int32(len(f.used))
		f.place[o] = place
		f.used = append(f.used, o)
	}
	return int(place)
}

// Flush returns total plus, one after the other, the largest entry of each
// observation, and forgets what was added.
func (f *Informed) Flush(total float64) float64 { return f.flush(total, nil) }

// flush is Flush, and notes in choice, by place, the actions that have the largest entries, where that is not nil.
func (f *Informed) flush(total float64, choice []int32) float64 {
	for i := range f.used {
		best, most := 0, math.Inf(-1)
		for a, v := range f.sum[i*f.actions : (i+1)*f.actions] {
			if v > most {
				best, most = a, v
			}
		}
		total += most
		if choice != nil {
			choice[i] = int32(best)
		}
	}
	f.forget()
	return total
}

// forget makes no observation have a place.
func (f *Informed) forget() {
	for _, o := range f.used {
		f.place[o] = -1
	}
	f.used, f.sum = f.used[:0], f.sum[:0]
}
