package runs

import (
	"slices"

	"bayescpace/bcpace/stop"
)

// KnownReason reports whether Verify knows a reason to stop.
func KnownReason(s stop.Reason) bool {
	return slices.ContainsFunc((&Run{Samples: new(Samples)}).stopRules(), func(x stopRule) bool { return slices.Contains(x.of, s) })
}
