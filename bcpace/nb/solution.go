package nb

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// runTable sums a run up: what was explored, with which options, what came out. The certificate
// is that of the run, or one that is better.
func runTable(r *runs.Run, c bcpace.Certificate) Table {
	heading, details := r.Solver.Describe(r)
	t := Table{Title: heading + " " + modelName(r.Spec)}
	row := func(name string, value any) { t.Rows = append(t.Rows, []any{name, value}) }
	n := 0
	if r.Samples != nil {
		n = r.Samples.Len()
	}
	switch c.Kind {
	case bcpace.ExactCertificate:
		t.Rows = append(t.Rows, exactBounds(c)...)
	default:
		switch {
		case r.Stop == stop.Refuted:
		case r.Brackets():
			row("upper bound of the search, if L_S holds", text(atMost(r.Value)))
		default:
			row("value at the start (estimate)", text(r.Value))
		}
		if c.Kind == bcpace.StatisticalCertificate {
			row(fmt.Sprintf("the policy is worth at least (%.4g%% sure)", 100*(1-c.Delta)), text(atLeast(c.Lower)))
			if r.Brackets() {
				row(fmt.Sprintf("no policy is worth more (%s)", c.UpperBy), text(atMost(c.Upper)))
			}
			if c.Assumes != "" && (r.Brackets() || r.Spec.Estimated != "") {
				row("assumed", Sentence(c.Assumes))
			}
			if r.Brackets() && r.Parts != (runs.GapParts{}) {
				row("why the bounds differ", Sentence(r.Parts.String()))
			}
		}
	}
	if c.Refuted != "" {
		row("refuted", Sentence(c.Refuted))
	}
	if c := r.Choice; c != nil {
		row("policy", c.Name())
		if c.Tried[c.Chosen].Episodes > 0 {
			row("earned by each, simulated", Sentence(earned(c)))
		}
	}
	row("stop", string(r.Stop))
	row("samples", text(n))
	row("episodes", text(len(r.Trace)))
	row("steps", text(r.Steps))
	row("ε", text(r.Epsilon()))
	for _, d := range details {
		row(d.Name, text(d.Value))
	}
	for _, w := range r.Warnings() {
		row("warning", Sentence(w.What))
		row("what would help", Sentence(w.Do))
	}
	return t
}

// earned says what the policies of a choice have earned, the best first.
func earned(c *runs.Choice) string {
	tried := slices.Clone(c.Tried)
	slices.SortStableFunc(tried, func(a, b runs.TriedPolicy) int { return cmp.Compare(b.Mean, a.Mean) })
	var all []string
	for _, x := range tried[:min(len(tried), 4)] {
		all = append(all, x.Name+" "+eval.Interval{Mean: x.Mean, Lo: x.Mean - 2*x.StdErr, Hi: x.Mean + 2*x.StdErr}.Text(2))
	}
	if n := len(tried) - len(all); n > 0 {
		all = append(all, "the others less")
	}
	return strings.Join(all, ", ")
}

// exactBounds are rows of a table, with six digits.
func exactBounds(c bcpace.Certificate) [][]any {
	lower := "lower bound of the best policy"
	if c.PolicyEarns == bcpace.ByProof {
		lower = "lower bound, attained by the policy"
	}
	const digits = 6
	return [][]any{{lower, fmt.Sprintf("%.6g", numtext.Down(c.Lower, numtext.Digits(c.Lower, digits)))},
		{"upper bound of every policy", fmt.Sprintf("%.6g", numtext.Up(c.Upper, numtext.Digits(c.Upper, digits)))}}
}

// boundText writes a number, or a bound rounded outward.
func boundText(v float64, bound int) string { return text([]any{atLeast(v), v, atMost(v)}[bound+1]) }

// solutionTable sums a solution up: that of its run, or as much of it as other solvers
// have.
func solutionTable(s *bcpace.Solution) Table {
	if r := runs.Of(s); r != nil {
		return runTable(r, s.Certificate)
	}
	t := Table{Title: s.Solver.Name() + " on " + modelName(s.Spec)}
	row := func(name string, value any) { t.Rows = append(t.Rows, []any{name, value}) }
	c := s.Certificate
	if s.Objective != (bcpace.Objective{}) {
		row("bounds of", Sentence(s.Objective.Bounds))
		row("bounds", fmt.Sprintf("%s (%s) to %s (%s)", text(atLeast(c.Lower)), c.LowerBy, text(atMost(c.Upper)), c.UpperBy))
		for _, x := range solverkit.Rows(s, boundText) {
			row(x[0], Sentence(x[1]))
		}
	} else if c.Kind == bcpace.ExactCertificate {
		t.Rows = exactBounds(c)
	} else {
		if !math.IsNaN(s.Value) {
			row("value at the start (estimate)", text(s.Value))
		}
		if claimed(c.LowerBy) {
			of := "the best policy"
			if c.PolicyEarns == c.LowerBy {
				of = "the policy"
			}
			row(fmt.Sprintf("%s is worth at least (%s)", of, c.LowerBy), text(atLeast(c.Lower)))
		}
		if claimed(c.UpperBy) {
			row(fmt.Sprintf("no policy is worth more (%s)", c.UpperBy), text(atMost(c.Upper)))
		}
	}
	if c.Assumes != "" {
		row("assumed", Sentence(c.Assumes))
	}
	row("stop", string(s.Stop))
	if n := len(s.Trace); n > 0 {
		for i, x := range []int{s.Trace[n-1].Samples, s.Trace[n-1].Episodes, s.Trace[n-1].Steps} {
			if x > 0 {
				row([]string{"samples", "episodes", "steps"}[i], text(x))
			}
		}
		if e := s.Trace[n-1].Epsilon; e > 0 {
			row("ε", text(e))
		}
	}
	return t
}
