package viz

import (
	"strings"
	"testing"
)

func TestSameAxesRefusesCharts(t *testing.T) {
	line := Lines{Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 2}}}}
	log := line
	log.LogX = true
	for name, c := range map[string]struct {
		charts []Chart
		want   string
	}{
		"nil":         {[]Chart{line, nil}, "chart 1 is nil"},
		"only nil":    {[]Chart{nil}, "chart 0 is nil"},
		"nil figure":  {[]Chart{(*Figure)(nil), line}, "chart 0 is nil"},
		"nil pointer": {[]Chart{line, (*Lines)(nil)}, "chart 1 is nil"},
		"kinds":       {[]Chart{line, Returns{Values: returnsOf(50)}}, "chart 0 is a viz.Lines and chart 1 a viz.Returns, want charts of one kind"},
		"scales":      {[]Chart{line, log}, "one of the X axes of charts 0 and 1 is logarithmic"},
	} {
		drawn := SameAxes(c.charts...)
		if len(drawn) != len(c.charts) {
			t.Errorf("%s: %d charts, want %d", name, len(drawn), len(c.charts))
		}
		for _, d := range drawn {
			if _, err := d.(Chart).Figure(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q in it", name, err, c.want)
			}
		}
	}
	for _, d := range SameAxes(&line, line, must(line.Figure())) {
		if _, err := d.(Chart).Figure(); err != nil {
			t.Errorf("charts of one kind: %v", err)
		}
	}
}
