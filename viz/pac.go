package viz

import (
	"cmp"
	"fmt"
	"slices"
)

// PromisedSteps draws what the main theorem promises beside what explorations did,
// against ε, on logarithmic axes. Counts of 0, which have no logarithm, stand at ½.
type PromisedSteps struct {
	Title, Subtitle string
	Rows            []PromisedRow // one at least, in any order
}

// PromisedRow is one exploration; package pac has its numbers in an Audit.
type PromisedRow struct {
	Epsilon float64
	// Promised is m, the steps that may be farther below the best than the guarantee,
	// and Measured how many were.
	Promised float64
	Measured int
	// PromisedSamples is k·N, and Samples the size of the sample set.
	PromisedSamples float64
	Samples         int
	// PromisedEscapes is the most steps of a large escape probability, and Escapes how
	// many were measured.
	PromisedEscapes float64
	Escapes         int
}

// Figure draws three pairs of curves: promised and measured.
func (p PromisedSteps) Figure() (*Figure, error) {
	where := fmt.Sprintf("viz: PromisedSteps %q", words(p.Title, 40))
	if len(p.Rows) == 0 {
		return nil, fmt.Errorf("%s has no rows, want one at least", where)
	}
	rows := append([]PromisedRow(nil), p.Rows...)
	slices.SortStableFunc(rows, func(r, s PromisedRow) int { return cmp.Compare(r.Epsilon, s.Epsilon) })
	l := Lines{Title: name(p.Title, "Promised and measured"), Subtitle: p.Subtitle, XLabel: "ε (reward units)", YLabel: "steps, samples", LogX: true, LogY: true}
	zeros := 0
	count := func(n int) float64 {
		if n == 0 {
			zeros++
			return 0.5
		}
		return float64(n)
	}
	for _, s := range []struct {
		label string
		value func(r PromisedRow) float64
	}{
		{"steps below the guarantee: m", func(r PromisedRow) float64 { return r.Promised }},
		{"steps below the guarantee: measured", func(r PromisedRow) float64 { return count(r.Measured) }},
		{"steps that may escape: promised", func(r PromisedRow) float64 { return r.PromisedEscapes }},
		{"steps that may escape: measured", func(r PromisedRow) float64 { return count(r.Escapes) }},
		{"samples: promised", func(r PromisedRow) float64 { return r.PromisedSamples }},
		{"samples: measured", func(r PromisedRow) float64 { return count(r.Samples) }},
	} {
		series := Series{Label: s.label, Markers: true}
		for _, r := range rows {
			series.X, series.Y = append(series.X, r.Epsilon), append(series.Y, s.value(r))
		}
		l.Series = append(l.Series, series)
	}
	f, err := l.Figure()
	if err != nil {
		return nil, err
	}
	f.Panels[0].X.Tick.Marker = logTicks{}
	if zeros > 0 {
		f.Alt += fmt.Sprintf(" %d counts are 0 and stand at ½.", zeros)
	}
	return f, nil
}
