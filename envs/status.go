package envs

import (
	"slices"

	"bayescpace/bcpace/solverkit"
)

// paper are the environments of the paper, whose parameters and dynamics stay.
var paper = []string{tigerName, chainName, lightDarkTigerName}

// stylised are environments of this project's own after a problem of the literature, which has no
// figures to compare with.
var stylised = []string{pegName, beaconName, batteryName, wearName, patrolName, treatmentName, landingName}

// statusOf returns how far one can build on the environment of that name.
func statusOf(name string) solverkit.Status {
	switch {
	case slices.Contains(paper, name):
		return solverkit.Core
	case slices.Contains(stylised, name):
		return solverkit.Experiment
	}
	return solverkit.Extension
}
