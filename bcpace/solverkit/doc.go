// Package solverkit has what authors of solvers share: a list in the place of boxes of controls,
// starts as a model with the steps left has them, and the progress of tables that a solver has
// computed.
package solverkit
