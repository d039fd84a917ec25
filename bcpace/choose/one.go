package choose

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/solvers"
)

// Asked is what a user who names no solver asks for, where one solver alone is to run.
type Asked struct {
	// File says that the model is that of a file, and Vectors that its policy is to be written to a .policy file.
	File, Vectors bool
	// Elsewhere says that workers of an engine play the rollouts.
	Elsewhere bool
	// Reads reports whether a solver reads all parameters that are given; nil where certified does.
	Reads func(solvers.Info) bool
}

// one has the rows in order: the first one that holds says which solver runs alone.
var one = []struct {
	why    string
	is     func(k kind, a Asked) bool
	solver string
}{
	{"workers play its rollouts", func(_ kind, a Asked) bool { return a.Elsewhere }, solvers.BayesCPACE},
	{"a .policy file has its policy", func(_ kind, a Asked) bool { return a.Vectors && a.File }, solvers.SARSOP},
	{"the model is no Bayes-adaptive MDP", func(k kind, _ Asked) bool { return k.model == nil }, solvers.SARSOP},
	{"the model has neither a discount nor a horizon, which no other solver does without", func(k kind, _ Asked) bool { return k.spec.Goal }, solvers.SARSOP},
	{"the hidden part of the file has so many values that its bounds close faster than those of certified", func(k kind, a Asked) bool { return a.File && k.manyLatents() }, solvers.SARSOP},
	{"the model lists no successors, so that only samples of its steps tell what follows", func(k kind, _ Asked) bool { return !k.lists }, solvers.BayesCPACE},
	{"its bounds prove how far the policy is from the best", func(kind, Asked) bool { return true }, solvers.Certified},
}

// One returns the name of the solver that runs where one alone may, and why it does: where parameters are given, and for
// the model of a file, which is nil where that holds no BAMDP.
func One(m bcpace.Model, a Asked) (name, why string) {
	if a.Reads != nil && !a.Elsewhere {
		for _, s := range solvers.List() {
			if a.Reads(s) {
				return s.Name, "it is the first solver that reads all parameters"
			}
		}
		return solvers.BayesCPACE, "no solver reads all parameters, and it reads most of them"
	}
	k := kind{}
	if m != nil {
		k = kindOf(m, false)
	}
	for _, r := range one {
		if r.is(k, a) {
			return r.solver, r.why
		}
	}
	panic("the last row is of every kind")
}
