package envs

import "bayescpace/bcpace"

// Smoothness is bcpace.Abilities.Smoothness where Sigma is not 0: a move adds a step that does not
// depend on the place, the goals are squares, and the left wall tells where the tiger is.
func (t LightDarkTiger) Smoothness() (bcpace.Smoothness, bool) {
	if t.Sigma == 0 {
		return bcpace.Smoothness{}, false
	}
	right, top := t.corner()
	s := bcpace.Smoothness{
		Sigma:     []float64{t.Sigma, t.Sigma, 0},
		Mean:      func(mean, s []float64, _, action int) { mean[darkX], mean[darkY] = t.aim(s, action) },
		MeanCurve: make([]float64, darkAxes),
		Jumps:     [][]float64{{right - 0.5}, {0.5}, nil},
		Arrive: func(next []float64, latent int) bcpace.Arrival {
			goal := t.goal(next[darkX], next[darkY])
			return bcpace.Arrival{Reward: darkReward(goal, latent), Ends: goal >= 0, Tells: next[darkX] == 0}
		},
	}
	if top > 1 {
		s.Jumps[darkY] = append(s.Jumps[darkY], top-0.5)
	}
	if t.AnyHeading { // a heading of u radians moves by (cos u, sin u), whose second derivatives are within 1
		unit := headings.Actions[0].Box[0].MetricUnit()
		s.Control = &bcpace.ControlCurve{Mean: []float64{unit * unit, unit * unit, 0}}
	}
	return s, true
}
