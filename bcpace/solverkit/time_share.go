package solverkit

import "bayescpace/bcpace"

// TimeShare is what a solver does with a part of its time before a deadline: with a share of what is
// left of it then, at most.
type TimeShare struct {
	What  string
	Share float64
}

// Scheduled is a solver that divides its time before a deadline.
type Scheduled interface {
	// TimeShares lists the parts for a model, in order. What a part leaves is for those that follow.
	TimeShares(m bcpace.Model) []TimeShare
}
