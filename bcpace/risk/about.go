package risk

import (
	"cmp"
	"context"
	"errors"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

func init() {
	solverkit.Register(Solver{})
	solverkit.Register(Chance{})
	kept.RegisterRecord(&Levels{})
	kept.Register(keptKind, readKept)
	kept.Register(sureKind, readSure)
}

// setUp is what both solvers begin with.
const setUp = "the returns that episodes may have, and the largest mean" + solverkit.Long

// Name implements bcpace.Solver.
func (Solver) Name() string { return "cvar" }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "looks for the policy with the largest mean of the worst share of the returns (CVaR), in finite models",
		Written: "CVaR",
		Cited:   "the CVaR solver of the toolkit, which solves the models of several levels of the return",
		SetUp:   setUp,
		Params:  []solverkit.Param{{Key: "share", Field: "Share", Arg: "SHARE", Doc: "the share of the worst returns whose mean counts, in (0, 1]"}, solverkit.Epsilon},
	}
}

// Objective implements solverkit.Questioner.
func (s Solver) Objective() bcpace.Objective {
	share := numtext.Exact(s.Share)
	return bcpace.Objective{Question: "risk cvar=" + share, Bounds: "the mean of the worst " + share + " of the returns", Share: s.Share}
}

// Inside implements solverkit.Questioner.
func (s Solver) Inside() bcpace.Solver {
	return cmp.Or[bcpace.Solver](s.Inner, certified.Solver{Epsilon: s.Share * s.Epsilon / 4})
}

// Findings implements solverkit.Questioner.
func (s Solver) Findings(found *bcpace.Solution) []solverkit.Finding {
	return Of(found).findings("cvar="+numtext.Exact(s.Share), "the return below which they lie, about")
}

// Name implements bcpace.Solver.
func (Chance) Name() string { return "chance" }

// About implements solverkit.Described.
func (Chance) About() solverkit.About {
	return solverkit.About{
		Doc:     "looks for the policy with the smallest probability of a return below a level, in finite models with a horizon",
		Written: "chance",
		Cited:   "the chance solver of the toolkit, which solves the model of one level of the return",
		SetUp:   setUp,
		Params:  []solverkit.Param{{Key: "level", Field: "Level", Arg: "RETURN", Doc: "the return that counts"}, solverkit.Epsilon},
	}
}

// Objective implements solverkit.Questioner.
func (s Chance) Objective() bcpace.Objective {
	level := numtext.Exact(s.Level)
	return bcpace.Objective{Question: "risk below=" + level, Bounds: "the probability of a return below " + level, Below: &s.Level}
}

// Inside implements solverkit.Questioner.
func (s Chance) Inside() bcpace.Solver {
	return cmp.Or[bcpace.Solver](s.Inner, certified.Solver{Epsilon: s.Epsilon / 4})
}

// Findings implements solverkit.Questioner.
func (s Chance) Findings(found *bcpace.Solution) []solverkit.Finding {
	return Of(found).findings("below="+numtext.Exact(s.Level), "the return that counts")
}

func (l *Levels) findings(asked, level string) []solverkit.Finding {
	return []solverkit.Finding{
		{Key: "risk", Value: asked},
		{Key: "level", Name: "level", Value: l.Level, Note: level},
		{Key: "solved", Name: "levels solved", Value: len(l.Levels)},
	}
}

// Chance looks for the policy with the smallest probability of a return below a level. Level and Epsilon must be given.
type Chance struct {
	// Level is what the discounted return of an episode should not be below, in reward units. A return that falls short of it by less than rounding
	// can bring about, some 1e-13 for each step of the sum of Level and of what the steps pay or cost, reaches it.
	Level float64
	// Epsilon is a probability above 0: the search ends when the bounds are that far apart at most.
	Epsilon float64
	// Inner solves the model of the level, and gives two bounds of its optimal value and a policy. nil means package certified with a quarter of
	// Epsilon.
	Inner bcpace.Solver
}

const (
	chanceTitle = "chance solver"
	// restShare is the share of the range of returns to which the largest mean is solved, for what is done where nothing counts any more.
	restShare = 0.01
)

// Solve looks for the policy of m, which must be Finite and have a horizon, where a step pays the mean reward that the model lists for what follows. The
// Certificate bounds the probability: the Policy has a return below Level with probability Upper at most, and no policy with one less than Lower. Where
// ctx ends, it returns what it has found, with bounds that hold; its error before there is a policy. Other errors are an *bcpace.InputError for
// parameters, an *bcpace.UnsupportedError for a model that is not Finite or without a horizon, and those of the inner solver.
func (s Chance) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	_, err := controller.Settings{Title: chanceTitle, Epsilon: s.Epsilon}.Checked(m, c, "", 1)
	bad := bcpace.In(chanceTitle).Bad
	switch {
	case err != nil:
		return nil, err
	case math.IsNaN(s.Level) || math.IsInf(s.Level, 0):
		return nil, bad("Level", s.Level, "a return")
	case m.Spec().Horizon == 0:
		return nil, &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: chanceTitle, Need: "a horizon: Spec.Horizon, or the first steps of it by FiniteHorizon"}
	}
	p, err := newProblem(ctx, chanceTitle, m, c)
	if err != nil {
		return nil, err
	}
	p.solver, p.epsilon = s.Inner, max(restShare*(p.most-p.least), 1e-9*max(math.Abs(p.most), 1e-100))
	if _, _, _, err := p.mean(ctx); err != nil {
		return nil, err
	}
	p.chance, p.epsilon, p.centre = true, s.Epsilon/4, s.Level
	p.paths.bottom, p.paths.top = min(p.paths.bottom, s.Level), max(p.paths.top, s.Level)
	x := &chance{Chance: s, problem: p, model: m, bounds: bcpace.Certificate{Kind: bcpace.ExactCertificate, Upper: 1, UpperBy: bcpace.ByProof, PolicyEarns: bcpace.ByProof}}
	for cells := 0; ; cells = max(cells*finer, firstCells) {
		l, err := p.solve(ctx, s.Level, cells, func(float64) bool { return true })
		if errors.Is(err, errMany) && cells == 0 {
			continue
		}
		if err != nil {
			if x.policy != nil && ctx.Err() != nil {
				return x.solution(stop.Of(ctx))
			}
			return nil, err
		}
		x.add(l, cells)
		p.inner.Report(bcpace.Progress{Episodes: cells, Value: x.bounds.Upper, Gap: x.bounds.Gap(), Epsilon: s.Epsilon})
		switch {
		case x.bounds.Gap() <= s.Epsilon:
			return x.solution(stop.Certified)
		case ctx.Err() != nil:
			return x.solution(stop.Of(ctx))
		case cells == 0 || !p.fits(cells*finer):
			return x.solution(stop.Rounding)
		}
		if _, err := x.solution(""); err != nil {
			return nil, err
		}
	}
}

// chance is a Solve of a Chance under way.
type chance struct {
	Chance
	*problem
	model  bcpace.Model
	policy bcpace.Policy
	bounds bcpace.Certificate
	cells  int // of the grid of the policy
}

// add takes what was found on a grid with so many cells.
func (ch *chance) add(l loss, cells int) {
	first := ch.policy == nil
	if c := &ch.bounds; first || l.low > c.Lower {
		c.Lower, c.LowerBy, c.Assumes = l.low, l.by, l.assumes
	}
	if first || l.high < ch.bounds.Upper {
		ch.bounds.Upper, ch.policy, ch.cells = min(l.high, 1), l.policy, cells
	}
}

// solution returns what was found, or an error where its bounds cross.
func (ch *chance) solution(why stop.Reason) (*bcpace.Solution, error) {
	c := ch.bounds
	if c.LowerBy != bcpace.ByProof {
		c.Kind = bcpace.StatisticalCertificate
	}
	if _, err := c.Checked(ch.spec.Name); err != nil {
		return nil, err
	}
	return &bcpace.Solution{Solver: ch.Chance, Spec: ch.model.Spec(), Objective: ch.Objective(), Policy: bcpace.PolicyOf(bcpace.KeepHorizon(ch.model), ch.policy),
		Value: c.Upper, Certificate: c, Trace: ch.inner.Trace, Stop: why, Record: &Levels{ch.Level, []Level{{Level: ch.Level, Lower: c.Lower, Upper: c.Upper, Cells: ch.cells}}}}, nil
}
