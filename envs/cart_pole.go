package envs

import (
	"math"

	"bayescpace/bcpace"
)

// CartPole is the balancing of a pole of unknown length on a cart (Barto, Sutton and Anderson
// 1983), with a force u in N in place of two actions, a step of 0.04 s, and a little noise on both
// speeds.
// The state is the place of the cart and its speed, and the angle of the pole, 0 upright, and
// its speed. The cart's mass is 1 kg and the pole's 0.1 kg; there is no friction. A step earns
// 1 until the pole leans by more than 12° or the cart is more than 2.4 m away, where the
// episode ends without it.
type CartPole struct {
	// Lengths are the half lengths in m that the pole may have, each with the same
	// chance. If it is nil, they are 0.25, 0.5 and 1.
	Lengths []float64
	// Force is the largest force in N. If it is 0, 10 is used.
	Force float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const cartPoleName = "cart-pole"

var cartPoleParameters = parameters[CartPole]{
	{"lengths", wantNumbers, "half lengths in m, one for each latent", listed(func(c *CartPole) *[]float64 { return &c.Lengths }, []float64{0.25, 0.5, 1}, 0.01, 100)},
	{"force", wantNumber, "the largest force in N", positive(func(c *CartPole) *float64 { return &c.Force }, 10, 0.01, 1000)},
	discounted(func(c *CartPole) *float64 { return &c.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (c CartPole) Model() (bcpace.Enumerator, error) {
	c, err := cartPoleParameters.sound(cartPoleName, c)
	if err != nil {
		return nil, err
	}
	const (
		step   = 0.04 // s
		cart   = 1.0  // kg
		pole   = 0.1  // kg
		far    = 2.4  // m
		lean   = 12 * math.Pi / 180
		beyond = 1.25 // how far the axes go, of these
	)
	fell := func(s []float64) bool { return math.Abs(s[0]) > far || math.Abs(s[2]) > lean }
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: cartPoleName, Params: cartPoleParameters.of(c),
			Axes: []bcpace.Axis{
				{Name: "x", Unit: "m", Min: -beyond * far, Max: beyond * far, Scale: 1},
				{Name: "v", Unit: "m/s", Min: -3, Max: 3, Scale: 1},
				{Name: "angle", Unit: "rad", Min: -beyond * lean, Max: beyond * lean, Scale: 0.1},
				{Name: "turn", Unit: "rad/s", Min: -3, Max: 3, Scale: 1},
			},
			Actions: control("push", c.Force, "N", "force"),
			Latents: latents("half length", " m", c.Lengths), Discount: c.Discount, RewardMin: 0, RewardMax: 1,
		},
		Starts: [][]float64{{0, 0, 0, 0}},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			sin, cos := math.Sincos(s[2])
			l := c.Lengths[latent]
			push := (u[0] + pole*l*s[3]*s[3]*sin) / (cart + pole)
			turn := (gravity*sin - cos*push) / (l * (4.0/3 - pole*cos*cos/(cart+pole)))
			speed := push - pole*l*turn*cos/(cart+pole)
			mean[0], mean[1] = s[0]+step*s[1], s[1]+step*speed
			mean[2], mean[3] = s[2]+step*s[3], s[3]+step*turn
		},
		Sigma: []float64{0, 0.05, 0, 0.05}, Nodes: 3,
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 {
			return pick(fell(next), 0.0, 1)
		},
		Ends: fell,
	})
}
