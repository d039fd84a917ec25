package lipschitz_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// game is a small finite model whose states may stand anywhere on the axes and
// whose latent may move.
type game struct {
	spec   bcpace.Spec
	coords [][]float64
	p      [][][][]float64 // latent, action, state, next
	r      [][][]float64   // latent, action, state
	ends   []bool          // by next state

	kind bcpace.LatentKind
	move [][][]float64 // action, state, and the distribution of φ' for every φ; nil where it stays
}

var (
	_ bcpace.Finite         = (*game)(nil)
	_ bcpace.LatentDynamics = (*game)(nil)
)

// blank returns a game without rewards in which nothing moves.
func blank(states, actions, latents int, discount float64) *game {
	g := &game{spec: bcpace.Spec{Name: "game", Axes: []bcpace.Axis{{Name: "x", Max: float64(states - 1)}}, Discount: discount}, ends: make([]bool, states)}
	for a := range actions {
		g.spec.Actions = append(g.spec.Actions, bcpace.Action{Name: string(rune('a' + a))})
		g.move = append(g.move, make([][]float64, states))
	}
	for s := range states {
		g.coords = append(g.coords, []float64{float64(s)})
	}
	for l := range latents {
		g.spec.Latents = append(g.spec.Latents, string(rune('p'+l)))
		g.p, g.r = append(g.p, make([][][]float64, actions)), append(g.r, make([][]float64, actions))
		for a := range actions {
			g.r[l][a] = make([]float64, states)
			for s := range states {
				row := make([]float64, states)
				row[s] = 1
				g.p[l][a] = append(g.p[l][a], row)
			}
		}
	}
	return g
}

// rewards sets the range of rewards to that of the table.
func (g *game) rewards() *game {
	g.spec.RewardMin, g.spec.RewardMax = math.Inf(1), math.Inf(-1)
	for _, by := range g.r {
		for _, r := range by {
			g.spec.RewardMin, g.spec.RewardMax = min(g.spec.RewardMin, slices.Min(r)), max(g.spec.RewardMax, slices.Max(r))
		}
	}
	return g
}

// shape says what kind of game random draws.
type shape struct {
	certain  bool // transitions are certain under each latent, so that few beliefs can be reached
	kind     bcpace.LatentKind
	positive bool // rewards are not negative
	ends     bool // one state ends the episode
	discount float64
}

// random draws a game of up to 4 states, 3 actions and 3 latents.
func random(rng *rand.Rand, o shape) *game {
	states, actions, latents := 2+rng.IntN(3), 1+rng.IntN(2), 2+rng.IntN(2)
	if o.certain {
		actions++
	}
	g := blank(states, actions, latents, o.discount)
	g.kind = o.kind
	g.spec.Axes[0].Scale = []float64{0, 0.5, 3}[rng.IntN(3)]
	sharp := rng.IntN(2) == 0 // rewards at their extremes make differences large
	for l := range latents {
		for a := range actions {
			for s := range states {
				r := rng.Float64()
				if sharp {
					r = math.Round(r)
				}
				if !o.positive {
					r = 2*r - 1
				}
				g.r[l][a][s] = r
				row := g.p[l][a][s]
				clear(row)
				if o.certain {
					row[rng.IntN(states)] = 1
				} else {
					bcpace.Belief(row).SampleSimplex(rng)
				}
			}
		}
	}
	if o.ends {
		g.ends[states-1] = true
	}
	for a := range actions {
		for s := range states {
			if o.kind == bcpace.Redrawn && rng.IntN(2) == 0 {
				g.move[a][s] = make([]float64, latents)
				if o.certain {
					copy(g.move[a][s], bcpace.Uniform(latents)) // a few beliefs only
				} else {
					bcpace.Belief(g.move[a][s]).SampleSimplex(rng)
				}
			}
		}
	}
	return g.rewards()
}

func (g *game) Spec() bcpace.Spec                      { return g.spec }
func (g *game) Prior(b bcpace.Belief)                  { copy(b, bcpace.Uniform(len(b))) }
func (g *game) Start(s []float64, _ int, _ *rand.Rand) { copy(s, g.coords[0]) }
func (g *game) NumStates() int                         { return len(g.coords) }
func (g *game) StateAt(s []float64, number int)        { copy(s, g.coords[number]) }
func (g *game) LatentKind() bcpace.LatentKind          { return g.kind }
func (g *game) StateIndex(s []float64) int {
	return slices.IndexFunc(g.coords, func(c []float64) bool { return slices.Equal(c, s) })
}

func (g *game) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	i := g.StateIndex(s)
	to := bcpace.Belief(g.p[latent][action][i]).Sample(rng)
	copy(next, g.coords[to])
	return bcpace.Outcome{Reward: g.r[latent][action][i], Done: g.ends[to]}
}

func (g *game) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return math.Log(g.p[latent][action][g.StateIndex(s)][g.StateIndex(next)])
}

func (g *game) Starts(z *bcpace.Successors) {
	s, p, _ := z.Add(false)
	copy(s, g.coords[0])
	for i := range p {
		p[i] = 1
	}
}

func (g *game) Successors(z *bcpace.Successors, s []float64, action int) {
	i := g.StateIndex(s)
	for to := range g.coords {
		next, p, r := z.Add(g.ends[to])
		copy(next, g.coords[to])
		for l := range p {
			p[l], r[l] = g.p[l][action][i][to], g.r[l][action][i]
		}
	}
}

func (g *game) LatentTransition(p []float64, s []float64, action, latent int) bool {
	q := g.move[action][g.StateIndex(s)]
	if g.kind == bcpace.Static || q == nil {
		return false
	}
	if g.kind == bcpace.Deterministic {
		clear(p)
		p[(latent+1)%len(p)] = 1
		return true
	}
	copy(p, q)
	return true
}
