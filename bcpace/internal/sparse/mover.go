package sparse

import "math/rand/v2"

// Mover moves the latent of a model by the cheapest of the functions that the model has: by Next, List or
// Transition, of which the last is there in any case. It is for one goroutine, and does not allocate once
// its lists have grown. A nil Mover moves nothing.
type Mover struct {
	Latents    int
	Next       func(s []float64, action, latent int) int
	List       func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64)
	Transition func(p []float64, s []float64, action, latent int) bool

	row   []float64 // of Transition
	to    []int32
	share []float64
}

// Clone returns a Mover for another goroutine.
func (m *Mover) Clone() *Mover {
	if m == nil {
		return nil
	}
	return &Mover{Latents: m.Latents, Next: m.Next, List: m.List, Transition: m.Transition}
}

// transition returns the row of a latent that moves.
func (m *Mover) transition(s []float64, action, latent int) (row []float64, moves bool) {
	if m.row == nil {
		m.row = make([]float64, m.Latents)
	}
	return m.row, m.Transition(m.row, s, action, latent)
}

// Draw draws φ' ~ P(φ'|latent,s,a). It takes no random number from rng where a function says
// what follows, nor where the latent is known to stay.
func (m *Mover) Draw(s []float64, action, latent int, rng *rand.Rand) int {
	switch {
	case m == nil:
		return latent
	case m.Next != nil:
		return m.Next(s, action, latent)
	case m.List != nil:
		m.to, m.share = m.List(m.to[:0], m.share[:0], s, action, latent)
		if len(m.to) == 1 && int(m.to[0]) == latent {
			return latent
		}
		return int(m.to[Sample(m.share, rng)])
	}
	if row, moves := m.transition(s, action, latent); moves {
		return Sample(row, rng)
	}
	return latent
}

// Append appends to to the latents that may follow, in ascending order, and to share their probabilities.
func (m *Mover) Append(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	if m.List != nil {
		return m.List(to, share, s, action, latent)
	}
	row, moves := m.transition(s, action, latent)
	if !moves {
		return append(to, int32(latent)), append(share, 1)
	}
	for φ, p := range row {
		if p != 0 {
			to, share = append(to, int32(φ)), append(share, p)
		}
	}
	return to, share
}

// Fill makes rows those of (s, action), empty where b(φ) is 0; a nil b wants all. It reports whether any
// latent changes.
func (m *Mover) Fill(rows *MoveRows, s []float64, action int, b []float64) (changes bool) {
	rows.From, rows.To, rows.Share = append(rows.From[:0], 0), rows.To[:0], rows.Share[:0]
	for φ := range m.Latents {
		if b == nil || b[φ] != 0 {
			k := len(rows.To)
			rows.To, rows.Share = m.Append(rows.To, rows.Share, s, action, φ)
			changes = changes || len(rows.To) != k+1 || int(rows.To[k]) != φ || rows.Share[k] != 1
		}
		rows.From = append(rows.From, len(rows.To))
	}
	return changes
}

// Sample draws a place with the probabilities p.
func Sample(p []float64, rng *rand.Rand) int {
	u := rng.Float64()
	last := 0
	for i, x := range p {
		if x > 0 {
			last = i
			if u < x {
				return i
			}
			u -= x
		}
	}
	return last // u lies within rounding of the end
}

// MoveRows are rows of P(φ'|φ,s,a) without their zeros, those of a state and action by φ one after
// the other.
type MoveRows struct {
	From  []int     // rows+1: row k is To[From[k]:From[k+1]]
	To    []int32   // φ', ascending
	Share []float64 // P(φ'|φ,s,a)
}

// Row returns row k.
func (m *MoveRows) Row(k int) (to []int32, share []float64) {
	return m.To[m.From[k]:m.From[k+1]], m.Share[m.From[k]:m.From[k+1]]
}

// Move sets next(φ') = Σ_φ b(φ)·P(φ'|φ,s,a), with the rows of (s, a) from the given one on.
func (m *MoveRows) Move(next, b []float64, first int) {
	clear(next)
	for φ, p := range b {
		if p > 0 {
			to, share := m.Row(first + φ)
			for k, t := range to {
				next[t] += p * share[k]
			}
		}
	}
}
