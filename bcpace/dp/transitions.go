package dp

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/sparse"
)

// Transitions are all transitions of a Finite model in flat arrays, for expected
// backups. Row (s, a) = s·Actions + a has the entries of the states that can follow,
// in the model's order. They are safe for concurrent use.
//
// States are those of the model, or classes of them after Aggregate.
type Transitions struct {
	States, Latents, Actions int
	Discount, Rate           float64 // γ, and 1−γ or what stands for it, see Spec.Rate

	states    numbering
	algorithm string  // that needs the tables, for errors
	limit     float64 // of the memory that tables may take, in bytes

	row     []int   // rows+1: row r is next[row[r]:row[r+1]]
	next    []int32 // state that follows
	to      []int32 // its number in the model
	done    []bool  // the episode ends there
	kind    []int32 // by entry: the number of its vector P(s'|s,φ,a) in probs
	mean    []int32 // by row: the number of its vector R(s,φ,a), the mean over s', in rewards
	probs   *sparse.VectorTable
	rewards *sparse.VectorTable
	// Row r moves the latent if mover[r] ≥ 0: then φ moves as row mover[r]·latents + φ
	// of moves says. mover is nil for a static latent.
	mover []int32
	moves sparse.MoveRows

	longest int // entries of the longest row
}

// ListTransitions lists all transitions of m, on all processors. The error is that of Validate, an
// *UnsupportedError for actions with a Box, a
// *ConformanceError where the model breaks its contract, an *UnsupportedError where the tables would take more
// than 2 GB, or the context's.
func ListTransitions(ctx context.Context, m bcpace.Finite) (*Transitions, error) {
	return listWithin(ctx, m, "ListTransitions", maxTables)
}

// addMoves appends how each latent moves, as the next row of t.
func (t *Transitions) addMoves(row func(φ int) (to []int32, share []float64)) {
	t.mover = append(t.mover, int32((len(t.moves.From)-1)/t.Latents))
	for φ := range t.Latents {
		to, share := row(φ)
		t.moves.To, t.moves.Share = append(t.moves.To, to...), append(t.moves.Share, share...)
		t.moves.From = append(t.moves.From, len(t.moves.To))
	}
}

// fits returns an *UnsupportedError for tables of more bytes than are allowed.
func (t *Transitions) fits(bytes float64) error {
	if bytes <= t.limit {
		return nil
	}
	return &bcpace.UnsupportedError{Model: t.states.model.Spec().Name, Algorithm: t.algorithm,
		Need: fmt.Sprintf("tables of %.3g GB at most, and %d states × %d actions × %d latents take %.3g GB or more; "+
			"merge states or latents that are alike, or take Bayes-CPACE or SARSOP, which do without these tables",
			t.limit/1e9, t.states.model.NumStates(), t.Actions, t.Latents, bytes/1e9)}
}

// Fits returns an *UnsupportedError where the tables of t, those that Bounds makes and so
// many bytes more would take more than 2 GB. It is for authors of solvers.
func (t *Transitions) Fits(more float64) error {
	return t.fits(t.leastBytes() + t.listBytes() + t.valueBytes(boundTables) + more)
}

// leastBytes returns the size of the tables that have entries for every row, state
// and the like, however little follows: they can be too large to be made.
func (t *Transitions) leastBytes() float64 {
	states, actions := float64(t.States), float64(t.Actions)
	return 8*states + states*actions*(8+4)
}

// listBytes returns the size of the lists.
func (t *Transitions) listBytes() float64 {
	return float64(t.probs.Bytes() + t.rewards.Bytes() + len(t.next)*(4+4+4+1) + 4*len(t.mover) + 8*len(t.moves.From) + (4+8)*len(t.moves.To))
}

// valueBytes returns the size of what latentMDP makes, two numbers for each latent of a
// row and a number with its place for each node that can follow, and of so many tables of
// values.
func (t *Transitions) valueBytes(tables int) float64 {
	entries, nodes := float64(t.nodeEntries()), float64(t.States)*float64(t.Latents)
	bytes := 8*float64(2+tables)*nodes*float64(t.Actions) + (4+8)*entries
	if t.States*t.Latents >= mdp.Large { // a chain has the entries of an action again
		bytes += chainBytes*nodes + (4+8)*entries/float64(t.Actions)
	}
	return bytes
}

// Entries returns the entries of row r: those from the first to before the second.
func (t *Transitions) Entries(r int) (from, to int) { return t.row[r], t.row[r+1] }

// Longest returns the number of entries of the longest row.
func (t *Transitions) Longest() int { return t.longest }

// Next returns the state to which entry e leads, and whether the episode ends there.
func (t *Transitions) Next(e int) (state int, done bool) { return int(t.next[e]), t.done[e] }

// StateIndex returns the number of state s of the model, −1 where it has none.
func (t *Transitions) StateIndex(s []float64) int { return t.states.index(s) }

// StateAt fills s with the state of that number, the first of a class.
func (t *Transitions) StateAt(s []float64, number int) { t.states.At(s, number) }

// NextAt fills s with the state of the model to which entry e leads.
func (t *Transitions) NextAt(s []float64, e int) { t.states.model.StateAt(s, int(t.to[e])) }

// Prob returns P(s'|s,φ,a) of entry e by φ: a view.
func (t *Transitions) Prob(e int) []float64 { return t.probs.At(t.kind[e]) }

// Reward returns R(s,φ,a) of row r by φ, the mean over s', in reward units: a view.
func (t *Transitions) Reward(r int) []float64 { return t.rewards.At(t.mean[r]) }

// Expected returns R(s,b,a) of row r, in reward units.
func (t *Transitions) Expected(r int, b bcpace.Belief) float64 { return b.Dot(t.Reward(r)) }

// movesLatent reports whether the latent changes in row r.
func (t *Transitions) movesLatent(r int) bool { return t.mover != nil && t.mover[r] >= 0 }

// Moves returns the latents that φ moves to in row r, in ascending order, and
// P(φ'|φ,s,a) of each: views. ok is false where no latent moves in that row.
func (t *Transitions) Moves(r, φ int) (to []int32, share []float64, ok bool) {
	if !t.movesLatent(r) {
		return nil, nil, false
	}
	to, share = t.movesOf(r, φ)
	return to, share, true
}

// movesOf is Moves for a row that moves the latent.
func (t *Transitions) movesOf(r, φ int) (to []int32, share []float64) {
	return t.moves.Row(int(t.mover[r])*t.Latents + φ)
}

// Update sets next to the belief after entry e of row r, see Lister.Update, and
// returns the entry's probability under b; where that is 0, next is left as it is.
// scratch is as long as a belief.
func (t *Transitions) Update(next, b bcpace.Belief, r, e int, scratch []float64) float64 {
	if !t.movesLatent(r) {
		return b.Posterior(next, t.Prob(e))
	}
	w := b.Posterior(scratch, t.Prob(e))
	if w > 0 {
		t.moves.Move(next, scratch, int(t.mover[r])*t.Latents)
	}
	return w
}

// AddBackup adds γ·P(s'|s,φ,a)·Σ_φ' P(φ'|φ,s,a)·v(φ') to out(φ): the share of entry e
// of row r in the backup of a linear function v of the belief at its state.
func (t *Transitions) AddBackup(out, v []float64, r, e int) {
	p := t.Prob(e)
	if !t.movesLatent(r) {
		for φ, x := range p {
			out[φ] += t.Discount * x * v[φ]
		}
		return
	}
	for φ, x := range p {
		if x > 0 {
			to, share := t.movesOf(r, φ)
			mean := 0.0
			for k, φ := range to {
				mean += share[k] * v[φ]
			}
			out[φ] += t.Discount * x * mean
		}
	}
}

// maxTables bounds the memory of Transitions, and of the bounds made of them, in
// bytes: more would leave most machines no room for a search.
const maxTables = 2e9

// boundTables is how many tables of a number for each latent of a row bounds makes, those
// that it works with included, and chainBytes the bytes of the vectors with which a large
// model is solved, for each state and latent.
const (
	boundTables = 6
	chainBytes  = 100
)
