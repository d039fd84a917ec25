package pointbased

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/solverkit"
)

// Staged is a solver of finite POMDPs with mixed observability, and of Finite models, by stages of backups: PBVI or
// Perseus.
type Staged[K kind] Options

// kind is what one such solver is beside its parameters. Its zero value tells it.
type kind interface {
	named() (name, title string) // title stands in errors
	about() (doc, cited string)
	algorithm() Algorithm
}

// Name implements bcpace.Solver.
func (Staged[K]) Name() string {
	name, _ := (*new(K)).named()
	return name
}

// About implements solverkit.Described.
func (Staged[K]) About() solverkit.About {
	kind := *new(K)
	_, title := kind.named()
	doc, cited := kind.about()
	return solverkit.About{Doc: doc, Written: title, Cited: cited, SetUp: "its first bounds" + solverkit.Long, SavesPolicy: true,
		Params: []solverkit.Param{solverkit.Beliefs, solverkit.Stages, solverkit.Unreveal, solverkit.Epsilon, solverkit.Seed}}
}

// TimeShares implements solverkit.Scheduled.
func (Staged[K]) TimeShares(bcpace.Model) []solverkit.TimeShare { return TimeShares("stages") }

// Solve implements bcpace.Solver. The value is the lower bound, which the policy earns, in reward units.
// The stop is stop.Samples at the number of beliefs, and stop.Converged where no more of them
// were found. The error is a *bcpace.UnsupportedError for a model without
// numbered states, and a *bcpace.InputError for parameters that cannot be used.
func (s Staged[K]) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return s.method().Solve(ctx, m, c)
}

// SolvePOMDP implements pomdp.Solver. If ctx ends before it is known what observations
// reveal, the policy acts on the POMDP's own states.
func (s Staged[K]) SolvePOMDP(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	return s.method().SolvePOMDP(ctx, m, c)
}

// Supports returns a *bcpace.UnsupportedError for a model without numbered states.
func (s Staged[K]) Supports(m bcpace.Model) error { return s.method().Supports(m) }

func (s Staged[K]) method() Method {
	kind := *new(K)
	_, title := kind.named()
	return Method{Solver: s, Title: title, Unrevealed: s.Unrevealed, Search: Run(s, title, Options(s), kind.algorithm)}
}
