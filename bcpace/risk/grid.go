package risk

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/controller"
)

const (
	// firstCells is how many grid points are tried first, and finer how many times as many next.
	firstCells = 128
	finer      = 4
	// playShare is the share of the time that is left in which episodes are played.
	playShare = 0.1
	// mostStates is how many states a model may have with what is left of a level, some 1 GB where each has few successors.
	mostStates = 4_000_000
)

// mostExact is how many states a model may have where each value of what is left counts, before there is a grid.
var mostExact = 100_000

// problem is what the searches of Solver and Chance have in common.
type problem struct {
	title   string
	model   bcpace.Finite // with the steps left in its states
	spec    bcpace.Spec   // of model
	paths   *paths
	chance  bool
	inner   controller.Inner
	solver  bcpace.Solver // nil for the default
	epsilon float64       // of a loss
	rest    bcpace.Policy // with the largest mean
	// of returns, from the start
	least, most float64
	// of the grid
	centre, scale float64
}

// newProblem lists the paths of a model.
func newProblem(ctx context.Context, title string, m bcpace.Model, c bcpace.Control) (*problem, error) {
	finite, ok := bcpace.AsFinite(bcpace.KeepHorizon(controller.Open(m)))
	if !ok {
		return nil, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: title, Need: "a Finite model, such as Tables, Outcomes or a list of actions and cells make (AsFinite)"}
	}
	if c.Progress != nil {
		c.Progress(bcpace.Progress{Phase: "paths", Share: -1})
	}
	paths, err := pathsOf(finite, ctx.Err)
	if err != nil {
		return nil, err
	}
	p := &problem{title: title, model: finite, spec: finite.Spec(), paths: paths, inner: controller.Inner{Title: title, Control: c}, least: math.Inf(1), most: math.Inf(-1)}
	var z bcpace.Successors
	if err := z.ListStarts(finite); err != nil {
		return nil, err
	}
	for i := range z.Len() {
		s, _, _ := z.Row(i)
		k := finite.StateIndex(s)
		p.least, p.most = min(p.least, paths.low[k]), max(p.most, paths.high[k])
	}
	return p, nil
}

// played is how many episodes say where the grid is dense.
const played = 200

// mean bounds the largest mean of the returns, and has the grid points dense where the returns of its policy are.
func (p *problem) mean(ctx context.Context) (*target, bcpace.Policy, bcpace.Certificate, error) {
	t, found, err := p.ask(ctx, target{inner: p.model, paths: p.paths, level: math.Inf(1), slip: p.slip()}, "mean")
	if err != nil {
		return nil, nil, bcpace.Certificate{}, err
	}
	found.Certificate.Lower -= p.slack(t)
	found.Certificate.Upper += p.slack(t)
	p.rest = found.Policy
	policy := newPlayer(t, p.rest, p.rest)
	r, err := p.inner.Play(ctx, p.model, &controller.Member{Model: p.model, Policy: policy}, eval.Options{Episodes: played}, playShare)
	if x := slices.Sorted(slices.Values(r.Returns)); len(x) > 0 {
		p.centre, p.scale = x[len(x)/2], x[len(x)-1]-x[0]
	}
	return t, policy, found.Certificate, err
}

// grid returns the grid with so many cells.
func (p *problem) grid(cells int) axis {
	a := axis{centre: p.centre, scale: p.scale}
	a.spread(p.paths.bottom, max(p.paths.top, p.paths.bottom+p.slip()), cells)
	return a
}

// fits reports whether a model with so many cells is not too large.
func (p *problem) fits(cells int) bool {
	return float64(p.paths.reached*p.paths.classes)*float64(cells+firstPoint+2) <= mostStates
}

// slip is what counts as nothing.
func (p *problem) slip() float64 {
	return 1e-10 * max(p.paths.top-p.paths.bottom, math.Abs(p.paths.top), 1e-100)
}

// unsure is the part of a number by which what is computed of it may be wrong, in one step.
const unsure = 1e-14

// slack is how far what a target says of returns may be from what is true: each step adds what it has missed, twice where a reward and what is
// left of the level have, and the rounding of numbers.
func (p *problem) slack(t *target) float64 {
	if p.chance { // what counts as nothing decides whether a return is below the level, and by how much does not count
		return 0
	}
	size := max(math.Abs(p.paths.top), math.Abs(p.paths.bottom))
	return (2*t.missed + unsure*size) * p.spec.EffectiveHorizon()
}

// loss bounds the least loss for a level, and gives the policy that loses high at most.
type loss struct {
	low, high float64
	by        bcpace.Basis // of low
	assumes   string
	policy    bcpace.Policy // nil where none was looked for
	cells     int           // of the grid, 0 without one
}

// solve bounds the loss, on a grid with so many cells if that is not 0. Where good says that low is too much for a policy to be looked for, there is
// none.
func (p *problem) solve(ctx context.Context, level float64, cells int, good func(low float64) bool) (loss, error) {
	phase := fmt.Sprintf("level %.4g", level)
	t := target{inner: p.model, paths: p.paths, level: level, chance: p.chance, slip: p.slip()}
	if cells > 0 {
		t.how, t.grid = bound, p.grid(cells)
	}
	found, low, err := p.ask(ctx, t, phase)
	if err != nil {
		return loss{}, err
	}
	c := low.Certificate
	l := loss{low: max(-c.Upper-p.slack(found), 0), high: math.Inf(1), by: c.UpperBy, assumes: c.Assumes, cells: cells}
	if !good(l.low) {
		return l, nil
	}
	if cells > 0 {
		if t.how = mean; p.chance {
			t.how = up
		}
		if found, low, err = p.ask(ctx, t, phase); err != nil {
			return loss{}, err
		}
	}
	l.high, l.policy = p.slack(found)-low.Certificate.Lower, newPlayer(found, low.Policy, p.rest)
	return l, nil
}

// ask has the inner solver solve a target.
func (p *problem) ask(ctx context.Context, t target, phase string) (*target, *bcpace.Solution, error) {
	s := p.solver
	if s == nil {
		s = certified.Solver{Epsilon: p.epsilon}
	}
	most := mostStates
	if t.how == exact && !math.IsInf(t.level, 1) {
		most = mostExact
	}
	listed, err := newTarget(ctx, t, most)
	if err != nil {
		return nil, nil, err
	}
	m := listed.model()
	found, _, err := p.inner.Solve(ctx, s, m, m, phase)
	if err == nil && found.Certificate.LowerBy != bcpace.ByProof && found.Certificate.LowerBy != bcpace.ByRange {
		err = &bcpace.UnsupportedError{Model: p.spec.Name, Algorithm: p.title, Need: fmt.Sprintf("a proved lower bound from %s, such as certified gives", s.Name())}
	}
	return listed, found, err
}
