package tabular

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace/internal/num"
)

// DefaultSweeps is how many sweeps over the states a decision takes at most if its agent says
// nothing.
const DefaultSweeps = 1000

// Iteration is value iteration that goes on from the values it has, so that a change of few
// backups takes few sweeps. Package mdp solves a list of transitions anew. Here a posterior makes
// the backups, and every state can follow.
type Iteration struct {
	values
	discount float64
	tol      float64
	back     bool // the next sweep goes through the states backwards
}

// values are the values of states.
type values struct {
	V []float64 // by state, in reward units

	actions int
	total   float64 // Σ V
}

// NewIteration returns a value iteration of the MDPs that know is a distribution over, or of
// others with the same states. It ends where values change no more than by tol in all sweeps
// to come, in reward units.
func NewIteration(know Posterior, tol float64) *Iteration {
	return &Iteration{values: values{V: make([]float64, know.States()), actions: know.Actions()}, discount: know.Discount(), tol: tol}
}

// Backup returns the value of (s, a), given those of the states and their sum.
type Backup func(s, action int, v []float64, total float64) float64

// Reset makes all values 0.
func (it *Iteration) Reset() {
	clear(it.V)
	it.back = false
}

// Run sweeps over the states, so many times at most. The error is that of ctx.
func (it *Iteration) Run(ctx context.Context, backup Backup, sweeps int) error {
	for range sweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		change := it.sweep(backup)
		if it.discount*change <= (1-it.discount)*it.tol {
			break
		}
	}
	return nil
}

// sweep replaces every value in turn by its backup, and returns the largest change. Sweeps
// change their direction, as values travel along them.
func (it *Iteration) sweep(backup Backup) (change float64) {
	it.total = num.Sum(it.V) // anew, without the rounding of the last sweep
	for s := range num.InTurn(len(it.V), it.back) {
		change = max(change, it.replace(s, backup))
	}
	it.back = !it.back
	return change
}

// Best returns the first action with the largest backup at s, and that backup.
func (v *values) Best(s int, backup Backup) (action int, best float64) {
	best, action = num.Largest(v.actions, func(a int) float64 { return backup(s, a, v.V, v.total) })
	return action, best
}

// replace replaces the value of s by its backup, and returns by how much it changes.
func (v *values) replace(s int, backup Backup) (change float64) {
	_, best := v.Best(s, backup)
	change = best - v.V[s]
	v.total += change
	v.V[s] = best
	return math.Abs(change)
}

// tie is the difference of two backups, as a share of their size, that rounding may make.
const tie = 1e-9

// Greedy returns an action with the largest backup at s, each of equal ones with the same
// probability. To take the first of them would favour an order of the actions: on a grid of
// which nothing is known, BEB earned 80 where the actions towards the goal came first, and 71
// where they came last.
func (it *Iteration) Greedy(s int, backup Backup, rng *rand.Rand) (action int) {
	action, best := it.Best(s, backup)
	equal := 1
	for a := action + 1; a < it.actions; a++ {
		if backup(s, a, it.V, it.total) >= best-tie*math.Abs(best) {
			if equal++; rng.IntN(equal) == 0 {
				action = a
			}
		}
	}
	return action
}

// Revision is the values of an Iteration, revised for observations that it does not know of, by
// backups at few states. It leaves the Iteration as it is.
type Revision struct {
	values
	of    *Iteration
	begun float64 // Σ V of the Iteration
}

// Begin makes the values those of x, and is called again where these have changed.
func (r *Revision) Begin(x *Iteration) {
	r.V, r.of, r.actions = append(r.V[:0], x.V...), x, x.actions
	r.total = num.Sum(r.V)
	r.begun = r.total
}

// Undo makes the values of the states, all that Run was given since Begin, those of the
// Iteration.
func (r *Revision) Undo(states []int) {
	for _, s := range states {
		r.V[s] = r.of.V[s]
	}
	r.total = r.begun
}

// Run replaces the values of the states by their backups, the last state first, so many times
// at most, and ends where none changed by more than tol, in reward units.
func (r *Revision) Run(states []int, backup Backup, sweeps int, tol float64) {
	for range sweeps {
		change := 0.0
		for i := len(states) - 1; i >= 0; i-- {
			change = max(change, r.replace(states[i], backup))
		}
		if change <= tol {
			return
		}
	}
}
