package viz

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"bayescpace/bcpace/numtext"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// niceTicks puts labelled ticks at multiples of 1, 2 or 5 times a power of ten,
// with as many digits as tell them apart.
type niceTicks struct {
	// about is the number of ticks to come close to. 0 means 6.
	about float64
	// whole keeps to whole numbers, as for episodes and steps.
	whole bool
}

func (n niceTicks) Ticks(lo, hi float64) []plot.Tick {
	step := niceStep((hi - lo) / max(cmp.Or(n.about, 6), 0.5))
	if n.whole {
		step = max(step, 1)
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return []plot.Tick{{Value: lo, Label: number(lo)}}
	}
	var at []float64
	// The slack keeps a tick at an end of the range that rounding has moved.
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9 && len(at) < 20; k++ {
		at = append(at, k*step)
	}
	if len(at) == 0 {
		return nil
	}
	ends := max(math.Abs(at[0]), math.Abs(at[len(at)-1]))
	powers := ends >= wholeLimit || ends < smallLimit
	return each(at, func(x float64) plot.Tick {
		return plot.Tick{Value: min(max(x, lo), hi), Label: tickLabel(x, step, powers)}
	})
}

// niceStep returns the least of 1, 2 and 5 times a power of ten that is ≥ x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// tickLabel formats x with the digits that a step needs, as a multiple of a power
// of ten if powers. All labels of an axis have the same form.
func tickLabel(x, step float64, powers bool) string {
	digits := -int(math.Floor(math.Log10(step) + 1e-9))
	switch {
	case x == 0:
		return "0"
	case powers:
		return power(x, min(max(digits+exponent(x), 0), 14))
	}
	label := numtext.Fixed(x, max(0, digits))
	if digits > 5 {
		label = numtext.Trim(label) // long labels leave the figure
	}
	return numtext.Minus(numtext.Group(label))
}

// logTicks labels the powers of ten and, where these are few, 2 and 5 times
// them.
type logTicks struct {
	// whole leaves out what lies below 1, as for episodes.
	whole bool
	// data are values of the data, ascending. If there are from 2 to 8 of them, those alone
	// are labelled, and otherwise the first and the last one besides the round numbers,
	// where labels have room.
	data []float64
	// besides labels round numbers besides few values too.
	besides bool
}

// fewLabels is the most values of data that are labelled in place of round numbers.
const fewLabels = 8

func (l logTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := l.round(lo, hi)
	n := len(l.data)
	if n < 2 || !(lo > 0) || !(hi > lo) {
		return ticks
	}
	powers := exponent(l.data[n-1]) >= exponent(wholeLimit) || exponent(l.data[0]) < exponent(smallLimit)
	var wanted []plot.Tick // those that come first have room first
	values := []float64{l.data[0], l.data[n-1]}
	if n <= fewLabels && !l.besides {
		values = append(values, l.data[1:n-1]...)
	} else {
		wanted = slices.DeleteFunc(slices.Clone(ticks), plot.Tick.IsMinor)
	}
	for _, v := range values {
		label := number(v)
		if powers {
			label = power(v, 3)
		}
		wanted = append(wanted, plot.Tick{Value: v, Label: label})
	}
	var kept []plot.Tick
	for _, t := range wanted {
		if t.Value < lo*(1-1e-9) || t.Value > hi*(1+1e-9) || slices.ContainsFunc(kept, func(k plot.Tick) bool { return crowded(k, t, lo, hi) }) {
			continue
		}
		kept = append(kept, t)
	}
	for _, t := range ticks {
		if !slices.ContainsFunc(kept, func(k plot.Tick) bool { return math.Abs(k.Value/t.Value-1) < 1e-9 }) {
			kept = append(kept, plot.Tick{Value: t.Value})
		}
	}
	slices.SortFunc(kept, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return kept
}

// crowded reports whether the labels of two ticks of a logarithmic axis touch one another on
// a panel of the usual size, whose axis is about 80 characters long and 18 lines high.
func crowded(a, b plot.Tick, lo, hi float64) bool {
	characters := float64(utf8.RuneCountInString(a.Label)+utf8.RuneCountInString(b.Label))/2 + 1
	return math.Abs(math.Log(a.Value/b.Value)) < max(1./18, characters/80)*math.Log(hi/lo)
}

// round has the round numbers.
func (l logTicks) round(lo, hi float64) []plot.Tick {
	if !(lo > 0) {
		return nil
	}
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	between := last-first <= 3
	every := math.Max(1, math.Ceil((last-first)/8))
	var ticks []plot.Tick
	var labelled []int
	for e := first; e <= last; e++ {
		power := math.Pow(10, e)
		for m := 1.0; m < 10; m++ {
			v := m * power
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) || l.whole && v < 1 {
				continue
			}
			if m == 1 && math.Mod(e-first, every) == 0 || between && (m == 2 || m == 5) {
				labelled = append(labelled, len(ticks))
			}
			ticks = append(ticks, plot.Tick{Value: v})
		}
	}
	if len(labelled) == 0 {
		return ticks
	}
	least, greatest := ticks[labelled[0]].Value, ticks[labelled[len(labelled)-1]].Value
	powers := exponent(greatest) >= exponent(wholeLimit) || exponent(least) < exponent(smallLimit)
	for _, i := range labelled {
		v := ticks[i].Value
		ticks[i].Label = tickLabel(v, min(math.Pow(10, float64(exponent(v))), 1), powers)
	}
	return ticks
}

// Numbers from wholeLimit up and below smallLimit are multiples of a power of ten,
// such as 2·10⁷; those between are written out, their thousands apart.
const wholeLimit, smallLimit = 1e7, 1e-4

// number writes x with four significant digits and a true minus sign; all digits
// before the point and those of whole numbers are kept.
func number(x float64) string { return significant(x, 4) }

// significant is number for any number of significant digits.
func significant(x float64, digits int) string {
	a := math.Abs(x)
	switch {
	case x == 0:
		return "0"
	case a >= wholeLimit || a < smallLimit:
		return power(x, digits-1)
	}
	return numtext.Minus(numtext.Group(numtext.Trim(numtext.Fixed(x, max(0, digits-1-exponent(x))))))
}

// exponent returns that of x in scientific notation, but for rounding errors.
func exponent(x float64) int {
	_, e := numtext.Scientific(x, 14)
	return e
}

// power writes x as a multiple of a power of ten, with some decimals at most.
func power(x float64, decimals int) string {
	mantissa, e := numtext.Scientific(x, decimals)
	return numtext.TimesPower(numtext.Minus(numtext.Trim(mantissa)), e)
}

// belowZeros is where an axis begins that goes on to hi above a break at edge: an eighth of
// the height above is for the band.
func belowZeros(edge, hi float64) float64 { return edge / math.Pow(hi/edge, 2./16) }

// zeroBand returns the middle of the band of an axis with a break, and its upper edge.
func zeroBand(lo, hi float64) (middle, edge float64) {
	step := math.Pow(hi/lo, 1./18)
	return lo * step, lo * step * step
}

// brokenTicks has a 0 below the break, and no other tick there.
type brokenTicks struct{ above plot.Ticker }

func (t brokenTicks) Ticks(lo, hi float64) []plot.Tick {
	middle, edge := zeroBand(lo, hi)
	return append([]plot.Tick{{Value: middle, Label: "0"}}, t.above.Ticks(edge, hi)...)
}

// categoryTicks name the places 0, 1, … of an axis, each on up to three lines.
type categoryTicks struct {
	names, labels []string
}

// within returns the ticks for an axis of a width, on which all names have room.
func (t categoryTicks) within(width vg.Length) categoryTicks {
	t.labels = make([]string, len(t.names))
	lines := make([][]string, len(t.names))
	most := 0
	for i, s := range t.names {
		lines[i] = wrap(s, tickStyle, width/vg.Length(len(t.names))-6*px, 3)
		most = max(most, len(lines[i]))
	}
	for i, l := range lines { // as many lines each, so that the first ones are level
		t.labels[i] = strings.Join(append(l, slices.Repeat([]string{" "}, most-len(l))...), "\n")
	}
	return t
}

func (t categoryTicks) Ticks(float64, float64) []plot.Tick {
	ticks := make([]plot.Tick, len(t.labels))
	for i, s := range t.labels {
		ticks[i] = plot.Tick{Value: float64(i), Label: s}
	}
	return ticks
}

// roundTo rounds x > 0 to some significant digits.
func roundTo(x float64, digits int) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-float64(digits-1))
	return math.Round(x/unit) * unit
}
