// Package sweep runs many trials of solvers on models: a sweep is data, an Engine
// computes its trials in this process or on many machines, and what has been computed
// once is read back the next time.
package sweep
