package dp

import "bayescpace/bcpace"

// UpperBound is an admissible upper bound of Q*: Upper(s, b, a) ≥ Q*(s, b, a)
// for every state, belief and action. Implementations are safe for concurrent
// use and do not allocate in Upper.
//
// From the loosest to the tightest, the bounds here are
//
//	ConstantBound(VMax) ≥ BestCaseBound ≥ QMDPBound ≥ FIBBound ≥ TIBBound.
type UpperBound interface {
	Upper(s []float64, b bcpace.Belief, action int) float64
}

var (
	_ UpperBound = ConstantBound(0)
	_ UpperBound = BestCaseBound{}
	_ UpperBound = QMDPBound{}
	_ UpperBound = (*FIBBound)(nil)
	_ UpperBound = (*TIBBound)(nil)
)

// ConstantBound is one value for all queries, such as Spec.VMax.
type ConstantBound float64

// Upper returns the constant.
func (c ConstantBound) Upper([]float64, bcpace.Belief, int) float64 { return float64(c) }

// BestCaseBound is the paper's Best-Case Upper Bound, max over φ with b(φ) > 0
// of Q(s,φ,a).
//
// It is at least QMDPBound, a maximum being at least any mean.
type BestCaseBound struct {
	Values bcpace.LatentValues
	// Slack is added: the error by which Values may be too low, such as
	// FiniteValues.Error. 0 takes Values as they are.
	Slack float64
}

// Upper returns max over φ with b(φ) > 0 of Q(s,φ,a), plus Slack.
func (u BestCaseBound) Upper(s []float64, b bcpace.Belief, action int) float64 {
	return BestCase(u.Values, s, b, action) + u.Slack
}

// QMDPBound is Σ_φ b(φ)·Q(s,φ,a): what an agent would earn that sees φ at every
// later step. Seeing more cannot hurt, so no policy earns more. In formulas,
// with w as in FIBBound and V(s,φ) = max over a of Q(s,φ,a), V*(s',w) ≤ Σ_φ' w(φ')V(s',φ')
// carries over from one step of value iteration to the next.
type QMDPBound struct {
	Values bcpace.LatentValues
	// Slack is added: the error by which Values may be too low, such as
	// FiniteValues.Error. 0 takes Values as they are.
	Slack float64
}

// Upper returns Σ_φ b(φ)·Q(s,φ,a), plus Slack.
func (u QMDPBound) Upper(s []float64, b bcpace.Belief, action int) float64 {
	return Expected(u.Values, s, b, action) + u.Slack
}

// BoxCone carries a bound of Q*(s,·,a) from one belief to another. It rests on one
// fact. For fixed s and a, Q*(s,b,a) = sup over π of Σ_φ b(φ)·α_φ,
// where π runs over all history-dependent policies that take a first and α_φ is
// what π earns from s under latent φ. π acts on what it sees, not on b, so the
// same α-vectors serve every belief. Each of them lies in the box
// lo ≤ α ≤ up, entry by entry, where lo = WorstBound.Vector(s,a) and
// up = FIBBound.Vector(s,a), or wider.
//
// It returns the most by which Q* at b1 can exceed Q* at b2:
//
//	Q*(s,b1,a) ≤ Q*(s,b2,a) + Σ_φ max(Δ_φ·up_φ, Δ_φ·lo_φ),  Δ = b1 − b2.
//
// Proof: Q*(s,b1,a) = sup over α of (b2·α + Δ·α) ≤ Q*(s,b2,a) + max over the box
// of Δ·α, and a linear function is maximal over a box entry by entry.
//
// It is the least that follows from the box, for the box may be all there is.
// Centring gains nothing further: replacing up and lo by up − c and lo − c takes
// c·Δ_φ from both terms of every maximum and c·ΣΔ = 0 from the sum. With
// c = ½(max up + min lo) each term is at most |Δ_φ|·½(max up − min lo), so
// BoxCone ≤ ½(max up − min lo)·‖b1 − b2‖₁: never looser than the L1 cone.
//
// It is computed from entries centred at lo_0, so that beliefs whose sums differ
// by rounding are not charged for the size of the values; it is that of the formula
// up to some latents × 10⁻¹⁶ of the largest entry.
func BoxCone(up, lo []float64, b1, b2 bcpace.Belief) float64 {
	sum, c := 0.0, lo[0]
	up, lo, b2 = up[:len(b1)], lo[:len(b1)], b2[:len(b1)]
	for i, p := range b1 {
		if d := p - b2[i]; d > 0 {
			sum += d * (up[i] - c)
		} else {
			sum += d * (lo[i] - c)
		}
	}
	return sum
}
