package bcpace

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

// ReturnRange is a Model that knows a range of its returns tighter than
// Spec.VMin and Spec.VMax, which have the extreme rewards come at every step.
// Confidence bounds of a mean return grow with the range.
type ReturnRange interface {
	// ReturnRange returns lo ≤ 0 ≤ hi such that the discounted return from every
	// state, of every policy and cut after any number of steps, lies in [lo, hi].
	ReturnRange() (lo, hi float64)
}

// returnRange returns the range of the returns of m.
func returnRange(m Model, spec Spec) (lo, hi float64) {
	lo, hi = spec.VMin(), spec.VMax()
	if r, ok := m.(ReturnRange); ok {
		l, h := r.ReturnRange()
		lo, hi = max(lo, l), min(hi, h)
	}
	return lo, hi
}

const (
	// An exploration that gives bounds of its own takes seconds, and deserves a
	// simulation that tells as much.
	defaultSimulated   = 2000
	certifiedSimulated = 20_000
	defaultDelta       = 0.05
)

// Streams of random numbers that no episode of an exploration has.
const (
	simulatedStream = 1 << 63
	verifyStream    = 1 << 62
)

// simulation is a sample of independent returns of a policy.
type simulation struct {
	returns []float64 // of whole episodes, cut at horizon
	horizon int
	planned int
	lo, hi  float64 // the range of a return
	tail    float64 // γ^horizon, or 0 where the model ends every episode by then
	delta   float64
}

// lower returns a 1−δ lower confidence bound of the policy's value: the bound of
// the mean of returns cut at the horizon H, plus γ^H·lo for what follows, lo ≤ 0
// being the least that can.
func (x *simulation) lower() float64 {
	return LowerMean(x.returns, x.lo, x.hi, x.delta, x.planned) + x.tail*x.lo
}

// upper is lower upside down.
func (x *simulation) upper() float64 {
	return UpperMean(x.returns, x.lo, x.hi, x.delta, x.planned) + x.tail*x.hi
}

// simulation returns what the options and the model say of a simulation, which has
// no returns yet.
func (r *Run) simulation() *simulation {
	spec, o := r.Spec, r.Options
	x := &simulation{horizon: spec.DefaultHorizon(), delta: o.Delta, planned: o.Simulated}
	if x.delta == 0 {
		x.delta = defaultDelta
	}
	if o.Algorithm == Certified {
		orInt(&x.planned, certifiedSimulated)
	}
	orInt(&x.planned, defaultSimulated)
	if spec.Horizon == 0 {
		x.tail = math.Pow(spec.Discount, float64(x.horizon))
	}
	x.lo, x.hi = returnRange(r.model, spec)
	return x
}

// simulate plays so many episodes of the policy of r from the model's start, and
// those that are planned where the number is 0. Episode i has a random
// stream made from the seed, stream and i. Cancelled, it keeps the episodes
// before the first that is not whole. The error is the model's.
func (r *Run) simulate(ctx context.Context, stream uint64, episodes int) (*simulation, error) {
	spec, o := r.Spec, r.Options
	x := r.simulation()
	orInt(&episodes, x.planned)
	if episodes < 0 || ctx.Err() != nil {
		return x, nil
	}
	workers := o.Workers
	orInt(&workers, runtime.GOMAXPROCS(0))
	workers = min(workers, episodes)
	x.returns = make([]float64, episodes)
	whole, failed := make([]bool, episodes), make([]error, episodes)
	var wg sync.WaitGroup
	for w := range workers {
		p := r.Policy()
		wg.Go(func() {
			sim := NewSimulator(r.model)
			for i := w; i < episodes && ctx.Err() == nil; i += workers {
				rng := rand.New(rand.NewPCG(o.Seed, stream|uint64(i)))
				x.returns[i], whole[i], failed[i] = playOut(ctx, sim, p, x.horizon, spec.Discount, rng)
				if failed[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for i, ok := range whole {
		if failed[i] != nil {
			return nil, fmt.Errorf("simulated episode %d: %w", i, failed[i])
		}
		if !ok {
			x.returns = x.returns[:i]
			break
		}
	}
	return x, nil
}

// playOut plays one episode with p and returns its discounted return. It is not
// whole where ctx was cancelled meanwhile.
func playOut(ctx context.Context, sim *Simulator, p Policy, horizon int, discount float64, rng *rand.Rand) (ret float64, whole bool, err error) {
	if err := sim.Reset(rng); err != nil {
		return 0, false, err
	}
	for t, factor := 0, 1.0; t < horizon && !sim.Done; t++ {
		if t%stepsBetweenLooks == stepsBetweenLooks-1 && ctx.Err() != nil {
			return 0, false, nil
		}
		reward, err := sim.Step(p.Act(sim.State, sim.Belief, rng), rng)
		if err != nil {
			return 0, false, fmt.Errorf("step %d: %w", t, err)
		}
		ret += factor * reward
		factor *= discount
	}
	return ret, true, nil
}

// certifyBySimulation sets the certificate of r to the statistical one, if there
// is time for it: none, where ctx has ended before the first episode.
func (r *Run) certifyBySimulation(ctx context.Context) error {
	r.Certificate = noCertificate(r.Spec)
	x, err := r.simulate(ctx, simulatedStream, 0)
	if err != nil || len(x.returns) == 0 {
		return err
	}
	c, err := r.statistical(ctx, x)
	if err == nil {
		r.Certificate = c
	}
	return err
}

// statistical makes the certificate of simulated returns. Its upper bound is the
// range of returns where ctx ends before another one is there.
func (r *Run) statistical(ctx context.Context, x *simulation) (Certificate, error) {
	c := Certificate{Kind: StatisticalCertificate, Lower: x.lower(), Upper: x.hi,
		Delta: x.delta, Episodes: len(x.returns), Horizon: x.horizon}
	u, err := r.Value, error(nil) // of a run that is older than gridUpper
	if r.est != nil {
		u, err = r.latentUpper(ctx)
	} else if r.Certificate.Assumes != assumesSlope {
		u, err = r.gridUpper(ctx)
	}
	_, proved := AsFinite(r.model)
	switch {
	case err != nil && ctx.Err() == nil:
		return Certificate{}, err
	case err != nil:
	case proved:
		c = c.refuted(u, x.lo)
		c.Upper = min(c.Upper, u)
	case u >= c.Lower:
		c.Upper = min(c.Upper, u)
		// Otherwise u is refuted: what it rests on, a grid or a Lipschitz constant,
		// does not hold.
	}
	return r.founded(c).checked(r.Spec.Name)
}

// refuted returns c with lo, the least that a return can be, in place of a simulated
// lower bound that exceeds an upper one that is proved: the simulation has failed,
// which it may with probability δ.
func (c Certificate) refuted(upper, lo float64) Certificate {
	if c.Lower > upper {
		c.Lower, c.LowerBy, c.PolicyEarns = lo, ByRange, ByRange
	}
	return c
}

// latentUpper returns an upper bound of the optimal value at the start that
// follows from the latent MDPs: a proven one for a Finite model.
func (r *Run) latentUpper(ctx context.Context) (float64, error) {
	_, top := returnRange(r.model, r.Spec)
	bound, err := r.latentBound(ctx)
	if bound == nil || err != nil {
		return top, err
	}
	return AtStart(r.model, func(s []float64, b Belief) float64 {
		u := math.Inf(-1)
		for a := range r.Spec.Actions {
			u = max(u, bound.Upper(s, b, a))
		}
		return u
	})
}

// latentBound returns a bound from the latent values of r where r has computed
// them, and a computed one for another Finite model; nil where there is none.
func (r *Run) latentBound(ctx context.Context) (UpperBound, error) {
	if cutsEpisodes(r.model) { // a run from before the steps left were in the states
		return nil, nil
	}
	values := r.LatentValues()
	if r.Options.Latent != nil {
		values = nil // the user's own may be anything
	}
	switch v := values.(type) {
	case *FiniteValues:
		if KindOf(r.model) != Redrawn { // the fast informed bound is QMDP
			return QMDPBound{Values: v, Slack: v.Error}, nil
		}
	case *GridValues:
		return QMDPBound{Values: v, Slack: v.Error}, nil
	}
	if f, ok := AsFinite(r.model); ok {
		// Not latentOrNil: a typed nil beside an error is not looked at.
		return SolveFIB(ctx, f)
	}
	return nil, nil
}
