package envs_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/envs"
)

// TestTagAgainstOriginal plays the original beside the model, with one stream of random
// numbers for its opponent: an agent that walks at random and tags now and then. The returns
// of both have the same mean.
func TestTagAgainstOriginal(t *testing.T) {
	m := envs.Tag{}
	const episodes, steps = 20_000, 30
	policy := func(x, y float64, seen bool, rng *rand.Rand) int {
		if seen || rng.IntN(20) == 0 {
			return 4
		}
		return rng.IntN(4)
	}
	inside := func(x, y int) bool { return x >= 0 && x < 10 && y >= 0 && (y < 2 || y < 5 && x >= 5 && x < 8) }
	place := func(rng *rand.Rand) (x, y int) {
		for {
			if x, y = rng.IntN(10), rng.IntN(5); inside(x, y) {
				return x, y
			}
		}
	}
	// away moves the opponent as Pineau, Gordon and Thrun (2003) do, from what the agent's
	// place was before the step.
	away := func(x, y, u, v int, rng *rand.Rand) (int, int) {
		dx, dy := 0, 0
		side := func(d int) int {
			if d == 0 {
				return 2*rng.IntN(2) - 1
			}
			return d / max(d, -d)
		}
		switch p := rng.Float64(); {
		case p < 0.4:
			dx = side(u - x)
		case p < 0.8:
			dy = side(v - y)
		}
		if inside(u+dx, v+dy) {
			return u + dx, v + dy
		}
		return u, v
	}
	moves := [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	original := func(rng *rand.Rand) (ret float64) {
		x, y := place(rng)
		u, v := place(rng)
		seen, γ := false, 1.0
		for range steps {
			a := policy(float64(x), float64(y), seen, rng)
			if a == 4 && x == u && y == v {
				return ret + 10*γ
			}
			u2, v2 := away(x, y, u, v, rng)
			if a == 4 {
				ret -= 10 * γ
			} else {
				ret -= γ
				if inside(x+moves[a][0], y+moves[a][1]) {
					x, y = x+moves[a][0], y+moves[a][1]
				}
			}
			u, v, γ = u2, v2, γ*0.95
			seen = x == u && y == v
		}
		return ret
	}
	ours := returnOf(t, m, steps, func(s []float64, rng *rand.Rand) int { return policy(s[0], s[1], s[2] == 1, rng) })
	a, va := meanOf(episodes, 1, original)
	b, vb := meanOf(episodes, 2, ours)
	// Four standard errors: wrong with probability 6·10⁻⁵ for another seed.
	if math.Abs(a-b) > 4*math.Sqrt(va+vb) {
		t.Errorf("the original returns %v, the model %v, more than 4 standard errors of %v apart", a, b, math.Sqrt(va+vb))
	}
}

// returnOf returns what plays an episode of so many steps at most, with γ = 0.95, and returns its
// return. The policy does without a belief, and so does what plays it.
func returnOf(t *testing.T, m bcpace.Model, steps int, policy func(s []float64, rng *rand.Rand) int) func(*rand.Rand) float64 {
	spec, mover := m.Spec(), bcpace.AbilitiesOf(m).Mover()
	prior := make(bcpace.Belief, len(spec.Latents))
	m.Prior(prior)
	s, next := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	return func(rng *rand.Rand) (ret float64) {
		latent := prior.Sample(rng)
		m.Start(s, latent, rng)
		γ := 1.0
		for range steps {
			action := policy(s, rng)
			out := m.Step(next, s, latent, action, rng)
			if err := spec.CheckOutcome(out, next, s, action, latent); err != nil {
				t.Fatal(err)
			}
			if math.IsInf(m.LogLikelihood(s, action, next, latent), -1) {
				t.Fatalf("from %v by action %d to %v, which is impossible under latent %d", s, action, next, latent)
			}
			latent = mover.Draw(s, action, latent, rng)
			s, next = next, s
			ret += γ * out.Reward
			if γ *= 0.95; out.Done {
				break
			}
		}
		return ret
	}
}

// meanOf returns the mean of what play returns over episodes from one stream, and the variance
// of the mean.
func meanOf(episodes int, seed uint64, play func(*rand.Rand) float64) (mean, variance float64) {
	rng, sum, squares, n := rand.New(rand.NewPCG(seed, 0)), 0.0, 0.0, float64(episodes)
	for range episodes {
		x := play(rng)
		sum, squares = sum+x, squares+x*x
	}
	mean = sum / n
	return mean, (squares/n - mean*mean) / n
}

// TestTagValue brackets the value by SARSOP. The original's is known to be from −5.86 to
// −4.00: SARSOP's bounds for it after a minute.
func TestTagValue(t *testing.T) {
	found, err := sarsop.Solver{MaxTrials: 100}.Solve(t.Context(), envs.Tag{}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if c := found.Certificate; c.Lower > -4 || c.Upper < -5.86 || c.Lower < -7 || c.Upper > 0 {
		t.Errorf("value in [%v, %v], want one that overlaps [−5.86, −4.00], and no lower bound below −7", c.Lower, c.Upper)
	}
}
