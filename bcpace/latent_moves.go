package bcpace

// latentMoves are rows of P(φ'|φ,s,a) without their zeros, those of a state and action
// by φ one after the other.
type latentMoves struct {
	from  []int     // rows+1: row k is to[from[k]:from[k+1]]
	to    []int32   // φ', ascending
	share []float64 // P(φ'|φ,s,a)
	dense []float64 // scratch: a row with its zeros
}

// list makes m the rows of (s, action), empty where b(φ) is 0; a nil b wants all. It
// reports whether any latent changes.
func (m *latentMoves) list(d LatentDynamics, s []float64, action int, b Belief) (moves bool) {
	m.from, m.to, m.share = append(m.from[:0], 0), m.to[:0], m.share[:0]
	function, isFunction := d.(DeterministicLatent)
	for φ := range m.dense {
		switch {
		case b != nil && b[φ] == 0:
		case isFunction:
			to := function.NextLatent(s, action, φ)
			m.to, m.share = append(m.to, int32(to)), append(m.share, 1)
			moves = moves || to != φ
		case d.LatentTransition(m.dense, s, action, φ):
			for to, p := range m.dense {
				if p != 0 {
					m.to, m.share = append(m.to, int32(to)), append(m.share, p)
					moves = moves || to != φ || p != 1
				}
			}
		default:
			m.to, m.share = append(m.to, int32(φ)), append(m.share, 1)
		}
		m.from = append(m.from, len(m.to))
	}
	return moves
}

// row returns row k.
func (m *latentMoves) row(k int) (to []int32, share []float64) {
	return m.to[m.from[k]:m.from[k+1]], m.share[m.from[k]:m.from[k+1]]
}

// move sets next(φ') = Σ_φ b(φ)·P(φ'|φ,s,a), with the rows of (s, a) from the given
// one on.
func (m *latentMoves) move(next, b Belief, first int) {
	clear(next)
	for φ, p := range b {
		if p > 0 {
			to, share := m.row(first + φ)
			for k, t := range to {
				next[t] += p * share[k]
			}
		}
	}
}
