package policysearch

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solver is policy search as a solver. Every zero value is useful.
type Solver struct {
	// Seed makes the result: the same model and solver give the same policy, unless a deadline
	// has ended the search.
	Seed uint64
	// MaxSteps is the number of simulated steps that the search takes at most, but for the first
	// policy, which takes one action without end and is always tried; the episodes at the end are not
	// counted. 0 means DefaultSteps.
	MaxSteps int `json:",omitempty"`
	// CertificateEpisodes is the number of episodes that the policy plays at the end, from which
	// Solution.Value and the lower bound come. 0 means 2000, and −1 none.
	CertificateEpisodes int `json:",omitempty"`
	// From is a policy that an earlier search has found for the model, with which this one begins. nil
	// means none.
	From bcpace.Policy `json:"-"`
}

const (
	// DefaultSteps is Solver.MaxSteps where that is 0: on two cores some 20 seconds for a model
	// whose steps are quick.
	DefaultSteps = 30_000_000

	certificateEpisodes = 2000
	delta               = 0.05 // of the lower bound
)

// Name implements bcpace.Solver.
func (Solver) Name() string { return "policy-search" }

// Solve implements bcpace.Solver. It always has a policy: the first ones are those that take one
// action without end. Where ctx ends, it is the best one so far. Value is its mean return in episodes
// that the search has not seen, and the lower bound of the certificate is that of this simulation, with probability 95 %;
// the upper bound is the range of returns. Where time is up before a few of these episodes have ended, see eval.Rollouts,
// Value is NaN.
//
// The error is an *bcpace.InputError for parameters that cannot be used, or the model's.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	need := bcpace.In("options").Need
	if err := cmp.Or(
		need(s.MaxSteps >= 0, "MaxSteps", s.MaxSteps, fmt.Sprintf("a number of steps, or 0 for %d", DefaultSteps)),
		need(s.CertificateEpisodes >= -1, "CertificateEpisodes", s.CertificateEpisodes, fmt.Sprintf("a number of episodes, 0 for %d, or -1 for none", certificateEpisodes)),
		c.Check(), solverkit.CheckDiscount(m, s.Name())); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	var trace []bcpace.Progress
	searching, cancel := runs.LeaveTime(ctx, certificateTime)
	defer cancel()
	limit := int64(cmp.Or(s.MaxSteps, DefaultSteps))
	x := newSearch(searching, m, s.Seed, max(c.Processors(), c.Workers), limit, func(p bcpace.Progress) {
		if trace = append(trace, p); c.Progress != nil {
			share := float64(p.Steps) / float64(limit)
			if _, timed := ctx.Deadline(); timed {
				share = -1
			}
			c.Progress(bcpace.Progress{Phase: fmt.Sprintf("policies, the best of which earns %.4g", p.Value), Share: min(share, 1)})
		}
	})
	if s.From != nil {
		if err := x.begin(s.From); err != nil {
			return nil, err
		}
	}
	if err := x.run(); err != nil {
		return nil, err
	}
	spec := m.Spec()
	found := &bcpace.Solution{Solver: s, Spec: spec, Policy: bcpace.PolicyOf(m, x.policy()), Value: math.NaN(), Certificate: solverkit.RangeCertificate(spec), Trace: trace, Stop: stop.Steps}
	if x.fresh { // in those by which it was chosen among many, it has been lucky
		found.Value = x.value
	}
	switch why := stop.Of(searching); {
	case why != "":
		found.Stop = why
	case x.f.weights() == 0:
		found.Stop = stop.Converged
	}
	if n := cmp.Or(s.CertificateEpisodes, certificateEpisodes); n > 0 {
		if err := x.certify(ctx, m, found, n); err != nil {
			return nil, err
		}
	}
	if len(found.Trace) == 0 {
		found.Trace = []bcpace.Progress{x.progress()}
	}
	return found, nil
}

// begin has the search go on from a policy that another one has found.
func (s *search) begin(from bcpace.Policy) error {
	p, ok := bcpace.PolicyAbilitiesOf(from).Inside.(*policy)
	if !ok || !reflect.DeepEqual(p.f.spec, s.f.spec) {
		got := "the policy of another solver"
		if ok {
			got = "a policy for another model, " + strconv.Quote(p.f.spec.Name)
		}
		return bcpace.In("options").Bad("From", got, "a policy that policy search has found for this model")
	}
	s.from, s.f.values, s.f.cut = p.weights, p.f.values, p.f.cut
	s.best = newPolicy(s.f, s.from)
	return nil
}

// policy returns the best one so far.
func (s *search) policy() *policy {
	if s.best == nil {
		s.best = newPolicy(s.f, make([]float64, s.f.weights()))
	}
	return s.best
}

// certify plays so many episodes of the policy found that the search has not seen, as far as ctx
// leaves time.
func (s *search) certify(ctx context.Context, m bcpace.Model, found *bcpace.Solution, episodes int) error {
	r, err := eval.Rollouts(ctx, m, found.Policy, eval.Options{Episodes: episodes, Seed: ^s.seed, Workers: s.workers})
	if err != nil && ctx.Err() == nil {
		return err
	}
	if len(r.Returns) > 0 {
		found.Value, found.Certificate = r.Mean, eval.CertificateOf(m, r, episodes, delta)
	}
	return nil
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "tries policies that are linear in products of the coordinates and the belief, and keeps those that earn most in simulated episodes",
		Written: "policy search by CMA-ES",
		Cited:   "direct policy search by CMA-ES [@heidrich2009]",
		SetUp:   "its first policies",
		Params: []solverkit.Param{
			solverkit.Seed,
			{Key: "max-steps", Field: "MaxSteps", Arg: "N", Doc: "most simulated steps (default 30000000)", Want: "1 step or more"},
			solverkit.CertificateEpisodes,
		},
	}
}

// TimeShares implements solverkit.Scheduled.
func (Solver) TimeShares(m bcpace.Model) []solverkit.TimeShare {
	search := 1 - certificateTime
	list := []solverkit.TimeShare{{What: "search", Share: search}, {What: "certificate", Share: 1}}
	if !HasValues(m) {
		return list
	}
	values := search * (1 - tableShare)
	if solverkit.RealAxes(m.Spec()) > fewAxes {
		values = search * (1 - finerShare)
	}
	list[0].Share = (search - values) / (1 - values)
	return append([]solverkit.TimeShare{{What: "values on a grid", Share: values}}, list...)
}
