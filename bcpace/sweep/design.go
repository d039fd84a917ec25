package sweep

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"
)

// PointDesign spreads points over the ranges of several keys. Halton's points leave smaller gaps
// than random ones, and those of a Latin hypercube are even along each key.
type PointDesign struct {
	// Kind is "halton" (the default), "latin hypercube" or "random".
	Kind string `json:"kind,omitempty"`
	// Points is their number.
	Points int `json:"points"`
	// Seed makes them.
	Seed uint64 `json:"seed,omitempty"`
	// Axes are the ranges.
	Axes []Range `json:"axes"`
}

// Range is the range of a key.
type Range struct {
	Key  string  `json:"key"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Log spreads the points evenly over orders of magnitude. From must be above 0.
	Log bool `json:"log,omitempty"`
	// Whole rounds to whole numbers.
	Whole bool `json:"whole,omitempty"`
}

// kinds are the designs by the name that a sweep has for them.
var kinds = map[string]family.Design{"": family.Shifted, "halton": family.Shifted, "latin hypercube": family.Stratified, "random": family.Independent}

func (d *PointDesign) check() error {
	bad := bcpace.In("design of a sweep").Bad
	if _, ok := kinds[d.Kind]; !ok {
		return bad("kind", fmt.Sprintf("%q", d.Kind), `"halton", "latin hypercube" or "random"`)
	}
	if d.Points < 1 || d.Points > Most {
		return bad("points", d.Points, fmt.Sprintf("a number from 1 to %d", Most))
	}
	if len(d.Axes) == 0 {
		return bad("axes", "none", "the range of at least one key")
	}
	for _, r := range d.Axes {
		finite := !math.IsInf(r.To-r.From, 0) && !math.IsNaN(r.To-r.From)
		if !finite || r.From >= r.To || r.Log && r.From <= 0 {
			return bad("the range of "+r.Key, fmt.Sprintf("from %v to %v", r.From, r.To), "finite numbers, from less than to, and above 0 with log")
		}
	}
	_, err := d.sampling().Thetas(d.family())
	return err
}

func (d *PointDesign) sampling() family.Sampling {
	return family.Sampling{Draws: d.Points, Design: kinds[d.Kind], Seed: d.Seed}
}

// family returns the uniform distribution over the unit cube, whose draws are the points.
func (d *PointDesign) family() family.Parametric {
	f := family.Parametric{Name: "design", Build: func([][]float64) (bcpace.Model, error) { return nil, fmt.Errorf("a design has no model") }}
	for i := range d.Axes {
		f.Entries = append(f.Entries, family.Param{Name: fmt.Sprint("u", i), Prior: distuv.Uniform{Min: 0, Max: 1}})
	}
	return f
}

// points returns the settings of a design that check has passed.
func (d *PointDesign) points() []Setting {
	thetas, err := d.sampling().Thetas(d.family())
	if err != nil {
		panic(err) // check has drawn them
	}
	points := make([]Setting, len(thetas))
	for i, u := range thetas {
		points[i] = make(Setting, len(u))
		for j, r := range d.Axes {
			points[i][r.Key] = r.at(u[j])
		}
	}
	return points
}

// at returns the value for u in [0, 1].
func (r Range) at(u float64) float64 {
	from, to := r.From, r.To
	if r.Whole { // each whole number has the same share
		from, to = from-0.5, to+0.5
		if r.Log {
			from = max(from, r.From/2)
		}
	}
	x := from + u*(to-from)
	if r.Log {
		x = from * math.Pow(to/from, u)
	}
	if r.Whole {
		x = math.Round(x)
	}
	return min(max(x, r.From), r.To)
}
