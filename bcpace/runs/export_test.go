package runs

import (
	"bayescpace/bcpace/stop"
)

// KnownReason reports whether Verify knows a reason to stop.
func KnownReason(s stop.Reason) bool {
	_, ok := reasons[s]
	return ok
}
