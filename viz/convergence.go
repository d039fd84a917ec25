package viz

import (
	"fmt"

	"bayescpace/bcpace"
)

// Convergence draws how the bounds of several algorithms converge to the value at the
// start, as Bounds does for certified runs. The upper panel has the lower and the upper
// bound, and the lower panel the gap between them on a log scale, with the ε at which a
// search ends. Bounds that meet have a gap of 0, which stands below all others. A
// bound stays the same until the next point.
type Convergence struct {
	Title, Subtitle string
	// XLabel says what is counted or measured on the axis, such as "trials" or "seconds".
	XLabel     string
	Curves     []ConvergenceCurve // 1 to 7
	References []Reference        // levels of the value, such as an optimum
	// LogX makes the axis logarithmic; X must then be positive.
	LogX bool
	// GapOnly leaves out the upper panel, for values that are far apart.
	GapOnly bool
}

// ConvergenceCurve is one search in a Convergence.
type ConvergenceCurve struct {
	Label        string
	X            []float64 // ascending
	Lower, Upper []float64 // as long as X, Lower[i] ≤ Upper[i]; reward units
	Epsilon      float64   // gap at which the search ends; 0 for none
}

// Figure checks the values and draws them.
func (c Convergence) Figure() (*Figure, error) {
	v := bounds{title: c.Title, subtitle: c.Subtitle, references: c.References, x: name(c.XLabel, "trials"), logX: c.LogX, gapOnly: c.GapOnly}
	for i, s := range c.Curves {
		r := boundsCurve{label: label(s.Label, fmt.Sprintf("search %d", i+1)), x: s.X, lower: s.Lower, upper: s.Upper, epsilon: s.Epsilon}
		where := fmt.Sprintf("viz: Convergence.Curves[%d] (%q)", i, words(s.Label, 40))
		if len(s.X) == 0 {
			return nil, fmt.Errorf("%s has no points, want at least one", where)
		}
		if err := checkColumns(where, []column{{"X", s.X, false}, {"Lower", s.Lower, false}, {"Upper", s.Upper, false}}); err != nil {
			return nil, err
		}
		for k := range s.X {
			switch {
			case k > 0 && s.X[k] < s.X[k-1]:
				return nil, fmt.Errorf("%s: X[%d] is %v after %v, want ascending values", where, k, s.X[k], s.X[k-1])
			case s.X[k] < 0:
				return nil, fmt.Errorf("%s: X[%d] is %v, want values from 0", where, k, s.X[k])
			case !(s.Upper[k] >= s.Lower[k]):
				return nil, fmt.Errorf("%s: Upper[%d] is %v and Lower[%d] is %v, want a lower bound that is not above the upper one", where, k, s.Upper[k], k, s.Lower[k])
			}
			r.gap = append(r.gap, s.Upper[k]-s.Lower[k])
		}
		v.runs = append(v.runs, r)
	}
	return v.figure()
}

// ConvergenceOf returns the bounds of a solution by the number of trials. It has no points for a solver that does not
// bracket V*.
func ConvergenceOf(label string, s *bcpace.Solution) ConvergenceCurve {
	c := ConvergenceCurve{Label: label}
	if s == nil {
		return c
	}
	for _, p := range s.Trace {
		if p.Gap > 0 || p.Epsilon > 0 { // bounds may meet
			c.X, c.Lower, c.Upper = append(c.X, float64(p.Episodes)), append(c.Lower, p.Value-p.Gap), append(c.Upper, p.Value)
			c.Epsilon = p.Epsilon
		}
	}
	return c
}
