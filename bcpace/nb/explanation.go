package nb

import (
	"fmt"

	"bayescpace/bcpace/cpace"
)

// explanationTable shows how an estimate comes about: a row for each neighbour, the nearest
// first, then one for those that are missing and one for the mean.
func explanationTable(x *cpace.Explanation) Table {
	known := "not known"
	if x.Known {
		known = "known"
	}
	t := Table{Title: fmt.Sprintf("Q̃ of %s, %s", x.Spec.ActionName(x.Action), known)}
	if x.Latent >= 0 {
		t.Title += fmt.Sprintf(": the belief is near the one-hot belief of %s, whose latent MDP has this value", x.Spec.Latents[x.Latent])
		t.Rows = [][]any{{"Q̃", x.Q}}
		return t
	}
	t.Header = []string{"sample", "α·d(s, s_j)", "‖b − b_j‖₁", "distance d_j", "value Q̃_j", "bonus L_Q̃·d_j", "counts", "clipped"}
	for _, n := range x.Neighbours {
		t.Rows = append(t.Rows, []any{n.Sample, n.StateDistance, n.BeliefDistance, n.Distance, n.Value, n.Bonus, n.Term, n.Clipped})
	}
	if x.Missing > 0 {
		t.Rows = append(t.Rows, []any{Count(x.Missing) + " missing", nil, nil, nil, nil, nil, x.Upper, nil})
	}
	t.Rows = append(t.Rows, []any{fmt.Sprintf("mean of k = %s", Count(x.K)), nil, nil, nil, nil, nil, x.Q, nil})
	return t
}
