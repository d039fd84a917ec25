package family

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"
)

// ParticleOptions of NewParticles. Every zero value is useful.
type ParticleOptions struct {
	// Draws is the number of particles. If it is 0, it is 1,000.
	Draws int
	// Seed makes the particles: the same data and seed give the same ones.
	Seed uint64
}

const (
	defaultParticles = 1000
	// limit is the share of the effective sample size that is left when the particles are resampled and moved, of that after the last time.
	limit = 0.5
	// least is the share of the draws below which the effective sample size is an error.
	least = 0.1
	// metropolis is how many Metropolis moves each particle makes after it is resampled.
	metropolis = 3
)

// Particles are a posterior over θ, from what was seen of one unknown θ: draws with weights.
// They are for one goroutine.
//
// Every observation multiplies the weight of a draw by the likelihood of what has followed, in
// log space. If the prior is a list of values that has no more than the draws, they are that
// list, and the posterior is exact. Otherwise the weights come to rest on few draws. Where the
// family is Dense, the particles are then resampled and moved (Chopin, "A sequential particle
// filter method for static models", Biometrika 2002): each makes Metropolis steps, with normal
// proposals up to as wide as the particles lie, that leave the posterior of all that was seen
// unchanged. For this the history is kept, equal transitions once. An observation that says very
// much is taken in by parts.
//
// An entry of θ whose Prior is Points is not moved: other values of it are lost for good when
// their weights are.
type Particles struct {
	f      Family
	o      ParticleOptions
	params []Param
	listed bool // the particles are the whole prior
	rng    *rand.Rand

	model  bcpace.Model // of the thetas
	spec   bcpace.Spec
	thetas [][]float64
	log    []float64 // by θ: the log of its weight
	weight []float64 // its weight, sum 1
	total  []float64 // the log likelihood of the history
	gained []float64 // that of the last observation

	ess, after float64 // the effective sample size, and that after the last resampling
	history    history
	report     ParticleReport
}

// ParticleReport says how Particles have come about.
type ParticleReport struct {
	// Observations is the number of starts and transitions seen, and Distinct that of the
	// different ones.
	Observations, Distinct int
	// Particles is the number of different θ.
	Particles int
	// ESS is the effective sample size, 1/Σw² for weights w of the different θ: so many draws
	// of equal weight say as much. LeastESS is the smallest that it was after an observation,
	// and what was done about it.
	ESS, LeastESS float64
	// Resamplings is how often the particles were resampled and moved. Of Proposed moves,
	// Accepted were made.
	Resamplings, Proposed, Accepted int
}

// Acceptance returns the share of the proposed moves that were made, NaN if there were none.
func (r ParticleReport) Acceptance() float64 { return float64(r.Accepted) / float64(r.Proposed) }

// ImpossibleDataError reports an observation that has probability 0 under every particle.
type ImpossibleDataError struct {
	Observation int // its number, from 0
	State, Next []float64
	Action      string // "" for a start
	Draws       int    // the number of particles
	Listed      bool   // the particles are the whole prior
}

func (e *ImpossibleDataError) Error() string {
	seen := fmt.Sprintf("start in %v", e.Next)
	if e.Action != "" {
		seen = fmt.Sprintf("action %s from state %v to %v", strconv.Quote(e.Action), e.State, e.Next)
	}
	do := "take more draws, or a wider prior"
	if e.Listed {
		do = "take a prior with more values: these are all of it"
	}
	return fmt.Sprintf("observation %d, %s, is impossible under all %d values of θ; %s", e.Observation, seen, e.Draws, do)
}

// FewParticlesError reports that the posterior rests on too few particles, so that means and
// quantiles are not to be trusted. The observation was taken in all the same.
type FewParticlesError struct {
	Observation int     // its number, from 0
	ESS         float64 // the effective sample size
	Draws       int
	// Dense says that the particles were moved and that this did not help.
	Dense bool
}

func (e *FewParticlesError) Error() string {
	do := "take more draws, or give the family a LogDensity, so that they can be moved"
	if e.Dense {
		do = "take more draws"
	}
	return fmt.Sprintf("after observation %d the posterior rests on %.3g of %d draws; %s", e.Observation, e.ESS, e.Draws, do)
}

// NewParticles returns the prior of f as particles. The errors are *bcpace.InputError: for
// options that cannot be used, and those of Family.Model.
func NewParticles(f Family, o ParticleOptions) (*Particles, error) {
	o.Draws = cmp.Or(o.Draws, defaultParticles)
	sampling := Sampling{Draws: o.Draws, Seed: o.Seed}
	if err := sampling.check(f); err != nil {
		return nil, err
	}
	p := &Particles{f: f, o: o, params: f.Params(), rng: rand.New(rand.NewPCG(o.Seed, ^uint64(0)))}
	thetas, prob, listed := sampling.values(f)
	if p.listed = listed; prob == nil {
		prob = bcpace.Uniform(len(thetas))
	}
	if err := p.take(thetas, prob, make([]float64, len(thetas))); err != nil {
		return nil, err
	}
	p.report.LeastESS = p.ess
	p.history.axes = len(p.spec.Axes)
	return p, nil
}

// take makes thetas the particles, with their weights and the log likelihoods of the history.
func (p *Particles) take(thetas [][]float64, weight bcpace.Belief, total []float64) error {
	m, err := build(p.f, thetas)
	if err != nil {
		return err
	}
	n := len(thetas)
	p.model, p.spec, p.thetas, p.total = m, m.Spec(), thetas, total
	for _, list := range []*[]float64{&p.log, &p.weight, &p.gained} {
		*list = make([]float64, n)
	}
	for i, w := range weight {
		p.log[i] = math.Log(w)
	}
	p.normalise()
	p.after = p.ess
	return nil
}

// normalise sets weight and the effective sample size from log, of which one is finite.
func (p *Particles) normalise() {
	top := slices.Max(p.log)
	sum := 0.0
	for i, x := range p.log {
		p.log[i] = x - top
		p.weight[i] = math.Exp(x - top)
		sum += p.weight[i]
	}
	squares := 0.0
	for i := range p.weight {
		p.weight[i] /= sum
		squares += p.weight[i] * p.weight[i]
	}
	p.ess = 1 / squares
}

// Begin takes in that an episode has begun in state s. It matters where the start state tells
// something of θ (bcpace.StartLikelihood). For errors see Observe.
func (p *Particles) Begin(s []float64) error {
	if len(s) != len(p.spec.Axes) {
		return p.notState("s", s)
	}
	if bcpace.AbilitiesOf(p.model).StartLogLikelihood == nil {
		return nil
	}
	return p.observe(nil, -1, s)
}

// Observe takes in that an action has led from state s to state next.
//
// The error is an *ImpossibleDataError if no particle allows that, and the posterior is then
// as before; a *FewParticlesError if the posterior rests on too few particles; an
// *bcpace.InputError for states and actions that the family does not have; a
// *bcpace.ConformanceError for a likelihood that is no number; or that of Family.Model.
func (p *Particles) Observe(s []float64, action int, next []float64) error {
	switch {
	case len(s) != len(p.spec.Axes):
		return p.notState("s", s)
	case len(next) != len(p.spec.Axes):
		return p.notState("next", next)
	case !p.spec.IsAction(action):
		return bcpace.In("model "+strconv.Quote(p.spec.Name)).Bad("action", action, p.spec.WantAction())
	}
	for _, state := range [2][]float64{s, next} {
		if off, want := p.spec.OffAxes(state); off != "" {
			return bcpace.In("model "+strconv.Quote(p.spec.Name)).Bad("the state", fmt.Sprint(state)+", "+off, want)
		}
	}
	return p.observe(s, action, next)
}

func (p *Particles) notState(what string, s []float64) error {
	return bcpace.In("model "+strconv.Quote(p.spec.Name)).Bad(what, fmt.Sprintf("%d long", len(s)), fmt.Sprintf("%d, one entry for each axis", len(p.spec.Axes)))
}

// observe takes in a transition, or a start if action is −1.
func (p *Particles) observe(s []float64, action int, next []float64) error {
	possible, err := p.gain(s, action, next)
	if err != nil {
		return err
	}
	number := p.report.Observations
	if !possible {
		e := &ImpossibleDataError{Observation: number, State: slices.Clone(s), Next: slices.Clone(next), Draws: len(p.thetas), Listed: p.listed}
		if action >= 0 {
			e.Action = p.spec.ActionName(action)
		}
		return e
	}
	p.report.Observations++
	dense, isDense := p.f.(Dense)
	if p.listed || !isDense {
		p.reweigh(1)
	} else if err := p.temper(dense, p.history.number(s, action, next)); err != nil {
		return err
	}
	p.report.LeastESS = min(p.report.LeastESS, p.ess)
	if !p.listed && p.ess < least*float64(p.o.Draws) {
		return &FewParticlesError{Observation: number, ESS: p.ess, Draws: p.o.Draws, Dense: isDense}
	}
	return nil
}

// gain sets gained to the log likelihoods of a transition, and reports whether some particle
// allows it.
func (p *Particles) gain(s []float64, action int, next []float64) (possible bool, err error) {
	for i, log := range p.log {
		if math.IsInf(log, -1) {
			p.gained[i] = log
			continue
		}
		x := likelihood(p.model, s, action, next, i)
		if math.IsNaN(x) || math.IsInf(x, 1) {
			return false, p.spec.Fault(s, action, i, "the log likelihood of %v is %v, want a number or −Inf", next, x)
		}
		p.gained[i] = x
		possible = possible || !math.IsInf(x, -1)
	}
	return possible, nil
}

// reweigh multiplies the weights by a power of the likelihoods gained.
func (p *Particles) reweigh(power float64) {
	for i, x := range p.gained {
		p.log[i] += power * x
		p.total[i] += power * x
	}
	p.normalise()
}

// temper takes in the last transition, which has a number in the history, and moves the
// particles where their weights have become too uneven. If a single transition would leave next
// to none of them, powers of its likelihood are taken in one after the other, with moves
// between them (Del Moral, Doucet and Jasra 2006).
func (p *Particles) temper(f Dense, number int) error {
	const most = 100 // parts
	for part, left := 0, 1.0; left > 0; part++ {
		power, before := left, p.ess
		log, total := slices.Clone(p.log), slices.Clone(p.total)
		p.reweigh(power)
		if p.ess < limit*before && p.ess < 2*least*float64(p.o.Draws) && part < most {
			p.log, p.total = log, total
			power = p.powerFor(left)
			p.reweigh(power)
		}
		p.history.count[number] += power
		if left -= power; p.ess >= limit*p.after {
			continue
		}
		if err := p.move(f); err != nil {
			return err
		}
		if left > 0 {
			if _, err := p.gain(p.history.at(number)); err != nil {
				return err
			}
		}
	}
	return nil
}

// powerFor returns the power of the likelihoods gained, below most, that leaves as much of the
// effective sample size as Limit says.
func (p *Particles) powerFor(most float64) float64 {
	floor, low, high := limit*p.essAt(0), 0.0, most // it falls with the power
	for range 30 {
		if middle := (low + high) / 2; p.essAt(middle) < floor {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// essAt returns the effective sample size with a power of the likelihoods gained, of 0 without
// those particles that rule the transition out.
func (p *Particles) essAt(power float64) float64 {
	at := func(i int) float64 {
		if math.IsInf(p.gained[i], -1) {
			return p.gained[i]
		}
		return p.log[i] + power*p.gained[i]
	}
	top := math.Inf(-1)
	for i := range p.log {
		top = max(top, at(i))
	}
	sum, squares := 0.0, 0.0
	for i := range p.log {
		w := math.Exp(at(i) - top)
		sum += w
		squares += w * w
	}
	return sum * sum / squares
}

// likelihood returns the log likelihood of a transition, or of a start if action is −1.
func likelihood(m bcpace.Model, s []float64, action int, next []float64, latent int) float64 {
	if action >= 0 {
		return m.LogLikelihood(s, action, next, latent)
	}
	if l, ok := m.(bcpace.StartLikelihood); ok {
		return l.StartLogLikelihood(next, latent)
	}
	return 0
}

// ESS returns the effective sample size; see ParticleReport.
func (p *Particles) ESS() float64 { return p.ess }

// Report says how the particles have come about.
func (p *Particles) Report() ParticleReport {
	r := p.report
	r.ESS, r.Particles, r.Distinct = p.ess, len(p.thetas), len(p.history.count)
	return r
}

// Draw sets θ to a draw from the posterior.
func (p *Particles) Draw(θ []float64, rng *rand.Rand) {
	copy(θ, p.thetas[bcpace.Belief(p.weight).Sample(rng)])
}

// Mean sets mean to the posterior mean of θ.
func (p *Particles) Mean(mean []float64) {
	clear(mean)
	for i, θ := range p.thetas {
		for j, x := range θ {
			mean[j] += p.weight[i] * x
		}
	}
}

// Expect returns the posterior mean of a function of θ.
func (p *Particles) Expect(f func(θ []float64) float64) float64 {
	sum := 0.0
	for i, θ := range p.thetas {
		if w := p.weight[i]; w > 0 {
			sum += w * f(θ)
		}
	}
	return sum
}

// Quantile returns the posterior quantile of an entry of θ: its smallest value that is
// exceeded with probability 1 − u at most.
func (p *Particles) Quantile(entry int, u float64) float64 {
	return quantile(Column(p.thetas, entry), func(i int) float64 { return p.weight[i] }, u)
}

// Model returns the model of the different θ of the particles, with their weights for its
// prior. It is not changed by what is observed later. The error is that of bcpace.WithPrior.
func (p *Particles) Model() (bcpace.Model, error) { return bcpace.WithPrior(p.model, p.weight) }
