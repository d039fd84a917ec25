package choose

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

const (
	// ManyLatents is how many latents a model has at most for certified to be the first choice:
	// with more, the bounds of SARSOP close faster.
	ManyLatents = 100

	coarseAxes = 2 // of real numbers, above which a grid is coarse,
	poorAxes   = 3 // above which its policy seldom earns most,
	actAxes    = 4 // and above which it tells little of the values

	briefSteps    = 300_000 // of a search that is to act early
	briefEpisodes = 200     // of its certificate
)

// Shares of the time before a deadline, beside those of the stages.
const (
	leftForRace    = 0.15 // for what comes after the stages
	leftForPlanner = 0.15 // beside that, where a planner is tried
	leftForOne     = 0.05 // where nothing is compared
	raceShare      = 0.5  // of the time left after the stages, at most; the rest is for the certificate
	plannerShare   = 0.7  // of the time left after the comparison
	leftForProof   = 0.4  // of what is left then, where bounds can be proved
	fitShare       = 0.15 // of the time of certified, at most, to see how fine a grid there is time for,
	setUpShare     = 0.5  // and for the set-up on that grid
	onceShare      = 0.7  // for QMDP on a grid that is too fine for certified, at most
	lookShare      = 0.5  // of the time of Algorithm 1, for the look that suggests its parameters
)

// kind is what the choice of solvers depends on.
type kind struct {
	model         bcpace.Model
	spec          bcpace.Spec
	lists, finite bool
	large         bool // so many states that the set-up of certified takes long
	axes          int  // of real numbers
	timed         bool // there is a deadline
}

func kindOf(m bcpace.Model, timed bool) kind {
	spec := m.Spec()
	_, lists := m.(bcpace.Enumerator)
	f, finite := bcpace.AsFinite(m)
	return kind{model: m, spec: spec, lists: lists, finite: finite, large: finite && f.NumStates()*len(spec.Latents) >= mdp.Large,
		axes: solverkit.RealAxes(spec), timed: timed}
}

// manyLatents says that the bounds of SARSOP close faster than those of certified.
func (k kind) manyLatents() bool { return k.finite && len(k.spec.Latents) > ManyLatents }

// plans says that AdaOPS is tried: its leaves have bounds by tables, which have to be cheap, or those of a
// run of certified.
func (k kind) plans() bool {
	if !k.lists || k.spec.HasBox() || k.spec.Goal || len(k.spec.Actions) < 2 {
		return false
	}
	_, own := k.model.(bcpace.ValueBounds)
	return own || k.finite && !k.large || !k.finite && k.axes <= coarseAxes
}

// leftAfterStages is the share of the time before a deadline for what comes after the stages: the
// comparison, a planner and the certificate.
func (k kind) leftAfterStages() float64 {
	switch {
	case k.plans():
		return leftForRace + leftForPlanner
	case len(rowOf(k).stages) == 1:
		return leftForOne
	}
	return leftForRace
}

// stage is a solver that is tried on a model.
type stage struct {
	solver bcpace.Solver
	share  float64 // the part of the time that is left which it may take
	why    string  // it is tried

	before []solverkit.TimeShare // of its time

	tables bool // it needs those of the latent MDPs, and no other time than for these
	once   bool // its set-up solves a grid once
	looks  bool // its parameters come from a look at the model
	// onGrid returns the solver with a grid of so many points, and again the solver that goes on from a
	// policy, with another seed; nil for a solver that does not.
	onGrid func(points int) bcpace.Solver
	again  func(from bcpace.Policy, seed uint64) bcpace.Solver
}

// entry is a stage for the models of a row.
type entry struct {
	make  func(k kind) stage
	share float64
	why   string
}

// row says what is tried on a kind of models.
type row struct {
	kind   string
	is     func(k kind) bool
	stages []entry
}

const (
	whyExact   = "its bounds prove where nothing better is left, and then no other solver is tried"
	whySearch  = "it needs no grid, and goes on while there is time"
	whyCertain = "its tables are those that certified has needed too"
	whyQMDP    = "its tables are the same, and it weighs all latents"
)

// table has the rows in order: the first one that is of a model's kind says what is tried.
var table = []row{
	{"neither a discount nor a horizon", func(k kind) bool { return k.spec.Goal }, []entry{
		{exact, 1, "no other solver does without either"},
	}},
	{"more than three axes of real numbers, a list of actions and a deadline", func(k kind) bool { return k.timed && k.axes > poorAxes && policysearch.HasValues(k.model) }, []entry{
		{search, 1, "QMDP is among its policies, on as fine a grid as is worth its time, and what it finds grows with its time"},
	}},
	{"no list of what follows a state, and a discount of 1", func(k kind) bool { return !k.lists && k.spec.Discount == 1 }, []entry{
		{search, 0.6, "it needs no more than simulated steps"},
	}},
	{"no list of what follows a state", func(k kind) bool { return !k.lists }, []entry{
		{search, 0.6, "it needs no more than simulated steps"},
		{algorithm1, 1, "it explores by samples, with the parameters that a look suggests"},
	}},
	{"more than three axes of real numbers", func(k kind) bool { return k.axes > poorAxes }, []entry{
		{search, 0.4, whySearch}, {exact, 0.35, "its grid is coarse, and its bounds still say how far a policy may be from the best"},
		{certain, 0.3, whyCertain}, {told, 0.4, whyQMDP},
	}},
	{"three axes of real numbers", func(k kind) bool { return k.axes > coarseAxes }, []entry{
		{search, 0.4, whySearch}, {exact, 0.5, whyExact}, {certain, 0.3, whyCertain}, {told, 0.4, whyQMDP},
	}},
	{"so many numbered states that a set-up takes long", func(k kind) bool { return k.large }, []entry{
		{certain, 0.3, "its tables are the first of those of the next solver, and its policy acts early"},
		{exact, 0.5, whyExact}, {search, 0.5, whySearch}, {told, 0.4, whyQMDP},
	}},
	{"numbered states", func(k kind) bool { return k.finite }, []entry{
		{exact, 0.5, whyExact}, {search, 0.5, whySearch}, {certain, 0.3, whyCertain}, {told, 0.4, whyQMDP},
	}},
	{"at most two axes of real numbers", func(kind) bool { return true }, []entry{
		{brief, 0.1, "its policy acts early"}, {exact, 0.4, whyExact}, {search, 0.6, "it goes on from the policy of the first search"},
		{certain, 0.3, whyCertain}, {told, 0.4, whyQMDP},
	}},
}

// rowOf returns the row of a kind: the last row is of every kind.
func rowOf(k kind) row { return table[slices.IndexFunc(table, func(r row) bool { return r.is(k) })] }

// list returns the stages for a kind.
func (r row) list(k kind) (list []stage) {
	for _, e := range r.stages {
		s := e.make(k)
		s.share, s.why = e.share, e.why
		list = append(list, s)
	}
	return list
}

// exact has bounds that may come together: sarsop where there is a Goal or many latents, and otherwise certified.
func exact(k kind) stage {
	if k.spec.Goal || k.manyLatents() {
		return stage{solver: solvers.TunedSARSOP(k.model)}
	}
	s := solvers.TunedCertified(k.model)
	var before []solverkit.TimeShare
	if k.timed && !k.finite {
		before = []solverkit.TimeShare{{What: "how fine a grid", Share: fitShare}}
	}
	return stage{solver: s, before: before, onGrid: func(points int) bcpace.Solver {
		s.Grid.MaxPoints = points
		return s
	}}
}

// search is policy search, which its part of the time ends before a deadline.
func search(k kind) stage { return searchOf(k, policysearch.Solver{}) }

// brief is a policy search that is short without a deadline too.
func brief(k kind) stage {
	return searchOf(k, policysearch.Solver{MaxSteps: briefSteps, CertificateEpisodes: briefEpisodes})
}

func searchOf(k kind, s policysearch.Solver) stage {
	if k.timed {
		s.MaxSteps = math.MaxInt
	}
	return stage{solver: s, again: func(from bcpace.Policy, seed uint64) bcpace.Solver {
		s.From, s.Seed = from, seed
		return s
	}}
}

// further is the policy search after all stages, where there is a deadline.
func further(k kind) stage {
	k.timed = true
	s := search(k)
	s.share, s.why = 1, "much of the time is left, and nothing is proved to be the best"
	return s
}

func algorithm1(kind) stage {
	return stage{solver: cpace.Solver{}, looks: true, before: []solverkit.TimeShare{{What: "look", Share: lookShare}}}
}

func certain(kind) stage { return stage{solver: qmdp.CertaintyEquivalent{}, tables: true} }

// told is QMDP, which acts as if the latent were told after the next step.
func told(kind) stage { return stage{solver: qmdp.Solver{}, tables: true, once: true} }

// Asked is what a user who names no solver asks for, where one solver alone is to run.
type Asked struct {
	// File says that the model is that of a file, and Vectors that its policy is to be written to a .policy file.
	File, Vectors bool
	// Reads reports whether a solver reads all parameters that are given; nil where certified does.
	Reads func(solvers.Info) bool
}

// oneRow says which solver runs alone, and where.
type oneRow struct {
	why    string
	is     func(k kind, a Asked) bool
	solver string
}

// one has the rows in order: the first one that holds counts.
var one = []oneRow{
	{"a .policy file has its policy", func(_ kind, a Asked) bool { return a.Vectors && a.File }, solvers.SARSOP},
	{"the model is no Bayes-adaptive MDP", func(k kind, _ Asked) bool { return k.model == nil }, solvers.SARSOP},
	{"the model has neither a discount nor a horizon, which no other solver does without", func(k kind, _ Asked) bool { return k.spec.Goal }, solvers.SARSOP},
	{"the hidden part of the file has so many values that its bounds close faster than those of certified", func(k kind, a Asked) bool { return a.File && k.manyLatents() }, solvers.SARSOP},
	{"the model lists no successors, so that only samples of its steps tell what follows", func(k kind, _ Asked) bool { return !k.lists }, solvers.BayesCPACE},
	{"its bounds prove how far the policy is from the best", func(kind, Asked) bool { return true }, solvers.Certified},
}

// One returns the name of the solver that runs where one alone may, and why it does: where parameters are given, and for
// the model of a file, which is nil where that holds no BAMDP.
func One(m bcpace.Model, a Asked) (name, why string) {
	if a.Reads != nil {
		for _, s := range solvers.List() {
			if a.Reads(s) {
				return s.Name, "it is the first solver that reads all parameters"
			}
		}
		return solvers.BayesCPACE, "no solver reads all parameters, and it reads most of them"
	}
	k := kind{}
	if m != nil {
		k = kindOf(m, false)
	}
	r := one[slices.IndexFunc(one, func(r oneRow) bool { return r.is(k, a) })] // the last row is of every kind
	return r.solver, r.why
}
