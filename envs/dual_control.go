package envs

import (
	"math"
	"slices"

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

const dualControlName = "dual-control"

var dualControlParameters = parameters[DualControl]{
	{"limit", "a number above 0", "the largest |x|", positive(func(d *DualControl) *float64 { return &d.Limit }, 4)},
	{"sigma", "a standard deviation above 0", "noise of a step", positive(func(d *DualControl) *float64 { return &d.Sigma }, 0.5)},
	{"gains", "numbers with commas between them", "gains, one for each latent", listed(func(d *DualControl) *[]float64 { return &d.Gains }, []float64{1, -1})},
	{"start", "a number within the limits", "place of the start", pointed(func(d *DualControl) **float64 { return &d.StartAt }, 2)},
	discounted(func(d *DualControl) *float64 { return &d.Discount }, 0.9),
	{"nodes", "a number of cells from 1 to 64", "fineness of the quadrature", counted(func(d *DualControl) *int { return &d.Nodes }, 15)},
}

// Model returns the model. The error is a *bcpace.InputError.
func (d DualControl) Model() (bcpace.Enumerator, error) {
	d = dualControlParameters.filled(d)
	limit, sigma, gains := d.Limit, d.Sigma, d.Gains
	s := system{name: dualControlName}
	s.within("limit", limit, 1e-6, 1e6)
	s.within("sigma", sigma, 1e-6*limit, 10*limit)
	s.list("gains", gains, -1e6, 1e6)
	s.within("start", *d.StartAt, -limit, limit)
	s.discount(d.Discount)
	s.within("nodes", float64(d.Nodes), 1, 64)
	if s.err != nil {
		return nil, s.err
	}
	return s.model(dualControlParameters.of(d), bcpace.Gaussian{
		Spec: bcpace.Spec{
			Axes:    []bcpace.Axis{{Name: "x", Min: -limit, Max: limit}},
			Actions: control("push", 1, "", "u"),
			Latents: latents("gain", "", gains), Discount: d.Discount, RewardMin: 0, RewardMax: 1,
		},
		Starts: [][]float64{{*d.StartAt}},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) { mean[0] = s[0] + gains[latent]*u[0] },
		Sigma:  []float64{sigma},
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 {
			return 1 - square(next[0]/limit)
		},
		Lipschitz: &bcpace.GaussianLipschitz{
			Mean: []float64{max(1, slices.Max(gains), -slices.Min(gains))}, // of x and u
			Next: 2 / limit,
		},
		Curve: &bcpace.GaussianCurve{
			// E[x'²] for x' = clip(m + σξ), of which half the second derivative in m is P(|x'| < X) less
			// what moves at the ends, so that it is 1 at most.
			Expected: func(s []float64, latent, _ int, u []float64) float64 {
				return 1 - clippedSquare(s[0]+gains[latent]*u[0], sigma, limit)/square(limit)
			},
			Reward: 2 / square(limit) * max(1, square(slices.Max(gains)), square(slices.Min(gains))),
			// What moves at the ends is 2X·(f(X−m)+f(X+m)) with the density f of the noise, of which one is
			// at most that at half the axis.
			Convex: 2 / limit * (density(0) + density(limit/sigma)) / sigma,
		},
		Nodes: d.Nodes,
	})
}

// clippedSquare is E[x²] for x = m + σξ, stopped at ±limit.
func clippedSquare(m, sigma, limit float64) float64 {
	a, b := (-limit-m)/sigma, (limit-m)/sigma
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	inside := below(b) - below(a)
	e := (m*m + sigma*sigma) * inside
	e += 2*m*sigma*(density(a)-density(b)) + sigma*sigma*(a*density(a)-b*density(b))
	return e + square(limit)*(below(a)+below(-b))
}
