package bcpace

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/stop"
)

// Solver is an algorithm with its parameters: plain data whose zero fields are documented defaults. It
// reads every parameter that it has. Package solvers lists those of this module.
type Solver interface {
	// Name is the name of the algorithm, such as "bayes-cpace".
	Name() string
	// Solve looks for a policy of m and, as far as the algorithm can, for bounds of the optimal value. If ctx ends, also in
	// the set-up, it returns what it has found, with the reason in Solution.Stop: a policy that acts and bounds that hold.
	// Errors are an *InputError for parameters or a model that cannot be used, an *UnsupportedError, and a *ConformanceError.
	// If the model breaks its contract only after something was found, an Explorer returns that with stop.Fault beside the error.
	Solve(ctx context.Context, m Model, c Control) (*Solution, error)
}

// Control changes how long a Solver takes and what it reports, not its result.
type Control struct {
	// Workers is the number of goroutines that work side by side; 0 means one for each processor.
	Workers int
	// Progress, if set, is called after every update, and with a Phase now and then during the set-up,
	// from the goroutine that called Solve. It must return quickly.
	Progress func(Progress)
	// Checkpoint, if set, is called by an Explorer after Progress, unless the exploration ends there.
	// soFar writes a run file whose Stop is "", which Resume can continue. It must not be used later.
	Checkpoint func(p Progress, soFar io.WriterTo)
}

// Check returns an *InputError for a control that no solver can use.
func (c Control) Check() error {
	if c.Workers >= 0 && c.Workers <= num.MaxWorkers {
		return nil
	}
	return In("control").Bad("Workers", c.Workers, num.WantWorkers("goroutines"))
}

// Processors returns how many goroutines compute at most.
func (c Control) Processors() int {
	if n := runtime.GOMAXPROCS(0); c.Workers <= 0 || c.Workers > n {
		return n
	}
	return c.Workers
}

// Progress is how far a solver has come.
type Progress struct {
	// Phase says what is computed before the first update, such as "latent values", or after the last one; "" for an update.
	// Share is how much of it is done, in [0, 1], or −1 where nobody knows. All other fields are 0 beside a Phase.
	Phase string
	Share float64
	// Episodes, or trials of a search, samples, or beliefs, and steps of all episodes, so far.
	Episodes, Samples, Steps int
	// Quiet counts the last episodes without a new sample: of an exploration that has converged, Patience. Of a search both are 0.
	Quiet, Patience int
	Known           float64 // share of the steps of the last Patience episodes whose query was known; 0 for a search
	Horizon         int     // steps after which an episode of an exploration is cut; 0 for a search
	Value           float64 // at the start: the maximum of Q̃ over actions, or the upper bound of a search
	Gap, Epsilon    float64 // the upper less the lower bound of a search, at its worst start, and the gap at which it ends
}

// Objective is what a Solver asks of a policy, as plain data. The zero value is the largest expected return.
type Objective struct {
	Question string   `json:"question,omitempty"` // its name and its numbers, such as "risk cvar=0.1"
	Bounds   string   `json:"bounds,omitempty"`   // what a Certificate bounds, such as "the mean of the worst 0.1 of the returns"
	Share    float64  `json:"share,omitempty"`    // of the worst returns, whose mean counts; 0 for the mean of all
	Below    *float64 `json:"below,omitempty"`    // a return: the probability of less counts, of which Policy attains Certificate.Upper
}

// Solution is what a Solver returns.
type Solution struct {
	Solver    Solver
	Spec      Spec      // of the model
	Objective Objective // what was asked
	Policy    Policy    // which was found; if the model has a Spec.Horizon, it reads the steps left: see ForPolicy
	// Value is what the solver takes Policy to be worth at the start, in reward units, or NaN. A solver that brackets V* gives the lower
	// bound of its Certificate or, if nothing was simulated for one, of its search: NaN where Certificate.Refuted says that its bounds are false.
	Value       float64
	Certificate Certificate // bounds V*, or the optimum of the Objective
	Trace       []Progress  // to the end
	Stop        stop.Reason
	InSetUp     bool   // ctx ended the set-up: what is known is what runs.Unfinished says
	StandIn     string // what the Policy is where InSetUp; "" otherwise
	Record      any    // what else was found, which the package of the solver reads, as runs.Of does; nil for nothing
}

// String sums the solution up in a line.
func (s *Solution) String() string {
	return fmt.Sprintf("solution of %s by %s: value %.6g, %s", s.Spec.Name, s.Solver.Name(), s.Value, s.Stop)
}

// CertificateKind says how a Certificate was established.
type CertificateKind string

const (
	// ExactCertificate: Lower ≤ V^π ≤ V* ≤ Upper holds for the run's policy π, by
	// the proofs in package certified, rounding included.
	ExactCertificate CertificateKind = "exact"
	// StatisticalCertificate: Lower ≤ V^π holds with probability 1 − Delta over the
	// episodes simulated after the exploration, whatever the policy π. That assumes only that
	// rewards, or returns, stay within the range that the model states; rewards after Horizon
	// steps count as the least that they can be. UpperBy names what Upper rests on:
	//
	//   - ByProof: for Algorithm 1 on a Finite model the tighter informed bound; for package certified
	//     that of package proved, where it takes the model, whose own policy may then prove Lower too;
	//   - ByAssumption: for Algorithm 1 on another Enumerator dp.QMDPBound of the values on a grid plus
	//     their estimated error; for package certified the bound of Finite models on grids, plus that;
	//     where ctx has ended before, the grids so far or dp.QMDPBound of the latent values;
	//   - ByRange: for other models, and where the assumed bound was less than Lower, as Refuted says.
	//
	// If the simulation contradicts a proved Upper, Lower is the least return, by ByRange.
	StatisticalCertificate CertificateKind = "statistical"
	// PolicyInterval: Lower ≤ V^π ≤ Upper for the policy π of the run, by simulation, of which each
	// fails with probability Delta. V* may be more. Verify returns it for a statistical certificate.
	PolicyInterval CertificateKind = "policy interval"
	// NoCertificate: nothing was simulated, and the bounds are those of the range of rewards, unless
	// LowerBy or UpperBy says better; NotKnown for a model that broke its contract.
	NoCertificate CertificateKind = "none"
)

// Basis is the reason for a statement of a Certificate.
type Basis string

const (
	ByProof      Basis = "proved"       // from the lists of a Finite model, or the Smoothness that a model states, rounding included
	BySimulation Basis = "simulated"    // with probability 1 − Delta over simulated episodes
	ByAssumption Basis = "assumed"      // from Certificate.Assumes, which may be false
	ByRange      Basis = "reward range" // from the range of returns or rewards that the model states, alone
	NotKnown     Basis = "not known"    // nothing supports it
)

// Certificate bounds V*, the optimal value at the start, in reward units, or the optimum of a Solution's Objective; for kind PolicyInterval
// V^π, the value of the policy found: means over the start states.
type Certificate struct {
	Lower, Upper float64
	Kind         CertificateKind

	// LowerBy and UpperBy are the reasons for Lower ≤ V* and V* ≤ Upper, and PolicyEarns for
	// V^π ≥ Lower, where π is the policy found; "" in files from before they existed.
	LowerBy, UpperBy, PolicyEarns Basis  `json:",omitempty"`
	Assumes                       string `json:",omitempty"` // of a bound ByAssumption, or Spec.Estimated

	// Refuted says which bounds were withdrawn, and why, with the numbers; "" if none were: an assumed upper bound that the
	// simulated lower one exceeds, or a bound of the search that the interval of what the policy earns excludes, so that
	// Run.Value and Run.Q mean nothing.
	Refuted string `json:",omitempty"`

	// For a statistical certificate: the probability δ that Lower is false, how many episodes were simulated, and of how many steps.
	Delta    float64 `json:",omitempty"`
	Episodes int     `json:",omitempty"`
	Horizon  int     `json:",omitempty"`
}

// Gap returns Upper − Lower.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Checked returns c, or a *ConformanceError if Lower > Upper, which no model brings about that
// conforms.
func (c Certificate) Checked(model string) (Certificate, error) {
	if c.Lower <= c.Upper {
		return c, nil
	}
	return Certificate{}, &ConformanceError{Model: model, What: fmt.Sprintf("its value would be at least %v (%s) and at most %v (%s), so that one of the two is false: does it keep to its RewardMin, RewardMax and ReturnRange, and list the same successors at every call?",
		c.Lower, c.LowerBy, c.Upper, c.UpperBy)}
}
