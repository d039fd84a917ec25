package bcpace

import (
	"fmt"
	"io"
	"math"
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
	// BoundFIB is the fast informed bound (FIBBound), which never exceeds QMDP.
	// Certified has it for Finite models.
	BoundFIB Bound = "fib"
)

// Algorithm names a way to explore.
type Algorithm string

const (
	// BayesCPACE is Algorithm 1 of the paper: sampled transitions, the average of
	// the k nearest neighbours.
	BayesCPACE Algorithm = "bayes-cpace"
	// Certified brackets the optimal values of a Finite model from both sides by
	// expected backups, until the value at the start is known to ε. On another
	// Enumerator it does the same up to Options.LipState and the error of a grid,
	// and has the policy simulated for the certificate.
	Certified Algorithm = "certified"
)

// Options of Explore. The zero value of every field but Epsilon is useful.
type Options struct {
	// Algorithm is how to explore. "" means BayesCPACE. Certified reads Epsilon,
	// Starts, MaxEpisodes, MaxSamples, Progress and Checkpoint; on a Finite model also Bound,
	// LipQ, Batch and Workers, and on another one LipState, Simulated, Delta, Seed
	// and Workers; no other option.
	Algorithm Algorithm
	// Epsilon is ε > 0, in reward units: the error allowed in a known query, and
	// for Certified the distance of the bounds at the start at which it ends. It
	// has no default, being what the user asks for.
	Epsilon float64
	// K is the number of neighbours averaged, k of Definition Known Query.
	// 0 means 1, which is enough where transitions and rewards are certain.
	K int
	// LipQ is L_Q, in reward units per unit of distance; the estimator uses
	// L_Q̃ = 2·L_Q. 0 means ½(Vmax − Vmin), a Lipschitz constant in the belief
	// that needs no assumption on the Bayes estimator. Certified takes 0 for the
	// box cone, which is tighter than any constant, and refuses one too small for
	// its proof.
	LipQ float64
	// Alpha is α > 0, the weight of the state's distance against the belief's.
	// 0 means 1.
	Alpha float64
	// Bound is the upper bound of the estimate. "" means BoundBestCase where
	// latent values are at hand, and BoundConstant otherwise; for Certified
	// BoundFIB.
	Bound Bound
	// SeedOneHot switches on Known Latent Initialization: Q(s, φ, a) stands for
	// Q̃(s, b, a) where ‖b − e_φ‖₁ ≤ ε/(L_Q(1+γ)). Refused where the latent is
	// redrawn, as Q(s, φ, a) is then not the value at e_φ.
	SeedOneHot bool
	// Latent are the values Q(s, φ, a). nil means that they are computed where
	// the model is Finite or an Enumerator, and missing otherwise.
	Latent LatentValues `json:"-"`

	// Beta is β of Proposition Approximate Value Iteration: the value iteration
	// after new samples stops after ⌈log(β/Q̃max)/log γ⌉ sweeps at the latest.
	// 0 means to convergence.
	Beta float64
	// Batch is n of Proposition Batch Sample Update: rollouts with one policy
	// between two value iterations. 0 means a value iteration after every new
	// sample, as in Algorithm 1. For Certified it is the number of trials from
	// each start with the same bounds, up to 1024, which all make one episode; 0
	// means one, and is the best choice unless models are large.
	Batch int
	// Horizon is T, the length of a rollout. 0 means the model's own horizon
	// or, without one, ⌈log(R/ε)/(1−γ)⌉ with R = RewardMax − RewardMin.
	Horizon int
	// RandomBelief draws the initial belief of each episode uniformly from the
	// simplex, and the latent from it, instead of starting at the prior.
	RandomBelief bool
	// Starts are states and beliefs to explore from. BayesCPACE goes through
	// them in turn, episode i from Starts[i mod len(Starts)] with its latent drawn
	// from the belief there, and starts nowhere else; Certified starts trials at
	// the model's own start as well, and ends when the bounds are within Epsilon
	// there and at every one of Starts. Run.Value and Run.Certificate are those of
	// the model's own start. Beliefs are taken as they are, without
	// conditioning on the state. In a model with a Spec.Horizon all steps are left
	// there, unless a state says otherwise by one more entry. nil means the model's own start. Refused beside
	// RandomBelief, which starts elsewhere.
	Starts []StartPoint `json:",omitempty"`

	// Patience is the number of episodes in a row without a new sample after
	// which exploration has converged: terminal condition G. 0 means 100, or the
	// number of Starts where that is more; with Batch it is one batch at least, as
	// what a batch finds changes the policy only after it.
	Patience int
	// MaxEpisodes and MaxSamples end the exploration. 0 means no such limit.
	MaxEpisodes, MaxSamples int

	// LipState is L_S, in reward units per unit of the state's distance, for
	// Certified on a model whose states are not numbered: how fast the shortfall of
	// the optimal values from Σ_φ b(φ)·Q(s, φ, a) changes with the state. The bounds
	// of the search rest on it; a smaller one needs fewer samples. 0 means an estimate,
	// twice the slope that nine tenths of the latent values do not exceed between
	// neighbouring points of their grid, which proves nothing. The certificate does
	// not rest on it.
	LipState float64
	// Simulated is the number of episodes of the policy found that are played for
	// a statistical certificate. 0 means 2000, for Certified 20,000; −1 means none.
	// Delta is the probability in (0, 1) with which its lower bound may fail; 0
	// means 0.05.
	Simulated int
	Delta     float64

	// Seed makes the run; two runs with the same seed are the same.
	Seed uint64
	// Workers is the number of rollouts side by side, for Certified with a Batch
	// of the goroutines that compute bounds. 0 means one for each
	// processor. It changes the time, never the result.
	Workers int `json:"-"`
	// Progress, if set, is called after every update from the goroutine that
	// called Explore. It must return quickly.
	Progress func(Progress) `json:"-"`
	// Checkpoint, if set, is called like Progress and after it, unless the
	// exploration ends there, with the run so far. What that writes is a run file
	// whose Stop is "", from which Resume goes on. It is to be written before
	// Checkpoint returns, or not at all.
	Checkpoint func(p Progress, soFar io.WriterTo) `json:"-"`
}

// Progress is the state of an exploration under way.
type Progress struct {
	Episodes, Samples int
	Steps             int     // environment steps so far
	Quiet             int     // episodes in a row without a new sample
	Patience          int     // Quiet at which the exploration has converged
	Value             float64 // Q̃ at the start, the maximum over actions; for Certified the upper bound
	Gap               float64 // for Certified, upper less lower bound: at the start, or at one of Options.Starts where it is larger
}

// settings are Options with every default filled in for one model.
type settings struct {
	Options
	lip    float64 // L_Q̃ = 2·L_Q
	radius float64 // ε/L_Q̃: a query is known where its k-th neighbour is that close
	seed   float64 // ε/(L_Q(1+γ)), or −1 without seeding
	qMax   float64 // Q̃max
	sweeps int     // most sweeps of one value iteration, 0 for no limit
}

// maxBatch bounds the rollouts that wait in memory for a value iteration.
const maxBatch = 1 << 20

// maxTrials bounds the trials of a batch, each of which has a mark for every node.
const maxTrials = 1024

// resolve checks o against the model and fills in the defaults.
func (o Options) resolve(m Model) (settings, error) {
	spec := m.Spec()
	bad := func(what string, got any, want string) error {
		return &InputError{Where: "options", What: what, Got: fmt.Sprint(got), Want: want}
	}
	positive := func(x float64) bool { return x > 0 && finite(x) }
	optional := func(x float64) bool { return x >= 0 && finite(x) }
	switch {
	case o.Algorithm != "" && o.Algorithm != BayesCPACE && o.Algorithm != Certified:
		return settings{}, bad("Algorithm", quote(string(o.Algorithm)), fmt.Sprintf("%q or %q", BayesCPACE, Certified))
	case !positive(o.Epsilon):
		return settings{}, bad("Epsilon", o.Epsilon, "a finite ε > 0, the error allowed in a known query, in reward units")
	case o.K < 0:
		return settings{}, bad("K", o.K, "a number of neighbours, or 0 for 1")
	case !optional(2 * o.LipQ): // L_Q̃
		return settings{}, bad("LipQ", o.LipQ, "L_Q > 0, or 0 for ½(Vmax − Vmin)")
	case !optional(o.Alpha):
		return settings{}, bad("Alpha", o.Alpha, "α > 0, or 0 for 1")
	case !optional(o.Beta):
		return settings{}, bad("Beta", o.Beta, "β > 0, or 0 for value iteration to convergence")
	case o.Batch < 0 || o.Batch > maxBatch:
		return settings{}, bad("Batch", o.Batch, fmt.Sprintf("a number of rollouts up to %d, or 0 for an update after every sample", maxBatch))
	case o.Algorithm == Certified && o.Batch > maxTrials:
		return settings{}, bad("Batch", o.Batch, fmt.Sprintf("a number of trials up to %d, or 0 for one after the other", maxTrials))
	case o.Horizon < 0:
		return settings{}, bad("Horizon", o.Horizon, "a number of steps, or 0 for the default")
	case o.Patience < 0:
		return settings{}, bad("Patience", o.Patience, "a number of episodes, or 0 for 100")
	case o.MaxEpisodes < 0 || o.MaxSamples < 0:
		return settings{}, bad("MaxEpisodes, MaxSamples", fmt.Sprintf("%d, %d", o.MaxEpisodes, o.MaxSamples), "limits, or 0 for none")
	case o.Workers < 0:
		return settings{}, bad("Workers", o.Workers, "a number of rollouts side by side, or 0 for one per processor")
	case !optional(o.LipState):
		return settings{}, bad("LipState", o.LipState, "L_S > 0, or 0 for an estimate from the latent values")
	case o.Simulated < -1 || o.Simulated > maxBatch:
		return settings{}, bad("Simulated", o.Simulated, fmt.Sprintf("a number of episodes up to %d, 0 for the default, or −1 for none", maxBatch))
	case !(o.Delta >= 0 && o.Delta < 1):
		return settings{}, bad("Delta", o.Delta, "a probability δ in (0, 1), or 0 for 0.05")
	case spec.Discount == 1 && o.Algorithm != Certified:
		return settings{}, &UnsupportedError{Model: spec.Name, Algorithm: "Bayes-CPACE",
			Need: "a discount below 1: with γ = 1 the optimistic Bellman operator is no contraction; Certified solves a Finite model with a horizon for γ = 1 too"}
	}
	o.Starts = clockedStarts(m, o.Starts)
	if err := o.checkStarts(m); err != nil {
		return settings{}, err
	}
	s := settings{Options: o, seed: -1}
	orInt(&s.K, 1)
	orInt(&s.Patience, max(100, len(o.Starts)))
	s.Patience = max(s.Patience, s.Batch) // a whole batch at least
	if s.Alpha == 0 {
		s.Alpha = 1
	}
	if s.LipQ == 0 {
		s.LipQ = (spec.VMax() - spec.VMin()) / 2
	}
	if s.LipQ == 0 {
		s.LipQ = 1 // every reward is 0: any constant serves
	}
	if s.Horizon == 0 {
		s.Horizon = defaultHorizon(spec, o.Epsilon)
	}
	switch o.Bound {
	case "", BoundConstant, BoundBestCase, BoundQMDP:
	case BoundFIB:
		if _, ok := AsFinite(m); !ok || o.Algorithm != Certified {
			return settings{}, &UnsupportedError{Model: spec.Name, Algorithm: "the fast informed bound as Options.Bound",
				Need: "the certified algorithm and numbered states (Finite)"}
		}
	default:
		return settings{}, bad("Bound", quote(string(o.Bound)), fmt.Sprintf("%q, %q, %q, %q, or \"\" for the default", BoundConstant, BoundBestCase, BoundQMDP, BoundFIB))
	}
	s.lip = 2 * s.LipQ
	s.radius = o.Epsilon / s.lip
	s.qMax = spec.VMax()
	if o.SeedOneHot {
		if kind := KindOf(m); kind == Redrawn {
			return settings{}, &UnsupportedError{Model: spec.Name, Algorithm: "Known Latent Initialization (SeedOneHot)",
				Need: "a latent that is not redrawn within an episode: here Q(s, φ, a) is not the value at the one-hot belief, only an upper bound of it"}
		}
		s.seed = o.Epsilon / (s.LipQ * (1 + spec.Discount))
	}
	if o.Beta > 0 {
		span := s.qMax - spec.VMin() // ‖Q̃ − B̃^∞Q̃‖ at most; Q̃max where rewards are not negative
		s.sweeps = max(1, int(math.Ceil(math.Log(min(o.Beta/span, 1))/math.Log(spec.Discount))))
	}
	return s, nil
}

// defaultHorizon is T = ⌈log(R/ε)/(1−γ)⌉, after which a policy's value is
// within ε/(1−γ) of its infinite-horizon value (supplement, Lemma 2 of Kearns
// and Singh); R is the range of rewards, as ours may be negative.
func defaultHorizon(spec Spec, epsilon float64) int {
	if spec.Horizon > 0 {
		return spec.Horizon
	}
	r := spec.RewardMax - spec.RewardMin
	return max(1, int(math.Ceil(math.Log(max(r/epsilon, 1))/(1-spec.Discount))))
}

func orInt(x *int, zero int) {
	if *x == 0 {
		*x = zero
	}
}
