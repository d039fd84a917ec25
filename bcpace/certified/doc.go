// Package certified brackets the optimal value of a BAMDP from both sides, which the
// paper of package bcpace does not do. Its Solver takes a Finite model, whose bounds are
// proved, or another Enumerator, as those with continuous states are.
//
// On a Finite model, type envelope has the bounds and their proofs, and certifier the
// search:
//
//	U(s,b,a), L(s,b)  upper and lower bound   envelope, Run.Q    envelope.go
//	U0, L_Q           other beginnings        Solver.Bound       outset.go
//	n                 trials side by side     Solver.Batch       certify_batch.go
//	                  state between rounds    Solver.Resume      certify_state.go
//
// Where states are continuous and the model lists successors, it brackets the
// shortfall of Q* from Σ_φ b(φ)·Q(s,φ,a) instead: type continuum has the bounds and
// what they rest on, surveyor the search.
//
//	D(s,b,a)          shortfall               shortfalls         shortfall.go
//	L_S               its Lipschitz constant  Solver.LipState    continuous.go
//	L0, w             first bounds, by grid   continuousTables   continuous_tables.go
//	                  certificate's Upper     gridUpper          grid_upper.go
package certified
