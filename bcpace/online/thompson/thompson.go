// Package thompson is Thompson sampling, also called posterior sampling: it draws a latent from
// the belief, and acts as is best for it (Strens 2000, "A Bayesian framework for reinforcement
// learning"; Thompson 1933 for bandits).
//
// Where transitions are unknown (bcpace.UnknownTransitions) it draws all of them from the
// posterior of what the episode has shown: posterior sampling for reinforcement learning, PSRL.
// Osband, Russo and Van Roy (2013, "(More) efficient reinforcement learning via posterior
// sampling") draw at the beginning of each of many short episodes. Here one long episode is all
// that there is to learn, so that draws end as in Ouyang, Gagrani, Nayyar and Jain (2017,
// "Learning unknown Markov decision processes: a Thompson sampling approach"), when the
// observations of some state and action have doubled, and after a time. That time is 1/(1−γ)
// steps, what a discounted return is worth, and does not grow.
package thompson

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

// Solver is Thompson sampling as a solver. Every zero value is useful.
type Solver struct {
	// Every is the number of steps after which a latent is drawn anew. 0 means once for each
	// episode. A latent that the belief rules out is replaced at once.
	//
	// Of unknown transitions it is the number of steps between draws. 0 means that another draw
	// follows when the observations of a state and action have doubled, and after 1/(1−γ) steps
	// at most.
	Every int `json:",omitempty"`
	// ControlPoints is for a model some of whose actions have a Box, see qmdp.Solver.
	ControlPoints int `json:",omitempty"`
	Sweeps        int `json:",omitempty"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "thompson" }

// Solve implements bcpace.Solver. The policy remembers. Value and bounds are those
// of qmdp.Solver. Where transitions are unknown, nothing is certified but the range of returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(
		bcpace.In("options").Need(s.Every >= 0, "Every", s.Every, "a number of steps, or 0 for one draw in an episode"),
		online.CheckSweeps(s.Sweeps)); err != nil {
		return nil, err
	}
	if _, learns := m.(bcpace.UnknownTransitions); learns {
		return online.SolveLearner(ctx, s, m, c, s.Sweeps, func(know tabular.Posterior, m bcpace.Model) tabular.Agent { return newAgent(s, know, m) })
	}
	return qmdp.Told(ctx, s, s.ControlPoints, m, c, func(told bcpace.Policy, latents int) bcpace.Policy {
		return &policy{told: told, every: s.Every, latent: -1, certain: make(bcpace.Belief, latents)}
	})
}

// policy acts as told does where the latent that it has drawn is certain.
type policy struct {
	told     bcpace.Policy
	every    int
	latent   int // −1 where none was drawn
	age      int // steps since it was drawn
	followed bool
	certain  bcpace.Belief
}

// Act implements bcpace.Policy.
func (p *policy) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	if len(b) != len(p.certain) {
		return -1
	}
	if !p.followed || p.latent < 0 || p.every > 0 && p.age >= p.every || !(b[p.latent] > 0) {
		if slices.ContainsFunc(b, math.IsNaN) {
			return -1
		}
		p.latent, p.age = b.Sample(rng), 0
	}
	p.followed = false
	p.age++
	clear(p.certain)
	p.certain[p.latent] = 1
	return p.told.Act(s, p.certain, rng)
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *policy) Begin([]float64, bcpace.Belief) { p.followed = false }

// Observe is bcpace.PolicyAbilities.Observe.
func (p *policy) Observe(int, float64, []float64) { p.followed = true }

// Fork is bcpace.PolicyAbilities.Fork.
func (p *policy) Fork() bcpace.Policy {
	return &policy{told: bcpace.Fork(p.told), every: p.every, latent: -1, certain: make(bcpace.Belief, len(p.certain))}
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "draws a latent from the belief, or transitions that are unknown, and takes the best action for what it has drawn",
		Written: "Thompson sampling",
		Cited:   "Thompson sampling [@thompson1933,strens2000]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params:  []solverkit.Param{solverkit.ControlPoints, {Key: "every", Field: "Every", Arg: "N", Doc: "steps after which thompson draws anew; 0, the default, for once in an episode, or where transitions are learned when a state and action has been seen twice as often, and after 1/(1−γ) steps at most"}, solverkit.Sweeps},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Valued(m) }

// Policy returns the policy for a hidden vector: at each decision it draws a vector from the belief, and acts as Model.Rollout does, which sees
// it. It plans nothing, and never acts in order to learn. The error is a *bcpace.InputError for a model or parameters that cannot be used,
// and a *bcpace.UnsupportedError without a Rollout.
func (s Solver) Policy(m *hidden.Model) (hidden.Policy, error) {
	if err := cmp.Or(
		m.Validate(),
		bcpace.In("options").Need(s == (Solver{}), "Every, ControlPoints, Sweeps", s, "0 for a hidden vector, which is drawn at each decision")); err != nil {
		return nil, err
	}
	if m.Rollout == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: s.Name(), Need: "a controller that sees the hidden vector: Model.Rollout"}
	}
	return &vectorPolicy{m, make([]float64, len(m.Spec.Hidden))}, nil
}

// vectorPolicy acts for a hidden vector that it draws.
type vectorPolicy struct {
	model *hidden.Model
	x     []float64
}

var _ hidden.Forker = (*vectorPolicy)(nil)

// Act implements hidden.Policy.
func (p *vectorPolicy) Act(_ context.Context, s []float64, b hidden.Belief, rng *rand.Rand) (action int, err error) {
	defer p.model.Spec.Guard(&err, "the controller", s, -1, -1)
	b.Draw(p.x, rng)
	return p.model.Rollout(s, p.x, rng), nil
}

// Fork implements hidden.Forker.
func (p *vectorPolicy) Fork() hidden.Policy { return &vectorPolicy{p.model, make([]float64, len(p.x))} }

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
func (a *agent) Begin() {
	a.drawn = false
	clear(a.seen)
	a.values.Reset()
}

// Learned implements tabular.Agent.
func (a *agent) Learned(s, action, _ int) {
	r := s*a.actions + action
	a.seen[r]++
	a.age++
	if a.age >= a.every || a.doubles && a.seen[r] >= 2*max(1, a.then[r]) {
		a.drawn = false
	}
}

// Act implements tabular.Agent.
func (a *agent) Act(ctx context.Context, s int, rng *rand.Rand) (int, error) {
	if !a.drawn {
		a.know.Draw(&a.model, rng)
		copy(a.then, a.seen)
		a.drawn, a.age = true, 0
	}
	if err := a.values.Run(ctx, a.backup, a.sweeps); err != nil {
		return -1, err
	}
	return a.values.Greedy(s, a.backup, rng), nil
}

// backup returns Q(s, a) in the drawn MDP.
func (a *agent) backup(s, action int, v []float64, _ float64) float64 {
	return a.model.Backup(v, s*a.actions+action)
}
