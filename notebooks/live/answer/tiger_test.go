package answer

import (
	"math"
	"slices"
	"testing"

	"bayescpace/envs"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

func TestTigerWithAPenaltyIsAModel(t *testing.T) {
	for _, penalty := range []float64{1, 50, 200} {
		envtest.Run(t, tiger{envs.Tiger{Accuracy: 0.7}, penalty})
	}
}

// The optimal value of Tiger at the even belief is 19.3714 (see envs.Tiger).
func TestTigerAtTheEvenBelief(t *testing.T) {
	a, err := Tiger(TigerQuestion{Accuracy: 0.85, Discount: 0.95, Penalty: 100, Trials: trialsMost})
	if err != nil {
		t.Fatal(err)
	}
	const even, optimal = tigerBeliefs / 2, 19.3714
	for name, b := range map[string]Bracket{"Optimal": a.Optimal, "Step": a.Step} {
		if !(b.Lower[even] <= optimal && optimal <= b.Upper[even] && b.Upper[even]-b.Lower[even] <= tigerEpsilon) {
			t.Errorf("%s is [%v, %v] at the even belief, want %v within %v", name, b.Lower[even], b.Upper[even], optimal, tigerEpsilon)
		}
	}
}

// Where the tiger is cheap and the future counts little, the best policy opens a door at
// once, again and again: it earns (½·10 − ½·1)/(1 − γ), while one that listens first, to
// ears that are always right, earns (10γ − 1)/(1 − γ²) at most.
func TestTigerThatIsCheap(t *testing.T) {
	a, err := Tiger(TigerQuestion{Accuracy: 0.99, Discount: 0.5, Penalty: 1, Trials: trialsMost})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Optimal.Lower[tigerBeliefs/2]; math.Abs(got-9) > tigerEpsilon {
		t.Errorf("the value at the even belief is %v, want 9", got)
	}
}

func TestTigerBrackets(t *testing.T) {
	fewerExamples(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		q := TigerQuestion{
			Accuracy: envtest.Evenly(0.6, 0.99).Draw(t, "accuracy"), Discount: envtest.Evenly(0.5, 0.98).Draw(t, "discount"),
			Penalty: envtest.Evenly(1, 200).Draw(t, "penalty"), Trials: rapid.IntRange(1, 100).Draw(t, "trials"),
		}
		a, err := Tiger(q)
		if err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, tigerBeliefs).Draw(t, "belief")
		if actions := tigerChain(q)(a.Belief[at]); !(a.Optimal.Lower[at] <= slices.Max(actions[:])+1e-6 && slices.Max(actions[:]) <= a.Optimal.Upper[at]+1e-6) {
			t.Fatalf("the value at belief %v lies in [%v, %v], want that of the best of %v there", a.Belief[at], a.Optimal.Lower[at], a.Optimal.Upper[at], actions)
		}
		for i, lower := range a.Optimal.Lower {
			upper := a.Optimal.Upper[i]
			if !(lower <= upper+1e-9 && upper-lower <= a.Within+1e-12) {
				t.Fatalf("at belief %v the bracket [%v, %v] is empty or wider than %v", a.Belief[i], lower, upper, a.Within)
			}
			if !(a.Step.Lower[i] <= upper+1e-9 && lower <= a.Step.Upper[i]+1e-9) {
				t.Fatalf("at belief %v the bounds [%v, %v] after %d trials and [%v, %v] exclude each other", a.Belief[i], a.Step.Lower[i], a.Step.Upper[i], a.Trials, lower, upper)
			}
		}
		chain := tigerChain(q)(0.5)
		optimal, end := max(chain[0], chain[1], chain[2]), len(a.Trace.Lower)-1
		for i, lower := range a.Trace.Lower {
			if upper := a.Trace.Upper[i]; !(lower <= optimal+1e-6 && optimal <= upper+1e-6) {
				t.Fatalf("after trial %d the value at the even belief lies in [%v, %v], want %v there", i+1, lower, upper, optimal)
			}
		}
		if gap := a.Trace.Upper[end] - a.Trace.Lower[end]; gap > tigerEpsilon {
			t.Fatalf("the search ends with a gap of %v, more than %v", gap, tigerEpsilon)
		}
		if i := a.Trials - 1; math.Abs(a.Step.Lower[tigerBeliefs/2]-a.Trace.Lower[i])+math.Abs(a.Step.Upper[tigerBeliefs/2]-a.Trace.Upper[i]) > 1e-9 {
			t.Fatalf("after %d trials the bounds at the even belief are %v and %v, in the trace %v and %v", a.Trials, a.Step.Lower[tigerBeliefs/2], a.Step.Upper[tigerBeliefs/2], a.Trace.Lower[i], a.Trace.Upper[i])
		}
		from := 0.0
		for _, r := range a.Regions {
			if r.From != from || !(r.To >= r.From) {
				t.Fatalf("the regions %+v do not follow each other", a.Regions)
			}
			from = r.To
		}
		if from != 1 {
			t.Fatalf("the regions %+v end before 1", a.Regions)
		}
	})
}
