package viz

import (
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace/eval"
)

func TestDeviations(t *testing.T) {
	d := Deviations{Title: "Chain"}
	for _, discount := range []float64{0.9, 0.95} {
		for steps := 5; steps <= 20; steps++ {
			d.Settings = append(d.Settings, eval.ReportedSetting{Discount: discount, Horizon: steps, Deviation: 0.5 + math.Abs(float64(steps)-100*discount/9)})
		}
	}
	f, err := d.Figure()
	if err != nil {
		t.Fatal(err)
	}
	checkMargins(t, "Deviations", f)
	for _, want := range []string{"γ = 0.9: from 5.5 at 5 to 10.5 at 20", "γ = 0.95: from ", "Reference line reported error at 1"} {
		if !strings.Contains(f.Alt, want) {
			t.Errorf("description %q, want %q in it", f.Alt, want)
		}
	}
	if len(f.Legend) != 2 {
		t.Errorf("%d curves in the legend, want one for each of 2 discounts", len(f.Legend))
	}
	for want, bad := range map[string]Deviations{
		"0 series":     {},
		"positive":     {Settings: []eval.ReportedSetting{{Discount: 0.9, Horizon: 5}}},
		"Y[0] is +Inf": {Settings: []eval.ReportedSetting{{Discount: 0.9, Horizon: 5, Deviation: math.Inf(1)}}},
	} {
		if _, err := bad.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
