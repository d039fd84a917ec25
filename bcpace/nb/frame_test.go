package nb

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// TestDataFrame: a plain gota frame is shown with its small numbers, although
// gota itself writes floats with six decimals.
func TestDataFrame(t *testing.T) {
	df := dataframe.New(
		series.New([]float64{1e-12, 0.25, math.NaN()}, series.Float, "p"),
		series.New([]any{1024, nil, -3}, series.Int, "n"),
		series.New([]string{"<b>", "listen", "NaN"}, series.String, "action"),
		series.New([]bool{true, false, true}, series.Bool, "done"),
	)
	want := "    p      n  action  done\n" +
		"1e-12  1,024  <b>     true\n" +
		" 0.25    NaN  listen  false\n" +
		"  NaN     -3  NaN     true"
	if got := render1(df, limits{}).plain; got != want {
		t.Errorf("frame is shown as\n%s\nwant\n%s", got, want)
	}
	if got := render1(&df, limits{}).plain; got != want {
		t.Errorf("pointer to a frame is shown as\n%s", got)
	}
	sorted := df.Filter(dataframe.F{Colname: "p", Comparator: series.Greater, Comparando: 0.0}).Arrange(dataframe.RevSort("p")).Select([]string{"p", "action"})
	if got := render1(sorted, limits{}).plain; got != "    p  action\n 0.25  listen\n1e-12  <b>" {
		t.Errorf("filtered and sorted:\n%s", got)
	}
	bad := df.Select("no such column")
	if ms, err := render([]any{bad}); len(ms) != 0 || err == nil || !strings.Contains(err.Error(), "no such column") {
		t.Errorf("a frame with an error: %d messages, %v", len(ms), err)
	}
}
