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
