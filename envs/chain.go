package envs

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// Chain is the Chain problem (Strens 2000) with an unknown slip probability, as
// in the paper's Experimental Results. The states are 1 … Length, the start is
// 1. Action A moves one state up, and in the last state stays there and earns
// 10; action B returns to state 1 and earns 2. With the slip probability, which
// is the latent, the opposite action is executed. Episodes do not end.
//
// Rewards follow the action that is executed, unless Intended is set. A never
// leads to state 1 and B always does, so the next state tells which action was
// executed and nothing is hidden but the latent.
//
// With the default parameters the optimal value at the start is 48.081. A slip
// shows with either action, so exploring is worthless there and QMDP is optimal.
type Chain struct {
	// Length is the number of states, from 2 to 1,000,000. If it is 0, 5 is used.
	Length int
	// Slips are the slip probabilities in [0, 1], all different, one for each
	// latent. If it is nil, 0.2, 0.5 and 0.8 are used.
	Slips []float64
	// SlipPrior is P0(φ) in the order of Slips. If it is nil, it is uniform.
	SlipPrior []float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
	// Intended pays for the action that was chosen, not the one executed.
	Intended bool
}

// Actions of Chain.
const (
	chainUp   = iota // "A"
	chainBack        // "B"
)

const (
	chainLength     = 5
	chainEndReward  = 10
	chainBackReward = 2
)

var (
	chainSlips = []float64{0.2, 0.5, 0.8}

	_ bcpace.Finite = Chain{}
)

var chainParameters = parameters[Chain]{
	// With one state, A and B would lead to the same place, and the reward would tell of the slip what the state does not.
	{"length", "a number of states from %v to %v", "number of states", counted(func(c *Chain) *int { return &c.Length }, chainLength, 2, 1_000_000)},
	{"slips", "different probabilities with commas between them", "slip probabilities, one for each latent", listed(func(c *Chain) *[]float64 { return &c.Slips }, chainSlips, math.Inf(-1), math.Inf(1))},
	{"prior", "uniform, or probabilities that sum to 1 with commas between them", "prior of the slip probabilities", listedOr(func(c *Chain) *[]float64 { return &c.SlipPrior }, "uniform")},
	discounted(func(c *Chain) *float64 { return &c.Discount }, defaultDiscount),
	{"reward", "executed or intended", "whether the executed or the intended action is paid for", chosen(func(c *Chain) *bool { return &c.Intended }, "executed", "intended")},
}

// Spec implements bcpace.Model.
func (c Chain) Spec() bcpace.Spec {
	return bcpace.Spec{
		Name: chainName, Params: chainParameters.of(c),
		Axes:      []bcpace.Axis{{Name: "state", Min: 1, Max: float64(c.length()), Discrete: true}},
		Actions:   bcpace.Actions("A", "B"),
		Latents:   latents("slip", "", c.slips()),
		Discount:  cmp.Or(c.Discount, defaultDiscount),
		RewardMin: 0, RewardMax: chainEndReward,
	}
}

// Validate implements bcpace.Validator.
func (c Chain) Validate() error {
	if _, err := chainParameters.sound(chainName, c); err != nil {
		return err
	}
	slips := c.slips()
	for i, p := range slips {
		if !(p >= 0 && p <= 1) {
			return inputError(chainName, "slips", numtext.Exact(p), "probabilities in [0, 1]")
		}
		if slices.Contains(slips[:i], p) {
			return inputError(chainName, "slips", numtext.Exact(p)+" twice", "different probabilities, one for each latent")
		}
	}
	if c.SlipPrior != nil {
		if len(c.SlipPrior) != len(slips) {
			return inputError(chainName, "prior", fmt.Sprintf("%d numbers", len(c.SlipPrior)), fmt.Sprintf("%d, one for each slip probability", len(slips)))
		}
		if bcpace.Belief(c.SlipPrior).Validate() != nil {
			return inputError(chainName, "prior", numtext.ExactList(c.SlipPrior), "probabilities that sum to 1")
		}
	}
	return nil
}

// Prior fills b with SlipPrior.
func (c Chain) Prior(b bcpace.Belief) {
	if c.SlipPrior != nil {
		copy(b, c.SlipPrior)
		return
	}
	copy(b, bcpace.Uniform(len(b)))
}

// Start sets s to state 1.
func (c Chain) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 1 }

// Step implements bcpace.Model.
func (c Chain) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	executed := action
	if rng.Float64() < c.slips()[latent] {
		executed = 1 - action
	}
	next[0] = c.move(s[0], executed)
	return bcpace.Outcome{Reward: c.reward(s[0], action, executed)}
}

// LogLikelihood implements bcpace.Model.
func (c Chain) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	switch next[0] {
	case c.move(s[0], action):
		return math.Log(1 - c.slips()[latent])
	case c.move(s[0], 1-action):
		return math.Log(c.slips()[latent])
	}
	return math.Inf(-1)
}

// Starts implements bcpace.Enumerator.
func (c Chain) Starts(z *bcpace.Successors) { sureStart(z)[0] = 1 }

// Successors implements bcpace.Enumerator.
func (c Chain) Successors(z *bcpace.Successors, s []float64, action int) {
	slips := c.slips()
	for executed := range 2 {
		slipped := executed != action
		if !slices.ContainsFunc(slips, func(slip float64) bool { return either(slipped, slip) > 0 }) {
			continue
		}
		next, p, r := z.Add(false)
		next[0] = c.move(s[0], executed)
		for i, slip := range slips {
			p[i], r[i] = either(slipped, slip), c.reward(s[0], action, executed)
		}
	}
}

// NumStates implements bcpace.Finite.
func (c Chain) NumStates() int { return c.length() }

// StateAt implements bcpace.Finite.
func (c Chain) StateAt(s []float64, number int) { s[0] = float64(number + 1) }

// StateIndex implements bcpace.Finite.
func (c Chain) StateIndex(s []float64) int { return wholeWithin(s[0], 1, c.length()) }

// move returns the state that the executed action leads to.
func (c Chain) move(s float64, executed int) float64 {
	return pick(executed == chainBack, 1, min(s+1, float64(c.length())))
}

func (c Chain) reward(s float64, chosen, executed int) float64 {
	switch {
	case pick(c.Intended, chosen, executed) == chainBack:
		return chainBackReward
	case s == float64(c.length()):
		return chainEndReward
	}
	return 0
}

func (c Chain) length() int { return cmp.Or(c.Length, chainLength) }

func (c Chain) slips() []float64 {
	return orElse(c.Slips, chainSlips)
}
