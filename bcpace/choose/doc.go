// Package choose says which solvers suit a model, in which order, and for which part of the time,
// and has them solve it. It is what a user gets who names no solver.
//
// One table has it all (table.go): for each kind of model the solvers that are tried, with the share
// of the time and the reason of each. ScheduleOf returns what the table says of a model, in seconds of
// a time that there is, Solve runs it, and One names the solver where there may be one alone.
//
// Which solver is the best for a model is seldom clear before it was tried. So those that may be are
// run one after the other. Where the bounds of one come together, no other is tried. Each policy search
// goes on from the policy of the one before, and the last one comes after all others, where much of the
// time before a deadline is left. Where that time is short for the grid of certified, it has a coarser
// one, whose set-up ends. Then certainty equivalence is not tried, and QMDP, which solves its grid once
// and not some three times, is tried next where there is time for that, and on more than three axes in
// the place of certified.
//
// Their policies then play the same episodes, in rounds. One that is behind the best by four standard
// errors after 800 episodes plays no further. A policy that comes with a run, whose bounds say more,
// is kept before one that earns hardly more: by a hundredth of what lies between the best and the worst, or a tenth of
// what lies between its bounds where the upper one is proved, and by two standard errors.
//
// Last, AdaOPS plays some of these episodes beside the policy chosen, with ten leaves at a decision: where
// actions are listed and have no Box, and its bounds are cheap, as where a model is small or has two axes of real numbers
// at most. A planner takes its time at every decision, so that it is chosen only where it earns more by three
// standard errors and by a hundredth of what lies between the best and the worst; while it leads and that is not sure, it
// plays on. Otherwise Result.Next says what it earned.
//
// A look at a model says more before anything is solved: Recommend singles a solver out and says why, Foresee
// says what is to be expected of it, and Suggest the parameters of Algorithm 1. What holds a run back
// afterwards says runs.Run.Warnings.
package choose
