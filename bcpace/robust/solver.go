package robust

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solver looks for the policy whose worst value over a set of priors is the largest. Every zero value but that of Epsilon is useful.
type Solver struct {
	// Set has the priors that count: of a POMDP that pomdp.AsBAMDP has made a BAMDP of, those that give 0 to the latents
	// with which no episode of it begins, and under which the tables of the BAMDP are not those of the POMDP.
	Set PriorSet
	// Epsilon is ε > 0, in reward units: the search ends when the bounds of the robust value are at most ε apart.
	Epsilon float64
	// Inner solves the model for one prior, and gives an upper bound of the optimal value there and a policy. nil means package
	// certified with a quarter of Epsilon.
	Inner bcpace.Solver
	// MaxPriors is how many priors are solved at most. 0 means 200.
	MaxPriors int
	// Episodes are played under each latent with each policy whose values cannot be computed: one that plans while it acts, or
	// that of a model that is not Finite. 0 means 10,000. Delta is the probability in (0, 1) with which some bound by these episodes may
	// fail; 0 means 0.05. Seed is their seed.
	Episodes int
	Delta    float64
	Seed     uint64
}

// Plane is what one prior has told.
type Plane struct {
	Prior bcpace.Belief
	// Upper is the upper bound of V*(Prior), by UpperBy.
	Upper   float64
	UpperBy bcpace.Basis
	// Values are lower bounds of the values, by latent, of the policy found for the prior (NaN as below), and Weight is its share of the mixture.
	Values []float64
	Weight float64
}

// Worst is the Record of a solution: what a Solver has found beside its Policy, which draws one policy for each episode. That believes in the
// priors that it was made for, whatever the prior of the model in which it is played. In a model with a horizon it reads the steps left
// (bcpace.ForPolicy). The Certificate bounds the robust value: Lower is what Policy earns under every prior of the set, and no policy
// earns more than Upper under all of them.
type Worst struct {
	// Prior is the least favourable prior so far: V* is at most Certificate.Upper there.
	Prior bcpace.Belief
	// Values are lower bounds of the values of Policy by latent, NaN for one that no prior of the set holds possible.
	Values []float64
	// Nominal is a lower bound of what the policy for the model's own prior, the first plane, earns under the worst prior for it.
	Nominal float64
	Planes  []Plane // in the order in which priors were solved
}

// Of returns what was found beside the policy of a solution; nil for that of another solver.
func Of(found *bcpace.Solution) *Worst {
	x, _ := found.Record.(*Worst)
	return x
}

// defaultPriors is MaxPriors where that is 0.
const defaultPriors = 200

// Solve looks for a robust policy of m; see Of. Where ctx ends, it returns what it has found, with bounds that hold; its error before there is anything. Other
// errors are an *bcpace.InputError for parameters, and those of the inner solver.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	x, err := s.begin(m, c)
	if err != nil {
		return nil, err
	}
	for prior := x.centre; ; {
		if err := x.solve(ctx, prior); err != nil {
			if x.found.Planes != nil && ctx.Err() != nil {
				return x.solution(m, stop.Of(ctx))
			}
			return nil, err
		}
		next := x.mix(ctx)
		x.inner.Report(bcpace.Progress{Episodes: len(x.found.Planes), Value: x.bounds.Upper, Gap: x.bounds.Gap(), Epsilon: s.Epsilon})
		if why := x.inner.End(ctx, x.bounds.Gap(), len(x.found.Planes), !x.solvedAt(next)); why != "" {
			return x.solution(m, why)
		}
		prior = next
	}
}

const title = "robust solver"

// begin checks the parameters.
func (s Solver) begin(m bcpace.Model, c bcpace.Control) (*search, error) {
	set, err := controller.Settings{Title: title, Epsilon: s.Epsilon, Most: s.MaxPriors, Episodes: s.Episodes, Delta: s.Delta}.Checked(m, c, "MaxPriors", defaultPriors)
	if err = cmp.Or(err, s.Set.check()); err != nil {
		return nil, err
	}
	s.Inner = s.Inside()
	var without []int
	if u, ok := m.(unstartable); ok {
		without = u.Unstartable()
	}
	m = bcpace.KeepHorizon(controller.Open(m))
	x := &search{Solver: s, without: without, bounds: solverkit.RangeCertificate(m.Spec()), model: m, inner: controller.Inner{Settings: set, Control: c}, centre: make(bcpace.Belief, len(m.Spec().Latents))}
	m.Prior(x.centre)
	x.lo, x.hi = solverkit.RangeOfReturns(m)
	x.bounds.Lower, x.bounds.Upper = x.lo, x.hi
	return x, nil
}

// unstartable is a model that does not say what follows under some latents, to which its own prior gives 0. No prior
// that holds them possible counts.
type unstartable interface{ Unstartable() []int }

// search is a Solve under way.
type search struct {
	Solver
	without []int // latents that no prior holds possible
	model   bcpace.Model
	inner   controller.Inner
	centre  bcpace.Belief
	lo, hi  float64 // of returns

	members   []controller.Member
	worst     []bcpace.Belief // priors of the set that were the worst for some mixture, for the game
	simulated bool            // some policy was
	bounds    bcpace.Certificate
	found     Worst
}

// solve adds what the inner solver says at a prior.
func (s *search) solve(ctx context.Context, prior bcpace.Belief) error {
	m, err := bcpace.WithPrior(s.model, prior)
	if err != nil {
		return err
	}
	k := len(s.members)
	found, member, err := s.inner.Solve(ctx, s.Inner, m, m, fmt.Sprintf("prior %d", k+1))
	if err != nil {
		return err
	}
	plane := Plane{Prior: slices.Clone(prior), Upper: found.Certificate.Upper, UpperBy: found.Certificate.UpperBy}
	if plane.Values, err = s.values(ctx, &member, k); err != nil {
		return err
	}
	for _, φ := range s.without {
		plane.Values[φ] = s.hi // so that no worst prior has it
	}
	s.members, s.found.Planes = append(s.members, member), append(s.found.Planes, plane)
	if k == 0 {
		_, s.found.Nominal = s.Set.Worst(s.centre, plane.Values)
	}
	if k == 0 || plane.Upper < s.bounds.Upper {
		s.bounds.Upper, s.bounds.UpperBy, s.found.Prior = plane.Upper, plane.UpperBy, plane.Prior
		s.bounds.Assumes = found.Certificate.Assumes
	}
	return nil
}

// values returns lower bounds of the values of the k-th policy by latent: proved from its graph, where that can be written out, and
// otherwise by simulation.
func (s *search) values(ctx context.Context, p *controller.Member, k int) ([]float64, error) {
	if finite, ok := p.Writable(); ok {
		prior := make(bcpace.Belief, len(s.centre))
		p.Model.Prior(prior)
		var low []float64
		var err error
		p.Graph, err = controller.Of(ctx, finite, p.Policy, s.Epsilon/8/max(s.hi-s.lo, s.Epsilon), func(c *controller.Controller) (float64, error) {
			now, _, err := c.Returns(ctx)
			if err != nil {
				return 0, err
			}
			if low == nil || prior.Dot(now) > prior.Dot(low) {
				low = now
			}
			return prior.Dot(now), nil
		})
		return low, err
	}
	s.simulated = true
	return s.simulate(ctx, p, k)
}

// playShare is the share of the time that is left in which a policy is played, under all latents.
const playShare = 0.3

// simulate returns lower bounds of the values of the k-th policy from episodes under each latent. The probabilities with which one is
// false sum over all policies and latents to Delta at most, as Σ 1/((k+1)(k+2)) = 1.
func (s *search) simulate(ctx context.Context, p *controller.Member, k int) ([]float64, error) {
	n := len(s.centre)
	delta := s.inner.Delta / float64(n*(k+1)*(k+2))
	low := make([]float64, n)
	open, err := bcpace.WithPrior(p.Model, bcpace.Uniform(n)) // the beliefs of the policy are its own
	if err != nil {
		return nil, err
	}
	for φ := range low {
		world, err := bcpace.WithPrior(p.Model, bcpace.OneHot(n, φ))
		if err != nil {
			return nil, err
		}
		r, err := s.inner.Play(ctx, open, p, eval.Options{Episodes: s.inner.Episodes, Seed: s.Seed + uint64(k), World: world}, playShare/float64(n-φ))
		if err != nil {
			return nil, err
		}
		low[φ] = max(stat.MeanLower(r.Returns, r.Range[0], r.Range[1], delta, s.inner.Episodes)-r.Truncation, s.lo)
	}
	return low, nil
}
