// Package sparse is sparse sampling (Kearns, Mansour and Ng 2002, "A sparse sampling algorithm
// for near-optimal planning in large Markov decision processes") on the beliefs of a
// Bayes-adaptive MDP: the value of a state and belief is estimated from some draws of what
// follows each action, whose values are estimated in the same way, to a depth H,
//
//	Q_h(s,b,a) = mean over C draws of r + γ·max over a' of Q_{h−1}(s',b',a'),  Q_0 = 0
//
// It needs a simulator alone, its error does not depend on the number of states, and it takes
// (|A|·C)^H steps: a small oracle beside the searches that grow a tree where it matters.
package sparse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

// Solver is sparse sampling as a solver. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision. A simulation is one draw for each action at the root,
	// each with its own draws behind it, so that Simulations is C of the root. Depth is H; 0
	// means 3, and 10,000 is the most, as time grows with (|A|·Width)^H.
	Budget bcpace.Budget
	// Width is C behind the root. 0 means 4.
	Width int
}

const (
	defaultDepth = 3
	defaultWidth = 4
	maxDepth     = 10_000 // bounds memory and the stack
)

// Name implements bcpace.Solver.
func (Solver) Name() string { return "sparse" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
func (s Solver) Solve(_ context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(
		online.Check(s, m, c, s.Budget),
		bcpace.In("options").Need(s.Width >= 0, "Width", s.Width, "1 draw or more, or 0 for the default"),
		bcpace.In("options").Need(s.Budget.Depth <= maxDepth, "Budget.Depth", s.Budget.Depth, fmt.Sprintf("%d steps at most, as time grows with (|A|·Width)^H", maxDepth))); err != nil {
		return nil, err
	}
	if err := solverkit.NeedActionList(m.Spec(), s.Name()); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	p := online.New(m.Spec(), s.Budget, func() online.Search[bcpace.Belief] { return newSearch(m, s) })
	return online.Solution(s, m, p), nil
}

// level is room for a state and belief at a depth.
type level struct {
	state  []float64
	belief bcpace.Belief
}

// search draws from a root.
type search struct {
	spec   bcpace.Spec
	model  bcpace.Model
	bayes  *bcpace.Bayes
	width  int
	levels []level   // the root first
	q      []float64 // of the actions at the root
	drawn  []float64 // those of a simulation, which count together or not at all
	draws  int       // of each action at the root
}

func newSearch(m bcpace.Model, s Solver) *search {
	spec := m.Spec()
	x := &search{spec: spec, model: m, bayes: bcpace.NewBayes(m), width: cmp.Or(s.Width, defaultWidth), q: make([]float64, len(spec.Actions)), drawn: make([]float64, len(spec.Actions))}
	for range cmp.Or(s.Budget.Depth, defaultDepth) + 1 {
		x.levels = append(x.levels, level{make([]float64, len(spec.Axes)), make(bcpace.Belief, len(spec.Latents))})
	}
	return x
}

// Root implements online.Search.
func (se *search) Root(s []float64, b bcpace.Belief) {
	copy(se.levels[0].state, s)
	copy(se.levels[0].belief, b)
	clear(se.q)
	se.draws = 0
}

// Simulate implements online.Search.
func (se *search) Simulate(ctx context.Context, rng *rand.Rand) (more bool, err error) {
	for a := range se.q {
		if se.drawn[a], err = se.draw(ctx, 0, a, rng); err != nil {
			return false, err
		}
	}
	se.draws++
	for a, v := range se.drawn {
		se.q[a] += (v - se.q[a]) / float64(se.draws)
	}
	return true, nil
}

// draw draws what follows an action at a depth, and returns its reward with the value behind it.
func (se *search) draw(ctx context.Context, depth, action int, rng *rand.Rand) (float64, error) {
	from, to := &se.levels[depth], &se.levels[depth+1]
	latent := from.belief.Sample(rng)
	out := se.model.Step(to.state, from.state, latent, action, rng)
	if err := se.spec.CheckOutcome(out, to.state, from.state, action, latent); err != nil {
		return 0, err
	}
	if out.Done || depth+2 == len(se.levels) {
		return out.Reward, nil
	}
	if err := se.bayes.Update(to.belief, from.belief, from.state, action, to.state); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	sum, _, err := online.BestAction(len(se.q), se.width, func(a int) (float64, error) { return se.draw(ctx, depth+1, a, rng) })
	return out.Reward + se.spec.Discount*(sum/float64(se.width)), err
}

// Decide implements online.Search: the first of the best actions.
func (se *search) Decide(d *bcpace.Decision) {
	d.Depth = len(se.levels) - 1
	best := math.Inf(-1)
	for a, q := range se.q {
		if se.draws == 0 {
			q = math.NaN()
		}
		d.Actions, d.Q, d.Visits = append(d.Actions, a), append(d.Q, q), append(d.Visits, se.draws)
		if q > best {
			best, d.Action = q, a
		}
	}
	d.Action = max(d.Action, 0)
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "estimates each action from draws of what follows, and these from draws behind them, to a small depth",
		Written: "sparse sampling",
		Cited:   "sparse sampling [@kearns2002]",
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, {Key: "width", Field: "Width", Arg: "C", Doc: "draws for each action behind the first (default 4)", Want: "1 draw or more"}},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(bcpace.Model) bool { return false }
