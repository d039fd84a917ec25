package nb

import (
	"fmt"

	"bayescpace/bcpace/eval"
	"bayescpace/data"
)

// NearestSettings is a table of the n settings whose values are nearest to the
// reported ones, below the reports themselves, with names for their columns, one
// for each.
func NearestSettings(title string, names []string, reports []data.Reported, found []eval.ReportedSetting, n int) Table {
	first := []any{"reported", ""}
	for _, r := range reports {
		first = append(first, fmt.Sprintf("%v ± %v", r.Mean, r.HalfWidth))
	}
	t := Table{Title: title, Header: append(append([]string{"γ", "T"}, names...), "deviation"), Rows: [][]any{first}}
	for _, s := range eval.NearestReported(found, n) {
		row := []any{fmt.Sprint(s.Discount), fmt.Sprint(s.Horizon)}
		for _, v := range s.Values {
			row = append(row, fmt.Sprintf("%.2f", v))
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.2f", s.Deviation)))
	}
	return t
}
