package answer

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

func TestSimplexIsBayesRule(t *testing.T) {
	fewerExamples(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		q := SimplexQuestion{}
		discount := envtest.Evenly(0.5, 0.95).Draw(t, "discount")
		if rapid.Bool().Draw(t, "boxes") {
			q.Boxes = &Boxes{Accuracy: envtest.Evenly(0.5, 0.98).Draw(t, "accuracy"), Cost: envtest.Evenly(0, 30).Draw(t, "cost"), Discount: discount}
		} else {
			q.Chain = &SlipChain{State: rapid.IntRange(1, 5).Draw(t, "state"), Spread: envtest.Evenly(0.2, 0.45).Draw(t, "spread"), Discount: discount}
		}
		x, y := envtest.Evenly(0, 1).Draw(t, "x"), envtest.Evenly(0, 1).Draw(t, "y")
		q.Belief = [3]float64{1 - max(x, y), math.Abs(x - y), min(x, y)}
		a, err := Simplex(q)
		if err != nil {
			t.Fatal(err)
		}
		if !(a.Lower <= a.Upper+1e-9 && a.Upper-a.Lower <= simplexEpsilon+1e-9) {
			t.Fatalf("the bracket is [%v, %v]", a.Lower, a.Upper)
		}
		best := math.Inf(-1)
		for action, f := range a.Follows {
			total := 0.0
			for _, o := range f.Outcomes {
				total += o.Prob
				joint := 0.0
				for latent, p := range o.Likelihood {
					joint += p * q.Belief[latent]
				}
				if math.Abs(joint-o.Prob) > 1e-12 {
					t.Fatalf("%s after %s has probability %v, want %v", o.Name, a.Actions[action], o.Prob, joint)
				}
				for latent, p := range o.Likelihood {
					if want := p * q.Belief[latent] / joint; joint > 0 && math.Abs(o.Belief[latent]-want) > 1e-9 {
						t.Fatalf("after %s the belief is %v, want %v for latent %d", o.Name, o.Belief, want, latent)
					}
				}
			}
			if math.Abs(total-1) > 1e-12 {
				t.Fatalf("what follows %s has probability %v in all", a.Actions[action], total)
			}
			best = max(best, f.Value)
		}
		// One step ahead of the policy's value earns at least as much.
		if !(best >= a.Lower-1e-9 && best <= a.Upper+1e-9) {
			t.Fatalf("the best action earns %v, outside of [%v, %v]", best, a.Lower, a.Upper)
		}
	})
}

// An action is worth its reward now and the discounted value of what the policy earns after
// each outcome.
func TestSimplexFollows(t *testing.T) {
	fewerExamples(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		x, y := envtest.Evenly(0, 1).Draw(t, "x"), envtest.Evenly(0, 1).Draw(t, "y")
		q := SimplexQuestion{Belief: [3]float64{1 - max(x, y), math.Abs(x - y), min(x, y)}}
		discount := envtest.Evenly(0.5, 0.95).Draw(t, "discount")
		var rewards []float64
		if rapid.Bool().Draw(t, "boxes") {
			q.Boxes = &Boxes{Accuracy: envtest.Evenly(0.5, 0.98).Draw(t, "accuracy"), Cost: envtest.Evenly(0, 30).Draw(t, "cost"), Discount: discount}
			rewards = []float64{-1}
			for _, p := range q.Belief {
				rewards = append(rewards, 10*p-q.Boxes.Cost*(1-p))
			}
		} else {
			q.Chain = &SlipChain{State: rapid.IntRange(1, 5).Draw(t, "state"), Spread: float64(rapid.IntRange(20, 45).Draw(t, "hundredths of spread")) / 100, Discount: discount}
			slip := 0.5 + q.Chain.Spread*(q.Belief[2]-q.Belief[0])
			up := 0.0
			if q.Chain.State == 5 {
				up = 10
			}
			rewards = []float64{(1-slip)*up + slip*2, slip*up + (1-slip)*2}
		}
		a, err := Simplex(q)
		if err != nil {
			t.Fatal(err)
		}
		m, state, err := q.model()
		if err != nil {
			t.Fatal(err)
		}
		run, err := searchSimplex(m, bcpace.StartPoint{State: state, Belief: q.Belief[:]})
		if err != nil {
			t.Fatal(err)
		}
		for action, f := range a.Follows {
			want := rewards[action]
			for _, o := range f.Outcomes {
				if !o.Ends && o.Prob > 0 {
					lower, _ := bounds(run, bcpace.StartPoint{State: []float64{float64(o.State)}, Belief: o.Belief[:]})
					want += discount * o.Prob * lower
				}
			}
			if math.Abs(f.Value-want) > 1e-9 {
				t.Errorf("%s at %+v is worth %v, want %v", a.Actions[action], q, f.Value, want)
			}
		}
	})
}

// Where the agent knows which box holds the prize, it opens that one for 10; and opening at
// once under the even belief earns (10 − 2·cost)/3.
func TestSimplexCorners(t *testing.T) {
	a, err := Simplex(SimplexQuestion{Boxes: &Boxes{Accuracy: 0.6, Cost: 5, Discount: 0.9}, Belief: [3]float64{0, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Actions[a.Best] != "open 2" || math.Abs(a.Lower-10) > simplexEpsilon {
		t.Errorf("the best action is %s, worth %v; want open 2, worth 10", a.Actions[a.Best], a.Lower)
	}
	for i, b := range a.Grid {
		for latent, p := range b {
			if p == 1 && a.Action[i] != latent+1 {
				t.Errorf("at belief %v the action is %s", b, a.Actions[a.Action[i]])
			}
		}
	}
	if got := len(a.Grid); got != (simplexGrid+1)*(simplexGrid+2)/2 {
		t.Errorf("%d beliefs", got)
	}
	third := 1.0 / 3
	a, err = Simplex(SimplexQuestion{Boxes: &Boxes{Accuracy: 0.6, Cost: 5, Discount: 0.9}, Belief: [3]float64{third, third, 1 - 2*third}})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Follows[1].Value; math.Abs(got-0) > 1e-9 {
		t.Errorf("opening box 1 earns %v, want 0", got)
	}
}
