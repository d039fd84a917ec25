// Package eval says what policies earn: by simulation in every model, and
// exactly where a model is finite.
//
// Rollouts simulates episodes and RecordEpisode one of them, step by step. Optimal
// and Evaluate compute the values of the best policy and of a given one from the
// graph of all (state, belief) pairs that can be reached, which Reach lists.
//
// A mean return has a 95 % interval, and IntervalKind says when that is Student's t and when
// it rests on the range of returns, as returns that are rarely and strongly negative need.
//
// Best chooses between policies, Oracle says what a policy earns that is told the latent,
// and Options.World is for a model that may not be the truth.
//
// Cutting an episode short is this package's business: a model's Step says when
// an episode has ended, eval says how long it waits for that.
package eval
