package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/rollout"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Streams of random numbers that no episode of an exploration uses.
const (
	simulatedStream = 1 << 63
	verifyStream    = 1 << 62
)

// simulation is a sample of independent returns of a policy.
type simulation struct {
	returns          []float64 // of whole episodes, cut at horizon
	horizon, planned int
	lo, hi           float64 // the range of a return
	tail             float64 // γ^horizon, or 0 where the model ends every episode by then
	delta            float64
}

// lower returns a 1−δ lower confidence bound of the policy's value: the bound of the mean
// of returns cut at the horizon H, plus γ^H·lo for the rewards after H, where lo is the
// least return.
func (s *simulation) lower() float64 {
	return stat.MeanLower(s.returns, s.lo, s.hi, s.delta, s.planned) + s.tail*s.lo
}

// upper returns the corresponding upper confidence bound.
func (s *simulation) upper() float64 {
	return stat.MeanUpper(s.returns, s.lo, s.hi, s.delta, s.planned) + s.tail*s.hi
}

// simulation returns a simulation for the plan and the model, without returns yet.
func (r *Run) simulation() *simulation {
	x := &simulation{horizon: r.Spec.DefaultHorizon(), delta: r.plan.Delta, planned: r.plan.CertificateEpisodes}
	if r.Spec.Horizon == 0 {
		x.tail = math.Pow(r.Spec.Discount, float64(x.horizon))
	}
	x.lo, x.hi = solverkit.RangeOfReturns(r.model)
	return x
}

// simulate plays so many episodes of the policy of r, and those that are planned where the
// number is 0. The error is the model's.
func (r *Run) simulate(ctx context.Context, stream uint64, episodes, workers int) (*simulation, error) {
	x := r.simulation()
	episodes = cmp.Or(episodes, x.planned)
	if episodes < 0 {
		return x, nil
	}
	return x, x.play(ctx, r, r.Policy(), stream, 0, episodes, workers)
}

// play sets the returns of x to those of so many episodes of policy p of r from the
// model's start, from number first on. Episode i has a random stream made from the seed,
// stream and i. Cancelled, it keeps the episodes before the first that is not whole. The
// error is the model's.
func (s *simulation) play(ctx context.Context, r *Run, p bcpace.Policy, stream uint64, first, episodes, workers int) error {
	s.returns = nil
	if ctx.Err() != nil {
		return nil
	}
	returns := make([]float64, episodes)
	n, err := rollout.Play(ctx, episodes, cmp.Or(workers, runtime.GOMAXPROCS(0)), func() rollout.Player {
		g, _ := rollout.NewGame(r.model, bcpace.NewSimulator(r.model), bcpace.Fork(p), s.horizon)
		g.Streams = func(i int) (world, belief, choice *rand.Rand) {
			rng := rand.New(rand.NewPCG(r.plan.Seed, stream|uint64(first+i)))
			return rng, rng, rng
		}
		return func(i int) error {
			if err := g.Play(ctx, i); err == rollout.ErrDropped {
				return err
			} else if err != nil {
				return fmt.Errorf("simulated episode %d: %w", first+i, err)
			}
			returns[i] = g.Return
			return nil
		}
	}, nil)
	s.returns = returns[:n]
	if err == ctx.Err() {
		return nil
	}
	return err
}

// Simulate sets the certificate of r to the statistical one, as far as there is time for
// it: if ctx has ended before the first episode, its lower bound is the least return, and
// its upper one that which is known without more time. If ctx cuts the simulation short,
// and the bounds are not within ε all the same, Stop says so: Resume simulates again. Any
// number of workers, 0 for one per processor, gives the same certificate. An error of the
// model ends the run with stop.Fault. It is for authors of explorers.
func (r *Run) Simulate(ctx context.Context, workers int) error {
	playing, cancel := ctx, func() {}
	if r.Brackets() { // its upper bound takes time too
		playing, cancel = LeaveTime(ctx, 1-playedShare)
	}
	defer cancel()
	x, err := r.simulate(playing, simulatedStream, 0, workers)
	if err != nil {
		return r.Failed(err)
	}
	c, whole := r.withRefuted(solverkit.RangeCertificate(r.Spec), math.Inf(1)), len(x.returns) == max(x.planned, 0)
	r.Parts = GapParts{}
	if x.planned > 0 {
		grid, bounded := 0.0, false
		if c, grid, bounded, err = r.statistical(ctx, x); err != nil {
			return r.Failed(err)
		}
		r.Parts = r.partsOf(c, x, grid)
		whole = whole && bounded
	}
	r.Certificate = c
	r.endsCertified()
	if !whole && r.Stop != stop.Certified && r.Stop != stop.Refuted {
		// Without any of these, what is left was too little for a finer bound.
		r.Stop = cmp.Or(stop.Of(ctx), stop.Of(playing), stop.Deadline)
	}
	return nil
}

// Failed ends r with stop.Fault, as err has ended its exploration or its simulation, and
// returns err: the model has broken its contract, so that nothing of its values is known.
// Where err is the end of a context, after which a simulator answers no more, that is why it
// stops. It is for authors of explorers, which return the run beside the error.
func (r *Run) Failed(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		r.Stop = stop.Deadline
	case errors.Is(err, context.Canceled):
		r.Stop = stop.Interrupted
	default:
		r.Stop = stop.Fault
	}
	r.Certificate = r.founded(solverkit.RangeCertificate(r.Spec))
	return err
}

// statistical makes the certificate of simulated returns, and notes the most that they
// leave to the policy of a search; without any, it is of the upper bound alone. This has grid
// for the error of a grid. bounded is false if ctx has ended before it was there; then it is
// the best one known without it.
func (r *Run) statistical(ctx context.Context, x *simulation) (c bcpace.Certificate, grid float64, bounded bool, err error) {
	c, r.atMost = solverkit.RangeCertificate(r.Spec), math.Inf(1)
	if len(x.returns) > 0 {
		c = bcpace.Certificate{Kind: bcpace.StatisticalCertificate, Lower: x.lower(), Upper: x.hi,
			Delta: x.delta, Episodes: len(x.returns), Horizon: x.horizon}
		if r.Brackets() {
			r.atMost = x.upper()
		}
	}
	if v, ok := r.values.(provingValues); ok {
		l, u, err := v.ProvedAtStart(ctx, r)
		switch {
		case !math.IsInf(u, 1):
			if c = rangeInstead(c, u, x.lo); u < c.Upper {
				c.Upper, c.UpperBy = u, bcpace.ByProof
			}
			if c.Lower <= l && len(x.returns) > 0 { // another policy is proved to earn it
				c.LowerBy = bcpace.ByProof
			}
			c, failed := r.withRefuted(r.founded(c), math.Inf(1)).Checked(r.Spec.Name)
			return c, 0, err == nil, failed
		case err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded): // which is that of a part of the time
			return bcpace.Certificate{}, 0, false, err
		}
	}
	u, grid, err := r.values.UpperAtStart(ctx, r)
	if bounded = err == nil; !bounded && ctx.Err() == nil {
		return bcpace.Certificate{}, 0, false, err
	}
	_, proved := bcpace.AsFinite(r.model)
	assumed := math.Inf(1)
	switch {
	case proved:
		c = rangeInstead(c, u, x.lo)
		c.Upper = min(c.Upper, u)
	case u >= c.Lower:
		c.Upper = min(c.Upper, u)
	default:
		assumed = u
	}
	c, err = r.withRefuted(r.founded(c), assumed).Checked(r.Spec.Name)
	return c, grid, bounded, err
}

// rangeInstead returns c with lo, the least that a return can be, in place of a simulated
// lower bound that exceeds an upper one that is proved: the simulation has failed,
// which it may with probability δ.
func rangeInstead(c bcpace.Certificate, upper, lo float64) bcpace.Certificate {
	if c.Lower > upper {
		c.Lower, c.LowerBy, c.PolicyEarns = lo, bcpace.ByRange, bcpace.ByRange
	}
	return c
}
