//go:build !long

package runnertest

import "bayescpace/notebooks/internal/runner"

// profile is what the tests need set up.
const profile = runner.ProfileRun
