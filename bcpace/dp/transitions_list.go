package dp

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/internal/sparse"
	"bayescpace/bcpace/solverkit"
)

// listBlock is how many rows one goroutine lists at a time.
const listBlock = 256

// listWithin is ListTransitions for an algorithm that allows tables of some bytes at most.
func listWithin(ctx context.Context, m bcpace.Finite, algorithm string, limit float64) (*Transitions, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if err := solverkit.NeedActionList(spec, algorithm); err != nil {
		return nil, err
	}
	t := &Transitions{States: m.NumStates(), Latents: len(spec.Latents), Actions: len(spec.Actions), Discount: spec.Discount, Rate: spec.Rate(),
		states: number(m), algorithm: algorithm, limit: limit,
		probs: sparse.NewVectors(len(spec.Latents)), rewards: sparse.NewVectors(len(spec.Latents))}
	if err := t.fits(t.leastBytes()); err != nil {
		return nil, err
	}
	rows := t.States * t.Actions
	t.row, t.mean = make([]int, 1, rows+1), make([]int32, 0, rows)
	if bcpace.KindOf(m) != bcpace.Static {
		t.mover, t.moves.From = make([]int32, 0, rows), make([]int, 1)
	}
	idle := idle{latents: t.Latents, states: t.States}
	workers := workersOf(ctx)
	listers := make([]*bcpace.Lister, workers)
	for i := range listers {
		listers[i] = bcpace.NewLister(m)
	}
	wave := make([]listedRows, 4*workers)
	for first := 0; first < rows; {
		if first > 0 {
			solverkit.ReportPhase(ctx, "transitions", float64(first)/float64(rows))
		}
		n := min(len(wave), (rows-first+listBlock-1)/listBlock)
		side.Each(workers, n, func(worker, k int) {
			from := first + k*listBlock
			wave[k].list(ctx, m, listers[worker], from, min(from+listBlock, rows))
		})
		for k := range wave[:n] {
			if wave[k].err != nil {
				return nil, wave[k].err
			}
			t.add(&wave[k], &idle)
		}
		if err := t.fits(t.leastBytes() + t.listBytes()); err != nil {
			return nil, err
		}
		first += n * listBlock
	}
	t.probs.Seal()
	t.rewards.Seal()
	t.to = t.next
	if err := t.closed(&idle); err != nil {
		return nil, err
	}
	return t, nil
}

// listedRows are rows as a model lists them, one after the other.
type listedRows struct {
	entries []int // of each row
	next    []int32
	done    []bool
	prob    []float64 // entries × latents
	reward  []float64 // rows × latents: the mean
	moved   []bool    // by row: it moves the latent, as the next rows of moves say
	moves   sparse.MoveRows
	err     error // what ended the list
}

// list lists the rows of m from the first to before end.
func (lr *listedRows) list(ctx context.Context, m bcpace.Finite, l *bcpace.Lister, first, end int) {
	lr.entries, lr.next, lr.done, lr.prob, lr.reward = lr.entries[:0], lr.next[:0], lr.done[:0], lr.prob[:0], lr.reward[:0]
	lr.moved, lr.moves.From, lr.moves.To, lr.moves.Share = lr.moved[:0], append(lr.moves.From[:0], 0), lr.moves.To[:0], lr.moves.Share[:0]
	spec := m.Spec()
	s := make([]float64, len(spec.Axes))
	for r := first; r < end; r++ {
		if r%64 == 0 {
			if lr.err = ctx.Err(); lr.err != nil {
				return
			}
		}
		m.StateAt(s, r/len(spec.Actions))
		if lr.err = l.List(s, r%len(spec.Actions)); lr.err != nil {
			return
		}
		if lr.err = lr.add(l); lr.err != nil {
			return
		}
	}
}

// add appends the row that l has listed.
func (lr *listedRows) add(l *bcpace.Lister) error {
	z := &l.Successors
	for i := range z.Len() {
		n, err := l.Number(i)
		if err != nil {
			return err
		}
		lr.next = append(lr.next, int32(n))
	}
	lr.entries, lr.done = append(lr.entries, z.Len()), append(lr.done, z.Done...)
	lr.prob, lr.reward = append(lr.prob, z.Prob...), append(lr.reward, l.Reward...)
	_, _, moved := l.Moves(0)
	lr.moved = append(lr.moved, moved)
	for φ := 0; moved && φ < len(l.Reward); φ++ {
		to, share, _ := l.Moves(φ)
		lr.moves.To, lr.moves.Share = append(lr.moves.To, to...), append(lr.moves.Share, share...)
		lr.moves.From = append(lr.moves.From, len(lr.moves.To))
	}
	return nil
}

// add appends the rows of x, and marks those after which nothing follows.
func (t *Transitions) add(x *listedRows, idle *idle) {
	n, e, moved := t.Latents, 0, 0
	t.next, t.done = append(t.next, x.next...), append(t.done, x.done...)
	for r, entries := range x.entries {
		idle.mark(x.prob[e*n:(e+entries)*n], len(t.mean)/t.Actions)
		for range entries {
			t.kind = append(t.kind, t.probs.Number(x.prob[e*n:(e+1)*n]))
			e++
		}
		t.mean = append(t.mean, t.rewards.Number(x.reward[r*n:(r+1)*n]))
		t.row = append(t.row, t.row[len(t.row)-1]+entries)
		t.longest = max(t.longest, entries)
		switch {
		case x.moved[r]:
			t.addMoves(func(φ int) (to []int32, share []float64) { return x.moves.Row(moved + φ) })
			moved += n
		case t.mover != nil:
			t.mover = append(t.mover, -1)
		}
	}
}

// idle marks the states, by latent, from which nothing follows: those that have ended,
// and those that cannot occur under the latent. An episode must not continue there.
type idle struct {
	latents int
	marks   []bool // states × latents; nil while there is none
	states  int
}

// mark notes the latents under which nothing follows the state, where what follows it under an
// action has these probabilities.
func (i *idle) mark(prob []float64, state int) {
	for φ := range i.latents {
		if follows(prob, i.latents, φ) {
			continue
		}
		if i.marks == nil {
			i.marks = make([]bool, i.states*i.latents)
		}
		i.marks[state*i.latents+φ] = true
	}
}

// follows reports whether any entry, n probabilities each, has one under a latent.
func follows(prob []float64, n, φ int) bool {
	for ; φ < len(prob); φ += n {
		if prob[φ] > 0 {
			return true
		}
	}
	return false
}

// closed returns a *ConformanceError where an episode begins or continues in a state
// from which nothing follows: values there would be made of nothing.
func (t *Transitions) closed(x *idle) error {
	if x.marks == nil {
		return nil
	}
	m := t.states.model
	spec := m.Spec()
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return err
	}
	reached := make([]bool, len(x.marks)) // by state and latent
	var open []int                        // those of which what follows is to be looked at
	reach := func(state, φ int) {
		if at := state*t.Latents + φ; !reached[at] {
			reached[at] = true
			open = append(open, at)
		}
	}
	for _, start := range starts {
		for φ, p := range start.Belief {
			if state := m.StateIndex(start.State); p > 0 && state >= 0 {
				reach(state, φ)
			}
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		state, φ := at/t.Latents, at%t.Latents
		if x.marks[at] {
			s := make([]float64, len(spec.Axes))
			m.StateAt(s, state)
			return spec.Fault(s, -1, φ, "Successors lists nothing for some action, and an episode may be there: "+
				"want successors whose probabilities sum to 1, or an end (Done) where the state is reached")
		}
		for a := range t.Actions {
			r := state*t.Actions + a
			to, share, moves := t.Moves(r, φ)
			for e := t.row[r]; e < t.row[r+1]; e++ {
				if t.done[e] || t.Prob(e)[φ] == 0 {
					continue
				}
				if !moves {
					reach(int(t.next[e]), φ)
				}
				for k, after := range to {
					if share[k] > 0 {
						reach(int(t.next[e]), int(after))
					}
				}
			}
		}
	}
	return nil
}
