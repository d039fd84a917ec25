package nb

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
)

// Optimum returns the exact value of the best policy of m at its start, in reward
// units: over the given number of steps, at most the model's own horizon, or 0 for that
// or, without one, for no end. It is eval.Optimal, which also gives the value of each action, and
// from another state or belief. An error, such as a model that is not finite, ends the
// cell with one line.
func Optimum(m bcpace.Model, horizon int) float64 {
	return Must(eval.Optimal(Context(), m, eval.ExactOptions{Horizon: horizon})).Value
}

// Value returns the exact value of policy p of m at its start, in reward units, over a
// number of steps as Optimum has it. It is eval.Evaluate. An error, such as a model that
// is not finite or a policy that reaches too many beliefs, ends the cell with one line.
func Value(m bcpace.Model, p bcpace.Policy, horizon int) float64 {
	return Must(eval.Evaluate(Context(), m, p, eval.ExactOptions{Horizon: horizon})).Value
}

// QMDP returns the policy of m that acts as if the latent were known after the next
// step, bcpace.QMDPPolicy: greedily on the values of the latent MDPs. An error, such as a model that does not list its
// successors, ends the cell with one line.
func QMDP(m bcpace.Model) bcpace.Policy {
	return Must(bcpace.QMDPPolicy(Context(), m))
}

// Oracle plays episodes with the policy that is told the latent at every step,
// eval.Oracle, and returns a row for the table of Compare: no policy that has to learn
// earns more. The score has no Policy, as a bcpace.Policy sees no latent. An error, such as
// a model that does not list its successors, ends the cell with one line.
//
//	nb.Show(append(nb.Compare(tiger, play, qmdp.Solver{}), nb.Oracle(tiger, play)))
func Oracle(m bcpace.Model, o eval.Options) eval.Score {
	return eval.Score{Name: "informed", Result: Must(eval.Oracle(Context(), m, nil, o))}
}
