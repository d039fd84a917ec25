package bcpace

import "fmt"

// CertificateKind says what stands behind a Certificate.
type CertificateKind string

const (
	// ExactCertificate: Lower ≤ V^π ≤ V* ≤ Upper holds for the run's policy π, by
	// the proofs in package certified, rounding included.
	ExactCertificate CertificateKind = "exact"
	// StatisticalCertificate: Lower ≤ V^π holds with probability 1 − Delta over the
	// episodes simulated after the exploration, whatever the policy π of the run
	// and however it came about. It takes from the model that its rewards, or its
	// ReturnRange, keep to their range, and nothing else: no Lipschitz constant and
	// no grid. What an episode earns after Horizon steps counts as the least that
	// it can be. Upper rests on something else, which UpperBy names:
	//
	//   - for Algorithm 1 on a Finite model it is the fast informed bound: ByProof;
	//   - on another Enumerator it is QMDPBound of the values on a grid plus their
	//     estimated error, GridValues.Error: ByAssumption;
	//   - for package certified on such a model it is that of Finite models on grids,
	//     plus their estimated error: ByAssumption;
	//   - for other models, and where an assumed one has turned out to be less than
	//     Lower or time was up, it is the end of the range of returns: ByRange.
	//
	// Where a proved Upper is less than what the simulation supports, the simulation
	// has failed, and Lower is the other end of that range: LowerBy and PolicyEarns
	// are ByRange.
	StatisticalCertificate CertificateKind = "statistical"
	// NoCertificate: the bounds are those of the range of rewards.
	NoCertificate CertificateKind = "none"
)

// Basis says what a statement of a Certificate rests on.
type Basis string

const (
	// ByProof: it follows from the lists of a Finite model, rounding included.
	ByProof Basis = "proved"
	// BySimulation: it holds with probability 1 − Delta over simulated episodes.
	BySimulation Basis = "simulated"
	// ByAssumption: it follows from what Certificate.Assumes names, which has been
	// estimated and may be false.
	ByAssumption Basis = "assumed"
	// ByRange: it is the end of the range of returns that the model states
	// (ReturnRange or its rewards), and says nothing else.
	ByRange Basis = "reward range"
	// NotKnown: nothing supports it.
	NotKnown Basis = "not known"
)

// Certificate bounds V*, the optimal value at the start, in reward units; the
// mean over start states where there are several.
type Certificate struct {
	Lower, Upper float64
	Kind         CertificateKind

	// LowerBy and UpperBy say what Lower ≤ V* and V* ≤ Upper rest on. PolicyEarns
	// says what V^π ≥ Lower rests on, for the policy π that the certificate comes
	// with. They are "" in RunInfo of a file that is older than they are.
	LowerBy, UpperBy, PolicyEarns Basis `json:",omitempty"`
	// Assumes names what a bound ByAssumption takes for true; "" without one.
	Assumes string `json:",omitempty"`

	// Of a statistical certificate: the probability δ that Lower fails, the number
	// of episodes simulated, and the number of steps after which they were cut.
	Delta    float64 `json:",omitempty"`
	Episodes int     `json:",omitempty"`
	Horizon  int     `json:",omitempty"`
}

// Gap returns Upper − Lower.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Checked returns c if a value lies within its bounds: no certificate is made, saved
// or read without. Otherwise the error is a *ConformanceError, as proofs and
// simulations are right of every model that keeps to its description.
func (c Certificate) Checked(model string) (Certificate, error) {
	if c.Lower <= c.Upper {
		return c, nil
	}
	return Certificate{}, &ConformanceError{Model: model,
		What: fmt.Sprintf("its value would be at least %v (%s) and at most %v (%s), so that one of the two is false: does it keep to its RewardMin, RewardMax and ReturnRange, and list the same successors at every call?",
			c.Lower, c.LowerBy, c.Upper, c.UpperBy)}
}

// RangeCertificate returns the certificate that says nothing: its bounds are those of
// the range of rewards.
func RangeCertificate(spec Spec) Certificate {
	return Certificate{Lower: spec.VMin(), Upper: spec.VMax(), Kind: NoCertificate,
		LowerBy: ByRange, UpperBy: ByRange, PolicyEarns: ByRange}
}

// AssumesSlope is what upper bounds of certified runs on continuous states took for true
// in files that are older than the bound from grids.
const AssumesSlope = "the model's list of successors and the grid of latent values are exact, and the Lipschitz constant L_S holds"
