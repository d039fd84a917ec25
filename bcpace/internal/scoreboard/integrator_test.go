package scoreboard

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/normal"
	"bayescpace/envs"
)

// integratorInfo describes a double integrator in the plane with pits on both sides of a bridge.
var integratorInfo = envs.Info{
	Name: "integrator",
	Doc:  "A mass of unknown weight in an unknown wind is pushed over a bridge between pits to a goal; its place and velocity in the plane are four continuous axes.",
}

const (
	integratorSide  = 5.0 // places are within ± this
	integratorSpeed = 1.5 // and velocities within ± this
)

var (
	integratorMass  = [...]float64{0.5, 0.5, 1, 1}
	integratorWind  = [...]float64{-0.12, 0.12, -0.12, 0.12}
	integratorPush  = [...][2]float64{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}}
	integratorNoise = normal.Noise{Min: -integratorSpeed, Max: integratorSpeed, Sigma: 0.06}
)

// integratorMean returns the means of the velocities behind an action.
func integratorMean(s []float64, latent, action int) (x, y float64) {
	push := integratorPush[action]
	return 0.85*s[2] + 0.2*push[0]/integratorMass[latent], 0.85*s[3] + 0.2*push[1]/integratorMass[latent] + integratorWind[latent]
}

// integratorArrive sets next to where velocities lead.
func integratorArrive(next, s []float64, vx, vy float64) bcpace.Outcome {
	on := func(x float64) float64 { return max(-integratorSide, min(integratorSide, x)) }
	x, y := on(s[0]+vx), on(s[1]+vy)
	next[0], next[1], next[2], next[3] = x, y, vx, vy
	switch {
	case math.Abs(x) < 1.2 && (y < 1 || y > 3):
		return bcpace.Outcome{Reward: -50, Done: true}
	case x > 3.5 && math.Abs(y-2) < 1.5:
		return bcpace.Outcome{Reward: 50, Done: true}
	}
	return bcpace.Outcome{Reward: -1}
}

func integratorStart(s []float64) { s[0], s[1], s[2], s[3] = -4, 2, 0, 0 }

// newIntegrator makes the model.
func newIntegrator(v *envs.Values) (bcpace.Model, error) {
	const latents = len(integratorMass)
	place := bcpace.Axis{Min: -integratorSide, Max: integratorSide}
	speed := bcpace.Axis{Min: -integratorSpeed, Max: integratorSpeed, Scale: 0.3}
	spec := bcpace.Spec{Name: v.Name(), Params: v.Params(), Discount: 0.95, RewardMin: -50, RewardMax: 50,
		Axes:    []bcpace.Axis{place, place, speed, speed},
		Actions: bcpace.Actions("none", "east", "west", "north", "south", "north-east", "south-east", "north-west", "south-west"),
		Latents: []string{"light, wind down", "light, wind up", "heavy, wind down", "heavy, wind up"}}
	for i, name := range []string{"x", "y", "vx", "vy"} {
		spec.Axes[i].Name = name
	}
	return bcpace.FromFuncs(bcpace.Funcs{
		Spec:  spec,
		Start: func(s []float64, _ int, _ *rand.Rand) { integratorStart(s) },
		Starts: func(z *bcpace.Successors) {
			s, p, _ := z.Add(false)
			integratorStart(s)
			for φ := range p {
				p[φ] = 1
			}
		},
		Step: func(next, s []float64, φ, a int, rng *rand.Rand) bcpace.Outcome {
			x, y := integratorMean(s, φ, a)
			return integratorArrive(next, s, integratorNoise.Draw(x, rng), integratorNoise.Draw(y, rng))
		},
		LogLikelihood: func(s []float64, a int, next []float64, φ int) float64 {
			x, y := integratorMean(s, φ, a)
			return integratorNoise.Log(next[2], x) + integratorNoise.Log(next[3], y)
		},
		Successors: func(z *bcpace.Successors, s []float64, a int) {
			var x, y [latents]float64
			for φ := range latents {
				x[φ], y[φ] = integratorMean(s, φ, a)
			}
			var rx, ry normal.Rule
			rx.Fill(&integratorNoise, x[:], nil, 3)
			ry.Fill(&integratorNoise, y[:], nil, 3)
			var next [4]float64
			for i, vx := range rx.At {
				for j, vy := range ry.At {
					out := integratorArrive(next[:], s, vx, vy)
					state, p, r := z.Add(out.Done)
					copy(state, next[:])
					for φ := range latents {
						p[φ], r[φ] = rx.Prob(i, φ)*ry.Prob(j, φ), out.Reward
					}
				}
			}
		},
	})
}
