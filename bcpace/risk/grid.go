package risk

import (
	"cmp"
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
	p := &problem{title: title, model: finite, spec: finite.Spec(), paths: paths, inner: controller.Inner{Settings: controller.Settings{Title: title}, Control: c}, least: math.Inf(1), most: math.Inf(-1)}
	for _, k := range paths.starts {
		p.least, p.most = min(p.least, paths.low[k]), max(p.most, paths.high[k])
	}
	return p, nil
}

// played is how many episodes say where the grid is dense.
const played = 200

// mean bounds the largest mean of the returns, and has the grid points dense where the returns of its policy are.
func (p *problem) mean(ctx context.Context) (*target, bcpace.Policy, bcpace.Certificate, error) {
	t, found, err := p.ask(ctx, target{inner: p.model, paths: p.paths, level: math.Inf(1)}, "mean")
	if err != nil {
		return nil, nil, bcpace.Certificate{}, err
	}
	slack := p.slack(t, math.Abs(found.Certificate.Lower))
	found.Certificate.Lower -= slack
	found.Certificate.Upper += slack
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
	a := axis{Centre: p.centre, Scale: p.scale}
	low := p.paths.bottom
	a.spread(low, max(p.paths.top, low+max(1e-10*math.Abs(low), 1e-100)), cells)
	return a
}

// fits reports whether a model with so many cells is not too large.
func (p *problem) fits(cells int) bool {
	return float64(p.paths.reached*p.paths.classes)*float64(cells+firstPoint+2) <= mostStates
}

// slack is how far what a target says of the best policy, or of one that it says is better, may be from what is true, where the least loss is no more
// than loss, or without a level the largest mean no less than minus that. Each step adds a share of the numbers that it computes with, for their rounding and
// for what they stand for. What such a policy may earn bounds these numbers in the mean: it has no large penalties that it does not earn back, so that
// those that nobody has to pay do not count.
func (p *problem) slack(t *target, loss float64) float64 {
	// By the horizon, or until what is left is smaller than what may still be paid.
	steps, earned := float64(p.spec.Horizon), p.paths.gain*p.spec.EffectiveHorizon()
	size := loss + 2*earned + max(p.paths.top, 0)
	if !math.IsInf(t.level, 1) {
		size += math.Abs(t.level)
	}
	if steps == 0 {
		steps = p.spec.EffectiveHorizon() * (1 + math.Log1p(math.Abs(p.paths.bottom)/max(size, 1e-300)))
	}
	if p.chance {
		size = 1
	}
	if t.how != exact { // shares of a cell are computed too
		size += t.grid.widest() * unit
	}
	return (2*min(t.missed, rounded) + 4*unit) * size * steps
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
	t := target{inner: p.model, paths: p.paths, level: level, chance: p.chance}
	if cells > 0 {
		t.how, t.grid = bound, p.grid(cells)
	}
	found, low, err := p.ask(ctx, t, phase)
	if err != nil {
		return loss{}, err
	}
	c := low.Certificate
	l := loss{low: max(-c.Upper-p.slack(found, -c.Lower), 0), high: math.Inf(1), by: c.UpperBy, assumes: c.Assumes, cells: cells}
	if !good(l.low) {
		return l, nil
	}
	if cells > 0 || found.doubt {
		if cells > 0 {
			t.how = mean
			if p.chance {
				t.how = up
			}
		}
		t.strict = true
		if found, low, err = p.ask(ctx, t, phase); err != nil {
			return loss{}, err
		}
	}
	l.high, l.policy = p.slack(found, -low.Certificate.Lower)-low.Certificate.Lower, newPlayer(found, low.Policy, p.rest)
	return l, nil
}

// ask has the inner solver solve a target.
func (p *problem) ask(ctx context.Context, t target, phase string) (*target, *bcpace.Solution, error) {
	s := cmp.Or[bcpace.Solver](p.solver, certified.Solver{Epsilon: p.epsilon})
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
