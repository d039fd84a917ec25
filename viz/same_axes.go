package viz

import (
	"fmt"
	"reflect"

	"gonum.org/v1/plot"
)

// SameAxes draws charts of one kind with the same ranges on their axes, so that what they
// show can be compared:
//
//	nb.Show(viz.SameAxes(viz.QOverBelief{Run: one}, viz.QOverBelief{Run: other})...)
//
// The panels of the charts are compared in their order, as far as all have them. An axis with
// names in place of numbers keeps its range. With an error every chart returned has it: that of
// a chart that cannot be drawn, or one that says which charts are of different kinds, or have
// a logarithmic axis beside an even one. A *Figure may be of any kind, and stays as it is.
func SameAxes(charts ...Chart) []any {
	figures := make([]*Figure, len(charts))
	drawn := make([]any, len(charts))
	fail := func(err error) []any {
		for k := range drawn {
			drawn[k] = undrawn{err}
		}
		return drawn
	}
	for i, c := range charts {
		if v := reflect.ValueOf(c); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return fail(fmt.Errorf("viz: SameAxes: chart %d is nil, want a chart", i))
		}
		f, err := c.Figure()
		if err != nil {
			return fail(err)
		}
		figures[i] = f.copied()
		drawn[i] = figures[i]
	}
	if err := sameKind(charts, figures); err != nil {
		return fail(err)
	}
	for panel := 0; ; panel++ {
		x0, x1, y0, y1 := emptyRange()
		broken, foot := false, 0.0
		for _, f := range figures {
			if panel >= len(f.Panels) {
				return drawn
			}
			p := f.Panels[panel]
			low := p.Y.Min
			if _, is := p.Y.Tick.Marker.(brokenTicks); is {
				_, low = zeroBand(p.Y.Min, p.Y.Max)
				broken = true
			}
			if panel == 0 {
				low = p.Y.Max - (p.Y.Max-low)/(1+f.foot)
				foot = max(foot, f.foot)
			}
			x0, x1, y0, y1 = min(x0, p.X.Min), max(x1, p.X.Max), min(y0, low), max(y1, p.Y.Max)
		}
		if len(figures) == 0 {
			return drawn
		}
		if broken {
			y0 = belowZeros(y0, y1)
		}
		y0 -= foot * (y1 - y0)
		for _, f := range figures {
			p := f.Panels[panel]
			if !named(p.X.Tick.Marker) {
				p.X.Min, p.X.Max = x0, x1
			}
			if !named(p.Y.Tick.Marker) {
				p.Y.Min, p.Y.Max = y0, y1
			}
		}
	}
}

// sameKind returns an error that says which charts have no common ranges.
func sameKind(charts []Chart, figures []*Figure) error {
	first, figure := -1, reflect.TypeFor[Figure]()
	for i, c := range charts {
		kind := reflect.Indirect(reflect.ValueOf(c)).Type()
		switch {
		case kind == figure:
		case first < 0:
			first = i
		default:
			if want := reflect.Indirect(reflect.ValueOf(charts[first])).Type(); kind != want {
				return fmt.Errorf("viz: SameAxes: chart %d is a %v and chart %d a %v, want charts of one kind", first, want, i, kind)
			}
		}
	}
	for i, f := range figures {
		for k := range min(len(f.Panels), len(figures[0].Panels)) {
			p, q := figures[0].Panels[k], f.Panels[k]
			for _, axes := range []struct {
				name        string
				first, this plot.Axis
			}{{"X", p.X, q.X}, {"Y", p.Y, q.Y}} {
				_, log := axes.first.Scale.(plot.LogScale)
				if _, is := axes.this.Scale.(plot.LogScale); is != log {
					return fmt.Errorf("viz: SameAxes: one of the %s axes of charts 0 and %d is logarithmic and the other one is not, want both or neither", axes.name, i)
				}
			}
		}
	}
	return nil
}

// undrawn is a chart that cannot be drawn.
type undrawn struct{ err error }

func (u undrawn) Figure() (*Figure, error) { return nil, u.err }

// named reports whether an axis has names in place of numbers.
func named(t any) bool {
	switch t := t.(type) {
	case categoryTicks, plot.ConstantTicks:
		return true
	case roomyTicks:
		return named(t.Ticker)
	}
	return false
}
