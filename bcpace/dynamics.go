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
	discount, rate           float64 // γ, and 1−γ or what stands for it, see Spec.Rate

	class []int32 // by number of a model's state: its class
	first []int32 // by class: the number of its first state

	row    []int     // rows+1: row r is next[row[r]:row[r+1]]
	next   []int32   // state that follows
	to     []int32   // its number in the model
	done   []bool    // the episode ends there
	prob   []float64 // entries × latents: P(s'|s,φ,a)
	reward []float64 // rows × latents: R(s,φ,a), the mean over s'
	// Row r moves the latent if mover[r] ≥ 0: then φ goes to φ' = goal[j] with
	// P(φ'|φ,s,a) = share[j] for j from moved[i] to moved[i+1], i = mover[r]·latents + φ,
	// with φ' ascending. mover is nil for a static latent.
	mover []int32
	moved []int
	goal  []int32
	share []float64

	longest int // entries of the longest row
}

// maxTables bounds the memory of a dynamics, and of the first bounds made of it,
// in bytes: more would leave most machines no room for the search.
const maxTables = 2e9

// newDynamics lists every transition of m. The error is a *ConformanceError
// where Successors leads out of the state set, an *UnsupportedError where the
// tables are too large for memory, or the context's.
func newDynamics(ctx context.Context, m Finite) (*dynamics, error) {
	return dynamicsWithin(ctx, m, maxTables)
}

// dynamicsWithin is newDynamics for tables of some bytes at most.
func dynamicsWithin(ctx context.Context, m Finite, limit float64) (*dynamics, error) {
	spec := m.Spec()
	d := &dynamics{states: m.NumStates(), latents: len(spec.Latents), actions: len(spec.Actions), discount: spec.Discount, rate: spec.Rate()}
	tooLarge := func(bytes float64) error {
		return &UnsupportedError{Model: spec.Name, Algorithm: string(Certified),
			Need: fmt.Sprintf("tables of %.3g GB at most, and %d states × %d actions × %d latents take %.3g GB or more; "+
				"merge states or latents that are alike, or take Bayes-CPACE or SARSOP, which do without these tables",
				limit/1e9, m.NumStates(), d.actions, d.latents, bytes/1e9)}
	}
	if bytes := d.leastBytes(); bytes > limit {
		return nil, tooLarge(bytes)
	}
	rows := d.states * d.actions
	d.row = make([]int, 1, rows+1)
	d.reward = make([]float64, rows*d.latents)
	latent, _ := m.(LatentDynamics)
	var scratch []float64
	if KindOf(m) != Static {
		d.mover, d.moved, scratch = make([]int32, rows), make([]int, 1), make([]float64, d.latents)
	}
	var z Successors
	s := make([]float64, len(spec.Axes))
	for r := range rows {
		if r%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		action := r % d.actions
		m.StateAt(s, r/d.actions)
		if err := spec.successors(m, &z, s, action); err != nil {
			return nil, err
		}
		for i := range z.Len() {
			to, p, rew := z.Row(i)
			n := m.StateIndex(to)
			if n < 0 {
				return nil, spec.Fault(s, action, -1, "Successors lists %v, which is no state of the model", to)
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
		if d.mover != nil {
			d.move(latent, scratch, s, r, action)
		}
		if bytes := d.leastBytes() + d.listBytes(); bytes > limit {
			return nil, tooLarge(bytes)
		}
	}
	d.lump(m)
	if bytes := d.leastBytes() + d.listBytes() + d.boundsBytes(); bytes > limit {
		return nil, tooLarge(bytes)
	}
	return d, nil
}

// leastBytes returns the size of the tables that have entries for every row, class
// and the like, however little follows: they can be too large to be made.
func (d *dynamics) leastBytes() float64 {
	states, actions, latents := float64(d.states), float64(d.actions), float64(d.latents)
	return 8*states + states*actions*(8+8*latents)
}

// listBytes returns the size of the lists.
func (d *dynamics) listBytes() float64 {
	return float64(len(d.next)*(4+4+1) + 8*len(d.prob) + 4*len(d.mover) + 8*len(d.moved) + (4+8)*len(d.goal))
}

// boundsBytes returns the size of the tables that newLatentMDP and its bounds
// make: for each latent of a row two numbers and those of six vector tables, and a
// number with its place for each node that can follow.
func (d *dynamics) boundsBytes() float64 {
	nodes := 0
	for r := range d.states * d.actions {
		for e := d.row[r]; e < d.row[r+1]; e++ {
			for φ, p := range d.prob[e*d.latents : (e+1)*d.latents] {
				switch {
				case p == 0 || d.done[e]:
				case d.movesLatent(r):
					goal, _ := d.goals(r, φ)
					nodes += len(goal)
				default:
					nodes++
				}
			}
		}
	}
	return 8*(2+6)*float64(d.states)*float64(d.actions)*float64(d.latents) + (4+8)*float64(nodes)
}

// move lists where row r moves the latent to. p is scratch space.
func (d *dynamics) move(latent LatentDynamics, p, s []float64, r, action int) {
	moves, from := false, len(d.goal)
	for φ := range d.latents {
		if latent.LatentTransition(p, s, action, φ) {
			moves = moves || p[φ] != 1
		} else {
			clear(p)
			p[φ] = 1
		}
		for to, x := range p {
			if x != 0 {
				d.goal, d.share = append(d.goal, int32(to)), append(d.share, x)
			}
		}
		d.moved = append(d.moved, len(d.goal))
	}
	if moves {
		d.mover[r] = int32(len(d.moved)/d.latents - 1)
		return
	}
	d.mover[r] = -1
	d.goal, d.share, d.moved = d.goal[:from], d.share[:from], d.moved[:len(d.moved)-d.latents]
}

// goals returns where row r, which moves the latent, moves φ to, and how likely.
func (d *dynamics) goals(r, φ int) ([]int32, []float64) {
	i := int(d.mover[r])*d.latents + φ
	return d.goal[d.moved[i]:d.moved[i+1]], d.share[d.moved[i]:d.moved[i+1]]
}

// movesLatent says whether the latent changes in row r.
func (d *dynamics) movesLatent(r int) bool { return d.mover != nil && d.mover[r] >= 0 }

// expected returns R(s, b, a) of row r.
func (d *dynamics) expected(r int, b Belief) float64 {
	return dot(b, d.reward[r*d.latents:(r+1)*d.latents])
}

// update sets next to the belief after entry e of row r, and returns the
// entry's probability under b; where that is 0, next is left as it is.
func (d *dynamics) update(next, b Belief, r, e int, scratch []float64) float64 {
	p := d.prob[e*d.latents : (e+1)*d.latents]
	if !d.movesLatent(r) {
		return Posterior(next, b, p)
	}
	w := Posterior(scratch, b, p)
	if w > 0 {
		clear(next)
		for φ, x := range scratch {
			if x > 0 {
				goal, share := d.goals(r, φ)
				for j, to := range goal {
					next[to] += x * share[j]
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
	if !d.movesLatent(r) {
		for φ, x := range p {
			out[φ] += d.discount * x * v[φ]
		}
		return
	}
	for φ, x := range p {
		if x > 0 {
			goal, share := d.goals(r, φ)
			mean := 0.0
			for j, to := range goal {
				mean += share[j] * v[to]
			}
			out[φ] += d.discount * x * mean
		}
	}
}
