package bcpace

import "fmt"

// CertificateKind says what stands behind a Certificate.
type CertificateKind string

const (
	// ExactCertificate: Lower ≤ V^π ≤ V* ≤ Upper holds for the run's policy π, by
	// the proofs at type envelope, rounding included.
	ExactCertificate CertificateKind = "exact"
	// StatisticalCertificate: Lower ≤ V^π holds with probability 1 − Delta over the
	// episodes simulated after the exploration, whatever the policy π of the run
	// and however it came about. It takes from the model that its rewards, or its
	// ReturnRange, keep to their range, and nothing else: no Lipschitz constant and
	// no grid. What an episode earns after Horizon steps counts as the least that
	// it can be. Upper rests on something else, which UpperBy names:
	//
	//   - for BayesCPACE on a Finite model it is the fast informed bound: ByProof;
	//   - on another Enumerator it is QMDPBound of the values on a grid plus their
	//     estimated error, GridValues.Error: ByAssumption;
	//   - for Certified on such a model it is that of Finite models on grids, plus
	//     their estimated error (Run.gridUpper): ByAssumption;
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

// checked returns c if a value lies within its bounds: no certificate is made, saved
// or read without. Otherwise the error is a *ConformanceError, as proofs and
// simulations are right of every model that keeps to its description.
func (c Certificate) checked(model string) (Certificate, error) {
	if c.Lower <= c.Upper {
		return c, nil
	}
	return Certificate{}, &ConformanceError{Model: model,
		What: fmt.Sprintf("its value would be at least %v (%s) and at most %v (%s), so that one of the two is false: does it keep to its RewardMin, RewardMax and ReturnRange, and list the same successors at every call?",
			c.Lower, c.LowerBy, c.Upper, c.UpperBy)}
}

func noCertificate(spec Spec) Certificate {
	return Certificate{Lower: spec.VMin(), Upper: spec.VMax(), Kind: NoCertificate,
		LowerBy: ByRange, UpperBy: ByRange, PolicyEarns: ByRange}
}

// founded returns c with what it rests on, which follows from its kind and its
// bounds, the model and the algorithm.
func (r *Run) founded(c Certificate) Certificate {
	assumed, lower := c.Assumes, c.LowerBy
	c.LowerBy, c.UpperBy, c.PolicyEarns, c.Assumes = ByRange, ByRange, ByRange, ""
	switch c.Kind {
	case ExactCertificate:
		c.LowerBy, c.UpperBy, c.PolicyEarns = ByProof, ByProof, ByProof
	case StatisticalCertificate:
		low, top := returnRange(r.model, r.Spec)
		if c.Lower != low || lower != ByRange { // a simulation may tell as little
			c.LowerBy, c.PolicyEarns = BySimulation, BySimulation
		}
		if c.Upper >= top {
			break
		}
		c.UpperBy = ByProof
		if _, finite := AsFinite(r.model); !finite {
			if c.UpperBy, c.Assumes = ByAssumption, r.assumes(); assumed == assumesSlope {
				c.Assumes = assumed
			}
		}
	}
	return c
}

// assumesSlope is what upper bounds of Certified took for true in files that are
// older than Run.gridUpper.
const assumesSlope = "the model's list of successors and the grid of latent values are exact, and the Lipschitz constant L_S holds"

// assumes names what the upper bound of a simulated run takes for true where the
// states are not numbered.
func (r *Run) assumes() string {
	if r.Options.Algorithm == Certified {
		return "the model's list of successors is exact, and dynamic programming on a grid errs no more than coarser grids suggest"
	}
	return "the model's list of successors is exact, and latent values on a grid err no more than a coarser grid suggests"
}

// certificate makes the certificate of computed bounds by moving both to the
// safe side:
//
//   - A belief within δ of a node's has the node stand for it. V* moves by at
//     most ½(Vmax − Vmin)·δ between them, γ times that in each upper backup, and
//     γ/(1−γ) times in the fixed point. The lower bound is linear in the belief
//     and takes no harm.
//   - A backup of rows of k entries rounds by at most (k+3)·2⁻⁵²·Vscale, with
//     Vscale the largest magnitude of a value, and 1/(1−γ) times that in the
//     fixed point.
func (e *envelope) certificate(lower, upper float64) (Certificate, error) {
	down, up := e.margins()
	return Certificate{Lower: lower - down, Upper: upper + up, Kind: ExactCertificate,
		LowerBy: ByProof, UpperBy: ByProof, PolicyEarns: ByProof}.checked(e.spec.Name)
}

// margins returns how far certificate moves the bounds.
func (e *envelope) margins() (down, up float64) {
	rounding := e.rounding() / e.Rate
	merging := e.Discount / e.Rate * (e.spec.VMax() - e.spec.VMin()) / 2 * (e.merged + e.strays)
	return rounding, rounding + merging
}

// rounding returns the most by which a backup rounds.
func (e *envelope) rounding() float64 {
	entries := max(e.Longest(), 1) * e.Latents
	return float64(entries+3) * 0x1p-52 * max(e.spec.VMax(), -e.spec.VMin())
}
