package bcpace

import "fmt"

// CertificateKind says how a Certificate was established.
type CertificateKind string

const (
	// ExactCertificate: Lower ≤ V^π ≤ V* ≤ Upper holds for the run's policy π, by
	// the proofs in package certified, rounding included.
	ExactCertificate CertificateKind = "exact"
	// StatisticalCertificate: Lower ≤ V^π holds with probability 1 − Delta over the
	// episodes simulated after the exploration, whatever the policy π. That assumes only that
	// rewards, or returns, stay within the range that the model states; rewards after Horizon
	// steps count as the least that they can be. UpperBy names what Upper rests on:
	//
	//   - ByProof: for Algorithm 1 on a Finite model the tighter informed bound; for package certified
	//     that of package proved, where it takes the model, whose own policy may then prove Lower too;
	//   - ByAssumption: for Algorithm 1 on another Enumerator dp.QMDPBound of the values on a grid plus
	//     their estimated error; for package certified the bound of Finite models on grids, plus that;
	//     where ctx has ended before, the grids so far or dp.QMDPBound of the latent values;
	//   - ByRange: for other models, and where the assumed bound was less than Lower, as Refuted says.
	//
	// If the simulation contradicts a proved Upper, Lower is the least return, by ByRange.
	StatisticalCertificate CertificateKind = "statistical"
	// PolicyInterval: Lower ≤ V^π ≤ Upper for the policy π of the run, by simulation, of which each
	// fails with probability Delta. V* may be more. Verify returns it for a statistical certificate.
	PolicyInterval CertificateKind = "policy interval"
	// NoCertificate: nothing was simulated, and the bounds are those of the range of rewards, unless
	// LowerBy or UpperBy says better; NotKnown for a model that broke its contract.
	NoCertificate CertificateKind = "none"
)

// Basis is the reason for a statement of a Certificate.
type Basis string

const (
	ByProof      Basis = "proved"       // from the lists of a Finite model, or the Smoothness that a model states, rounding included
	BySimulation Basis = "simulated"    // with probability 1 − Delta over simulated episodes
	ByAssumption Basis = "assumed"      // from Certificate.Assumes, which may be false
	ByRange      Basis = "reward range" // from the range of returns or rewards that the model states, alone
	NotKnown     Basis = "not known"    // nothing supports it
)

// Certificate bounds V*, the optimal value at the start, in reward units, or the optimum of a Solution's Objective; for kind PolicyInterval
// V^π, the value of the policy found: means over the start states, if there are several.
type Certificate struct {
	Lower, Upper float64
	Kind         CertificateKind

	// LowerBy and UpperBy are the reasons for Lower ≤ V* and V* ≤ Upper, and PolicyEarns for
	// V^π ≥ Lower, where π is the policy found; "" in files from before they existed.
	LowerBy, UpperBy, PolicyEarns Basis  `json:",omitempty"`
	Assumes                       string `json:",omitempty"` // of a bound ByAssumption, or Spec.Estimated

	// Refuted says which bounds were withdrawn, and why, with the numbers; "" if none were: an assumed upper bound that the
	// simulated lower one exceeds, or a bound of the search that the interval of what the policy earns excludes, so that
	// Run.Value and Run.Q mean nothing.
	Refuted string `json:",omitempty"`

	// For a statistical certificate: the probability δ that Lower is false, how many episodes were simulated, and of how many steps.
	Delta    float64 `json:",omitempty"`
	Episodes int     `json:",omitempty"`
	Horizon  int     `json:",omitempty"`
}

// Gap returns Upper − Lower.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Checked returns c, or a *ConformanceError if Lower > Upper, which no model brings about that
// conforms.
func (c Certificate) Checked(model string) (Certificate, error) {
	if c.Lower <= c.Upper {
		return c, nil
	}
	return Certificate{}, &ConformanceError{Model: model, What: fmt.Sprintf("its value would be at least %v (%s) and at most %v (%s), so that one of the two is false: does it keep to its RewardMin, RewardMax and ReturnRange, and list the same successors at every call?",
		c.Lower, c.LowerBy, c.Upper, c.UpperBy)}
}
