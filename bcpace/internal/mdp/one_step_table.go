package mdp

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// StepTable has the values of a OneStep as vectors over the hidden states. At beliefs that hold most of these likely, it
// is faster than At of OneStep by the speed of scalar products:
//
//	q(b,a) = Σ_y b(y)·R(s,a) + γ Σ_o max over a' of Σ_y b(y)·v_{x,a,o,a'}(y)
//
// with v_{x,a,o,a'}(y) = P(o|s,a)·q(τ(s,a,o),a') for s = (x,y).
type StepTable struct {
	*OneStep
	from   []int     // by x·actions + a: its o are from[i] to from[i+1]
	vector []float64 // by o, a' and y
	earned []float64 // by x·actions + a and y
}

// tableSize is how many numbers a StepTable may have.
const tableSize = 1 << 23

// Table returns a table without values; nil where they do not fit.
func (u *OneStep) Table() *StepTable {
	t := &StepTable{OneStep: u, from: []int{0}, earned: make([]float64, len(u.reward))}
	w := u.Scratch()
	for i := range len(u.reward) / u.hidden {
		for y := range u.hidden {
			row := t.rowOf(i, y)
			t.earned[i*u.hidden+y] = u.reward[row]
			for _, o := range u.seen[u.row[row]:u.row[row+1]] {
				w.placeOf(o)
			}
		}
		t.from = append(t.from, t.from[i]+len(w.used))
		w.forget()
		if t.from[i+1]*u.actions*u.hidden > tableSize {
			return nil
		}
	}
	t.vector = make([]float64, t.from[len(t.from)-1]*u.actions*u.hidden)
	return t
}

// rowOf returns the row of the OneStep of (x, y) and a for i = x·actions + a.
func (t *StepTable) rowOf(i, y int) int { return (i/t.actions*t.hidden+y)*t.actions + i%t.actions }

// Fill takes the values of the OneStep as they are now.
func (t *StepTable) Fill(workers int) {
	clear(t.vector)
	EachPart(workers, len(t.from)-1, func(_, first, last int) {
		w := t.Scratch()
		for i := first; i < last; i++ {
			for y := range t.hidden {
				row := t.rowOf(i, y)
				for k := t.row[row]; k < t.row[row+1]; k++ {
					at := (t.from[i]+w.placeOf(t.seen[k]))*t.actions*t.hidden + y
					for next, q := range t.q[int(t.after[k])*t.actions:][:t.actions] {
						t.vector[at+next*t.hidden] += t.share[k] * q
					}
				}
			}
			w.forget()
		}
	})
}

// At returns the bound of action a at a belief over all hidden states of x.
func (t *StepTable) At(w *StepScratch, x int, prob []float64, a int) float64 {
	i := x*t.actions + a
	vector := t.vector[t.from[i]*t.actions*t.hidden:]
	n := (t.from[i+1] - t.from[i]) * t.actions
	w.Work += n * t.hidden
	sum, best := 0.0, math.Inf(-1)
	for k := range n {
		if best = max(best, floats.Dot(prob, vector[k*t.hidden:][:t.hidden])); (k+1)%t.actions == 0 {
			sum, best = sum+best, math.Inf(-1)
		}
	}
	return floats.Dot(prob, t.earned[i*t.hidden:][:t.hidden]) + t.discount*sum
}
