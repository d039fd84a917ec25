//go:build !long

package runnertest

import "bayescpace/notebooks/internal/runner"

// profiles are what the tests need set up.
var profiles = []runner.Profile{runner.ProfileRun}
