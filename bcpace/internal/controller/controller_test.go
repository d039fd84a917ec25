package controller

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
)

// TestOftenMet: what a policy earns is known where a state is met first by a step that is hardly ever taken, and then by half of all episodes,
// however many of these lie one behind the other.
func TestOftenMet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, rare := range []float64{1e-3, 1e-6, 1e-9, 1e-12} {
		for links := 1; links < 5; links++ {
			// An episode goes on to the next link, and rarely to the one behind it.
			n := links + 3
			p, r := make([][]float64, n), make([]float64, n)
			value := make([]float64, n)
			for s := n - 1; s >= 0; s-- {
				p[s] = make([]float64, n)
				r[s] = math.Round(10 * rng.Float64())
				next := []int{min(s+2, n-1), min(s+1, n-1)}
				p[s][next[0]] += rare
				p[s][next[1]] += 1 - rare
				if s == n-1 {
					r[s] = 0
				}
				value[s] = r[s] + 0.9*(rare*value[next[0]]+(1-rare)*value[next[1]])
			}
			m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9, P: [][][][]float64{{p}}, R: [][][]float64{{r}}})
			if err != nil {
				t.Fatal(err)
			}
			c, err := Of(t.Context(), m, bcpace.RandomPolicy(m), 1e-4, func(c *Controller) (float64, error) {
				low, _, err := c.Returns(t.Context())
				if err != nil {
					return 0, err
				}
				return low[0], nil
			})
			if err != nil {
				t.Fatal(err)
			}
			low, high, err := c.Returns(t.Context())
			if err != nil || low[0] > value[0]+1e-9 || high[0] < value[0]-1e-9 || high[0]-low[0] > 0.1 {
				t.Errorf("%v, %d links: [%v, %v], %v, want %v", rare, links, low, high, err, value[0])
			}
		}
	}
}
