package pac

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// arg is an argument with its domain.
type arg struct {
	name  string
	value float64
	ok    bool
	want  string
}

// check returns an *bcpace.InputError for the first argument outside its domain.
func check(args ...arg) error {
	for _, a := range args {
		if !a.ok || math.IsInf(a.value, 0) || math.IsNaN(a.value) {
			return bcpace.In("PAC analysis").Bad(a.name, a.value, a.want)
		}
	}
	return nil
}

// within returns x, or 0 beside the error of check.
func within[T int | float64](x T, args ...arg) (T, error) {
	if err := check(args...); err != nil {
		return 0, err
	}
	return x, nil
}

func epsilonArg(x float64) arg { return arg{"epsilon", x, x > 0, "ε > 0, in reward units"} }
func deltaArg(x float64) arg   { return arg{"delta", x, x > 0 && x < 1, "δ in (0, 1)"} }
func gammaArg(x float64) arg   { return arg{"discount", x, x > 0 && x < 1, "γ in (0, 1)"} }
func qMaxArg(x float64) arg    { return arg{"qMax", x, x > 0, "Qmax > 0, in reward units"} }
func betaArg(x float64) arg    { return arg{"beta", x, x >= 0, "β of 0 or more, in reward units"} }
func coverArg(x float64) arg {
	return arg{"cover", x, x >= 1, "a covering number N of 1 or more"}
}
func kArg(x int) arg { return arg{"k", float64(x), x >= 1, "a number of neighbours, 1 or more"} }
func rMaxArg(rMax, epsilon float64) arg {
	return arg{"rMax", rMax, rMax > epsilon, fmt.Sprintf("Rmax > ε = %v, as log(Rmax/ε) steps are to be taken", epsilon)}
}

// Horizon returns T = log(Rmax/ε)/(1−γ), after which a policy's value is within
// ε/(1−γ) of its value without a horizon (supplement, after Lemma 2 of Kearns and
// Singh 2002). A rollout takes ⌈T⌉ steps. Domain: 0 < ε < Rmax, 0 < γ < 1.
func Horizon(epsilon, discount, rMax float64) (float64, error) {
	return within(math.Log(rMax/epsilon)/(1-discount), epsilonArg(epsilon), gammaArg(discount), rMaxArg(rMax, epsilon))
}

// EscapeThreshold returns ε/(Qmax(1−γ)): at a step whose escape probability P(E_K)
// is at most that, the policy is near-optimal (Corollary Bounded Escape Probability and
// Theorem 3.1). It exceeds 1, so that no step is above it, where ε > Qmax(1−γ).
func EscapeThreshold(epsilon, discount, qMax float64) (float64, error) {
	return within(epsilon/(qMax*(1-discount)), epsilonArg(epsilon), gammaArg(discount), qMaxArg(qMax))
}

// EscapeTrajectories returns (2Qmax(1−γ)/ε)·(kN + log(1/δ)): with probability 1−δ, after
// that many trajectories whose escape probability exceeds EscapeThreshold there were
// kN escapes, and no query is unknown any more (supplement, proof of Corollary Bounded
// Escape Probability, by Lemma 56 of Li 2009). kN bounds the samples by Lemma Full
// Coverage.
func EscapeTrajectories(epsilon, delta, discount, qMax float64, k int, cover float64) (float64, error) {
	return within(2*qMax*(1-discount)/epsilon*(float64(k)*cover+math.Log(1/delta)),
		epsilonArg(epsilon), deltaArg(delta), gammaArg(discount), qMaxArg(qMax), kArg(k), coverArg(cover))
}

// EscapeSteps returns (2Qmax/ε)·(kN + log(1/δ))·log(Rmax/ε): with probability 1−δ, at most
// that many steps have an escape probability above EscapeThreshold (Corollary Bounded
// Escape Probability). It is EscapeTrajectories times Horizon.
func EscapeSteps(epsilon, delta, qMax, rMax float64, k int, cover float64) (float64, error) {
	return within(steps(epsilon, delta, qMax, rMax, float64(k)*cover),
		epsilonArg(epsilon), deltaArg(delta), qMaxArg(qMax), kArg(k), coverArg(cover), rMaxArg(rMax, epsilon))
}

func steps(epsilon, delta, qMax, rMax, samples float64) float64 {
	return 2 * qMax / epsilon * (samples + math.Log(1/delta)) * math.Log(rMax/epsilon)
}

// KnownNeighbors returns the interval of k for which Corollary Near-optimality on Known
// Belief MDP holds with probability 1−δ: from Q̃max²/ε²·log(2N/δ), enough for Hoeffding's
// inequality, to 2N/δ. It is empty where low > high.
func KnownNeighbors(epsilon, delta, qTildeMax, cover float64) (low, high float64, err error) {
	if err := check(epsilonArg(epsilon), deltaArg(delta), arg{"qTildeMax", qTildeMax, qTildeMax > 0, "Q̃max > 0, in reward units"}, coverArg(cover)); err != nil {
		return 0, 0, err
	}
	high = 2 * cover / delta
	return qTildeMax * qTildeMax / (epsilon * epsilon) * math.Log(high), high, nil
}

// Neighbors returns the interval of k of the main theorem, KnownNeighbors for ½δ: from
// Q̃max²/ε²·log(4N/δ) to 4N/δ. It is empty where low > high.
func Neighbors(epsilon, delta, qTildeMax, cover float64) (low, high float64, err error) {
	if err := check(deltaArg(delta)); err != nil {
		return 0, 0, err
	}
	return KnownNeighbors(epsilon, delta/2, qTildeMax, cover)
}

// SampleComplexity returns m = (2Qmax/ε)·(kN + log(2/δ))·log(Rmax/ε): with probability
// 1−δ the policy is within Guarantee of the best at all but m steps, where k is in
// Neighbors (main theorem). Domain: 0 < ε < Rmax, 0 < δ < 1, Qmax > 0, k ≥ 1, N ≥ 1.
func SampleComplexity(epsilon, delta, qMax, rMax float64, k int, cover float64) (float64, error) {
	if err := check(deltaArg(delta)); err != nil {
		return 0, err
	}
	return EscapeSteps(epsilon, delta/2, qMax, rMax, k, cover)
}

// ReducedSampleComplexity is SampleComplexity with the covering number N′ ≥ 0 of the
// beliefs that Known Latent Initialization leaves to samples (Proposition Known Latent
// Initialization). N′ may be 0, and log(2/δ) remains.
func ReducedSampleComplexity(epsilon, delta, qMax, rMax float64, k int, reduced float64) (float64, error) {
	return within(steps(epsilon, delta/2, qMax, rMax, float64(k)*reduced),
		epsilonArg(epsilon), deltaArg(delta), qMaxArg(qMax), kArg(k), rMaxArg(rMax, epsilon),
		arg{"reduced", reduced, reduced >= 0, "a covering number N′ of 0 or more"})
}

// BatchSampleComplexity is n·m for batches of n rollouts with one policy (Proposition
// Batch Sample Update): of n rollouts the proof looks at the first alone.
func BatchSampleComplexity(m float64, batch int) (float64, error) {
	return within(m*float64(batch),
		arg{"m", m, m >= 0, "a number of steps"}, arg{"batch", float64(batch), batch >= 1, "a number of rollouts, 1 or more"})
}

// Guarantee returns (7ε + 2β)/(1−γ), by which the policy is at most below the best at all
// but m steps: 7ε/(1−γ) of the main theorem with β = 0, and Proposition Approximate
// Value Iteration with β ≥ 0.
func Guarantee(epsilon, discount, beta float64) (float64, error) {
	return within((7*epsilon+2*beta)/(1-discount), epsilonArg(epsilon), gammaArg(discount), betaArg(beta))
}

// KnownGuarantee returns (3ε + 2β)/(1−γ), by which the greedy policy is at most below the
// best on the known belief MDP (Corollary Near-optimality on Known Belief MDP).
func KnownGuarantee(epsilon, discount, beta float64) (float64, error) {
	return within((3*epsilon+2*beta)/(1-discount), epsilonArg(epsilon), gammaArg(discount), betaArg(beta))
}

// EpsilonFor returns the ε whose Guarantee with β = 0 is gap: gap·(1−γ)/7.
func EpsilonFor(gap, discount float64) (float64, error) {
	return within(gap*(1-discount)/7, arg{"gap", gap, gap > 0, "a distance from the best value above 0"}, gammaArg(discount))
}

// Sweeps returns ⌈log(β/Q̃max)/log γ⌉, the sweeps of value iteration after which Q̃ is
// within β of its fixed point (Proposition Approximate Value Iteration). Domain:
// 0 < β < Q̃max.
func Sweeps(beta, qTildeMax, discount float64) (int, error) {
	return within(int(math.Ceil(math.Log(beta/qTildeMax)/math.Log(discount))),
		arg{"qTildeMax", qTildeMax, qTildeMax > 0, "Q̃max > 0, in reward units"},
		arg{"beta", beta, beta > 0 && beta < qTildeMax, fmt.Sprintf("β in (0, Q̃max) = (0, %v)", qTildeMax)}, gammaArg(discount))
}

// Radius returns ε/L_Q̃ = ε/(2L_Q), the distance of the k-th neighbour within which a
// query is known (Definition Known Query).
func Radius(epsilon, lipQ float64) (float64, error) {
	return within(epsilon/(2*lipQ), epsilonArg(epsilon), lipArg(lipQ))
}

// SeedRadius returns ε/(L_Q(1+γ)), the distance from a one-hot belief within which Known
// Latent Initialization has the value.
func SeedRadius(epsilon, lipQ, discount float64) (float64, error) {
	return within(epsilon/(lipQ*(1+discount)), epsilonArg(epsilon), lipArg(lipQ), gammaArg(discount))
}

func lipArg(x float64) arg {
	return arg{"lipQ", x, x > 0, "L_Q > 0, in reward units per unit of distance"}
}

// Residuals are Q̃ − BQ̃ at the samples of a run whose query is known, B being the
// Bellman operator with the model's own expectation. Corollary Near-optimality on Known
// Belief MDP has them from −ε to 2ε with probability 1−δ, where k is large enough.
type Residuals struct {
	// Samples is the size of the sample set, Known how many of its queries are known.
	Samples, Known int
	// Values has the residual of each known one, and At the number of its sample.
	Values []float64
	At     []int
	// Min and Max are the ends of Values, NaN where there are none.
	Min, Max float64
	// Below and Above count those less than −ε and greater than 2ε.
	Below, Above int
}

// Bellman computes the residuals of a run of Bayes-CPACE. The model must be an
// Enumerator; where it is not Finite, its successors are a quadrature and the residuals
// as good as that. The error is an *bcpace.UnsupportedError, a *bcpace.ConformanceError
// of the model, or the context's.
func Bellman(ctx context.Context, r *runs.Run) (*Residuals, error) {
	m, ok := r.Model().(bcpace.Enumerator)
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: r.Spec.Name, Algorithm: "the Bellman residual", Need: "a list of successors (Enumerator)"}
	}
	if math.IsNaN(r.Radius()) {
		return nil, &bcpace.UnsupportedError{Model: r.Spec.Name, Algorithm: "the Bellman residual", Need: "a run of Bayes-CPACE, whose Q̃ it is about"}
	}
	x := &Residuals{Samples: r.Samples.Len(), Min: math.NaN(), Max: math.NaN()}
	lister := bcpace.NewLister(m)
	value := func(s []float64, b bcpace.Belief) float64 {
		v, _ := r.At(s, b)
		return v
	}
	for i := range r.Samples.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := r.Samples.At(i)
		q, known := r.Q(c.State, c.Belief, c.Action)
		if !known {
			continue
		}
		x.Known++
		if err := lister.List(c.State, c.Action); err != nil {
			return nil, err
		}
		v := q - lister.Backup(c.Belief, value)
		x.Values, x.At = append(x.Values, v), append(x.At, i)
		if x.Known == 1 {
			x.Min, x.Max = v, v
		}
		x.Min, x.Max = min(x.Min, v), max(x.Max, v)
		if v < -r.Epsilon() {
			x.Below++
		}
		if v > 2*r.Epsilon() {
			x.Above++
		}
	}
	return x, nil
}
