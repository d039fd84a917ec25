package risk

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
)

func init() {
	solverkit.Register(Solver{})
	solverkit.Register(Chance{})
	kept.RegisterRecord(&Levels{})
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
	if s.Inner == nil {
		return certified.Solver{Epsilon: s.Share * s.Epsilon / 4}
	}
	return s.Inner
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
	if s.Inner == nil {
		return certified.Solver{Epsilon: s.Epsilon / 4}
	}
	return s.Inner
}

// Findings implements solverkit.Questioner.
func (s Chance) Findings(found *bcpace.Solution) []solverkit.Finding {
	return Of(found).findings("below="+numtext.Exact(s.Level), "the return that counts")
}

func (x *Levels) findings(asked, level string) []solverkit.Finding {
	return []solverkit.Finding{
		{Key: "risk", Value: asked},
		{Key: "level", Name: "level", Value: x.Level, Note: level},
		{Key: "solved", Name: "levels solved", Value: len(x.Levels)},
	}
}
