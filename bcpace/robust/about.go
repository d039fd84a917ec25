package robust

import (
	"cmp"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/solverkit"
)

func init() {
	solverkit.Register(Solver{})
	kept.RegisterRecord(&Worst{})
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "robust" }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "looks for the policy that earns most under the worst prior of a set",
		Written: "robust",
		Cited:   "the robust solver of the toolkit, which finds the least favourable prior by cutting planes",
		SetUp:   "the policy for the model's own prior" + solverkit.Long,
		Params: []solverkit.Param{
			{Key: "priors", Field: "Set", Arg: "SET", Doc: "the priors that count: all, or those within a radius R of the model's, as box=R, l1=R or kl=R"},
			solverkit.Epsilon, solverkit.Seed,
		},
	}
}

// Objective implements solverkit.Questioner.
func (s Solver) Objective() bcpace.Objective {
	bounds := "the mean return under the worst prior of the set " + s.Set.String()
	if s.Set.String() == string(All) {
		bounds = "the mean return under the worst of all priors"
	}
	return bcpace.Objective{Question: "robust " + s.Set.String(), Bounds: bounds}
}

// Inside implements solverkit.Questioner.
func (s Solver) Inside() bcpace.Solver {
	return cmp.Or[bcpace.Solver](s.Inner, certified.Solver{Epsilon: s.Epsilon / 4})
}

// latent is what is known of a latent.
type latent struct {
	Latent string   `json:"latent"`
	Prior  float64  `json:"prior"` // in the least favourable prior
	Earns  *float64 `json:"earns"` // by the policy under this latent, at least; null where no prior of the set holds it possible
}

// Findings implements solverkit.Questioner.
func (s Solver) Findings(found *bcpace.Solution) []solverkit.Finding {
	x := Of(found)
	list := []solverkit.Finding{
		{Key: "priors", Name: "priors", Value: s.Set.String()},
		{Key: "nominal", Name: "nominal", Value: x.Nominal, Bound: -1, Note: "what the policy for the model's own prior earns under the worst one, at least"},
		{Key: "solved", Name: "priors solved", Value: len(x.Planes)},
	}
	var latents []latent
	for φ, name := range found.Spec.Latents {
		l := latent{Latent: name, Prior: x.Prior[φ]}
		if !math.IsNaN(x.Values[φ]) {
			l.Earns = &x.Values[φ]
		}
		latents = append(latents, l)
		list = append(list, solverkit.Finding{Name: name, Value: x.Values[φ], Bound: -1, Note: fmt.Sprintf("earned at least; the worst prior has %.3g", x.Prior[φ])})
	}
	return append(list, solverkit.Finding{Key: "latents", Value: latents})
}
