package family

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// Resampled is a Solver for the models of draws of a family. It solves them by another one. Its
// policy goes on from there: as an episode tells of θ, the belief comes to rest on few of the
// draws, none of which need be close to θ. Then the policy draws from the posterior (Particles),
// solves the model of these draws, and acts by that.
//
// The solution's bounds are those of the other solver. What the policy earns in the model, or
// under the prior of the family, is not known before it is simulated, as Bracket does.
type Resampled struct {
	// Family is that of the models.
	Family Family `json:"-"`
	// Solver solves models of draws.
	Solver bcpace.Solver
	// Limit, in (0, 1), says when the policy solves again: when the effective sample size of the
	// belief, 1/Σb², is less than so far on the way from 1 to the number of draws in use. If it
	// is 0, it is 0.5.
	Limit float64 `json:",omitempty"`
	// Most is how often an episode is solved again at most. If it is 0, it is 10.
	Most int `json:",omitempty"`
	// Particles are the options of the posterior. It has the same seed in each episode.
	Particles ParticleOptions
}

// Name implements bcpace.Solver.
func (Resampled) Name() string { return "resampled" }

// Solve implements bcpace.Solver. The policy is a *ResampledPolicy; see bcpace.AsEpisodic. It
// solves again on as many draws as m has latents, unless these are the whole list that the
// prior is. The error is an *bcpace.InputError for parameters that cannot be used, or that of
// the other solver.
func (r Resampled) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	bad := bcpace.In("options").Bad
	if r.Limit == 0 {
		r.Limit = 0.5
	}
	if r.Most == 0 {
		r.Most = 10
	}
	switch {
	case r.Family == nil:
		return nil, bad("Family", "nil", "the family of the model")
	case r.Solver == nil:
		return nil, bad("Solver", "nil", "a solver")
	case !(r.Limit > 0 && r.Limit < 1):
		return nil, bad("Limit", r.Limit, "a share in (0, 1), or 0 for 0.5")
	case r.Most < 0:
		return nil, bad("Most", r.Most, "a number of times, or 0 for 10")
	}
	found, err := r.Solver.Solve(ctx, m, c)
	if err != nil || found.Policy == nil {
		return found, err
	}
	model, err := bcpace.ForPolicy(m, found.Policy)
	if err != nil {
		return nil, err
	}
	prior, err := newParticles(r.Family, r.Particles, found.Policy)
	if err != nil {
		return nil, err
	}
	spec := model.Spec()
	p := &ResampledPolicy{by: r, ctx: context.Background(), prior: prior, first: found.Policy, model: model, axes: len(spec.Axes), draws: len(spec.Latents)}
	if list, _ := support(r.Family); list != nil && len(list) == p.draws {
		p.by.Most = 0
	}
	solution := *found
	solution.Solver, solution.Policy, solution.Record, solution.Value = r, bcpace.PolicyOf(model, p), nil, math.NaN()
	solution.Certificate.PolicyEarns = bcpace.NotKnown
	return &solution, nil
}

// Resampling is a time at which a ResampledPolicy has solved again.
type Resampling struct {
	Step int // of the episode
	// ESS is the effective sample size of the belief over the Draws in use before.
	ESS   float64
	Draws int
	// Few says that the posterior rested on too few particles then; see FewParticlesError.
	Few bool
	// Err is the error of the solver, if any; the policy has then gone on as before.
	Err error
}

// ResampledPolicy is the policy of a Resampled. The belief that it is given does not matter:
// it keeps one of its own over its draws. It is for one goroutine.
type ResampledPolicy struct {
	by    Resampled
	ctx   context.Context
	prior *Particles    // that have observed nothing
	first bcpace.Policy // for model
	model bcpace.Model
	axes  int
	draws int // latents of model

	policy    bcpace.Policy // in use
	episodic  bcpace.Episodic
	bayes     *bcpace.Bayes
	belief    bcpace.Belief // over the draws in use
	posterior *Particles
	few       bool // particles are left
	ruledOut  bool // the draws in use, by what was seen

	at       []float64 // state of the last action
	followed bool      // Observe has said what followed it
	step     int
	record   []Resampling
}

var (
	_ bcpace.Episodic  = (*ResampledPolicy)(nil)
	_ bcpace.Forker    = (*ResampledPolicy)(nil)
	_ bcpace.LongActor = (*ResampledPolicy)(nil)
)

// Resamplings returns when the policy has solved again in the episode.
func (p *ResampledPolicy) Resamplings() []Resampling { return slices.Clone(p.record) }

// Posterior returns what the episode has told of θ; nil before its first action. It goes on with
// the episode.
func (p *ResampledPolicy) Posterior() *Particles { return p.posterior }

// Begin implements bcpace.Episodic.
func (p *ResampledPolicy) Begin([]float64, bcpace.Belief) { p.followed = false }

// begin begins an episode in state s.
func (p *ResampledPolicy) begin(s []float64) {
	p.step, p.record, p.few = 0, nil, false
	p.posterior = p.prior.fork()
	_ = p.posterior.Begin(s) // a start that no particle allows tells nothing
	p.use(p.model, bcpace.Fork(p.first), s)
	if l, ok := bcpace.AsStartLikelihood(p.model); ok {
		_ = p.bayes.Condition(p.belief, s, l) // which leaves the prior
	}
}

// use goes on from state s with a model and a policy for it.
func (p *ResampledPolicy) use(m bcpace.Model, policy bcpace.Policy, s []float64) {
	p.policy, p.bayes, p.belief = bcpace.Within(p.ctx, policy), bcpace.NewBayes(m), make(bcpace.Belief, len(m.Spec().Latents))
	m.Prior(p.belief)
	p.ruledOut = false
	if p.episodic, _ = bcpace.AsEpisodic(p.policy); p.episodic != nil {
		p.episodic.Begin(s, p.belief)
	}
}

// ess returns the effective sample size of the belief.
func (p *ResampledPolicy) ess() float64 {
	sum := 0.0
	for _, w := range p.belief {
		sum += w * w
	}
	return 1 / sum
}

// Act implements bcpace.Policy. An Act that does not follow an Observe begins an episode. It
// may take as long as the solver does.
func (p *ResampledPolicy) Act(s []float64, _ bcpace.Belief, rng *rand.Rand) int {
	if len(s) != p.axes {
		return -1
	}
	if !p.followed {
		p.begin(s)
	}
	p.followed = false
	if ess := p.ess(); (p.ruledOut || ess < 1+p.by.Limit*float64(len(p.belief)-1)) && len(p.record) < p.by.Most {
		x := Resampling{Step: p.step, ESS: ess, Draws: len(p.belief), Few: p.few}
		x.Err = p.again(s, rng)
		p.record = append(p.record, x)
	}
	p.at = append(p.at[:0], s...)
	return p.policy.Act(s, p.belief, rng)
}

// again solves the model of draws from the posterior.
func (p *ResampledPolicy) again(s []float64, rng *rand.Rand) error {
	thetas := rows(p.draws, len(p.prior.params))
	for _, θ := range thetas {
		p.posterior.Draw(θ, rng)
	}
	different, prior := merged(thetas)
	m, err := build(p.by.Family, different)
	if err != nil {
		return err
	}
	if prior != nil {
		if m, err = bcpace.WithPrior(m, prior); err != nil {
			return err
		}
	}
	found, err := p.by.Solver.Solve(p.ctx, m, bcpace.Control{Workers: 1})
	if err != nil {
		return err
	}
	if m, err = bcpace.ForPolicy(m, found.Policy); err != nil {
		return err
	}
	p.use(m, found.Policy, s)
	return nil
}

// Observe implements bcpace.Episodic. What no particle allows tells nothing of θ.
func (p *ResampledPolicy) Observe(action int, reward float64, next []float64) {
	p.followed = true
	p.step++
	if p.episodic != nil {
		p.episodic.Observe(action, reward, next)
	}
	var few *FewParticlesError
	if err := p.posterior.Observe(p.at, action, next); err == nil || errors.As(err, &few) {
		p.few = err != nil
	}
	if err := p.bayes.Update(p.belief, p.belief, p.at, action, next); err != nil {
		p.ruledOut = true
	}
}

// Fork implements bcpace.Forker.
func (p *ResampledPolicy) Fork() bcpace.Policy {
	return &ResampledPolicy{by: p.by, ctx: p.ctx, prior: p.prior, first: bcpace.Fork(p.first), model: p.model, axes: p.axes, draws: p.draws}
}

// Within implements bcpace.LongActor.
func (p *ResampledPolicy) Within(ctx context.Context) bcpace.Policy {
	q := p.Fork().(*ResampledPolicy)
	q.ctx = ctx
	return q
}
