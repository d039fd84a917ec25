package cmd

import (
	"fmt"
	"io"
	"slices"

	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// item is an environment or a solver of a list.
type item struct {
	name, doc string
	status    solverkit.Status
	params    []facts
	columns   []any // of the table of the parameters; nil where there is no table
}

// facts are the JSON of an item. A change of a key or meaning breaks what reads it.
func (x item) facts() facts {
	return facts{{"name", "", x.name}, {"doc", "", x.doc}, {"status", "", x.status}, {"params", "", append([]facts{}, x.params...)}}
}

// print writes an item for people, and a blank line; more is said behind its doc.
func (x item) print(w io.Writer, more string) {
	name := x.name
	if x.status != "" {
		name += " (" + string(x.status) + ")"
	}
	fmt.Fprintf(w, "%s\n  %s\n", name, x.doc+more)
	if x.columns != nil {
		fmt.Fprintln(w)
		table(w, columns(x.params, x.columns...))
	}
	fmt.Fprintln(w)
}

// printPromises says what the status of a solver or an environment promises.
func printPromises(w io.Writer) {
	for _, s := range solverkit.Statuses() {
		fmt.Fprintf(w, "(%s) %s\n", s, s.Promise())
	}
}

var envsVerb = newVerb[envsArgs]("envs", "list the environments and their parameters",
	"[--json]",
	"envs", "envs --json")

// envsArgs are the flags of envs.
type envsArgs struct{}

func (envsArgs) flags(f *flags) { f.output() }

// run is the verb envs.
func (envsArgs) run(p program, f *flags) error {
	list := each(append(envs.List(), envs.ListHidden()...), environmentItem)
	return f.printText(p.stdout, facts{{"envs", "", each(list, func(x item) facts { return append(x.facts(), fact{"hidden", "", isHidden(x.name)}) })}}, func(w io.Writer) {
		for _, x := range list {
			more := ""
			if isHidden(x.name) {
				more = " The hidden variable is a vector: advise, solve, eval, act and check take it."
			}
			x.print(w, more)
		}
		printPromises(w)
	})
}

// environmentItem describes an environment.
func environmentItem(x envs.Info) item {
	return item{x.Name, x.Doc, solvers.EnvironmentStatus(x.Name), each(x.Params, func(p envs.ParamInfo) facts {
		return facts{{"key", "", p.Key}, {"", "parameter", "  " + p.Key}, {"default", "default", p.Default}, {"", "meaning", p.Doc}, {"want", "values", p.Want}, {"doc", "", p.Doc}}
	}), []any{"  parameter", "default", "meaning", "values"}}
}

// namesOf returns the names of environments.
func namesOf(list []envs.Info) []string {
	return each(list, func(x envs.Info) string { return x.Name })
}

// isHidden reports whether the environment of that name has a hidden vector.
func isHidden(name string) bool { return slices.Contains(hiddenNames(), name) }

// hiddenNames returns the names of the environments with a hidden vector.
func hiddenNames() []string { return namesOf(envs.ListHidden()) }

var solversVerb = newVerb[solversArgs]("solvers", "list the algorithms and their parameters",
	"[--json]",
	"solvers", "solvers --json")

// solversArgs are the flags of solvers.
type solversArgs struct{}

func (solversArgs) flags(f *flags) { f.output() }

// run is the verb solvers.
func (solversArgs) run(p program, f *flags) error {
	largest := each(solvers.List(), solverItem)
	questions := each(solvers.Questions(), solverItem) // with another objective than the largest expected return
	hidden := each(solvers.ListPlanners(), solverItem) // planners for environments with a hidden vector
	all := facts{{"solvers", "", each(largest, item.facts)}, {"questions", "", each(questions, item.facts)}, {"hidden", "", each(hidden, item.facts)}}
	return f.printText(p.stdout, all, func(w io.Writer) {
		for _, part := range []struct {
			title string
			list  []item
		}{
			{"", largest},
			{"For other questions, which solve asks with --robust, --limit and --risk, and a sweep by these names and parameters:\n\n", questions},
			{"For environments with a hidden vector, and for model files that are no Bayes-adaptive MDP:\n\n", hidden},
		} {
			fmt.Fprint(w, part.title)
			for _, x := range part.list {
				x.print(w, "")
			}
		}
		printPromises(w)
	})
}

// solverItem describes a solver or planner, without the parameter that --out stands for.
func solverItem(x solvers.Info) item {
	of := item{name: x.Name, doc: x.Doc, status: x.Status}
	for _, p := range x.Params {
		if p.Key != solverkit.Unrevealed {
			of.columns = []any{"  parameter", "meaning"}
			of.params = append(of.params, facts{{"key", "", p.Key}, {"", "parameter", "  --" + p.Key}, {"doc", "meaning", p.Doc}})
		}
	}
	return of
}
