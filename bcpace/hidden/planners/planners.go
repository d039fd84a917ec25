// Package planners lists the planners for a hidden vector: their names and their parameters. Programs that offer all of them import it;
// others import the planner that they name.
package planners

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/adaops"
	"bayescpace/bcpace/hidden/despot"
	"bayescpace/bcpace/hidden/pft"
	"bayescpace/bcpace/hidden/pomcpow"
	"bayescpace/bcpace/hidden/thompson"
	"bayescpace/bcpace/internal/fields"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
)

// Info describes a planner.
type Info struct {
	Name   string
	Doc    string // what it does: a verb and what follows
	Params []solverkit.Param

	zero solver
}

// solver is a planner with its parameters, a struct that makes a policy for a model.
type solver interface {
	policy(m *hidden.Model, params []bcpace.Param, x Info) (hidden.Policy, error)
}

// made is a solver, whose method of makes the policy.
type made[S any, P hidden.Policy] struct {
	zero S
	of   func(S, *hidden.Model) (P, error)
}

// policy implements solver.
func (d made[S, P]) policy(m *hidden.Model, params []bcpace.Param, x Info) (hidden.Policy, error) {
	s := d.zero
	for _, given := range params {
		p, ok := x.Param(given.Key)
		if !ok {
			return nil, bcpace.In("planner "+x.Name).Bad("the parameter", strconv.Quote(given.Key), numtext.OneOf(given.Key, x.keys()))
		}
		var err error
		if s, err = fields.Set(s, p, given.Value); err != nil {
			if errors.As(err, new(*bcpace.InputError)) {
				return nil, err
			}
			return nil, bcpace.In("options").Bad(p.Field, strconv.Quote(given.Value), strings.TrimPrefix(err.Error(), "want "))
		}
	}
	p, err := d.of(s, m)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Parameters of several planners.
var (
	exploration = solverkit.Param{Key: "exploration", Field: "Exploration", Arg: "C", Doc: "weight c of UCB1's bonus for rarely tried actions, in reward units (default the range of rewards)", Want: "c > 0"}
	stateK      = solverkit.Param{Key: "state-k", Field: "StateK", Arg: "K", Doc: "after n visits an action has K·n^A next states at most (default 4)", Want: "K > 0"}
	stateAlpha  = solverkit.Param{Key: "state-alpha", Field: "StateAlpha", Arg: "A", Doc: "A of --state-k, in (0, 1) (default 0.25)", Want: "A in (0, 1)"}
	actionK     = solverkit.Param{Key: "action-k", Field: "ActionK", Arg: "K", Doc: "after n visits a state has K·n^A actions at most, where some have a box (default 4)", Want: "K > 0"}
	actionAlpha = solverkit.Param{Key: "action-alpha", Field: "ActionAlpha", Arg: "A", Doc: "A of --action-k, in (0, 1) (default 0.33)", Want: "A in (0, 1)"}
)

// listed are the planners, in the order in which they are offered.
var listed = []Info{
	{Name: "pomcpow", Doc: "searches by simulations, in a tree whose nodes collect weighted hidden vectors and which it widens as it goes",
		Params: []solverkit.Param{solverkit.Budget, solverkit.Depth, exploration, stateK, stateAlpha, actionK, actionAlpha}, zero: made[pomcpow.Solver, hidden.Planner]{pomcpow.Solver{}, pomcpow.Solver.Planner}},
	{Name: "pomcp", Doc: "searches as pomcpow does, with a node for every next state: for states that take few values",
		Params: []solverkit.Param{solverkit.Budget, solverkit.Depth, exploration, actionK, actionAlpha}, zero: made[pomcpow.Solver, hidden.Planner]{pomcpow.Solver{NoWidening: true}, pomcpow.Solver.Planner}},
	{Name: "pft", Doc: "searches in a tree of beliefs of weighted particles, which it widens as it goes",
		Params: []solverkit.Param{solverkit.Budget, solverkit.Depth, exploration,
			{Key: "node-particles", Field: "Particles", Arg: "N", Doc: "particles of a node of pft (default 20)", Want: "1 particle or more"},
			stateK, stateAlpha, actionK, actionAlpha}, zero: made[pft.Solver, hidden.Planner]{pft.Solver{}, pft.Solver.Planner}},
	{Name: "sparse-pft", Doc: "searches as pft does, with the same number of next beliefs for each action",
		Params: []solverkit.Param{solverkit.Budget, solverkit.Depth, exploration,
			{Key: "node-particles", Field: "Particles", Arg: "N", Doc: "particles of a node of pft (default 20)", Want: "1 particle or more"},
			{Key: "width", Field: "Width", Arg: "N", Doc: "next beliefs of each action of sparse-pft (default 4)", Want: "1 belief or more"},
			actionK, actionAlpha}, zero: made[pft.Solver, hidden.Planner]{pft.Solver{Width: 4}, pft.Solver.Planner}},
	{Name: "adaops", Doc: "searches between bounds in a tree of beliefs of weighted particles, with one node for all that follows an action within a distance",
		Params: []solverkit.Param{solverkit.Budget, solverkit.Depth,
			{Key: "delta", Field: "Delta", Arg: "R", Doc: "distance within which what follows an action shares a node, in L1 where only beliefs differ (default 0.1); 0 for none that share", Zero: "NoPacking"},
			{Key: "least-particles", Field: "Least", Arg: "N", Doc: "smallest number of particles that adaops draws for a belief (default 30)", Want: "1 particle or more"},
			{Key: "most-particles", Field: "Most", Arg: "N", Doc: "largest number of particles that adaops draws for a belief (default 100)", Want: "1 particle or more"},
			{Key: "zeta", Field: "Zeta", Arg: "E", Doc: "error by which adaops takes more or fewer particles between the two, a Kullback–Leibler divergence (default 0.1)", Want: "E > 0"},
			{Key: "design-effect", Field: "Threshold", Arg: "X", Doc: "number of particles over their effective number, beyond which adaops draws them anew (default 2)", Want: "1 or more"},
		}, zero: made[adaops.Solver, hidden.Planner]{adaops.Solver{}, adaops.Solver.Planner}},
	{Name: "despot", Doc: "searches between bounds in a tree of what sampled scenarios can lead to: for states that take few values",
		Params: []solverkit.Param{solverkit.Budget, solverkit.Depth,
			{Key: "scenarios", Field: "Scenarios", Arg: "K", Doc: "scenarios of a decision; 0 for 100"},
			{Key: "regularisation", Field: "Regularisation", Arg: "L", Doc: "price of a node of the policy's tree, in reward units"},
			{Key: "random-default", Field: "RandomDefault", Doc: "has despot bound values of a hidden vector from below by a random policy"},
		}, zero: made[despot.Solver, hidden.Planner]{despot.Solver{}, despot.Solver.Planner}},
	{Name: "thompson", Doc: "acts at each step as the environment's own controller does for a hidden vector that is drawn from the belief, without planning",
		zero: made[thompson.Solver, hidden.Policy]{thompson.Solver{}, thompson.Solver.Policy}},
}

// List returns all planners.
func List() []Info {
	list := slices.Clone(listed)
	for i := range list {
		list[i].Params = slices.Clone(list[i].Params)
	}
	return list
}

// Names returns the names of all planners.
func Names() (names []string) {
	for _, x := range listed {
		names = append(names, x.Name)
	}
	return names
}

// Reading returns the names of the planners that have a parameter of that key.
func Reading(key string) (names []string) {
	for _, x := range listed {
		if _, ok := x.Param(key); ok {
			names = append(names, x.Name)
		}
	}
	return names
}

// Find returns the planner of that name.
func Find(name string) (Info, bool) {
	i := slices.IndexFunc(listed, func(x Info) bool { return x.Name == name })
	if i < 0 {
		return Info{}, false
	}
	return listed[i], true
}

// Param returns the parameter of that key.
func (x Info) Param(key string) (solverkit.Param, bool) {
	i := slices.IndexFunc(x.Params, func(p solverkit.Param) bool { return p.Key == key })
	if i < 0 {
		return solverkit.Param{}, false
	}
	return x.Params[i], true
}

// New returns the planner of that name for m, with parameters read from text. The error is an *bcpace.InputError for an unknown name or parameter, and
// for a value that cannot be read or used; and that of the planner for a model that it cannot plan in.
func New(name string, params []bcpace.Param, m *hidden.Model) (hidden.Policy, error) {
	x, ok := Find(name)
	if !ok {
		return nil, bcpace.In("planners").Bad("the name", strconv.Quote(name), numtext.OneOf(name, Names()))
	}
	return x.zero.policy(m, params, x)
}

func (x Info) keys() (keys []string) {
	for _, p := range x.Params {
		keys = append(keys, p.Key)
	}
	return keys
}
