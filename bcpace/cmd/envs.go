package cmd

import (
	"fmt"
	"io"

	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

var envsVerb = verb{
	name: "envs", doc: "list the environments and their parameters",
	usage:    "[--json]",
	examples: []string{"envs", "envs --json"},
	flags:    func() *flags { return envsFlags(new(bool)) },
	run:      listEnvs,
}

func envsFlags(asJSON *bool) *flags {
	f := newFlags()
	f.section("output")
	jsonFlag(f, asJSON)
	return f
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
	// Hidden says that the hidden variable is a vector: eval plays such an environment.
	Hidden bool `json:"hidden"`
}

type envParam struct {
	Key     string `json:"key"`
	Default string `json:"default"`
	Want    string `json:"want"`
	Doc     string `json:"doc"`
}

// ofHidden says what an environment with a hidden vector is for.
const ofHidden = "The hidden variable is a vector: play it with eval."

// listEnvs is the verb envs.
func listEnvs(p program, args []string) error {
	var asJSON bool
	if err := envsFlags(&asJSON).parse(args); err != nil {
		return err
	}
	var list envList
	lists := envs.List()
	for i, info := range append(lists, envs.ListHidden()...) {
		e := env{Name: info.Name, Doc: info.Doc, Status: info.Status, Params: []envParam{}, Hidden: i >= len(lists)}
		for _, param := range info.Params {
			e.Params = append(e.Params, envParam(param))
		}
		list.Envs = append(list.Envs, e)
	}
	if asJSON {
		return writeJSON(p.stdout, list)
	}
	return write(p.stdout, func(w io.Writer) {
		for i, e := range list.Envs {
			if i > 0 {
				fmt.Fprintln(w)
			}
			doc := e.Doc
			if e.Hidden {
				doc += " " + ofHidden
			}
			fmt.Fprintf(w, "%s (%s)\n  %s\n\n", e.Name, e.Status, doc)
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
