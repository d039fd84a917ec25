// Package bcpace is Bayes-CPACE: PAC-optimal exploration of Bayes-adaptive
// Markov decision processes (BAMDPs) in continuous spaces, after Lee, Choudhury,
// Hou and Srinivasa, "Bayes-CPACE: PAC Optimal Exploration in Continuous Space
// Bayes-Adaptive Markov Decision Processes" (2018). "The paper" below is that
// one.
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
//
// Describe a problem as a Model, or take one from package envs; explore it (runs.Explore); ask
// the run for values (Run.Q), for its samples and for its Policy. Models are made
//
//	from a list of what may follow     FromOutcomes   outcomes.go
//	from a motion with normal noise    FromGaussian   gaussian.go
//	from tables                        FromTables     tables.go
//	from functions, one for each task  FromFuncs      funcs.go
//
// with latents from a density where what is hidden is a number (family.Strata); package family
// also draws them from a prior, and bounds what that costs. Package check tries a model against its own
// contract.
//
// # Symbols
//
//	paper                          here                       where
//	φ, Φ        latent, latent set latent, Spec.Latents       spec.go
//	s, a, r     state, action      []float64, int, float64    model.go
//	A           action set         Spec.Actions, Action.Box   spec.go, action_box.go
//	Ω, R, P0    dynamics           Model                      model.go
//	b           belief             Belief                     belief.go
//	τ           Bayes estimator    Bayes                      bayes.go
//	γ           discount           Spec.Discount              spec.go
//	d           distance           metric.Metric              metric/metric.go
//	Q(s,φ,a)    latent values      LatentValues               latent.go
//
// The symbols of Algorithm 1 stand in package cpace, those of samples in package runs.
//
// Other parts, which package certified and other solvers build on:
//
//	P(s'|s,φ,a)       what follows, checked   Lister             lister.go
//	P(φ'|φ,s,a)       how the latent moves    LatentDynamics     model.go
//	                  where φ' is one or few  SparseLatent       latent_moves.go
//	α                 linear lower bounds     package alpha      alpha/set.go
//
// A Solver finds a policy, and a Solution says what it is worth. Control says how long a solver
// works, and what is seen of it meanwhile; the phases of a set-up are seen as
// solverkit.ReportPhase tells them.
//
// Many models can do more than a Model must, such as list what follows. AbilitiesOf tells what
// one can do, and Derive makes a model of another that can do the same but for what is changed,
// as FiniteHorizon, Discretised, WithPrior and package games do (abilities.go).
//
// A Planner searches at every decision, within a Budget (planner.go), as those of package
// online do; the policy of their solvers is one, and shows what it has searched as an Inspector.
// Rollout plays any Policy, and tells an
// Episodic one what happens.
//
// A Certificate bounds V*, with the reasons for its bounds (certificate.go). One from simulations
// rests on the capital K_t(m) of a bet with stakes λ_i (internal/meanbound). Packages
// settings and advice look at a model before.
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
// Rewards may be negative: Q̃max is Spec.VMax, and where the paper writes Rmax for
// the range of rewards, the range is used. Samples whose points are within 1e-9
// of each other share a site of the index; see package internal/knn.
package bcpace
