package answer

import (
	"math"
	"testing"

	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// tigerChain solves a Tiger problem without beliefs as such. From a belief the agent can only
// reach those that differ from it by the number of times that it has heard one side more
// often than the other, which is the state of a chain with one dimension. An opened door
// leads to the chain of the even belief. The result are the values of the actions, as listed,
// by the probability that the tiger is left.
func tigerChain(q TigerQuestion) func(left float64) [3]float64 {
	const far = 60 // heard so much more often, one more time tells nothing
	ratio := q.Accuracy / (1 - q.Accuracy)
	solve := func(left float64, even func(at func(k int) float64) float64) [3]float64 {
		value, next := make([]float64, 2*far+1), make([]float64, 2*far+1)
		at := func(k int) float64 { return value[k+far] }
		// By k: what the doors pay, and the probability to hear the tiger left.
		var doors [2*far + 1][2]float64
		var hearsLeft [2*far + 1]float64
		for k := -far; k <= far; k++ {
			odds := left / (1 - left) * math.Pow(ratio, float64(k))
			b := odds / (1 + odds)
			doors[k+far] = [2]float64{(1-b)*10 - b*q.Penalty, b*10 - (1-b)*q.Penalty}
			hearsLeft[k+far] = b*q.Accuracy + (1-b)*(1-q.Accuracy)
		}
		actions := func(i int, after float64) [3]float64 {
			a := [3]float64{math.Inf(-1), doors[i][0] + after, doors[i][1] + after}
			if i > 0 && i < 2*far {
				a[0] = -1 + q.Discount*(hearsLeft[i]*value[i+1]+(1-hearsLeft[i])*value[i-1])
			}
			return a
		}
		for range int(math.Log(1e-12) / math.Log(q.Discount)) {
			after := q.Discount * even(at)
			for i := range next {
				a := actions(i, after)
				next[i] = max(a[0], a[1], a[2])
			}
			value, next = next, value
		}
		return actions(far, q.Discount*even(at))
	}
	a := solve(0.5, func(at func(int) float64) float64 { return at(0) })
	even := max(a[0], a[1], a[2])
	return func(left float64) [3]float64 {
		if left == 0 || left == 1 { // listening tells nothing there
			open := 10 + q.Discount*even
			sure := [3]float64{-1 + q.Discount*open, -q.Penalty + q.Discount*even, open}
			if left == 0 {
				sure[1], sure[2] = sure[2], sure[1]
			}
			return sure
		}
		return solve(left, func(func(int) float64) float64 { return even })
	}
}

// tigerEnd returns where opening the left door ceases to be the best.
func tigerEnd(q TigerQuestion) float64 {
	chain := tigerChain(q)
	from, to := 0.0, 0.5
	for range 20 {
		middle := (from + to) / 2
		if a := chain(middle); a[1] >= a[0] {
			from = middle
		} else {
			to = middle
		}
	}
	return (from + to) / 2
}

// The reference solves the even belief of Tiger as SARSOP does.
func TestTigerChain(t *testing.T) {
	if a := tigerChain(TigerQuestion{Accuracy: 0.85, Discount: 0.95, Penalty: 100})(0.5); math.Abs(a[0]-19.3714) > 1e-4 {
		t.Errorf("listening at the even belief is worth %v, want 19.3714", a[0])
	}
}

// checkEnds wants every end of a region within one unit of its last decimal, and the same
// regions from both sides.
func checkEnds(t rapid.TB, q TigerQuestion) *TigerAnswer {
	t.Helper()
	a, err := Tiger(q)
	if err != nil {
		t.Fatal(err)
	}
	unit := math.Pow(10, -float64(a.Digits))
	printed := func(x float64) float64 { return math.Round(x/unit) * unit }
	end := tigerEnd(q)
	if r := a.Regions[0]; r.Action != 1 || math.Abs(printed(r.To)-end) > unit {
		t.Errorf("%+v: the first of the regions %+v, with %d decimals, want it to end at %v", q, a.Regions, a.Digits, end)
	}
	for i, r := range a.Regions {
		s := a.Regions[len(a.Regions)-1-i]
		if math.Abs(r.From+s.To-1) > 1e-9 || r.Action != []int{0, 2, 1}[s.Action] {
			t.Errorf("%+v: the regions %+v are not the same from both sides", q, a.Regions)
		}
	}
	return a
}

func TestTigerRegions(t *testing.T) {
	a := checkEnds(t, TigerQuestion{Accuracy: 0.85, Discount: 0.95, Penalty: 100, Trials: 1})
	if a.Digits < 2 || len(a.Regions) != 3 || math.Abs(a.Regions[0].To-0.03965) > 1e-4 {
		t.Errorf("the regions are %+v with %d decimals, want three, the first to 0.03965, with two decimals at least", a.Regions, a.Digits)
	}
	a = checkEnds(t, TigerQuestion{Accuracy: 0.99, Discount: 0.95, Penalty: 1, Trials: 1})
	if len(a.Regions) != 2 || math.Abs(a.Regions[0].To-0.5) > 1e-9 || a.Digits != 4 {
		t.Errorf("the regions are %+v with %d decimals, want two that meet at 0.5", a.Regions, a.Digits)
	}
}

// A number that is off by less than half a unit of its last decimal is printed with that one
// right to one unit.
func TestDecimals(t *testing.T) {
	for off, want := range map[float64]int{0: 4, 1e-300: 4, 4.9e-5: 4, 5.1e-5: 3, 0.0049: 2, 0.0051: 1, 0.049: 1, 0.051: 0, 1: 0} {
		if got := decimals(off); got != want {
			t.Errorf("of a number that may be off by %v, %d decimals are right, want %d", off, got, want)
		}
	}
}

func TestTigerRegionsOfOthers(t *testing.T) {
	fewerExamples(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		checkEnds(t, TigerQuestion{Accuracy: envtest.Evenly(0.6, 0.99).Draw(t, "accuracy"),
			Discount: envtest.Evenly(0.5, 0.98).Draw(t, "discount"), Penalty: envtest.Evenly(1, 200).Draw(t, "penalty"), Trials: 1})
	})
}
