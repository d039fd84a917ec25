package tabular

import "math"

// Revision is the values of an Iteration, revised for observations that it does not know of, by
// backups at few states. It leaves the Iteration as it is.
type Revision struct {
	V []float64 // by state, in reward units

	of    *Iteration
	total float64 // Σ V
	begun float64 // Σ V of the Iteration
}

// Begin makes the values those of x, and is called again where these have changed.
func (r *Revision) Begin(x *Iteration) {
	r.V, r.of, r.total = append(r.V[:0], x.V...), x, 0
	for _, v := range r.V {
		r.total += v
	}
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

// Best returns the first action with the largest backup at s, and that backup.
func (r *Revision) Best(s int, backup Backup) (action int, best float64) {
	return bestBackup(s, r.of.actions, backup, r.V, r.total)
}

// Run replaces the values of the states by their backups, the last state first, so many times
// at most, and ends where none changed by more than tol, in reward units.
func (r *Revision) Run(states []int, backup Backup, sweeps int, tol float64) {
	for range sweeps {
		change := 0.0
		for i := len(states) - 1; i >= 0; i-- {
			s := states[i]
			_, best := r.Best(s, backup)
			change = max(change, math.Abs(best-r.V[s]))
			r.total += best - r.V[s]
			r.V[s] = best
		}
		if change <= tol {
			return
		}
	}
}
