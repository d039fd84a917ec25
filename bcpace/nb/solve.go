package nb

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
)

// Solve runs any solver with what a notebook needs around it: a progress display and
// Kernel > Interrupt. An Explorer, such as cpace.Solver or certified.Solver, gets its
// run from the store on disk where it is in it, as with Explore; other solvers solve again
// in every cell, and so does one with a Controller, a policy of your own.
//
//	nb.Show(nb.Solve(tiger, certified.Solver{Epsilon: 1e-3}))
//
// Without a solver several are tried, and the policy that earns most is returned, with the solution
// of its solver (package choose). The cell shows what each has earned. It takes up to some two minutes. Where a
// planner is what earns most, its policy takes time at every decision.
//
// An interrupted solver returns what it has so far, and the cell says so. An error ends
// the cell with one line.
func Solve(m bcpace.Model, s ...bcpace.Solver) *bcpace.Solution {
	return interruptible(func(ctx context.Context, out *output) (*bcpace.Solution, error) {
		switch len(s) {
		case 0:
			return tryAll(ctx, out, m)
		case 1:
			return solve(ctx, out, m, s[0])
		}
		return nil, bcpace.In("solving").Bad("the number of solvers", len(s), "one; Compare takes several")
	})
}

// tryAll tries several solvers, and shows what each has earned.
func tryAll(ctx context.Context, out *output, m bcpace.Model) (*bcpace.Solution, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	progress := startProgress("solving "+m.Spec().Name, "trying solvers", out)
	x, err := choose.Solve(ctx, m, bcpace.Control{Progress: watch(progress, runs.Plan{}, nil)}, choose.Options{})
	progress.Close()
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, t := range x.Tried {
		chosen := ""
		if t.Chosen {
			chosen = "chosen"
		}
		rows = append(rows, []any{t.Name, t.Earned(), chosen})
	}
	if ctx.Err() != nil {
		what := "this is the best policy so far"
		if x.InSetUp {
			what = "no solver has a policy yet, and in its place is " + x.StandIn
		}
		out.show(message{plain: string(stop.Interrupted) + ": " + what + "; execute the cell again to solve in full"})
	}
	if x.Next != "" {
		rows = append(rows, []any{"may earn more", x.Next, ""})
	}
	ms, err := render([]any{Table{Title: "Tried on " + m.Spec().Name, Header: []string{"solver", "earned", ""}, Rows: rows}})
	out.show(ms...)
	return x.Solution, err
}

func solve(ctx context.Context, out *output, m bcpace.Model, s bcpace.Solver) (*bcpace.Solution, error) {
	if n, ok := s.(renamed); ok {
		s = n.Solver
	}
	if s == nil {
		return nil, bcpace.In("solving").Bad("the solver", "nil", "a solver, such as cpace.Solver{Epsilon: 1}")
	}
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if o, ok := s.(cpace.Solver); ok && o.Policy == "" {
		o.Policy = runs.PolicyBest // as Solve has it
		s = o
	}
	if e, ok := s.(runs.Explorer); ok {
		run, err := explore(ctx, out, m, e, bcpace.Control{})
		if err != nil {
			return nil, err
		}
		return runs.SolutionOf(run), nil
	}
	progress := startProgress("solving "+m.Spec().Name, "preparing", out)
	found, _, err := store.Solve(ctx, m, s, bcpace.Control{Progress: watch(progress, runs.Plan{}, nil)})
	progress.Close()
	if err != nil {
		return nil, err
	}
	if found.Stop.ByContext() {
		what := "this is the solution so far"
		if found.InSetUp {
			what = "the solver has no policy yet, and in its place is " + found.StandIn
		}
		out.show(message{plain: string(found.Stop) + ": " + what + "; execute the cell again to solve in full"})
	}
	return found, nil
}

// Named is a solver under another name in a table or figure of Compare:
//
//	nb.Named("certified to 0.1", certified.Solver{Epsilon: 0.1})
func Named(name string, s bcpace.Solver) bcpace.Solver { return renamed{s, name} }

type renamed struct {
	bcpace.Solver
	name string
}

func (n renamed) Name() string { return n.name }

// AsSolver is a policy among the solvers of Compare. There is nothing to solve, and
// nothing is claimed of the policy.
func AsSolver(name string, p bcpace.Policy) bcpace.Solver { return policySolver{name, p} }

type policySolver struct {
	name   string
	policy bcpace.Policy
}

func (p policySolver) Name() string { return p.name }

// Solve implements bcpace.Solver.
func (p policySolver) Solve(_ context.Context, m bcpace.Model, _ bcpace.Control) (*bcpace.Solution, error) {
	spec := m.Spec()
	return &bcpace.Solution{Solver: p, Spec: spec, Policy: p.policy, Value: math.NaN(), Certificate: solverkit.RangeCertificate(spec), Stop: stop.Unsolved}, nil
}
