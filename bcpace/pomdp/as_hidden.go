package pomdp

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// AsHidden returns m as a model with a hidden vector, so that planners for one play any POMDP, also where AsBAMDP finds no
// latent in it. The state has an axis for each visible variable, with the steps left where m has a horizon, and for the observation, which is
// "none" at the start. The hidden vector has an axis for each hidden variable. The error is that of Validate, or an *bcpace.UnsupportedError for a model whose IsGoal is
// true, as a search at a decision has to end.
func AsHidden(m *Model) (*hidden.Model, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if m.IsGoal() {
		return nil, &bcpace.UnsupportedError{Model: m.Name, Algorithm: "a planner", Need: "a discount below 1 or a horizon, which sarsop does without"}
	}
	m, err := KeepHorizon(m)
	if err != nil {
		return nil, err
	}
	v := &asVector{m: m, hidden: m.NumHidden()}
	spec := hidden.Spec{Spec: m.Spec(), Hidden: axesOf(m.Hidden)}
	if len(m.Hidden) == 0 {
		spec.Hidden = axesOf([]Variable{{Name: "hidden", Values: []string{"nothing"}}})
	}
	spec.Actions = bcpace.Actions(m.Actions...)
	spec.Axes = append(axesOf(m.Visible), axesOf([]Variable{{Name: "observation", Values: append([]string{"none"}, m.Observations...)}})...)
	h := &hidden.Model{Spec: spec, Prior: v.prior, Start: v.start, StartLogDensity: v.startLogDensity, Step: v.step, LogDensity: v.logDensity}
	return h, h.Validate()
}

// asVector are the functions of AsHidden.
type asVector struct {
	m      *Model
	hidden int
}

// at returns the number of a state s and a hidden vector x.
func (v *asVector) at(s, x []float64) int {
	return number(v.m.Visible, s)*v.hidden + number(v.m.Hidden, x)
}

func (v *asVector) prior(x []float64, rng *rand.Rand) {
	x[0] = 0
	fill(v.m.Hidden, x, drawStart(v.m.Start, rng)%v.hidden)
}

// starts returns the starts with a hidden vector, and their probability.
func (v *asVector) starts(x []float64) (list []Entry, sum float64) {
	y := number(v.m.Hidden, x)
	for _, e := range v.m.Start {
		if int(e.At)%v.hidden == y {
			list, sum = append(list, e), sum+e.Value
		}
	}
	return list, sum
}

func (v *asVector) start(s, x []float64, rng *rand.Rand) {
	list, sum := v.starts(x)
	for i := range list {
		list[i].Value /= sum
	}
	s[len(s)-1] = 0
	fill(v.m.Visible, s, drawStart(list, rng)/v.hidden)
}

func (v *asVector) startLogDensity(s, x []float64) float64 {
	list, sum := v.starts(x)
	for _, e := range list {
		if int(e.At) == v.at(s, x) && s[len(s)-1] == 0 {
			return math.Log(e.Value / sum)
		}
	}
	return math.Inf(-1)
}

func (v *asVector) step(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
	from := v.at(s, x)
	to := v.m.Move[action].draw(from, rng)
	nextX[0] = 0
	fill(v.m.Visible, next, to/v.hidden)
	fill(v.m.Hidden, nextX, to%v.hidden)
	next[len(next)-1] = 1 + float64(v.m.Sense[action].draw(to, rng))
	return bcpace.Outcome{Reward: v.m.Reward[action][from]}
}

// logDensity is of what is seen, given to which hidden vector the step led.
func (v *asVector) logDensity(s, x []float64, action int, next, nextX []float64) float64 {
	from, to, observation := v.at(s, x), v.at(next, nextX), int(next[len(next)-1])-1
	if observation < 0 {
		return math.Inf(-1)
	}
	list, prob := v.m.Move[action].At(from)
	leads, together := 0.0, 0.0
	for i, at := range list {
		if int(at)%v.hidden == to%v.hidden {
			leads += prob[i]
		}
		if int(at) == to {
			together = prob[i]
		}
	}
	if together == 0 {
		return math.Inf(-1)
	}
	return math.Log(together / leads * lookup(v.m.Sense[action], to, observation))
}
