package eval

import "bayescpace/bcpace"

// Score is what the policy of one solver earned in a comparison, beside the bounds of
// the optimal value that the solver claims.
type Score struct {
	Name   string // of the solver
	Policy bcpace.Policy
	Result // of the episodes that Policy played
	// Certificate is that of the solver's solution, or zero if the episodes of Result are of
	// another problem. If the model has no horizon, it bounds the value of episodes for
	// ever, and Result is about as many steps as were played.
	Certificate bcpace.Certificate
	// Objective is what the solver was asked for, of which the Certificate bounds the optimum, and Result.At says what Policy scores.
	Objective bcpace.Objective
}
