// Package solvers lists the solvers of this module: their names, their parameters, and
// the settings that were tuned for a model. Programs that offer all of them import it;
// others import the solver that they name.
package solvers

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/beb"
	"bayescpace/bcpace/baseline/boss"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/baseline/pomdplite"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/constrained"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/despot"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/online/thompson"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/robust"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// Info describes a solver, or a planner for a hidden vector.
type Info struct {
	Name   string
	Status solverkit.Status
	solverkit.About

	preset  solverkit.Described
	planner any                              // in place of preset, of a planner for a hidden vector
	tuned   func(bcpace.Model) bcpace.Solver // nil where preset is tuned for every model
}

// Param is a parameter of a solver.
type Param = solverkit.Param

// Names of the solvers that a program takes where none is asked for.
const (
	BayesCPACE = "bayes-cpace"
	Certified  = "certified"
	SARSOP     = "sarsop"
)

const (
	// FiniteGap is the ε of a search on a finite model where none is given and returns can differ by 1 to 10,000, in reward
	// units; see solverkit.DefaultGap. Its bounds close fast enough for more digits than an exploration by samples.
	FiniteGap = solverkit.OrdinaryGap
	// ContinuousSamples is how many samples a search takes at most on another model where no
	// limit is given: some seconds' worth.
	ContinuousSamples = 20_000
	// controlSamples is the same for actions with a Box, of which a sample takes longer.
	controlSamples = 5000
)

// listed are the solvers, in the order in which they are offered.
var listed = []Info{
	{Status: solverkit.Core, preset: cpace.Solver{}, tuned: func(m bcpace.Model) bcpace.Solver { return envs.Tuned(m) }},
	{Status: solverkit.Core, preset: certified.Solver{}, tuned: func(m bcpace.Model) bcpace.Solver { return TunedCertified(m) }},
	{Status: solverkit.Core, preset: qmdp.Solver{}},
	{Status: solverkit.Core, preset: sarsop.Solver{}, tuned: func(m bcpace.Model) bcpace.Solver { return TunedSARSOP(m) }},
	{Status: solverkit.Extension, preset: pointbased.PBVI{}, tuned: func(m bcpace.Model) bcpace.Solver { return pointbased.PBVI{Epsilon: solverkit.DefaultGap(m)} }},
	{Status: solverkit.Extension, preset: pointbased.Perseus{}, tuned: func(m bcpace.Model) bcpace.Solver { return pointbased.Perseus{Epsilon: solverkit.DefaultGap(m)} }},
	{Status: solverkit.Extension, preset: pomdplite.Solver{}},
	{Status: solverkit.Core, preset: qmdp.CertaintyEquivalent{}},
	{Status: solverkit.Core, preset: pomcp.Solver{}},
	{Status: solverkit.Extension, preset: despot.Solver{}},
	{Status: solverkit.Extension, preset: lookahead.Solver{}},
	{Status: solverkit.Extension, preset: adaops.Solver{}},
	{Status: solverkit.Extension, preset: pomcpow.Solver{}},
	{Status: solverkit.Extension, preset: policysearch.Solver{}},
	{Status: solverkit.Extension, preset: thompson.Solver{}},
	{Status: solverkit.Extension, preset: beb.Solver{}},
	{Status: solverkit.Extension, preset: boss.Solver{}},
}

// questions are the solvers with another objective than the largest expected return.
var questions = []Info{
	{Status: solverkit.Extension, preset: robust.Solver{}, tuned: func(m bcpace.Model) bcpace.Solver { return robust.Solver{Epsilon: solverkit.DefaultGap(m)} }},
	{Status: solverkit.Extension, preset: constrained.Solver{}, tuned: func(m bcpace.Model) bcpace.Solver {
		return constrained.Solver{Cost: constrained.Losses("number of losses", 0), Epsilon: solverkit.DefaultGap(m)}
	}},
	{Status: solverkit.Extension, preset: risk.Solver{}, tuned: func(m bcpace.Model) bcpace.Solver { return risk.Solver{Share: 0.1, Epsilon: solverkit.DefaultGap(m)} }},
	{Status: solverkit.Extension, preset: risk.Chance{}, tuned: func(bcpace.Model) bcpace.Solver { return risk.Chance{Epsilon: 1e-3} }},
}

// all are the solvers, and behind them those of questions, with what they say of themselves.
var all = sync.OnceValue(func() []Info {
	list := slices.Concat(listed, questions)
	for i := range list {
		list[i].Name, list[i].About = list[i].preset.Name(), list[i].preset.About()
	}
	return list
})

// TunedSARSOP returns sarsop with the settings that New gives it.
func TunedSARSOP(m bcpace.Model) sarsop.Solver {
	return sarsop.Solver{Epsilon: solverkit.DefaultGap(m)}
}

// TunedCertified returns certified with the settings that New gives it, with which a search ends
// after some seconds.
func TunedCertified(m bcpace.Model) certified.Solver {
	if _, finite := bcpace.AsFinite(m); finite {
		return certified.Solver{Epsilon: solverkit.DefaultGap(m)}
	}
	samples := ContinuousSamples
	if spec := m.Spec(); spec.HasBox() {
		samples = controlSamples
	}
	return certified.Solver{Epsilon: envs.Tuned(m).Epsilon, MaxSamples: samples}
}

// List returns the solvers for the largest expected return.
func List() []Info { return slices.Clone(all()[:len(listed)]) }

// Questions returns the solvers with another bcpace.Objective. Find, New and Set have them too.
func Questions() []Info { return slices.Clone(all()[len(listed):]) }

// Find returns the solver of that name.
func Find(name string) (Info, bool) { return named(all(), name) }

func named(list []Info, name string) (Info, bool) {
	return first(list, func(x Info) bool { return x.Name == name })
}

// first returns the first of a list that is what is looked for.
func first[T any](list []T, is func(T) bool) (x T, ok bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		x, ok = list[i], true
	}
	return x, ok
}

// New returns the solver with the settings tuned for m, of which the description is
// enough. The error is an *bcpace.InputError for an unknown name.
func New(name string, m bcpace.Model) (bcpace.Solver, error) {
	x, ok := Find(name)
	if !ok {
		return nil, bcpace.In("solvers").Bad("the name", strconv.Quote(name), numtext.OneOf(name, Names()))
	}
	if m == nil {
		return nil, bcpace.In("solvers").Bad("the model", "nil", "a model, or its description")
	}
	if x.tuned == nil {
		return x.preset, nil
	}
	return x.tuned(m), nil
}

// Names returns the names of List.
func Names() []string { return namesOf(List()) }

func namesOf(list []Info) []string { return texts(list, func(x Info) string { return x.Name }) }

// texts returns a text of each of a list.
func texts[T any](list []T, of func(T) string) (all []string) {
	for _, x := range list {
		all = append(all, of(x))
	}
	return all
}

// Begins says what takes the time before there is anything to keep.
func (in Info) Begins() string { return in.Name + " was at " + in.SetUp }

// Param returns the parameter of that key.
func (in Info) Param(key string) (Param, bool) {
	return first(in.Params, func(p Param) bool { return p.Key == key })
}

// can says that the solver is a T too.
func can[T any](in Info) bool {
	_, ok := in.preset.(T)
	return ok
}

// Explores says that the solver is a runs.Explorer, whose solutions have a run.
func (in Info) Explores() bool { return can[runs.Explorer](in) }

// SolvesTables says that the solver takes the tables of any POMDP.
func (in Info) SolvesTables() bool { return can[pomdp.Solver](in) }

// Asks says that the solver has another bcpace.Objective than the largest expected return.
func (in Info) Asks() bool { return can[solverkit.Questioner](in) }

// Plans says that the policy of the solver plans within a budget (bcpace.PolicyAbilities.Plan).
func (in Info) Plans() bool {
	p, _ := in.Param(solverkit.Budget.Key)
	return p.Field == solverkit.Budget.Field
}

// Set returns s with a parameter read from text. The error says what the text should
// have been; it is an *bcpace.InputError for a solver that has no such parameter, and
// for an explicit 0 where that means nothing.
func Set(s bcpace.Solver, key, text string) (bcpace.Solver, error) {
	if kind := reflect.TypeOf(s); kind == nil || kind.Kind() != reflect.Struct {
		return nil, bcpace.In("solvers").Bad("the solver", fmt.Sprintf("%T", s), "a value of a solver's type, as New returns it")
	}
	x, ok := InfoOf(s)
	p, has := x.Param(key)
	if !ok || !has {
		return nil, bcpace.In("solver "+s.Name()).Bad("the parameter", strconv.Quote(key), numtext.OneOf(key, keys(x.Params)))
	}
	if pl, ok := s.(Planner); ok {
		pl.Params = append(slices.Clone(pl.Params), bcpace.Param{Key: key, Value: text})
		_, err := setField(x.planner, p, text)
		return pl, err
	}
	return setField(s, p, text)
}

func keys(params []Param) []string { return texts(params, func(p Param) string { return p.Key }) }

// Seeded returns s with a seed, if it draws random numbers.
func Seeded(s bcpace.Solver, seed uint64) (bcpace.Solver, error) {
	x, _ := InfoOf(s)
	if _, has := x.Param(solverkit.Seed.Key); !has {
		return s, nil
	}
	return Set(s, solverkit.Seed.Key, strconv.FormatUint(seed, 10))
}
