package solvertest

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// zone is a part of an axis where something is paid on arrival.
type zone struct {
	from, to, pays float64
	ends           bool
}

// oneAxis draws a model of one continuous axis from 0 to 1, whose rewards jump at the borders
// of goals and pits, some of them narrow and some the end of the episode. Each of its two or
// three latents has a drift of its own under each of two or three actions, and noise hides
// some of it.
func oneAxis(rng *rand.Rand) bcpace.Enumerator {
	latents, actions := 2+rng.IntN(2), 2+rng.IntN(2)
	spec := bcpace.Spec{Name: "random axis", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Discount: 0.85 + 0.12*rng.Float64()}
	drift := make([][]float64, latents)
	for l := range drift {
		spec.Latents = append(spec.Latents, fmt.Sprintf("latent %d", l))
		for range actions {
			drift[l] = append(drift[l], 0.4*rng.Float64()-0.2)
		}
	}
	costs := make([]float64, actions)
	for a := range costs {
		spec.Actions = append(spec.Actions, bcpace.Action{Name: fmt.Sprintf("action %d", a)})
		costs[a] = 0.1 * rng.Float64()
	}
	zones := make([]zone, 2+rng.IntN(2))
	for i := range zones {
		width := 0.02 + 0.13*rng.Float64()
		from := (1 - width) * rng.Float64()
		zones[i] = zone{from, from + width, 0.2 + 0.8*rng.Float64(), rng.IntN(2) == 0}
		if i%2 == 1 { // a pit
			zones[i].pays *= -1
		}
	}
	at := func(x float64) zone {
		for _, z := range zones {
			if z.from <= x && x <= z.to {
				return z
			}
		}
		return zone{}
	}
	spec.RewardMin, spec.RewardMax = -1.1, 1
	m, err := bcpace.FromGaussian(bcpace.Gaussian{Spec: spec, Starts: [][]float64{{rng.Float64()}}, Sigma: []float64{0.01 + 0.09*rng.Float64()},
		Mean:   func(mean, s []float64, latent, action int) { mean[0] = s[0] + drift[latent][action] },
		Reward: func(_ []float64, _, action int, next []float64) float64 { return at(next[0]).pays - costs[action] },
		Ends:   func(next []float64) bool { return at(next[0]).ends },
	})
	if err != nil {
		panic(err) // the draw is at fault, and with it the test that asked for it
	}
	return m
}
