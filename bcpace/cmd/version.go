package cmd

import (
	"bayescpace/bcpace/methods"
)

var versionVerb = verb{
	name: "version", doc: "say which version of the program this is",
	usage: "[--json]", examples: []string{"version"},
	flags: func() *flags { return newVersionFlags(new(bool)) },
	run:   (program).version,
}

func newVersionFlags(asJSON *bool) *flags {
	f := newFlags()
	f.section("output")
	jsonFlag(f, asJSON)
	return f
}

// versionOf is the JSON of the verb version.
type versionOf struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Modified bool   `json:"modified"`
	Code     string `json:"code"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// version is the verb version.
func (p program) version(args []string) error {
	var asJSON bool
	if err := newVersionFlags(&asJSON).parse(args); err != nil {
		return err
	}
	s := methods.ThisSoftware()
	if asJSON {
		return writeJSON(p.stdout, versionOf(s))
	}
	known := func(text string) string {
		if text == "" {
			return "not known"
		}
		return text
	}
	revision := known(s.Revision)
	if s.Modified {
		revision += ", with changes"
	}
	return printTable(p.stdout, func(row func(...any)) {
		row("version", known(s.Version))
		row("commit", revision)
		row("code", s.Code)
		row("go", s.Go)
		row("platform", s.Platform)
	})
}
