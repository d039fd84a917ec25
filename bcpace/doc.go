// Package bcpace is Bayes-CPACE: PAC-optimal exploration of Bayes-adaptive
// Markov decision processes (BAMDPs) in continuous spaces, after Lee, Choudhury,
// Hou and Srinivasa, "Bayes-CPACE: PAC Optimal Exploration in Continuous Space
// Bayes-Adaptive Markov Decision Processes" (2018). "The paper" below is that
// one.
//
// Describe a problem as a Model, or take one from package envs; Explore it; ask
// the Run for values (Run.Q), for its samples and for its Policy. Models are made
//
//	from a list of what may follow     FromOutcomes   outcomes.go
//	from a motion with normal noise    FromGaussian   gaussian.go
//	from tables                        FromTables     tables.go
//	from functions, one for each task  FromFuncs      funcs.go
//
// with latents from a density where what is hidden is a number (Strata); package family draws
// them from a prior, and bounds what that costs. Package check tries a model against its own
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
//	C           sample set         Samples                    samples.go
//	d, α        distance, weight   Metric, Options.Alpha      metric.go
//	Q(s,φ,a)    latent values      LatentValues, SolveLatent  latent.go, latent_finite.go
//	L_Q         Lipschitz constant Options.LipQ               options.go
//	L_Q̃ = 2L_Q                     Run.LipQ                   run.go
//	Q̃(s,b,a)    optimistic value   Run.Q                      run.go, estimator.go
//	Q̃max        upper bound        Options.Bound, Run.Upper   options.go, run.go
//	known query, ε/L_Q̃             Run.Q, Run.Radius          run.go, estimator.go
//	k           neighbours         Options.K                  options.go
//	E_K         escape             Episode.Escapes            run.go
//	B̃           Bellman operator   fixedPoint                 fixedpoint.go
//	β           its tolerance      Options.Beta               options.go
//	n           batch of rollouts  Options.Batch              options.go
//	T           horizon            Options.Horizon            options.go
//	G           terminal condition Options.Patience           options.go
//	Algorithm 1                    Options.Explore            explore.go
//
// Other parts, which package certified and other solvers build on:
//
//	FIB, blind, worst first bounds            SolveBounds        bounds_finite.go
//	                  by grid                 SolveGridBounds    grid_bounds.go
//	                  how it is laid          GridOptions        grid_plan.go, grid_axes.go
//	box cone          how far a bound carries BoxCone            bounds_box.go
//	P(s'|s,φ,a)       what follows, checked   Lister             lister.go
//	                  tables of all of it     Transitions        transitions.go
//	P(φ'|φ,s,a)       how the latent moves    LatentDynamics     model.go
//	                  where φ' is one or few  SparseLatent       latent_moves.go
//	s ~ s'            states that are alike   Aggregate          aggregate.go
//	α                 linear lower bounds     package alpha      alpha/set.go
//
// A Solver finds a policy, and a Solution says what it is worth. An Explorer is one whose
// Solution has a Run: Options are Algorithm 1, and certified.Solver brackets Q* from both
// sides, which the paper does not do. Control says how long a solver works, and what is
// seen of it meanwhile. A
// set-up that ends early leaves what Unfinished says (unfinished.go); its phases are seen as
// ReportPhase tells them (setup.go).
//
// A Planner searches at every decision, within a Budget (planner.go), as those of package
// online do; the policy of their solvers is one, and shows what it has searched as an Inspector.
// Rollout plays any Policy, and tells an
// Episodic one what happens.
//
// Runs without a proof have their policy simulated, which certifies a lower bound
// up to a chosen probability of error:
//
//	π's value ≥ Lower  statistical certificate Certificate        certificate.go
//	Upper − Lower      what holds them apart   Run.Parts          gap_parts.go
//	K_t(m), λ_i        capital of a bet        MeanLowerBound     mean.go
//
// The greedy policy of Q̃ may be worse than QMDP while samples are few. So Solve returns
// the best of several, named in Run.Choice (choice.go), and Explore the paper's. One of them
// may be the user's own, Options.Controller. What holds a run back says Run.Warnings; packages
// settings and advice look at a model before.
//
// Definitions of Section 3 and their place: Known Query and Optimistic Value
// Estimate are estimator.query; Best-Case Upper Bound is BestCase; Known Latent
// Initialization is Options.SeedOneHot. Propositions Approximate Value Iteration
// and Batch Sample Update are Options.Beta and Options.Batch. Other programs, on any machines,
// play the rollouts of a batch where Options.Rollouts hands them to BatchWorkers (batch.go).
//
// # Actions
//
// An action is an element of a list or, with a Box, a control u in one to three dimensions,
// such as a torque or a heading; a model may have both. Everything that takes an action takes
// an id (Spec.ActionID, Spec.Control), so that policies, samples, simulations and run files
// know no difference. Algorithm 1 keeps one index over (s, b, u), in the paper's metric
// α·d((s,u),(s',u')) + ‖b − b'‖₁, and finds its greedy control by branch and bound
// (control_search.go), to within Options.ControlTolerance. What needs a list refuses a Box;
// Discretised makes a list of it, and so do certified.Solver and qmdp.Solver.
//
// # Departures from the paper
//
// Rewards may be negative: Q̃max is Spec.VMax, and where the paper writes Rmax for
// the range of rewards, the range is used. Samples whose points are within 1e-9
// of each other share a site of the index; see package internal/knn.
//
// # Determinism
//
// The same model, options and seed make the same Run bit for bit, whatever the
// number of workers: episode i has the random stream PCG(seed, i), and the
// rollouts of a batch are merged in the order of the episodes. So does an
// exploration that was cut off again and again, and resumed each time.
package bcpace
