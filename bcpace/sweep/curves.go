package sweep

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
)

// MeasureCurve is a measure against a key whose values are numbers, averaged over the rest, such as
// seeds.
type MeasureCurve struct {
	// Label has the values of the other keys that the curve is for; "" without any.
	Label string
	// X are the values of the key in ascending order, and Y the means there with their 95%
	// intervals. A value all of whose trials have failed is left out.
	X []float64
	Y []eval.Interval
}

// Means returns the means of Y, for a figure whose axis is logarithmic: an interval may reach
// below 0.
func (c MeasureCurve) Means() []float64 {
	means := make([]float64, len(c.Y))
	for i, y := range c.Y {
		means[i] = y.Mean
	}
	return means
}

// Curves returns a measure against a key, a curve for each combination of the values of the
// keys by. For errors see By.
func (r *Results) Curves(measure, key string, by ...string) ([]MeasureCurve, error) {
	groups, err := r.By(measure, append([]string{key}, by...)...)
	if err != nil {
		return nil, err
	}
	var curves []MeasureCurve
	number := make(map[string]int)
	for _, g := range groups {
		x := g.X(0)
		if math.IsNaN(x) {
			return nil, bcpace.In("curve of a sweep").Bad("a value of "+key, strconv.Quote(g.Values[0]), "a number")
		}
		if g.Rows == 0 {
			continue
		}
		var label []string
		for i, name := range by {
			label = append(label, short(name)+" = "+g.Values[i+1])
		}
		text := strings.Join(label, ", ")
		c, ok := number[text]
		if !ok {
			c = len(curves)
			number[text] = c
			curves = append(curves, MeasureCurve{Label: text})
		}
		at, _ := slices.BinarySearch(curves[c].X, x)
		curves[c].X, curves[c].Y = slices.Insert(curves[c].X, at, x), slices.Insert(curves[c].Y, at, g.Interval)
	}
	return curves, nil
}

// symbols are the keys whose parameters have a symbol. An underscore begins a subscript.
var symbols = map[string]string{
	"params.epsilon": "ε", "cover.epsilon": "ε", "params.lipschitz": "L_Q", "params.lip-state": "L_S",
	"params.alpha": "α", "params.beta": "β", "params.delta": "δ", "set.discount": "γ",
}

// short is how a reader knows the parameter of a key: its symbol, or its name without what it
// is a parameter of.
func short(key string) string {
	if symbol, ok := symbols[key]; ok {
		return symbol
	}
	if _, name, ok := strings.Cut(key, "."); ok {
		key = name
	}
	return strings.ReplaceAll(key, "-", " ")
}

// MeasureGrid is a measure over the values of two keys.
type MeasureGrid struct {
	// Columns and Rows are the values of the keys.
	Columns, Rows []string
	// Mean has the mean at each row and column, row by row; NaN where no trial has it.
	Mean []float64
}

// Grid returns the means of a measure over two keys. For errors see By.
func (r *Results) Grid(measure, columns, rows string) (MeasureGrid, error) {
	groups, err := r.By(measure, columns, rows)
	if err != nil {
		return MeasureGrid{}, err
	}
	var g MeasureGrid
	at := func(list *[]string, value string) int {
		if i := slices.Index(*list, value); i >= 0 {
			return i
		}
		*list = append(*list, value)
		return len(*list) - 1
	}
	for _, x := range groups {
		at(&g.Columns, x.Values[0])
		at(&g.Rows, x.Values[1])
	}
	byNumber(g.Columns)
	byNumber(g.Rows)
	g.Mean = make([]float64, len(g.Columns)*len(g.Rows))
	for i := range g.Mean {
		g.Mean[i] = math.NaN()
	}
	for _, x := range groups {
		g.Mean[at(&g.Rows, x.Values[1])*len(g.Columns)+at(&g.Columns, x.Values[0])] = x.Mean
	}
	return g, nil
}

// byNumber sorts texts that are all numbers; others stay in their order.
func byNumber(list []string) {
	numbers := make(map[string]float64)
	for _, text := range list {
		x, err := numtext.Float(text)
		if err != nil {
			return
		}
		numbers[text] = x
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
}
