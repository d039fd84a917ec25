package solvers

import (
	"slices"

	"bayescpace/bcpace/solverkit"
)

// paper are the environments of the paper, whose parameters and dynamics stay.
var paper = []string{"tiger", "chain", "light-dark-tiger"}

// stylised are environments of this project's own after a problem of the literature, which has no
// figures to compare with.
var stylised = []string{"peg", "beacon", "battery", "wear", "patrol", "treatment", "landing"}

// EnvironmentStatus says how far one can build on the environment of package envs with that name.
func EnvironmentStatus(name string) solverkit.Status {
	switch {
	case slices.Contains(paper, name):
		return solverkit.Core
	case slices.Contains(stylised, name):
		return solverkit.Experiment
	}
	return solverkit.Extension
}
