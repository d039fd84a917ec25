package envs

import (
	"fmt"
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
	tagPay   = 10
	tagMoves = 0.4 // probability of a move along each axis
)

// Actions of Tag, and what is seen.
const (
	tagNorth = iota
	tagEast
	tagSouth
	tagWest
	tagTag
)

const (
	tagNothing = iota
	tagSeen
	tagTagged
)

// The map is 10 cells wide and 2 high, with a tower of 3 × 3 cells on top of it.
const (
	tagWidth, tagHeight   = 10, 5
	tagFloor              = 2    // rows below the tower
	tagTowerFrom, tagSide = 5, 3 // first column and side of the tower
)

// tagIndex returns the number of a cell, or −1 outside of the map.
func tagIndex(x, y int) int {
	switch {
	case x < 0 || y < 0 || x >= tagWidth || y >= tagHeight:
		return -1
	case y < tagFloor:
		return y*tagWidth + x
	case x >= tagTowerFrom && x < tagTowerFrom+tagSide:
		return tagFloor*tagWidth + (y-tagFloor)*tagSide + x - tagTowerFrom
	}
	return -1
}

// tagAt returns the place of a cell.
func tagAt(cell int) (x, y int) {
	if cell < tagFloor*tagWidth {
		return cell % tagWidth, cell / tagWidth
	}
	cell -= tagFloor * tagWidth
	return tagTowerFrom + cell%tagSide, tagFloor + cell/tagSide
}

// tagTables are what the steps of Tag look up.
var tagTables = newTagTables()

type tagTable struct {
	// move is the cell to which an action takes the agent.
	move [tagCells][tagTag + 1]int
	// away is where an opponent in the second cell goes with an agent in the first one.
	away [tagCells][tagCells][tagCells]float64
}

func newTagTables() *tagTable {
	t := &tagTable{}
	to := func(cell, dx, dy int) int {
		x, y := tagAt(cell)
		if next := tagIndex(x+dx, y+dy); next >= 0 {
			return next
		}
		return cell
	}
	for agent := range tagCells {
		t.move[agent] = [...]int{tagNorth: to(agent, 0, 1), tagEast: to(agent, 1, 0), tagSouth: to(agent, 0, -1), tagWest: to(agent, -1, 0), tagTag: agent}
		x, y := tagAt(agent)
		for cell := range tagCells {
			p := &t.away[agent][cell]
			u, v := tagAt(cell)
			east, north := awayShare(u-x), awayShare(v-y)
			p[to(cell, 1, 0)] += tagMoves * east
			p[to(cell, -1, 0)] += tagMoves * (1 - east)
			p[to(cell, 0, 1)] += tagMoves * north
			p[to(cell, 0, -1)] += tagMoves * (1 - north)
			p[cell] += 1 - 2*tagMoves
		}
	}
	return t
}

// awayShare returns the share of moves to the positive side for an opponent that is so far
// on that side of the agent.
func awayShare(distance int) float64 {
	switch {
	case distance > 0:
		return 1
	case distance < 0:
		return 0
	}
	return 0.5
}

var (
	_ bcpace.Finite         = Tag{}
	_ bcpace.LatentDynamics = Tag{}
	_ bcpace.Validator      = Tag{}
)

// tagSpec is the description of Tag without its discount factor.
var tagSpec = bcpace.Spec{
	Name: tagName,
	Axes: []bcpace.Axis{
		{Name: "x", Unit: "cell", Max: tagWidth - 1, Discrete: true},
		{Name: "y", Unit: "cell", Max: tagHeight - 1, Discrete: true},
		{Name: "opponent", Max: tagTagged, Discrete: true, Labels: []string{"not seen", "here", "tagged"}},
	},
	Actions: bcpace.Actions("north", "east", "south", "west", "tag"), Latents: tagLatents(),
	RewardMin: -tagPay, RewardMax: tagPay,
}

func tagLatents() (names []string) {
	for cell := range tagCells {
		x, y := tagAt(cell)
		names = append(names, fmt.Sprintf("at %d, %d", x, y))
	}
	return names
}

// Spec implements bcpace.Model.
func (t Tag) Spec() bcpace.Spec {
	spec := tagSpec
	spec.Discount = or(t.Discount, defaultDiscount)
	spec.Params = []bcpace.Param{{Key: "discount", Value: number(spec.Discount)}}
	return spec
}

// Validate implements bcpace.Validator.
func (t Tag) Validate() error { return checkDiscount(tagName, t.Discount) }

// Prior fills b with the same probability for each cell.
func (Tag) Prior(b bcpace.Belief) {
	for cell := range b {
		b[cell] = 1.0 / tagCells
	}
}

// Start draws the agent's cell.
func (Tag) Start(s []float64, _ int, rng *rand.Rand) { tagSet(s, rng.IntN(tagCells), tagNothing) }

func tagSet(s []float64, cell, seen int) {
	x, y := tagAt(cell)
	s[0], s[1], s[2] = float64(x), float64(y), float64(seen)
}

// tagWhere returns the cells of the agent and of the opponent.
func tagWhere(s []float64, latent int) (agent, opponent int) {
	agent = tagIndex(int(s[0]), int(s[1]))
	if s[2] == tagSeen {
		return agent, agent
	}
	return agent, latent
}

// tagOutcome returns the agent's next cell, the probability that the opponent is seen
// there, the reward, and whether the episode ends.
func tagOutcome(s []float64, latent, action int) (to int, seen, reward float64, done bool) {
	agent, opponent := tagWhere(s, latent)
	if s[2] == tagTagged {
		return agent, 0, 0, true
	}
	if action == tagTag {
		if agent == opponent {
			return agent, 0, tagPay, true
		}
		return agent, 0, -tagPay, false // it moves away from here
	}
	to = tagTables.move[agent][action]
	return to, tagTables.away[agent][opponent][to], -1, false
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
	tagSet(next, to, seen)
	return bcpace.Outcome{Reward: reward, Done: done}
}

// LogLikelihood implements bcpace.Model.
func (Tag) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	to, p, _, done := tagOutcome(s, latent, action)
	if tagIndex(int(next[0]), int(next[1])) != to {
		return math.Inf(-1)
	}
	return math.Log(tagChance(int(next[2]), p, done))
}

// Starts implements bcpace.Enumerator.
func (Tag) Starts(z *bcpace.Successors) {
	for cell := range tagCells {
		s, p, _ := z.Add(false)
		tagSet(s, cell, tagNothing)
		for latent := range p {
			p[latent] = 1.0 / tagCells
		}
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
			tagSet(next, to, seen)
			prob[latent], rewards[latent] = tagChance(seen, p, done), reward
		}
	}
}

// tagChance returns the probability of what is seen, where p is that of the opponent in the
// agent's cell.
func tagChance(seen int, p float64, done bool) float64 {
	switch {
	case done || seen == tagTagged:
		if done == (seen == tagTagged) {
			return 1
		}
		return 0
	case seen == tagSeen:
		return p
	}
	return 1 - p
}

// LatentKind implements bcpace.LatentDynamics.
func (Tag) LatentKind() bcpace.LatentKind { return bcpace.Redrawn }

// LatentTransition moves the opponent, under the condition that it is not seen after the
// step; otherwise the state says where it is.
func (Tag) LatentTransition(p []float64, s []float64, action, latent int) bool {
	if s[2] == tagTagged {
		return false
	}
	agent, opponent := tagWhere(s, latent)
	to := tagTables.move[agent][action]
	away := &tagTables.away[agent][opponent]
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
func (Tag) NumStates() int { return tagCells * (tagTagged + 1) }

// StateAt implements bcpace.Finite.
func (Tag) StateAt(s []float64, number int) { tagSet(s, number%tagCells, number/tagCells) }

// StateIndex implements bcpace.Finite.
func (Tag) StateIndex(s []float64) int {
	x, y, seen := wholeWithin(s[0], 0, tagWidth-1), wholeWithin(s[1], 0, tagHeight-1), wholeWithin(s[2], 0, tagTagged)
	if x < 0 || y < 0 || seen < 0 || tagIndex(x, y) < 0 {
		return -1
	}
	return seen*tagCells + tagIndex(x, y)
}
