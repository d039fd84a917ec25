package cmd

import (
	"fmt"
	"io"
	"slices"

	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

var envsVerb = verb{
	name: "envs", doc: "list the environments and their parameters",
	usage:    "[--json]",
	examples: []string{"envs", "envs --json"},
	args:     func() arguments { return new(envList) },
}

// envList is the JSON of the verb envs.
type envList struct {
	Envs []env `json:"envs"`
}

type env struct {
	Name   string           `json:"name"`
	Doc    string           `json:"doc"`
	Status solverkit.Status `json:"status"`
	Params []envParam       `json:"params"`
	// Hidden says that the hidden variable is a vector: planners search in such an environment.
	Hidden bool `json:"hidden"`
}

type envParam struct {
	Key     string `json:"key"`
	Default string `json:"default"`
	Want    string `json:"want"`
	Doc     string `json:"doc"`
}

// ofHidden says what an environment with a hidden vector is for.
const ofHidden = "The hidden variable is a vector: advise, solve, eval, act and check take it."

func (*envList) flags(f *flags) { f.output() }

// run is the verb envs.
func (list *envList) run(p program, f *flags) error {
	lists := envs.List()
	for i, info := range append(lists, envs.ListHidden()...) {
		e := env{Name: info.Name, Doc: info.Doc, Status: solvers.EnvironmentStatus(info.Name), Params: []envParam{}, Hidden: i >= len(lists)}
		for _, param := range info.Params {
			e.Params = append(e.Params, envParam(param))
		}
		list.Envs = append(list.Envs, e)
	}
	return f.printText(p.stdout, list, func(w io.Writer) {
		for i, e := range list.Envs {
			if i > 0 {
				fmt.Fprintln(w)
			}
			doc := e.Doc
			if e.Hidden {
				doc += " " + ofHidden
			}
			fmt.Fprintf(w, "%s\n  %s\n\n", withStatus(e.Name, e.Status), doc)
			table(w, func(row func(...any)) {
				row("  parameter", "default", "meaning", "values")
				for _, x := range e.Params {
					row("  "+x.Key, x.Default, x.Doc, x.Want)
				}
			})
		}
		printPromises(w)
	})
}

// namesOf returns the names of environments.
func namesOf(list []envs.Info) []string {
	return each(list, func(x envs.Info) string { return x.Name })
}

// isHidden reports whether the environment of that name has a hidden vector.
func isHidden(name string) bool { return slices.Contains(hiddenNames(), name) }

// hiddenNames returns the names of the environments with a hidden vector.
func hiddenNames() []string { return namesOf(envs.ListHidden()) }

var solversVerb = verb{
	name: "solvers", doc: "list the algorithms and their parameters",
	usage:    "[--json]",
	examples: []string{"solvers", "solvers --json"},
	args:     func() arguments { return new(solverList) },
}

// solverList is the JSON of the verb solvers.
type solverList struct {
	Solvers []solver `json:"solvers"`
	// Questions are the solvers with another objective than the largest expected return.
	Questions []solver `json:"questions"`
	// Hidden are the planners for environments with a hidden vector.
	Hidden []solver `json:"hidden"`
}

type solver struct {
	Name   string           `json:"name"`
	Doc    string           `json:"doc"`
	Status solverkit.Status `json:"status"`
	Params []solverParam    `json:"params"`
}

type solverParam struct {
	Key string `json:"key"`
	Doc string `json:"doc"`
}

func (*solverList) flags(f *flags) { f.output() }

// run is the verb solvers.
func (list *solverList) run(p program, f *flags) error {
	of := func(x solvers.Info) solver { return solverOf(x.Name, x.Doc, x.Status, x.Params) }
	list.Solvers, list.Questions, list.Hidden = each(solvers.List(), of), each(solvers.Questions(), of), each(solvers.ListPlanners(), of)
	return f.printText(p.stdout, list, func(w io.Writer) {
		for _, s := range list.Solvers {
			s.print(w)
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, "For other questions, which solve asks with --robust, --limit and --risk, and a sweep by these names and parameters:\n\n")
		for _, s := range list.Questions {
			s.print(w)
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, "For environments with a hidden vector, and for model files that are no Bayes-adaptive MDP:\n")
		for _, s := range list.Hidden {
			fmt.Fprintln(w)
			s.print(w)
		}
		printPromises(w)
	})
}

// withStatus is a name with its status behind it, where it has one.
func withStatus(name string, s solverkit.Status) string {
	if s == "" {
		return name
	}
	return name + " (" + string(s) + ")"
}

// printPromises says what the status of a solver or an environment promises.
func printPromises(w io.Writer) {
	fmt.Fprintln(w)
	for _, s := range solverkit.Statuses() {
		fmt.Fprintf(w, "(%s) %s\n", s, s.Promise())
	}
}

// solverOf describes a solver or planner, without the parameter that --out stands for.
func solverOf(name, doc string, status solverkit.Status, params []solvers.Param) solver {
	s := solver{Name: name, Doc: doc, Status: status, Params: []solverParam{}}
	for _, p := range params {
		if p.Key != solverkit.Unrevealed {
			s.Params = append(s.Params, solverParam{p.Key, p.Doc})
		}
	}
	return s
}

// print writes a solver for people.
func (s solver) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n  %s\n", withStatus(s.Name, s.Status), s.Doc)
	if len(s.Params) > 0 {
		fmt.Fprintln(w)
		table(w, func(row func(...any)) {
			row("  parameter", "meaning")
			for _, x := range s.Params {
				row("  --"+x.Key, x.Doc)
			}
		})
	}
}
