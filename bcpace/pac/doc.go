// Package pac has the quantities of the paper's analysis (Section Analysis of Sample
// Complexity) as functions of numbers, and an audit that sets what they promise beside
// what an exploration did.
//
// # Rewards and values
//
// The paper has rewards in [0, Rmax] and values in [0, Qmax], Qmax ≤ Rmax/(1−γ). Where
// rewards may be negative, Rmax is R̄ = max(RewardMax, 0) − min(RewardMin, 0), the range
// of rewards with 0, and Qmax is R̄/(1−γ): adding a constant to every reward, that of an
// ended episode included, changes no difference of values, and those are all that the
// theorems speak of. SettingOf does so.
//
// # Covering number
//
// N is N_B(ε/L_Q̃), over states, beliefs and actions. The paper's is the largest minimal
// cover; the proof needs only the largest set of points that are more than ε/L_Q̃ apart
// (see package cover), which is never larger and often much smaller.
//
// # What is not there
//
// The interval of k is empty unless Q̃max²/ε²·log(4N/δ) ≤ 4N/δ: for a small N no number
// of neighbours satisfies the theorem as it is written. For transitions and rewards
// that are certain, k = 1 averages nothing away, but the theorem does not say so.
//
// The interval's upper end is not needed: its union bound is
// 2kN·exp(−2kε²/Q̃max²) ≤ ½δ, which every k from some number on satisfies.
//
// EscapeSteps holds for steps after which T steps of the episode are left: all steps of a run without
// resets, or the first T of rollouts of 2T. With rollouts of T it bounds the episodes that
// begin with a high escape probability, as EscapeTrajectories, and not the steps. On Chain
// explorations with nothing left to find have 9.6 to 11 of the 12 steps of each episode above the
// threshold.
//
// Optimism at unknown queries, from which V* of the known belief MDP is no less than V* −
// ε/(1−γ), needs the mean of the k offers to be cut off at Q̃max. Definition Optimistic Value
// Estimate, and package cpace with it, cuts off each offer. Where outcomes are noisy the
// estimate may then be too low.
//
// Notebook 10a_proof has the proofs and the examples.
//
// NewAudit needs numbered states, whose V* is bracketed by dynamic programming. In continuous states
// package proved bounds V* from above, but the value of every policy from every step on
// could only be simulated, so that there is no audit.
//
// Proposition Known Latent Initialization states that the sample complexity falls by
// the factor N′/N. That holds for its part k·N and not for log(2/δ), which stays.
package pac
