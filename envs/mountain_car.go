package envs

import (
	"math"

	"bayescpace/bcpace"
)

// MountainCar is the car in a valley whose motor is too weak for the slope (Moore 1990, in
// the form of Sutton and Barto 2018, Example 10.1), with an unknown power, a throttle u in
// [−1, 1] in place of three actions, and a little noise:
//
//	v' = v + 0.001·power·u − 0.0025·cos 3x + N(0, 0.001²),   x' = x + v' of the mean + N(0, 0.001²)
//
// The left end stops the car. A step earns −1 until x reaches 0.5, where the episode ends.
// With a power below 0 the pedals are interchanged.
type MountainCar struct {
	// Powers are the powers that the motor may have, each with the same chance, 1 being
	// the textbook's. If it is nil, they are 0.8, 1 and 1.2.
	Powers []float64
	// Discount is γ in (0, 1). If it is 0, 0.99 is used.
	Discount float64
}

const mountainCarName = "mountain-car"

var mountainCarParameters = parameters[MountainCar]{
	{"powers", wantNumbers, "powers, one for each latent, 1 being the textbook's", listed(func(c *MountainCar) *[]float64 { return &c.Powers }, []float64{0.8, 1, 1.2}, -10, 10)},
	discounted(func(c *MountainCar) *float64 { return &c.Discount }, 0.99),
}

// Model returns the model. The error is a *bcpace.InputError.
func (c MountainCar) Model() (bcpace.Enumerator, error) {
	c, err := mountainCarParameters.sound(mountainCarName, c)
	if err != nil {
		return nil, err
	}
	const left, right, fastest = -1.2, 0.5, 0.07
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: mountainCarName, Params: mountainCarParameters.of(c),
			Axes: []bcpace.Axis{
				{Name: "x", Min: left, Max: right, Scale: 0.17},
				{Name: "v", Min: -fastest, Max: fastest, Scale: 0.014},
			},
			Actions: control("drive", 1, "", "throttle"),
			Latents: latents("power", "", c.Powers), Discount: c.Discount, RewardMin: -1, RewardMax: 0,
		},
		Starts: [][]float64{{-0.5, 0}},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			v := s[1] + 0.001*c.Powers[latent]*u[0] - 0.0025*math.Cos(3*s[0])
			v = max(-fastest, min(fastest, v))
			mean[0], mean[1] = s[0]+v, v
			if mean[0] <= left {
				mean[1] = 0
			}
		},
		Sigma:    []float64{0.001, 0.001},
		RewardAt: func([]float64, int, int, []float64, []float64) float64 { return -1 },
		Ends:     func(next []float64) bool { return next[0] >= right },
	})
}
