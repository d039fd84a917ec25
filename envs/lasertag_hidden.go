package envs

import (
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// LaserTagHidden is LaserTag for an agent that does not know its own cell, as Sunberg and Kochenderfer (2018, "Online
// algorithms for POMDPs with continuous state, action, and observation spaces") play it; numbers are from their program
// (zsunberg/LaserTag.jl).
//
// The field is 11 cells wide and 7 high, and 8 of its cells are obstacles, which are drawn anew for each episode and which the
// agent knows. Hidden are its cell and the opponent's, at first any of the 77 with equal probability, those of obstacles
// too. Moves, opponent, rewards and the laser are those of LaserTag. In the opponent's cell, all eight readings are −1.
//
// The state is the readings, which are 0 at the start, and the cells of the obstacles. Episodes are cut after 100 steps.
type LaserTagHidden struct {
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	lostName = "lasertag-hidden"
	lostMet  = -1 // all readings in the opponent's cell
)

var lostParameters = parameters[LaserTagHidden]{
	discounted(func(l *LaserTagHidden) *float64 { return &l.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (l LaserTagHidden) Model() (*hidden.Model, error) {
	params := lostParameters.of(l)
	l = lostParameters.filled(l)
	if err := checkDiscount(lostName, l.Discount); err != nil {
		return nil, err
	}
	spec := hiddenSpec(lostName, params, l.Discount, -tagPay, tagPay)
	for _, d := range laserDirections {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: d.name, Unit: "cell", Min: lostMet, Max: laserFar, Discrete: true})
	}
	for _, name := range []string{"1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"} {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: name + " obstacle", Max: laserWidth*laserHeight - 1, Discrete: true})
	}
	for _, who := range []string{"", "opponent "} {
		spec.Hidden = append(spec.Hidden, bcpace.Axis{Name: who + "x", Unit: "cell", Max: laserWidth - 1, Discrete: true}, bcpace.Axis{Name: who + "y", Unit: "cell", Max: laserHeight - 1, Discrete: true})
	}
	spec.Actions = bcpace.Actions(tagActionNames...)
	idle := -spec.EffectiveHorizon() // what is earned by moves, until the episode is cut
	late := 1/(1-l.Discount) + idle  // what moves after the cut would cost
	fields := lostFields{discount: l.Discount}
	return &hidden.Model{
		Spec: spec,
		Prior: func(x []float64, rng *rand.Rand) {
			for i, a := range spec.Hidden {
				x[i] = float64(rng.IntN(int(a.Max) + 1))
			}
		},
		Start: func(s, _ []float64, rng *rand.Rand) {
			clear(s)
			lostObstacles(s[laserBeams:], rng)
		},
		Step: func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			copy(next[laserBeams:], s[laserBeams:])
			return fields.at(s).step(next[:laserBeams], nextX, x, action, rng)
		},
		LogDensity: func(s, _ []float64, _ int, next, nextX []float64) float64 {
			return fields.at(s).logProbability(next[:laserBeams], nextX)
		},
		Rollout: func(s, x []float64, _ *rand.Rand) int {
			return int(fields.at(s).solve().best[lostPair(lostCells(x))])
		},
		Bounds: func(s, x []float64) (lower, upper float64) {
			agent, opponent := lostCells(x)
			if s[0] == lostMet && agent == opponent { // as the readings say, so that anyone would tag
				return tagPay, tagPay
			}
			return idle, min(fields.at(s).solve().value[lostPair(agent, opponent)]+late, tagPay)
		},
	}, nil
}

// lostObstacles draws different cells, in the order of their numbers.
func lostObstacles(cells []float64, rng *rand.Rand) {
	for left, i := laserObstacles, 0; left > 0; i++ {
		if rng.IntN(laserWidth*laserHeight-i) < left {
			cells[laserObstacles-left] = float64(i)
			left--
		}
	}
}

// lostCells returns the cells of agent and opponent.
func lostCells(x []float64) (agent, opponent int) {
	return int(x[1])*laserWidth + int(x[0]), int(x[3])*laserWidth + int(x[2])
}

// step is hidden.Model.Step without obstacles.
func (f *lostField) step(readings, nextX, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
	agent, opponent := lostCells(x)
	out := bcpace.Outcome{Reward: -1}
	if action == tagTag {
		out.Reward = -tagPay
		if agent == opponent {
			copy(nextX, x)
			fillWith(readings, lostMet)
			return bcpace.Outcome{Reward: tagPay, Done: true}
		}
	}
	away := f.away(agent, opponent)
	agent = f.to(agent, action)
	u := rng.Float64()
	for i, p := range away.chance {
		if u -= p; u < 0 {
			opponent = int(away.cell[i])
			break
		}
	}
	nextX[0], nextX[1] = float64(agent%laserWidth), float64(agent/laserWidth)
	nextX[2], nextX[3] = float64(opponent%laserWidth), float64(opponent/laserWidth)
	if agent == opponent {
		fillWith(readings, lostMet)
		return out
	}
	for k := range readings {
		readings[k] = f.length(agent, opponent, k).read(rng)
	}
	return out
}

// logProbability is the log of the probability of all readings.
func (f *lostField) logProbability(readings, nextX []float64) (sum float64) {
	agent, opponent := lostCells(nextX)
	if met := readings[0] == lostMet; met || agent == opponent {
		return logOf(met && agent == opponent)
	}
	for k, r := range readings {
		sum += f.length(agent, opponent, k).log[int(r)]
	}
	return sum
}

// fillWith sets all entries.
func fillWith(xs []float64, x float64) {
	for i := range xs {
		xs[i] = x
	}
}

// length returns what a beam measures that goes from one cell, and ends at another one if that lies on it.
func (f *lostField) length(from, at, beam int) *laserLength {
	cells := f.free[from][beam]
	d := laserDirections[beam]
	dx, dy := at%laserWidth-from%laserWidth, at/laserWidth-from/laserWidth
	if n := max(dx*d.dx, dy*d.dy); n > 0 && dx == n*d.dx && dy == n*d.dy {
		cells = min(cells, n)
	}
	if beam%2 == 1 {
		cells += laserWidth
	}
	return &laserLengths[cells-1]
}
