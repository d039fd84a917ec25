package bcpace

import "fmt"

// CertificateKind says how a Certificate was established.
type CertificateKind string

const (
	// ExactCertificate: Lower ≤ V^π ≤ V* ≤ Upper holds for the run's policy π, by
	// the proofs in package certified, rounding included.
	ExactCertificate CertificateKind = "exact"
	// StatisticalCertificate: Lower ≤ V^π holds with probability 1 − Delta over the
	// episodes simulated after the exploration, whatever the policy π of the run.
	// Lower assumes only that rewards, or returns, stay within the range that the model
	// states (RewardMin and RewardMax, or ReturnRange): no Lipschitz constant and no
	// grid. The rewards of an episode after Horizon steps count as the least that they
	// can be. Upper rests on something else, which UpperBy names:
	//
	//   - for Algorithm 1 on a Finite model it is the tighter informed bound: ByProof;
	//   - on another Enumerator it is dp.QMDPBound of the values on a grid plus their
	//     estimated error, dp.GridValues.Error: ByAssumption;
	//   - for package certified on a model that states its Smoothness it is that of
	//     package proved, where that takes the model: ByProof; LowerBy is ByProof too where package
	//     proved has a policy, not that of the run, that earns Lower at least;
	//   - for package certified on another Enumerator it is the bound of Finite models on
	//     grids, plus their estimated error: ByAssumption;
	//   - where ctx has ended before that, it is that of the grids so far, if they are three or
	//     more, or dp.QMDPBound of the latent values, if they and their error are known: ByProof or
	//     ByAssumption as above;
	//   - for other models, and if the assumed bound is less than Lower, it is the largest
	//     return: ByRange. In the second case Refuted says so.
	//
	// If a proved Upper is less than the lower bound of the simulation, the simulation
	// has failed. Then Lower is the least return, and LowerBy and PolicyEarns are
	// ByRange.
	StatisticalCertificate CertificateKind = "statistical"
	// PolicyInterval: Lower ≤ V^π ≤ Upper for the policy π of the run, by simulation. Each
	// of the two fails with probability Delta. Upper is no bound of V*, which may be more.
	// Only Verify returns such a certificate, for a run with a statistical one.
	PolicyInterval CertificateKind = "policy interval"
	// NoCertificate: nothing was simulated, and the bounds are those of the range of rewards,
	// unless LowerBy or UpperBy says that something better was known when time was up. They are
	// NotKnown for a model that broke its contract, which may be that of its rewards.
	NoCertificate CertificateKind = "none"
)

// Basis is the reason for a statement of a Certificate.
type Basis string

const (
	// ByProof: it follows from the lists of a Finite model, or from the Smoothness that a
	// model states, rounding included.
	ByProof Basis = "proved"
	// BySimulation: it holds with probability 1 − Delta over simulated episodes.
	BySimulation Basis = "simulated"
	// ByAssumption: it follows from the assumption in Certificate.Assumes, which may be
	// false.
	ByAssumption Basis = "assumed"
	// ByRange: it follows from the range of returns that the model states (ReturnRange
	// or its rewards) alone.
	ByRange Basis = "reward range"
	// NotKnown: nothing supports it.
	NotKnown Basis = "not known"
)

// Certificate bounds V*, the optimal value at the start, in reward units; that of kind
// PolicyInterval bounds V^π instead, the value of the policy found. If there are several
// start states, both are the mean over them.
type Certificate struct {
	Lower, Upper float64
	Kind         CertificateKind

	// LowerBy and UpperBy are the reasons for Lower ≤ V* and V* ≤ Upper, and
	// PolicyEarns is the reason for V^π ≥ Lower, where π is the policy found. They are
	// "" in the runs.Info of a file that was written before they existed.
	LowerBy, UpperBy, PolicyEarns Basis `json:",omitempty"`
	// Assumes is the assumption of a bound ByAssumption; "" without such a bound.
	Assumes string `json:",omitempty"`

	// Refuted says which bounds were withdrawn, and why, with the numbers: the upper bound
	// by an assumption that the simulated lower bound exceeds; and a bound of the search, so
	// that Run.Value and Run.Q mean nothing: the upper one, if the policy earns more, or the
	// lower one, if it earns less even by the other end of the simulated interval. "" if there
	// is none. A simulation is wrong with probability Delta at most, at either end.
	Refuted string `json:",omitempty"`

	// For a statistical certificate: the probability δ that Lower is false, the number
	// of simulated episodes, and the number of steps after which they were cut.
	Delta    float64 `json:",omitempty"`
	Episodes int     `json:",omitempty"`
	Horizon  int     `json:",omitempty"`
}

// Gap returns Upper − Lower.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Checked returns c if Lower ≤ Upper, and a *ConformanceError otherwise, as bounds only
// cross if the model does not conform to its description. Every certificate is checked
// when it is made, saved or read.
func (c Certificate) Checked(model string) (Certificate, error) {
	if c.Lower <= c.Upper {
		return c, nil
	}
	return Certificate{}, &ConformanceError{Model: model,
		What: fmt.Sprintf("its value would be at least %v (%s) and at most %v (%s), so that one of the two is false: does it keep to its RewardMin, RewardMax and ReturnRange, and list the same successors at every call?",
			c.Lower, c.LowerBy, c.Upper, c.UpperBy)}
}
