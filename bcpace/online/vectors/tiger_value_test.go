package vectors_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

// mostGrowls is how many more growls from one side TigerValue tries. At more of them the action at this number is played.
const mostGrowls = 4

// valueInTiger returns what a planner earns in 40 steps of Tiger, of whose latents it is told nothing but the list: 16.68 is optimal. It takes
// so many decisions at each number of growls more from one side, on which alone the belief depends; what the actions taken then earn
// is computed, so that few decisions are needed.
func valueInTiger(t *testing.T, of maker, decisions int) float64 {
	t.Helper()
	m, err := hidden.FromModel(envs.Tiger{})
	if err != nil {
		t.Fatal(err)
	}
	p := planner(t, of, m)
	var shares [mostGrowls + 1][3]float64 // of actions: listen, open left, open right
	for growls := range shares {
		s := []float64{0}
		b := plannertest.Begin(t, m, s)
		for range growls { // from the left
			if err := b.Update(s, 0, []float64{1}, nil); err != nil {
				t.Fatal(err)
			}
			s[0] = 1
		}
		for i := range decisions {
			d, err := p.Plan(t.Context(), s, b, rand.New(rand.NewPCG(uint64(growls), uint64(i))))
			if err != nil {
				t.Fatal(err)
			}
			shares[growls][d.Action] += 1 / float64(decisions)
		}
	}
	return tigerValue(shares, 40)
}

// tigerValue returns the value of those shares of actions for so many steps, by dynamic programming. shares[n] are those after n growls more
// from the left.
func tigerValue(shares [mostGrowls + 1][3]float64, steps int) float64 {
	var value [mostGrowls + 1]float64
	for range steps {
		var now [mostGrowls + 1]float64
		for n := range now {
			left := math.Pow(0.85, float64(n)) / (math.Pow(0.85, float64(n)) + math.Pow(0.15, float64(n)))
			growl := left*0.85 + (1-left)*0.15 // from the left
			after := growl*value[min(n+1, mostGrowls)] + (1-growl)*value[max(n-1, 1-n)]
			now[n] = shares[n][0]*(-1+0.95*after) + shares[n][1]*(10-110*left+0.95*value[0]) + shares[n][2]*(10-110*(1-left)+0.95*value[0])
		}
		value = now
	}
	return value[0]
}
