package envs

import (
	"cmp"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Tiger is the Tiger problem (Kaelbling, Littman and Cassandra 1998) as a BAMDP
// with two latent MDPs, as in the paper's Experimental Results: the agent
// stands before two closed doors, behind one of which is a tiger. It may
// listen, at a cost of 1, or open a door, which earns 10, or −100 where the
// tiger is.
//
// The state is what was heard last: 0 nothing, 1 left, 2 right. It matters to
// no transition or reward, and so counts nothing in the metric. The paper lets
// another latent MDP be assigned once a door is open: the tiger is then placed
// anew behind either door with probability ½ and nothing is heard. The latent
// is therefore Redrawn, unless Ends is set.
//
// At Discount 0.95 the optimal value at the start is 19.3714.
type Tiger struct {
	// Accuracy is the probability in (0, 1] that listening tells the true side.
	// If it is 0, 0.85 is used.
	Accuracy float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
	// Ends makes opening a door end the episode, with the latent Static.
	Ends bool
}

// Actions and observations of Tiger; heard side left is latent 0 plus 1.
const (
	tigerListen = iota
	tigerOpenLeft
	tigerOpenRight
)

const (
	tigerListenReward = -1
	tigerTreasure     = 10
	tigerPenalty      = -100
	tigerAccuracy     = 0.85
)

var (
	_ bcpace.Finite         = Tiger{}
	_ bcpace.LatentDynamics = Tiger{}
)

var tigerParameters = parameters[Tiger]{
	{"accuracy", wantProbability, "probability that listening tells the true side", positive(func(t *Tiger) *float64 { return &t.Accuracy }, tigerAccuracy, 0, 1)},
	discounted(func(t *Tiger) *float64 { return &t.Discount }, defaultDiscount),
	{"reset", "true or false", "place the tiger anew after a door is opened; false ends the episode", chosen(func(t *Tiger) *bool { return &t.Ends }, "true", "false")},
}

// Spec implements bcpace.Model.
func (t Tiger) Spec() bcpace.Spec {
	return bcpace.Spec{
		Name: tigerName, Params: tigerParameters.of(t),
		Axes: []bcpace.Axis{{
			Name: "heard", Min: 0, Max: 2, Discrete: true,
			Labels: []string{"nothing", "left", "right"}, Scale: math.Inf(1),
		}},
		Actions:   bcpace.Actions("listen", "open left", "open right"),
		Latents:   []string{"tiger left", "tiger right"},
		Discount:  cmp.Or(t.Discount, defaultDiscount),
		RewardMin: tigerPenalty, RewardMax: tigerTreasure,
	}
}

// Validate implements bcpace.Validator.
func (t Tiger) Validate() error {
	_, err := tigerParameters.sound(tigerName, t)
	return err
}

// Prior fills b with ½ for each side.
func (t Tiger) Prior(b bcpace.Belief) { b[0], b[1] = 0.5, 0.5 }

// Start sets s to "nothing heard".
func (t Tiger) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0 }

// Step implements bcpace.Model.
func (t Tiger) Step(next, _ []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	if action != tigerListen {
		next[0] = 0
		return bcpace.Outcome{Reward: tigerReward(action, latent), Done: t.Ends}
	}
	heard := latent
	if rng.Float64() >= t.accuracy() {
		heard = 1 - latent
	}
	next[0] = float64(heard + 1)
	return bcpace.Outcome{Reward: tigerListenReward}
}

// LogLikelihood implements bcpace.Model.
func (t Tiger) LogLikelihood(_ []float64, action int, next []float64, latent int) float64 {
	if action != tigerListen {
		return logOf(next[0] == 0)
	}
	switch next[0] {
	case float64(latent + 1):
		return math.Log(t.accuracy())
	case float64(2 - latent):
		return math.Log(1 - t.accuracy())
	}
	return math.Inf(-1)
}

// Starts implements bcpace.Enumerator.
func (t Tiger) Starts(z *bcpace.Successors) { sureStart(z) }

// Successors implements bcpace.Enumerator.
func (t Tiger) Successors(z *bcpace.Successors, _ []float64, action int) {
	if action != tigerListen {
		_, p, r := z.Add(t.Ends)
		p[0], p[1] = 1, 1
		r[0], r[1] = tigerReward(action, 0), tigerReward(action, 1)
		return
	}
	for heard := range 2 {
		s, p, r := z.Add(false)
		s[0] = float64(heard + 1)
		p[heard], p[1-heard] = t.accuracy(), 1-t.accuracy()
		r[0], r[1] = tigerListenReward, tigerListenReward
	}
}

// NumStates implements bcpace.Finite.
func (t Tiger) NumStates() int { return 3 }

// StateAt implements bcpace.Finite.
func (t Tiger) StateAt(s []float64, number int) { s[0] = float64(number) }

// StateIndex implements bcpace.Finite.
func (t Tiger) StateIndex(s []float64) int { return wholeWithin(s[0], 0, 2) }

// LatentKind is Redrawn, or Static where Ends is set.
func (t Tiger) LatentKind() bcpace.LatentKind {
	return pick(t.Ends, bcpace.Static, bcpace.Redrawn)
}

// LatentTransition places the tiger anew after a door is opened.
func (t Tiger) LatentTransition(p []float64, _ []float64, action, _ int) bool {
	if t.Ends || action == tigerListen {
		return false
	}
	p[0], p[1] = 0.5, 0.5
	return true
}

func (t Tiger) accuracy() float64 { return cmp.Or(t.Accuracy, tigerAccuracy) }

// tigerReward is what opening a door earns.
func tigerReward(action, latent int) float64 {
	return pick[float64](action-tigerOpenLeft == latent, tigerPenalty, tigerTreasure)
}
