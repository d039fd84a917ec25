package cmd

import (
	"context"
	"fmt"
	"io"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/store"
)

var convertVerb = verb{
	name: "convert", doc: "write an environment, or a model file, for other programs",
	usage: "(--env NAME [--set KEY=VALUE]… [--samples N] [--seed N] | --model FILE) --out FILE [--force] [--json]",
	examples: []string{
		"convert --env rocksample --out rocksample.pomdpx",
		"convert --model data/tiger.pomdp --out tiger.pomdpx",
	},
	args: func() arguments { return new(convertArgs) },
}

// converted is the JSON of the verb convert. A change of a name or meaning breaks what reads it.
type converted struct {
	Model        string `json:"model"`
	Visible      int    `json:"visible"` // values of the part of the state that is seen, and of that which is hidden
	Hidden       int    `json:"hidden"`
	Actions      int    `json:"actions"`
	Observations int    `json:"observations"`
}

// convertArgs are the flags of convert.
type convertArgs struct {
	env  environment
	out  string
	seed uint64
}

func (a *convertArgs) flags(f *flags) {
	f.section("problem")
	a.env.flags(f, "")
	f.value("seed", "N", "seed of the latents that --samples draws (default 0)", unsigned(&a.seed))
	a.env.fileFlag(f)
	f.section("output")
	f.value("out", "FILE", "where to write the model, .pomdp or .pomdpx", text(&a.out))
	f.forceFlag()
	f.jsonFlag()
}

// modelKind is a model in one of the two formats.
var modelKind = fileKind{"a model", begins(`^\s*(<\?xml[^>]*>\s*)?<pomdpx\b|^(\s*#[^\n]*\n)*\s*(discount|values|states|actions|observations)\s*:`)}

// convert is the verb convert.
func (a *convertArgs) run(p program, f *flags) error {
	write, known := map[string]func(io.Writer, *pomdp.Model) error{".pomdp": pomdpfile.WritePOMDP, ".pomdpx": pomdpfile.WritePOMDPX}[extension(a.out)]
	switch {
	case f.given["model"] == f.given["env"]:
		return misuse("give one of --env and --model")
	case !f.given["out"]:
		return misuse("--out is missing")
	case !known:
		return misuse("%q is no name of a model file, want one that ends in .pomdp or .pomdpx", a.out)
	case f.given["model"] && sameFile(a.env.file, a.out):
		return misuse("--model and --out name the same file")
	}
	if f.given["model"] {
		if err := f.clash("--model", "set", "samples", "seed"); err != nil {
			return err
		}
	}
	if err := f.checkTarget("out", a.out, modelKind); err != nil {
		return err
	}
	m, err := a.read(p.ctx)
	if err != nil {
		return interrupted(err)
	}
	p.note(m)
	if err := store.WriteFile(a.out, store.Content(func(w io.Writer) error { return write(untilEnd{p.ctx, w}, m) })); err != nil {
		return interrupted(err)
	}
	return f.printTable(p.stdout, converted{m.Name, m.NumVisible(), m.NumHidden(), len(m.Actions), len(m.Observations)})
}

// read returns the model.
func (a *convertArgs) read(ctx context.Context) (*pomdp.Model, error) {
	if a.env.file != "" {
		return pomdpfile.ReadFile(ctx, a.env.file)
	}
	m, err := a.env.model(ctx, a.seed)
	if err != nil {
		return nil, err
	}
	if err := solverkit.NeedsNumbered(m, "convert"); err != nil {
		return nil, err
	}
	f, _ := bcpace.AsFinite(m)
	return pomdp.FromBAMDP(ctx, f)
}

func (c converted) rows(row func(...any)) {
	row("model", c.Model)
	row("states", fmt.Sprintf("%d visible, %d hidden", c.Visible, c.Hidden))
	row("actions", c.Actions)
	row("observations", c.Observations)
}
