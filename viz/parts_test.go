package viz

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

func TestTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		lo := (rng.Float64() - 0.5) * math.Pow(10, float64(rng.IntN(30)-15))
		hi := lo + rng.Float64()*math.Pow(10, float64(rng.IntN(30)-15))
		if hi-lo <= 1e-8*max(math.Abs(lo), math.Abs(hi)) {
			continue // an axis is never that short: see widen
		}
		checkTicks(t, "random", niceTicks{}, lo, hi)
	}
	for _, c := range []struct {
		ticks  plot.Ticker
		lo, hi float64
		want   []string
	}{
		{niceTicks{}, -0.1, 1.1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{niceTicks{}, -120, 20, []string{"−100", "−50", "0"}},
		{niceTicks{whole: true}, 0, 3, []string{"0", "1", "2", "3"}},
		{niceTicks{}, 0, 20_000, []string{"0", "5,000", "10,000", "15,000", "20,000"}},
		{niceTicks{}, 100.000001, 100.000002, []string{"100.000001", "100.0000012", "100.0000014", "100.0000016", "100.0000018", "100.000002"}},
		{niceTicks{}, 0, 5e6, []string{"0", "1,000,000", "2,000,000", "3,000,000", "4,000,000", "5,000,000"}},
		{niceTicks{}, -5e6, 2e7, []string{"−5·10⁶", "0", "5·10⁶", "10⁷", "1.5·10⁷", "2·10⁷"}},
		{niceTicks{}, 0, 3e-5, []string{"0", "5·10⁻⁶", "10⁻⁵", "1.5·10⁻⁵", "2·10⁻⁵", "2.5·10⁻⁵", "3·10⁻⁵"}},
		{niceTicks{}, 1e9, 1e9 + 2, []string{"10⁹", "1.0000000005·10⁹", "1.000000001·10⁹", "1.0000000015·10⁹", "1.000000002·10⁹"}},
		{logTicks{}, 0.5, 30, []string{"0.5", "1", "2", "5", "10", "20"}},
		{logTicks{whole: true}, 0.5, 30_000, []string{"1", "10", "100", "1,000", "10,000"}},
		{logTicks{}, 1, 5e6, []string{"1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"}},
		{logTicks{}, 10, 1e8, []string{"10¹", "10²", "10³", "10⁴", "10⁵", "10⁶", "10⁷", "10⁸"}},
		{logTicks{}, 1e6, 2e7, []string{"10⁶", "2·10⁶", "5·10⁶", "10⁷", "2·10⁷"}},
		{logTicks{}, 1e-4, 1, []string{"0.0001", "0.001", "0.01", "0.1", "1"}},
		{logTicks{}, 1e-5, 1, []string{"10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"}},
		{decadeTicks{}, -6, -3.9, []string{"10⁻⁶", "2·10⁻⁶", "5·10⁻⁶", "10⁻⁵", "2·10⁻⁵", "5·10⁻⁵", "10⁻⁴"}},
	} {
		var got []string
		for _, k := range c.ticks.Ticks(c.lo, c.hi) {
			if k.Label != "" {
				got = append(got, k.Label)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("ticks of [%v, %v]: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

// checkTicks checks that labels tell ticks apart, in the range, in order.
func checkTicks(t *testing.T, name string, ticker plot.Ticker, lo, hi float64) {
	t.Helper()
	ticks := ticker.Ticks(lo, hi)
	if len(ticks) == 0 || len(ticks) > 20 {
		t.Errorf("%s: %d ticks in [%v, %v]", name, len(ticks), lo, hi)
	}
	for i, k := range ticks {
		if k.Value < lo || k.Value > hi {
			t.Errorf("%s: tick %v lies outside [%v, %v]", name, k.Value, lo, hi)
		}
		if i > 0 && (k.Value <= ticks[i-1].Value || k.Label == ticks[i-1].Label) {
			t.Errorf("%s: in [%v, %v], tick %q follows %q", name, lo, hi, k.Label, ticks[i-1].Label)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", -1: "−1", 19.3714: "19.37", 1234567: "1,234,567", -12345: "−12,345",
		1e-7: "10⁻⁷", 1e9: "10⁹", -1e7: "−10⁷", 1.23456e7: "1.235·10⁷", -2.5e-10: "−2.5·10⁻¹⁰", 0.1: "0.1", 12345.678: "12,346", 0.00012345: "0.0001234",
	} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %q, want %q", x, got, want)
		}
	}
}

// Bins cover every episode once, whatever their number.
func TestBins(t *testing.T) {
	for n := 1; n < 3000; n += 1 + n/7 {
		for _, bins := range [][]bin{
			binEpisodes(n, 80, false), binEpisodes(n, 80, true),
			binEpisodes(n, 40, false), equalBins(n, 7), equalBins(n, 10_000),
		} {
			next := 0
			for _, b := range bins {
				if b.from != next || b.to <= b.from {
					t.Fatalf("%d episodes: bin %v follows episode %d", n, b, next)
				}
				next = b.to
			}
			if next != n || len(bins) > 500 {
				t.Fatalf("%d episodes: %d bins up to %d", n, len(bins), next)
			}
		}
	}
}

func TestThinKeepsExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	x, y := make([]float64, 100_000), make([]float64, 100_000)
	for i := range x {
		x[i], y[i] = float64(i), rng.NormFloat64()
	}
	tx, ty := thin(x, y)
	if len(tx) > maxPoints+1 || len(tx) != len(ty) || !slices.IsSorted(tx) {
		t.Fatalf("thin leaves %d and %d points", len(tx), len(ty))
	}
	if slices.Min(y) != slices.Min(ty) || slices.Max(y) != slices.Max(ty) || tx[0] != 0 || tx[len(tx)-1] != 99_999 {
		t.Errorf("thin loses an extreme or an end")
	}
	bx, lo, hi := thinBand(x, y, y)
	if len(bx) != len(lo) || len(bx) != len(hi) || slices.Min(lo) != slices.Min(y) || slices.Max(hi) != slices.Max(y) {
		t.Errorf("thinBand loses an extreme")
	}
}

func TestSpreadOut(t *testing.T) {
	at := []vg.Length{0, 1, 2, 50, 99, 100}
	spreadOut(at, 10, 0, 100)
	for i := range at {
		if i > 0 && at[i] < at[i-1]+10-1e-9 {
			t.Errorf("positions %v stand closer than 10", at)
		}
	}
	if at[len(at)-1] > 100 {
		t.Errorf("positions %v leave the range", at)
	}
}

// A grey print keeps the order of the beliefs.
func TestBeliefColorsGrowLighter(t *testing.T) {
	last := -1.0
	for i := range 101 {
		r, g, b, _ := beliefColor(float64(i) / 100).RGBA()
		if light := 0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b); light <= last {
			t.Fatalf("belief %v is no lighter than the one before", float64(i)/100)
		} else {
			last = light
		}
	}
}

func TestCellBorders(t *testing.T) {
	if got, want := cellBorders(-0.5, 2.5), []float64{0.5, 1.5}; !slices.Equal(got, want) {
		t.Errorf("borders inside (-0.5, 2.5): %v, want %v", got, want)
	}
	cellBorders(1<<53, 1<<53+100) // where x+1 may be x
}
