package pomdp

import "bayescpace/bcpace/internal/mdp"

// MDP returns the MDP that underlies m, that of an agent who sees all of the state, for so many
// goroutines. Without a discount it leaves out what leads to an end of the episode, where any value would be its own backup.
func (m *Model) MDP(workers int) *mdp.MDP {
	n, actions := m.NumStates(), len(m.Actions)
	p := &mdp.MDP{Actions: actions, Discount: m.Discount, Rate: m.Rate(), Workers: workers,
		Row: make([]int, 1, n*actions+1), Reward: make([]float64, 0, n*actions)}
	entries := 0
	for _, move := range m.Move {
		entries += len(move.Col)
	}
	p.Col, p.Weight = make([]int32, 0, entries), make([]float64, 0, entries)
	ends := make([]bool, n)
	if m.Discount == 1 {
		ends = m.Ends()
	}
	for s := range n {
		for a, move := range m.Move {
			col, prob := move.At(s)
			for i, to := range col {
				if !ends[to] {
					p.Col, p.Weight = append(p.Col, to), append(p.Weight, m.Discount*prob[i])
				}
			}
			p.Row, p.Reward = append(p.Row, len(p.Col)), append(p.Reward, m.Reward[a][s])
		}
	}
	return p
}
