package pac

import (
	"fmt"
	"math"
)

// Table sets what audits measured beside what the theorems promise, a column for each
// audit: of explorations of one model at several ε, say. Bounds on steps are n times
// those of a rollout at a time where batches have n (Proposition Batch Sample Update).
func Table(audits ...*Audit) (header []string, rows [][]any) {
	header = []string{""}
	lines := []struct {
		name string
		of   func(a *Audit) any
	}{
		{"N(ε/L_Q̃), at most", func(a *Audit) any { return whole(a.Analysis.Setting.Cover) }},
		{"guarantee (7ε + 2β)/(1−γ)", func(a *Audit) any { return a.Analysis.Guarantee }},
		{"steps below it: promised, m", func(a *Audit) any { return whole(a.Analysis.BatchM) }},
		{"steps below it: measured", func(a *Audit) any { return a.BelowGuarantee }},
		{"steps more than ε below", func(a *Audit) any { return a.BelowEpsilon }},
		{"steps that may escape: promised", func(a *Audit) any { return whole(a.Analysis.EscapeSteps * float64(a.Analysis.Setting.Batch)) }},
		{"steps that may escape: measured", func(a *Audit) any { return a.EscapeSteps }},
		{"escapes", func(a *Audit) any { return a.Escapes }},
		{"samples: promised, kN", func(a *Audit) any { return whole(a.Analysis.Samples) }},
		{"samples: measured", func(a *Audit) any { return a.Run.Samples.Len() }},
		{"steps taken", func(a *Audit) any { return a.Steps }},
		{"the last policy is below the best by", func(a *Audit) any { return a.Policies[len(a.Policies)-1].StartGap }},
	}
	for _, a := range audits {
		header = append(header, fmt.Sprintf("ε = %.4g", a.Analysis.Setting.Epsilon))
	}
	for _, l := range lines {
		row := []any{l.name}
		for _, a := range audits {
			row = append(row, l.of(a))
		}
		rows = append(rows, row)
	}
	return header, rows
}

// whole rounds a number of steps or samples.
func whole(x float64) any {
	if x < 1<<53 {
		return int64(math.Round(x))
	}
	return x
}
