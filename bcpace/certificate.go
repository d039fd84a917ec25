package bcpace

// CertificateKind says what stands behind a Certificate.
type CertificateKind string

const (
	// ExactCertificate: Lower ≤ V^π ≤ V* ≤ Upper holds for the run's policy π, by
	// the proofs at type envelope, rounding included.
	ExactCertificate CertificateKind = "exact"
	// NoCertificate: the bounds are those of the range of rewards.
	NoCertificate CertificateKind = "none"
)

// Certificate bounds V*, the optimal value at the start, in reward units; the
// mean over start states where there are several.
type Certificate struct {
	Lower, Upper float64
	Kind         CertificateKind
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
	entries := e.latents
	for r := range len(e.row) - 1 {
		entries = max(entries, (e.row[r+1]-e.row[r])*e.latents)
	}
	scale := max(vMax, -vMin)
	rounding := float64(entries+3) * 0x1p-52 * scale / (1 - e.discount)
	merging := e.discount / (1 - e.discount) * (vMax - vMin) / 2 * e.merged
	return Certificate{Lower: lower - rounding, Upper: upper + rounding + merging, Kind: ExactCertificate}
}
