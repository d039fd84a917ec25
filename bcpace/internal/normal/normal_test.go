package normal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"
)

// evenly draws a place as envtest.Evenly does, which imports this package.
func evenly(low, high float64) *rapid.Generator[float64] {
	return rapid.Map(rapid.SliceOfN(rapid.Bool(), 12, 12), func(bits []bool) float64 {
		n := 0
		for _, one := range bits {
			if n *= 2; one {
				n++
			}
		}
		return low + (high-low)*float64(n)/(1<<12-1)
	})
}

// drawNoise draws a distribution with some means, at most far σ apart, and where mixed is set a
// standard deviation for each.
func drawNoise(t *rapid.T, far float64, mixed bool) (n Noise, means, sigmas []float64) {
	n = Noise{Min: evenly(-5, 0).Draw(t, "min"), Max: evenly(0.5, 5).Draw(t, "max"), Wraps: rapid.Bool().Draw(t, "wraps")}
	n.Sigma = rapid.Float64Range(0.01, (n.Max-n.Min)/4).Draw(t, "sigma")
	centre := evenly(n.Min-n.Sigma, n.Max+n.Sigma).Draw(t, "centre")
	for range rapid.IntRange(1, 5).Draw(t, "means") {
		means = append(means, centre+n.Sigma*evenly(-far, far).Draw(t, "offset"))
		if mixed {
			sigmas = append(sigmas, n.Sigma*math.Exp(-rapid.Float64Range(0, 4).Draw(t, "narrower")))
		}
	}
	return n, means, sigmas
}

// TestRule expects places on the axis, each once and none without a probability, that sum to
// 1 under every mean, and have the mean, but for what is beyond a limit, of the distribution.
func TestRule(t *testing.T) {
	var r Rule
	rapid.Check(t, func(t *rapid.T) {
		n, means, sigmas := drawNoise(t, rapid.SampledFrom([]float64{0, 0.3, 2, 30}).Draw(t, "far"), rapid.Bool().Draw(t, "mixed"))
		around := func(k int) *Noise {
			n := n
			if sigmas != nil {
				n.Sigma = sigmas[k]
			}
			return &n
		}
		nodes := rapid.IntRange(1, 9).Draw(t, "nodes")
		r.Fill(&n, means, sigmas, nodes)
		at := slices.Clone(r.At)
		slices.Sort(at)
		if len(slices.Compact(at)) != len(r.At) {
			t.Fatalf("%v twice", r.At)
		}
		for i, x := range r.At {
			if x < n.Min || x > n.Max {
				t.Fatalf("%v is off [%v, %v]", x, n.Min, n.Max)
			}
			top := 0.0
			for k, mean := range means {
				p := r.Prob(i, k)
				top = max(top, p)
				if !(p >= 0 && p <= 1+1e-12) || p > 0 && math.IsInf(around(k).Log(x, mean), 0) {
					t.Fatalf("probability %v of %v around %v, whose log density is %v", p, x, mean, around(k).Log(x, mean))
				}
			}
			if top == 0 {
				t.Fatalf("%v has no probability", x)
			}
		}
		if most := len(means)*(nodes+8) + 2; len(r.At) > most {
			t.Fatalf("%d places for %d means, want %d at most", len(r.At), len(means), most)
		}
		for k, mean := range means {
			sum, got := 0.0, 0.0
			for i, x := range r.At {
				sum += r.Prob(i, k)
				if n.Wraps {
					x = mean + math.Remainder(x-mean, n.Max-n.Min)
				}
				got += r.Prob(i, k) * x
			}
			if math.Abs(sum-1) > 1e-11 {
				t.Fatalf("probabilities around %v sum to %v", mean, sum)
			}
			σ := around(k).Sigma
			want, tolerance := mean, 0.03*σ
			if !n.Wraps {
				want = clippedMean(around(k), mean)
				tolerance = 1.2 / float64(nodes) * σ
			}
			if nodes > 2 && n.Sigma < (n.Max-n.Min)/12 && math.Abs(got-want) > tolerance {
				t.Fatalf("mean %v around %v, want %v, σ is %v: %v", got, mean, want, σ, r)
			}
		}
	})
}

// clippedMean returns the mean of a distribution that stops at its limits.
func clippedMean(n *Noise, mean float64) float64 {
	a, b := (n.Min-mean)/n.Sigma, (n.Max-mean)/n.Sigma
	return n.Min*CDF(a) + n.Max*CDF(-b) + mean*mass(a, b) + n.Sigma*(Density(a)-Density(b))
}

// TestRuleOfOne expects strata of equal probability with mean and variance of the
// distribution where there is one mean, and no limit is near.
func TestRuleOfOne(t *testing.T) {
	n := Noise{Min: -100, Max: 100, Sigma: 2}
	var r Rule
	for nodes := 2; nodes < 9; nodes++ {
		r.Fill(&n, []float64{1, 1}, nil, nodes)
		mean, variance := 0.0, 0.0
		for i, x := range r.At {
			if p := r.Prob(i, 1); math.Abs(p-1/float64(nodes)) > 1e-12 {
				t.Errorf("%d nodes: probability %v", nodes, p)
			}
			mean += x / float64(nodes)
			variance += (x - 1) * (x - 1) / float64(nodes)
		}
		if len(r.At) != nodes || math.Abs(mean-1) > 1e-12 || math.Abs(variance-4) > 1e-12 {
			t.Errorf("%d nodes: %v, mean %v and variance %v", nodes, r.At, mean, variance)
		}
	}
}

// TestRuleOfEach expects mean and variance of each of the distributions, where these differ in both
// and no limit is near, and no cell with more than its share of one.
func TestRuleOfEach(t *testing.T) {
	n := Noise{Min: -1000, Max: 1000, Sigma: 1}
	var r Rule
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(3, 12).Draw(t, "nodes")
		var means, sigmas []float64
		for range rapid.IntRange(1, 5).Draw(t, "distributions") {
			means = append(means, evenly(-3, 3).Draw(t, "mean"))
			sigmas = append(sigmas, math.Exp(rapid.Float64Range(-3, 1).Draw(t, "log σ")))
		}
		r.Fill(&n, means, sigmas, nodes)
		off := 2 / float64(nodes)
		for k, σ := range sigmas {
			mean, square := 0.0, 0.0
			for i, x := range r.At {
				if p := r.Prob(i, k); p > 1.4/float64(nodes) { // 1.25, and what the shift to the mean adds
					t.Errorf("probability %v of %v with %d nodes", p, x, nodes)
				}
				mean += r.Prob(i, k) * (x - means[k])
				square += r.Prob(i, k) * (x - means[k]) * (x - means[k])
			}
			if slices.Max(sigmas) > slices.Min(sigmas) && (math.Abs(mean) > 0.05*σ || math.Abs(square-σ*σ) > off*σ*σ) {
				t.Errorf("around %v with σ %v, the mean is off by %v and the variance is %v; beside means %v and σ %v", means[k], σ, mean, square, means, sigmas)
			}
		}
	})
}

// TestLog compares the density with its integral, the atoms and the draws.
func TestLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []Noise{{Min: -1, Max: 2, Sigma: 0.7}, {Min: -1, Max: 2, Sigma: 0.7, Wraps: true}, {Min: -1, Max: 2, Sigma: 3, Wraps: true}} {
		for _, mean := range []float64{-1.5, 0.2, 1.9} {
			scale := 1 / (n.Sigma * math.Sqrt(2*math.Pi))
			density := func(x float64) float64 { return scale * math.Exp(n.Log(x, mean)) }
			total := quad.Fixed(density, n.Min+1e-12, n.Max-1e-12, 200, nil, 0)
			if !n.Wraps {
				total += math.Exp(n.Log(n.Min, mean)) + math.Exp(n.Log(n.Max, mean))
			}
			if math.Abs(total-1) > 1e-9 {
				t.Errorf("%+v around %v: total %v", n, mean, total)
			}
			below, draws := 0, 20000
			for range draws {
				if n.Draw(mean, rng) < 0.5 {
					below++
				}
			}
			want := quad.Fixed(density, n.Min+1e-12, 0.5, 200, nil, 0)
			if !n.Wraps {
				want += math.Exp(n.Log(n.Min, mean))
			}
			if got := float64(below) / float64(draws); math.Abs(got-want) > 0.02 {
				t.Errorf("%+v around %v: %v of the draws are below 0.5, want %v", n, mean, got, want)
			}
		}
	}
	wide := Noise{Min: -1, Max: 2, Sigma: 3}
	if wide.LogScale(0) != -math.Log(3) || wide.LogScale(-1) != 0 || wide.LogScale(2) != 0 {
		t.Error("a density is one of its standard deviation, and the probability at an end is whole")
	}
	still := Noise{Min: -1, Max: 1, Wraps: true}
	if still.Log(1, 3) != 0 || still.Log(-1, 1) != 0 || !math.IsInf(still.Log(0, 1), -1) {
		t.Error("without noise, only the mean follows, and Max is Min")
	}
}

// TestWrap expects the places of [from, to), and those in it to stay.
func TestWrap(t *testing.T) {
	for _, c := range [][2]float64{{math.Pi, -math.Pi}, {-math.Pi, -math.Pi}, {3, 3}, {3 + 2*math.Pi, 3}, {-4, -4 + 2*math.Pi}, {math.Nextafter(-math.Pi, -4), math.Pi}} {
		if got := Wrap(c[0], -math.Pi, math.Pi); math.Abs(got-c[1]) > 1e-14 {
			t.Errorf("Wrap(%v) is %v, want %v", c[0], got, c[1])
		}
	}
}

func TestRuleAllocates(t *testing.T) {
	n, means := Noise{Min: -1, Max: 1, Sigma: 0.2}, []float64{-0.9, 0, 0.3, 0}
	var r Rule
	for _, sigmas := range [][]float64{nil, {0.2, 0.1, 0.05, 0.2}} {
		if got := testing.AllocsPerRun(100, func() { r.Fill(&n, means, sigmas, 5) }); got != 0 {
			t.Errorf("Fill allocates %v times with standard deviations %v, want 0", got, sigmas)
		}
	}
}

func BenchmarkRule(b *testing.B) {
	n, means := Noise{Min: -10, Max: 10, Sigma: 0.2}, []float64{-0.1, 0, 0.3, 0.1, 0.05}
	var r Rule
	for b.Loop() {
		r.Fill(&n, means, nil, 5)
	}
	b.ReportMetric(float64(len(r.At)), "places")
}
