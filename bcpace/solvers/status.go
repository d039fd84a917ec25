package solvers

import "bayescpace/bcpace/solverkit"

// environments has the status of every environment of package envs: core for those of the paper, whose
// parameters and dynamics stay; extension for those of the literature; and experiment for those of this
// project's own after a problem of the literature, which has no figures to compare with.
var environments = map[string]solverkit.Status{
	"tiger": solverkit.Core, "chain": solverkit.Core, "light-dark-tiger": solverkit.Core,

	"dual-control": solverkit.Extension, "pendulum": solverkit.Extension, "mountain-car": solverkit.Extension, "cart-pole": solverkit.Extension,
	"double-integrator": solverkit.Extension, "rocksample": solverkit.Extension, "tag": solverkit.Extension, "lasertag": solverkit.Extension,
	"bandit": solverkit.Extension, "double-loop": solverkit.Extension, "grid5": solverkit.Extension, "grid10": solverkit.Extension,
	"maze": solverkit.Extension, "light-dark-1d": solverkit.Extension, "subhunt": solverkit.Extension, "vdp-tag": solverkit.Extension,
	"lasertag-hidden": solverkit.Extension, "mars": solverkit.Extension,

	"peg": solverkit.Experiment, "beacon": solverkit.Experiment, "battery": solverkit.Experiment, "wear": solverkit.Experiment,
	"patrol": solverkit.Experiment, "treatment": solverkit.Experiment, "landing": solverkit.Experiment,
}

// EnvironmentStatus says how far one can build on the environment of that name: "" for one that a program has registered.
func EnvironmentStatus(name string) solverkit.Status { return environments[name] }
