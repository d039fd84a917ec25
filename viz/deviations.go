package viz

import (
	"bayescpace/bcpace/eval"
)

// Deviations draws how far exact values are from reported ones against the
// horizon, with a curve for each discount, on logarithmic axes. At 1 the values
// lie within the error of the report on average.
type Deviations struct {
	Title, Subtitle string
	Settings        []eval.ReportedSetting // as eval.SearchReported returns them
}

// Figure checks the values and draws them.
func (d Deviations) Figure() (*Figure, error) {
	l := Lines{Title: d.Title, Subtitle: d.Subtitle, XLabel: "horizon T (steps)", YLabel: "deviation (half widths)", LogX: true, LogY: true,
		References: []Reference{{"reported error", 1}}}
	for i, s := range d.Settings {
		if i == 0 || s.Discount != d.Settings[i-1].Discount {
			l.Series = append(l.Series, Series{Label: "γ = " + number(s.Discount)})
		}
		c := &l.Series[len(l.Series)-1]
		c.X, c.Y = append(c.X, float64(s.Horizon)), append(c.Y, s.Deviation)
	}
	return l.Figure()
}
