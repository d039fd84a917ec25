// Package solvertest holds what every solver must pass: its bounds contain the
// exact value, and its policy earns what its certificate says.
package solvertest
