// Package cpace is Bayes-CPACE, Algorithm 1 of the paper (see package bcpace): Solver rolls the
// greedy policy of an optimistic estimate out, adds every sample whose query is not known, and
// finds the fixed point of the estimate again.
//
//	paper                          here                       where
//	d, α        distance, weight   metric.Queries, Alpha       package metric, options.go
//	L_Q         Lipschitz constant Solver.LipQ                options.go
//	Q̃(s,b,a)    optimistic value   estimator.query, Explain   estimator.go, paper_values.go
//	Q̃max        upper bound        Solver.Bound               options.go, paper_values.go
//	k           neighbours         Solver.K                   options.go
//	B̃           Bellman operator   fixedPoint                 fixedpoint.go
//	β           its tolerance      Solver.Beta                options.go
//	n           batch of rollouts  Solver.Batch               options.go
//	T           horizon            Solver.Horizon             options.go
//	G           terminal condition Solver.Patience            options.go
//	Algorithm 1                    Solver.Explore             explore.go
//
// Definitions of Section 3 and their place: Known Query and Optimistic Value Estimate are
// estimator.query; Best-Case Upper Bound is dp.BestCase; Known Latent Initialization is
// Solver.SeedOneHot. Propositions Approximate Value Iteration and Batch Sample Update are
// Solver.Beta and Solver.Batch.
//
// The greedy policy of Q̃ may be worse than QMDP while samples are few. So Solve returns the best
// of several, named in the run's Choice, and Explore the paper's. One of them may be the user's
// own, Solver.Controller.
//
// There is one index over (s, b, u), in the paper's metric α·d((s,u),(s',u')) + ‖b − b'‖₁, and the
// greedy control of an action with a Box is found by branch and bound (control_search.go), to
// within Solver.ControlTolerance.
//
// # Determinism
//
// The same model, parameters and seed make the same run bit for bit, whatever the number of
// workers: episode i has the random stream PCG(seed, i), and the rollouts of a batch are merged
// in the order of the episodes. So does an exploration that was cut off again and again, and
// resumed each time.
package cpace
