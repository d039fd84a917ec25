package envs

import (
	"cmp"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Tag is the pursuit of an opponent that one does not see (Pineau, Gordon and Thrun 2003)
// as a BAMDP whose latent is the opponent's cell, of 29. The agent moves to a neighbouring
// cell, at a cost of 1, or tags, which earns 10 and ends the episode where the opponent is
// in its cell, and costs 10 elsewhere. Agent and opponent start anywhere.
//
// In each step the opponent moves away from the cell that the agent is in before the step:
// with probability 0.4 along x and 0.4 along y, half of which is for either side where both
// are as far, and it stays where it would leave the map. The agent sees the opponent in the
// cell that it comes to, and nothing of it elsewhere.
//
// The state is the agent's cell, and what it sees: nothing, the opponent in its cell, or the
// opponent tagged. A latent may only move independently of what is seen in the same step
// (bcpace.LatentDynamics). So where the opponent is seen, its cell is the state's and the
// latent means nothing; and it moves as an opponent does that is not seen after the step.
// Values are those of the original, of which SARSOP earns −6.1 (Kurniawati, Hsu and Lee
// 2008).
type Tag struct {
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	tagName  = "tag"
	tagCells = 29
)

// The map is 10 cells wide and 2 high, with a tower of 3 × 3 cells on top of it.
const (
	tagWidth, tagHeight   = 10, 5
	tagFloor              = 2    // rows below the tower
	tagTowerFrom, tagSide = 5, 3 // first column and side of the tower
)

// tagMap is the map of Tag.
var tagMap = newPursuit(tagWidth, tagHeight, func(x, y int) bool {
	return y < tagFloor || x >= tagTowerFrom && x < tagTowerFrom+tagSide
})

var (
	_ bcpace.Finite         = Tag{}
	_ bcpace.LatentDynamics = Tag{}
)

// tagSpec is the description of Tag without its discount factor.
var tagSpec = bcpace.Spec{
	Name: tagName, Axes: tagMap.axes(), Actions: bcpace.Actions(tagActionNames...), Latents: tagMap.names("at"),
	RewardMin: -tagPay, RewardMax: tagPay,
}

var tagParameters = parameters[Tag]{discounted(func(t *Tag) *float64 { return &t.Discount }, defaultDiscount)}

// Spec implements bcpace.Model.
func (t Tag) Spec() bcpace.Spec {
	spec := tagSpec
	spec.Discount = cmp.Or(t.Discount, defaultDiscount)
	spec.Params = tagParameters.of(t)
	return spec
}

// Validate implements bcpace.Validator.
func (t Tag) Validate() error {
	_, err := tagParameters.sound(tagName, t)
	return err
}

// Prior fills b with the same probability for each cell.
func (Tag) Prior(b bcpace.Belief) { copy(b, bcpace.Uniform(tagCells)) }

// Start draws the agent's cell.
func (Tag) Start(s []float64, _ int, rng *rand.Rand) { tagMap.start(s, rng) }

// tagWhere returns the cells of the agent and of the opponent.
func tagWhere(s []float64, latent int) (agent, opponent int) {
	agent = tagMap.agent(s)
	if s[axisSeen] == tagSeen {
		return agent, agent
	}
	return agent, latent
}

// tagOutcome returns the agent's next cell, the probability that the opponent is seen
// there, the reward, and whether the episode ends.
func tagOutcome(s []float64, latent, action int) (to int, seen, reward float64, done bool) {
	agent, opponent := tagWhere(s, latent)
	if s[axisSeen] == tagTagged {
		return agent, 0, 0, true
	}
	if action == tagTag {
		if agent == opponent {
			return agent, 0, tagPay, true
		}
		return agent, 0, -tagPay, false // it moves away from here
	}
	to = tagMap.move[agent*tagActions+action]
	return to, tagMap.awayFrom(agent, opponent)[to], -1, false
}

// Step implements bcpace.Model.
func (Tag) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	to, p, reward, done := tagOutcome(s, latent, action)
	seen := tagNothing
	switch {
	case done:
		seen = tagTagged
	case p > 0 && rng.Float64() < p:
		seen = tagSeen
	}
	tagMap.set(next, to, seen)
	return bcpace.Outcome{Reward: reward, Done: done}
}

// LogLikelihood implements bcpace.Model.
func (Tag) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	to, p, _, done := tagOutcome(s, latent, action)
	if tagMap.agent(next) != to {
		return math.Inf(-1)
	}
	return math.Log(tagChance(int(next[axisSeen]), p, done))
}

// Starts implements bcpace.Enumerator.
func (Tag) Starts(z *bcpace.Successors) {
	for cell := range tagCells {
		s, p, _ := z.Add(false)
		tagMap.set(s, cell, tagNothing)
		copy(p, bcpace.Uniform(tagCells))
	}
}

// Successors implements bcpace.Enumerator.
func (t Tag) Successors(z *bcpace.Successors, s []float64, action int) {
	for seen := range tagTagged + 1 {
		possible := false
		for latent := range tagCells {
			_, p, _, done := tagOutcome(s, latent, action)
			possible = possible || tagChance(seen, p, done) > 0
		}
		if !possible {
			continue
		}
		next, prob, rewards := z.Add(seen == tagTagged)
		for latent := range prob {
			to, p, reward, done := tagOutcome(s, latent, action)
			tagMap.set(next, to, seen)
			prob[latent], rewards[latent] = tagChance(seen, p, done), reward
		}
	}
}

// tagChance returns the probability of what is seen, where p is that of the opponent in the
// agent's cell.
func tagChance(seen int, p float64, done bool) float64 {
	switch {
	case done && seen == tagTagged:
		return 1
	case done || seen == tagTagged:
		return 0
	}
	return either(seen == tagSeen, p)
}

// LatentKind implements bcpace.LatentDynamics.
func (Tag) LatentKind() bcpace.LatentKind { return bcpace.Redrawn }

// LatentTransition moves the opponent, under the condition that it is not seen after the
// step; otherwise the state says where it is.
func (Tag) LatentTransition(p []float64, s []float64, action, latent int) bool {
	if s[axisSeen] == tagTagged {
		return false
	}
	agent, opponent := tagWhere(s, latent)
	to := tagMap.move[agent*tagActions+action]
	away := tagMap.awayFrom(agent, opponent)
	unseen := 0.0
	for cell, w := range away {
		if cell != to {
			unseen += w
		}
	}
	for cell, w := range away {
		if p[cell] = w / unseen; cell == to {
			p[cell] = 0
		}
	}
	return true
}

// NumStates implements bcpace.Finite.
func (Tag) NumStates() int { return tagMap.NumStates() }

// StateAt implements bcpace.Finite.
func (Tag) StateAt(s []float64, number int) { tagMap.StateAt(s, number) }

// StateIndex implements bcpace.Finite.
func (Tag) StateIndex(s []float64) int { return tagMap.StateIndex(s) }
