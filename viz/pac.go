package viz

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"bayescpace/bcpace/pac"
)

// PromisedSteps draws what the main theorem promises beside what explorations did,
// against ε, on logarithmic axes. Counts of 0, which have no logarithm, stand in a band of
// their own below a break of the axis.
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
	if len(p.Rows) == 0 {
		return nil, fmt.Errorf("viz: PromisedSteps %q has no rows, want one at least", words(p.Title, 40))
	}
	rows := slices.Clone(p.Rows)
	slices.SortStableFunc(rows, func(r, s PromisedRow) int { return cmp.Compare(r.Epsilon, s.Epsilon) })
	l := Lines{Title: name(p.Title, "Promised and measured"), Subtitle: p.Subtitle, XLabel: "ε (reward units)", YLabel: "steps, samples", LogX: true, LogY: true}
	var none zeros
	var epsilons []float64
	for _, r := range rows {
		epsilons = append(epsilons, r.Epsilon)
	}
	empty := make(map[int]string) // by style: what is 0 everywhere, with no point on the axis
	for i, s := range []struct {
		label string
		value func(r PromisedRow) float64
	}{
		{"steps below the guarantee: m", func(r PromisedRow) float64 { return r.Promised }},
		{"steps below the guarantee: measured", func(r PromisedRow) float64 { return float64(r.Measured) }},
		{"steps that may escape: promised", func(r PromisedRow) float64 { return r.PromisedEscapes }},
		{"steps that may escape: measured", func(r PromisedRow) float64 { return float64(r.Escapes) }},
		{"samples: promised", func(r PromisedRow) float64 { return r.PromisedSamples }},
		{"samples: measured", func(r PromisedRow) float64 { return float64(r.Samples) }},
	} {
		series := Series{Label: s.label, Markers: true}
		var at []float64
		for _, r := range rows {
			if y := s.value(r); y != 0 {
				series.X, series.Y = append(series.X, r.Epsilon), append(series.Y, y)
			} else {
				at = append(at, r.Epsilon)
			}
		}
		if len(series.X) == 0 {
			empty[i] = s.label
		} else {
			l.Series, l.styles = append(l.Series, series), append(l.styles, i)
		}
		none.add(i, at)
	}
	f, err := l.Figure()
	if err != nil {
		return nil, err
	}
	f.Panels[0].X.Tick.Marker = logTicks{data: slices.Compact(epsilons)}
	for _, i := range slices.Sorted(maps.Keys(empty)) {
		f.Legend = slices.Insert(f.Legend, i, LegendEntry{Text: empty[i], Marker: styleOf(i).marker(3.6 * px)})
	}
	if len(empty) > 0 {
		f.setHeight()
	}
	if n := len(none.x); n > 0 {
		none.below(f.Panels[0])
		f.Alt += fmt.Sprintf(" %d counts are 0 and stand below the break of the axis.", n)
	}
	return f, nil
}

// PromisedOf sets what audits of one model at several ε measured beside what the theorems
// promise, for explorations in batches n times that (Proposition Batch Sample Update).
func PromisedOf(audits ...*pac.Audit) PromisedSteps {
	var p PromisedSteps
	for _, a := range audits {
		x := a.Analysis
		p.Title = titled(a.Run.Spec.Name, "promised and measured")
		p.Rows = append(p.Rows, PromisedRow{Epsilon: x.Setting.Epsilon, Promised: x.BatchM, Measured: a.BelowGuarantee,
			PromisedSamples: x.Samples, Samples: a.Run.Samples.Len(),
			PromisedEscapes: x.EscapeSteps * float64(x.Setting.Batch), Escapes: a.EscapeSteps})
	}
	return p
}
