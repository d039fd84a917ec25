package pomdptest

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// RandomTables returns a model of three steps with two or three latents, two states and two actions.
func RandomTables(rng *rand.Rand) bcpace.Tables {
	latents, actions, states := 2+rng.IntN(2), 2, 2
	tab := bcpace.Tables{Discount: 0.5 + 0.5*rng.Float64(), Horizon: 3, Prior: Row(rng, latents, 1), Start: Row(rng, states, 1)}
	for φ := range latents {
		tab.P = append(tab.P, nil)
		for a := range actions {
			tab.P[φ] = append(tab.P[φ], nil)
			for range states {
				tab.P[φ][a] = append(tab.P[φ][a], Row(rng, states, 1))
			}
		}
	}
	tab.R = RandomNumbers(rng, latents, actions, states, -10, 10)
	return tab
}

// RandomNumbers returns whole numbers by latent, action and state.
func RandomNumbers(rng *rand.Rand, latents, actions, states int, low, high float64) (x [][][]float64) {
	for φ := range latents {
		x = append(x, nil)
		for a := range actions {
			x[φ] = append(x[φ], nil)
			for range states {
				x[φ][a] = append(x[φ][a], math.Round(low+(high-low)*rng.Float64()))
			}
		}
	}
	return x
}

// EveryPolicy returns the values of the deterministic policies of a model that are not worse than another one in every number: for each of pay, which
// has what is paid by latent, action and state, those by latent. A policy is a function of the states that were seen.
func EveryPolicy(tab bcpace.Tables, pay ...[][][]float64) (values [][]float64) {
	values = [][]float64{make([]float64, len(pay)*len(tab.P))}
	for s, p := range tab.Start {
		if p > 0 {
			values = sums(values, policies(tab, pay, s, tab.Horizon), func(int) float64 { return p })
		}
	}
	return values
}

// policies returns the values of those of the steps left from a state on.
func policies(tab bcpace.Tables, pay [][][][]float64, s, steps int) (values [][]float64) {
	latents := len(tab.P)
	if steps == 0 {
		return [][]float64{make([]float64, len(pay)*latents)}
	}
	for a := range tab.P[0] {
		now := make([]float64, len(pay)*latents)
		for i := range now {
			now[i] = pay[i/latents][i%latents][a][s]
		}
		list := [][]float64{now}
		for next := range tab.P[0][a][s] {
			list = sums(list, policies(tab, pay, next, steps-1), func(i int) float64 { return tab.Discount * tab.P[i%latents][a][s][next] })
		}
		values = append(values, list...)
	}
	return undominated(values)
}

// sums returns all v + share·w that are not worse than another one.
func sums(vs, ws [][]float64, share func(i int) float64) (list [][]float64) {
	for _, v := range vs {
		for _, w := range ws {
			sum := make([]float64, len(v))
			for i := range sum {
				sum[i] = v[i] + share(i)*w[i]
			}
			list = append(list, sum)
		}
	}
	return undominated(list)
}

// undominated drops what is not above another one in any number.
func undominated(values [][]float64) (kept [][]float64) {
	for i, v := range values {
		worse := false
		for j := 0; j < len(values) && !worse; j++ {
			all, some := i != j, j < i
			for φ := 0; all && φ < len(v); φ++ {
				all, some = values[j][φ] >= v[φ], some || values[j][φ] > v[φ]
			}
			worse = all && some
		}
		if !worse {
			kept = append(kept, v)
		}
	}
	return kept
}
