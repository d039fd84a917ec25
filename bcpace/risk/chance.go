package risk

import (
	"context"
	"errors"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/stop"
)

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

// Probability is what a Chance has found.
type Probability struct {
	// Policy has a return below Level with probability Upper at most, and no policy with one less than Lower. It is like that of a Solution.
	Policy       bcpace.Policy
	Lower, Upper float64
	// LowerBy is the reason for Lower, which may rest on an assumption of Inner; Upper is proved.
	LowerBy bcpace.Basis
	Assumes string
	Cells   int // of the grid, 0 where each value of what is left of the level counts
	Stop    stop.Reason
}

const (
	chanceTitle = "chance solver"
	// restShare is the share of the range of returns to which the largest mean is solved, for what is done where nothing counts any more.
	restShare = 0.01
)

// Solve looks for the policy of m, which must be Finite and have a horizon, where a step pays the mean reward that the model lists for what follows. Where
// ctx ends, it returns what it has found, with bounds that hold; its error before there is a policy. Other errors are an *bcpace.InputError for
// parameters, an *bcpace.UnsupportedError for a model that is not Finite or without a horizon, and those of the inner solver.
func (s Chance) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*Probability, error) {
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
	found := &Probability{Upper: 1}
	for cells := 0; ; cells = max(cells*finer, firstCells) {
		l, err := p.solve(ctx, s.Level, cells, func(float64) bool { return true })
		if errors.Is(err, errMany) && cells == 0 {
			continue
		}
		if err != nil {
			if found.Policy != nil && ctx.Err() != nil {
				found.Stop = stop.Of(ctx)
				return found, nil
			}
			return nil, err
		}
		if found.Policy == nil || l.low > found.Lower {
			found.Lower, found.LowerBy, found.Assumes = l.low, l.by, l.assumes
		}
		if found.Policy == nil || l.high < found.Upper {
			found.Upper, found.Policy, found.Cells = min(l.high, 1), bcpace.PolicyOf(bcpace.KeepHorizon(m), l.policy), cells
		}
		bounds := bcpace.Certificate{Lower: found.Lower, Upper: found.Upper, LowerBy: found.LowerBy, UpperBy: bcpace.ByProof}
		if _, err := bounds.Checked(p.spec.Name); err != nil {
			return nil, err
		}
		if c.Progress != nil {
			c.Progress(bcpace.Progress{Episodes: cells, Value: found.Upper, Gap: found.Upper - found.Lower, Epsilon: s.Epsilon})
		}
		switch {
		case found.Upper-found.Lower <= s.Epsilon:
			found.Stop = stop.Certified
		case ctx.Err() != nil:
			found.Stop = stop.Of(ctx)
		case cells == 0 || !p.fits(cells*finer):
			found.Stop = stop.Rounding
		default:
			continue
		}
		return found, nil
	}
}
