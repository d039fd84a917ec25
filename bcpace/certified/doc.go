// Package certified brackets the optimal value of a BAMDP from both sides, which the
// paper of package bcpace does not do. Its Solver takes a Finite model, whose bounds are
// proved, or another Enumerator, such as a model with continuous states.
//
// On a Finite model, type finiteBounds holds the bounds and their proofs, and type
// finiteSearch tightens them:
//
//	U(s,b,a), L(s,b)  upper and lower bound   finiteBounds, Run.Q  finite_bounds.go
//	U0, L_Q           initial upper bound     Solver.Bound         initial_bounds.go
//	n                 trials side by side     Solver.Batch         finite_search.go
//	                  lower bound that lags   lowerSearch          finite_lower.go
//	                  state between rounds    Solver.Resume        finite_state.go
//
// Where states are continuous and the model lists successors, the search brackets the
// shortfall of Q* from Σ_φ b(φ)·Q(s,φ,a) instead: type continuousBounds holds the bounds
// and says what they rest on, and type continuousSearch tightens them.
//
//	D(s,b,a)          shortfall               shortfalls           shortfall.go
//	                  a gap that stalls       stall                continuous_search.go
//	L_S               its Lipschitz constant  Solver.LipState      continuous_bounds.go
//	L0, w             initial bounds, by grid continuousTables     continuous_tables.go
//	                  certificate's Upper,    ProvedAtStart        proof.go
//	                  or where none is proved gridUpper            grid_upper.go
//	                  of several bounds       UpperAtStart
//
// Where a list of actions stands for a Box, trials do not get far among those that are nearly
// equal. So the run may return another policy (runs.Choice): that of point-based value
// iteration on a grid, one step ahead from the very state. Where a bound is proved, the policy of its
// finite model is tried, too.
//
//	Γ                 its α-vectors           gridValues           grid_sweeps.go
//	                  its action              Choice, "grid"       grid_policy.go
//	                  that of the proof       Choice, "proof"      proof.go
package certified
