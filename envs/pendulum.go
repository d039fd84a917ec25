package envs

import (
	"math"
	"slices"

	"bayescpace/bcpace"
)

// Pendulum is the swing-up of a pendulum of unknown mass by a motor that is too weak to lift
// it at once (Doya 2000, with his reward shifted into [−1, 0]). The state is the angle, 0
// upright and π at rest, and the speed; a step takes 0.1 s:
//
//	ω' = ω + 0.1·(g·sin θ + u/m) + N(0, 0.1²),   θ' = θ + 0.1·ω + N(0, 0.02²)
//
// for a length of 1 m, with the torque u in N m. A step earns (cos θ' − 1)/2.
type Pendulum struct {
	// Masses are the masses in kg that the pendulum may have, each with the same chance.
	// If it is nil, they are 0.6, 1 and 1.5.
	Masses []float64
	// Torque is the largest torque in N m. If it is 0, 3 is used.
	Torque float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const pendulumName = "pendulum"

var pendulumParameters = parameters[Pendulum]{
	{"masses", wantNumbers, "masses in kg, one for each latent", listed(func(p *Pendulum) *[]float64 { return &p.Masses }, []float64{0.6, 1, 1.5}, 0.01, 100)},
	{"torque", wantNumber, "the largest torque in N m", positive(func(p *Pendulum) *float64 { return &p.Torque }, 3, 0.01, 1000)},
	discounted(func(p *Pendulum) *float64 { return &p.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (p Pendulum) Model() (bcpace.Enumerator, error) {
	p, err := pendulumParameters.sound(pendulumName, p)
	if err != nil {
		return nil, err
	}
	const step, angleNoise = 0.1, 0.02 // s, rad
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: pendulumName, Params: pendulumParameters.of(p),
			Axes: []bcpace.Axis{
				{Name: "angle", Unit: "rad", Min: -math.Pi, Max: math.Pi, Period: 2 * math.Pi},
				{Name: "speed", Unit: "rad/s", Min: -8, Max: 8, Scale: 4},
			},
			Actions: control("turn", p.Torque, "N m", "torque"),
			Latents: latents("mass", " kg", p.Masses), Discount: p.Discount, RewardMin: -1, RewardMax: 0,
		},
		Starts: [][]float64{{-math.Pi, 0}},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			mean[0] = s[0] + step*s[1]
			mean[1] = s[1] + step*(gravity*math.Sin(s[0])+u[0]/p.Masses[latent])
		},
		Sigma:    []float64{angleNoise, 0.1},
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 { return (math.Cos(next[0]) - 1) / 2 },
		// A unit of distance is 1 rad, 4 rad/s, or the largest torque.
		Lipschitz: &bcpace.GaussianLipschitz{
			Mean: []float64{max(1, 4*step), max(4, step*gravity, step*p.Torque/slices.Min(p.Masses))},
			Next: 0.5,
		},
		// The mean of the speed bends by gravity alone, and that of cos is cos of the mean times e^(−σ²/2).
		Curve: &bcpace.GaussianCurve{
			Mean:   []float64{0, step * gravity},
			Reward: 0.5, Convex: 0.5,
			Control: &bcpace.ControlCurve{},
			Expected: func(s []float64, _, _ int, _ []float64) float64 {
				return (math.Exp(-angleNoise*angleNoise/2)*math.Cos(s[0]+step*s[1]) - 1) / 2
			},
		},
	})
}
