package cmd

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// ownChain is Chain as if a user had registered it, with a parameter of the name that a model
// file has.
type ownChain struct {
	envs.Chain
	name   string
	params []bcpace.Param
}

// Spec implements bcpace.Model.
func (c ownChain) Spec() bcpace.Spec {
	s := c.Chain.Spec()
	s.Name, s.Params = c.name, c.params
	return s
}

func init() {
	envs.Register(envs.Info{
		Name: "own-chain", Doc: "A chain of the user's own.", Latents: "slips", Latent: "slip",
		Params: []envs.ParamInfo{
			{Key: "file", Default: "none", Want: "a name", Doc: "of nothing"},
			{Key: "slips", Default: "0.2,0.8", Want: "probabilities with commas between them", Doc: "slip probabilities"},
			{Key: "length", Default: "3", Want: "a number of states", Doc: "number of states"},
		},
	}, func(v *envs.Values) (bcpace.Model, error) {
		return ownChain{envs.Chain{Slips: v.Floats("slips"), Length: v.Count("length"), Discount: 0.9}, v.Name(), v.Params()}, nil
	})
}

// TestRegistered takes an environment of the user's own through every verb.
func TestRegistered(t *testing.T) {
	list := decode[envList](t, succeed(t, "envs", "--json"))
	if !slices.ContainsFunc(list.Envs, func(e env) bool { return e.Name == "own-chain" && len(e.Params) == 3 }) {
		t.Error("bcpace envs does not list it")
	}
	dir := t.TempDir()
	name, whole := filepath.Join(dir, "run.bcp"), filepath.Join(dir, "whole.bcp")
	const problem = "--env own-chain --set length=4 --set file=f"
	const exploration = problem + " --k 3 --epsilon 0.5 --patience 1000 --seed 2"
	succeed(t, line("solve "+exploration+" --max-episodes 40 --out "+whole)...)
	succeed(t, line("solve "+exploration+" --max-episodes 20 --out "+name)...)
	succeed(t, line("solve --resume "+name+" --max-episodes 40")...)
	sameFiles(t, name, whole)

	of := decode[result](t, succeed(t, line("solve "+problem+" --json")...))
	chain := decode[result](t, succeed(t, line("solve --env chain --set length=4 --set slips=0.2,0.8 --set discount=0.9 --json")...))
	if of.Model != "own-chain" || of.Algorithm != "certified" || of.Lower != chain.Lower || of.Upper != chain.Upper {
		t.Errorf("solved: %+v, want the bounds of chain, %v and %v", of, chain.Lower, chain.Upper)
	}
	for _, args := range []string{
		"verify --run " + name,
		"eval --episodes 10 --horizon 10 --run " + name,
		"eval --episodes 10 --horizon 10 --algorithm qmdp " + problem,
		"solve --algorithm sarsop " + problem,
		"solve --max-episodes 5 --env own-chain --set slip=uniform:0.1:0.9 --samples 4",
		"advise " + problem,
		"lipschitz " + problem,
		"cover --depth 2 --epsilon 0.5 " + problem,
		"export --run " + name + " --samples " + filepath.Join(dir, "samples.csv"),
	} {
		succeed(t, line(args)...)
	}
	code, _, stderr := call(t, line("solve --env own-chain --set length=long")...)
	if code != exitError || !strings.Contains(stderr, `environment "own-chain": length is "long", want a number of states`) {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}
