package cover

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace/internal/kdtree"
)

// Packing is a fractional packing: points with weights of which no ball of radius ε around a
// point of the set holds more than 1 in all. Each point of a cover has weights of 1 at most within
// ε, and a cover has all within ε, so γ is at least their sum; by the duality of linear programs
// the best packing weighs as much as the smallest fractional cover.
type Packing struct {
	Points []int
	Weight []float64
}

// Sum returns the sum of the weights.
func (p Packing) Sum() float64 {
	sum := 0.0
	for _, w := range p.Weight {
		sum += w
	}
	return sum
}

// least returns the lower bound of γ that a packing proves, with rounding in mind.
func (p Packing) least() int { return int(math.Ceil(p.Sum() * (1 - 1e-9))) }

// settle divides the weights by the largest loads, after which no ball of the pass holds more than
// 1, and returns their sum. Each load sums weights of a ball that holds the demand, so none is 0.
func settle(weight, worst []float64) float64 {
	sum := 0.0
	for q := range weight {
		weight[q] /= worst[q]
		sum += weight[q]
	}
	return sum
}

// improve makes a packing's weights heavier by multiplicative updates (Plotkin, Shmoys and Tardos
// 1995): a demand that is within ε of dear balls loses weight to the others. The best weights of
// all rounds are left in weight, which may begin as any above 0.
func improve(ctx context.Context, w *kdtree.Loads, weight []float64, rounds int) error {
	worst, cost := make([]float64, len(weight)), make([]float64, len(weight))
	if err := w.Weigh(ctx, weight, worst, nil, 0); err != nil {
		return err
	}
	best := settle(weight, worst)
	now := slices.Clone(weight)
	for r := range rounds {
		if err := w.Weigh(ctx, now, worst, cost, 10+40*float64(r)/float64(rounds)); err != nil {
			return err
		}
		if sum := settle(now, worst); sum > best {
			best = sum
			copy(weight, now)
		}
		spent, sum := 0.0, 0.0
		for q, v := range now {
			spent, sum = spent+v*cost[q], sum+v
		}
		for q := range now {
			over := cost[q]*sum/spent - 1
			now[q] *= math.Exp(-0.3 * over / (1 + math.Abs(over)))
		}
	}
	return nil
}
