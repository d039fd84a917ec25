package solvers

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/despot"
	"bayescpace/bcpace/online/pft"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/online/thompson"
	"bayescpace/bcpace/solverkit"
)

// policy returns the policy of a planner with its parameters.
func policy(s any, m *hidden.Model) (hidden.Policy, error) {
	if x, ok := s.(interface {
		Planner(*hidden.Model) (hidden.Planner, error)
	}); ok {
		return x.Planner(m)
	}
	return s.(interface {
		Policy(*hidden.Model) (hidden.Policy, error)
	}).Policy(m)
}

// picked are the parameters of a solver with those keys.
func picked(s solverkit.Described, keys ...string) []Param {
	return slices.DeleteFunc(slices.Clone(s.About().Params), func(p Param) bool { return !slices.Contains(keys, p.Key) })
}

// Parameters of several planners.
var (
	exploration   = Param{Key: "exploration", Field: "Exploration", Arg: "C", Doc: "weight c of UCB1's bonus for rarely tried actions, in reward units (default the range of rewards)", Want: "c > 0"}
	nodeParticles = Param{Key: "node-particles", Field: "Particles", Arg: "N", Doc: "particles of a node of pft (default 20)", Want: "1 particle or more"}
	widensStates  = picked(pomcpow.Solver{}, "state-k", "state-alpha")
	widensActions = picked(pomcpow.Solver{}, "action-k", "action-alpha")
	searches      = []Param{solverkit.Budget, solverkit.Depth}
)

// planners are those for a hidden vector, in the order in which they are offered.
var planners = []Info{
	planner("pomcpow", solverkit.Extension, "searches by simulations, in a tree whose nodes collect weighted hidden vectors and which it widens as it goes", pomcpow.Solver{},
		searches, []Param{exploration}, widensStates, widensActions),
	planner("pomcp", solverkit.Extension, "searches as pomcpow does, with a node for every next state: for states that take few values", pomcpow.Solver{NoWidening: true},
		searches, []Param{exploration}, widensActions),
	planner("pft", solverkit.Extension, "searches in a tree of beliefs of weighted particles, which it widens as it goes", pft.Solver{},
		searches, []Param{exploration, nodeParticles}, widensStates, widensActions),
	planner("sparse-pft", solverkit.Experiment, "searches as pft does, with the same number of next beliefs for each action", pft.Solver{Width: 4},
		searches, []Param{exploration, nodeParticles,
			{Key: "width", Field: "Width", Arg: "N", Doc: "next beliefs of each action of sparse-pft (default 4)", Want: "1 belief or more"}}, widensActions),
	planner("adaops", solverkit.Extension, "searches between bounds in a tree of beliefs of weighted particles, with one node for all that follows an action within a distance", adaops.Solver{},
		searches, picked(adaops.Solver{}, "delta"), []Param{
			{Key: "least-particles", Field: "Least", Arg: "N", Doc: "smallest number of particles that adaops draws for a belief (default 30)", Want: "1 particle or more"},
			{Key: "most-particles", Field: "Most", Arg: "N", Doc: "largest number of particles that adaops draws for a belief (default 100)", Want: "1 particle or more"},
			{Key: "zeta", Field: "Zeta", Arg: "E", Doc: "error by which adaops takes more or fewer particles between the two, a Kullback–Leibler divergence (default 0.1)", Want: "E > 0"},
			{Key: "design-effect", Field: "Threshold", Arg: "X", Doc: "number of particles over their effective number, beyond which adaops draws them anew (default 2)", Want: "1 or more"},
		}),
	planner("despot", solverkit.Extension, "searches between bounds in a tree of what sampled scenarios can lead to: for states that take few values", despot.Solver{},
		searches, picked(despot.Solver{}, "scenarios", "regularisation"), []Param{
			{Key: "random-default", Field: "RandomDefault", Doc: "has despot bound values of a hidden vector from below by a random policy"},
		}),
	planner("thompson", solverkit.Experiment, "acts at each step as the environment's own controller does for a hidden vector that is drawn from the belief, without planning", thompson.Solver{}),
}

// planner returns the Info of a planner, which is a struct with a method Planner or Policy.
func planner(name string, status solverkit.Status, doc string, zero any, params ...[]Param) Info {
	return Info{Name: name, Status: status, About: solverkit.About{Doc: doc, SetUp: "the set-up of its search", Params: slices.Concat(params...)}, planner: zero}
}

// ListPlanners returns all planners for a hidden vector.
func ListPlanners() []Info { return slices.Clone(planners) }

// PlannerNames returns the names of all planners for a hidden vector.
func PlannerNames() []string { return namesOf(planners) }

// FindPlanner returns the planner of that name.
func FindPlanner(name string) (Info, bool) { return named(planners, name) }

// Planner is a planner for a hidden vector as a solver of a problem, of which a file keeps what it is.
type Planner struct {
	Planner   string
	Params    []bcpace.Param `json:",omitempty"`
	Particles int            `json:",omitempty"` // of the belief; 0 for hidden.DefaultFilter
}

// Name implements bcpace.Solver.
func (pl Planner) Name() string { return pl.Planner }

// Solve implements bcpace.Solver: it refuses every model. Policy is for a hidden vector.
func (pl Planner) Solve(_ context.Context, m bcpace.Model, _ bcpace.Control) (*bcpace.Solution, error) {
	return nil, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: pl.Planner, Need: "a hidden vector, as hidden.FromModel makes one of the latents"}
}

// Policy returns the policy for m, as NewPlanner does.
func (pl Planner) Policy(m *hidden.Model) (hidden.Policy, error) {
	return NewPlanner(pl.Planner, pl.Params, m)
}

// InfoOf returns the Info of a solver or of a Planner.
func InfoOf(s bcpace.Solver) (Info, bool) {
	if pl, ok := s.(Planner); ok {
		return FindPlanner(pl.Planner)
	}
	return Find(s.Name())
}

// NewPlanner returns the planner of that name for m, with parameters read from text. The error is an *bcpace.InputError for an unknown name or parameter, and
// for a value that cannot be read or used; and that of the planner for a model that it cannot plan in.
func NewPlanner(name string, params []bcpace.Param, m *hidden.Model) (hidden.Policy, error) {
	x, ok := FindPlanner(name)
	if !ok {
		return nil, bcpace.In("planners").Bad("the name", strconv.Quote(name), numtext.OneOf(name, PlannerNames()))
	}
	s := x.planner
	for _, given := range params {
		p, ok := x.Param(given.Key)
		if !ok {
			return nil, bcpace.In("planner "+x.Name).Bad("the parameter", strconv.Quote(given.Key), numtext.OneOf(given.Key, keys(x.Params)))
		}
		var err error
		if s, err = setField(s, p, given.Value); err != nil {
			if errors.As(err, new(*bcpace.InputError)) {
				return nil, err
			}
			return nil, bcpace.In("options").Bad(p.Field, strconv.Quote(given.Value), strings.TrimPrefix(err.Error(), "want "))
		}
	}
	return policy(s, m)
}
