package nb

import (
	"cmp"
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
)

// Compare solves m with each solver, as Solve does, and plays their policies on the same
// episodes: episode i has the same latent and the same random numbers for each of them.
// Show makes a table of the scores, and viz.ScoreIntervals the rows of a figure.
//
//	play := eval.Options{Episodes: 10_000, Horizon: 100}
//	nb.Show(nb.Compare(tiger, play, qmdp.Solver{}, certified.Solver{Epsilon: 1e-3}))
//
// The scores have bounds of the optimal value where a solver claims some, and where the
// episodes are of the problem that it has solved: from the model's start, over all of the
// model's horizon, with its discount.
//
// Named gives a solver another name, and AsSolver makes one of a policy.
//
// An interrupt ends the episodes of the policy that is being played and leaves out the
// solvers after it, and the cell says so. An error ends the cell with one line.
func Compare(m bcpace.Model, o eval.Options, solvers ...bcpace.Solver) []eval.Score {
	return interruptible(func(ctx context.Context, out *output) ([]eval.Score, error) { return compare(ctx, out, m, o, solvers) })
}

func compare(ctx context.Context, out *output, m bcpace.Model, o eval.Options, solvers []bcpace.Solver) ([]eval.Score, error) {
	var scores []eval.Score
	for i, s := range solvers {
		if ctx.Err() != nil {
			out.show(message{plain: fmt.Sprintf("interrupted: %d of %d solvers are left out", len(solvers)-i, len(solvers))})
			break
		}
		found, err := solve(ctx, out, m, s)
		if err != nil {
			return nil, err
		}
		r, err := rollouts(ctx, out, m, found.Policy, o)
		if err != nil {
			return nil, err
		}
		score := eval.Score{Name: s.Name(), Policy: found.Policy, Result: r, Objective: found.Objective}
		if solves(m.Spec(), o) {
			score.Certificate = found.Certificate
		}
		scores = append(scores, score)
	}
	return scores, nil
}

// solves says that episodes with o are of the problem that a solver solves: they are of
// its model, begin where the model's do, count rewards as it does and, if it has a horizon, end there.
// Without one, the bounds are those of episodes that nothing cuts, as Scores says.
func solves(spec bcpace.Spec, o eval.Options) bool {
	return o.World == nil && o.Belief == nil && (!o.Undiscounted || spec.Discount == 1) && (spec.Horizon == 0 || o.Horizon == 0 || o.Horizon == spec.Horizon)
}

// Scores is the table of a comparison, as Show has it, for further rows: each policy's
// mean return with its 95 % interval and, where a solver claims bounds of the optimal
// value, these beside it, rounded outward. If an interval is not by Student's t, a last column
// says what it rests on. If a solver has another bcpace.Objective than the largest mean return, further columns say what its
// bounds are of, and what its policy scores there. A model without a horizon has the bounds of episodes for ever,
// whatever the number of steps played.
func Scores(scores []eval.Score) Table {
	t := Table{Header: []string{"policy", "mean return", "95% from", "to"}}
	claims, kinds, asked, optimum := false, false, false, "optimum"
	for _, s := range scores {
		asked = asked || s.Objective != (bcpace.Objective{})
		kinds = kinds || s.CI95By.Remark() != ""
		claims = claims || claimed(s.Certificate.LowerBy) || claimed(s.Certificate.UpperBy)
		if s.Truncation > 0 {
			optimum = "optimum over unlimited steps"
		}
	}
	if asked {
		t.Header = append(t.Header, "asked for", "scores")
	}
	if claims {
		t.Header = append(t.Header, optimum+" at least", "", "at most", "")
	}
	if kinds {
		t.Header = append(t.Header, "interval")
	}
	for _, s := range scores {
		row := []any{s.Name, s.Mean, s.CI95[0], s.CI95[1]}
		if asked {
			x, _ := s.At(s.Objective) // zero where no episode was played
			row = append(row, cmp.Or(s.Objective.Bounds, "the mean return"), x.Text(2))
		}
		if claims {
			row = append(row, bound(atLeast(s.Certificate.Lower), s.Certificate.LowerBy)...)
			row = append(row, bound(atMost(s.Certificate.Upper), s.Certificate.UpperBy)...)
		}
		if kinds {
			row = append(row, s.CI95By.Remark())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// claimed says that a bound rests on more than the range of rewards.
func claimed(b bcpace.Basis) bool { return b != "" && b != bcpace.ByRange && b != bcpace.NotKnown }

// bound is a bound with what it rests on, or nothing where nobody claims it.
func bound(x any, by bcpace.Basis) []any {
	if !claimed(by) {
		return []any{nil, nil}
	}
	return []any{x, string(by)}
}
