package cmd_test

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/cmd"
	"bayescpace/envs"
)

// The main function of a program that is the command bcpace with a further environment.
func ExampleMain() {
	envs.Register(envs.Info{
		Name: "long-chain", Doc: "A chain of as many states as one likes.",
		Params: []envs.ParamInfo{{Key: "length", Default: "50", Want: "a number of states", Doc: "number of states"}},
	}, func(v *envs.Values) (bcpace.Model, error) {
		return renamed{envs.Chain{Length: v.Count("length")}, v.Name(), v.Params()}, nil
	})
	cmd.Main()
}

// renamed is a Chain with a name and parameters of its own. It can do all that Chain can.
type renamed struct {
	envs.Chain
	name   string
	params []bcpace.Param
}

// Spec implements bcpace.Model.
func (r renamed) Spec() bcpace.Spec {
	s := r.Chain.Spec()
	s.Name, s.Params = r.name, r.params
	return s
}
