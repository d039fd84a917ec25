package envs

import (
	"math"
	"math/rand/v2"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// SubHunt is the submarine hunt of Sunberg and Kochenderfer (2018, "Online algorithms for POMDPs with continuous
// state, action, and observation spaces"); numbers are from their program (zsunberg/SubHunt.jl).
//
// The sea has 20 × 20 cells. The agent's submarine begins in cell (10, 10); its moves lead three cells to the north, east,
// south or west, and stop at the border. The target is hidden: it begins in a random cell of the border opposite to its goal,
// one of the four borders with equal probability, and the episode ends where it reaches that. In each step it goes two cells
// to its goal with probability ½, and otherwise one cell to its goal and one to either side. To engage a
// target that was at most 2 cells away (Euclidean) kills it: for sure while it is not aware of the agent, and then
// with probability 0.6. A kill earns 100 and ends the episode. Nothing else earns or costs anything.
//
// Eight sonar beams, each over 45°, the first of them from the east to the north-east and the others counterclockwise, give a
// number after each step. To ping makes the target aware for good: the beam with the target gives its distance,
// the others 20, all with standard deviation 0.5. Without a ping all give 3 with standard deviation 5, but that the beam with a
// target at most 3 cells away gives the distance, with standard deviation 0.5.
//
// The state is the agent's cell, whether the target is aware, and the beams, which are 0 at the start. Episodes are
// cut after 100 steps, but end long before.
type SubHunt struct {
	// Discount is γ in (0, 1). If it is 0, 0.99 is used.
	Discount float64
}

const (
	subName    = "subhunt"
	subSide    = 20
	subSpeed   = 3
	subKill    = 2.0 // largest distance of a kill
	subAware   = 0.6 // probability of a kill where the target is aware
	subRadius  = 3.0 // within which the passive sonar sees
	subPassive = 5.0 // standard deviations
	subActive  = 0.5
	subPay     = 100
	subFar     = 100 // largest |number| of a beam: 14 standard deviations at the least
	subBeams   = 8
)

// Actions of SubHunt, of which the first four have the numbers of the goals.
const (
	subPing = iota + 4
	subEngage
	subActions
)

// Axes of the state and of the hidden vector.
const (
	subX = iota
	subY
	subKnows
	subBeam

	subTargetX = 0
	subTargetY = 1
	subGoal    = 2
)

var subParameters = parameters[SubHunt]{
	discounted(func(h *SubHunt) *float64 { return &h.Discount }, 0.99),
}

// Model returns the model. The error is a *bcpace.InputError.
func (h SubHunt) Model() (*hidden.Model, error) {
	h, err := subParameters.sound(subName, h)
	if err != nil {
		return nil, err
	}
	cells := func(name string) bcpace.Axis {
		return bcpace.Axis{Name: name, Unit: "cell", Min: 1, Max: subSide, Discrete: true}
	}
	sides := []string{"north", "east", "south", "west"}
	spec := hiddenSpec(subName, subParameters.of(h), h.Discount, 0, subPay)
	spec.Axes = []bcpace.Axis{cells("x"), cells("y"), {Name: "aware", Max: 1, Labels: []string{"no", "yes"}}}
	for _, name := range []string{"E-NE", "NE-N", "N-NW", "NW-W", "W-SW", "SW-S", "S-SE", "SE-E"} {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: "beam " + name, Unit: "cell", Min: -subFar, Max: subFar})
	}
	spec.Hidden = []bcpace.Axis{cells("target x"), cells("target y"), {Name: "goal", Max: 3, Labels: sides}}
	spec.Actions = append(bcpace.Actions(sides...), bcpace.Actions("ping", "engage")...)
	values := sync.OnceValue(func() *subValues { return newSubValues(h.Discount) })
	return &hidden.Model{
		Spec:       spec,
		Prior:      subPrior,
		Start:      func(s, _ []float64, _ *rand.Rand) { clear(s); s[subX], s[subY] = subSide/2, subSide/2 },
		Step:       subStep,
		LogDensity: subLogDensity,
		Rollout: func(s, x []float64, _ *rand.Rand) int {
			action, _ := values().best(subPlaceOf(s, x))
			if action < subPing {
				action = (action + int(x[subGoal])) % 4 // turned back
			}
			return action
		},
		Bounds: func(s, x []float64) (lower, upper float64) { return 0, values().at(subPlaceOf(s, x)) },
	}, nil
}

// subPrior draws goal and cell of the target.
func subPrior(x []float64, rng *rand.Rand) {
	goal := rng.IntN(4)
	d, along := compass[goal], float64(1+rng.IntN(subSide))
	x[subTargetX], x[subTargetY], x[subGoal] = along, along, float64(goal)
	for i, d := range d {
		if d != 0 {
			x[i] = 1
		}
		if d < 0 {
			x[i] = subSide
		}
	}
}

// subStep implements hidden.Model.Step.
func subStep(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
	copy(next, s)
	copy(nextX, x)
	switch action {
	case subPing:
		next[subKnows] = 1
	case subEngage:
		chance := pick(s[subKnows] == 1, subAware, 1)
		if math.Hypot(x[subTargetX]-s[subX], x[subTargetY]-s[subY]) <= subKill && rng.Float64() < chance {
			return bcpace.Outcome{Reward: subPay, Done: true}
		}
	default:
		next[subX], next[subY] = subGo(s[subX], s[subY], action, subSpeed)
	}
	goal := int(x[subGoal])
	switch side := rng.IntN(4); side {
	case 0, 1:
		nextX[subTargetX], nextX[subTargetY] = subGo(x[subTargetX], x[subTargetY], goal, 2)
	default:
		ax, ay := subGo(x[subTargetX], x[subTargetY], goal, 1)
		nextX[subTargetX], nextX[subTargetY] = subGo(ax, ay, (goal+2*side-1)%4, 1) // to one side or the other
	}
	if subArrived(nextX) {
		return bcpace.Outcome{Done: true}
	}
	subListen(next, nextX, action, rng)
	return bcpace.Outcome{}
}

// subGo returns where so many cells into a direction lead.
func subGo(x, y float64, direction, cells int) (toX, toY float64) {
	d := compass[direction]
	return min(max(x+float64(cells*d[0]), 1), subSide), min(max(y+float64(cells*d[1]), 1), subSide)
}

// subArrived reports whether the target is at its goal.
func subArrived(x []float64) bool {
	for i, d := range compass[int(x[subGoal])] {
		if d > 0 && x[i] == subSide || d < 0 && x[i] == 1 {
			return true
		}
	}
	return false
}

// sonar says what the beams give, after an action that was a ping or not, of a target at (dx, dy) from the agent.
type sonar struct {
	mean, deviation   float64 // of the beam with the target; of the others where none is −1
	beam              int     // with the target, −1 for a target that shows in none
	others, otherwise float64 // mean and standard deviation of the other beams
}

func subSonar(ping bool, dx, dy float64) sonar {
	distance := math.Hypot(dx, dy)
	switch {
	case ping:
		return sonar{distance, subActive, beamOf(dx, dy), subSide, subActive}
	case distance <= subRadius:
		return sonar{distance, subActive, beamOf(dx, dy), subRadius, subPassive}
	}
	return sonar{beam: -1, others: subRadius, otherwise: subPassive}
}

// beamOf returns which of eight beams over 45° each has a target at (dx, dy): number k is from 45k° on, which is not in it, to 45(k+1)°.
func beamOf(dx, dy float64) int {
	angle := math.Atan2(dy, dx)
	if angle <= 0 {
		angle += 2 * math.Pi
	}
	return min(max(int(math.Ceil(angle*(subBeams/2)/math.Pi))-1, 0), subBeams-1)
}

// subListen fills the beams of a state.
func subListen(s, x []float64, action int, rng *rand.Rand) {
	n := subSonar(action == subPing, x[subTargetX]-s[subX], x[subTargetY]-s[subY])
	for i := range subBeams {
		mean, deviation := n.others, n.otherwise
		if i == n.beam {
			mean, deviation = n.mean, n.deviation
		}
		s[subBeam+i] = min(max(mean+deviation*rng.NormFloat64(), -subFar), subFar)
	}
}

// subLogDensity implements hidden.Model.LogDensity, less what no target changes.
func subLogDensity(_, _ []float64, action int, next, nextX []float64) float64 {
	n := subSonar(action == subPing, nextX[subTargetX]-next[subX], nextX[subTargetY]-next[subY])
	if n.beam < 0 {
		return 0
	}
	return logRatio(next[subBeam+n.beam], n.mean, n.deviation, n.others, n.otherwise)
}

// logRatio returns the log of the ratio of two normal densities at z.
func logRatio(z, mean, deviation, than, thanDeviation float64) float64 {
	return (square((z-than)/thanDeviation)-square((z-mean)/deviation))/2 + math.Log(thanDeviation/deviation)
}

// subValues are the values of SubHunt for an agent who sees the target. They are those of a target whose goal is in the north; the
// sea looks the same from any side. A target comes nearer to its goal with each step, so that one pass
// from there computes them.
type subValues struct {
	discount float64
	value    [2 * subSide * subSide * subSide * subSide]float64
}

// subPlace is where both are, and whether the target is aware: 0 or 1. Coordinates are from 0 to 19, of a sea turned so that the
// goal is in the north.
type subPlace struct{ aware, targetX, targetY, x, y int }

// subPlaceOf turns the sea.
func subPlaceOf(s, x []float64) subPlace {
	ax, ay := turned(int(x[subTargetX])-1, int(x[subTargetY])-1, int(x[subGoal]))
	bx, by := turned(int(s[subX])-1, int(s[subY])-1, int(x[subGoal]))
	return subPlace{int(s[subKnows]), ax, ay, bx, by}
}

// turned returns where a cell lies when what was in that direction is in the north.
func turned(x, y, direction int) (int, int) {
	const last = subSide - 1
	switch direction {
	case 1: // east
		return last - y, x
	case 2: // south
		return last - x, last - y
	case 3: // west
		return y, last - x
	}
	return x, y
}

func (p subPlace) number() int {
	return (((p.aware*subSide+p.targetY)*subSide+p.targetX)*subSide+p.y)*subSide + p.x
}

func newSubValues(discount float64) *subValues {
	v := &subValues{discount: discount}
	for targetY := subSide - 2; targetY >= 0; targetY-- { // of a target at its goal it is 0
		for aware := 1; aware >= 0; aware-- {
			for targetX := range subSide {
				for y := range subSide {
					for x := range subSide {
						p := subPlace{aware, targetX, targetY, x, y}
						_, best := v.best(p)
						v.value[p.number()] = best
					}
				}
			}
		}
	}
	return v
}

func (v *subValues) at(p subPlace) float64 { return v.value[p.number()] }

// best returns the best action, as the sea lies for p, and its value.
func (v *subValues) best(p subPlace) (action int, value float64) {
	value = math.Inf(-1)
	for a := range subActions {
		q, chance := p, 0.0
		switch {
		case a == subPing:
			q.aware = 1
		case a == subEngage && square(float64(p.targetX-p.x))+square(float64(p.targetY-p.y)) <= subKill*subKill:
			chance = pick(p.aware == 1, subAware, 1)
		case a < subPing:
			q.x, q.y = within(p.x+subSpeed*compass[a][0]), within(p.y+subSpeed*compass[a][1])
		}
		if x := chance*subPay + (1-chance)*v.discount*v.after(q); x > value {
			action, value = a, x
		}
	}
	return action, value
}

// within puts a coordinate into the sea.
func within(x int) int { return min(max(x, 0), subSide-1) }

// after returns the mean value where the target has moved on.
func (v *subValues) after(p subPlace) float64 {
	ahead, left, right := p, p, p
	ahead.targetY = within(p.targetY + 2)
	left.targetY, right.targetY = within(p.targetY+1), within(p.targetY+1)
	left.targetX, right.targetX = within(p.targetX-1), within(p.targetX+1)
	return v.at(ahead)/2 + v.at(left)/4 + v.at(right)/4
}
