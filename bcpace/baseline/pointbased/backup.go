package pointbased

import (
	"math"
	"slices"
)

// BeliefOutcome is what may follow an action in a belief, with the highest vector known there.
type BeliefOutcome struct {
	X, O int32
	P    float64
	Best
}

// NewOutcome returns the outcome of a branch, of which no vector is known.
func NewOutcome(b Branch) BeliefOutcome {
	return BeliefOutcome{X: b.X, O: b.O, P: b.P, Best: Best{Lower: math.Inf(-1)}}
}

// gain is the share of a lower bound by which a backup must raise it at least: less is
// rounding.
const gain = 1e-12

// Raises reports whether a value is above the lower bound of a point by more than rounding.
func (n *BeliefPoint) Raises(value float64) bool { return value > n.Lower+gain*math.Abs(n.Lower) }

// Backward makes the vector of action a at n, followed by the best vectors of its
// outcomes, which are ordered as Branches has them. Outcomes that are impossible at n may be
// followed by any vector.
func (t *VectorSet) Backward(w *Scratch, n *BeliefPoint, a int, out []BeliefOutcome) Vector {
	w.next = w.next[:0]
	for _, to := range t.move[a*t.NX+int(n.X)].to {
		other := t.gamma[to].list[0]
		most := -1.0
		for len(out) > 0 && out[0].X == to {
			w.pick[out[0].O] = out[0].Vec
			if out[0].P > most {
				most, other = out[0].P, out[0].Vec
			}
			out = out[1:]
		}
		for _, o := range t.sense[a*t.NX+int(to)].obs {
			if w.pick[o] == nil {
				w.pick[o] = other
			}
			w.next = append(w.next, w.pick[o])
			w.pick[o] = nil
		}
	}
	v := Vector{x: n.X, action: int32(a), value: make([]float64, t.NY), next: slices.Clone(w.next), origin: n.origin}
	t.follow(w, v.value, v.x, a, v.next)
	return v
}

// follow fills v with the value, by y, of action a at x, followed by a vector for every
// x' that it can lead to and, within it, for every o that is possible there:
//
//	α(y) = R(x,y,a) + γ Σ_{x',y'} P(x',y'|x,y,a) Σ_o P(o|x',y',a) α_{x',o}(y')
func (p *SearchProblem) follow(w *Scratch, v []float64, x int32, a int, next []*Vector) {
	blk := &p.move[a*p.NX+int(x)]
	for place, to := range blk.to {
		see := &p.sense[a*p.NX+int(to)]
		here := next[:len(see.obs)]
		next = next[len(see.obs):]
		mix := w.mix[place*p.NY : (place+1)*p.NY]
		switch {
		case see.only >= 0:
			copy(mix, here[0].value)
			w.Work += p.NY
		case see.col != nil:
			clear(mix)
			w.Work += p.NY * len(here)
			for k, u := range here {
				v := u.value
				for y, q := range see.col[k] {
					mix[y] += q * v[y]
				}
			}
		default:
			for k, o := range see.obs {
				w.pick[o] = here[k]
			}
			rows := p.Sense[a]
			w.Work += rows.Row[int(to+1)*p.NY] - rows.Row[int(to)*p.NY]
			for y := range mix {
				obs, po := rows.At(int(to)*p.NY + y)
				sum := 0.0
				for j, o := range obs {
					sum += po[j] * w.pick[o].value[y]
				}
				mix[y] = sum
			}
			for _, o := range see.obs {
				w.pick[o] = nil
			}
		}
	}
	reward := p.pay[a][int(x)*p.NY:][:p.NY]
	if blk.same {
		for y := range v {
			v[y] = reward[y] + p.LowerDiscount*w.mix[y]
		}
		return
	}
	move := p.Move[a]
	w.Work += move.Row[int(x+1)*p.NY] - move.Row[int(x)*p.NY]
	for y := range v {
		col, val := move.At(int(x)*p.NY + y)
		sum, place := 0.0, 0
		for j, c := range col {
			for int(c) >= (int(blk.to[place])+1)*p.NY {
				place++
			}
			sum += val[j] * w.mix[int(c)+(place-int(blk.to[place]))*p.NY]
		}
		v[y] = reward[y] + p.LowerDiscount*sum
	}
}
