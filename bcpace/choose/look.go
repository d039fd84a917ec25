package choose

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/grid"
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
	q, err := latentValues(ctx, bcpace.KeepHorizon(m))
	if errors.As(err, new(*bcpace.UnsupportedError)) {
		return Glance(ctx, m)
	}
	if err != nil {
		return nil, ended(ctx, m, "the latent values", err)
	}
	return look(ctx, m, q)
}

// latentValues returns those of a look: with many axes, on a coarse grid, unless the model has
// its own.
func latentValues(ctx context.Context, m bcpace.Model) (bcpace.LatentValues, error) {
	e, ok := m.(bcpace.Enumerator)
	_, own := m.(bcpace.LatentValues)
	if _, finite := bcpace.AsFinite(m); !ok || finite || own {
		return dp.SolveLatent(ctx, m)
	}
	if axes, err := (dp.GridOptions{}).Grid(m.Spec()); err == nil && grid.Between(axes) <= grid.FewAxes {
		return dp.SolveLatent(ctx, m)
	}
	v, err := dp.SolveGrid(ctx, e, dp.GridOptions{MaxPoints: coarsePoints})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// ended returns err, with what there was no time for if it is that of ctx.
func ended(ctx context.Context, m bcpace.Model, what string, err error) error {
	if end := ctx.Err(); end == nil || !errors.Is(err, end) {
		return err
	}
	return fmt.Errorf("a look at model %q ended before it had %s, and so suggests nothing: give it more time, or give the solver its parameters: %w", m.Spec().Name, what, ctx.Err())
}

// Glance is Take without the latent values, and so takes no time to speak of.
func Glance(ctx context.Context, m bcpace.Model) (*Look, error) {
	m, err := bcpace.Discretised(m, 0)
	if err != nil {
		return nil, err
	}
	return look(ctx, m, nil)
}

func look(ctx context.Context, m bcpace.Model, q bcpace.LatentValues) (*Look, error) {
	x := &Look{Model: bcpace.KeepHorizon(m), Latent: q}
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

// earned returns what the policy of that name has earned.
func (l *Look) earned(name string) (eval.Score, bool) {
	for _, e := range l.Earned {
		if e.Name == name {
			return e, true
		}
	}
	return eval.Score{}, false
}

// Simple returns the best of the policies that pay no heed: random or blind.
func (l *Look) Simple() eval.Score {
	best := l.Earned[0]
	for _, e := range l.Earned[1:] {
		if e.Name != "qmdp" && e.Name != "informed" && e.Mean > best.Mean {
			best = e
		}
	}
	return best
}

// QMDP and Informed return what these policies earn. ok is false without Latent.
func (l *Look) QMDP() (e eval.Score, ok bool) { return l.earned("qmdp") }

// Informed is described at QMDP.
func (l *Look) Informed() (e eval.Score, ok bool) { return l.earned("informed") }

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
