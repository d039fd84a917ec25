package lipschitz

import (
	"fmt"
	"strings"

	"bayescpace/bcpace"
)

// Witness is a pair of queries at which a function changes most for their
// distance, with all its numbers, so that anyone can compute them again. What
// does not belong to the function is nil, or -1 for Action and Latent.
type Witness struct {
	// What is compared, such as "|R1−R2|".
	What string
	// S1, S2 and B1, B2 are the states and beliefs of the two queries. Where the
	// states are the same, S2 is nil.
	S1, S2 []float64
	B1, B2 bcpace.Belief
	// Action and Latent are those of both queries. Where the action has a Box, it is the id
	// with the control of the first one, and U2 the control of the second one, nil where it is
	// the same.
	Action, Latent int
	U2             []float64
	// Next is s' of a belief update, and After1, After2 the updated beliefs.
	Next           []float64
	After1, After2 bcpace.Belief

	// Distance is that of the queries, Difference that of the function's values,
	// and Ratio the latter by the former: +Inf where the queries are at distance 0
	// and their values differ.
	Distance, Difference, Ratio float64
}

// Describe returns the witness as one line, with the names of a model's parts.
func (w Witness) Describe(spec bcpace.Spec) string {
	if w.What == "" {
		return "none: the function is constant"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %.4g at distance %.4g (ratio %.4g): ", w.What, w.Difference, w.Distance, w.Ratio)
	pair := func(name string, x, y []float64) {
		switch {
		case x == nil:
		case y == nil:
			fmt.Fprintf(&b, "%s %.4g, ", name, x)
		default:
			fmt.Fprintf(&b, "%s %.4g and %.4g, ", name, x, y)
		}
	}
	pair("state", w.S1, w.S2)
	pair("belief", w.B1, w.B2)
	if w.Action >= 0 {
		fmt.Fprintf(&b, "action %q, ", spec.ActionName(w.Action))
		pair("other control", w.U2, nil)
	}
	if w.Latent >= 0 {
		fmt.Fprintf(&b, "latent %q, ", spec.Latents[w.Latent])
	}
	pair("next state", w.Next, nil)
	pair("beliefs after it", w.After1, w.After2)
	return strings.TrimSuffix(b.String(), ", ")
}
