package envs

import (
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// DualControl is control with an unknown gain, the textbook case in which a control must
// both steer and probe (Feldbaum 1960): x' = x + θ·u + w with w ~ N(0, Sigma²), stopped at
// ±Limit, where the gain θ is one of Gains, each with the same chance, and u in [−1, 1] is
// the control. A step earns 1 − (x'/Limit)². The state is x.
//
// On a plane or in space, with 2 or 3 Axes, a step pushes along one axis and noise moves all: along x by
// θ·u, as above, and along the others by u. A step earns 1 less the mean of the (x'/Limit)² of all
// axes. There are then more places to be than hours to learn, but no more to learn.
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
	// Axes is the number of axes, up to 3. If it is 0, 1 is used.
	Axes int
}

const dualControlName = "dual-control"

var dualControlParameters = parameters[DualControl]{
	{"limit", wantNumber, "the largest |x|", positive(func(d *DualControl) *float64 { return &d.Limit }, 4, 1e-6, 1e6)},
	{"sigma", "a standard deviation from a millionth of the limit to ten of it", "noise of a step", positive(func(d *DualControl) *float64 { return &d.Sigma }, 0.5, 0, math.Inf(1))},
	{"gains", wantNumbers, "gains, one for each latent", listed(func(d *DualControl) *[]float64 { return &d.Gains }, []float64{1, -1}, -1e6, 1e6)},
	{"start", "a number within the limits", "place of the start", pointed(func(d *DualControl) **float64 { return &d.StartAt }, 2, math.Inf(-1), math.Inf(1))},
	discounted(func(d *DualControl) *float64 { return &d.Discount }, 0.9),
	{"nodes", "a number of cells from %v to %v", "fineness of the quadrature", counted(func(d *DualControl) *int { return &d.Nodes }, 15, 1, 64)},
	{"axes", wantNumber, "axes of the place, along one of which the gain is unknown", counted(func(d *DualControl) *int { return &d.Axes }, 1, 1, 3)},
}

// Model returns the model. The error is a *bcpace.InputError.
func (d DualControl) Model() (bcpace.Enumerator, error) {
	d, err := dualControlParameters.sound(dualControlName, d)
	if err != nil {
		return nil, err
	}
	limit, sigma, gains, axes := d.Limit, d.Sigma, d.Gains, float64(d.Axes)
	switch {
	case !(sigma >= 1e-6*limit && sigma <= 10*limit):
		return nil, inputError(dualControlName, "sigma", numtext.Exact(sigma), fmt.Sprintf(wantNumber, 1e-6*limit, 10*limit))
	case math.Abs(*d.StartAt) > limit:
		return nil, inputError(dualControlName, "start", numtext.Exact(*d.StartAt), fmt.Sprintf(wantNumber, -limit, limit))
	}
	move := func(mean, s []float64, latent, action int, u []float64) {
		copy(mean, s)
		mean[action] += pick(action == 0, gains[latent], 1) * u[0]
	}
	steepest := max(1, slices.Max(gains), -slices.Min(gains)) // of a mean, along x and u
	g := bcpace.Gaussian{
		Spec:   bcpace.Spec{Name: dualControlName, Params: dualControlParameters.of(d), Latents: latents("gain", "", gains), Discount: d.Discount, RewardMin: 0, RewardMax: 1},
		MeanAt: move,
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 {
			cost := 0.0
			for _, x := range next {
				cost += square(x / limit)
			}
			return 1 - cost/axes
		},
		Lipschitz: &bcpace.GaussianLipschitz{Next: 2 / limit / axes},
		Curve: &bcpace.GaussianCurve{
			// E[x'²] for x' = clip(m + σξ), of which half the second derivative in m is P(|x'| < X) less
			// what moves at the ends, so that it is 1 at most.
			Expected: func(s []float64, latent, action int, u []float64) float64 {
				mean, cost := make([]float64, d.Axes), 0.0
				move(mean, s, latent, action, u)
				for _, m := range mean {
					cost += clippedSquare(m, sigma, limit)
				}
				return 1 - cost/square(limit)/axes
			},
			Reward: 2 / square(limit) / axes * square(steepest),
			// What moves at the ends is 2X·(f(X−m)+f(X+m)) with the density f of the noise, of which one is
			// at most that at half the axis.
			Convex: 2 / limit / axes * (density(0) + density(limit/sigma)) / sigma,
		},
		Nodes: d.Nodes,
	}
	start := make([]float64, d.Axes)
	for i := range start {
		start[i] = *d.StartAt
		name := string(rune('x' + i))
		g.Spec.Axes = append(g.Spec.Axes, bcpace.Axis{Name: name, Min: -limit, Max: limit})
		g.Sigma, g.Lipschitz.Mean = append(g.Sigma, sigma), append(g.Lipschitz.Mean, steepest)
		if action := "push"; d.Axes == 1 {
			g.Spec.Actions = control(action, 1, "", "u")
		} else {
			g.Spec.Actions = append(g.Spec.Actions, control(action+" "+name, 1, "", "u")...)
		}
	}
	g.Starts = [][]float64{start}
	if d.Axes == 1 { // axes came later, and run files from before name the others alone
		g.Spec.Params = g.Spec.Params[:len(g.Spec.Params)-1]
	}
	return bcpace.FromGaussian(g)
}

// clippedSquare is E[x²] for x = m + σξ, stopped at ±limit.
func clippedSquare(m, sigma, limit float64) float64 {
	a, b := (-limit-m)/sigma, (limit-m)/sigma
	inside := phi(b) - phi(a)
	e := (m*m + sigma*sigma) * inside
	e += 2*m*sigma*(density(a)-density(b)) + sigma*sigma*(a*density(a)-b*density(b))
	return e + square(limit)*(phi(a)+phi(-b))
}
