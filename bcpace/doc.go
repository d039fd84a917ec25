// Package bcpace is Bayes-CPACE: PAC-optimal exploration of Bayes-adaptive
// Markov decision processes (BAMDPs) in continuous spaces, after Lee, Choudhury,
// Hou and Srinivasa, "Bayes-CPACE: PAC Optimal Exploration in Continuous Space
// Bayes-Adaptive Markov Decision Processes" (2018), "the paper" below.
//
// This package is the vocabulary: models, beliefs, policies, solvers, planners and certificates.
// Beside it stand
//
//	cpace        Algorithm 1 of the paper, a solver
//	runs         what an exploration leaves: samples, run files, checks
//	dp           tables of a model: transitions, latent values, grids, first bounds
//	fingerprint  whether two models are the same
//	metric       distances of state-belief pairs
//	proved       upper bounds in continuous spaces that assume nothing
//	solverkit    what authors of solvers share
//	stop         why a solver ended
//
// Describe a problem as a Model, or take one from package envs; explore it (runs.Explore); ask
// the run for values (Run.Q), for its samples and for its Policy. Models are made
//
//	from a list of what may follow     FromOutcomes   outcomes.go
//	from a motion with normal noise    FromGaussian   gaussian.go
//	from tables                        FromTables     tables.go
//	from functions, one for each task  FromFuncs      funcs.go
//
// Package family makes latents from a density or a prior, and bounds what that costs; package check
// tries a model against its own contract.
//
// # Symbols
//
//	paper                          here                       where
//	φ, Φ        latent, latent set latent, Spec.Latents       spec.go
//	s, a, r     state, action      []float64, int, float64    model.go
//	A           action set         Spec.Actions, Action.Box   spec.go, action_box.go
//	Ω, R, P0    dynamics           Model                      model.go
//	P(s'|s,φ,a)                    Lister                     lister.go
//	P(φ'|φ,s,a)                    LatentDynamics             model.go
//	b           belief             Belief                     belief.go
//	τ           Bayes estimator    Bayes                      belief.go
//	γ           discount           Spec.Discount              spec.go
//	d           distance           metric.Metric              metric/metric.go
//	Q(s,φ,a)    latent values      LatentValues               latent.go
//	α           α-vectors          package alpha              alpha/set.go
//	K_t(m), λ_i betting bounds     Certificate                internal/stat
//
// The symbols of Algorithm 1 stand in package cpace, those of samples in package runs.
//
// # Actions
//
// An action is an element of a list or, with a Box, a control u in one to three dimensions,
// such as a torque or a heading; a model may have both. Everything that takes an action takes
// an id (Spec.ActionID, Spec.Control), so that policies, samples, simulations and run files
// know no difference. What needs a list refuses a Box; Discretised makes a list of it, and so do
// certified.Solver and qmdp.Solver.
//
// # Departures from the paper
//
// Rewards may be negative: Q̃max is Spec.VMax, and Rmax is the range of rewards. Samples whose
// points are within 1e-9 of each other share a site of the index.
package bcpace
