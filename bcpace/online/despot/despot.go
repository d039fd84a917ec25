// Package despot is DESPOT (Somani, Ye, Hsu and Lee 2013, "DESPOT: online POMDP planning with
// regularization"; Ye, Somani, Hsu and Lee 2017, the journal version, whose notation is used
// here): heuristic search in a tree that holds what K sampled scenarios can lead to.
//
// A scenario is a latent drawn from the belief and a stream of random numbers for each step
// to come, under which the model is deterministic. A node b has the scenarios Φ_b whose states
// agree so far, and in place of its value
//
//	ν(b) = max( ℓ0(b), max over a of ρ(b,a) + Σ ν(b') ),  ρ(b,a) = γ^Δ(b)/K·Σ R − λ
//
// with the sum over Φ_b, where ℓ0 is what a default policy earns in the scenarios from b on,
// and λ prices a node of the policy's tree, so that the policy does not fit itself to the
// scenarios. ν lies in [ℓ(b), μ(b)]. A trial goes down by the largest μ and the largest excess
// of μ − ℓ, expands the leaves that it comes to, and backs up. At a leaf, μ is the mean value of
// the scenarios where their latents are known, which bounds ν but for the luck of the steps to
// come, and ℓ0 that of the better one of two policies: one action always, and what is best if
// the latent of most scenarios were the true one. Where the model states what is earned at least
// (bcpace.ValueBounds), and at the root this is no less than what these two earn, ℓ0 is what it
// states for the latents of the scenarios, which needs no simulation. Where the depth cuts a policy
// that is played, a cost of the known latent from there on counts, as it does in μ.
//
// As the scenarios are a sample, ℓ and μ do not bound V*: a decision has no interval. The
// scenarios of each decision are new.
//
// # A hidden vector
//
// For a hidden vector (Solver.Planner) a scenario has one that is drawn from the belief. This is for states of whole numbers:
// where an observation is a real number, each scenario soon has a
// node of its own, as if the hidden vector were seen, and package adaops is the better choice. No density is needed.
//
// At a leaf, μ is the mean of the upper bounds of Model.Bounds. ℓ0 is the mean of the lower ones or, where these say nothing and at
// the root, what the better one of two policies earns in the scenarios: one action always, and Model.Rollout for the
// hidden vector of one scenario, which all of them follow. With Solver.RandomDefault it is what a policy earns that draws each
// action, but where the bounds of Model.Bounds are equal. That is less, but a decision goes by what ℓ says of one action and not of
// another one, and a lower bound that is the same nearly everywhere tells them apart only where the tree is deep.
//
// Where there are few states and hidden vectors, and the model has neither Bounds nor Rollout, ℓ0 is that of a table: the best of what each
// action always earns, and the plan that DESPOT finds for the first decision of an episode, by the hidden vectors of the scenarios.
//
// Where the depth cuts a policy that is played, what follows counts as Model.Bounds say from there: by the lower one or, where it says nothing, by the
// upper one if it is a cost; and not at all without them, or where the depth is the horizon of the model.
package despot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/bcpace/online/vectors"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Solver is DESPOT as a solver. Every zero value is useful. Simulations of its Budget are
// trials.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations trials. Depth is
	// that of the tree, and of what default policies play; what a model states has no depth. A decision for a hidden vector ends
	// earlier where its vectors take some 200 megabytes.
	Budget bcpace.Budget
	// Scenarios is K; 0 means 100, and 1000 for a hidden vector in a model of few states and vectors that has neither Bounds nor
	// Rollout. Ye et al. (2017, Section 6) draw 500, and have a second for a
	// decision: a trial takes time in proportion to K.
	Scenarios int
	// Regularisation is λ, in reward units: the price of a node of the policy's tree.
	Regularisation float64
	// RandomDefault is for a hidden vector. It has a random policy as the default policy, as in the program of Sunberg and Kochenderfer
	// (2018) for LaserTag: ℓ0 is what it earns, in reward units, unless the two bounds of Model.Bounds are equal. Model.Rollout is asked
	// only there.
	RandomDefault bool `json:",omitempty"`
}

const (
	defaultScenarios = 100
	fewScenarios     = 1000      // where leaves cost next to nothing
	maxScenarios     = 1_000_000 // bounds the memory of a decision
)

// Name implements bcpace.Solver.
func (Solver) Name() string { return "despot" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
//
// The values of the latents are those of dp.SolveLatent, whose errors are those of Solve.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(online.Check(s, m, c, s.Budget), s.check(), s.checkLatents()); err != nil {
		return nil, err
	}
	if err := solverkit.NeedActionList(m.Spec(), s.Name()); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	q, err := dp.SolveLatent(solverkit.WithControl(ctx, c), m)
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.LatentSoFar(q))
	}
	p := online.New(m.Spec(), s.Budget, func() online.Search[bcpace.Belief] { return newSearch(m, s, q) })
	return online.Solution(s, m, p), nil
}

// Planner returns the planner for a hidden vector. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for actions with a Box.
func (s Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	if err := cmp.Or(s.check(), m.Validate()); err != nil {
		return nil, err
	}
	if err := vectors.NeedActionList(m, s.Name()); err != nil {
		return nil, err
	}
	depth := cmp.Or(s.Budget.Depth, solverkit.SearchDepth(m.Spec.Spec))
	var table *vectors.GuessTable
	if !s.RandomDefault {
		var err error
		if table, err = vectors.NewTable(m, depth); err != nil {
			return nil, err
		}
	}
	scenarios := cmp.Or(s.Scenarios, defaultScenarios)
	if s.Scenarios == 0 && table != nil {
		scenarios = fewScenarios
	}
	return online.NewVectors(m, s.Budget, func() online.Search[hidden.Belief] {
		return vectors.NewScenarios(vectors.Guarded(m), table, scenarios, depth, s.Regularisation, s.RandomDefault)
	})
}

// checkLatents returns an *bcpace.InputError for what is for a hidden vector.
func (s Solver) checkLatents() error {
	return bcpace.In("options").Need(!s.RandomDefault, "RandomDefault", true, "false for latents of a list")
}

// check returns an *bcpace.InputError for parameters that cannot be used.
func (s Solver) check() error {
	need := bcpace.In("options").Need
	return cmp.Or(
		need(s.Scenarios >= 0 && s.Scenarios <= maxScenarios, "Scenarios", s.Scenarios, fmt.Sprintf("a number of scenarios up to %d, or 0 for %d", maxScenarios, defaultScenarios)),
		need(s.Regularisation >= 0 && !math.IsInf(s.Regularisation, 1), "Regularisation", s.Regularisation, "a price in reward units, or 0"))
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches at every decision in a tree of what sampled scenarios can lead to",
		Written: "DESPOT",
		Cited:   "DESPOT [@somani2013,ye2017]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params: []solverkit.Param{
			solverkit.Budget, solverkit.Depth,
			{Key: "scenarios", Field: "Scenarios", Arg: "K", Doc: "scenarios of a decision; 0 for 100"},
			{Key: "regularisation", Field: "Regularisation", Arg: "L", Doc: "price of a node of the policy's tree, in reward units"},
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Valued(m) }

// search is the search of a decision for latents of a list. It implements online.Search and, as what is hidden in a scenario is its
// latent, tree.ScenarioWorld.
type search struct {
	*tree.Despot
	spec   bcpace.Spec
	bayes  *bcpace.Bayes
	belief bcpace.Belief   // at the root
	roots  []tree.Scenario // room
	number int             // of them
	values bcpace.LatentValues
	known  dp.LatentMaxima                           // nil unless the values have their maxima at hand
	move   func(s []float64, action, latent int) int // nil where the latent does not move by a function
	walk   *online.Walk
	pcg    *rand.PCG
	rng    *rand.Rand
	seed   uint64 // of the decision
	depth  int    // of the tree

	bounds bcpace.ValueBounds // nil where the model has none
	mix    bcpace.Belief      // room for lower
	stated bool               // bounds count in place of default policies that are played
	blind  int                // the action that is best if it is always taken, at the root

	// Of the plan for one latent: the states that it came to, and what it did there.
	path    []float64
	actions []int
	count   []int32 // by latent: scenarios at a leaf
}

func newSearch(m bcpace.Model, s Solver, q bcpace.LatentValues) *search {
	spec := m.Spec()
	pcg := rand.NewPCG(0, 0)
	x := &search{spec: spec, bayes: bcpace.NewBayes(m), number: cmp.Or(s.Scenarios, defaultScenarios), values: q, walk: online.NewWalk(m), pcg: pcg, rng: rand.New(pcg), depth: cmp.Or(s.Budget.Depth, solverkit.SearchDepth(spec)),
		belief: make(bcpace.Belief, len(spec.Latents)), count: make([]int32, len(spec.Latents)), mix: make(bcpace.Belief, len(spec.Latents))}
	x.move = bcpace.AbilitiesOf(m).NextLatent
	x.known, _ = q.(dp.LatentMaxima)
	x.bounds, _ = m.(bcpace.ValueBounds)
	x.Despot = tree.NewDespot(spec, x, x.depth, s.Regularisation)
	return x
}

// Root implements online.Search.
func (se *search) Root(s []float64, b bcpace.Belief) {
	copy(se.belief, b)
	se.Reset(s)
}

// Draw implements tree.ScenarioWorld: latents are drawn at equal distances of the belief's distribution.
func (se *search) Draw(ctx context.Context, s []float64, rng *rand.Rand) ([]tree.Scenario, error) {
	se.seed = rng.Uint64()
	se.roots = se.roots[:0]
	tree.Systematic(se.number, rng.Float64(), se.belief, func(k, φ int) {
		se.roots = append(se.roots, tree.Scenario{Number: int32(k), Hidden: int32(φ)})
	})
	return se.roots, se.chooseDefault(ctx, s, se.roots)
}

// Full implements tree.ScenarioWorld: a scenario takes little.
func (se *search) Full() bool { return false }

// step takes an action in a scenario that is where the walk is.
func (se *search) step(number int32, depth, action int) (reward float64) {
	se.pcg.Seed(se.seed^uint64(number), uint64(depth))
	return se.walk.Step(action, se.rng)
}

// Step implements tree.ScenarioWorld.
func (se *search) Step(s []float64, k tree.Scenario, depth, action int) (next []float64, out bcpace.Outcome, latent int32) {
	se.walk.Start(s, int(k.Hidden))
	reward := se.step(k.Number, depth, action)
	return se.walk.State, bcpace.Outcome{Reward: reward, Done: se.walk.Done}, int32(se.walk.Latent)
}

// Leaf implements tree.ScenarioWorld.
func (se *search) Leaf(ctx context.Context, s []float64, at []tree.Scenario, depth int) (base float64, action int, upper float64, err error) {
	base, action, err = se.lower(ctx, s, at, depth)
	return base, action, se.upper(s, at), err
}

// upper returns the mean of what the scenarios of a leaf can earn where their latents are
// known.
func (se *search) upper(s []float64, at []tree.Scenario) float64 {
	sum := 0.0
	for _, k := range at {
		sum += se.value(s, int(k.Hidden))
	}
	return sum / float64(len(at))
}

// value returns the largest Q(s, φ, a).
func (se *search) value(s []float64, latent int) float64 {
	if se.known != nil {
		return se.known.Max(s, latent)
	}
	top, _ := num.Largest(len(se.spec.Actions), func(a int) float64 { return se.values.Q(s, latent, a) })
	return top
}

// lower returns the mean of what a default policy earns in the scenarios of a leaf from a
// depth on, and the action that it takes first. The error is that of ctx.
func (se *search) lower(ctx context.Context, s []float64, at []tree.Scenario, depth int) (value float64, action int, err error) {
	if !se.stated {
		return se.played(ctx, s, at, depth)
	}
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	value, action = se.bounds.Lower(s, se.mixed(at))
	return value, action, nil
}

// mixed returns the distribution of the latents of scenarios, a view that holds until the next call.
func (se *search) mixed(at []tree.Scenario) bcpace.Belief {
	clear(se.mix)
	for _, k := range at {
		se.mix[k.Hidden]++
	}
	for φ := range se.mix {
		se.mix[φ] /= float64(len(at))
	}
	return se.mix
}

// played is lower by the better of one action always and what is best for the latent of most
// scenarios.
func (se *search) played(ctx context.Context, s []float64, at []tree.Scenario, depth int) (value float64, action int, err error) {
	if value, err = se.play(ctx, s, at, depth, func([]float64, int) int { return se.blind }); err != nil {
		return 0, 0, err
	}
	likely := se.likeliest(at)
	se.path, se.actions = se.path[:0], se.actions[:0]
	told, err := se.play(ctx, s, at, depth, func(s []float64, step int) int { return se.planned(s, step, likely) })
	if told > value && err == nil {
		return told, se.actions[0], nil
	}
	return value, se.blind, err
}

// likeliest returns the latent of most scenarios, the first of equal ones.
func (se *search) likeliest(at []tree.Scenario) int {
	best := at[0].Hidden
	for _, k := range at {
		se.count[k.Hidden]++
		if n := se.count[k.Hidden]; n > se.count[best] || n == se.count[best] && k.Hidden < best {
			best = k.Hidden
		}
	}
	for _, k := range at {
		se.count[k.Hidden] = 0
	}
	return int(best)
}

// planned returns the best action for a latent after so many steps. It keeps the plan of the
// scenario that got farthest, which the others mostly follow.
func (se *search) planned(s []float64, step, latent int) int {
	axes := len(s)
	if step < len(se.actions) && slices.Equal(s, se.path[step*axes:(step+1)*axes]) {
		return se.actions[step]
	}
	if se.move != nil { // the latent that was assumed has moved with the steps
		for i := range min(step, len(se.actions)) {
			latent = se.move(se.path[i*axes:(i+1)*axes], se.actions[i], latent)
		}
	}
	_, best := num.Largest(len(se.spec.Actions), func(a int) float64 { return se.values.Q(s, latent, a) })
	if step == len(se.actions) {
		se.path, se.actions = append(se.path, s...), append(se.actions, best)
	}
	return best
}

// play returns the mean return of scenarios from a state and depth on. Where the depth of the tree cuts a scenario whose latent costs from
// there on, even if it is known, that counts, as it does in the upper bound. The error is that of ctx.
func (se *search) play(ctx context.Context, s []float64, at []tree.Scenario, depth int, act func(s []float64, step int) int) (mean float64, err error) {
	for _, k := range at {
		se.walk.Start(s, int(k.Hidden))
		weight := 1.0
		for step := 0; depth+step < se.depth && !se.walk.Done; step++ {
			if err := online.Glance(ctx, step); err != nil {
				return 0, err
			}
			mean += weight * se.step(k.Number, depth+step, act(se.walk.State, step))
			weight *= se.spec.Discount
		}
		if !se.walk.Done {
			mean += weight * min(0, se.value(se.walk.State, se.walk.Latent))
		}
	}
	return mean / float64(len(at)), nil
}

// chooseDefault sets the action that is best if it is always taken, and whether the model's own lower bound counts: where at the root it
// is no less than what is played there. As the bound knows no depth, that is played to the end, and not to the depth of
// the tree. The error is that of ctx.
func (se *search) chooseDefault(ctx context.Context, s []float64, at []tree.Scenario) error {
	_, blind, err := online.BestAction(len(se.spec.Actions), 1, func(a int) (float64, error) {
		return se.play(ctx, s, at, 0, func([]float64, int) int { return a })
	})
	if se.blind = blind; err != nil || se.bounds == nil {
		return err
	}
	played, _, err := se.played(ctx, s, at, min(0, se.depth-solverkit.SearchDepth(se.spec)))
	if err != nil {
		return err
	}
	stated, _ := se.bounds.Lower(s, se.mixed(at))
	se.stated = stated >= played
	return nil
}

// Top implements online.Shower: probabilities are shares of the scenarios, visits are trials,
// and values are ℓ of a scenario. Beliefs are exact.
func (se *search) Top(most int) ([]bcpace.SearchNode, error) {
	nodes := online.Top(min(most, len(se.Nodes)), se.Visits, se.Follow, func(number int32) bcpace.SearchNode {
		n := &se.Nodes[number]
		shown := bcpace.SearchNode{
			State: slices.Clone(se.State(number)), Depth: int(n.Depth),
			Value: n.Lo / se.Weight(number), Lower: math.Inf(-1), Upper: math.Inf(1), Best: se.Best(number),
		}
		if n.Edge != tree.None {
			from := se.Edges[n.Edge].Node
			shown.Action, shown.Prob = int(n.Edge-se.Nodes[from].First), float64(se.Count(number))/float64(se.Count(from))
		}
		return shown
	})
	return nodes, online.UpdateBeliefs(nodes, se.bayes, se.belief)
}
