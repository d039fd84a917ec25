package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
)

// task is what a solver is given.
type task struct {
	problem problem.Problem
	solver  bcpace.Solver
	control bcpace.Control
	seed    uint64
	keep    bool                  // what is found is to be saved
	vectors bool                  // in a .policy file
	best    bool                  // several solvers are tried, as the user names none
	resume  *runs.Run             // the run to resume, if any
	watch   func(bcpace.Progress) // is told the progress too; nil for nobody
	replace string                // the file of a run or a policy that is replaced only by its like; "" without
	from    []bcpace.Param        // the parameters of a model file that holds no BAMDP
}

// named is the solver, nil where several are tried.
func (t task) named() bcpace.Solver {
	if t.best {
		return nil
	}
	return t.solver
}

// solution is what a solver has found.
type solution struct {
	*problem.PolicyFound
	model           string
	algorithm, name string // of the solver, in JSON and in a table
	lower, upper    number
	seconds         number
	seed            uint64
	draws           int         // of latents
	notes           *notes      // nil if there is nothing to say
	run             io.WriterTo // nil where there is nothing to save
	unsaved         error       // why there is not
	fault           error       // of the model, which has ended the solver
	gap             ground      // what holds the bounds apart; "" where that is not known
	plans           bool        // the policy plans or learns as it acts, so that its value is not known
	hint            string      // for the user, behind the result
	by              string      // the solver of the best of several; "" where one was named
}

// nothing reports whether the context has ended the solver before there was a policy that
// was made for the model, or a run to keep.
func (s *solution) nothing(keep bool) bool {
	return s.InSetUp && (keep || s.StandIn == runs.StandInFirst)
}

// solve runs the solver, or goes on with the run to resume.
func (t task) solve(ctx context.Context) (*solution, error) {
	if t.best {
		x, err := choose.Solve(ctx, t.problem.Model, t.control, choose.Options{Seed: t.seed, Course: t.watch})
		if err != nil {
			return nil, err
		}
		t.solver = x.Solver
		s := t.solutionOf(&problem.PolicyFound{Solution: x.Solution, Play: problem.OnModel(t.problem.Model, x.Policy)}, nil)
		if s.by = x.Solver.Name(); len(x.Tried) > 1 || x.Next != "" {
			if s.noted().Next = ground(x.Next); len(x.Tried) > 1 {
				s.notes.Tried = each(x.Tried, func(t choose.Tried) tried { return tried(t) })
			}
		}
		return s, nil
	}
	if t.resume == nil {
		found, err := t.problem.Solve(ctx, t.solver, t.control)
		if found == nil {
			return nil, err
		}
		return t.solutionOf(found, err), nil
	}
	r, err := t.solver.(runs.Explorer).Resume(ctx, t.resume, t.control)
	if r == nil {
		return nil, err
	}
	if err == nil && less(r, t.resume) {
		if r = t.resume; ctx.Err() != nil {
			r = r.Ended(ctx)
		}
	}
	found := runs.SolutionOf(r)
	return t.solutionOf(&problem.PolicyFound{Solution: found, Play: problem.OnModel(t.problem.Model, found.Policy)}, err), nil
}

// less reports whether a run that was resumed has no more episodes than it had and a
// certificate that says less, as where time was up before its policy was simulated again.
// Then what was there stays.
func less(now, was *runs.Run) bool {
	return len(now.Trace) <= len(was.Trace) && now.Certificate.Gap() > was.Certificate.Gap()
}

// solutionOf reports what was found, with the fault of the model that has ended it, if any.
func (t task) solutionOf(found *problem.PolicyFound, fault error) *solution {
	c := found.Stated()
	s := &solution{PolicyFound: found, model: t.problem.Spec().Name, seed: t.seed, fault: fault,
		lower: number(c.Lower), upper: number(c.Upper)}
	if found.Stop == stop.Fault { // not even the range of rewards holds
		s.lower, s.upper = none, none
	}
	if found.Tables != nil {
		p, isVectors := found.Tables.Policy.(*pomdp.VectorPolicy)
		switch {
		case t.keep && !(isVectors && t.vectors):
			s.run, s.unsaved = t.keepFound(found, nil)
		case isVectors:
			s.run = store.Content(func(w io.Writer) error { return problem.WriteVectors(w, found.Tables.Model, p) })
		}
		return s
	}
	s.plans = found.Vectors != nil || bcpace.PolicyAbilitiesOf(found.Policy).Begin != nil
	if r := runs.Of(found.Solution); r != nil {
		s.run, s.gap = r, ground(r.Parts.String())
		if w := r.Warnings(); len(w) > 0 {
			s.noted().Warnings = w
		}
		if c := r.Choice; c != nil && c.Name() != "" {
			s.noted().Policy = ground(c.Name())
		}
	} else if t.keep && fault == nil {
		s.run, s.unsaved = t.keepFound(found, found.Policy)
	}
	return s
}

// moreTime says what helps where time was short before a solver had anything to keep.
func moreTime(x solvers.Info) string {
	return strings.TrimSuffix("give more time, or "+x.Sooner, ", or ")
}

// algorithmDoc describes the algorithms for the help.
func algorithmDoc() string {
	return strings.Join(solvers.Names(), ", ") + fmt.Sprintf(": bcpace solvers says what each of them does; without it several are tried on an environment, of which the policy that earns most is kept, and where a parameter is set, it is certified where that can be, and bayes-cpace otherwise; for a model file certified where that can be, and otherwise sarsop; "+
		"sarsop also for a model file whose hidden part has more than %d values, and where --out asks for a .policy file; bcpace solvers also says what there is for an environment with a hidden vector, such as pft", choose.ManyLatents)
}
