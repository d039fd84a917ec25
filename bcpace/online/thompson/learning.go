package thompson

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/tabular"
)

// precision is what all sweeps to come would change in a value, as a part of the range of
// rewards, where the value iteration of a drawn MDP ends.
const precision = 1e-3

// agent acts as is best in an MDP that it has drawn.
type agent struct {
	know    tabular.Posterior
	values  *tabular.Iteration
	sweeps  int
	every   int  // the most steps between draws
	doubles bool // they end too when a row has twice as many observations
	actions int

	model mdp.MDP
	drawn bool  // the model may be used
	age   int   // steps since it was drawn
	seen  []int // observations by row
	then  []int // when it was drawn
}

func newAgent(s Solver, know tabular.Posterior, m bcpace.Model) *agent {
	spec := m.Spec()
	rows := know.States() * know.Actions()
	x := &agent{know: know, values: tabular.NewIteration(know, precision*(spec.RewardMax-spec.RewardMin)), sweeps: cmp.Or(s.Sweeps, tabular.DefaultSweeps), every: s.Every, doubles: s.Every == 0,
		actions: know.Actions(), seen: make([]int, rows), then: make([]int, rows)}
	if x.doubles {
		x.every = int(math.Round(1 / (1 - spec.Discount))) // what a discounted return is worth
	}
	return x
}

// Begin implements tabular.Agent.
func (x *agent) Begin() {
	x.drawn = false
	clear(x.seen)
	x.values.Reset()
}

// Learned implements tabular.Agent.
func (x *agent) Learned(s, action, _ int) {
	r := s*x.actions + action
	x.seen[r]++
	x.age++
	if x.age >= x.every || x.doubles && x.seen[r] >= 2*max(1, x.then[r]) {
		x.drawn = false
	}
}

// Act implements tabular.Agent.
func (x *agent) Act(ctx context.Context, s int, rng *rand.Rand) (int, error) {
	if !x.drawn {
		x.know.Draw(&x.model, rng)
		copy(x.then, x.seen)
		x.drawn, x.age = true, 0
	}
	if err := x.values.Run(ctx, x.backup, x.sweeps); err != nil {
		return -1, err
	}
	return x.values.Greedy(s, x.backup, rng), nil
}

// backup returns Q(s, a) in the drawn MDP.
func (x *agent) backup(s, action int, v []float64, _ float64) float64 {
	return x.model.Backup(v, s*x.actions+action)
}
