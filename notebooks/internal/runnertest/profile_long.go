//go:build long

package runnertest

import "bayescpace/notebooks/internal/runner"

// profile is what the long tests need set up: JupyterLab and nbgrader as well.
const profile = runner.ProfileGrader
