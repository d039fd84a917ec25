package stat

import "math"

// Bet tests whether draws x ≥ −1 have a mean of at most 0, by betting: wealth
// Π(1 + λx) is then a supermartingale, and exceeds e^l at any time with
// probability at most e^−l (Ville). The mean of several stakes λ is one, too.
// It needs no bound on x from above, and finds a small constant difference
// quickly.
type Bet struct {
	wealth [3]float64 // logs
}

var (
	stakes    = [3]float64{0.9, 0.1, 0.01}
	logStakes = math.Log(float64(len(stakes)))
)

// Put bets on x, and reports whether the wealth has come to exceed e^l.
func (b *Bet) Put(x, l float64) bool {
	if x == 0 {
		return false
	}
	for i, stake := range stakes {
		b.wealth[i] += math.Log1p(stake * x)
		if b.wealth[i]-logStakes > l {
			return true
		}
	}
	return false
}
