// Package boss is BOSS, best of sampled set (Asmuth, Li, Littman, Nouri and Wingate 2009, "A
// Bayesian sampling approach to exploration in reinforcement learning"): it draws K MDPs from
// the posterior and acts as is best in their union, in which an agent chooses at every step not
// only its action but also the MDP that says what follows,
//
//	Q(s,a) = max over k of R_k(s,a) + γ Σ_s' P_k(s'|s,a)·max over a' of Q(s',a')
//
// That is optimistic: with K large enough, no value is below the optimal one of the true MDP but
// with a small probability. The MDPs are drawn anew when a state and action has been seen B
// times, as it is known then.
//
// SBOSS (Castro and Precup 2010, "Smarter sampling in model-based Bayesian reinforcement
// learning") lets the variance of the posterior say how many rows are drawn of each (s,a), and
// when to draw again, see Solver.Smarter. That the change since the last draw is measured in
// standard deviations is a choice made here. The defaults were tuned on the double loop and the
// grids of Guez, Silver and Dayan (2012).
//
// Unknown transitions (bcpace.UnknownTransitions) are learned within an episode. Where a model
// has a list of latents, the posterior is the belief, of which whole MDPs are drawn; where the
// latent moves, they are drawn at every step, as what was drawn does not stay true.
package boss

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

// Solver is BOSS as a solver. Every zero value is useful.
type Solver struct {
	// Models is K, and of SBOSS the most rows of a state and action. 0 means 5, and 2 for SBOSS.
	Models int `json:",omitempty"`
	// Known is B, the number of observations of a state and action with which it is known. 0
	// means 8. It is not for SBOSS.
	Known int `json:",omitempty"`
	// Smarter turns BOSS into SBOSS. With σ²(s,a,s') the variance of P(s'|s,a) in the posterior,
	// a state and action has max over s' of ⌈σ²(s,a,s')/Variance⌉ rows, and all are drawn anew
	// when the means of one of them have moved by Change standard deviations, summed over s',
	// since they were drawn.
	Smarter bool `json:",omitempty"`
	// Variance is that of the posterior which one row stands for. 0 means 0.02.
	Variance float64 `json:",omitempty"`
	// Change is how far means may move, in standard deviations. 0 means 1.
	Change float64 `json:",omitempty"`
	// Sweeps is the most sweeps over the states at a decision. 0 means 1000. What is left goes
	// on at the next.
	Sweeps int `json:",omitempty"`
}

const (
	defaultModels   = 5
	defaultRows     = 2 // of SBOSS
	defaultKnown    = 8
	defaultVariance = 0.02
	defaultChange   = 1
	mostModels      = 1000 // bounds memory

	// precision is what all sweeps to come would change in a value, as a part of the range of
	// rewards, where value iteration ends.
	precision = 1e-3
)

// Name implements bcpace.Solver.
func (Solver) Name() string { return "boss" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution learns as it acts,
// one with memory, whose value nobody knows, and nothing is certified but the range of
// returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return online.SolveLearner(ctx, s, m, c, s.Sweeps, func(know tabular.Posterior, m bcpace.Model) tabular.Agent {
		return newAgent(s, know, m)
	})
}

// check returns an *bcpace.InputError for a parameter that cannot be used.
func (s Solver) check() error {
	need := bcpace.In("options").Need
	return cmp.Or(
		need(s.Models >= 0 && s.Models <= mostModels, "Models", s.Models, fmt.Sprintf("1 to %d MDPs, or 0 for the default", mostModels)),
		need(s.Known >= 0, "Known", s.Known, "1 observation or more, or 0 for the default"),
		need(s.Known <= 0 || !s.Smarter, "Known", fmt.Sprint(s.Known)+" beside Smarter", "one of them"),
		need(s.Variance >= 0 && !math.IsInf(s.Variance, 1), "Variance", s.Variance, "a variance above 0, or 0 for the default"),
		need(s.Change >= 0 && !math.IsInf(s.Change, 1), "Change", s.Change, "a number of standard deviations above 0, or 0 for the default"),
		need(s.Smarter || !(s.Variance > 0), "Variance", fmt.Sprint(s.Variance)+" without Smarter", "Smarter beside it, as BOSS has the same number of rows everywhere"),
		need(s.Smarter || !(s.Change > 0), "Change", fmt.Sprint(s.Change)+" without Smarter", "Smarter beside it, or Known"))
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "takes the best action of the most favourable of several drawn MDPs; learns transitions that are unknown",
		Written: "BOSS",
		Cited:   "BOSS, best of sampled set [@asmuth2009]",
		SetUp:   "the lists of what may follow" + solverkit.Long,
		Params: []solverkit.Param{
			{Key: "models", Field: "Models", Arg: "K", Doc: "MDPs that boss draws at once (default 5, with --sboss 2)", Want: "1 MDP or more"},
			{Key: "known", Field: "Known", Arg: "B", Doc: "observations of a state and action after which boss draws anew (default 8)", Want: "1 observation or more"},
			{Key: "sboss", Field: "Smarter", Doc: "have boss draw as many MDPs, and as often, as the variance of the posterior asks for"},
			{Key: "variance", Field: "Variance", Arg: "V", Doc: "variance that one draw of --sboss stands for (default 0.02)", Want: "a variance above 0"},
			{Key: "change", Field: "Change", Arg: "Z", Doc: "change of means after which --sboss draws anew, in standard deviations (default 1)", Want: "a number above 0"},
			solverkit.Sweeps,
		},
	}
}

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsNumbered(m, s.Name()) }

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
		variance, _ := num.Largest(len(list), func(i int) float64 { return list[i].Variance })
		a.then[r] = list
		a.use[r] = int32(max(1, min(math.Ceil(variance/a.variance), float64(len(a.models)))))
		most = max(most, a.use[r])
	}
	return most
}

// backup returns Q(s, a) in the union of the models.
func (a *agent) backup(s, action int, v []float64, _ float64) float64 {
	r := s*a.actions + action
	best, _ := num.Largest(int(a.use[r]), func(k int) float64 { return a.models[k].Backup(v, r) })
	return best
}
