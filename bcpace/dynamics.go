package bcpace

import (
	"context"
	"fmt"
)

// dynamics is a Finite model laid out in flat arrays, for expected backups:
// row (s, a) = s·actions + a lists the states that can follow. Its states are
// classes of the model's, see lump; most often each state is one of its own.
type dynamics struct {
	states, latents, actions int
	discount                 float64

	class []int32 // by number of a model's state: its class
	first []int32 // by class: the number of its first state

	row    []int     // rows+1: row r is next[row[r]:row[r+1]]
	next   []int32   // state that follows
	to     []int32   // its number in the model
	done   []bool    // the episode ends there
	prob   []float64 // entries × latents: P(s'|s,φ,a)
	reward []float64 // rows × latents: R(s,φ,a), the mean over s'
	// moved holds P(φ'|φ,s,a), rows × latents × latents, in rows that move
	// moves; nil for a static latent.
	moved []float64
	moves []bool

	longest int // entries of the longest row
}

// newDynamics lists every transition of m. The error is a *ConformanceError
// where Successors leads out of the state set, or the context's.
func newDynamics(ctx context.Context, m Finite) (*dynamics, error) {
	spec := m.Spec()
	d := &dynamics{states: m.NumStates(), latents: len(spec.Latents), actions: len(spec.Actions), discount: spec.Discount}
	rows := d.states * d.actions
	d.row = make([]int, 1, rows+1)
	d.reward = make([]float64, rows*d.latents)
	latent, _ := m.(LatentDynamics)
	if KindOf(m) != Static {
		d.moves, d.moved = make([]bool, rows), make([]float64, rows*d.latents*d.latents)
	}
	var z Successors
	s := make([]float64, len(spec.Axes))
	for r := range rows {
		if r%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		action := r % d.actions
		m.StateAt(s, r/d.actions)
		z.Reset(len(spec.Axes), d.latents)
		m.Successors(&z, s, action)
		for i := range z.Len() {
			to, p, rew := z.Row(i)
			n := m.StateIndex(to)
			if n < 0 {
				return nil, &ConformanceError{Model: spec.Name, State: append([]float64(nil), s...), Action: spec.Actions[action].Name,
					What: fmt.Sprintf("Successors lists %v, which is no state of the model", to)}
			}
			d.next = append(d.next, int32(n))
			d.done = append(d.done, z.Done[i])
			d.prob = append(d.prob, p...)
			for φ := range d.latents {
				d.reward[r*d.latents+φ] += p[φ] * rew[φ]
			}
		}
		d.longest = max(d.longest, len(d.next)-d.row[r])
		d.row = append(d.row, len(d.next))
		if d.moves != nil {
			d.move(latent, s, r, action)
		}
	}
	d.lump(m)
	return d, nil
}

// move fills the latent transitions of row r.
func (d *dynamics) move(latent LatentDynamics, s []float64, r, action int) {
	n := d.latents
	for φ := range n {
		p := d.moved[(r*n+φ)*n : (r*n+φ+1)*n]
		if latent.LatentTransition(p, s, action, φ) {
			d.moves[r] = true
		} else {
			clear(p)
			p[φ] = 1
		}
	}
}

// expected returns R(s, b, a) of row r.
func (d *dynamics) expected(r int, b Belief) float64 {
	return dot(b, d.reward[r*d.latents:(r+1)*d.latents])
}

// update sets next to the belief after entry e of row r, and returns the
// entry's probability under b; where that is 0, next is left as it is.
func (d *dynamics) update(next, b Belief, r, e int, scratch []float64) float64 {
	p := d.prob[e*d.latents : (e+1)*d.latents]
	if d.moves == nil || !d.moves[r] {
		return Posterior(next, b, p)
	}
	w := Posterior(scratch, b, p)
	if w > 0 {
		clear(next)
		for φ, x := range scratch {
			if x > 0 {
				for to, t := range d.moved[(r*d.latents+φ)*d.latents : (r*d.latents+φ+1)*d.latents] {
					next[to] += x * t
				}
			}
		}
	}
	return w
}

// pull adds γ·P(s'|s,φ,a)·Σ_φ' P(φ'|φ,s,a)·v(φ') to out(φ): the share of entry e
// of row r in the backup of a linear function v of the belief at its state.
func (d *dynamics) pull(out, v []float64, r, e int) {
	p := d.prob[e*d.latents : (e+1)*d.latents]
	if d.moves == nil || !d.moves[r] {
		for φ, x := range p {
			out[φ] += d.discount * x * v[φ]
		}
		return
	}
	for φ, x := range p {
		if x > 0 {
			at := (r*d.latents + φ) * d.latents
			out[φ] += d.discount * x * dot(d.moved[at:at+d.latents], v)
		}
	}
}
