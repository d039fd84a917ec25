// Package robust answers what to do where nobody knows the prior: it looks for the policy whose worst value over a set of
// priors is the largest.
//
// Let P be the set of priors, such as all of them. A policy π has a value V^π_φ under each latent φ, and Σ_φ b(φ)·V^π_φ under prior
// b, which is linear in b. The robust value is
//
//	max over mixtures π of policies  min over b ∈ P  of Σ_φ b(φ)·V^π_φ  =  min over b ∈ P  of V*(b)
//
// where a mixture draws a policy for each episode. Both sides are the same by the minimax theorem (von Neumann 1928; for convex sets Sion
// 1958), as P is convex and compact and mixtures are. So
//
//   - an upper bound of V*(b) at any b ∈ P, from a solver that brackets it, is one of the robust value;
//   - the values of policies under each latent give a matrix game, whose solution is a mixture, what it guarantees, and a
//     prior against which no mixture of these policies does better: the next one to solve for.
//
// That is the cutting-plane method of Kelley (1960, "The Cutting-Plane Method for Solving Convex Programs") for the convex function V* on P, with
// the solver as the oracle. A prior at which V* is smallest is the least favourable one.
package robust
