package envs

import (
	"fmt"
	"strconv"
	"strings"

	"bayescpace/bcpace"
)

// List returns the environments that New can make: those of this package, in the paper's
// order, and then those that the program has registered, in the order of their names.
func List() []Info {
	var infos []Info
	for _, e := range entries() {
		e.info.Params = append([]ParamInfo(nil), e.info.Params...)
		infos = append(infos, e.info)
	}
	return infos
}

// New makes an environment from its name and parameters, as written on the
// command line; parameters that are not given have their defaults. For every
// environment e, New(e.Spec().Name, e.Spec().Params) makes the same model.
//
// The error is an *bcpace.InputError: for an unknown name or key it lists the
// known ones, and for a value it says what would be right. For an environment that the
// program has registered it is also what its build function returns.
func New(name string, params []bcpace.Param) (bcpace.Model, error) {
	var known []string
	for _, e := range entries() {
		if e.info.Name == name {
			return e.make(params)
		}
		known = append(known, e.info.Name)
	}
	return nil, bcpace.In("envs").Bad("environment", strconv.Quote(name), "one of "+strings.Join(known, ", "))
}

// registry holds the environments. Keys stand in the order of Spec().Params.
var registry = []entry{{
	info: Info{
		Name: tigerName,
		Doc:  "Two closed doors, a tiger behind one of them: listen, or open a door (Kaelbling et al. 1998).",
		Params: []ParamInfo{
			{"accuracy", "0.85", wantProbability, "probability that listening tells the true side"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
			{"reset", "true", "true or false", "place the tiger anew after a door is opened; false ends the episode"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return valid(Tiger{Accuracy: v.Positive("accuracy"), Discount: v.Positive("discount"), Ends: v.choice("reset", "true", "false")})
	},
}, {
	info: Info{
		Name:    chainName,
		Doc:     "A chain of states with an unknown probability that the opposite action is executed (Strens 2000).",
		Latents: "slips", Latent: "slip",
		Params: []ParamInfo{
			{"length", "5", fmt.Sprintf("a number of states from 2 to %d", chainLengthMax), "number of states"},
			{"slips", "0.2,0.5,0.8", "different probabilities with commas between them", "slip probabilities, one for each latent"},
			{"prior", "uniform", "uniform, or probabilities that sum to 1 with commas between them", "prior of the slip probabilities"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
			{"reward", "executed", "executed or intended", "whether the executed or the intended action is paid for"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return valid(Chain{Length: v.Count("length"), Slips: v.Floats("slips"), SlipPrior: v.floats("prior", "uniform"),
			Discount: v.Positive("discount"), Intended: v.choice("reward", "executed", "intended")})
	},
}, {
	info: Info{
		Name: lightDarkTigerName,
		Doc:  "A dark room with a tiger in one of two goal corners, which only the left wall tells apart.",
		Params: []ParamInfo{
			{"width", "5", fmt.Sprintf("a number of cells from 2 to %d", darkSideMax), "cells from left to right"},
			{"height", "5", fmt.Sprintf("a number of cells from 2 to %d", darkSideMax), "cells from bottom to top"},
			{"start", "centre", "centre, or x,y", "place of the start, outside the goals"},
			{"sigma", "0", fmt.Sprintf("0, or a standard deviation from %v to %v", darkSigmaMin, darkSigmaMax), "noise of a move, in cells; with 0 the room is a grid"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
			{"nodes", "5", fmt.Sprintf("a number of strata from 1 to %d", darkNodesMax), "strata of the quadrature in each coordinate, where sigma is not 0"},
			{"heading", "axes", "axes or any", "whether moves go along the axes or in any direction"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return valid(LightDarkTiger{Width: v.Count("width"), Height: v.Count("height"), StartAt: v.floats("start", "centre"),
			Sigma: v.Float("sigma"), Discount: v.Positive("discount"), Nodes: v.Count("nodes"), AnyHeading: v.choice("heading", "axes", "any")})
	},
}, {
	info: Info{
		Name:    dualControlName,
		Doc:     "A push of unknown gain on a line: a control that steers and probes (Feldbaum 1960).",
		Latents: "gains", Latent: "gain",
		Params: []ParamInfo{
			{"limit", "4", "a number above 0", "the largest |x|"},
			{"sigma", "0.5", "a standard deviation above 0", "noise of a step"},
			{"gains", "1,-1", "numbers with commas between them", "gains, one for each latent"},
			{"start", "2", "a number within the limits", "place of the start"},
			{"discount", "0.9", wantDiscount, "discount factor γ"},
			{"nodes", "15", "a number of cells from 1 to 64", "fineness of the quadrature"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		start := v.Float("start")
		return DualControl{Limit: v.Positive("limit"), Sigma: v.Positive("sigma"), Gains: v.Floats("gains"), StartAt: &start,
			Discount: v.Positive("discount"), Nodes: v.Count("nodes")}.Model()
	},
}, {
	info: Info{
		Name:    pendulumName,
		Doc:     "A pendulum of unknown mass is swung up by a weak motor (Doya 2000).",
		Latents: "masses", Latent: "mass",
		Params: []ParamInfo{
			{"masses", "0.6,1,1.5", "numbers above 0 with commas between them", "masses in kg, one for each latent"},
			{"torque", "3", "a number above 0", "the largest torque in N m"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return Pendulum{Masses: v.Floats("masses"), Torque: v.Positive("torque"), Discount: v.Positive("discount")}.Model()
	},
}, {
	info: Info{
		Name:    mountainCarName,
		Doc:     "A car of unknown power in a valley with slopes that it cannot climb at once (Moore 1990).",
		Latents: "powers", Latent: "power",
		Params: []ParamInfo{
			{"powers", "0.8,1,1.2", "numbers with commas between them", "powers, one for each latent, 1 being the textbook's"},
			{"discount", "0.99", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return MountainCar{Powers: v.Floats("powers"), Discount: v.Positive("discount")}.Model()
	},
}, {
	info: Info{
		Name: pegName,
		Doc:  "A hole at an unknown place of a plate is found by touch (Lozano-Pérez, Mason and Taylor 1984).",
		Params: []ParamInfo{
			{"holes", "3", "a number from 2 to 6", "places of the hole on each side"},
			{"clearance", "0.3", "a number above 0", "how far from the middle of the hole the peg drops, in cm"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return Peg{Holes: v.Count("holes"), Clearance: v.Positive("clearance"), Discount: v.Positive("discount")}.Model()
	},
}, {
	info: Info{
		Name:    cartPoleName,
		Doc:     "A pole of unknown length is balanced on a cart (Barto, Sutton and Anderson 1983).",
		Latents: "lengths", Latent: "length",
		Params: []ParamInfo{
			{"lengths", "0.25,0.5,1", "numbers above 0 with commas between them", "half lengths in m, one for each latent"},
			{"force", "10", "a number above 0", "the largest force in N"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return CartPole{Lengths: v.Floats("lengths"), Force: v.Positive("force"), Discount: v.Positive("discount")}.Model()
	},
}, {
	info: Info{
		Name:    doubleIntegratorName,
		Doc:     "A puck of unknown mass, or with interchanged thrusters, is pushed to the middle of a plane.",
		Latents: "gains", Latent: "gain",
		Params: []ParamInfo{
			{"gains", "1,-1", "numbers with commas between them", "inverse masses in 1/kg, one for each latent"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return DoubleIntegrator{Gains: v.Floats("gains"), Discount: v.Positive("discount")}.Model()
	},
}, {
	info: Info{
		Name: rockSampleName,
		Doc:  "A rover looks for good rocks with a sensor that is worse from afar (Smith and Simmons 2004).",
		Params: []ParamInfo{
			{"size", "7", fmt.Sprintf("a number of cells from 2 to %d", rockSizeMax), "cells on each side of the field"},
			{"rocks", "8", fmt.Sprintf("a number of rocks from 1 to %d, at most one for each cell", rocksMax), "rocks, each of which is good or bad"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		r := RockSample{Size: v.Count("size"), Rocks: v.Count("rocks"), Discount: v.Positive("discount")}
		return r.Model()
	},
}, {
	info: Info{
		Name:   tagName,
		Doc:    "An opponent that one does not see walks away, and is to be tagged (Pineau, Gordon and Thrun 2003).",
		Params: []ParamInfo{{"discount", "0.95", wantDiscount, "discount factor γ"}},
	},
	build: func(v *Values) (bcpace.Model, error) { return valid(Tag{Discount: v.Positive("discount")}) },
}, {
	info: Info{
		Name: laserTagName,
		Doc:  "Tag among obstacles, with a laser that measures eight noisy distances (Rosencrantz, Gordon and Thrun 2003).",
		Params: []ParamInfo{
			{"map", "1", wantLaserMap, "the map: 8 obstacles, drawn at random"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		l := LaserTag{Map: v.Count("map"), Discount: v.Positive("discount")}
		return l.Model()
	},
}, {
	info: Info{
		Name: beaconName,
		Doc:  "A searcher listens for a beacon in one of up to 1,024 cells, and digs (search theory: Koopman 1946).",
		Params: []ParamInfo{
			{"side", "10", wantBeaconSide, "cells on each side of the field"},
			{"range", "4", wantBeaconRange, "distance in cells at which the beacon is heard half of the time"},
			{"discount", "0.98", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		b := Beacon{Side: v.Count("side"), Range: v.Positive("range"), Discount: v.Positive("discount")}
		return b.Model()
	},
}, {
	info: Info{
		Name: batteryName,
		Doc:  "A robot with a charge that it does not see works near its dock or far from it, and may look at a noisy gauge.",
		Params: []ParamInfo{
			{"capacity", fmt.Sprint(batteryCapacity), wantBatteryCapacity, "charge of a full battery, in units of one action"},
			{"cells", fmt.Sprint(batteryCells), wantBatteryCells, "cells from the dock to the far job"},
			{"accuracy", "0.5", wantProbability, "probability that the gauge shows the charge as it is"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		b := Battery{Capacity: v.Count("capacity"), Cells: v.Count("cells"), Accuracy: v.Positive("accuracy"), Discount: v.Positive("discount")}
		return b.Model()
	},
}, {
	info: Info{
		Name: wearName,
		Doc:  "A machine whose wear drifts up unseen is run slow or fast, or maintained (Smallwood and Sondik 1973).",
		Params: []ParamInfo{
			{"grades", fmt.Sprint(wearGrades), wantWearGrades, "grades of wear"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		w := Wear{Grades: v.Count("grades"), Discount: v.Positive("discount")}
		return w.Model()
	},
}, {
	info: Info{
		Name: patrolName,
		Doc:  "A target is sought on its round, which is known but for the place that it has come to (moving targets: Eagle 1984).",
		Params: []ParamInfo{
			{"phases", fmt.Sprint(patrolPhases), wantPatrolPhases, "steps of the round, one for each latent"},
			{"side", fmt.Sprint(patrolSide), wantPatrolSide, "cells on each side of the field"},
			{"round", "1", wantPatrolRound, "the round, drawn at random"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		p := Patrol{Phases: v.Count("phases"), Side: v.Count("side"), Round: v.Count("round"), Discount: v.Positive("discount")}
		return p.Model()
	},
}, {
	info: Info{
		Name: treatmentName,
		Doc:  "Doses for a patient whose sensitivity to a drug is unknown: a stylised Emax model (Holford and Sheiner 1981).",
		Params: []ParamInfo{
			{"sensitivities", "0.2,1,5", "numbers from 0 to 1000 with commas between them", "sensitivities in 1/largest dose, one for each latent"},
			{"toxicity", "0.3", "a number from 0 to 10", "cost of a week with the largest dose"},
			{"start", "5", "a number from 0 to 10", "severity at the start, in points"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
			{"nodes", "15", "a number of cells from 1 to 64", "fineness of the quadrature"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		toxicity, start := v.Float("toxicity"), v.Float("start")
		return Treatment{Sensitivities: v.Floats("sensitivities"), Toxicity: &toxicity, StartAt: &start,
			Discount: v.Positive("discount"), Nodes: v.Count("nodes")}.Model()
	},
}, {
	info: Info{
		Name: banditName,
		Doc:  "A machine with arms of unknown probabilities to win (Thompson 1933).",
		Params: []ParamInfo{
			{"arms", "0.4/0.6,0.6/0.4", wantArms, "probability of each arm to win, for each latent"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *Values) (bcpace.Model, error) {
		return valid(Bandit{Arms: v.lists("arms"), Discount: v.Positive("discount")})
	},
}, {
	info: Info{
		Name:   doubleLoopName,
		Doc:    "Two loops of five states: the easy one pays 1, the other 2 (Watkins 1989). " + learned,
		Params: tableParams(),
	},
	build: func(v *Values) (bcpace.Model, error) {
		return DoubleLoop{Sparse: v.sparse(), Discount: v.Positive("discount")}.Model()
	},
}, goalOfSide(goalName, 5), goalOfSide(largeGoalName, 10), {
	info: Info{
		Name:   mazeName,
		Doc:    "A maze with three flags and a goal that pays for them (Dearden, Friedman and Russell 1998). " + learned,
		Params: tableParams(),
	},
	build: func(v *Values) (bcpace.Model, error) {
		return Maze{Sparse: v.sparse(), Discount: v.Positive("discount")}.Model()
	},
}}

// goalOfSide returns Goal with a side under the name that the literature has for it.
func goalOfSide(name string, side int) entry {
	return entry{
		info: Info{Name: name, Doc: fmt.Sprintf("A grid of side %d with one cell that pays (Guez, Silver and Dayan 2012). ", side) + learned, Params: tableParams()},
		build: func(v *Values) (bcpace.Model, error) {
			return Goal{Side: side, Sparse: v.sparse(), Discount: v.Positive("discount")}.Model()
		},
	}
}

// learned says who does not know the transitions of a task.
const learned = "Algorithms beb, boss, bfs3, thompson and pomcp learn where its actions lead, within an episode; others are told."

// tableParams are the parameters of a task whose transitions an agent learns.
func tableParams() []ParamInfo {
	return []ParamInfo{
		{"prior", flatPrior, wantPrior, "what a learning agent knows: flat, that any state may follow; sparse, that few do"},
		{"discount", "0.95", wantDiscount, "discount factor γ"},
	}
}

// sparse reads what an agent knows of the transitions.
func (v *Values) sparse() bool { return v.choice("prior", flatPrior, sparsePrior) }
