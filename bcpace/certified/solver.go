package certified

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"bayescpace/bcpace"
)

// Solver brackets the optimal values of a model from both sides until the value at the start is
// known to ε. The zero value of every field but Epsilon is useful.
//
// On a Finite model it does so by expected backups, and both bounds are proved. On
// another Enumerator the bounds of the search rest on LipState and on a grid; what is
// certified of the model itself is simulated from below, and from above it comes from
// grids whose error is estimated.
type Solver struct {
	// Epsilon is ε > 0, in reward units: the distance of the bounds at the start at
	// which the search ends. It has no default, being what the user asks for.
	Epsilon float64
	// Starts are states and beliefs beside the model's own start: the search starts
	// trials there too, and ends when the bounds are within Epsilon at all of them.
	// Run.Value and Run.Certificate are those of the model's own start. Beliefs are
	// taken as they are, without conditioning on the state. In a model with a
	// Spec.Horizon all steps are left there, unless a state says otherwise by one more
	// entry.
	Starts []bcpace.StartPoint `json:",omitempty"`
	// MaxEpisodes and MaxSamples end the search: rounds of trials, and state-belief-action
	// points. 0 means no such limit.
	MaxEpisodes, MaxSamples int

	// Bound is the upper bound that a search on a Finite model starts from. "" means
	// bcpace.BoundFIB. There is no choice on another model.
	Bound bcpace.Bound `json:",omitempty"`
	// LipQ is L_Q, in reward units per unit of the belief's distance, for a Finite
	// model: the cone by which upper bounds carry to other beliefs. 0 means the box
	// cone, which is tighter than any constant. One too small for its proof is refused.
	LipQ float64 `json:",omitempty"`
	// Batch is the number of trials on a Finite model from each start with the same
	// bounds, up to 1024, which all make one episode. 0 means one, and is the best
	// choice unless models are large.
	Batch int `json:",omitempty"`

	// LipState is L_S, in reward units per unit of the state's distance, for a
	// model whose states are not numbered: how fast the shortfall of
	// the optimal values from Σ_φ b(φ)·Q(s, φ, a) changes with the state. The bounds
	// of the search rest on it; a smaller one needs fewer samples. 0 means an estimate,
	// twice the slope that nine tenths of the latent values do not exceed between
	// neighbouring points of their grid, which proves nothing. The certificate does
	// not rest on it.
	LipState float64 `json:",omitempty"`
	// Simulated is the number of episodes of the policy found that are played for
	// the certificate of a model whose states are not numbered. 0 means 20,000; −1 means
	// none. Delta is the probability in (0, 1) with which its lower bound may fail; 0
	// means 0.05. Seed makes the episodes.
	Simulated int     `json:",omitempty"`
	Delta     float64 `json:",omitempty"`
	Seed      uint64
}

func init() {
	bcpace.RegisterExplorer(Solver{}.Name(), func(parameters []byte, latent bcpace.LatentValues) (bcpace.Explorer, error) {
		s := Solver{}
		if latent != nil {
			return nil, &bcpace.InputError{Where: "run file", What: "latent values", Got: "given", Want: "none, as a certified run solves for its own"}
		}
		err := json.Unmarshal(parameters, &s)
		return s, err
	})
}

// maxTrials bounds the trials of a batch, each of which has a mark for every node.
const maxTrials = 1024

// defaultSimulated is the number of episodes simulated where none is given: a search
// takes seconds, and deserves a simulation that tells as much.
const certifiedSimulated = 20_000

// Name implements bcpace.Solver.
func (Solver) Name() string { return "certified" }

// Solve implements bcpace.Solver. The policy is that of the α-vectors on a Finite model,
// which attains the lower bound, and on another one that of the actions whose two bounds
// have the largest mean.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	r, err := s.Explore(ctx, m, c)
	if err != nil {
		return nil, err
	}
	return bcpace.SolutionOf(r), nil
}

// Explore implements bcpace.Explorer. Run.Value is the upper bound of the search.
func (s Solver) Explore(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Run, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	return s.search(ctx, bcpace.KeepHorizon(m), c)
}

// resumable is a search that can be brought to where another one was.
type resumable interface {
	explore(context.Context) (*bcpace.Run, error)
	restore(context.Context, *bcpace.Run) error
}

// search is Explore for a model whose states tell the steps left.
func (s Solver) search(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Run, error) {
	x, err := s.begin(ctx, m, c)
	if err != nil {
		return nil, err
	}
	return x.explore(ctx)
}

// begin computes the first bounds of a model, and begins the search.
func (s Solver) begin(ctx context.Context, m bcpace.Model, c bcpace.Control) (resumable, error) {
	plan, err := s.Plan(m)
	if err != nil {
		return nil, err
	}
	if f, ok := bcpace.AsFinite(m); ok {
		e, err := openEnvelope(ctx, f, s)
		if err != nil {
			return nil, err
		}
		return newCertifier(m, e, s, plan, c)
	}
	e, err := openContinuum(ctx, m.(bcpace.Enumerator), s)
	if err != nil {
		return nil, err
	}
	return newSurveyor(e, s, plan, c)
}

// Unlimited implements bcpace.Explorer.
func (s Solver) Unlimited() bcpace.Explorer {
	s.MaxEpisodes, s.MaxSamples, s.Simulated, s.Delta = 0, 0, 0, 0
	return s
}

// Describe implements bcpace.Explorer.
func (s Solver) Describe(*bcpace.Run) (heading string, details []bcpace.Detail) {
	return "Certified values of", nil
}

// Plan implements bcpace.Explorer.
func (s Solver) Plan(m bcpace.Model) (bcpace.Plan, error) {
	spec := m.Spec()
	bad := func(what string, got any, want string) (bcpace.Plan, error) {
		return bcpace.Plan{}, &bcpace.InputError{Where: "options", What: what, Got: fmt.Sprint(got), Want: want}
	}
	p, err := bcpace.Plan{Epsilon: s.Epsilon, Starts: s.Starts, MaxEpisodes: s.MaxEpisodes, MaxSamples: s.MaxSamples,
		CertificateEpisodes: s.Simulated, Delta: s.Delta, Seed: s.Seed}.Resolve(m, certifiedSimulated)
	if err != nil {
		return bcpace.Plan{}, err
	}
	_, numbered := bcpace.AsFinite(m)
	_, listed := m.(bcpace.Enumerator)
	p.Brackets, p.Exact = true, numbered
	p.Assumes = "the model's list of successors is exact, and dynamic programming on a grid errs no more than coarser grids suggest"
	switch {
	case !listed:
		return bcpace.Plan{}, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: s.Name(),
			Need: "numbered states (Finite), for exact expected backups and α-vectors, or a list of the successors of a state (Enumerator)"}
	case !(s.LipQ >= 0 && finite(s.LipQ)):
		return bad("LipQ", s.LipQ, "L_Q > 0, or 0 for the box cone")
	case s.Batch < 0 || s.Batch > maxTrials:
		return bad("Batch", s.Batch, fmt.Sprintf("a number of trials up to %d, or 0 for one after the other", maxTrials))
	case !(s.LipState >= 0 && finite(s.LipState)):
		return bad("LipState", s.LipState, "L_S > 0, or 0 for an estimate from the latent values")
	case numbered && s.LipState > 0:
		return bad("LipState", s.LipState, "no such constant, as the states of "+spec.Name+" are numbered")
	case !numbered && s.LipQ > 0:
		return bad("LipQ", s.LipQ, "0, as it is read where states are numbered")
	case !numbered && s.Batch > 0:
		return bad("Batch", s.Batch, "0, as it is read where states are numbered")
	case !numbered && s.Bound != "":
		return bad("Bound", strconv.Quote(string(s.Bound)), "\"\", as there is a choice where states are numbered only")
	}
	switch s.Bound {
	case "", bcpace.BoundConstant, bcpace.BoundBestCase, bcpace.BoundQMDP, bcpace.BoundFIB:
	default:
		return bad("Bound", strconv.Quote(string(s.Bound)), fmt.Sprintf("%q, %q, %q, %q, or \"\" for the default", bcpace.BoundConstant, bcpace.BoundBestCase, bcpace.BoundQMDP, bcpace.BoundFIB))
	}
	return p, nil
}

// ReadValues implements bcpace.Explorer.
func (s Solver) ReadValues(r *bcpace.Run, written []byte) (bcpace.Values, error) {
	if f, ok := bcpace.AsFinite(r.Model()); ok {
		return readEnvelope(r, f, s, written)
	}
	return readContinuum(r, r.Model().(bcpace.Enumerator), s, written)
}
