package envs

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Landing is a craft that is to be set down on its pad in a wind that it feels, but does not see: the hidden vector is the
// wind w in m/s², at first normal with mean 0 and standard deviation Gust. With ξ and ζ normal, in a step of 0.3 s
//
//	w' = 0.98·w + 0.2·Gust·ξ
//	x' = x + 0.3·v
//	v' = v + 0.3·(9.81·sin(tilt) + w' − 0.2·v) + 0.1·ζ
//	tilt' = tilt + 0.3·rate
//	rate' = 0.8·rate + 0.6·u + 0.05·ζ
//
// where the control is the thrust u in [−1, 1]. All but w is observed. So v' tells of w', and the belief is a Kalman filter's
// (Model.Gaussian). The craft begins at rest, 3 m beside the pad, and each step costs 1. To land ends the episode: that earns 100 with
// |x| < 0.5, |v| < 0.6 and |tilt| < 0.25, and costs 60 elsewhere, as does to drift 8 m away or to tilt by
// 0.8.
//
// Episodes are cut after 100 steps.
type Landing struct {
	// Gust is the standard deviation of the wind in m/s², above 0 and up to 4. If it is 0, 1.5 is used.
	Gust float64
	// Discount is γ in (0, 1). If it is 0, 0.97 is used.
	Discount float64
}

const (
	landingName  = "landing"
	landingStep  = 0.3 // s
	landingKept  = 0.98
	landingDrift = 0.2 // of Gust, so that its variance stays
	landingShake = 0.1 // standard deviation of a step of v
	landingTurn  = 0.05
	landingPay   = 100
	landingCrash = -60
	landingTilt  = 0.8
	landingAway  = 8.0
)

// Axes of Landing.
const (
	landingX = iota
	landingV
	landingLean
	landingRate
)

var landingParameters = parameters[Landing]{
	{"gust", "a standard deviation above 0 and up to 4", "standard deviation of the wind in m/s²", positive(func(l *Landing) *float64 { return &l.Gust }, 1.5, 0, 4)},
	discounted(func(l *Landing) *float64 { return &l.Discount }, 0.97),
}

// Model returns the model. The error is a *bcpace.InputError.
func (l Landing) Model() (*hidden.Model, error) {
	l, err := landingParameters.sound(landingName, l)
	if err != nil {
		return nil, err
	}
	spec := hiddenSpec(landingName, landingParameters.of(l), l.Discount, landingCrash, landingPay)
	spec.Axes = []bcpace.Axis{{Name: "x", Unit: "m", Min: -100, Max: 100}, {Name: "v", Unit: "m/s", Min: -200, Max: 200},
		{Name: "tilt", Unit: "rad", Min: -3, Max: 3}, {Name: "rate", Unit: "rad/s", Min: -10, Max: 10}}
	spec.Hidden = []bcpace.Axis{{Name: "wind", Unit: "m/s²", Min: -15 * l.Gust, Max: 15 * l.Gust}}
	spec.Actions = append(control("thrust", 1, "", "u"), bcpace.Action{Name: "land"})
	m := lander{spec: spec.Spec, gust: l.Gust}
	g := &hidden.Gaussian{
		Mean: []float64{0}, Deviation: []float64{l.Gust}, Of: []int{landingV},
		Move:         func(mean, _, x []float64, _ int) { mean[0] = landingKept * x[0] },
		MoveNoise:    func(deviation, _, _ []float64, _ int) { deviation[0] = landingDrift * l.Gust },
		Observe:      func(mean, s []float64, _ int, nextX []float64) { mean[0] = landingSpeed(s, nextX) },
		ObserveNoise: func(deviation, _ []float64, _ int, _ []float64) { deviation[0] = landingShake },
	}
	return &hidden.Model{
		Spec:  spec,
		Prior: func(x []float64, rng *rand.Rand) { x[0] = m.wind(l.Gust * rng.NormFloat64()) },
		Start: func(s, _ []float64, _ *rand.Rand) { clear(s); s[landingX] = 3 },
		Step:  m.step,
		LogDensity: func(s, _ []float64, _ int, next, nextX []float64) float64 {
			return -square((next[landingV]-landingSpeed(s, nextX))/landingShake) / 2
		},
		Gaussian: g,
		Rollout:  m.steer,
		Bounds: func(s, _ []float64) (lower, upper float64) {
			if landingSafe(s) {
				return landingPay, landingPay
			}
			return landingCrash, l.Discount*landingPay - 1
		},
	}, nil
}

// lander is the model of Landing.
type lander struct {
	spec bcpace.Spec
	gust float64
}

// wind puts a wind on its axis.
func (m *lander) wind(w float64) float64 { return min(max(w, -15*m.gust), 15*m.gust) }

// landingSpeed returns the mean of v' in the wind that comes.
func landingSpeed(s, nextX []float64) float64 {
	return s[landingV] + landingStep*(gravity*math.Sin(s[landingLean])+nextX[0]-0.2*s[landingV])
}

// landingSafe reports whether the craft can land.
func landingSafe(s []float64) bool {
	return math.Abs(s[landingX]) < 0.5 && math.Abs(s[landingV]) < 0.6 && math.Abs(s[landingLean]) < 0.25
}

func (m *lander) step(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
	var room [1]float64
	index, u := m.spec.Control(room[:], action)
	if index == 1 {
		copy(next, s)
		copy(nextX, x)
		return bcpace.Outcome{Reward: pick[float64](landingSafe(s), landingPay, landingCrash), Done: true}
	}
	nextX[0] = m.wind(landingKept*x[0] + landingDrift*m.gust*rng.NormFloat64())
	next[landingX] = s[landingX] + landingStep*s[landingV]
	next[landingV] = landingSpeed(s, nextX) + landingShake*rng.NormFloat64()
	next[landingLean] = s[landingLean] + landingStep*s[landingRate]
	next[landingRate] = 0.8*s[landingRate] + 2*landingStep*u[0] + landingTurn*rng.NormFloat64()
	if math.Abs(next[landingX]) >= landingAway || math.Abs(next[landingLean]) >= landingTilt {
		return bcpace.Outcome{Reward: landingCrash, Done: true}
	}
	return bcpace.Outcome{Reward: -1}
}

// steer implements hidden.Model.Rollout: it leans against the wind and towards the pad, by a linear rule, and lands where it can.
func (m *lander) steer(s, x []float64, _ *rand.Rand) int {
	if landingSafe(s) {
		return 1
	}
	lean := math.Asin(min(max((-0.5*s[landingX]-1.2*s[landingV]-x[0])/gravity, -0.4), 0.4))
	u := [1]float64{min(max(4*(lean-s[landingLean])-3*s[landingRate], -1), 1)}
	id, err := m.spec.ActionID(0, u[:])
	if err != nil { // not a number
		return 1
	}
	return id
}
