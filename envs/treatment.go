package envs

import (
	"slices"

	"bayescpace/bcpace"
)

// Treatment is the choice of doses for a patient whose sensitivity to a drug is unknown: a
// stylised model, and no advice on any drug. The state is the severity of the illness, in
// points from 0 to 10, and a step is a week, in which it becomes worse by a point; a dose d,
// in shares of the largest one, works against it by the Emax model of dose and effect (Holford
// and Sheiner 1981):
//
//	x' = x + 1 − E(d) + w,   E(d) = 3·θd/(1 + θd),   w ~ N(0, 0.7²)
//
// stopped at 0 and 10. The effect is 3 points a week at most, and half of that at the dose 1/θ.
// The sensitivity θ, in 1/largest dose, is one of Sensitivities, each with the same chance. A
// week earns 1 − x'/10 − Toxicity·d.
//
// Who hardly responds is best left alone, and who does responds to little: the first doses
// treat and probe. With the defaults QMDP earns 9.9. To act on the likeliest sensitivity alone
// earns 1.1: the first of three that are equally likely is the least, which no dose is worth, and
// without a dose nothing is learned.
type Treatment struct {
	// Sensitivities are the values that θ may have, from 0 to 1000. If it is nil, they are 0.2,
	// 1 and 5.
	Sensitivities []float64
	// Toxicity is the cost of a week with the largest dose, from 0 to 10. If it is nil, 0.3 is
	// used.
	Toxicity *float64
	// StartAt is the severity at the start, from 0 to 10. If it is nil, 5 is used.
	StartAt *float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
	// Nodes is Gaussian.Nodes. If it is 0, 15 is used.
	Nodes int
}

const (
	treatmentName   = "treatment"
	treatmentWorst  = 10  // points
	treatmentWorsen = 1   // points a week
	treatmentEffect = 3   // points a week, at most
	treatmentSigma  = 0.7 // points
)

var treatmentParameters = parameters[Treatment]{
	{"sensitivities", wantNumbers, "sensitivities in 1/largest dose, one for each latent", listed(func(e *Treatment) *[]float64 { return &e.Sensitivities }, []float64{0.2, 1, 5}, 0, 1000)},
	{"toxicity", wantNumber, "cost of a week with the largest dose", pointed(func(e *Treatment) **float64 { return &e.Toxicity }, 0.3, 0, 10)},
	{"start", wantNumber, "severity at the start, in points", pointed(func(e *Treatment) **float64 { return &e.StartAt }, 5, 0, treatmentWorst)},
	discounted(func(e *Treatment) *float64 { return &e.Discount }, defaultDiscount),
	{"nodes", "a number of cells from %v to %v", "fineness of the quadrature", counted(func(e *Treatment) *int { return &e.Nodes }, 15, 1, 64)},
}

// Model returns the model. The error is a *bcpace.InputError.
func (e Treatment) Model() (bcpace.Enumerator, error) {
	e, err := treatmentParameters.sound(treatmentName, e)
	if err != nil {
		return nil, err
	}
	θ, toxicity := e.Sensitivities, *e.Toxicity
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: treatmentName, Params: treatmentParameters.of(e),
			Axes:    []bcpace.Axis{{Name: "severity", Unit: "point", Max: treatmentWorst}},
			Actions: []bcpace.Action{{Name: "treat", Box: []bcpace.Axis{{Name: "dose", Unit: "largest", Max: 1}}}},
			Latents: latents("sensitivity", "", θ), Discount: e.Discount, RewardMin: -toxicity, RewardMax: 1,
		},
		Starts: [][]float64{{*e.StartAt}},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			x := θ[latent] * u[0]
			mean[0] = s[0] + treatmentWorsen - treatmentEffect*x/(1+x)
		},
		Sigma: []float64{treatmentSigma},
		RewardAt: func(_ []float64, _, _ int, u, next []float64) float64 {
			return 1 - next[0]/treatmentWorst - toxicity*u[0]
		},
		Lipschitz: &bcpace.GaussianLipschitz{
			Mean:   []float64{max(1, treatmentEffect*slices.Max(θ))}, // of x and d
			Reward: toxicity, Next: 1.0 / treatmentWorst,
		},
		Curve: treatmentCurve(θ, toxicity),
		Nodes: e.Nodes,
	})
}

// treatmentCurve says how means and rewards bend. With θ the largest sensitivity, the mean has along the dose
// the slope −3θ/(1+θd)² and the second derivative 6θ²/(1+θd)³. The expected severity E[x'] of a mean m has the
// slope P(x' between the ends), and as second derivative the difference of two densities of the noise.
func treatmentCurve(θ []float64, toxicity float64) *bcpace.GaussianCurve {
	most := slices.Max(θ)
	slope, bend := treatmentEffect*most, 2*treatmentEffect*most*most
	dense := density(0) / treatmentSigma
	return &bcpace.GaussianCurve{
		Reward: dense / treatmentWorst, Convex: dense / treatmentWorst,
		Control: &bcpace.ControlCurve{Mean: []float64{bend}, Reward: (dense*slope*slope + bend) / treatmentWorst},
		Expected: func(s []float64, latent, _ int, u []float64) float64 {
			x := θ[latent] * u[0]
			mean := s[0] + treatmentWorsen - treatmentEffect*x/(1+x)
			return 1 - stoppedMean(mean, treatmentSigma, treatmentWorst)/treatmentWorst - toxicity*u[0]
		},
	}
}

// stoppedMean is E[x] for x = m + σξ, stopped at 0 and top.
func stoppedMean(m, sigma, top float64) float64 {
	a, b := -m/sigma, (top-m)/sigma
	return m*(phi(b)-phi(a)) + sigma*(density(a)-density(b)) + top*phi(-b)
}
