package envs

import (
	"fmt"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/numtext"
)

// List returns the environments that New can make: those of this package, in the paper's
// order, and then those that the program has registered, in the order of their names.
func List() []Info { return infos(entries()) }

// New makes an environment from its name and parameters, as written on the
// command line; parameters that are not given have their defaults. For every
// environment e, New(e.Spec().Name, e.Spec().Params) makes the same model.
//
// The error is an *bcpace.InputError: for an unknown name or key it lists the
// known ones, and for a value it says what would be right. For an environment that the
// program has registered it is also what its build function returns.
func New(name string, params []bcpace.Param) (bcpace.Model, error) {
	if slices.Contains(names(hiddenRegistry), name) {
		return nil, bcpace.In("envs").Bad("environment", strconv.Quote(name)+", whose hidden variable is a vector", "envs.NewHidden in the place of envs.New, or on the command line bcpace eval --env "+name+" --algorithm pomcpow, as such an environment is planned for at every decision")
	}
	return made("environment", name, params, entries())
}

// made makes the model of the entry of that name; what says what the entries are.
func made[M any](what, name string, params []bcpace.Param, entries []entry[M]) (m M, err error) {
	if i := slices.Index(names(entries), name); i >= 0 {
		return entries[i].make(params)
	}
	return m, bcpace.In("envs").Bad(what, strconv.Quote(name), numtext.OneOf(name, names(entries)))
}

// registry holds the environments.
var registry = []entry[bcpace.Model]{
	entryOf(Info{Name: tigerName, Doc: "Two closed doors, a tiger behind one of them: listen, or open a door (Kaelbling et al. 1998)."},
		tigerParameters, valid[Tiger]),
	entryOf(Info{Name: chainName, Doc: "A chain of states with an unknown probability that the opposite action is executed (Strens 2000).", Latents: "slips", Latent: "slip"},
		chainParameters, valid[Chain]),
	entryOf(Info{Name: lightDarkTigerName, Doc: "A dark room with a tiger in one of two goal corners, which only the left wall tells apart."},
		darkParameters, valid[LightDarkTiger]),
	entryOf(Info{Name: dualControlName, Doc: "A push of unknown gain on a line: a control that steers and probes (Feldbaum 1960).", Latents: "gains", Latent: "gain"},
		dualControlParameters, DualControl.Model),
	entryOf(Info{Name: pendulumName, Doc: "A pendulum of unknown mass is swung up by a weak motor (Doya 2000).", Latents: "masses", Latent: "mass"},
		pendulumParameters, Pendulum.Model),
	entryOf(Info{Name: mountainCarName, Doc: "A car of unknown power in a valley with slopes that it cannot climb at once (Moore 1990).", Latents: "powers", Latent: "power"},
		mountainCarParameters, MountainCar.Model),
	entryOf(Info{Name: pegName, Doc: "A hole at an unknown place of a plate is found by touch (Lozano-Pérez, Mason and Taylor 1984)."},
		pegParameters, Peg.Model),
	entryOf(Info{Name: cartPoleName, Doc: "A pole of unknown length is balanced on a cart (Barto, Sutton and Anderson 1983).", Latents: "lengths", Latent: "length"},
		cartPoleParameters, CartPole.Model),
	entryOf(Info{Name: doubleIntegratorName, Doc: "A puck of unknown mass, or with interchanged thrusters, is pushed to the middle of a plane.", Latents: "gains", Latent: "gain"},
		doubleIntegratorParameters, DoubleIntegrator.Model),
	entryOf(Info{Name: rockSampleName, Doc: "A rover looks for good rocks with a sensor that is worse from afar (Smith and Simmons 2004)."},
		rockParameters, RockSample.Model),
	entryOf(Info{Name: tagName, Doc: "An opponent that one does not see walks away, and is to be tagged (Pineau, Gordon and Thrun 2003)."},
		tagParameters, valid[Tag]),
	entryOf(Info{Name: laserTagName, Doc: "Tag among obstacles, with a laser that measures eight noisy distances (Rosencrantz, Gordon and Thrun 2003)."},
		laserParameters, LaserTag.Model),
	entryOf(Info{Name: beaconName, Doc: "A searcher listens for a beacon in one of up to 1,024 cells, and digs (search theory: Koopman 1946)."},
		beaconParameters, Beacon.Model),
	entryOf(Info{Name: batteryName, Doc: "A robot with a charge that it does not see works near its dock or far from it, and may look at a noisy gauge."},
		batteryParameters, Battery.Model),
	entryOf(Info{Name: wearName, Doc: "A machine whose wear drifts up unseen is run slow or fast, or maintained (Smallwood and Sondik 1973)."},
		wearParameters, Wear.Model),
	entryOf(Info{Name: patrolName, Doc: "A target is sought on its round, which is known but for the place that it has come to (moving targets: Eagle 1984)."},
		patrolParameters, Patrol.Model),
	entryOf(Info{Name: treatmentName, Doc: "Doses for a patient whose sensitivity to a drug is unknown: a stylised Emax model (Holford and Sheiner 1981)."},
		treatmentParameters, Treatment.Model),
	entryOf(Info{Name: banditName, Doc: "A machine with arms of unknown probabilities to win (Thompson 1933)."},
		banditParameters, valid[Bandit]),
	entryOf(Info{Name: doubleLoopName, Doc: "Two loops of five states: the easy one pays 1, the other 2 (Watkins 1989). " + learned},
		doubleLoopParameters, DoubleLoop.Model),
	goalOfSide(goalName, 5), goalOfSide(largeGoalName, 10),
	entryOf(Info{Name: mazeName, Doc: "A maze with three flags and a goal that pays for them (Dearden, Friedman and Russell 1998). " + learned},
		mazeParameters, Maze.Model),
}

// goalOfSide returns Goal with a side under the name that the literature has for it.
func goalOfSide(name string, side int) entry[bcpace.Model] {
	return entryOf(Info{Name: name, Doc: fmt.Sprintf("A grid of side %d with one cell that pays (Guez, Silver and Dayan 2012). ", side) + learned},
		goalParameters, func(g Goal) (*Table, error) { g.Side = side; return g.Model() })
}

// learned says who does not know the transitions of a task.
const learned = "Algorithms beb, boss, thompson and pomcp learn where its actions lead, within an episode; others are told."

// ListHidden returns the environments that NewHidden can make, whose hidden variable is a vector.
func ListHidden() []Info { return infos(hiddenRegistry) }

// NewHidden makes an environment whose hidden variable is a vector from its name and parameters, as New does one
// whose hidden variable is a latent from a list. The error is that of New.
func NewHidden(name string, params []bcpace.Param) (*hidden.Model, error) {
	return made("environment with a hidden vector", name, params, hiddenRegistry)
}

// hiddenRegistry holds the environments whose hidden variable is a vector.
var hiddenRegistry = []entry[*hidden.Model]{
	newEntry(Info{Name: lightName, Doc: "An agent on a line seeks 0, and sees where it is only near a light (Sunberg and Kochenderfer 2018)."},
		lightParameters, LightDark1D.Model),
	newEntry(Info{Name: subName, Doc: "A submarine hunts another one that flees once it is pinged (Sunberg and Kochenderfer 2018)."},
		subParameters, SubHunt.Model),
	newEntry(Info{Name: vdpName, Doc: "A target moves as a Van der Pol oscillator, and is to be tagged among barriers (Sunberg and Kochenderfer 2018)."},
		vdpParameters, VDPTag.Model),
	newEntry(Info{Name: lostName, Doc: "Laser tag for an agent that does not know its own cell (Sunberg and Kochenderfer 2018)."},
		lostParameters, LaserTagHidden.Model),
	newEntry(Info{Name: landingName, Doc: "A craft is steered to its pad against a wind that it does not see and that drifts."},
		landingParameters, Landing.Model),
	newEntry(Info{Name: marsName, Doc: "Two rovers look for good rocks among up to 27 (Cai, Luo, Hsu and Lee 2018)."},
		marsParameters, Mars.Model),
}
