package viz

import "gonum.org/v1/plot"

// SameAxes draws charts of one kind with the same ranges on their axes, so that what they
// show can be compared:
//
//	nb.Show(viz.SameAxes(viz.QOverBelief{Run: one}, viz.QOverBelief{Run: other})...)
//
// The panels of the charts are compared in their order, as far as all have them. An axis with
// names in place of numbers keeps its range. With an error every chart returned has it.
func SameAxes(charts ...Chart) []any {
	figures := make([]*Figure, len(charts))
	drawn := make([]any, len(charts))
	for i, c := range charts {
		f, err := c.Figure()
		if err != nil {
			for k := range drawn {
				drawn[k] = undrawn{err}
			}
			return drawn
		}
		figures[i], drawn[i] = f, f
	}
	for panel := 0; ; panel++ {
		x0, x1, y0, y1 := emptyRange()
		for _, f := range figures {
			if panel >= len(f.Panels) {
				return drawn
			}
			p := f.Panels[panel]
			x0, x1, y0, y1 = min(x0, p.X.Min), max(x1, p.X.Max), min(y0, p.Y.Min), max(y1, p.Y.Max)
		}
		if len(figures) == 0 {
			return drawn
		}
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

// undrawn is a chart that cannot be drawn.
type undrawn struct{ err error }

func (u undrawn) Figure() (*Figure, error) { return nil, u.err }

// named reports whether an axis has names in place of numbers.
func named(t any) bool {
	switch t.(type) {
	case categoryTicks, plot.ConstantTicks:
		return true
	}
	return false
}
