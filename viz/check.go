package viz

import (
	"fmt"
	"math"
)

// checks finds the first of a figure's values that cannot be drawn. What comes after it is not
// looked at, as it may mean nothing.
type checks struct {
	where string // begins the error
	part  string // such as a row, behind where
	err   error
}

// checksOf begins the checks of a figure with a title.
func checksOf(figure, title string) *checks {
	return &checks{where: fmt.Sprintf("viz: %s %q", figure, words(title, 40))}
}

// want notes an error unless all is well: format says, behind the name of the figure, what is there
// and what should be. It reports whether all has been well so far.
func (c *checks) want(well bool, format string, args ...any) bool {
	if c.err == nil && !well {
		c.err = fmt.Errorf("%s%s%s", c.where, c.part, fmt.Sprintf(format, args...))
	}
	return c.err == nil
}

// count wants at least one of a kind, and most at most.
func (c *checks) count(n int, kind string, most int) bool {
	return c.want(n > 0 && n <= most, " has %d %s, want 1 to %d", n, kind, most)
}

// column is a named slice of a figure's data.
type column struct {
	name     string
	values   []float64
	positive bool // as on a log axis
}

// columns wants all columns to be as long as the first one, of finite numbers that can be drawn.
func (c *checks) columns(columns ...column) bool {
	for _, x := range columns {
		if n := len(columns[0].values); !c.want(len(x.values) == n, ": %s has %d values and %s has %d, want the same number", columns[0].name, n, x.name, len(x.values)) {
			break
		}
		for i, v := range x.values {
			switch {
			// The bounds keep differences and powers of values finite.
			case !(math.Abs(v) <= 1e300):
				c.want(false, ": %s[%d] is %v, want a finite number of size 1e300 at most", x.name, i, v)
			case x.positive && !(v >= 1e-200 && v <= 1e200):
				c.want(false, ": %s[%d] is %v, want a positive number on a log axis, from 1e-200 to 1e200", x.name, i, v)
			}
		}
	}
	return c.err == nil
}

// numbers wants finite numbers that can be drawn.
func (c *checks) numbers(name string, values ...float64) bool {
	return c.columns(column{name, values, false})
}

// beliefs wants probabilities, up to rounding.
func (c *checks) beliefs(values []float64) bool {
	for i, b := range values {
		c.want(b >= -1e-9 && b <= 1+1e-9, ": Belief[%d] is %v, want a probability in [0, 1]", i, b)
	}
	return c.err == nil
}

// maxPathPoints is far more than a room shows apart.
const maxPathPoints = 20_000
