package cpace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Bound names an admissible upper bound of Q*(s, b, a), which stands in for
// Q̃max in the optimistic estimate.
type Bound string

const (
	// BoundConstant is Q̃max = Rmax + γ·Qmax for every query.
	BoundConstant Bound = "constant"
	// BoundBestCase is max over φ with b(φ) > 0 of Q(s, φ, a) (Definition
	// Best-Case Upper Bound).
	BoundBestCase Bound = "best-case"
	// BoundQMDP is Σ_φ b(φ)·Q(s, φ, a), which never exceeds the best case.
	BoundQMDP Bound = "qmdp"
	// BoundFIB is the fast informed bound (dp.FIBBound) of a Finite model, which never exceeds QMDP.
	BoundFIB Bound = "fib"
	// BoundTIB is the tighter informed bound (dp.TIBBound) of a Finite model, which never exceeds BoundFIB.
	BoundTIB Bound = "tib"
	// BoundProved is a bound of V*(s, b), and so of every Q*(s, b, a), that assumes nothing: that
	// of package proved, for a model that states its smoothness (bcpace.Smoothness). It does not tell
	// actions apart, so where there are latent values and BoundQMDP is less, it is that.
	BoundProved Bound = "proved"
)

// Solver is Algorithm 1 of the paper with its parameters: an Explorer by sampled
// transitions and the average of the k nearest neighbours. The zero value of every field
// but Epsilon is useful.
type Solver struct {
	// Epsilon is ε > 0, in reward units: the error allowed in a known query. It
	// has no default, being what the user asks for.
	Epsilon float64
	// K is the number of neighbours averaged, k of Definition Known Query.
	// 0 means 1, which is enough where transitions and rewards are certain.
	K int
	// LipQ is L_Q, in reward units per unit of distance; the estimator uses
	// L_Q̃ = 2·L_Q. 0 means ½(Vmax − Vmin), a Lipschitz constant in the belief
	// that needs no assumption on the Bayes estimator.
	LipQ float64
	// Alpha is α > 0, the weight of the state's distance against the belief's.
	// 0 means 1.
	Alpha float64
	// Bound is the upper bound of the estimate. "" means BoundBestCase where
	// latent values are available, and BoundConstant otherwise. With BoundProved the
	// certificate's upper bound is proved. No file holds BoundFIB, BoundTIB or BoundProved, so that reading a
	// run computes it again.
	Bound Bound
	// SeedOneHot switches on Known Latent Initialization: Q(s, φ, a) stands for
	// Q̃(s, b, a) where ‖b − e_φ‖₁ ≤ ε/(L_Q(1+γ)). It is right where the latent moves
	// by a function, and refused where it is Redrawn, anew or near by: Q(s, φ, a) is that
	// of an agent that sees each draw, and more than the value at e_φ.
	SeedOneHot bool
	// Latent are the values Q(s, φ, a). nil means that they are computed where
	// the model is Finite or an Enumerator, and missing otherwise.
	Latent bcpace.LatentValues `json:"-"`
	// Grid says how they are computed: the grid of an Enumerator, and the tolerance of a
	// Finite model too.
	Grid dp.GridOptions `json:",omitzero"`

	// ControlTolerance is ε_a, in reward units, for a model some of whose actions have a
	// Box: no control is worth more than the greedy one by more than that. A policy loses
	// ε_a/(1−γ) by it at most. 0 means ε·(1−γ)/10.
	ControlTolerance float64 `json:",omitempty"`
	// ControlPoints is for the values of the latent MDPs of such a model: they are those
	// of a list of so many points on each axis of a Box, as Discretised makes it, and
	// interpolated between these. 0 means its default.
	ControlPoints int `json:",omitempty"`

	// Beta is β of Proposition Approximate Value Iteration: the value iteration
	// after new samples stops after ⌈log(β/Q̃max)/log γ⌉ sweeps at the latest.
	// 0 means to convergence.
	Beta float64
	// Batch is n of Proposition Batch Sample Update: rollouts with one policy
	// between two value iterations. 0 means a value iteration after every new
	// sample, as in Algorithm 1.
	Batch int
	// Horizon is T, the length of a rollout. 0 means the model's own horizon
	// or, without one, the first T with γ^T·(Vmax − Vmin) ≤ ε: what is earned after
	// it is worth ε at most. Spec.PaperHorizon is the paper's, which is shorter.
	Horizon int
	// RandomBelief draws the initial belief of each episode uniformly from the
	// simplex, and the latent from it, instead of starting at the prior.
	RandomBelief bool
	// Starts are states and beliefs to explore from: episode i starts from
	// Starts[i mod len(Starts)] with its latent drawn
	// from the belief there, and none starts elsewhere. Run.Value and Run.Certificate are those of
	// the model's own start. Beliefs are taken as they are, without
	// conditioning on the state. In a model with a Spec.Horizon all steps are left
	// there, unless a state says otherwise by one more entry. nil means the model's own start. Refused beside
	// RandomBelief, which starts elsewhere.
	Starts []bcpace.StartPoint `json:",omitempty"`

	// Patience is the number of episodes in a row without a new sample after
	// which exploration has converged: terminal condition G. 0 means 100, or the
	// number of Starts where that is more; with Batch it is one batch at least, as
	// what a batch finds changes the policy only after it.
	Patience int
	// MaxEpisodes and MaxSamples end the exploration. 0 means no such limit.
	MaxEpisodes, MaxSamples int

	// CertificateEpisodes is the number of episodes that the final policy plays for a
	// statistical certificate. 0 means 2000; −1 means none.
	// Delta is the probability in (0, 1) with which the certificate's lower bound may
	// fail; 0 means 0.05.
	CertificateEpisodes int `json:"Simulated"` // the key of the run files written so far
	Delta               float64

	// Policy says which policy is returned. "" means runs.PolicyBest for Solve or beside a
	// Controller, and otherwise runs.PolicyGreedy for Explore, which is the paper's algorithm. With
	// runs.PolicyBest, an exploration that has a deadline ends when a fifth of its time is left, in
	// which policies are chosen and certified.
	Policy runs.PolicyRule `json:",omitempty"`
	// Controller is a policy of the user's own, such as a PID controller: it is simulated and
	// returned where it earns more than the others that runs.PolicyBest tries, also where the set-up
	// takes all the time but the fifth that is then left for it. It reads the belief and the
	// states of the model, without the steps left of one with a Spec.Horizon. A run with a
	// Controller is not saved, as no file can hold one.
	Controller bcpace.Policy `json:"-"`

	// Seed is the seed of all random numbers; two runs with the same seed are the same.
	Seed uint64
}

// resolvedOptions are Options with every default filled in for one model.
type resolvedOptions struct {
	Solver
	lip    float64 // L_Q̃ = 2·L_Q
	radius float64 // ε/L_Q̃: a query is known where its k-th neighbour is that close
	seed   float64 // ε/(L_Q(1+γ)), or −1 without seeding
	qMax   float64 // Q̃max
	sweeps int     // most sweeps of one value iteration, 0 for no limit
	// tolerance is ε_a; 0 where actions have no Box.
	tolerance float64
	plan      runs.Plan
	proved    *proved.GridBound // of BoundProved
	informed  dp.UpperBound     // of BoundFIB and BoundTIB
}

// defaultCertificateEpisodes is the number of simulated episodes of Algorithm 1 if none is
// given.
const defaultCertificateEpisodes = 2000

// maxBatch bounds the rollouts that wait in memory for a value iteration.
const maxBatch = 1 << 20

// Name implements Solver.
func (o Solver) Name() string { return "bayes-cpace" }

// resolve checks o against the model and fills in the defaults.
func (o Solver) resolve(m bcpace.Model) (resolvedOptions, error) {
	spec := m.Spec()
	if err := solverkit.NeedDiscount(spec, o.Name()); err != nil {
		return resolvedOptions{}, err
	}
	plan, err := runs.Plan{Epsilon: o.Epsilon, Starts: o.Starts, MaxEpisodes: o.MaxEpisodes, MaxSamples: o.MaxSamples,
		CertificateEpisodes: o.CertificateEpisodes, Delta: o.Delta, Seed: o.Seed, K: o.K, Latent: o.Latent, Controller: o.Controller}.Resolve(m, defaultCertificateEpisodes)
	if err != nil {
		return resolvedOptions{}, err
	}
	if err := cmp.Or(o.checkNumbers(spec), o.checkRules()); err != nil {
		return resolvedOptions{}, err
	}
	s := resolvedOptions{Solver: o.withDefaults(spec), plan: plan}
	s.Starts = plan.Starts
	s.lip = 2 * s.LipQ
	s.qMax = spec.VMax()
	if s.radius = o.Epsilon / s.lip; !num.Finite(s.radius) || !num.Finite((s.qMax-max(spec.VMin(), -1e15))/s.lip) {
		return resolvedOptions{}, options.Bad("LipQ", o.LipQ, fmt.Sprintf("a larger one, or 0 for the default: beside ε = %g, the known radius ε/(2·L_Q), or that of the range of values, is infinite", o.Epsilon))
	}
	if s.tolerance = o.ControlTolerance; s.tolerance == 0 && spec.HasBox() {
		s.tolerance = o.Epsilon * (1 - spec.Discount) / 10
	}
	if s.seed = -1; s.SeedOneHot {
		if bcpace.KindOf(m) == bcpace.Redrawn {
			return resolvedOptions{}, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "Known Latent Initialization (SeedOneHot)",
				Need: "a latent that is not redrawn within an episode: here Q(s, φ, a) is not the value at the one-hot belief, only an upper bound of it"}
		}
		s.seed = s.Epsilon / (s.LipQ * (1 + spec.Discount))
	}
	if o.Beta > 0 {
		s.sweeps = stepsTo(spec, o.Beta, s.qMax-spec.VMin())
	}
	s.plan.Patience, s.plan.Horizon, s.plan.Alpha, s.plan.LipQ, s.plan.SeedRadius = s.Patience, s.Horizon, s.Alpha, s.lip, s.seed
	s.plan.Assumes = runs.AssumesGrid
	return s, nil
}

// options is what an error about a parameter names.
const options = bcpace.In("options")

// checkNumbers checks those numbers that runs.Plan does not, and that they go with the model.
func (o Solver) checkNumbers(spec bcpace.Spec) error {
	optional := func(x float64) bool { return x >= 0 && num.Finite(x) }
	if err := cmp.Or(
		solverkit.CheckHorizon("options", "Horizon", o.Horizon, "the default"),
		options.Need(o.K >= 0, "K", o.K, "a number of neighbours, or 0 for 1"),
		options.Need(optional(2*o.LipQ), "LipQ", o.LipQ, "L_Q > 0, or 0 for ½(Vmax − Vmin)"), // 2·L_Q is L_Q̃
		options.Need(optional(o.Alpha), "Alpha", o.Alpha, "α > 0, or 0 for 1"),
		options.Need(optional(o.Beta), "Beta", o.Beta, "β > 0, or 0 for value iteration to convergence"),
		options.Need(o.Batch >= 0 && o.Batch <= maxBatch, "Batch", o.Batch, fmt.Sprintf("a number of rollouts up to %d, or 0 for an update after every sample", maxBatch)),
		options.Need(o.Patience >= 0, "Patience", o.Patience, "a number of episodes, or 0 for 100"),
		options.Need(optional(o.ControlTolerance), "ControlTolerance", o.ControlTolerance, "ε_a > 0, or 0 for ε·(1−γ)/10"),
		options.Need(spec.HasBox() || o.ControlTolerance == 0, "ControlTolerance", o.ControlTolerance, "0, as no action has a Box"),
		options.Need(spec.HasBox() || o.ControlPoints == 0, "ControlPoints", o.ControlPoints, "0, as no action has a Box"),
		options.Need(!spec.HasBox() || o.ControlPoints == 0 || o.ControlPoints >= 2, "ControlPoints", o.ControlPoints, "at least 2 for each axis, or 0 for the default"),
		options.Need(!spec.HasBox() || o.Latent == nil, "Latent", "latent values", "none, as actions have a Box: their values are those of a list, see ControlPoints")); err != nil {
		return err
	}
	if spec.Discount == 1 {
		return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "Bayes-CPACE",
			Need: "a discount below 1: with γ = 1 the optimistic Bellman operator is no contraction; package certified solves a Finite model with a horizon for γ = 1 too"}
	}
	return nil
}

// checkRules checks what is chosen by name, and that the choices do not contradict one another.
func (o Solver) checkRules() error {
	bounds := []Bound{BoundConstant, BoundBestCase, BoundQMDP, BoundFIB, BoundTIB, BoundProved}
	return cmp.Or(
		options.Need(len(o.Starts) == 0 || !o.RandomBelief, "RandomBelief", "true beside Starts", "one of them: Starts give the beliefs that episodes begin with"),
		options.Need(slices.Contains([]runs.PolicyRule{"", runs.PolicyGreedy, runs.PolicyBest}, o.Policy), "Policy", strconv.Quote(string(o.Policy)), fmt.Sprintf("%q, %q, or \"\" for the default", runs.PolicyGreedy, runs.PolicyBest)),
		options.Need(o.Controller == nil || o.Policy != runs.PolicyGreedy, "Controller", "a policy", "none beside PolicyGreedy, which is the exploration's own policy"),
		options.Need(o.Bound == "" || slices.Contains(bounds, o.Bound), "Bound", strconv.Quote(string(o.Bound)), fmt.Sprintf("one of %q, or \"\" for the default", bounds)))
}

// withDefaults fills in the numbers that are 0, and has the best policy returned where there is
// a Controller.
func (o Solver) withDefaults(spec bcpace.Spec) Solver {
	if o.Controller != nil {
		o.Policy = runs.PolicyBest
	}
	o.K = cmp.Or(o.K, 1)
	o.Patience = cmp.Or(o.Patience, max(100, len(o.Starts)))
	o.Patience = max(o.Patience, o.Batch) // a whole batch at least
	o.Alpha = cmp.Or(o.Alpha, 1)
	o.LipQ = cmp.Or(o.LipQ, (spec.VMax()-spec.VMin())/2, 1) // where every reward is 0, any constant serves
	o.Horizon = cmp.Or(o.Horizon, spec.Horizon, stepsTo(spec, o.Epsilon, spec.VMax()-spec.VMin()))
	return o
}

// stepsTo returns the first T ≥ 1 with γ^T·span ≤ within. After so many sweeps, values that were at most span from the fixed
// point are within that of it: Q̃ − B̃^∞Q̃ is at most Q̃max − Vmin.
func stepsTo(spec bcpace.Spec, within, span float64) int {
	return max(1, int(math.Ceil(math.Log(min(within/span, 1))/math.Log(spec.Discount))))
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "explores optimistically, as the paper does",
		Written: "Bayes-CPACE",
		Cited:   "Bayes-CPACE [@lee2018]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Sooner:  "--bound constant, which does without",
		Params: []solverkit.Param{
			{Key: "k", Field: "K", Arg: "N", Doc: "neighbours averaged in an estimate", Want: "a number of neighbours, 1 or more"},
			{Key: "lipschitz", Field: "LipQ", Arg: "L", Doc: "L_Q, in reward units per unit of distance; 0 for ½(Vmax − Vmin), which needs no assumption"},
			{Key: "alpha", Field: "Alpha", Arg: "A", Doc: "weight of the state's distance against the belief's", Want: "α > 0"},
			{Key: "bound", Field: "Bound", Arg: "NAME", Doc: "upper bound of the estimate: constant, best-case, qmdp, fib and tib (of models with numbered states), or proved: the less of qmdp and of what is proved of a model that states how smooth it is, as dual-control does"},
			{Key: "seed-one-hot", Field: "SeedOneHot", Doc: "take the values of the latent MDPs near one-hot beliefs; =false for not"},
			{Key: "beta", Field: "Beta", Arg: "B", Doc: "error allowed in value iteration, in reward units; 0 for convergence"},
			{Key: "batch", Field: "Batch", Arg: "N", Doc: "episodes between two value iterations; 0 for one after every new sample"},
			{Key: "horizon", Field: "Horizon", Arg: "T", Doc: "steps of an episode; 0 for what ε and the discount ask for"},
			{Key: "return", Field: "Policy", Arg: "RULE", Doc: "the policy to return: greedy, as the paper has it, or best, by simulation, of that one, QMDP and the policies of one action (default best; greedy for the environments of envs)"},
			{Key: "patience", Field: "Patience", Arg: "N", Doc: "episodes in a row without a new sample that end the exploration", Want: "a number of episodes, 1 or more"},
			solverkit.ControlPoints,
			{Key: "control-tolerance", Field: "ControlTolerance", Arg: "E", Doc: "how much a greedy control of a box may fall short of the best, in reward units; 0 for ε·(1−γ)/10"},
			solverkit.MaxSamples, solverkit.MaxEpisodes, solverkit.CertificateEpisodes, solverkit.Epsilon, solverkit.Seed,
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (s Solver) Tabulates(m bcpace.Model) bool {
	return !solverkit.Valued(m) && s.Latent == nil && (s.Bound != BoundConstant || s.SeedOneHot)
}
