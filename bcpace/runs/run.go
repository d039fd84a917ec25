package runs

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/stop"
)

// Run is the outcome of an exploration: plain data plus the estimator built on
// it. It is safe for concurrent use once Explore, Resume or Read has returned it.
type Run struct {
	// Spec is the model's description.
	Spec bcpace.Spec
	// Solver is what explored, with its parameters. Latent values of the user's own
	// are not saved with it.
	Solver Explorer
	// Samples is the sample set C with the values Q̃ at the fixed point.
	Samples *Samples
	// Trace has an entry for each episode explored.
	Trace []Episode
	// Stop says why exploration ended; "" in a checkpoint, which is from between
	// two updates.
	Stop stop.Reason
	// Value is max over a of Q(s0, b0, a), in reward units, or its mean if there are
	// several start states. For Algorithm 1, Q is the optimistic estimate Q̃ from
	// samples; for a run that Brackets, it is the upper bound of the search.
	Value float64
	// Steps counts environment steps over all episodes.
	Steps int

	// Certificate bounds the optimal value at the start: by proof, from below by
	// simulation, or only by the range of rewards if the exploration was interrupted.
	Certificate bcpace.Certificate
	// Parts say what holds the bounds of a statistical certificate apart. They are zero if
	// nothing was simulated.
	Parts GapParts
	// Choice says which policy the run returns, and what each of several has earned; nil if
	// only the run's own was asked for, or time was up before the first sample.
	Choice *Choice

	model  bcpace.Model
	plan   Plan
	values Values
	// live is set while the exploration runs. state is the state from which Resume
	// continues, or nil if it must explore again: that after the first stated episodes, with
	// so many samples.
	live            Snapshotter
	state           []byte
	stated, samples int
	read            bool // the run is from a file and has not been verified
	// atMost is the upper end of the interval of what the policy earns, by the episodes of the
	// certificate: +Inf where they were not played here.
	atMost float64
}

// Episode is one row of a Run's trace.
type Episode struct {
	Return   float64 // discounted return of the rollout
	Steps    int     // its length
	Escapes  int     // steps whose query was not known to the policy that ran
	Added    int     // samples that it added to C
	Sweeps   int     // sweeps of value iteration after it (in a batch: after the last): backups for each target, rounded up
	Residual float64 // how far a backup would move a Q̃ at most, in reward units; with cpace.Solver.Beta, the largest change in the last sweep
	Value    float64 // max over a of Q̃ at the start, after it
	Gap      float64 // of a run that Brackets: upper less lower bound at the start, after it; 0 otherwise
}

// String sums the run up in a line. Show of package nb has a table of it.
func (r *Run) String() string {
	return fmt.Sprintf("run on %s: %v, %s episodes, value %.6g, %s", r.Spec.Name, r.Samples, numtext.Count(len(r.Trace)), r.Value, r.Stop)
}

// Model returns the model that the run has explored. If it has a Spec.Horizon, its states
// hold the steps left.
func (r *Run) Model() bcpace.Model { return r.model }

// Brackets reports whether the run is a search for bounds. Then Value, Q and At are upper
// bounds, and Trace has the gaps to the lower bounds. Otherwise they are estimates from
// sampled steps.
func (r *Run) Brackets() bool { return r.plan.Brackets }

// Epsilon and Alpha are ε and α of the run: the error allowed in a known query, or the
// gap at which a search ends, in reward units; and the weight of the state's distance
// against the belief's.
func (r *Run) Epsilon() float64 { return r.plan.Epsilon }

// Alpha is described at Epsilon.
func (r *Run) Alpha() float64 { return r.plan.Alpha }

// Horizon is T, the steps after which an episode of the exploration was cut; 0 for a run
// that Brackets.
func (r *Run) Horizon() int { return r.plan.Horizon }

// LipQ and Radius are L_Q̃ = 2·L_Q and ε/L_Q̃ of the paper's estimator; NaN for
// another algorithm.
func (r *Run) LipQ() float64 { return r.plan.LipQ }

// Radius is the distance within which the k-th neighbour makes a query known. One that
// is Radius in decimals is within it, however it is rounded: a computed distance may
// exceed Radius by 2⁻⁵³·(4·Σ|x_i| + (n + 4)·Radius), for the n coordinates x_i of the
// query in the metric.
func (r *Run) Radius() float64 { return r.Epsilon() / r.LipQ() }

// SeedRadius is ε/(L_Q(1+γ)), the L1 distance from a one-hot belief within which
// Known Latent Initialization makes a query known, rounding aside (see
// Belief.NearOneHot); −1 for a run without it.
func (r *Run) SeedRadius() float64 { return r.plan.SeedRadius }

// Q returns the value of a query and whether it is known. For Algorithm 1 these
// are Definitions Optimistic Value Estimate and Known Query. For a run that Brackets it
// is the upper bound U(s,b,a), known where it exceeds the lower bound of (s,b) by ε
// at most. What is no state, belief or action of the model has the value NaN, here, in
// Upper and in At.
func (r *Run) Q(s []float64, b bcpace.Belief, action int) (q float64, known bool) {
	if !r.Spec.IsPlace(r.model, s, b) || !r.Spec.IsAction(action) {
		return math.NaN(), false
	}
	return r.values.Query(s, b, action)
}

// Upper returns the admissible upper bound that the values started from.
func (r *Run) Upper(s []float64, b bcpace.Belief, action int) float64 {
	if !r.Spec.IsPlace(r.model, s, b) || !r.Spec.IsAction(action) {
		return math.NaN()
	}
	return r.values.Upper(s, b, action)
}

// At returns the largest value of (s, b) over actions, and the action that Greedy
// takes. For Algorithm 1 it is the first that attains the value; of a run that Brackets
// the values are upper bounds, and its policy need not be greedy on them.
func (r *Run) At(s []float64, b bcpace.Belief) (value float64, action int) {
	if !r.Spec.IsPlace(r.model, s, b) {
		return math.NaN(), 0
	}
	return r.values.At(s, b)
}

// Known returns the share of steps whose query was known among the last Patience of the
// first n episodes; 0 for a search.
func (r *Run) Known(n int) float64 {
	steps, escapes := 0, 0
	for _, e := range r.Trace[max(n-r.plan.Patience, 0):n] {
		steps += e.Steps
		escapes += e.Escapes
	}
	return shareKnown(steps, escapes)
}

// shareKnown is the share of steps that are no escapes, 0 of none.
func shareKnown(steps, escapes int) float64 {
	if steps == 0 {
		return 0
	}
	return float64(steps-escapes) / float64(steps)
}

// LatentValues returns the values Q(s, φ, a) that the run used, or nil.
func (r *Run) LatentValues() bcpace.LatentValues { return r.values.LatentValues() }
