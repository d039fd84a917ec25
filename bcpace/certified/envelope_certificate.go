package certified

import "bayescpace/bcpace"

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
func (e *envelope) certificate(lower, upper float64) (bcpace.Certificate, error) {
	down, up := e.margins()
	return bcpace.Certificate{Lower: lower - down, Upper: upper + up, Kind: bcpace.ExactCertificate,
		LowerBy: bcpace.ByProof, UpperBy: bcpace.ByProof, PolicyEarns: bcpace.ByProof}.Checked(e.spec.Name)
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
