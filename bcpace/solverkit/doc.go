// Package solverkit has what authors of solvers share: what a solver says of itself, what it needs of a
// model, lists in the place of boxes of controls, starts and ranges of values as a model has them,
// policies that plan while they act, and the progress of a set-up.
package solverkit
