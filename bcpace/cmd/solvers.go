package cmd

import (
	"fmt"
	"io"

	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

var solversVerb = verb{
	name: "solvers", doc: "list the algorithms and their parameters",
	usage:    "[--json]",
	examples: []string{"solvers", "solvers --json"},
	flags:    func() *flags { return envsFlags(new(bool)) },
	run:      listSolvers,
}

// solverList is the JSON of the verb solvers.
type solverList struct {
	Solvers []solver `json:"solvers"`
}

type solver struct {
	Name   string        `json:"name"`
	Doc    string        `json:"doc"`
	Params []solverParam `json:"params"`
}

type solverParam struct {
	Key string `json:"key"`
	Doc string `json:"doc"`
}

// listSolvers is the verb solvers.
func listSolvers(p program, args []string) error {
	var asJSON bool
	if err := envsFlags(&asJSON).parse(args); err != nil {
		return err
	}
	var list solverList
	for _, x := range solvers.List() {
		s := solver{Name: x.Name, Doc: x.Doc, Params: []solverParam{}}
		for _, param := range x.Params {
			if param.Key != solverkit.Unrevealed { // what --out asks for
				s.Params = append(s.Params, solverParam{param.Key, param.Doc})
			}
		}
		list.Solvers = append(list.Solvers, s)
	}
	if asJSON {
		return writeJSON(p.stdout, list)
	}
	return write(p.stdout, func(w io.Writer) {
		for i, s := range list.Solvers {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%s\n  %s\n", s.Name, s.Doc)
			if len(s.Params) == 0 {
				continue
			}
			fmt.Fprintln(w)
			table(w, func(row func(...any)) {
				row("  parameter", "meaning")
				for _, x := range s.Params {
					row("  --"+x.Key, x.Doc)
				}
			})
		}
	})
}
