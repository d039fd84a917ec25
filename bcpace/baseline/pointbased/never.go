package pointbased

import "bayescpace/bcpace/internal/fsc"

// never stands for −∞ in a vector: its plan does not end from there, and pays without an end. A number that is finite leaves it a number
// where its probability is 0, and no belief is so small that another vector would not be higher.
const never = fsc.Never

// isNever reports whether a value rests on never.
func isNever(v float64) bool { return v < -1e200 }
