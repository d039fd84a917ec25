package dp

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/side"
)

// latentMDP returns the latent MDPs on the states of t. The rows are listed on all processors, and are the same for
// any number of them.
func (t *Transitions) latentMDP(ctx context.Context) (*latentMDP, error) {
	if spec := t.states.model.Spec(); t.States > math.MaxInt32/t.Latents {
		return nil, bcpace.In("model "+strconv.Quote(spec.Name)).Bad("the number of states × latents", fmt.Sprintf("%d × %d", t.States, t.Latents), fmt.Sprintf("at most %d", math.MaxInt32))
	}
	rows := t.States * t.Actions * t.Latents
	p := &latentMDP{MDP: mdp.MDP{Actions: t.Actions, Discount: t.Discount, Rate: t.Rate, Workers: workersOf(ctx)}, points: t.States, latents: t.Latents, static: t.mover == nil}
	p.Row, p.Reward = make([]int, 1, rows+1), make([]float64, 0, rows)
	entries := t.nodeEntries()
	p.Col, p.Weight = make([]int32, 0, entries), make([]float64, 0, entries)
	gather := make([]gatherer, p.Workers)
	for i := range gather {
		gather[i].acc = make([]float64, t.States)
	}
	wave := make([]blockRows, 8*p.Workers)
	for first := 0; first < t.States; {
		n := min(len(wave), (t.States-first+nodeBlock-1)/nodeBlock)
		side.Each(p.Workers, n, func(worker, k int) {
			from := first + k*nodeBlock
			wave[k].gather(ctx, t, &gather[worker], from, min(from+nodeBlock, t.States))
		})
		if err := p.adds(ctx, wave[:n], 1); err != nil {
			return nil, err
		}
		first += n * nodeBlock
	}
	return p, p.checkHorizon(t.states.model)
}

// nodeBlock is how many states one goroutine takes at a time.
const nodeBlock = 256

// gatherer adds up what leads to the same state.
type gatherer struct {
	acc  []float64 // by state: the probability so far
	used []int32   // the states of acc that are not 0
}

// gather makes the rows of the states from first to before end. Where ctx ends, it stops.
func (q *blockRows) gather(ctx context.Context, t *Transitions, x *gatherer, first, end int) {
	q.Row, q.Col, q.Weight, q.Reward = append(q.Row[:0], 0), q.Col[:0], q.Weight[:0], q.Reward[:0]
	for g := first; g < end && ctx.Err() == nil; g++ {
		for latent := range t.Latents {
			for a := range t.Actions {
				r := g*t.Actions + a
				for e := t.row[r]; e < t.row[r+1]; e++ {
					if prob := t.Prob(e)[latent]; prob > 0 && !t.done[e] {
						n := t.next[e]
						if x.acc[n] == 0 {
							x.used = append(x.used, n)
						}
						x.acc[n] += prob
					}
				}
				moves, share, moved := t.Moves(r, latent)
				for _, n := range x.used {
					w, node := t.Discount*x.acc[n], int(n)*t.Latents
					x.acc[n] = 0
					if !moved {
						q.Col, q.Weight = append(q.Col, int32(node+latent)), append(q.Weight, w)
						continue
					}
					for k, to := range moves {
						q.Col, q.Weight = append(q.Col, int32(node)+to), append(q.Weight, w*share[k])
					}
				}
				x.used = x.used[:0]
				q.Reward = append(q.Reward, t.Reward(r)[latent])
				q.Row = append(q.Row, len(q.Col))
			}
		}
	}
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
