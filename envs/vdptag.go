package envs

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// VDPTag is Van der Pol tag as Sunberg and Kochenderfer (2018, "Online algorithms for POMDPs with continuous state,
// action, and observation spaces") play it, by default with their barriers; numbers are from their programs
// (zsunberg/VDPTag2.jl, and vdpbarrier_table.jl of zsunberg/ContinuousPOMDPTreeSearchExperiments.jl).
//
// The agent begins at (0, 0) of a plane. The target is hidden, at first with even chances in [−4, 4]², and moves as a
// Van der Pol oscillator: (x, y) has the speed (μ·(x − x³/3 − y), x/μ) with μ = 2, for half a unit of time in each step, by
// five steps of the method of Runge and Kutta of fourth order, and then with a normal error of standard deviation 0.05 on both
// axes. The agent moves by 0.5 into a direction of its choice. Where it comes within 0.1 of the target, it earns 100 and
// the episode ends; else a step costs 1. (Where the target begins within 0.1 of the agent, in one of 2,000 episodes, theirs
// ends at once; here it goes on.)
//
// Barriers stand on the four half-axes from 0.2 to 3 away from the middle: they stop the agent, but not the target.
//
// After each step eight beams of 45°, the first of them counterclockwise from the x-axis, give a number: that with the target its
// distance, and the others 1, with standard deviation 5. To look costs 5 more, and makes that of the beam with
// the target 0.1.
//
// The state is the agent's place and the beams, which are 0 at the start. Episodes are cut after 100 steps.
type VDPTag struct {
	// Open leaves out the barriers.
	Open bool
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	vdpName    = "vdp-tag"
	vdpMu      = 2.0
	vdpStep    = 0.1 // of time
	vdpSteps   = 5   // of Runge and Kutta for one of the agent's
	vdpNoise   = 0.05
	vdpStart   = 4.0 // the largest coordinate of the target at the start
	vdpSpeed   = 0.5 // of the agent, for a step
	vdpTouch   = 0.1
	vdpPay     = 100
	vdpLook    = 5   // what it costs, and the standard deviation of a beam without
	vdpSharp   = 0.1 // standard deviation of the beam with the target where the agent looks
	vdpElse    = 1.0 // mean of a beam without the target
	vdpInner   = 0.2 // where barriers begin
	vdpOuter   = 3.0 // and where they end
	vdpFar     = 200 // largest |number| of a beam
	vdpWide    = 60  // largest |coordinate| of the agent, which makes 100 steps
	vdpSwing   = 20  // largest |coordinate| of the target
	vdpActions = 2   // to move, and to move and look
	vdpBeam    = 2   // axis of the first beam
)

var vdpParameters = parameters[VDPTag]{
	{"barriers", "true or false", "whether barriers stand", chosen(func(v *VDPTag) *bool { return &v.Open }, "true", "false")},
	discounted(func(v *VDPTag) *float64 { return &v.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (v VDPTag) Model() (*hidden.Model, error) {
	v, err := vdpParameters.sound(vdpName, v)
	if err != nil {
		return nil, err
	}
	spec := hiddenSpec(vdpName, vdpParameters.of(v), v.Discount, -1-vdpLook, vdpPay)
	plane := func(prefix string, far float64) []bcpace.Axis {
		return []bcpace.Axis{{Name: prefix + "x", Min: -far, Max: far}, {Name: prefix + "y", Min: -far, Max: far}}
	}
	spec.Axes = plane("", vdpWide)
	for _, name := range []string{"0–45°", "45–90°", "90–135°", "135–180°", "180–225°", "225–270°", "270–315°", "315–360°"} {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: "beam " + name, Min: -vdpFar, Max: vdpFar})
	}
	spec.Hidden = plane("target ", vdpSwing)
	heading := []bcpace.Axis{{Name: "heading", Unit: "rad", Max: 2 * math.Pi, Period: 2 * math.Pi}}
	spec.Actions = []bcpace.Action{{Name: "move", Box: heading}, {Name: "look", Box: heading}}
	m := vdp{open: v.Open, spec: spec.Spec}
	idle := -spec.EffectiveHorizon()
	return &hidden.Model{
		Spec: spec,
		Prior: func(x []float64, rng *rand.Rand) {
			x[0], x[1] = vdpStart*(2*rng.Float64()-1), vdpStart*(2*rng.Float64()-1)
		},
		Start:      func(s, _ []float64, _ *rand.Rand) { clear(s) },
		Step:       m.step,
		LogDensity: m.logDensity,
		Rollout:    m.chase,
		Bounds:     func(_, _ []float64) (lower, upper float64) { return idle, vdpPay },
	}, nil
}

// vdp is the model of VDPTag.
type vdp struct {
	open bool
	spec bcpace.Spec
}

// heading returns whether an action looks, and the direction of its move.
func (m *vdp) heading(action int) (look bool, angle float64) {
	var u [1]float64
	index, _ := m.spec.Control(u[:], action)
	return index == 1, u[0]
}

func (m *vdp) step(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
	look, angle := m.heading(action)
	nextX[0], nextX[1] = vdpFlow(x[0], x[1])
	for i := range nextX {
		nextX[i] = min(max(nextX[i]+vdpNoise*rng.NormFloat64(), -vdpSwing), vdpSwing)
	}
	next[0], next[1] = m.walk(s[0], s[1], vdpSpeed*math.Cos(angle), vdpSpeed*math.Sin(angle))
	out := bcpace.Outcome{Reward: -1}
	if math.Hypot(nextX[0]-next[0], nextX[1]-next[1]) < vdpTouch {
		out = bcpace.Outcome{Reward: vdpPay, Done: true}
	}
	if look {
		out.Reward -= vdpLook
	}
	beam, mean, deviation := vdpBeamOf(next, nextX, look)
	for i := range subBeams {
		z := vdpElse + vdpLook*rng.NormFloat64()
		if i == beam {
			z = mean + deviation*rng.NormFloat64()
		}
		next[vdpBeam+i] = min(max(z, -vdpFar), vdpFar)
	}
	return out
}

// vdpBeamOf returns the beam with the target, and what it gives.
func vdpBeamOf(s, x []float64, look bool) (beam int, mean, deviation float64) {
	dx, dy := x[0]-s[0], x[1]-s[1]
	return beamOf(dx, dy), math.Hypot(dx, dy), pick(look, vdpSharp, vdpLook)
}

// logDensity implements hidden.Model.LogDensity, less what no target changes.
func (m *vdp) logDensity(_, _ []float64, action int, next, nextX []float64) float64 {
	look, _ := m.heading(action)
	beam, mean, deviation := vdpBeamOf(next, nextX, look)
	return logRatio(next[vdpBeam+beam], mean, deviation, vdpElse, vdpLook)
}

// vdpFlow returns where the target goes in a step, but for noise.
func vdpFlow(x, y float64) (toX, toY float64) {
	const h = vdpStep
	speed := func(x, y float64) (float64, float64) { return vdpMu * (x - x*x*x/3 - y), x / vdpMu }
	for range vdpSteps {
		ax, ay := speed(x, y)
		bx, by := speed(x+h/2*ax, y+h/2*ay)
		cx, cy := speed(x+h/2*bx, y+h/2*by)
		dx, dy := speed(x+h*cx, y+h*cy)
		x, y = x+h/6*(ax+2*bx+2*cx+dx), y+h/6*(ay+2*by+2*cy+dy)
	}
	return x, y
}

// walk returns where the agent comes by (dx, dy): as far as the first barrier.
func (m *vdp) walk(x, y, dx, dy float64) (toX, toY float64) {
	part := 1.0
	if !m.open {
		part = math.Min(vdpFree(x, y, dx, dy), vdpFree(y, x, dy, dx))
	}
	return x + part*dx, y + part*dy
}

// vdpShort is the part of a move that ends before a barrier, so that no rounding leads to the other side.
const vdpShort = 1e-12

// vdpFree returns which part of the move is free of the barriers on the first axis.
func vdpFree(x, y, dx, dy float64) float64 {
	if dy == 0 {
		return 1
	}
	part := -y / dy // where it meets the axis
	if !(part >= 0 && part < 1) {
		return 1
	}
	if at := math.Abs(x + part*dx); at < vdpInner || at > vdpOuter {
		return 1
	}
	return part - vdpShort
}

// chase implements hidden.Model.Rollout: it goes to where the target will be.
func (m *vdp) chase(s, x []float64, _ *rand.Rand) int {
	tx, ty := vdpFlow(x[0], x[1])
	return m.towards(tx-s[0], ty-s[1])
}

// towards returns the action that moves in a direction.
func (m *vdp) towards(dx, dy float64) int {
	u := [1]float64{math.Atan2(dy, dx)}
	id, _ := m.spec.ActionID(0, u[:]) // the Box has all directions
	return id
}
