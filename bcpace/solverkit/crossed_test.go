package solverkit_test

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"

	"pgregory.net/rapid"
)

// TestCrossed: two bounds of one value never cross, by whatever sums they are computed and on any scale of rewards, and bounds do that are apart the wrong way, or are no
// numbers.
func TestCrossed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := math.Pow(10, float64(rapid.IntRange(-12, 12).Draw(t, "scale")))
		s := bcpace.Spec{RewardMin: -scale, RewardMax: scale}
		there, back := 0.0, 0.0
		rewards := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 200).Draw(t, "rewards")
		for i := range rewards {
			there, back = there+scale*rewards[i], back+scale*rewards[len(rewards)-1-i]
		}
		if solverkit.Crossed(s, there, back) || solverkit.Crossed(s, back, there) {
			t.Errorf("%v and %v cross, which are one sum", there, back)
		}
		apart := 1e-6 * max(scale, math.Abs(there))
		if solverkit.Crossed(s, there-apart, there) || !solverkit.Crossed(s, there+apart, there) {
			t.Errorf("bounds that are %v apart around %v: want those to cross of which the lower one is above", apart, there)
		}
	})
	inf := math.Inf(1)
	for _, x := range []struct {
		lower, upper float64
		crossed      bool
	}{{-inf, inf, false}, {0, inf, false}, {-inf, 0, false}, {inf, inf, true}, {-inf, -inf, true}, {inf, 0, true}, {0, -inf, true}, {math.NaN(), 0, true}, {0, math.NaN(), true}} {
		if solverkit.Crossed(bcpace.Spec{RewardMax: 1}, x.lower, x.upper) != x.crossed {
			t.Errorf("%v and %v: want crossed %v", x.lower, x.upper, x.crossed)
		}
	}
}
