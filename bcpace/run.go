package bcpace

// Run is the outcome of an exploration: plain data plus the estimator built on
// it. It is safe for concurrent use once Explore or Load has returned it.
type Run struct {
	// Spec is the model's description, Options what was asked for; Options.Latent
	// and Options.Progress are not saved with it.
	Spec    Spec
	Options Options
	// Samples is the sample set C with the values Q̃ at the fixed point.
	Samples *Samples
	// Trace has an entry for each episode explored.
	Trace []Episode
	// Stop says why exploration ended.
	Stop StopReason
	// Value is max over a of Q̃(s0, b0, a), the optimistic value at the start,
	// in reward units; the mean over start states where there are several.
	Value float64
	// Steps counts environment steps over all episodes.
	Steps int

	model Model
	est   *estimator
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
}

// StopReason says why an exploration ended.
type StopReason string

const (
	StopConverged   StopReason = "converged"      // no new sample for Options.Patience episodes
	StopEpisodes    StopReason = "episode budget" // Options.MaxEpisodes
	StopSamples     StopReason = "sample budget"  // Options.MaxSamples
	StopInterrupted StopReason = "interrupted"    // the context was cancelled
	StopDeadline    StopReason = "out of time"    // the context's deadline passed
)

// Model returns the model that the run explored.
func (r *Run) Model() Model { return r.model }

// Bounds of the paper's estimator: LipQ is L_Q̃ = 2·L_Q, Radius is ε/L_Q̃.
func (r *Run) LipQ() float64   { return r.est.set.lip }
func (r *Run) Radius() float64 { return r.est.set.radius }

// Q returns the optimistic estimate Q̃(s, b, a) (Definition Optimistic Value
// Estimate) and whether the query is known (Definition Known Query).
func (r *Run) Q(s []float64, b Belief, action int) (q float64, known bool) {
	w := r.est.borrow()
	defer r.est.pool.Put(w)
	return r.est.query(w, s, b, action)
}

// Upper returns the admissible upper bound that the estimate was clipped to.
func (r *Run) Upper(s []float64, b Belief, action int) float64 { return r.est.upper(s, b, action) }

// At returns max over a of Q̃(s, b, a) and the first action that attains it.
func (r *Run) At(s []float64, b Belief) (value float64, action int) {
	w := r.est.borrow()
	defer r.est.pool.Put(w)
	value, action, _ = r.est.greedy(w, s, b)
	return value, action
}

// Policy returns the greedy policy on Q̃.
func (r *Run) Policy() Policy { return &greedyPolicy{est: r.est, scratch: r.est.scratch()} }

// LatentValues returns the values Q(s, φ, a) that the run used, or nil.
func (r *Run) LatentValues() LatentValues { return r.est.latent }
