package boss

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/tabular"
)

// agent is what BOSS has found in an episode.
type agent struct {
	know     tabular.Posterior
	values   *tabular.Iteration
	sweeps   int
	actions  int
	known    int // observations
	variance float64
	change   float64 // 0 for BOSS
	always   bool    // what was drawn does not stay true

	models []mdp.MDP
	use    []int32 // by row: how many of the models it has
	drawn  bool    // the models may be used
	seen   []int   // observations by row
	last   int     // row that was observed, −1 where the models were drawn since

	// Of SBOSS, by row: what was known of what follows when the models were drawn.
	then  [][]tabular.Moment
	now   []tabular.Moment
	place []int32 // by next state: where it stands in a list of then
}

func newAgent(s Solver, know tabular.Posterior, m bcpace.Model) *agent {
	spec := m.Spec()
	rows, models := know.States()*know.Actions(), defaultModels
	if s.Smarter {
		models = defaultRows
	}
	a := &agent{know: know, values: tabular.NewIteration(know, precision*(spec.RewardMax-spec.RewardMin)), sweeps: cmp.Or(s.Sweeps, tabular.DefaultSweeps),
		actions: know.Actions(), known: cmp.Or(s.Known, defaultKnown), variance: cmp.Or(s.Variance, defaultVariance), always: bcpace.KindOf(m) != bcpace.Static,
		models: make([]mdp.MDP, cmp.Or(s.Models, models)), use: make([]int32, rows), seen: make([]int, rows)}
	if s.Smarter {
		a.change, a.then = cmp.Or(s.Change, defaultChange), make([][]tabular.Moment, rows)
		a.place = make([]int32, know.States())
	}
	return a
}

// Begin implements tabular.Agent.
func (a *agent) Begin() {
	a.drawn, a.last = false, -1
	clear(a.seen)
	a.values.Reset()
}

// Learned implements tabular.Agent.
func (a *agent) Learned(s, action, _ int) {
	a.last = s*a.actions + action
	a.seen[a.last]++
}

// Act implements tabular.Agent.
func (a *agent) Act(ctx context.Context, s int, rng *rand.Rand) (int, error) {
	if !a.drawn || a.stale() {
		if err := a.draw(ctx, rng); err != nil {
			return -1, err
		}
	}
	if err := a.values.Run(ctx, a.backup, a.sweeps); err != nil {
		return -1, err
	}
	return a.values.Greedy(s, a.backup, rng), nil
}

// stale reports whether the models are to be drawn anew.
func (a *agent) stale() bool {
	switch {
	case a.last < 0:
		return false
	case a.always:
		return true
	case a.change > 0:
		return a.moved(a.last) >= a.change
	}
	return a.seen[a.last] == a.known
}

// moved returns by how many standard deviations the means of a row have moved since the models
// were drawn, summed over what may follow.
func (a *agent) moved(r int) (sum float64) {
	for i, x := range a.then[r] {
		a.place[x.Next] = int32(i)
	}
	a.now = a.know.Moments(r/a.actions, r%a.actions, a.now[:0])
	for _, x := range a.now {
		then := a.then[r][a.place[x.Next]]
		if x.Mean != then.Mean {
			sum += math.Abs(x.Mean-then.Mean) / math.Sqrt(then.Variance)
		}
	}
	return sum
}

// draw draws the models.
func (a *agent) draw(ctx context.Context, rng *rand.Rand) error {
	a.drawn, a.last = false, -1
	most := a.count()
	for k := range most {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.know.Draw(&a.models[k], rng)
	}
	a.drawn = true
	return nil
}

// count says how many of the models each row has, and returns the most.
func (a *agent) count() (most int32) {
	if a.change == 0 {
		for r := range a.use {
			a.use[r] = int32(len(a.models))
		}
		return int32(len(a.models))
	}
	for r := range a.use {
		list := a.know.Moments(r/a.actions, r%a.actions, a.then[r][:0])
		variance := 0.0
		for _, x := range list {
			variance = max(variance, x.Variance)
		}
		a.then[r] = list
		a.use[r] = int32(max(1, min(math.Ceil(variance/a.variance), float64(len(a.models)))))
		most = max(most, a.use[r])
	}
	return most
}

// backup returns Q(s, a) in the union of the models.
func (a *agent) backup(s, action int, v []float64, _ float64) float64 {
	r := s*a.actions + action
	best := math.Inf(-1)
	for k := range a.use[r] {
		best = max(best, a.models[k].Backup(v, r))
	}
	return best
}
