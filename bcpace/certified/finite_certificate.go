package certified

import "bayescpace/bcpace"

// certificate turns computed bounds into a certificate. It widens both by the errors of
// the computation:
//
//   - A node stands for beliefs at a distance of up to δ from its own. V* differs by at
//     most ½(Vmax − Vmin)·δ between them, which costs an upper backup γ times that, and
//     the fixed point γ/(1−γ) times that. The lower bound costs nothing, as α-vectors
//     are valid at every belief.
//   - A backup of rows of k entries rounds by at most (k+3)·2⁻⁵²·Vscale, with
//     Vscale the largest magnitude of a value, and the fixed point by 1/(1−γ) times
//     that.
func (e *finiteBounds) certificate(lower, upper float64) (bcpace.Certificate, error) {
	down, up := e.margins()
	return bcpace.Certificate{Lower: lower - down, Upper: upper + up, Kind: bcpace.ExactCertificate,
		LowerBy: bcpace.ByProof, UpperBy: bcpace.ByProof, PolicyEarns: bcpace.ByProof}.Checked(e.spec.Name)
}

// margins returns by how much certificate lowers the lower and raises the upper bound.
func (e *finiteBounds) margins() (down, up float64) {
	rounding := e.rounding() / e.Rate
	merging := e.Discount / e.Rate * (e.spec.VMax() - e.spec.VMin()) / 2 * (e.mergeDistance + e.displacement)
	return rounding, rounding + merging
}

// rounding returns the largest rounding error of a backup.
func (e *finiteBounds) rounding() float64 {
	entries := max(e.Longest(), 1) * e.Latents
	return float64(entries+3) * 0x1p-52 * max(e.spec.VMax(), -e.spec.VMin())
}
