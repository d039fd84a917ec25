package cmd

import (
	"fmt"
	"io"

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
	Name   string     `json:"name"`
	Doc    string     `json:"doc"`
	Params []envParam `json:"params"`
}

type envParam struct {
	Key     string `json:"key"`
	Default string `json:"default"`
	Want    string `json:"want"`
	Doc     string `json:"doc"`
}

// listEnvs is the verb envs.
func listEnvs(p program, args []string) error {
	var asJSON bool
	if err := envsFlags(&asJSON).parse(args); err != nil {
		return err
	}
	var list envList
	for _, info := range envs.List() {
		e := env{Name: info.Name, Doc: info.Doc, Params: []envParam{}}
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
			fmt.Fprintf(w, "%s\n  %s\n\n", e.Name, e.Doc)
			table(w, func(row func(...any)) {
				row("  parameter", "default", "meaning", "values")
				for _, x := range e.Params {
					row("  "+x.Key, x.Default, x.Doc, x.Want)
				}
			})
		}
	})
}
