package policysearch

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/rollout"
	"bayescpace/bcpace/solverkit"
)

const (
	// Policies are compared in mostValid episodes, or in as many as a tenth of Solver.MaxSteps is
	// enough for, and in leastValid at least.
	mostValid  = 512
	validShare = 10
	leastValid = 16
	finalists  = 4 // policies that play fresh episodes at the end, twice as many as in a validation

	fewEpisodes, manyEpisodes = 16, 64 // of a policy in the first generation, and in late ones

	validEvery      = 3  // generations
	heat            = 9  // generations of each population before the best one goes on
	heatShare       = 20 // of Solver.MaxSteps, or of what there is time for, the part that a population takes for these at most
	patience        = 12 // validations of a population without a better policy
	firstGrowth     = 2  // times the population that CMA-ES has by default
	mostDoubled     = 4
	firstStep       = 0.3
	valuePopulation = 16 // policies that go by values alone

	greed = 10 // the weight of rewards at once where a population begins with them

	// Each generation plays episodes of its own.
	validationStream = 1 << 63
	drawStream       = 1 << 62
	finalStream      = 1 << 61
	scaleStream      = 1 << 60
	valueStream      = 1 << 59
	latentStream     = 1 << 58
	paceStream       = 1 << 57
)

// search is a search under way.
type search struct {
	ctx     context.Context
	f       *family
	seed    uint64
	workers int
	limit   int64 // steps
	paced   int64 // of these, as many as there is time for
	spent   bool  // they are, as what is left is too little for a generation
	steps   atomic.Int64
	played  atomic.Int64 // episodes
	horizon int          // steps of an episode
	depth   int          // of one in a generation: what is later is worth no more than 1 %
	real    bool         // some axis has real numbers
	least   float64      // return
	valid   int          // episodes of a validation
	few     int          // of a policy in the first generation
	ended   atomic.Bool  // the context has
	players sync.Pool    // of *player
	tell    func(bcpace.Progress)

	from  []float64 // the weights with which it begins, nil for none
	known int       // the latent of all episodes, −1 where it is hidden
	best  *policy
	value float64  // of best, in the validation; at the end in fresh episodes
	top   []valued // the best of the validation, in falling order
	tried int      // policies
	fresh bool     // value is that of fresh episodes

	fault error // of the model
}

// valued is a policy with its value in the validation.
type valued struct {
	*policy
	value float64
}

// player plays episodes of policies of the family.
type player struct {
	bcpace.Rollout
	policy *policy
	from   bcpace.StartPoint
	source *rand.PCG
	rng    *rand.Rand
}

func newSearch(ctx context.Context, m bcpace.Model, seed uint64, workers int, steps int64, tell func(bcpace.Progress)) *search {
	x := &search{ctx: ctx, f: newFamily(m), seed: seed, workers: workers, limit: steps, paced: steps, few: fewEpisodes, tell: tell, value: math.Inf(-1), known: -1}
	x.horizon, x.depth = x.f.spec.DefaultHorizon(), solverkit.SearchDepth(x.f.spec)
	x.least, _ = solverkit.RangeOfReturns(m)
	x.valid = max(leastValid, int(min(mostValid, steps/(validShare*int64(x.horizon)))))
	x.real = solverkit.RealAxes(x.f.spec) > 0
	x.players.New = func() any {
		p := &player{policy: newPolicy(x.f, nil), source: rand.NewPCG(0, 0),
			from: bcpace.StartPoint{State: make([]float64, len(x.f.spec.Axes)), Belief: make(bcpace.Belief, len(x.f.spec.Latents))}}
		p.rng = rand.New(p.source)
		p.Rollout = bcpace.Rollout{Simulator: bcpace.NewSimulator(m), Policy: p.policy, Horizon: x.horizon, Discount: x.f.spec.Discount}
		return p
	}
	return x
}

// play returns what a policy of these weights returns in the episode of that stream and number. The
// error is the model's, or rollout.ErrDropped where the context has ended.
func (s *search) play(p *player, weights []float64, stream uint64, episode int) (float64, error) {
	if err := s.start(p, weights, stream, episode); err != nil {
		return 0, err
	}
	return s.finish(p)
}

// start begins the episode of that stream and number with a policy of these weights. The error is the model's.
func (s *search) start(p *player, weights []float64, stream uint64, episode int) error {
	p.policy.f, p.policy.weights, p.Horizon = s.f, weights, s.horizon
	if stream < finalStream {
		p.Horizon = s.depth
	}
	p.source.Seed(s.seed, stream|uint64(episode))
	return p.Reset(p.rng)
}

// scatter plays an episode from a place anywhere on the axes of real numbers, half of them by who knows
// the latent: what is found there, such as a goal, shows the way from the start. Where the model
// refuses the place, or what follows it, it is the least return.
func (s *search) scatter(p *player, weights []float64, stream uint64, episode int) (float64, error) {
	if err := s.start(p, weights, stream, episode); err != nil {
		return 0, err
	}
	copy(p.from.State, p.State)
	copy(p.from.Belief, p.Belief)
	if s.known >= 0 {
		clear(p.from.Belief)
		p.from.Belief[s.known] = 1
	} else if episode/2%2 == 1 {
		φ, doubt := p.Belief.Sample(p.rng), 0.0
		if s.f.shared > 0 {
			doubt = p.rng.Float64()
		}
		floats.Scale(doubt*doubt, p.from.Belief)
		p.from.Belief[φ] += 1 - doubt*doubt
	}
	for i, a := range s.f.spec.Axes {
		if !a.Whole() && episode%2 == 1 {
			p.from.State[i] = a.Min + (a.Max-a.Min)*p.rng.Float64()
		}
	}
	if p.ResetAt(p.from, p.rng) != nil {
		return s.least, nil
	}
	r, err := s.finish(p)
	if err != nil && err != rollout.ErrDropped {
		return s.least, nil
	}
	return r, err
}

// finish plays an episode that has begun to its end.
func (s *search) finish(p *player) (float64, error) {
	for p.More() {
		if s.ended.Load() {
			return 0, rollout.ErrDropped
		}
		if err := p.Step(p.rng, p.rng); err != nil {
			return 0, err
		}
	}
	s.steps.Add(int64(p.Steps))
	s.played.Add(1)
	return p.Return, nil
}

// validate plays the validation with a policy, and keeps it if it is better than the best one so far. ok
// is false where the search is over.
func (s *search) validate(weights []float64) (value float64, ok bool) {
	value, ok = s.meanOf(weights, validationStream, s.valid)
	if !ok {
		return 0, false
	}
	s.tried++
	s.top = append(s.top, valued{newPolicy(s.f, slices.Clone(weights)), value})
	slices.SortStableFunc(s.top, func(a, b valued) int { return cmp.Compare(b.value, a.value) })
	s.top = s.top[:min(len(s.top), finalists)]
	s.best, s.value = s.top[0].policy, s.top[0].value
	s.tell(s.progress())
	return value, true
}

// meanOf plays so many episodes of a policy side by side. ok is false where the search is over.
func (s *search) meanOf(weights []float64, stream uint64, episodes int) (mean float64, ok bool) {
	all := make([]float64, episodes)
	if !s.sideBySide(episodes, func(p *player, i int) (err error) {
		all[i], err = s.play(p, weights, stream, i)
		return err
	}) {
		return 0, false
	}
	for _, r := range all {
		mean += r / float64(episodes)
	}
	return mean, true
}

// final has the best policies play fresh episodes: among many, the best of the validation may have
// been lucky in it.
func (s *search) final() {
	value := math.Inf(-1)
	for _, t := range s.top {
		s.f = t.f // those found before the values have others
		v, ok := s.meanOf(t.weights, finalStream, 2*s.valid)
		if !ok {
			return
		}
		if v > value {
			s.best, value = t.policy, v
		}
	}
	s.value, s.fresh = value, len(s.top) > 0
}

// simple tries the policies that take one action without end, with controls at the corners and in the
// middle of a Box, and the one that takes what earns most at once.
func (s *search) simple() {
	f := s.f
	w := make([]float64, f.weights())
	scored := len(f.spec.Actions) > 1
	for _, id := range f.spec.CornerActions() {
		clear(w)
		var room [3]float64
		a, u := f.spec.Control(room[:], id)
		first := f.first[a]
		if scored {
			w[first*f.size] = 1
			first++
		}
		for i, v := range u {
			box := f.spec.Actions[a].Box[i]
			part := (v - box.Min) / (box.Max - box.Min)
			if box.Period > 0 {
				w[(first+1)*f.size], w[first*f.size] = math.Sincos(2 * math.Pi * part)
			} else {
				w[first*f.size] = 2*part - 1
			}
			first += outputsOf(box)
		}
		if s.validate(w); s.over() {
			return
		}
	}
	if f.myopic {
		s.validate(f.greedy())
	}
}

// over reports whether there is nothing left to do.
func (s *search) over() bool {
	return s.fault != nil || s.ctx.Err() != nil || s.spent || s.steps.Load() >= s.limit
}

// run searches until the context or the steps end. The error is the model's.
func (s *search) run() error {
	defer context.AfterFunc(s.ctx, func() { s.ended.Store(true) })()
	if s.pace(); s.from != nil {
		s.validate(s.from)
	} else {
		s.simple()
	}
	// An earlier search may have had no time for its values, or not for all.
	if s.f.shared > 0 && (s.f.cut || len(s.f.values) == 0) && !s.over() {
		s.byValues()
	}
	for number := 0; !s.over() && s.f.weights() > 0; number++ {
		s.populations(number)
	}
	if s.fault == nil && s.ctx.Err() == nil {
		s.final()
	}
	return s.fault
}

// byValues searches among the policies that go by values alone, which are few: first among those that go
// for what tells the most until they are so sure, and then avoid it.
func (s *search) byValues() {
	if s.tabulate(); s.over() || len(s.f.values) == 0 {
		return
	}
	first := s.f.weights() - s.f.shared
	tries := [][]float64{s.f.byWorth()}
	for k := 1; k < len(s.f.values); k++ {
		for _, sure := range []float64{0.7, 0.8, 0.9, 0.95, 1} {
			for _, much := range []float64{1, 3, 10} {
				w := s.f.byWorth()
				w[first+2*k], w[first+2*k+1] = much, -much/sure
				tries = append(tries, w)
			}
		}
	}
	means := make([]float64, len(tries))
	if s.validate(tries[0]); s.over() || !s.affords(len(tries)*manyEpisodes) || !s.generation(tries, means, manyEpisodes, valueStream) {
		return
	}
	if s.validate(tries[floats.MaxIdx(means)]); s.over() {
		return
	}
	p := newPopulation(s.f.shared, valuePopulation, firstStep)
	copy(p.mean, tries[floats.MaxIdx(means)][first:])
	s.evolve(s.newEvolution(p, make([]float64, s.f.weights()), first, valueStream|1<<40), math.MaxInt, s.limit)
}

// newPopulation returns a population of so many weights for a round, each of which has larger ones.
func (s *search) newPopulation(number, weights int) *population {
	return newPopulation(weights, sizeOf(number, weights), firstStep)
}

// sizeOf returns the number of policies in a population.
func sizeOf(number, weights int) int {
	return (4 + int(3*math.Log(float64(weights)))) * (firstGrowth << min(number, mostDoubled))
}

// populations evolves several: from the best policy so far, where there are values to go by or an earlier
// search has found it, from the one that takes what earns most at once, from those for each latent, and from
// none. Each evolves for some generations, and then to its end, the best one first. Only the one from the best policy goes
// by values: where a grid says little, as with many axes, the others find what its values lead away from, and sooner.
func (s *search) populations(number int) {
	var from [][]float64
	if len(s.f.values) > 0 || s.from != nil {
		from = append(from, s.best.weights)
	}
	if s.f.myopic {
		greedy := s.f.greedy()
		floats.Scale(greed, greedy)
		from = append(from, greedy)
	}
	if s.f.combines() {
		from = append(from, s.byLatent(number))
	}
	from = append(from, make([]float64, s.f.weights()))
	all := make([]*evolution, len(from))
	for i, mean := range from {
		weights := s.f.weights()
		if i > 0 {
			weights -= s.f.shared
		}
		all[i] = s.newEvolution(s.newPopulation(number, weights), make([]float64, s.f.weights()), 0, uint64(number*len(from)+i)<<40)
		copy(all[i].population.mean, mean)
		s.evolve(all[i], heat, s.steps.Load()+s.paced/heatShare)
	}
	slices.SortStableFunc(all, func(a, b *evolution) int { return cmp.Compare(b.found, a.found) })
	for _, e := range all {
		s.evolve(e, math.MaxInt, s.limit)
	}
}

// evolution is a population under way. What it draws are the weights from first on; the others are fixed.
type evolution struct {
	population *population
	drawn      [][]float64 // weights
	means      []float64   // what they earn
	first      int
	stream     uint64
	rng        *rand.Rand
	found      float64 // by the best of it
	quiet      int     // validations since
	ended      bool
}

func (s *search) newEvolution(p *population, weights []float64, first int, stream uint64) *evolution {
	e := &evolution{population: p, drawn: make([][]float64, len(p.drawn)), means: make([]float64, len(p.drawn)), first: first, stream: stream,
		rng: rand.New(rand.NewPCG(s.seed, drawStream|stream>>40)), found: math.Inf(-1)}
	for i := range e.drawn {
		e.drawn[i] = slices.Clone(weights)
	}
	return e
}

// evolve evolves a population for so many generations, until the search has taken so many steps, or until it
// gets no further.
func (s *search) evolve(e *evolution, generations int, steps int64) {
	p := e.population
	for range generations {
		if e.ended || s.steps.Load() >= steps || s.over() || !s.affords(len(e.drawn)*s.episodesOf(p)) {
			return
		}
		p.draw(e.rng)
		for i, d := range p.drawn {
			copy(e.drawn[i][e.first:], d)
		}
		if !s.generation(e.drawn, e.means, s.episodesOf(p), e.stream|uint64(p.generation)<<16) {
			return
		}
		if p.generation%validEvery == validEvery-1 {
			value, ok := s.validate(e.drawn[floats.MaxIdx(e.means)])
			if !ok {
				return
			}
			if e.quiet++; value > e.found {
				e.found, e.quiet = value, 0
			}
		}
		e.ended = !p.move(e.means) || e.quiet >= patience
	}
}

// episodesOf returns how many each policy plays in the generation that comes.
func (s *search) episodesOf(p *population) int {
	return min(s.few+p.generation, s.few*manyEpisodes/fewEpisodes)
}

// affords reports whether the steps that are left are enough for so many episodes. If not, the search is over.
func (s *search) affords(episodes int) bool {
	steps := s.steps.Load()
	s.spent = steps+steps/s.played.Load()*int64(episodes) > s.limit
	return !s.spent
}

// generation sets the mean returns of the policies drawn, each of which plays the same episodes. It
// reports false where the search is over.
func (s *search) generation(drawn [][]float64, means []float64, episodes int, stream uint64) bool {
	return s.sideBySide(len(means), func(p *player, i int) error {
		sum := 0.0
		for e := range episodes {
			of := s.play
			if s.known >= 0 || e%2 == 1 && (s.real || e/2%2 == 1) {
				of = s.scatter
			}
			r, err := of(p, drawn[i], stream, e)
			if err != nil {
				return err
			}
			sum += r
		}
		means[i] = sum / float64(episodes)
		return nil
	})
}

// sideBySide calls play for the numbers from 0 up to n − 1, side by side, each with a player of its own, and notes an error of the
// model. It reports false where the search is over.
func (s *search) sideBySide(n int, play func(p *player, i int) error) bool {
	_, err := rollout.Play(s.ctx, n, s.workers, func() rollout.Player {
		return func(i int) error {
			p := s.players.Get().(*player)
			defer s.players.Put(p)
			return play(p, i)
		}
	}, nil)
	if err != nil && s.ctx.Err() == nil {
		s.fault = err
	}
	return err == nil
}

// progress returns how far the search has come. Its samples are the policies that have played the
// validation.
func (s *search) progress() bcpace.Progress {
	return bcpace.Progress{Episodes: int(s.played.Load()), Steps: int(s.steps.Load()), Samples: s.tried, Value: s.value}
}
