// Package constrained looks for the policy that earns most among those whose cost is at most a limit: a second reward function, such as
// harm, fuel or the probability of an event, of which the mean over the prior must not exceed d.
//
// Let V_r(π) be the expected discounted return of a policy and V_c(π) its expected discounted cost, from the start. For every multiplier λ ≥ 0
//
//	max { V_r(π) : V_c(π) ≤ d }  ≤  λ·d + max over π of V_r(π) − λ·V_c(π)
//
// where the right-hand side is the optimal value of the model whose rewards are r − λc, and so any upper bound of that from a solver. It is
// convex in λ, and its least value is what mixtures of policies attain, which draw a policy for each episode (Altman 1999, "Constrained
// Markov Decision Processes", Chapter 3): a mixture of two is enough. The multiplier that is tried next is the slope between the two
// policies that are best for the limit so far (Kelley's cutting planes, for one number).
//
// A limit of 0 has no multiplier: it forbids what may cost, in each state and with each set of latents that are possible still, and the model
// without these actions is solved.
package constrained
