package cover

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
)

// Holes tells how far the samples of a run are from a cover of what a policy reaches.
type Holes struct {
	// Radius is that of the cover: a query is covered if a sample of its action is
	// within it.
	Radius float64
	// Draws is the number of queries drawn, and Uncovered how many had no sample
	// within Radius. Seeded counts those whose value Known Latent Initialization has:
	// they need no sample, and are covered.
	Draws, Uncovered, Seeded int
	// Missed has the states of the uncovered queries, Uncovered × axes.
	Missed []float64
	// Share is Uncovered/Draws, an estimate of the probability that a query is not
	// covered, and CI95 its exact 95 % interval (Clopper and Pearson 1934), as the
	// draws are independent.
	Share float64
	CI95  [2]float64
	// Largest is the largest distance from a query, one that is not seeded, to the
	// nearest sample of its action: +Inf where there is none, −1 where all are seeded.
	// State, Belief and Action are that query.
	// No interval comes with it: with probability 0.95, a query that is farther away
	// than Largest has a probability of 1 − 0.05^(1/Draws) at most, LargestShare.
	Largest      float64
	LargestShare float64
	State        []float64
	Belief       bcpace.Belief
	Action       int
}

// HoleOptions of MeasureHoles. Every zero value is useful.
type HoleOptions struct {
	// Radius is that of the cover. 0 means the run's, ε/L_Q̃.
	Radius float64
	// Policy draws the queries. nil means the run's own.
	Policy bcpace.Policy
	// EveryAction takes the action of each query at random, as Spec.DrawAction does,
	// instead of the policy's.
	EveryAction bool
	// Draws is the number of queries. 0 means 1,000.
	Draws int
	// Seed makes the draws.
	Seed uint64
}

// MeasureHoles draws queries (s, b, a) as a policy makes them: each from an episode of
// its own, at a step t of probability (1−γ)γ^t, the weight that the discounted return
// gives to it; for γ = 1 each step up to the horizon has the same. An episode that ends first,
// at its end or its horizon, is played again. The error is an *bcpace.InputError for options
// that cannot be used, such as a run without a radius, the model's, or the context's.
func MeasureHoles(ctx context.Context, r *runs.Run, o HoleOptions) (Holes, error) {
	in := bcpace.In("holes")
	if err := cmp.Or(in.Need(r != nil && r.Model() != nil, "run", "nil", "a run with its model"),
		in.Need(o.Draws >= 0, "Draws", o.Draws, "a number of queries, or 0 for 1000"),
		in.Need(o.Radius >= 0 && !math.IsInf(o.Radius, 1), "Radius", o.Radius, "a distance, or 0 for the run's")); err != nil {
		return Holes{}, err
	}
	if o.Radius = cmp.Or(o.Radius, r.Radius()); math.IsNaN(o.Radius) {
		return Holes{}, in.Bad("Radius", "that of a certified run, which has none", "a distance")
	}
	o.Draws = cmp.Or(o.Draws, 1000)
	if o.Policy == nil {
		o.Policy = r.Policy()
	}
	m, spec := r.Model(), r.Spec
	space := metric.NewQueries(spec, r.Alpha())
	index := make([]knn.Index, len(spec.Actions))
	for a := range index {
		index[a].Dim, index[a].Periods = space.Dim(), space.Periods()
	}
	x := make([]float64, space.Dim())
	for i := range r.Samples.Len() {
		c := r.Samples.At(i)
		a := space.Embed(x, c.State, c.Belief, c.Action)
		index[a].Add(x, int32(i))
	}
	seed := r.SeedRadius()
	h := Holes{Radius: o.Radius, Draws: o.Draws, Largest: -1}
	sim, near, policy := bcpace.NewSimulator(m), make([]knn.Neighbor, 0, 2), bcpace.Fork(o.Policy)
	for d := range o.Draws {
		rng := rand.New(rand.NewPCG(o.Seed, uint64(d)))
		action, err := drawQuery(ctx, sim, policy, spec, rng)
		if err != nil {
			return Holes{}, err
		}
		if o.EveryAction {
			action = spec.DrawAction(rng)
		}
		if _, near := metric.NearOneHot(sim.Belief, seed); near {
			h.Seeded++
			continue
		}
		a := space.Embed(x, sim.State, sim.Belief, action)
		dist := math.Inf(1)
		if near = index[a].Nearest(near, x, 1); len(near) > 0 {
			dist = near[0].Dist
		}
		if !knn.Within(dist, o.Radius, x) {
			h.Uncovered++
			h.Missed = append(h.Missed, sim.State...)
		}
		if dist > h.Largest {
			h.Largest, h.Action = dist, action
			h.State, h.Belief = append(h.State[:0], sim.State...), append(h.Belief[:0], sim.Belief...)
		}
	}
	h.Share = float64(h.Uncovered) / float64(h.Draws)
	h.CI95 = ClopperPearson(h.Uncovered, h.Draws)
	h.LargestShare = 1 - math.Pow(0.05, 1/float64(h.Draws))
	return h, nil
}

// drawQuery plays an episode to a random step and returns the policy's action there.
func drawQuery(ctx context.Context, sim *bcpace.Simulator, p bcpace.Policy, spec bcpace.Spec, rng *rand.Rand) (action int, err error) {
	can := bcpace.PolicyAbilitiesOf(p)
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := sim.Reset(rng); err != nil {
			return 0, err
		}
		if can.Begin != nil {
			can.Begin(sim.State, sim.Belief)
		}
		for t := 0; !sim.Done && (spec.Horizon == 0 || t < spec.Horizon); t++ {
			action, err := spec.Act(ctx, &can, sim.State, sim.Belief, rng)
			if err := cmp.Or(ctx.Err(), err); err != nil {
				return 0, err
			}
			stop := 1 - spec.Discount
			if stop == 0 { // each of the steps up to the horizon is as likely
				stop = 1 / float64(spec.Horizon-t)
			}
			if rng.Float64() < stop {
				return action, nil
			}
			reward, err := sim.Step(action, rng)
			if err != nil {
				return 0, err
			}
			if can.Observe != nil && !sim.Done {
				can.Observe(action, reward, sim.State)
			}
		}
	}
}

// ClopperPearson returns the exact 95 % interval of the probability of an event that
// happened k times in n ≥ 1 independent trials.
func ClopperPearson(k, n int) [2]float64 { return clopperPearson(k, n, 0.025) }

// clopperPearson is ClopperPearson with the probability that each end of the interval may err with.
func clopperPearson(k, n int, tail float64) [2]float64 {
	ci := [2]float64{0, 1}
	if k > 0 {
		ci[0] = mathext.InvRegIncBeta(float64(k), float64(n-k+1), tail)
	}
	if k < n {
		ci[1] = mathext.InvRegIncBeta(float64(k+1), float64(n-k), 1-tail)
	}
	return ci
}
