// Package family is for MDPs of which a parameter θ is unknown that has a prior, rather than
// a list of values: a mass with a density, a table of probabilities. Such a Family is a
// Bayes-adaptive MDP whose latents are no list. Draws from the prior stand for it (Wang, Won,
// Hsu and Lee, "Monte Carlo Bayesian reinforcement learning", ICML 2012):
//
//	a family from functions       Parametric, Param   parametric.go, prior.go
//	a model of n draws            Sampled, Sampling   sampled.go
//	bounds of V* under the prior  Bracket             bracket.go, bracketer.go
//	the posterior from data       Particles           particles.go, moves.go
//
// A model of draws is a bcpace.Model as any other, and every solver takes it. What its policy
// is worth under the prior, and what the best one can be, says Bracket: the policy plays with
// fresh θ, and the optimum of a set of draws is no less than V* on average.
package family
