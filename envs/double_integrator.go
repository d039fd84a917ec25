package envs

import (
	"bayescpace/bcpace"
)

// DoubleIntegrator is a puck on a plane that is pushed to the middle and kept there: its
// effect is unknown, as the mass is and the sign of the thrusters may be. The state is place
// and velocity, the control the thrust in both directions; a step takes 0.5 s:
//
//	v' = v + 0.5·gain·u + N(0, 0.1²),   p' = p + 0.5·v
//
// A step earns 1 − |p|²/32, at least 0 as p is within 4 of the middle on both axes.
type DoubleIntegrator struct {
	// Gains are the inverse masses in 1/kg, each with the same chance; one below 0 has the
	// thrusters interchanged. If it is nil, they are 1 and −1.
	Gains []float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const doubleIntegratorName = "double-integrator"

var doubleIntegratorParameters = parameters[DoubleIntegrator]{
	{"gains", wantNumbers, "inverse masses in 1/kg, one for each latent", listed(func(d *DoubleIntegrator) *[]float64 { return &d.Gains }, []float64{1, -1}, -100, 100)},
	discounted(func(d *DoubleIntegrator) *float64 { return &d.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (d DoubleIntegrator) Model() (bcpace.Enumerator, error) {
	d, err := doubleIntegratorParameters.sound(doubleIntegratorName, d)
	if err != nil {
		return nil, err
	}
	const step, limit, fastest = 0.5, 4.0, 2.0
	axis := func(name, unit string, most float64) bcpace.Axis {
		return bcpace.Axis{Name: name, Unit: unit, Min: -most, Max: most}
	}
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: doubleIntegratorName, Params: doubleIntegratorParameters.of(d),
			Axes:    []bcpace.Axis{axis("x", "m", limit), axis("y", "m", limit), axis("vx", "m/s", fastest), axis("vy", "m/s", fastest)},
			Actions: control("push", 1, "N", "ux", "uy"),
			Latents: latents("gain", "/kg", d.Gains), Discount: d.Discount, RewardMin: 0, RewardMax: 1,
		},
		Starts: [][]float64{{2, -1, 0, 0}},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			for i := range 2 {
				mean[i], mean[2+i] = s[i]+step*s[2+i], s[2+i]+step*d.Gains[latent]*u[i]
			}
		},
		Sigma: []float64{0, 0, 0.1, 0.1}, Nodes: 3,
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 {
			return 1 - (square(next[0])+square(next[1]))/(2*square(limit))
		},
	})
}
