package tabular

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// sparseAlpha is the default of α for a sparse prior. A row of few states then puts most of its
// probability on one of them, as an action does that succeeds most of the time.
const sparseAlpha = 0.2

// supportSizes is the posterior of k, the number of states that can follow, under the sparse
// prior of Friedman and Singer (1999). If k° states were seen in N observations, then
//
//	P(k | data) ∝ 2^−k · k!/(k−k°)! · Γ(kα)/Γ(kα+N),  k ≥ k°
//
// as C(n−k°, k−k°)/C(n, k) of the sets of k among n states have all those seen, and the
// observations have the probability Γ(kα)/Γ(kα+N)·Π Γ(α+N_i)/Γ(α) under each such set.
type supportSizes struct {
	alpha float64
	most  int
	// scales has, by k° and N, the mean of 1/(kα+N), NaN where it is not known yet. It is that
	// of rows of the most states that may follow.
	scales [][]float64
	weight []float64 // by k
}

// mostSeen and mostTotal bound the k° and N whose scales are kept.
const (
	mostSeen  = 16
	mostTotal = 1 << 15
)

func newSupportSizes(alpha float64, most int) *supportSizes {
	return &supportSizes{alpha: alpha, most: most, scales: make([][]float64, mostSeen+1), weight: make([]float64, most+1)}
}

// posterior sets weight to P(k | data) for k up to width, 0 below k°, and returns it.
func (s *supportSizes) posterior(seen int, total float64, width int) []float64 {
	w := s.weight[:width+1]
	top := math.Inf(-1)
	for k := 0; k < len(w); k++ {
		w[k] = math.Inf(-1)
		if k < max(seen, 1) {
			continue
		}
		kα := float64(k) * s.alpha
		w[k] = -float64(k)*math.Ln2 + lgamma(float64(k)+1) - lgamma(float64(k-seen)+1) + lgamma(kα) - lgamma(kα+total)
		top = max(top, w[k])
		if k > 3*seen && w[k] < top-40 { // from 3k° on, each is at most 3/4 of the one before
			for k++; k < len(w); k++ {
				w[k] = math.Inf(-1)
			}
			break
		}
	}
	softmax(w, top)
	return w
}

// softmax replaces logarithms, of which top is the largest, by the probabilities that are in proportion to their exponentials.
func softmax(p []float64, top float64) {
	sum := 0.0
	for i := range p {
		p[i] = math.Exp(p[i] - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}

// scale returns the mean of 1/(kα+N) over k.
func (s *supportSizes) scale(seen int, total float64, width int) float64 {
	n := int(total)
	keeps := width == s.most && seen <= mostSeen && n < mostTotal
	if keeps && n < len(s.scales[seen]) && !math.IsNaN(s.scales[seen][n]) {
		return s.scales[seen][n]
	}
	mean := 0.0
	for k, w := range s.posterior(seen, total, width) {
		if w > 0 {
			mean += w / (float64(k)*s.alpha + total)
		}
	}
	if keeps {
		for n >= len(s.scales[seen]) {
			s.scales[seen] = append(s.scales[seen], math.NaN())
		}
		s.scales[seen][n] = mean
	}
	return mean
}

func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// dirichlet replaces the parameters of a Dirichlet distribution by a draw from it. It works with
// logarithms, as gamma variates of small parameters are often smaller than the smallest number:
// one of parameter α is one of α + 1 times U^(1/α) (Marsaglia and Tsang 2000, "A simple method
// for generating gamma variables", Section 6).
func dirichlet(p []float64, rng *rand.Rand) {
	if len(p) == 1 {
		p[0] = 1
		return
	}
	top := math.Inf(-1)
	for i, α := range p {
		g := distuv.Gamma{Alpha: α, Beta: 1, Src: rng}
		if α < 1 {
			g.Alpha++
			p[i] = math.Log(g.Rand()) - rng.ExpFloat64()/α
		} else {
			p[i] = math.Log(g.Rand())
		}
		top = max(top, p[i])
	}
	softmax(p, top)
}
