package certified

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Solver brackets the optimal values of a model from both sides until the value at the
// start is known to ε. The zero value of every field but Epsilon is useful.
//
// On a Finite model it backs both bounds up in expectation, and both are proved. On
// another Enumerator the bounds of the search rest on LipState and on a grid. The
// certificate does not: its lower bound comes from simulated episodes, and its upper
// bound from grids whose error is estimated.
//
// It has no k, α, known latent initialization or horizon: these belong to estimates by
// averages and to rollouts. Run files of earlier versions may name them; they had no
// effect.
type Solver struct {
	// Epsilon is ε > 0, in reward units: the search ends when the bounds at the start
	// are at most ε apart. It has no default.
	Epsilon float64
	// Starts are states and beliefs beside the model's own start: the search starts
	// trials there too, and ends when the bounds are within Epsilon at all of them.
	// Run.Value and Run.Certificate are those of the model's own start. Beliefs are
	// not conditioned on the state. In a model with a Spec.Horizon, all steps are left
	// at such a state, unless it has one more entry, which is the number of steps left.
	Starts []bcpace.StartPoint `json:",omitempty"`
	// ControlPoints is for a model some of whose actions have a Box: the search, the run
	// and its policy have a list of so many points on each axis in its place, as
	// bcpace.Discretised makes it. 0 means its default.
	ControlPoints int `json:",omitempty"`
	// MaxEpisodes and MaxSamples end the search: rounds of trials, and state-belief-action
	// points. 0 means no such limit.
	MaxEpisodes, MaxSamples int

	// Bound is the upper bound from which the search on a Finite model starts. ""
	// means cpace.BoundTIB, and is the only choice on another model.
	Bound cpace.Bound `json:",omitempty"`
	// LipQ is L_Q, in reward units per unit of the belief's distance, for a Finite
	// model: the slope of the cone that carries upper bounds to other beliefs. 0 means
	// the box cone, which is tighter than any constant. The solver refuses a constant
	// below the one that is proved for the model.
	LipQ float64 `json:",omitempty"`
	// Batch is the number of trials, up to 1024, that an episode on a Finite model
	// plays side by side from each start, all with the bounds as they stand when the
	// episode begins. 0 means one trial after the other, the best choice unless the
	// model is large.
	Batch int `json:",omitempty"`

	// LipState is L_S, in reward units per unit of the state's distance, for a model
	// whose states are not numbered: a Lipschitz constant in the state of the shortfall
	// of the optimal values from Σ_φ b(φ)·Q(s, φ, a). The bounds of the search rest on
	// it, the certificate does not. A smaller constant needs fewer samples. 0 means an
	// estimate, which proves nothing: twice the slope that nine tenths of the latent
	// values do not exceed between neighbouring points of their grid. For a model that states
	// its Lipschitz constants, lipschitz.FromModel computes one that is proved, Tight.LD:
	// where goals or walls are narrow it may be a hundred times the estimate, and the
	// search then closes nowhere.
	LipState float64 `json:",omitempty"`
	// Grid is the grid of the latent values of such a model, and their tolerance. The
	// certificate's upper bound comes from this grid and coarser ones. Between more than
	// two axes it has about 8,192 points by default, for each value of the discrete ones, and
	// up to four times as many where a list of few actions stands for a Box.
	//
	// Where simulated episodes or the bounds themselves refute the bounds of the search, it
	// begins again on a grid of half the step and with a finer list of successors
	// (bcpace.Abilities.FinerList), up to five times, while there is time and MaxPoints, or 65,536
	// points, allow it. MaxEpisodes and MaxSamples are limits of the search on each grid, and
	// the run is that on the last one. Where a list stands for a Box, the search ends instead.
	Grid dp.GridOptions `json:",omitzero"`
	// Latent are values Q(s, φ, a) for such a model that are better than those of a grid,
	// which nil stands for: the search starts from them, and rests on their being upper
	// bounds. The values of fixed policies and the certificate come from the grid all the
	// same.
	Latent bcpace.LatentValues `json:"-"`
	// CertificateEpisodes is the number of episodes that the final policy plays for the
	// certificate of a model whose states are not numbered. 0 means 20,000; −1 means
	// none. Delta is the probability in (0, 1) with which the certificate's lower bound
	// may fail; 0 means 0.05. Seed is the seed of these episodes.
	CertificateEpisodes int     `json:"Simulated,omitempty"` // the key of the run files written so far
	Delta               float64 `json:",omitempty"`
	Seed                uint64
	// Controller is a policy of the user's own for such a model, such as a PID controller. It
	// is simulated and returned where it earns more than the policy of the search and others
	// (runs.Choice); see cpace.Solver, which takes one for actions with a Box too.
	Controller bcpace.Policy `json:"-"`
}

// maxTrials bounds the trials of a batch, as each of them has a mark for every node.
const maxTrials = 1024

// defaultCertificateEpisodes is the number of simulated episodes if none is given. A
// search takes seconds, and so may the simulation.
const defaultCertificateEpisodes = 20_000

// Name implements bcpace.Solver.
func (Solver) Name() string { return "certified" }

// checkController refuses a Controller for a model some of whose actions have a Box.
func (s Solver) checkController(m bcpace.Model) error {
	if m == nil || s.Controller == nil {
		return nil
	}
	if spec := m.Spec(); spec.HasBox() {
		return bcpace.In("options").Bad("Controller", "a policy", "none, as the search has a list in the place of the controls that it chooses; cpace.Solver takes it")
	}
	return nil
}

// Unlimited implements runs.Explorer.
func (s Solver) Unlimited() runs.Explorer {
	s.MaxEpisodes, s.MaxSamples, s.CertificateEpisodes, s.Delta, s.Controller = 0, 0, 0, 0, nil
	return s
}

// Describe implements runs.Explorer.
func (s Solver) Describe(*runs.Run) (heading string, details []runs.Detail) {
	return "Certified values of", nil
}

// Plan implements runs.Explorer. It does not compute the least LipQ that is proved, and
// leaves it to Solve to refuse a smaller one.
func (s Solver) Plan(m bcpace.Model) (runs.Plan, error) {
	list, err := solverkit.ListControls(m, s.ControlPoints, s.Name())
	if err != nil {
		return runs.Plan{}, err
	}
	if err := s.checkController(m); err != nil {
		return runs.Plan{}, err
	}
	m = list
	spec := m.Spec()
	p, err := runs.Plan{Epsilon: solverkit.GapFor(spec, s.Epsilon), Starts: s.Starts, MaxEpisodes: s.MaxEpisodes, MaxSamples: s.MaxSamples,
		CertificateEpisodes: s.CertificateEpisodes, Delta: s.Delta, Seed: s.Seed, Latent: s.Latent, Controller: s.Controller}.Resolve(m, defaultCertificateEpisodes)
	if err != nil {
		return runs.Plan{}, err
	}
	if _, listed := m.(bcpace.Enumerator); !listed {
		return runs.Plan{}, solverkit.NeedsList(m, s.Name())
	}
	_, numbered := bcpace.AsFinite(m)
	p.Brackets, p.Exact = true, numbered
	p.Assumes = "the model's list of successors is exact, and dynamic programming on a grid errs no more than coarser grids suggest"
	bounds := []cpace.Bound{cpace.BoundConstant, cpace.BoundBestCase, cpace.BoundQMDP, cpace.BoundFIB, cpace.BoundTIB}
	bound, name := strconv.Quote(string(s.Bound)), spec.Name
	const only = "as only a model with numbered states has this option"
	o := bcpace.In("options")
	return p, cmp.Or(
		o.Need(s.LipQ >= 0 && num.Finite(s.LipQ), "LipQ", s.LipQ, "L_Q > 0, or 0 for the box cone"),
		o.Need(s.Batch >= 0 && s.Batch <= maxTrials, "Batch", s.Batch,
			fmt.Sprintf("a number of trials from 1 to %d, or 0 for one trial after the other", maxTrials)),
		o.Need(s.LipState >= 0 && num.Finite(s.LipState), "LipState", s.LipState, "L_S > 0, or 0 for an estimate from the latent values"),
		o.Need(!numbered || s.Grid == dp.GridOptions{}, "Grid", fmt.Sprintf("%+v", s.Grid), "no grid, as the states of "+name+" are numbered"),
		o.Need(!numbered || s.Latent == nil, "Latent", "latent values", "none, as those of "+name+" are exact: its states are numbered"),
		o.Need(!numbered || s.Controller == nil, "Controller", "a policy", "none, as the policy for "+name+
			" is proved to earn the lower bound: its states are numbered; package eval says what the controller earns"),
		o.Need(!numbered || s.LipState == 0, "LipState", s.LipState, "no such constant, as the states of "+name+" are numbered"),
		o.Need(numbered || s.LipQ == 0, "LipQ", s.LipQ, "0, "+only),
		o.Need(numbered || s.Batch == 0, "Batch", s.Batch, "0, "+only),
		o.Need(numbered || s.Bound == "", "Bound", bound, `"", `+only),
		o.Need(s.Bound == "" || slices.Contains(bounds, s.Bound), "Bound", bound, fmt.Sprintf("one of %q, or \"\" for the default", bounds)))
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "brackets the optimal value from both sides until it is known to ε, in models that list what follows a state",
		Written: "certified",
		Cited:   "the certified search of the toolkit, which brackets the optimal value from both sides in the manner of HSVI2 [@smith2005]",
		SetUp:   "its first bounds" + solverkit.Long,
		Sooner:  "--algorithm bayes-cpace --bound constant, which begins at once",
		Params: []solverkit.Param{
			solverkit.MaxSamples, solverkit.MaxEpisodes,
			{Key: "lip-state", Field: "LipState", Arg: "L", Doc: "L_S where states are not numbered, in reward units per unit of the state's distance; 0 for an estimate"},
			solverkit.ControlPoints, solverkit.CertificateEpisodes, solverkit.Epsilon, solverkit.Seed,
		},
	}
}

// TimeShares implements solverkit.Scheduled.
func (Solver) TimeShares(m bcpace.Model) []solverkit.TimeShare { return runs.SearchShares(m) }
