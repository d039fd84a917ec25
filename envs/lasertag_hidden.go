package envs

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

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
	l, err := lostParameters.sound(lostName, l)
	if err != nil {
		return nil, err
	}
	spec := hiddenSpec(lostName, lostParameters.of(l), l.Discount, -tagPay, tagPay)
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
	agent = int(f.to[agent][action])
	for i, u := 0, rng.Float64(); i < away.ways; i++ {
		if u -= away.chance[i]; u < 0 {
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

// lostField is the field of an episode of LaserTagHidden. Cell (x, y) has the number y·laserWidth + x.
type lostField struct {
	obstacles [2]uint64 // a bit for each cell
	discount  float64
	free      [laserWidth * laserHeight][laserBeams]int   // cells to the next wall or obstacle, that one included
	to        [laserWidth * laserHeight][tagActions]uint8 // where an action leads from a cell

	once  sync.Once // of what follows, by lostPair: values for an agent who sees both cells, and the best actions
	value []float64
	best  []uint8
}

// lostFields keeps fields that were made before, as many as there is room for.
type lostFields struct {
	discount float64
	slots    [512]atomic.Pointer[lostField]
	stored   atomic.Uint32
}

// at returns the field of a state.
func (f *lostFields) at(s []float64) *lostField {
	var obstacles [2]uint64
	for _, cell := range s[laserBeams:] {
		obstacles[int(cell)/64] |= 1 << (int(cell) % 64)
	}
	const near, odd = 4, 0x9e3779b97f4a7c15
	slot := (obstacles[0]*odd ^ obstacles[1]*odd>>7) >> 32
	for i := range uint64(near) {
		if x := f.slots[(slot+i)%uint64(len(f.slots))].Load(); x != nil && x.obstacles == obstacles {
			return x
		}
	}
	x := newLostField(obstacles, f.discount)
	f.slots[(slot+uint64(f.stored.Add(1)%near))%uint64(len(f.slots))].Store(x)
	return x
}

func newLostField(obstacles [2]uint64, discount float64) *lostField {
	f := &lostField{obstacles: obstacles, discount: discount}
	for cell := range f.free {
		for k, d := range laserDirections {
			n := 1
			for f.open(cell%laserWidth+n*d.dx, cell/laserWidth+n*d.dy) {
				n++
			}
			f.free[cell][k] = n
		}
		for action, d := range compass {
			f.to[cell][action] = uint8(cell)
			if x, y := cell%laserWidth+d[0], cell/laserWidth+d[1]; f.open(x, y) {
				f.to[cell][action] = uint8(y*laserWidth + x)
			}
		}
	}
	return f
}

// open reports whether one can go to (x, y): that is neither outside nor an obstacle.
func (f *lostField) open(x, y int) bool {
	if x < 0 || x >= laserWidth || y < 0 || y >= laserHeight {
		return false
	}
	cell := y*laserWidth + x
	return f.obstacles[cell/64]>>(cell%64)&1 == 0
}

// lostAway is where the opponent may go, in the first ways.
type lostAway struct {
	ways   int
	cell   [tagActions]uint8
	chance [tagActions]float64 // sum 1
}

// away returns where the opponent may go: away from the agent, with 0.4 on each axis, half of it to either side where both are
// as far; else it stays, as it does where its way is blocked.
func (f *lostField) away(agent, opponent int) (a lostAway) {
	east, north := awayShare(opponent%laserWidth-agent%laserWidth), awayShare(opponent/laserWidth-agent/laserWidth)
	for i, p := range [tagActions]float64{tagMoves * north, tagMoves * east, tagMoves * (1 - north), tagMoves * (1 - east), 1 - 2*tagMoves} {
		if p > 0 {
			a.cell[a.ways], a.chance[a.ways] = f.to[opponent][i], p
			a.ways++
		}
	}
	return a
}

// lostPair numbers the cells of agent and opponent.
func lostPair(agent, opponent int) int { return agent*laserWidth*laserHeight + opponent }

// solve computes value and best, once, and returns f. Values come down to, and are never less than, those of who sees both cells.
func (f *lostField) solve() *lostField {
	f.once.Do(func() {
		const cells, enough = laserWidth * laserHeight, 1e-6
		f.value, f.best = make([]float64, cells*cells), make([]uint8, cells*cells)
		ways := make([]lostAway, cells*cells)
		for agent := range cells {
			for opponent := range cells {
				ways[lostPair(agent, opponent)] = f.away(agent, opponent)
				f.value[lostPair(agent, opponent)] = tagPay
			}
		}
		for change := math.Inf(1); change > enough; {
			change = 0
			for agent := range cells {
				for opponent := range cells {
					i := lostPair(agent, opponent)
					value, best := f.backup(agent, opponent, &ways[i])
					change = max(change, f.value[i]-value)
					f.value[i], f.best[i] = value, best
				}
			}
		}
	})
	return f
}

// backup returns the value of the best action.
func (f *lostField) backup(agent, opponent int, ways *lostAway) (value float64, best uint8) {
	if agent == opponent {
		return tagPay, tagTag // no later reward is larger
	}
	value = math.Inf(-1)
	for action := range compass {
		reward := -1.0
		if action == tagTag {
			reward = -tagPay
		}
		values, after := f.value[lostPair(int(f.to[agent][action]), 0):][:laserWidth*laserHeight], 0.0
		for i, p := range ways.chance[:ways.ways] {
			after += p * values[ways.cell[i]]
		}
		if q := reward + f.discount*after; q > value {
			value, best = q, uint8(action)
		}
	}
	return value, best
}
