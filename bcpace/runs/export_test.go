package runs

import "bayescpace/bcpace"

// KnownReason reports whether Verify knows a reason to stop.
func KnownReason(s bcpace.StopReason) bool {
	_, ok := reasons[s]
	return ok
}
