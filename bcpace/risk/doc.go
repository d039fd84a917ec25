// Package risk looks for the policy whose bad episodes are the least bad: the one with the largest CVaR, the mean of the worst share of the
// returns (Solver), or the one with the smallest probability of a return below a level (Chance). Both are certified, for any finite model.
//
// Let G be the discounted return of an episode. For a share α in (0, 1],
//
//	CVaR_α(G) = max over levels t of  t − E[(t − G)⁺]/α
//
// (Rockafellar and Uryasev 2000, "Optimization of Conditional Value-at-Risk"), so that the largest CVaR of a policy is the largest of
// g(t) = t − U(t)/α, where U(t) is the least E[(t − G)⁺] of a policy. With what is left of the level after a reward r, x' = (x − r)/γ, as a part
// of the state, that is the value of a BAMDP (Bäuerle and Ott 2011, "Markov decision processes with average-value-at-risk criteria"): nothing
// is lost any more where no return falls short of x, and where each does, the loss is x minus the return. Between two levels g
// rises with a slope of 1 at most, and falls with one of 1/α − 1 at most, which bounds it where it was not computed. Where the returns that an episode
// may have are not too many, it is largest at one of them, and convex between them.
//
// Two numbers are equal where rounding alone can be what they differ by: within the last bits of what they were computed from. Rewards that differ by more tell
// latents apart, however large others are. A return that is the level but for rounding is not below it.
//
// Where not too many values occur of what is left of the level, as in episodes of few steps or without a discount, each of them counts, and the bounds are
// as close as those of the inner solver. Elsewhere it stands on a grid, dense around the returns of the policy of the largest mean. Rounded down at each
// step, it gives a bound that no policy beats, as U rises with x; above the median it is rounded up for a refund of the difference, as U rises with
// a slope of 1 at most. For the policy that is played it is drawn from the two neighbours, with the right mean: E[(x − G)⁺] is convex in x, so that the
// policy loses what the model says, at most. Finer grids bring the two together, at a price that grows with the range of returns.
//
// The policies see the rewards that they get. Where these tell latents apart, policies that do not look at them, as those of other solvers, may do
// less well.
package risk
