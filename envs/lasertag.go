package envs

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// LaserTag is Tag with a laser, on a field with obstacles (Rosencrantz, Gordon and Thrun 2003;
// as in Somani et al. 2013, where the agent knows its own cell). The field is 11 cells wide and
// 7 high, and 8 of its cells, drawn at random, are obstacles. Agent and opponent start in any
// of the 69 others. Moves, opponent and rewards are those of Tag.
//
// After each step a laser measures how far it is to the next wall, obstacle or opponent in
// eight directions: the number of cells to it, times √2 along diagonals, less the size of a
// normal error of standard deviation 2.5, in whole cells and at least 0. In the opponent's
// cell the agent sees the opponent, and measures nothing.
//
// The state is the agent's cell, what it sees of the opponent, as in Tag, and the eight
// readings; at the start they are 0. The latent is the cell to which the opponent goes in the
// next step. Its present cell would not do, as a latent may only move independently of what is
// seen in the same step (bcpace.LatentDynamics). That tells all that matters: where a tag
// succeeds, the agent sees the opponent. At the start it does not see it in its own cell
// either, and a tag there fails; no policy tags unseen there that is optimal, so that optimal
// values are those of the original.
//
// There are too many readings to list what follows. Planners that simulate play it: adaops,
// pomcpow and pomcp, whose tree is a step deep as readings seldom come again; and,
// as the model is a bcpace.ToldModel, what acts by the values of latents: thompson, qmdp and
// rollouts that are told the latent. What needs lists refuses it: lookahead and the offline
// solvers.
type LaserTag struct {
	// Map is the number of the map, from 1: obstacles lie elsewhere on each. If it is 0, 1 is
	// used. Moves lead from each free cell to each other.
	Map int
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	laserTagName            = "lasertag"
	laserWidth, laserHeight = 11, 7
	laserObstacles          = 8
	laserCells              = laserWidth*laserHeight - laserObstacles

	laserBeams   = 8
	laserNoise   = 2.5 // standard deviation of a reading, in cells
	laserFar     = 10  // largest reading
	laserReading = axisSeen + 1
)

// laserDirections are the names of the beams, and where they go.
var laserDirections = [laserBeams]struct {
	name   string
	dx, dy int
}{{"north", 0, 1}, {"northeast", 1, 1}, {"east", 1, 0}, {"southeast", 1, -1}, {"south", 0, -1}, {"southwest", -1, -1}, {"west", -1, 0}, {"northwest", -1, 1}}

// laserLengths are the lengths that a beam may have: of 1, 2, … cells, along an axis and
// behind them along a diagonal.
var laserLengths = func() (lengths [2 * laserWidth]laserLength) {
	for i := range lengths {
		l := &lengths[i]
		l.length = float64(i%laserWidth + 1)
		if i >= laserWidth {
			l.length *= math.Sqrt2
		}
		l.last = min(math.Ceil(l.length)-1, laserFar)
		// shorter returns the probability of an error up to x.
		shorter := func(x float64) float64 { return math.Erf(max(x, 0) / (laserNoise * math.Sqrt2)) }
		for k := range l.log {
			r := float64(k)
			p := shorter(l.length-r) - shorter(l.length-r-1)
			if k == 0 {
				p = 1 - shorter(l.length-1)
			}
			l.log[k] = math.Log(p)
		}
	}
	return lengths
}()

// laserLength is what is read of a length.
type laserLength struct {
	length float64
	last   float64               // the largest reading
	log    [laserFar + 1]float64 // log P(reading), −Inf above last
}

// read draws a reading.
func (l *laserLength) read(rng *rand.Rand) float64 {
	return max(0, min(l.last, math.Floor(l.length-math.Abs(laserNoise*rng.NormFloat64()))))
}

var laserParameters = parameters[LaserTag]{
	{"map", "the number of a map from %v to %v", "the map: 8 obstacles, drawn at random", counted(func(l *LaserTag) *int { return &l.Map }, 1, 1, 1_000_000)},
	discounted(func(l *LaserTag) *float64 { return &l.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (l LaserTag) Model() (bcpace.Model, error) {
	l, err := laserParameters.sound(laserTagName, l)
	if err != nil {
		return nil, err
	}
	m := &laserTag{pursuit: drawLaserMap(uint64(l.Map))}
	m.measure()
	m.surround()
	m.arrive()
	m.spec = bcpace.Spec{
		Name: laserTagName, Params: laserParameters.of(l),
		Axes: m.axes(), Actions: bcpace.Actions(tagActionNames...), Latents: m.names("to"), Discount: l.Discount,
		RewardMin: -tagPay, RewardMax: tagPay,
	}
	for _, d := range laserDirections {
		m.spec.Axes = append(m.spec.Axes, bcpace.Axis{Name: d.name, Unit: "cell", Max: laserFar, Discrete: true, Scale: math.Inf(1)})
	}
	return m, nil
}

// drawLaserMap draws obstacles until moves lead from each free cell to each other.
func drawLaserMap(seed uint64) *pursuit {
	for rng := rand.New(rand.NewPCG(seed, 0)); ; {
		var blocked [laserWidth * laserHeight]bool
		for _, k := range rng.Perm(len(blocked))[:laserObstacles] {
			blocked[k] = true
		}
		m := newPursuit(laserWidth, laserHeight, func(x, y int) bool { return !blocked[y*laserWidth+x] })
		if m.connected() {
			return m
		}
	}
}

// laserTag is the model of LaserTag.
type laserTag struct {
	*pursuit
	spec bcpace.Spec

	// By (agent·cells + opponent)·laserBeams + beam: the number of its length.
	beams []uint8
	// By y·width + x: the cell there, and for an obstacle the free one nearest to it: the
	// agent is never on an obstacle, but what looks at states around those that it comes to,
	// such as package lipschitz, may put it there.
	near []int
	// Of the start, where the opponent has an even chance to be anywhere and goes from there:
	// P(latent | agent) by latent·cells + agent, and P(latent).
	starts, prior []float64
}

var (
	_ bcpace.LatentDynamics  = (*laserTag)(nil)
	_ bcpace.StartLikelihood = (*laserTag)(nil)
	_ bcpace.ToldModel       = (*laserTag)(nil)
)

// measure fills beams.
func (m *laserTag) measure() {
	for agent := range laserCells {
		for opponent := range laserCells {
			for k, d := range laserDirections {
				cells := 1
				for ; ; cells++ {
					at := m.cell(m.x[agent]+cells*d.dx, m.y[agent]+cells*d.dy)
					if at < 0 || at == opponent {
						break
					}
				}
				if k%2 == 1 {
					cells += laserWidth
				}
				m.beams = append(m.beams, uint8(cells-1))
			}
		}
	}
}

// surround fills near.
func (m *laserTag) surround() {
	for k := range m.number {
		best, least := 0, math.Inf(1)
		for cell := range laserCells {
			if d := math.Hypot(float64(m.x[cell]-k%laserWidth), float64(m.y[cell]-k/laserWidth)); d < least {
				best, least = cell, d
			}
		}
		m.near = append(m.near, best)
	}
}

// arrive fills starts and prior.
func (m *laserTag) arrive() {
	m.starts, m.prior = make([]float64, laserCells*laserCells), make([]float64, laserCells)
	for agent := range laserCells {
		for from := range laserCells {
			for to, p := range m.awayFrom(agent, from) {
				m.starts[to*laserCells+agent] += p / laserCells
				m.prior[to] += p / (laserCells * laserCells)
			}
		}
	}
}

// Spec implements bcpace.Model.
func (m *laserTag) Spec() bcpace.Spec { return m.spec }

// Prior implements bcpace.Model.
func (m *laserTag) Prior(b bcpace.Belief) { copy(b, m.prior) }

// Start draws the agent's cell as it is distributed where the opponent goes to that of the
// latent.
func (m *laserTag) Start(s []float64, latent int, rng *rand.Rand) {
	clear(s)
	given := m.starts[latent*laserCells : (latent+1)*laserCells]
	u, agent := rng.Float64()*m.prior[latent]*laserCells, 0
	for ; agent < laserCells-1 && u >= given[agent]; agent++ {
		u -= given[agent]
	}
	m.set(s, agent, tagNothing)
}

// StartLogLikelihood implements bcpace.StartLikelihood.
func (m *laserTag) StartLogLikelihood(s []float64, latent int) float64 {
	agent := m.agent(s)
	if agent < 0 {
		return math.Inf(-1)
	}
	return math.Log(m.starts[latent*laserCells+agent] / m.prior[latent])
}

// outcome returns the agent's next cell, the reward, and whether the episode ends.
func (m *laserTag) outcome(s []float64, action int) (to int, reward float64, done bool) {
	x, y := min(max(int(s[axisX]), 0), laserWidth-1), min(max(int(s[axisY]), 0), laserHeight-1)
	agent := m.near[y*laserWidth+x]
	switch {
	case s[axisSeen] == tagTagged:
		return agent, 0, true
	case action != tagTag:
		return m.move[agent*tagActions+action], -1, false
	case s[axisSeen] == tagSeen:
		return agent, tagPay, true
	}
	return agent, -tagPay, false
}

// Step implements bcpace.Model.
func (m *laserTag) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	to, reward, done := m.outcome(s, action)
	clear(next)
	switch {
	case done:
		m.set(next, to, tagTagged)
	case to == latent:
		m.set(next, to, tagSeen)
	default:
		m.set(next, to, tagNothing)
		beams := m.beamsOf(to, latent)
		for k := range next[laserReading:] {
			next[laserReading+k] = laserLengths[beams[k]].read(rng)
		}
	}
	return bcpace.Outcome{Reward: reward, Done: done}
}

// beamsOf returns the numbers of the lengths of all beams.
func (m *laserTag) beamsOf(agent, opponent int) []uint8 {
	k := (agent*laserCells + opponent) * laserBeams
	return m.beams[k : k+laserBeams]
}

// LogLikelihood implements bcpace.Model.
func (m *laserTag) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	to, _, done := m.outcome(s, action)
	seen := tagNothing
	switch {
	case done:
		seen = tagTagged
	case to == latent:
		seen = tagSeen
	}
	if m.agent(next) != to || next[axisSeen] != float64(seen) {
		return math.Inf(-1)
	}
	sum := 0.0
	beams := m.beamsOf(to, latent)
	for k, x := range next[laserReading:] {
		switch r := wholeWithin(x, 0, laserFar); {
		case r < 0 || seen != tagNothing && r > 0:
			return math.Inf(-1)
		case seen == tagNothing:
			sum += laserLengths[beams[k]].log[r]
		}
	}
	return sum
}

// LatentKind implements bcpace.LatentDynamics.
func (m *laserTag) LatentKind() bcpace.LatentKind { return bcpace.Redrawn }

// LatentTransition moves the opponent to the cell of the latent, and draws where it goes from
// there, away from the cell to which the agent comes.
func (m *laserTag) LatentTransition(p []float64, s []float64, action, latent int) bool {
	to, _, done := m.outcome(s, action)
	if done {
		return false
	}
	copy(p, m.awayFrom(to, latent))
	return true
}

// Told implements bcpace.ToldModel.
func (m *laserTag) Told() bcpace.Finite { return laserTold{m} }

// laserTold is LaserTag without its readings.
type laserTold struct{ *laserTag }

// Spec implements bcpace.Model.
func (m laserTold) Spec() bcpace.Spec {
	spec := m.spec
	spec.Axes = spec.Axes[:laserReading:laserReading]
	return spec
}

// Starts implements bcpace.Enumerator.
func (m laserTold) Starts(z *bcpace.Successors) {
	for agent := range laserCells {
		s, p, _ := z.Add(false)
		m.set(s, agent, tagNothing)
		for latent := range p {
			p[latent] = m.starts[latent*laserCells+agent] / (laserCells * m.prior[latent])
		}
	}
}

// Successors implements bcpace.Enumerator.
func (m laserTold) Successors(z *bcpace.Successors, s []float64, action int) {
	to, reward, done := m.outcome(s, action)
	if done {
		next, p, rewards := z.Add(true)
		m.set(next, to, tagTagged)
		for latent := range p {
			p[latent], rewards[latent] = 1, reward
		}
		return
	}
	for _, seen := range []int{tagNothing, tagSeen} {
		next, p, rewards := z.Add(false)
		m.set(next, to, seen)
		for latent := range p {
			if rewards[latent] = reward; (latent == to) == (seen == tagSeen) {
				p[latent] = 1
			}
		}
	}
}
