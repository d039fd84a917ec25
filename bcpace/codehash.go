package bcpace

import "embed"

// Sources are the Go files of the core, under which results on disk are filed.
//
//go:embed *.go alpha/*.go certified/*.go constrained/*.go cpace/*.go dp/*.go eval/*.go fingerprint/*.go hidden/*.go runs/*.go internal/columns/*.go internal/controller/*.go internal/ends/*.go internal/grid/*.go internal/kept/*.go internal/knn/*.go internal/mdp/*.go internal/normal/*.go internal/num/*.go internal/rollout/*.go internal/side/*.go internal/sparse/*.go internal/stat/*.go metric/*.go proved/*.go risk/*.go robust/*.go solverkit/*.go stop/*.go
var Sources embed.FS
