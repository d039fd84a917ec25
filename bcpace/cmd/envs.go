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

func (*envList) flags(f *flags) {
	f.section("output")
	f.jsonFlag()
}

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

// isHidden reports whether the environment of that name has a hidden vector.
func isHidden(name string) bool { return slices.Contains(hiddenNames(), name) }

// hiddenNames returns the names of the environments with a hidden vector.
func hiddenNames() []string {
	return each(envs.ListHidden(), func(x envs.Info) string { return x.Name })
}
