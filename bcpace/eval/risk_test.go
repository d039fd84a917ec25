package eval_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
)

// TestRiskCovers: the intervals of the tail and of quantiles hold those of a distribution whose tail is known. Each fails with probability 0.05 at
// most, so that more than 50 of 400 do with a probability below 10⁻⁷.
func TestRiskCovers(t *testing.T) {
	const low, high = -1.0, 3.0
	missed := make(map[string]int)
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 5))
		r := eval.Result{Range: [2]float64{low, high}}
		n := 5 + rng.IntN(300)
		for range n { // with density 2(x − low)/(high − low)²
			r.Returns = append(r.Returns, low+(high-low)*math.Sqrt(rng.Float64()))
		}
		share := 0.05 + 0.95*rng.Float64()
		quantile := low + (high-low)*math.Sqrt(share)
		mean := low + (high-low)*2./3*math.Sqrt(share)
		for what, x := range map[string]struct {
			of   func(float64) (eval.Interval, error)
			want float64
		}{"CVaR": {r.CVaR, mean}, "Quantile": {r.Quantile, quantile}} {
			i, err := x.of(share)
			if err != nil || !(i.Lo <= i.Mean+1e-12 && i.Mean <= i.Hi+1e-12 && i.Lo >= low-1e-12 && i.Hi <= high+1e-12) {
				t.Fatalf("seed %d: %s of %v is %v, %v", seed, what, share, i, err)
			}
			if x.want < i.Lo || x.want > i.Hi {
				missed[what]++
			}
		}
	}
	for what, n := range missed {
		if n > 50 {
			t.Errorf("%s misses %d of 400 times", what, n)
		}
	}
}

// TestRisk has a distribution by hand.
func TestRisk(t *testing.T) {
	r := eval.Result{Returns: []float64{5, 1, 3, 2, 4}, Range: [2]float64{0, 6}}
	for _, x := range []struct{ share, tail, quantile float64 }{{0.2, 1, 1}, {0.4, 1.5, 2}, {0.5, 1.8, 3}, {1, 3, 5}} {
		tail, err := r.CVaR(x.share)
		if err != nil || math.Abs(tail.Mean-x.tail) > 1e-12 {
			t.Errorf("CVaR of %v: %v, %v, want %v", x.share, tail, err, x.tail)
		}
		q, err := r.Quantile(x.share)
		if err != nil || q.Mean != x.quantile || q.Lo > q.Mean || q.Hi < q.Mean {
			t.Errorf("quantile of %v: %v, %v, want %v", x.share, q, err, x.quantile)
		}
	}
	for _, share := range []float64{0, -1, 2, math.NaN()} {
		if _, err := r.CVaR(share); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("CVaR of %v: %v", share, err)
		}
	}
	if _, err := (eval.Result{}).Quantile(0.5); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("quantile of nothing: %v", err)
	}
}
