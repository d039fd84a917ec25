//go:build long

package runnertest

import "bayescpace/notebooks/internal/runner"

// profiles are what the long tests need set up: JupyterLab with completion, and nbgrader as well.
var profiles = []runner.Profile{runner.ProfileLab, runner.ProfileGrader}
