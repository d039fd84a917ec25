package bcpace

import (
	"encoding/binary"
	"math"
	"slices"
)

// lump makes one state of those that differ only on axes of infinite Scale. Such
// an axis promises that neither transitions nor rewards depend on it, as with the
// last observation of a POMDP; the promise is looked into, and where it does not
// hold to the last bit for every state and action, nothing is lumped.
//
// Q*, and the value of every policy that does not read those axes, are then the
// same for all states of a class: the states after the first step, with their
// probabilities and rewards, are (exact lumpability, or bisimulation). Successors
// of one class stay apart, for they tell different things of the latent.
func (d *dynamics) lump(m Finite) {
	axes := m.Spec().Axes
	s := make([]float64, len(axes))
	d.class = make([]int32, d.states)
	classes := make(map[string]int32)
	var key []byte
	for i := range d.states {
		m.StateAt(s, i)
		key = key[:0]
		for k, x := range s {
			if !math.IsInf(axes[k].Scale, 1) {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
			}
		}
		c, ok := classes[string(key)]
		if !ok {
			c = int32(len(d.first))
			classes[string(key)] = c
			d.first = append(d.first, int32(i))
		}
		d.class[i] = c
	}
	d.to = d.next
	if len(d.first) == d.states || !d.lumpable() {
		d.first = d.first[:0]
		for i := range d.class {
			d.class[i] = int32(i)
			d.first = append(d.first, int32(i))
		}
		return
	}
	d.keepFirst()
}

// lumpable says whether every state has the rows of the first one of its class.
func (d *dynamics) lumpable() bool {
	n := d.latents
	for i, c := range d.class {
		for a := range d.actions {
			r, q := i*d.actions+a, int(d.first[c])*d.actions+a
			if r == q {
				continue
			}
			from, to, size := d.row[r], d.row[q], d.row[r+1]-d.row[r]
			if d.row[q+1]-to != size || !slices.Equal(d.reward[r*n:(r+1)*n], d.reward[q*n:(q+1)*n]) ||
				!slices.Equal(d.prob[from*n:(from+size)*n], d.prob[to*n:(to+size)*n]) ||
				!slices.Equal(d.done[from:from+size], d.done[to:to+size]) ||
				!d.movesAlike(r, q) {
				return false
			}
			for k := range size {
				if d.class[d.next[from+k]] != d.class[d.next[to+k]] {
					return false
				}
			}
		}
	}
	return true
}

// movesAlike says whether two rows move the latent in the same way.
func (d *dynamics) movesAlike(r, q int) bool {
	if d.movesLatent(r) != d.movesLatent(q) {
		return false
	}
	for φ := 0; d.movesLatent(r) && φ < d.latents; φ++ {
		goal, share := d.goals(r, φ)
		same, likewise := d.goals(q, φ)
		if !slices.Equal(goal, same) || !slices.Equal(share, likewise) {
			return false
		}
	}
	return true
}

// keepFirst keeps the rows of the first state of each class.
func (d *dynamics) keepFirst() {
	n := d.latents
	z := &dynamics{states: len(d.first), latents: n, actions: d.actions, discount: d.discount, rate: d.rate,
		class: d.class, first: d.first, longest: d.longest, row: make([]int, 1, len(d.first)*d.actions+1)}
	if d.mover != nil {
		z.moved = make([]int, 1)
	}
	for _, i := range d.first {
		for a := range d.actions {
			r := int(i)*d.actions + a
			from, to := d.row[r], d.row[r+1]
			for _, k := range d.next[from:to] {
				z.next = append(z.next, d.class[k])
			}
			z.to = append(z.to, d.next[from:to]...)
			z.done = append(z.done, d.done[from:to]...)
			z.prob = append(z.prob, d.prob[from*n:to*n]...)
			z.reward = append(z.reward, d.reward[r*n:(r+1)*n]...)
			if d.mover != nil {
				z.mover = append(z.mover, -1)
			}
			if d.movesLatent(r) {
				z.mover[len(z.mover)-1] = int32(len(z.moved) / n)
				for φ := range n {
					goal, share := d.goals(r, φ)
					z.goal, z.share = append(z.goal, goal...), append(z.share, share...)
					z.moved = append(z.moved, len(z.goal))
				}
			}
			z.row = append(z.row, len(z.next))
		}
	}
	*d = *z
}

// classOf returns the number of the class of state s of m, or −1.
func (d *dynamics) classOf(m Finite, s []float64) int {
	if i := m.StateIndex(s); i >= 0 {
		return int(d.class[i])
	}
	return -1
}

// classes has a point for each class of states.
type classes struct {
	m Finite
	d *dynamics
}

func (l classes) len() int              { return l.d.states }
func (l classes) at(s []float64, i int) { l.m.StateAt(s, int(l.d.first[i])) }
func (l classes) stencil(idx []int32, w []float64, s []float64) ([]int32, []float64, bool) {
	i := l.d.classOf(l.m, s)
	if i < 0 {
		return idx, w, false
	}
	return append(idx, int32(i)), append(w, 1), true
}

// unlump returns the latent values of all states from those of their classes.
func (d *dynamics) unlump(v *FiniteValues) *FiniteValues {
	n := d.latents * d.actions
	all := *v
	all.Table = make([]float64, 0, len(d.class)*n)
	for _, c := range d.class {
		all.Table = append(all.Table, v.Table[int(c)*n:(int(c)+1)*n]...)
	}
	return &all
}
