package constrained

import (
	"cmp"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
)

func init() {
	solverkit.Register(Solver{})
	kept.RegisterRecord(&Tradeoff{})
	kept.Register(keptKind, readKept)
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "constrained" }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "looks for the policy that earns most among those with a limited expected number of losses",
		Written: "constrained",
		Cited:   "the constrained solver of the toolkit, which finds the price of a limit by cutting planes",
		SetUp:   "the policy for the price 0" + solverkit.Long,
		Params: []solverkit.Param{
			{Key: "limit", Field: "Limit", Arg: "LOSSES", Doc: "how many losses are expected at most, in the discounted mean"},
			{Key: "loss", Field: "Cost.Loss", Arg: "R", Doc: "a step that pays R or less is a loss"},
			solverkit.Epsilon, solverkit.Seed,
		},
	}
}

// Objective implements solverkit.Questioner.
func (s Solver) Objective() bcpace.Objective {
	limit, name := numtext.Exact(s.Limit), cmp.Or(s.Cost.Name, "cost")
	question := "limit " + limit + " " + name
	if s.Cost.Of == nil {
		question = "limit " + limit + " loss " + numtext.Exact(s.Cost.Loss)
	}
	return bcpace.Objective{Question: question, Bounds: "the mean return of policies with an expected " + name + " of " + limit + " or less"}
}

// Inside implements solverkit.Questioner.
func (s Solver) Inside() bcpace.Solver {
	return cmp.Or[bcpace.Solver](s.Inner, certified.Solver{Epsilon: s.Epsilon / 8})
}

// Findings implements solverkit.Questioner.
func (s Solver) Findings(found *bcpace.Solution) []solverkit.Finding {
	x, name := Of(found), cmp.Or(s.Cost.Name, "cost")
	list := []solverkit.Finding{{Key: "limit", Value: s.Limit}}
	counted := name
	if s.Cost.Of == nil {
		counted = "steps that pay " + numtext.Exact(s.Cost.Loss) + " or less"
		list = append(list, solverkit.Finding{Key: "loss", Value: s.Cost.Loss})
	}
	return append(list,
		solverkit.Finding{Name: "limit", Value: numtext.Exact(s.Limit) + " " + counted + ", discounted"},
		solverkit.Finding{Key: "cost", Name: name, Value: x.Cost, Bound: 1, Note: "with the policy, at most"},
		solverkit.Finding{Key: "worth", Name: "worth", Value: x.Multiplier, Note: "about what one more is worth"},
		solverkit.Finding{Key: "solved", Name: "multipliers solved", Value: len(x.Points)})
}
