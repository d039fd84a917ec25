package bcpace

import "math"

// Run is the outcome of an exploration: plain data plus the estimator built on
// it. It is safe for concurrent use once Explore, Resume or ReadRun has returned it.
type Run struct {
	// Spec is the model's description, Options what was asked for; Options.Latent
	// and Options.Progress are not saved with it.
	Spec    Spec
	Options Options
	// Samples is the sample set C with the values Q̃ at the fixed point.
	Samples *Samples
	// Trace has an entry for each episode explored.
	Trace []Episode
	// Stop says why exploration ended; "" in a checkpoint, which is from between
	// two updates.
	Stop StopReason
	// Value is max over a of Q̃(s0, b0, a), the optimistic value at the start, in
	// reward units; the mean over start states where there are several. It is an
	// upper bound for Certified, if Options.LipState holds where states are not
	// numbered. For BayesCPACE it is an estimate from samples.
	Value float64
	// Steps counts environment steps over all episodes.
	Steps int

	// Certificate bounds the optimal value at the start: exactly, from below by
	// simulation, or not at all where the exploration was interrupted.
	Certificate Certificate

	model  Model
	est    *estimator // of BayesCPACE
	values values
	// live is set while the exploration is under way; settled is its state after
	// wholeEpisodes, nil where that is not known.
	live    underway
	settled []byte
	read    bool // from a file: what it says has not been checked
}

// underway is an exploration that has not ended.
type underway interface {
	// settle brings the samples and the state of r, a copy of its run, to where the
	// exploration is. It is called between two updates.
	settle(r *Run)
}

// values is what a Run asks its algorithm for. Implementations are safe for
// concurrent use.
type values interface {
	// query returns the (upper) value of a query, and whether it is known.
	query(s []float64, b Belief, action int) (q float64, known bool)
	// at returns the largest value at (s, b) and the action of policy there.
	at(s []float64, b Belief) (value float64, action int)
	// upper returns the admissible bound that the values started from.
	upper(s []float64, b Belief, action int) float64
	policy() Policy
	latentValues() LatentValues
	// bytes encodes what a run file holds beside the samples; restore reads it.
	bytes() ([]byte, error)
}

// Episode is one row of a Run's trace.
type Episode struct {
	Return   float64 // discounted return of the rollout
	Steps    int     // its length
	Escapes  int     // steps whose query was not known to the policy that ran
	Added    int     // samples that it added to C
	Sweeps   int     // sweeps of value iteration after it (in a batch: after the last): backups for each target, rounded up
	Residual float64 // how far a backup would move a Q̃ at most, in reward units; with Options.Beta, the largest change in the last sweep
	Value    float64 // max over a of Q̃ at the start, after it
	Gap      float64 // for Certified: upper less lower bound at the start, after it; 0 otherwise
}

// Model returns the model that the run explored; where that has a Spec.Horizon, with
// the steps left in its states.
func (r *Run) Model() Model { return r.model }

// LipQ and Radius are L_Q̃ = 2·L_Q and ε/L_Q̃ of the paper's estimator; NaN for
// another algorithm.
func (r *Run) LipQ() float64 {
	if r.est == nil {
		return math.NaN()
	}
	return r.est.set.lip
}

// Radius is the distance within which the k-th neighbour makes a query known. One that
// is Radius in decimals is within it, however it is rounded: a computed distance may
// exceed Radius by 2⁻⁵³·(4·Σ|x_i| + (n + 4)·Radius), for the n coordinates x_i of the
// query in the metric.
func (r *Run) Radius() float64 { return r.Options.Epsilon / r.LipQ() }

// SeedRadius is ε/(L_Q(1+γ)), the L1 distance from a one-hot belief within which
// Known Latent Initialization makes a query known, rounding aside (see
// Belief.NearOneHot); −1 for a run without it.
func (r *Run) SeedRadius() float64 {
	if r.est == nil || !r.Options.SeedOneHot {
		return -1
	}
	return r.est.set.seed
}

// Q returns the value of a query and whether it is known. For BayesCPACE these
// are Definitions Optimistic Value Estimate and Known Query. For Certified it is
// the upper bound U(s,b,a), known where it exceeds the lower bound of (s,b) by ε
// at most.
func (r *Run) Q(s []float64, b Belief, action int) (q float64, known bool) {
	return r.values.query(s, b, action)
}

// Upper returns the admissible upper bound that the values started from.
func (r *Run) Upper(s []float64, b Belief, action int) float64 { return r.values.upper(s, b, action) }

// At returns the largest value of (s, b) over actions, and the action that Policy
// takes. For BayesCPACE it is the first that attains the value; for Certified, whose
// values are upper bounds, see Policy.
func (r *Run) At(s []float64, b Belief) (value float64, action int) { return r.values.at(s, b) }

// Policy returns the greedy policy on Q̃ or, for Certified, on a Finite model that of
// the α-vectors, which attains the lower bound of the certificate, and on another one
// that of the actions whose two bounds have the largest mean. Where the model has a
// Spec.Horizon it reads the steps left; see ForPolicy.
func (r *Run) Policy() Policy {
	if c := clockOf(r.model); c != nil {
		return clockedPolicy{r.values.policy(), c}
	}
	return r.values.policy()
}

// LatentValues returns the values Q(s, φ, a) that the run used, or nil.
func (r *Run) LatentValues() LatentValues { return r.values.latentValues() }
