package envs

import (
	"math"
	"testing"

	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// clippedMean is E[min(max(X, 0), top)] for X ~ N(mu, σ²), in closed form:
// ∫ from 0 to top of P(X > x) dx, with σ(zΦ(z) + density(z)) as the integral
// of Φ.
func clippedMean(mu, sigma, top float64) float64 {
	integral := func(z float64) float64 { return sigma * (z*phi(z) + density(z)) }
	return integral(mu/sigma) - integral((mu-top)/sigma)
}

// TestRule expects weights that are not negligible and sum to 1, exact atoms at the walls, places in
// order, and the right mean.
func TestRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := float64(rapid.IntRange(1, 50).Draw(t, "top"))
		mu := envtest.Evenly(-1, top+1).Draw(t, "mu")
		if rapid.Bool().Draw(t, "whole") {
			mu = math.Round(mu)
		}
		sigma := math.Exp(rapid.Float64Range(math.Log(1e-6), math.Log(10)).Draw(t, "log sigma"))
		nodes := rapid.IntRange(1, darkNodesMax).Draw(t, "nodes")
		var q rule
		q.fill(mu, sigma, top, nodes)
		if q.n < 1 || q.n > nodes+2 {
			t.Fatalf("%d places for %d nodes", q.n, nodes)
		}
		sum, mean, low, high := 0.0, 0.0, 0.0, 0.0
		for i, x := range q.at[:q.n] {
			w := q.weight[i]
			sum += w
			mean += w * x
			switch {
			case !(w > 0.99*negligible/float64(nodes)) || !(x >= 0 && x <= top) || i > 0 && x <= q.at[i-1]:
				t.Fatalf("place %d is %v with weight %v, after %v", i, x, w, q.at[max(i-1, 0)])
			case x == 0:
				low = w
			case x == top:
				high = w
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("weights sum to %v", sum)
		}
		if want := phi(-mu / sigma); math.Abs(low-want) > 1e-11 {
			t.Errorf("weight %v at 0, want %v", low, want)
		}
		if want := phi((mu - top) / sigma); math.Abs(high-want) > 1e-11 {
			t.Errorf("weight %v at the other wall, want %v", high, want)
		}
		if want := clippedMean(mu, sigma, top); math.Abs(mean-want) > 1e-9*(top+sigma) {
			t.Errorf("mean %v, want %v", mean, want)
		}
	})
}

// TestRuleFarWall: from beyond a wall, the other one is some 38 deviations away, where
// its probability is the least that a float64 holds. Times another it would be 0.
func TestRuleFarWall(t *testing.T) {
	for _, sigma := range []float64{0.13, 0.14, 0.2} {
		for mu, at := range map[float64]float64{-1: 0, 5: 4} {
			var q rule
			if q.fill(mu, sigma, 4, 5); q.at[0] != at && q.at[q.n-1] != at || q.n > 1 && sigma < 0.14 {
				t.Errorf("σ = %v from %v: places %v with weights %v", sigma, mu, q.at[:q.n], q.weight[:q.n])
			}
			for _, w := range q.weight[:q.n] {
				if w < negligible/5 {
					t.Errorf("σ = %v from %v: a weight of %v", sigma, mu, w)
				}
			}
		}
	}
}

// TestLogPhi compares with values of Φ, and the two branches where they meet.
func TestLogPhi(t *testing.T) {
	for z, want := range map[float64]float64{
		0: math.Log(0.5), -1: -1.8410216450092636, -10: -53.231285150512, // Abramowitz and Stegun 26.2
		// log of the leading terms at −1000: −z²/2 − log(1000·√(2π)) − 10⁻⁶
		-1000: -500007.826694814,
	} {
		if got := logPhi(z); math.Abs(got-want) > 1e-6*max(1, math.Abs(want)/1e3) {
			t.Errorf("log Φ(%v) is %v, want %v", z, got, want)
		}
	}
	if a, b := logPhi(-20), logPhi(math.Nextafter(-20, 0)); math.Abs(a-b) > 1e-8 {
		t.Errorf("log Φ jumps from %v to %v at −20", a, b)
	}
	if !(logPhi(-1e8) > math.Inf(-1)) {
		t.Error("log Φ(−10⁸) underflows")
	}
}

// TestLogClippedNormal integrates the mixed measure to 1.
func TestLogClippedNormal(t *testing.T) {
	for _, x := range []struct{ mu, sigma, top float64 }{{2, 0.5, 4}, {-0.5, 0.7, 4}, {4.2, 2, 4}} {
		const n = 100_000
		sum := math.Exp(logClippedNormal(0, x.mu, x.sigma, x.top)) + math.Exp(logClippedNormal(x.top, x.mu, x.sigma, x.top))
		h := x.top / n
		for i := range n {
			sum += h * math.Exp(logClippedNormal((float64(i)+0.5)*h, x.mu, x.sigma, x.top))
		}
		if math.Abs(sum-1) > 1e-8 {
			t.Errorf("%+v: the measure of the room is %v", x, sum)
		}
	}
}
