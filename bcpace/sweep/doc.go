// Package sweep runs many trials of solvers on models, on one machine or on many.
//
// A sweep is data: a Spec, in Go or as JSON, says what its trials share and what changes from
// one to the next. Each Trial is a model, a solver of package solvers with its parameters, a
// seed, and how its policy is evaluated; or a covering number. Run returns a TrialRow for each, with
// an Outcome that is the same bit for bit wherever and whenever it is computed.
//
// A trial's Key is a hash of all that determines its outcome: the trial, the content of its
// model file, the sources of this module, the releases of Go and gonum, and the architecture.
// Results are kept under their keys in a folder, a checked line for each, as they come. What has
// a result is not computed again, in this sweep or in the next, and a sweep that was
// interrupted or killed goes on. A trial that fails is a row with its Fault; the next Run
// computes it again.
//
// Run computes the trials side by side in its process, or a Shard of them: then other processes, on any
// machines, compute the others, and Merge puts the rows together. A user's own models are known to
// a program that registers them (envs.Register).
package sweep
