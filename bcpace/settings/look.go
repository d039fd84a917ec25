package settings

import (
	"context"
	"errors"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
)

// Look is what a short look at a model shows.
type Look struct {
	// Model is the model, with the steps left in its states if it has a horizon.
	Model bcpace.Model
	// Latent are the values of its latent MDPs, and nil for a model that does not list
	// what follows a state.
	Latent bcpace.LatentValues
	// Earned is what policies earn in the same few episodes: "random" first, "always" and
	// the name of an action after it, and with Latent "qmdp" and "informed" at the end,
	// which is told the latent at every step and has no Policy.
	Earned []eval.Score
	// States and Beliefs are where random steps and, with Latent, QMDP lead, one after
	// the other: n × axes and n × latents.
	States  [][]float64
	Beliefs []bcpace.Belief
}

const (
	episodes    = 100 // of each policy
	paths       = 40  // episodes whose places are kept
	maxSteps    = 200 // of an episode
	maxBlind    = 8   // actions that are tried for ever
	seed        = 15
	aimed       = 0.7 // share of QMDP's steps among those of a path
	maxVisits   = 1000
	noisyVisits = 60
	draws       = 12 // of what follows a place, for its noise
)

// Take looks at m: it solves the latent MDPs, if m lists what follows a state, and plays
// some episodes of simple policies, always the same. It takes about as long as the latent
// MDPs do. The error is that of bcpace.SolveLatent, but for a model without a list, or
// the model's.
func Take(ctx context.Context, m bcpace.Model) (*Look, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	q, err := bcpace.SolveLatent(ctx, bcpace.KeepHorizon(m))
	if errors.As(err, new(*bcpace.UnsupportedError)) {
		return Glance(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	return look(ctx, m, q)
}

// Glance is Take without the latent values, and so takes no time to speak of.
func Glance(ctx context.Context, m bcpace.Model) (*Look, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	return look(ctx, m, nil)
}

func look(ctx context.Context, m bcpace.Model, q bcpace.LatentValues) (*Look, error) {
	x := &Look{Model: bcpace.KeepHorizon(m), Latent: q}
	if err := x.play(ctx); err != nil {
		return nil, err
	}
	return x, x.walk(ctx)
}

// play fills in what policies earn.
func (x *Look) play(ctx context.Context) error {
	spec := x.Model.Spec()
	o := eval.Options{Episodes: episodes, Horizon: steps(spec), Seed: seed}
	try := func(name string, p bcpace.Policy) error {
		r, err := eval.Rollouts(ctx, x.Model, p, o)
		x.Earned = append(x.Earned, eval.Score{Name: name, Policy: p, Result: r})
		return err
	}
	if err := try("random", bcpace.RandomPolicy(len(spec.Actions))); err != nil {
		return err
	}
	for a, action := range spec.Actions[:min(len(spec.Actions), maxBlind)] {
		if err := try("always "+action.Name, bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return a })); err != nil {
			return err
		}
	}
	if x.Latent == nil {
		return nil
	}
	if err := try("qmdp", bcpace.LatentPolicy(x.Latent, len(spec.Actions))); err != nil {
		return err
	}
	r, err := eval.Oracle(ctx, x.Model, x.Latent, o)
	x.Earned = append(x.Earned, eval.Score{Name: "informed", Result: r})
	return err
}

// steps is how many steps of an episode are played.
func steps(spec bcpace.Spec) int { return min(spec.DefaultHorizon(), maxSteps) }

// walk fills in the places visited.
func (x *Look) walk(ctx context.Context) error {
	spec := x.Model.Spec()
	p := bcpace.RandomPolicy(len(spec.Actions))
	if x.Latent != nil {
		p = cover.Mixture(aimed, bcpace.LatentPolicy(x.Latent, len(spec.Actions)), p)
	}
	for i := range paths {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t, err := eval.RecordEpisode(x.Model, p, eval.Options{Horizon: steps(spec), Seed: seed}, i)
		if err != nil {
			return err
		}
		for k := range t.Len() { // no query is made where the episode has ended
			if len(x.States) == maxVisits {
				return nil
			}
			x.States, x.Beliefs = append(x.States, t.State(k)), append(x.Beliefs, t.Belief(k))
		}
	}
	return nil
}

// earned returns what the policy of that name has earned.
func (x *Look) earned(name string) (eval.Score, bool) {
	for _, e := range x.Earned {
		if e.Name == name {
			return e, true
		}
	}
	return eval.Score{}, false
}

// Simple returns the best of the policies that pay no heed: random or blind.
func (x *Look) Simple() eval.Score {
	best := x.Earned[0]
	for _, e := range x.Earned[1:] {
		if e.Name != "qmdp" && e.Name != "informed" && e.Mean > best.Mean {
			best = e
		}
	}
	return best
}

// QMDP and Informed return what these policies earn. ok is false without Latent.
func (x *Look) QMDP() (e eval.Score, ok bool) { return x.earned("qmdp") }

// Informed is described at QMDP.
func (x *Look) Informed() (e eval.Score, ok bool) { return x.earned("informed") }

// Cover returns the size of a cover of the places visited by balls of that radius, in the
// metric with weight alpha: about how many places of a query a run with that known radius
// tells apart.
func (x *Look) Cover(ctx context.Context, alpha, radius float64) (int, error) {
	metric := bcpace.NewMetric(x.Model.Spec(), alpha)
	p := &cover.Points{Dim: metric.Dim(), Periods: metric.Periods(), Coords: make([]float64, len(x.States)*metric.Dim())}
	for i, s := range x.States {
		metric.Embed(p.Coords[i*p.Dim:], s, x.Beliefs[i])
	}
	net, err := cover.Net(ctx, p, radius, nil)
	return len(net), err
}
