package bcpace

// StopReason says why an exploration ended.
type StopReason string

const (
	StopCertified StopReason = "certified" // the bounds of Certificate are within ε, and those at cpace.Solver.Starts
	StopRounding  StopReason = "rounding"  // the bounds no longer move, short of ε
	// StopSearched: the bounds of the search are within ε, if L_S holds, and those of
	// Certificate, which do not rest on L_S, are not. More of cpace.Solver.CertificateEpisodes or a
	// smaller ε bring them closer.
	StopSearched StopReason = "search closed, certificate not"
	// StopRefuted: the bounds of the search came within ε, and contradict each other, the
	// certificate, or what the policy earns in simulated episodes. So L_S does not hold, or
	// the grid of latent values is too coarse; Certificate.Refuted says which bound is false: the
	// upper one, below what the policy earns, or the lower one, above it. Finer grids were tried,
	// as far as there was time and certified.Solver.Grid has room.
	StopRefuted StopReason = "bracket refuted"
	// StopFault: the model broke its contract, as the error says that came with the run.
	StopFault StopReason = "fault of the model"
	// StopConverged: no new sample for cpace.Solver.Patience episodes; of a solver without samples,
	// nothing that it computes changes any more.
	StopConverged StopReason = "converged"
	StopEpisodes  StopReason = "episode budget" // cpace.Solver.MaxEpisodes
	StopSamples   StopReason = "sample budget"  // cpace.Solver.MaxSamples
	StopSteps     StopReason = "step budget"    // policysearch.Solver.MaxSteps
	// StopInterrupted and StopDeadline: the context was cancelled, or its deadline passed,
	// while the run explored or while its policy was simulated for the certificate.
	StopInterrupted StopReason = "interrupted"
	StopDeadline    StopReason = "out of time"
)

// ByItself reports whether the exploration ended by itself, by neither a limit nor the
// context. Then there is nothing to resume.
func (s StopReason) ByItself() bool {
	switch s {
	case StopCertified, StopRounding, StopSearched, StopRefuted, StopFault, StopConverged:
		return true
	}
	return false
}
