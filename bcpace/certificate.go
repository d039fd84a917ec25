package bcpace

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
	// it can be. Upper stands on other ground:
	//
	//   - for BayesCPACE on a Finite model it is the fast informed bound, by proof;
	//   - on another Enumerator it is QMDPBound of the values on a grid plus their
	//     estimated error, GridValues.Error;
	//   - for Certified on such a model it is the upper bound of the exploration,
	//     which takes the model's quadrature for the model, values on a grid for
	//     those of the latent MDPs, and Options.LipState for true;
	//   - for other models, and where one of these has turned out to be less than
	//     Lower or time was up, it is the end of the range of returns.
	StatisticalCertificate CertificateKind = "statistical"
	// NoCertificate: the bounds are those of the range of rewards.
	NoCertificate CertificateKind = "none"
)

// Certificate bounds V*, the optimal value at the start, in reward units; the
// mean over start states where there are several.
type Certificate struct {
	Lower, Upper float64
	Kind         CertificateKind

	// Of a statistical certificate: the probability δ that Lower fails, the number
	// of episodes simulated, and the number of steps after which they were cut.
	Delta    float64 `json:",omitempty"`
	Episodes int     `json:",omitempty"`
	Horizon  int     `json:",omitempty"`
}

// Gap returns Upper − Lower.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

func noCertificate(spec Spec) Certificate {
	return Certificate{Lower: spec.VMin(), Upper: spec.VMax(), Kind: NoCertificate}
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
func (e *envelope) certificate(lower, upper float64) Certificate {
	vMin, vMax := e.spec.VMin(), e.spec.VMax()
	entries := max(e.longest, 1) * e.latents
	scale := max(vMax, -vMin)
	rounding := float64(entries+3) * 0x1p-52 * scale / (1 - e.discount)
	merging := e.discount / (1 - e.discount) * (vMax - vMin) / 2 * e.merged
	return Certificate{Lower: lower - rounding, Upper: upper + rounding + merging, Kind: ExactCertificate}
}
