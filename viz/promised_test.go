package viz

import (
	"image/color"
	"testing"
)

func TestPromisedStepsKeepTheirColours(t *testing.T) {
	colours := func(p PromisedSteps) (texts []string, all []color.Color) {
		f := must(p.Figure())
		for _, e := range f.Legend {
			texts, all = append(texts, e.Text), append(all, e.Marker.Color)
		}
		return texts, all
	}
	full := promises()
	texts, want := colours(full)
	for name, empty := range map[string]func(r *PromisedRow){
		"steps below": func(r *PromisedRow) { r.Measured = 0 },
		"escapes":     func(r *PromisedRow) { r.Escapes = 0 },
		"two":         func(r *PromisedRow) { r.Measured, r.Samples = 0, 0 },
	} {
		p := promises()
		for i := range p.Rows {
			empty(&p.Rows[i])
		}
		gotTexts, got := colours(p)
		for i := range want {
			if gotTexts[i] != texts[i] || got[i] != want[i] {
				t.Errorf("%s: entry %d of the legend is %q in %v, want %q in %v as where nothing is 0", name, i, gotTexts[i], got[i], texts[i], want[i])
			}
		}
	}
}
