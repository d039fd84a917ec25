package envs

import (
	"fmt"
	"strconv"
	"strings"

	"bayescpace/bcpace"
)

// Info describes an environment that New can make.
type Info struct {
	Name   string
	Doc    string // one sentence
	Params []ParamInfo
	// Latents is the key of the parameter that has a number for each latent, such as
	// "masses", and Latent is the same for one latent, "mass", which New takes as well. Both
	// are "" if there is no such parameter.
	Latents, Latent string
}

// ParamInfo describes a parameter of an environment.
type ParamInfo struct {
	Key     string
	Default string
	Want    string // the values it takes
	Doc     string // what it means
}

// List returns the environments that New can make, in the paper's order.
func List() []Info {
	infos := make([]Info, len(registry))
	for i, e := range registry {
		infos[i] = e.info
		infos[i].Params = append([]ParamInfo(nil), e.info.Params...)
	}
	return infos
}

// New makes an environment from its name and parameters, as written on the
// command line; parameters that are not given have their defaults. For every
// environment e, New(e.Spec().Name, e.Spec().Params) makes the same model.
//
// The error is an *bcpace.InputError: for an unknown name or key it lists the
// known ones, and for a value it says what would be right.
func New(name string, params []bcpace.Param) (bcpace.Model, error) {
	for _, e := range registry {
		if e.info.Name == name {
			return e.make(params)
		}
	}
	known := make([]string, len(registry))
	for i, e := range registry {
		known[i] = e.info.Name
	}
	return nil, &bcpace.InputError{Where: "envs", What: "environment", Got: strconv.Quote(name), Want: "one of " + strings.Join(known, ", ")}
}

// model is an environment that is a model itself.
type model interface {
	bcpace.Model
	bcpace.Validator
}

// entry is an environment in the registry.
type entry struct {
	info Info
	// build reads the values of all parameters; Validate is called after it.
	build func(v *values) (bcpace.Model, error)
}

// valid returns an environment that is a model itself, unless its parameters cannot be used.
func valid(m model) (bcpace.Model, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

func (e entry) make(params []bcpace.Param) (bcpace.Model, error) {
	v := &values{info: e.info, text: make(map[string]string)}
	keys := make([]string, len(e.info.Params))
	for i, p := range e.info.Params {
		keys[i] = p.Key
		v.text[p.Key] = p.Default
	}
	given := make(map[string]bool)
	for _, p := range params {
		if p.Key == e.info.Latent {
			p.Key = e.info.Latents
		}
		if _, ok := v.text[p.Key]; !ok {
			return nil, inputError(e.info.Name, "parameter", strconv.Quote(p.Key), "one of "+strings.Join(keys, ", "))
		}
		if given[p.Key] {
			return nil, inputError(e.info.Name, p.Key, "given twice", "one value")
		}
		given[p.Key] = true
		v.text[p.Key] = strings.TrimSpace(p.Value)
	}
	m, err := e.build(v)
	if v.err != nil {
		return nil, v.err
	}
	return m, err
}

// values reads the text of parameters; err keeps the first that cannot be read.
type values struct {
	info Info
	text map[string]string
	err  error
}

func (v *values) fail(key string) {
	if v.err != nil {
		return
	}
	want := ""
	for _, p := range v.info.Params {
		if p.Key == key {
			want = p.Want
		}
	}
	v.err = inputError(v.info.Name, key, strconv.Quote(v.text[key]), want)
}

// float reads a finite number.
func (v *values) float(key string) float64 {
	x, ok := parseFloat(v.text[key])
	if !ok {
		v.fail(key)
	}
	return x
}

// positive reads a finite number above 0. A zero must not get through: in an
// environment's field it would stand for the default.
func (v *values) positive(key string) float64 {
	x, ok := parseFloat(v.text[key])
	if !ok || x <= 0 {
		v.fail(key)
	}
	return x
}

// count reads a whole number above 0.
func (v *values) count(key string) int {
	n, err := strconv.Atoi(v.text[key])
	if err != nil || n <= 0 {
		v.fail(key)
	}
	return n
}

// floats reads a comma list of finite numbers; the word auto stands for nil.
func (v *values) floats(key, auto string) []float64 {
	if auto != "" && v.text[key] == auto {
		return nil
	}
	parts := strings.Split(v.text[key], ",")
	xs := make([]float64, len(parts))
	for i, part := range parts {
		x, ok := parseFloat(strings.TrimSpace(part))
		if !ok {
			v.fail(key)
			return nil
		}
		xs[i] = x
	}
	return xs
}

// lists reads a comma list of lists of finite numbers with slashes between them.
func (v *values) lists(key string) (lists [][]float64) {
	for _, list := range strings.Split(v.text[key], ",") {
		var xs []float64
		for _, part := range strings.Split(list, "/") {
			x, ok := parseFloat(strings.TrimSpace(part))
			if !ok {
				v.fail(key)
				return nil
			}
			xs = append(xs, x)
		}
		lists = append(lists, xs)
	}
	return lists
}

// choice reads one of two words, and reports whether it is the second.
func (v *values) choice(key, first, second string) bool {
	switch v.text[key] {
	case first, second:
	default:
		v.fail(key)
	}
	return v.text[key] == second
}

func parseFloat(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && x-x == 0 // neither infinite nor NaN
}

const (
	wantDiscount    = "a value in (0, 1)"
	wantProbability = "a probability in (0, 1]"
)

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
	build: func(v *values) (bcpace.Model, error) {
		return valid(Tiger{Accuracy: v.positive("accuracy"), Discount: v.positive("discount"), Ends: v.choice("reset", "true", "false")})
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
	build: func(v *values) (bcpace.Model, error) {
		return valid(Chain{Length: v.count("length"), Slips: v.floats("slips", ""), SlipPrior: v.floats("prior", "uniform"),
			Discount: v.positive("discount"), Intended: v.choice("reward", "executed", "intended")})
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
	build: func(v *values) (bcpace.Model, error) {
		return valid(LightDarkTiger{Width: v.count("width"), Height: v.count("height"), StartAt: v.floats("start", "centre"),
			Sigma: v.float("sigma"), Discount: v.positive("discount"), Nodes: v.count("nodes"), AnyHeading: v.choice("heading", "axes", "any")})
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
	build: func(v *values) (bcpace.Model, error) {
		start := v.float("start")
		return DualControl{Limit: v.positive("limit"), Sigma: v.positive("sigma"), Gains: v.floats("gains", ""), StartAt: &start,
			Discount: v.positive("discount"), Nodes: v.count("nodes")}.Model()
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
	build: func(v *values) (bcpace.Model, error) {
		return Pendulum{Masses: v.floats("masses", ""), Torque: v.positive("torque"), Discount: v.positive("discount")}.Model()
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
	build: func(v *values) (bcpace.Model, error) {
		return MountainCar{Powers: v.floats("powers", ""), Discount: v.positive("discount")}.Model()
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
	build: func(v *values) (bcpace.Model, error) {
		return Peg{Holes: v.count("holes"), Clearance: v.positive("clearance"), Discount: v.positive("discount")}.Model()
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
	build: func(v *values) (bcpace.Model, error) {
		return CartPole{Lengths: v.floats("lengths", ""), Force: v.positive("force"), Discount: v.positive("discount")}.Model()
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
	build: func(v *values) (bcpace.Model, error) {
		return DoubleIntegrator{Gains: v.floats("gains", ""), Discount: v.positive("discount")}.Model()
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
	build: func(v *values) (bcpace.Model, error) {
		r := RockSample{Size: v.count("size"), Rocks: v.count("rocks"), Discount: v.positive("discount")}
		if v.err != nil {
			return nil, v.err
		}
		return r.Model()
	},
}, {
	info: Info{
		Name:   tagName,
		Doc:    "An opponent that one does not see walks away, and is to be tagged (Pineau, Gordon and Thrun 2003).",
		Params: []ParamInfo{{"discount", "0.95", wantDiscount, "discount factor γ"}},
	},
	build: func(v *values) (bcpace.Model, error) { return valid(Tag{Discount: v.positive("discount")}) },
}, {
	info: Info{
		Name: laserTagName,
		Doc:  "Tag among obstacles, with a laser that measures eight noisy distances (Rosencrantz, Gordon and Thrun 2003).",
		Params: []ParamInfo{
			{"map", "1", wantLaserMap, "the map: 8 obstacles, drawn at random"},
			{"discount", "0.95", wantDiscount, "discount factor γ"},
		},
	},
	build: func(v *values) (bcpace.Model, error) {
		l := LaserTag{Map: v.count("map"), Discount: v.positive("discount")}
		if v.err != nil {
			return nil, v.err
		}
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
	build: func(v *values) (bcpace.Model, error) {
		b := Beacon{Side: v.count("side"), Range: v.positive("range"), Discount: v.positive("discount")}
		if v.err != nil {
			return nil, v.err
		}
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
	build: func(v *values) (bcpace.Model, error) {
		b := Battery{Capacity: v.count("capacity"), Cells: v.count("cells"), Accuracy: v.positive("accuracy"), Discount: v.positive("discount")}
		if v.err != nil {
			return nil, v.err
		}
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
	build: func(v *values) (bcpace.Model, error) {
		w := Wear{Grades: v.count("grades"), Discount: v.positive("discount")}
		if v.err != nil {
			return nil, v.err
		}
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
	build: func(v *values) (bcpace.Model, error) {
		p := Patrol{Phases: v.count("phases"), Side: v.count("side"), Round: v.count("round"), Discount: v.positive("discount")}
		if v.err != nil {
			return nil, v.err
		}
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
	build: func(v *values) (bcpace.Model, error) {
		toxicity, start := v.float("toxicity"), v.float("start")
		return Treatment{Sensitivities: v.floats("sensitivities", ""), Toxicity: &toxicity, StartAt: &start,
			Discount: v.positive("discount"), Nodes: v.count("nodes")}.Model()
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
	build: func(v *values) (bcpace.Model, error) {
		return valid(Bandit{Arms: v.lists("arms"), Discount: v.positive("discount")})
	},
}, {
	info: Info{
		Name:   doubleLoopName,
		Doc:    "Two loops of five states: the easy one pays 1, the other 2 (Watkins 1989). " + learned,
		Params: tableParams(),
	},
	build: func(v *values) (bcpace.Model, error) {
		return DoubleLoop{Sparse: v.sparse(), Discount: v.positive("discount")}.Model()
	},
}, goalOfSide(goalName, 5), goalOfSide(largeGoalName, 10), {
	info: Info{
		Name:   mazeName,
		Doc:    "A maze with three flags and a goal that pays for them (Dearden, Friedman and Russell 1998). " + learned,
		Params: tableParams(),
	},
	build: func(v *values) (bcpace.Model, error) {
		return Maze{Sparse: v.sparse(), Discount: v.positive("discount")}.Model()
	},
}}

// goalOfSide returns Goal with a side under the name that the literature has for it.
func goalOfSide(name string, side int) entry {
	return entry{
		info: Info{Name: name, Doc: fmt.Sprintf("A grid of side %d with one cell that pays (Guez, Silver and Dayan 2012). ", side) + learned, Params: tableParams()},
		build: func(v *values) (bcpace.Model, error) {
			return Goal{Side: side, Sparse: v.sparse(), Discount: v.positive("discount")}.Model()
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
func (v *values) sparse() bool { return v.choice("prior", flatPrior, sparsePrior) }
