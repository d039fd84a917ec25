package envs

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
)

// DualControl is control with an unknown gain, the textbook case in which a control must
// both steer and probe (Feldbaum 1960): x' = x + θ·u + w with w ~ N(0, Sigma²), stopped at
// ±Limit, where the gain θ is one of Gains, each with the same chance, and u in [−1, 1] is
// the control. A step earns 1 − (x'/Limit)². The state is x.
//
// A push in the wrong direction costs, and only a push tells the sign of the gain: where
// the prior expects no effect of u, QMDP sees no use in it. With the defaults the optimal
// value is 9.372, and 9.772 for an agent that is told θ; with Sigma .3 and Gains 1 and −.5
// they are 9.507 and 9.795 (dynamic programming on a fine grid).
type DualControl struct {
	// Limit is the largest |x|. If it is 0, 4 is used.
	Limit float64
	// Sigma is the standard deviation of the noise. If it is 0, 0.5 is used.
	Sigma float64
	// Gains are the values that θ may have. If it is nil, they are 1 and −1.
	Gains []float64
	// StartAt is the start, within the limits. If it is nil, 2 is used.
	StartAt *float64
	// Discount is γ in (0, 1). If it is 0, 0.9 is used.
	Discount float64
	// Nodes is Gaussian.Nodes. If it is 0, 15 is used.
	Nodes int
}

const (
	dualControlName = "dual-control"
	dualLimit       = 4
	dualSigma       = 0.5
	dualStart       = 2
	dualDiscount    = 0.9
	dualNodes       = 15
)

// Model returns the model. The error is a *bcpace.InputError.
func (d DualControl) Model() (bcpace.Enumerator, error) {
	limit, sigma, start, discount, nodes := or(d.Limit, dualLimit), or(d.Sigma, dualSigma), float64(dualStart), or(d.Discount, dualDiscount), d.Nodes
	if d.StartAt != nil {
		start = *d.StartAt
	}
	if nodes == 0 {
		nodes = dualNodes
	}
	gains := d.Gains
	if gains == nil {
		gains = []float64{1, -1}
	}
	switch {
	case !(limit > 0 && limit <= 1e6):
		return nil, inputError(dualControlName, "limit", number(limit), "a number above 0, up to a million")
	case !(sigma > 0 && sigma <= 10*limit):
		return nil, inputError(dualControlName, "sigma", number(sigma), "a standard deviation above 0, up to ten times the limit")
	case len(gains) == 0:
		return nil, inputError(dualControlName, "gains", "none", "at least one number")
	case !(math.Abs(start) <= limit):
		return nil, inputError(dualControlName, "start", number(start), fmt.Sprintf("a number within ±%v", limit))
	}
	latents := make([]string, len(gains))
	for i, θ := range gains {
		if !(math.Abs(θ) <= 1e6) {
			return nil, inputError(dualControlName, "gains", numbers(gains), "numbers, up to a million in size")
		}
		latents[i] = "gain " + number(θ)
	}
	if err := checkDiscount(dualControlName, discount); err != nil {
		return nil, err
	}
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: dualControlName,
			Params: []bcpace.Param{
				{Key: "limit", Value: number(limit)},
				{Key: "sigma", Value: number(sigma)},
				{Key: "gains", Value: numbers(gains)},
				{Key: "start", Value: number(start)},
				{Key: "discount", Value: number(discount)},
				{Key: "nodes", Value: fmt.Sprint(nodes)},
			},
			Axes:     []bcpace.Axis{{Name: "x", Min: -limit, Max: limit}},
			Actions:  []bcpace.Action{{Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}},
			Latents:  latents,
			Discount: discount, RewardMin: 0, RewardMax: 1,
		},
		Starts: [][]float64{{start}},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) { mean[0] = s[0] + gains[latent]*u[0] },
		Sigma:  []float64{sigma},
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 {
			return 1 - next[0]*next[0]/(limit*limit)
		},
		Nodes: nodes,
	})
}
