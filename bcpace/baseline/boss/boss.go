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
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
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
	bad := bcpace.In("options").Bad
	switch {
	case s.Models < 0 || s.Models > mostModels:
		return bad("Models", s.Models, fmt.Sprintf("1 to %d MDPs, or 0 for the default", mostModels))
	case s.Known < 0:
		return bad("Known", s.Known, "1 observation or more, or 0 for the default")
	case s.Known > 0 && s.Smarter:
		return bad("Known", fmt.Sprint(s.Known)+" beside Smarter", "one of them")
	case !(s.Variance >= 0) || math.IsInf(s.Variance, 1):
		return bad("Variance", s.Variance, "a variance above 0, or 0 for the default")
	case !(s.Change >= 0) || math.IsInf(s.Change, 1):
		return bad("Change", s.Change, "a number of standard deviations above 0, or 0 for the default")
	case !s.Smarter && s.Variance > 0:
		return bad("Variance", fmt.Sprint(s.Variance)+" without Smarter", "Smarter beside it, as BOSS has the same number of rows everywhere")
	case !s.Smarter && s.Change > 0:
		return bad("Change", fmt.Sprint(s.Change)+" without Smarter", "Smarter beside it, or Known")
	}
	return nil
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
