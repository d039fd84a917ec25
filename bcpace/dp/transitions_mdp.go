package dp

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
)

// latentMDP returns the latent MDPs on the states of t.
func (t *Transitions) latentMDP(ctx context.Context) (*latentMDP, error) {
	if spec := t.states.model.Spec(); t.States > math.MaxInt32/t.Latents {
		return nil, bcpace.In("model "+strconv.Quote(spec.Name)).Bad("the number of states × latents", fmt.Sprintf("%d × %d", t.States, t.Latents), fmt.Sprintf("at most %d", math.MaxInt32))
	}
	rows := t.States * t.Actions * t.Latents
	p := &latentMDP{MDP: mdp.MDP{Actions: t.Actions, Discount: t.Discount, Rate: t.Rate, Workers: workersOf(ctx)}, points: t.States, latents: t.Latents, static: t.mover == nil}
	p.Row, p.Reward = make([]int, 1, rows+1), make([]float64, 0, rows)
	entries := t.nodeEntries()
	p.Col, p.Weight = make([]int32, 0, entries), make([]float64, 0, entries)
	acc, used := make([]float64, t.States), []int32(nil)
	for g := range t.States {
		if g%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for latent := range t.Latents {
			for a := range t.Actions {
				r := g*t.Actions + a
				for e := t.row[r]; e < t.row[r+1]; e++ {
					if prob := t.Prob(e)[latent]; prob > 0 && !t.done[e] {
						if n := t.next[e]; acc[n] == 0 {
							used = append(used, n)
						}
						acc[t.next[e]] += prob
					}
				}
				moves, share, moved := t.Moves(r, latent)
				for _, n := range used {
					w, node := p.Discount*acc[n], int(n)*t.Latents
					acc[n] = 0
					if !moved {
						p.Col, p.Weight = append(p.Col, int32(node+latent)), append(p.Weight, w)
						continue
					}
					for k, to := range moves {
						p.Col, p.Weight = append(p.Col, int32(node)+to), append(p.Weight, w*share[k])
					}
				}
				used = used[:0]
				p.Reward = append(p.Reward, t.Reward(r)[latent])
				p.Row = append(p.Row, len(p.Col))
			}
		}
	}
	return p, p.checkHorizon(t.states.model)
}

// nodeEntries returns how many entries the rows of the latent MDPs have at most.
func (t *Transitions) nodeEntries() (entries int) {
	for r := range t.States * t.Actions {
		for e := t.row[r]; e < t.row[r+1]; e++ {
			for φ, p := range t.Prob(e) {
				switch {
				case p == 0 || t.done[e]:
				case t.movesLatent(r):
					to, _ := t.movesOf(r, φ)
					entries += len(to)
				default:
					entries++
				}
			}
		}
	}
	return entries
}
