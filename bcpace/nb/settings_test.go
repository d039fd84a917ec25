package nb

import (
	"testing"

	"bayescpace/bcpace/eval"
	"bayescpace/data"
)

func TestNearestSettings(t *testing.T) {
	reports := []data.Reported{{Mean: 12.9, HalfWidth: 0.5}, {Mean: 14, HalfWidth: 0.1}}
	found := []eval.ReportedSetting{
		{Discount: 0.9, Horizon: 5, Values: []float64{1, 2}, Deviation: 30},
		{Discount: 0.97, Horizon: 10, Values: []float64{12.847, 14.306}, Deviation: 0.969},
	}
	want := "Chain\n" +
		"γ         T   QMDP        optimum   deviation\n" +
		"reported      12.9 ± 0.5  14 ± 0.1\n" +
		"0.97      10  12.85       14.31     0.97\n" +
		"0.9       5   1.00        2.00      30.00"
	if got := render1(NearestSettings("Chain", []string{"QMDP", "optimum"}, reports, found, 2), limits{}).plain; got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
	if rows := NearestSettings("", nil, nil, found, 1).Rows; len(rows) != 2 {
		t.Errorf("%d rows, want the reports and 1 setting", len(rows))
	}
}
