package envs_test

import (
	"fmt"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

func ExampleChain() {
	b := bcpace.Uniform(3) // slip 0.2, 0.5 or 0.8
	// A was chosen in state 1 and B executed: a slip.
	if err := bcpace.NewBayes(envs.Chain{}).Update(b, b, []float64{1}, 0, []float64{1}); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.3f\n", b)
	// Output: [0.133 0.333 0.533]
}

// TestChainExecuted expects the next state to tell which action was executed,
// and the reward to follow it, or the choice where Intended is set.
func TestChainExecuted(t *testing.T) {
	for _, length := range []int{2, 5, 9} {
		for _, intended := range []bool{false, true} {
			m := envs.Chain{Length: length, Intended: intended, Slips: []float64{0, 1}}
			for s := 1; s <= length; s++ {
				for action := range 2 {
					for slips := range 2 { // latent 1 always slips
						executed := (action + slips) % 2
						paid := executed
						if intended {
							paid = action
						}
						next := []float64{math.NaN()}
						out := m.Step(next, []float64{float64(s)}, slips, action, rng())
						wantNext, wantReward := 1, 0.0
						if executed == 0 {
							wantNext = min(s+1, length)
						}
						if paid == 1 {
							wantReward = 2
						} else if s == length {
							wantReward = 10
						}
						if next[0] != float64(wantNext) || out.Reward != wantReward || out.Done {
							t.Errorf("length %d, intended %t, state %d, action %d, slips %d: %+v in %v, want reward %v in %d", length, intended, s, action, slips, out, next, wantReward, wantNext)
						}
						if other := m.LogLikelihood([]float64{float64(s)}, action, next, 1-slips); !math.IsInf(other, -1) {
							t.Errorf("length %d, state %d: next state %v does not tell the executed action", length, s, next)
						}
					}
				}
			}
		}
	}
}

func TestChainValidate(t *testing.T) {
	for want, m := range map[string]envs.Chain{
		"length is 1":                    {Length: 1},
		"length is -5":                   {Length: -5},
		"slips is empty, want different": {Slips: []float64{}},
		"slips is 1.5":                   {Slips: []float64{1.5}},
		"slips is NaN":                   {Slips: []float64{math.NaN()}},
		"slips is 0.2 twice":             {Slips: []float64{0.2, 0.2}},
		"prior is 1 numbers, want 3":     {SlipPrior: []float64{1}},
		"prior is 0.5,0.5,0.5":           {SlipPrior: []float64{0.5, 0.5, 0.5}},
		"discount is 1, want":            {Discount: 1},
		"discount is -0.5, want":         {Discount: -0.5},
		"discount is NaN, want a value":  {Discount: math.NaN()},
	} {
		wantInputError(t, bcpace.Validate(m), want)
	}
	for want, m := range map[string]envs.Tiger{
		"accuracy is 1.1": {Accuracy: 1.1}, "accuracy is -0.1": {Accuracy: -0.1}, "accuracy is NaN": {Accuracy: math.NaN()}, "discount is 2": {Discount: 2},
	} {
		wantInputError(t, bcpace.Validate(m), want)
	}
}
