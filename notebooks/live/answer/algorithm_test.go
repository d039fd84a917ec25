package answer

import (
	"flag"
	"math"
	"slices"
	"strconv"
	"testing"

	"bayescpace/bcpace/cpace"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// TestAlgorithmStepByStepOfFewer is TestAlgorithmStepByStep with fewer examples.
func TestAlgorithmStepByStepOfFewer(t *testing.T) {
	fewerExamples(t, 10)
	rapid.Check(t, algorithmStepByStep)
}

// The estimate is the mean of what its k neighbours count, and a further sample adds exactly
// the one that was announced.
func algorithmStepByStep(t *rapid.T) {
	q := AlgorithmQuestion{
		Accuracy: envtest.Evenly(0.6, 0.99).Draw(t, "accuracy"), Epsilon: envtest.Evenly(1, 50).Draw(t, "epsilon"), LipQ: envtest.Evenly(5, 200).Draw(t, "L_Q"),
		K: rapid.IntRange(1, 20).Draw(t, "k"), Bound: rapid.SampledFrom([]cpace.Bound{cpace.BoundConstant, cpace.BoundBestCase, cpace.BoundQMDP}).Draw(t, "bound"),
		Seed: rapid.Uint64().Draw(t, "seed"), Samples: rapid.IntRange(0, algorithmSamples).Draw(t, "samples"),
		Left: float64(rapid.IntRange(0, algorithmBeliefs).Draw(t, "left")) / algorithmBeliefs, Action: rapid.IntRange(0, 2).Draw(t, "action"),
	}
	a, err := Algorithm(q)
	if err != nil {
		t.Fatal(err)
	}
	n := min(q.Samples, a.Total)
	if len(a.Samples) != n || (a.Next == nil) != (n == a.Total) {
		t.Fatalf("%d samples of %d, next %+v", len(a.Samples), a.Total, a.Next)
	}
	x, at := a.Explained, int(math.Round(q.Left*algorithmBeliefs))
	if got := a.Estimates[q.Action]; math.Abs(got.Q[at]-x.Q) > 1e-9 || got.Known[at] != x.Known {
		t.Fatalf("the curve has %v, known %v; explained is %v, %v", got.Q[at], got.Known[at], x.Q, x.Known)
	}
	if want := q.Epsilon / x.LipQ; math.Abs(a.Radius-want) > 1e-12 || x.LipQ != 2*q.LipQ {
		t.Fatalf("the radius is %v with L_Q̃ = %v; want %v with %v", a.Radius, x.LipQ, want, 2*q.LipQ)
	}
	even := math.Inf(-1)
	for _, e := range a.Estimates {
		even = max(even, e.Q[algorithmBeliefs/2])
	}
	if a.Value != even {
		t.Fatalf("the value at the even belief is %v, and the largest estimate there is %v", a.Value, even)
	}
	actions := tigerChain(TigerQuestion{Accuracy: q.Accuracy, Discount: algorithmDiscount, Penalty: 100})(a.Belief[at])
	if optimal := slices.Max(actions[:]); !(a.Optimal[at] <= optimal+1e-6 && optimal <= a.Optimal[at]+a.OptimalWithin+1e-6) {
		t.Fatalf("the optimal value at belief %v is said to be %v or up to %v more, want %v", a.Belief[at], a.Optimal[at], a.OptimalWithin, optimal)
	}
	mean := float64(x.Missing) * x.Upper
	for _, y := range x.Neighbours {
		s := a.Samples[y.Sample]
		if want := min(x.LipQ*2*math.Abs(s.Left-q.Left)+s.Value, x.Upper); s.Action != q.Action || math.Abs(y.Term-want) > 1e-7 {
			t.Fatalf("sample %+v counts %v, want %v", s, y.Term, want)
		}
		mean += y.Term
	}
	if mean /= float64(q.K); math.Abs(mean-x.Q) > 1e-7 {
		t.Fatalf("the estimate is %v, and its parts have mean %v", x.Q, mean)
	}
	if n == a.Total {
		return
	}
	q.Samples++
	b, err := Algorithm(q)
	if err != nil {
		t.Fatal(err)
	}
	last := b.Samples[n]
	last.Value = 0
	if last != *a.Next {
		t.Fatalf("the sample after %d is %+v, and was announced as %+v", n, last, *a.Next)
	}
	for i := range a.Estimates {
		for j, v := range a.Estimates[i].Q {
			if b.Before[i].Q[j] != v {
				t.Fatalf("the estimate of action %d at belief %v was %v, and is said to have been %v", i, a.Belief[j], v, b.Before[i].Q[j])
			}
		}
	}
}

// fewerExamples has rapid.Check try n examples until the end of a test, unless the command
// line says how many.
func fewerExamples(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if before != checks.DefValue {
		return
	}
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { checks.Value.Set(before) })
}
