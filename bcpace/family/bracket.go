package family

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// BracketOptions of Bracket. Every zero value is useful.
type BracketOptions struct {
	// Draws is the number of draws in each set, n: how good the policy can be, and how close
	// the optimum of a set comes to V*. If it is 0, it is 20.
	Draws int
	// Design is how the draws of a set are spread.
	Design Design
	// Sets is the number of independent sets whose optima bound V* from above, M. One more is
	// solved for the policy. If it is 0, it is 20.
	Sets int
	// Episodes is the number of episodes of the policy, each with a fresh θ, that bound V* from
	// below. If it is 0, it is 10,000.
	Episodes int
	// Told is the number of θ whose own optimal values are computed, which takes most of the
	// chance out of the upper bound; see Bracket. It is for a Finite model. If it is 0, it is
	// 100·Draws·Sets, or fewer where the model has many states; −1 means none.
	Told int
	// Confidence is the probability with which the bracket holds, in (0, 1). If it is 0, it is
	// 0.95.
	Confidence float64
	// Seed makes the draws and the episodes: the same family, solver, options and seed give the
	// same bracket for any number of workers, unless the solver or the policy counts time.
	Seed uint64
	// Workers is the number of goroutines. If it is 0, there is one for each processor.
	Workers int
	// Progress, if set, is called with a Phase and the Share of it that is done, from any
	// goroutine but one at a time. It must return quickly.
	Progress func(bcpace.Progress)
}

// ValueBracket holds V* = sup over π of E[J_θ(π)], the value of the best policy that does not
// see θ, for θ from the prior of a family: in reward units, at the start.
type ValueBracket struct {
	// Lower ≤ V* ≤ Upper holds with probability Confidence over the draws and episodes, for
	// the reasons LowerBy and UpperBy. A bound BySimulation follows from draws and from what is
	// proved of each set. Assumes is the assumption of a bound ByAssumption. The policy earns
	// Lower.
	Lower, Upper     float64
	LowerBy, UpperBy bcpace.Basis
	Assumes          string
	Confidence       float64

	// Listed says that the prior is a list of Draws values or fewer, so that the bounds are
	// those of one model.
	Listed bool
	// Draws is n, Sets is the number of sets that were solved for the upper bound, Episodes
	// that of the episodes played and Told that of the θ with values of their own.
	Draws, Sets, Episodes, Told int
	// Horizon is the number of steps after which an episode was cut.
	Horizon int

	// Earned is the mean return of the policy, and EarnedErr its standard error: an estimate of
	// what the policy is worth under the prior, but for what comes after Horizon. Optimum is
	// the estimate of the mean of the sets' upper bounds, and OptimumErr its standard error.
	// They are NaN where there is none.
	Earned, EarnedErr, Optimum, OptimumErr float64
	// Surprises is how often the world did what no θ of the policy's model allows; see
	// bcpace.Simulator.
	Surprises int

	// Model is the model of the first set, and Solution that of the solver for it: its Policy
	// is the one that was played.
	Model    bcpace.Model
	Solution *bcpace.Solution
	// Refuted says that the two bounds have crossed, and stands with bounds by the range of
	// returns. It is "" otherwise. That happens with probability 1 − Confidence at most, or the
	// family or the solver does not keep its word.
	Refuted string
	// Stop is "" if all sets and episodes are in the bracket, and otherwise says why not.
	Stop stop.Reason
}

// Gap returns Upper − Lower.
func (b *ValueBracket) Gap() float64 { return b.Upper - b.Lower }

// maxSets bounds the number of sets.
const maxSets = 1 << 24

// Bracket bounds V*, the value of the best policy under the prior of f, from both sides. A
// family with a density has no finite model, so that no solver can do that alone.
//
// # Lower bound
//
// The solver's policy for a model of n draws is a policy for the family: what it does depends
// on what it has seen alone, through its belief over the n draws. It plays episodes, each with
// a fresh θ from the prior (bcpace.Simulator.Enter), whose returns are independent draws with the
// mean J = E[J_θ(π)] ≤ V*. meanbound.Lower bounds J, with the range of returns; the rewards
// after the last step are counted as the least that they can be. Where the world does what
// none of the n draws allows, the belief begins anew (Simulator.Lenient), which is a policy,
// too.
//
// # Upper bound
//
// Let S = {θ_1, …, θ_n}, each θ_i with the distribution of the prior, and let V*(S) be the
// optimal value of the model of S. For every policy π that does not see θ, also one with memory
// or with random numbers of its own,
//
//	J(π) = E[J_θ(π)] = E[(1/n)·Σ_i J_θi(π)] ≤ E[max over π' of (1/n)·Σ_i J_θi(π')] = E[V*(S)],
//
// so that V* ≤ E[V*(S)]: the bound of sample average approximation (Norkin, Pflug and
// Ruszczyński 1998; Kleywegt, Shapiro and Homem-de-Mello 2002), with policies in the place of
// decisions. Nothing is asked of the dependence between the θ_i, so that it holds for a
// Stratified or Shifted design as well. For independent draws E[V*(S)] falls as n grows: the
// mean over n+1 draws is the mean of the means without one of them, and the largest value of a
// mean is at most the mean of the largest values.
//
// The solver's certificates give U_m ≥ V*(S_m) for M independent sets, whether the solver has
// come to its end or not, and a confidence bound of E[U] follows from the M numbers. It is
// close where U is compared to something that is known better. If the model is Finite, let
// V_θ be the value of an agent that is told θ. As V*(S) ≤ (1/n)·Σ_i V_θi, the differences
// X_m = (1/n)·Σ_i V_θi − U_m may be taken as 0 or more, and
//
//	E[U] = E[V_θ] − E[X].
//
// E[V_θ] is bounded from many draws that cost little, as they are solved one by one, and E[X]
// from below by the M differences, which are small where θ is soon known. Without such values
// the largest return that there can be stands in the place of V_θ. Differences beyond twice
// that of the set which made the policy are cut, which can only lower the bound of E[X], and
// leaves bets a range to match.
//
// # What the bracket rests on
//
// On the family's Draw; on the range of rewards, or of returns, which every model of the family
// must state alike; and on the solver's upper bounds. If these are ByAssumption, so is the
// upper bound here; a solver without any leaves the range of returns. Policies see states and
// actions: where rewards tell more of θ than the states do, which check.Examine notes, one that
// remembers rewards may earn more than Upper. Half of the allowed
// probability of error is the lower bound's, half the upper one's. The policy and the sets may
// be anything that the solver makes of the draws.
//
// If the prior is a list of n values or fewer, the model of the list is the family. Its
// certificate gives the bounds, with a simulation for a lower bound that is not proved.
//
// If ctx ends, the bracket holds with what there is, and Stop says so. The error is the ctx's
// if there is no policy yet, an *bcpace.InputError for options that cannot be used, and
// otherwise that of the family or of the solver.
func Bracket(ctx context.Context, f Family, solver bcpace.Solver, o BracketOptions) (*ValueBracket, error) {
	if err := o.check(f, solver); err != nil {
		return nil, err
	}
	x := bracketer{f: f, solver: solver, o: o, sampling: Sampling{Draws: o.Draws, Design: o.Design, Seed: o.Seed}}
	for _, part := range []func(context.Context) error{x.solveFirst, x.upper, x.lower} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	return x.result(ctx), nil
}

// Brackets returns the brackets for several numbers of draws, each in the place of o.Draws: how
// the bracket narrows as more draws stand for the prior. The error is that of Bracket; the
// brackets before it are there.
func Brackets(ctx context.Context, f Family, solver bcpace.Solver, o BracketOptions, draws ...int) ([]*ValueBracket, error) {
	var list []*ValueBracket
	for _, n := range draws {
		o.Draws = n
		b, err := Bracket(ctx, f, solver, o)
		if err != nil {
			return list, err
		}
		list = append(list, b)
	}
	return list, nil
}

// check fills in the defaults of o, and returns an *bcpace.InputError for what cannot be used.
func (o *BracketOptions) check(f Family, solver bcpace.Solver) error {
	in := bcpace.In("bracket options")
	o.Draws, o.Sets, o.Episodes = cmp.Or(o.Draws, 20), cmp.Or(o.Sets, 20), cmp.Or(o.Episodes, 10_000)
	o.Workers, o.Confidence = cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), cmp.Or(o.Confidence, 0.95)
	if err := cmp.Or(
		in.Need(solver != nil, "the solver", "nil", "a solver"),
		in.Need(o.Sets >= 1 && o.Sets <= maxSets, "Sets", o.Sets, fmt.Sprintf("a number of sets from 1 to %d, or 0 for 20", maxSets)),
		in.Need(o.Episodes >= 1, "Episodes", o.Episodes, "a number of episodes, or 0 for 10,000"),
		in.Need(o.Told >= -1 && o.Told <= maxDraws, "Told", o.Told, fmt.Sprintf("a number of draws from 1 to %d, 0 for the default, or −1 for none", maxDraws)),
		in.Need(o.Confidence > 0 && o.Confidence < 1, "Confidence", o.Confidence, "a probability in (0, 1), or 0 for 0.95"),
		solverkit.CheckWorkers("bracket options", "Workers", o.Workers, "goroutines")); err != nil {
		return err
	}
	return Sampling{Draws: o.Draws, Design: o.Design}.check(f)
}
