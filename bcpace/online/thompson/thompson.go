// Package thompson is Thompson sampling, also called posterior sampling: it draws a latent from
// the belief, and acts as is best for it (Strens 2000, "A Bayesian framework for reinforcement
// learning"; Thompson 1933 for bandits). A latent that it has drawn is kept as long as its probability does not fall. After a step that lowers it, it is kept
// with the share of the probability that is left, and otherwise replaced by a latent whose probability has risen. So at each step
// it is distributed as the belief, and changes as seldom as that allows (a maximal coupling of one belief and the next).
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

	"gonum.org/v1/gonum/floats"

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
	// Every is the number of steps after which a latent is drawn anew; one that the belief rules out is replaced at once. 0 means that it is
	// replaced as its probability falls.
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
		bcpace.In("options").Need(s.Every >= 0, "Every", s.Every, "a number of steps, or 0 for draws as beliefs fall"),
		online.CheckSweeps(s.Sweeps)); err != nil {
		return nil, err
	}
	if _, learns := m.(bcpace.UnknownTransitions); learns {
		return online.SolveLearner(ctx, s, m, c, s.Sweeps, func(know tabular.Posterior, m bcpace.Model) tabular.Agent { return newAgent(s, know, m) })
	}
	return qmdp.Told(ctx, s, s.ControlPoints, m, c, func(told bcpace.Policy, latents int) bcpace.Policy {
		return newPolicy(told, s.Every, latents)
	})
}

// policy acts as told does where the latent that it has drawn is certain.
type policy struct {
	told     bcpace.Policy
	every    int
	latent   int // that was drawn, once one was
	age      int // steps since it was drawn
	followed bool
	certain  bcpace.Belief
	before   bcpace.Belief // at the last step
	risen    bcpace.Belief // scratch space
}

func newPolicy(told bcpace.Policy, every, latents int) *policy {
	return &policy{told: told, every: every, certain: make(bcpace.Belief, latents), before: make(bcpace.Belief, latents), risen: make(bcpace.Belief, latents)}
}

// Act implements bcpace.Policy.
func (p *policy) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	if len(b) != len(p.certain) {
		return -1
	}
	if slices.ContainsFunc(b, math.IsNaN) {
		return -1
	}
	switch {
	case p.followed && p.every == 0:
		p.couple(b, rng)
	case !p.followed || p.age >= p.every || !(b[p.latent] > 0):
		p.latent, p.age = b.Sample(rng), 0
	}
	copy(p.before, b)
	p.followed = false
	p.age++
	clear(p.certain)
	p.certain[p.latent] = 1
	return p.told.Act(s, p.certain, rng)
}

// couple replaces the latent, which is distributed as the belief at the last step, by one that is distributed as b.
func (p *policy) couple(b bcpace.Belief, rng *rand.Rand) {
	now, before := b[p.latent], p.before[p.latent]
	if now >= before || rng.Float64()*before < now {
		return
	}
	sum := 0.0
	for i := range b {
		p.risen[i] = max(0, b[i]-p.before[i])
		sum += p.risen[i]
	}
	if sum > 0 { // else it has fallen by rounding
		floats.Scale(1/sum, p.risen)
		p.latent = p.risen.Sample(rng)
	}
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *policy) Begin([]float64, bcpace.Belief) { p.followed = false }

// Observe is bcpace.PolicyAbilities.Observe.
func (p *policy) Observe(int, float64, []float64) { p.followed = p.age > 0 }

// Fork is bcpace.PolicyAbilities.Fork.
func (p *policy) Fork() bcpace.Policy {
	return newPolicy(bcpace.Fork(p.told), p.every, len(p.certain))
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "draws a latent from the belief, or transitions that are unknown, and takes the best action for what it has drawn",
		Written: "Thompson sampling",
		Cited:   "Thompson sampling [@thompson1933,strens2000]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params:  []solverkit.Param{solverkit.ControlPoints, {Key: "every", Field: "Every", Arg: "N", Doc: "steps after which thompson draws anew; 0, the default, for when the probability of what it has drawn falls, or where transitions are learned when a state and action has been seen twice as often, and after 1/(1−γ) steps at most"}, solverkit.Sweeps},
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
