package viz

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
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
	about := n.about
	if about == 0 {
		about = 6
	}
	step := niceStep((hi - lo) / max(about, 0.5))
	if n.whole {
		step = max(step, 1)
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return []plot.Tick{{Value: lo, Label: number(lo)}}
	}
	var ticks []plot.Tick
	// The slack keeps a tick at an end of the range that rounding has moved.
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9 && len(ticks) < 20; k++ {
		ticks = append(ticks, plot.Tick{Value: min(max(k*step, lo), hi), Label: tickLabel(k*step, step)})
	}
	return ticks
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

// tickLabel formats x with the digits that a step needs.
func tickLabel(x, step float64) string {
	if x == 0 {
		return "0"
	}
	if math.Abs(x) >= 1e7 || step < 1e-5 {
		digits := int(math.Floor(math.Log10(math.Abs(x)))-math.Floor(math.Log10(step))) + 1
		return minus(strconv.FormatFloat(x, 'g', min(max(digits, 1), 15), 64))
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	return minus(group(strconv.FormatFloat(x, 'f', digits, 64)))
}

// logTicks labels the powers of ten and, where these are few, 2 and 5 times
// them.
type logTicks struct {
	// whole leaves out what lies below 1, as for episodes.
	whole bool
}

func (l logTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(lo > 0) {
		return nil
	}
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	between := last-first <= 3
	every := math.Max(1, math.Ceil((last-first)/8))
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		power := math.Pow(10, e)
		for m := 1.0; m < 10; m++ {
			v := m * power
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) || l.whole && v < 1 {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && math.Mod(e-first, every) == 0 || between && (m == 2 || m == 5) {
				t.Label = tickLabel(v, min(power, 1))
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// number formats x with four significant digits and a true minus sign.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e7 {
		return minus(group(strconv.FormatFloat(x, 'f', 0, 64)))
	}
	return minus(strconv.FormatFloat(x, 'g', 4, 64))
}

// minus sets a true minus sign, and none before a zero.
func minus(s string) string {
	if !strings.ContainsAny(s, "123456789") {
		return strings.TrimPrefix(s, "-")
	}
	return strings.ReplaceAll(s, "-", "−")
}

// group sets a no-break space between the thousands of numbers of five digits and
// more.
func group(s string) string {
	whole, rest, dot := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	if len(whole) >= 5 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "\u00a0" + whole[i:]
		}
	}
	if dot {
		rest = "." + rest
	}
	return sign + whole + rest
}
