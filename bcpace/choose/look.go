package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/metric"
)

// Look is what a short look at a model shows.
type Look struct {
	// Model is the model, with the steps left in its states if it has a horizon.
	Model bcpace.Model
	// Latent are the values of its latent MDPs, and nil for a model that does not list
	// what follows a state. As cpace.Solver.Latent they spare a solver their computation; but
	// its run file does then not hold them, so that they must be given again to read it.
	Latent bcpace.LatentValues
	// Earned is what policies earn in the same few episodes: "random" first, "always" and
	// the name of an action after it, and with Latent "qmdp" and "informed" at the end,
	// which is told the latent at every step and has no Policy.
	Earned []eval.Score
	// States and Beliefs are where random steps and, with Latent, QMDP lead, one after
	// the other: n × axes and n × latents.
	States  [][]float64
	Beliefs []bcpace.Belief

	few bool // fewEpisodes of random actions alone
}

const (
	episodes    = 100 // of each policy
	paths       = 40  // episodes whose places are kept
	fewEpisodes = 4   // of a look that was cut short
	maxSteps    = 200 // of an episode
	maxBlind    = 8   // actions that are each tried in all steps
	seed        = 15
	aimed       = 0.7 // share of QMDP's steps among those of a path
	maxVisits   = 1000
	noisyVisits = 60
	draws       = 12 // of what follows a place, for its noise

	coarsePoints = 2000
)

// Take looks at m: it solves the latent MDPs, if m lists what follows a state, and plays
// some episodes of simple policies, always the same. It takes about as long as the latent
// MDPs do; with more than two axes to interpolate on, they are those on a coarse grid, which
// takes seconds. The error is that of dp.SolveLatent, but for a model without a list;
// the model's; or that of ctx, with what there was no time for.
func Take(ctx context.Context, m bcpace.Model) (*Look, error) {
	m, err := bcpace.Discretised(m, 0)
	if err != nil {
		return nil, err
	}
	kept, o := bcpace.KeepHorizon(m), dp.GridOptions{}
	if axes, err := o.Grid(kept.Spec()); err != nil || grid.Between(axes) > grid.FewAxes {
		o.MaxPoints = coarsePoints // of a model that has no values of its own, and no numbered states
	}
	q, err := dp.SolveLatentOn(ctx, kept, o)
	if err != nil && !errors.As(err, new(*bcpace.UnsupportedError)) {
		return nil, ended(ctx, m, "the latent values", err)
	}
	return look(ctx, m, q, false)
}

// ended returns err, with what there was no time for if it is that of ctx.
func ended(ctx context.Context, m bcpace.Model, what string, err error) error {
	if end := ctx.Err(); end == nil || !errors.Is(err, end) {
		return err
	}
	return fmt.Errorf("a look at model %q ended before it had %s, and so suggests nothing: give it more time, or give the solver its parameters: %w", m.Spec().Name, what, ctx.Err())
}

// Glance is Take without the latent values, and so takes no time to speak of.
func Glance(ctx context.Context, m bcpace.Model) (*Look, error) { return look(ctx, m, nil, false) }

// look plays and walks in a model: fewEpisodes with random actions where few.
func look(ctx context.Context, m bcpace.Model, q bcpace.LatentValues, few bool) (*Look, error) {
	m, err := bcpace.Discretised(m, 0) // which leaves a model as it is whose actions are listed
	if err != nil {
		return nil, err
	}
	x := &Look{Model: bcpace.KeepHorizon(m), Latent: q, few: few}
	if err := x.play(ctx); err != nil {
		return nil, ended(ctx, m, "played simple policies", err)
	}
	if err := x.walk(ctx); err != nil {
		return nil, ended(ctx, m, "visited places", err)
	}
	return x, nil
}

// play fills in what policies earn.
func (l *Look) play(ctx context.Context) error {
	spec := l.Model.Spec()
	o := eval.Options{Episodes: episodes, Horizon: steps(spec), Seed: seed}
	try := func(name string, p bcpace.Policy) error {
		r, err := eval.Rollouts(ctx, l.Model, p, o)
		l.Earned = append(l.Earned, eval.Score{Name: name, Policy: p, Result: r})
		return err
	}
	if l.few {
		o.Episodes = fewEpisodes
	}
	if err := try("random", bcpace.RandomPolicy(l.Model)); err != nil || l.few {
		return err
	}
	for a, action := range spec.Actions[:min(len(spec.Actions), maxBlind)] {
		if err := try("always "+action.Name, bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return a })); err != nil {
			return err
		}
	}
	if l.Latent == nil {
		return nil
	}
	if err := try("qmdp", dp.LatentPolicy(l.Latent, len(spec.Actions))); err != nil {
		return err
	}
	r, err := eval.Oracle(ctx, l.Model, l.Latent, o)
	l.Earned = append(l.Earned, eval.Score{Name: "informed", Result: r})
	return err
}

// steps is how many steps of an episode are played.
func steps(spec bcpace.Spec) int { return min(spec.DefaultHorizon(), maxSteps) }

// walk fills in the places visited.
func (l *Look) walk(ctx context.Context) error {
	spec := l.Model.Spec()
	p := bcpace.RandomPolicy(l.Model)
	if l.Latent != nil {
		p = cover.Mixture(aimed, dp.LatentPolicy(l.Latent, len(spec.Actions)), p)
	}
	episodes := paths
	if l.few {
		episodes = fewEpisodes
	}
	for i := range episodes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t, err := eval.RecordEpisode(l.Model, p, eval.Options{Horizon: steps(spec), Seed: seed}, i)
		if err != nil {
			return err
		}
		for k := range t.Len() { // no query is made where the episode has ended
			if len(l.States) == maxVisits {
				return nil
			}
			l.States, l.Beliefs = append(l.States, t.State(k)), append(l.Beliefs, t.Belief(k))
		}
	}
	return nil
}

// scores returns what was earned by the best of the policies that pay no heed, random or blind, and with Latent by QMDP
// and the informed policy.
func (l *Look) scores() (simple, qmdp, informed eval.Score) {
	blind := len(l.Earned)
	if l.Latent != nil {
		blind -= 2
		qmdp, informed = l.Earned[blind], l.Earned[blind+1]
	}
	simple = slices.MaxFunc(l.Earned[:blind], func(a, b eval.Score) int { return cmp.Compare(a.Mean, b.Mean) })
	return simple, qmdp, informed
}

// Cover returns the size of a cover of the places visited by balls of that radius, in the
// metric with weight alpha: about how many places of a query a run with that known radius
// tells apart.
func (l *Look) Cover(ctx context.Context, alpha, radius float64) (int, error) {
	metric := metric.New(l.Model.Spec(), alpha)
	p := &cover.Points{Dim: metric.Dim(), Periods: metric.Periods(), Coords: make([]float64, len(l.States)*metric.Dim())}
	for i, s := range l.States {
		metric.Embed(p.Coords[i*p.Dim:], s, l.Beliefs[i])
	}
	net, err := cover.Net(ctx, p, radius, nil)
	return len(net), ended(ctx, l.Model, "counted the places", err)
}

// Gain returns what is to be gained by acting well, in reward units, and what that is. It
// is never 0.
func (l *Look) Gain() (gain float64, what string) {
	spec := l.Model.Spec()
	rewards := cmp.Or(spec.RewardMax-spec.RewardMin, 1e-6)
	simple, _, best := l.scores()
	switch dev := l.Earned[0].StdDev; {
	case l.Latent != nil && best.Mean-simple.Mean > 1e-3*rewards:
		return best.Mean - simple.Mean, fmt.Sprintf("what lies between %s (%.4g) and the informed policy (%.4g)", simple.Name, simple.Mean, best.Mean)
	case l.Latent == nil && dev > 1e-3*rewards:
		return 2 * dev, fmt.Sprintf("twice the deviation of a random policy's return (%.4g)", dev)
	}
	return rewards, "the range of rewards, as policies earn about the same"
}

// Spread returns the mean distance of two visited places, in the metric with weight alpha.
func (l *Look) Spread(alpha float64) float64 {
	metric := metric.New(l.Model.Spec(), alpha)
	return l.mean(func(i, j int) float64 { return metric.Distance(l.States[i], l.Beliefs[i], l.States[j], l.Beliefs[j]) })
}

// mean returns the mean of f over pairs of visits.
func (l *Look) mean(f func(i, j int) float64) float64 {
	sum, n, rng := 0.0, 500, newRNG()
	for range n {
		sum += f(rng.IntN(len(l.States)), rng.IntN(len(l.States)))
	}
	return sum / float64(n)
}

// Noise returns the standard deviation of what a step leads to: of its reward and, with
// Latent, the value after it, in reward units. It is the median over visited places, for
// the noisiest of the actions that are not out of the question. The error is the model's.
func (l *Look) Noise() (float64, error) {
	spec, rng := l.Model.Spec(), newRNG()
	gain, _ := l.Gain()
	sim := bcpace.NewSimulator(l.Model)
	variances := make([][]float64, len(spec.Actions))
	for range noisyVisits {
		i := rng.IntN(len(l.States))
		for _, a := range l.sensible(i, gain) {
			var seen []float64
			for range draws {
				copy(sim.State, l.States[i])
				copy(sim.Belief, l.Beliefs[i])
				sim.Latent, sim.Done = l.Beliefs[i].Sample(rng), false
				v, err := sim.Step(a, rng)
				if err != nil {
					return 0, err
				}
				if l.Latent != nil && !sim.Done {
					v += spec.Discount * l.value(sim.State, sim.Belief)
				}
				seen = append(seen, v)
			}
			variances[a] = append(variances[a], stat.Variance(seen, nil))
		}
	}
	most, _ := num.Largest(len(variances), func(a int) float64 { return quantile(variances[a], 0.5) })
	return math.Sqrt(most), nil
}

// value is that of QMDP at (s, b).
func (l *Look) value(s []float64, b bcpace.Belief) float64 {
	v, _ := num.Largest(len(l.Model.Spec().Actions), func(a int) float64 { return dp.Expected(l.Latent, s, b, a) })
	return v
}

// sensible returns the actions of a visit that are not worse than the best one, as QMDP
// sees them, by more than all that is to be gained; all of them without Latent.
func (l *Look) sensible(visit int, gain float64) (actions []int) {
	least := math.Inf(-1)
	if l.Latent != nil {
		least = l.value(l.States[visit], l.Beliefs[visit]) - gain
	}
	for a := range l.Model.Spec().Actions {
		if l.Latent == nil || !(dp.Expected(l.Latent, l.States[visit], l.Beliefs[visit], a) < least) {
			actions = append(actions, a)
		}
	}
	return actions
}

func newRNG() *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
