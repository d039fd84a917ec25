package sparse

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
