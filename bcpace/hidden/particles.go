package hidden

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"

	"bayescpace/bcpace"
)

// Particles is the bootstrap particle filter (Gordon, Salmond and Smith 1993): each particle is moved by
// Model.Step and weighted by Model.LogDensity; where the effective sample size 1/Σw² falls below a part of their
// number, they are drawn anew by systematic resampling.
//
// An axis that no step has moved yet would keep the values of its first draws alone. So on such an axis resampling
// draws from a normal kernel around each value, shrunk to the mean so that means and covariances stay (Liu and West
// 2001, with their discount δ = 0.98). The kernel is one for all these axes together, given the values on the axes that move.
//
// Without a LogDensity, particles are simulated steps that led to the very state that followed, up to 200 for each that
// is kept: for states of whole numbers.
type Particles struct {
	// Number of particles. 0 means 1000 or, where all hidden axes have whole numbers, 4 for each of their combinations, if that is
	// more, and 20,000 at most: with few of them a belief soon loses the true one.
	Number int
	// Threshold is the part of Number below which the effective sample size has particles drawn anew, in (0, 1]. 0 means ½.
	Threshold float64
}

const (
	defaultParticles = 1000
	perCombination   = 4      // particles, of whole numbers on all hidden axes,
	mostOnDefault    = 20_000 // and so many at most
	maxParticles     = 1 << 24
	rejections       = 200  // steps that are simulated for each particle that is kept, at most
	retries          = 10   // rounds of fresh draws where no particle explains what followed
	liuWest          = 0.98 // δ
)

// check returns a *bcpace.InputError for parameters that cannot be used.
func (f Particles) check() error {
	in := bcpace.In("options")
	return cmp.Or(
		in.Need(f.Number >= 0 && f.Number <= maxParticles, "Number", f.Number, fmt.Sprintf("a number of particles up to %d, or 0 for the default", maxParticles)),
		in.Need(f.Threshold >= 0 && f.Threshold <= 1, "Threshold", f.Threshold, "a part of the particles in (0, 1], or 0 for ½"))
}

// defaultNumber returns Particles.Number for a model where that is 0.
func defaultNumber(spec Spec) int {
	combinations := 1.0
	for _, a := range spec.Hidden {
		if !a.Whole() {
			return defaultParticles
		}
		combinations *= a.Max - a.Min + 1
	}
	return int(min(max(defaultParticles, perCombination*combinations), mostOnDefault))
}

// Begin implements Filter.
func (f Particles) Begin(m *Model, s []float64, rng *rand.Rand) (_ Belief, err error) {
	defer m.Spec.Guard(&err, "Prior or StartLogDensity", s, -1, -1)
	if err := f.check(); err != nil {
		return nil, err
	}
	f.Number, f.Threshold = cmp.Or(f.Number, defaultNumber(m.Spec)), cmp.Or(f.Threshold, 0.5)
	if i := slices.IndexFunc(m.Spec.Axes, func(a bcpace.Axis) bool { return !a.Whole() }); i >= 0 && m.LogDensity == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "a belief of particles",
			Need: "Model.LogDensity, as axis " + strconv.Quote(m.Spec.Axes[i].Name) + " of the state is continuous, so that no simulated step leads to the very state that followed"}
	}
	dim := len(m.Spec.Hidden)
	b := &ParticleBelief{model: m, dim: dim, threshold: f.Threshold, still: make([]bool, dim),
		x: make([]float64, f.Number*dim), moved: make([]float64, f.Number*dim), next: make([]float64, len(m.Spec.Axes)),
		weight: make([]float64, f.Number), sum: make([]float64, f.Number), log: make([]float64, f.Number)}
	for j, a := range m.Spec.Hidden {
		b.still[j] = !a.Whole()
	}
	if err := b.begin(s, rng); err != nil {
		if errors.As(err, new(*ImpossibleError)) {
			return b, err
		}
		return nil, err
	}
	b.thin(rng)
	return b, nil
}

// begin draws particles from the prior and weighs them by state s.
func (b *ParticleBelief) begin(s []float64, rng *rand.Rand) error {
	m := b.model
	for range retries + 1 {
		for i := range b.log {
			m.Prior(b.at(i), rng)
			if err := m.CheckHidden(b.at(i), s, -1); err != nil {
				return err
			}
			var err error
			if b.log[i], err = m.weighStart(s, b.at(i)); err != nil {
				return err
			}
		}
		if b.normalise() {
			return nil
		}
	}
	even(b.weight, b.sum)
	return &ImpossibleError{Model: m.Spec.Name, State: nil, Next: slices.Clone(s), Action: "none, the start", Tried: (retries + 1) * len(b.weight)}
}

// ParticleBelief is a belief of weighted particles.
type ParticleBelief struct {
	model     *Model
	dim       int
	threshold float64
	x         []float64 // particle i is x[i·dim : (i+1)·dim]
	weight    []float64 // sum 1
	sum       []float64 // cumulated weights
	still     []bool    // by hidden axis: no step has moved it
	effective float64   // see EffectiveSize
	// Resampled counts how often particles were drawn anew.
	Resampled int

	moved []float64 // room for x
	next  []float64 // room for a state
	log   []float64 // room for the logarithms of weights
}

var _ Weighted = (*ParticleBelief)(nil)

func (b *ParticleBelief) at(i int) []float64 { return b.x[i*b.dim : (i+1)*b.dim : (i+1)*b.dim] }

// Len implements Weighted.
func (b *ParticleBelief) Len() int { return len(b.weight) }

// At implements Weighted.
func (b *ParticleBelief) At(i int) (x []float64, weight float64) { return b.at(i), b.weight[i] }

// Draw implements Belief.
func (b *ParticleBelief) Draw(x []float64, rng *rand.Rand) { copy(x, b.at(pick(b.sum, rng.Float64()))) }

// pick returns the place at that part of cumulated weights, u in [0, 1).
func pick(sum []float64, u float64) int {
	n := len(sum)
	u *= sum[n-1]
	return min(sort.Search(n, func(i int) bool { return sum[i] > u }), n-1)
}

// Moments implements Belief.
func (b *ParticleBelief) Moments(mean, variance []float64) { moments(b, mean, variance) }

// EffectiveSize returns the effective sample size 1/Σw² of the weights that the last observation left, before particles were drawn
// anew: from 1 to Len, and 0 where no particle explained it. Without a LogDensity it is how many simulated steps led to the state that
// followed. Where it is small, a few particles stand for the whole belief: take more.
func (b *ParticleBelief) EffectiveSize() float64 { return b.effective }

// Clone implements Belief.
func (b *ParticleBelief) Clone() Belief {
	c := *b
	c.x, c.weight, c.sum, c.still = slices.Clone(b.x), slices.Clone(b.weight), slices.Clone(b.sum), slices.Clone(b.still)
	c.moved, c.next, c.log = make([]float64, len(b.x)), make([]float64, len(b.next)), make([]float64, len(b.log))
	return &c
}

// Update implements Belief.
func (b *ParticleBelief) Update(s []float64, action int, next []float64, rng *rand.Rand) (err error) {
	defer b.model.Spec.Guard(&err, "Step or LogDensity", s, action, -1)
	if b.model.LogDensity == nil {
		return b.reject(s, action, next, rng)
	}
	for round := range retries + 1 {
		for i, w := range b.weight {
			from := i
			if round > 0 { // with other noise, from fresh draws
				from, w = pick(b.sum, rng.Float64()), 1
			}
			l, err := b.propose(b.moved[i*b.dim:(i+1)*b.dim], s, b.at(from), action, next, rng)
			if err != nil {
				return err
			}
			b.log[i] = math.Log(w) + l
		}
		if b.normalise() {
			b.x, b.moved = b.moved, b.x
			b.thin(rng)
			return nil
		}
	}
	return b.giveUp(s, action, next, rng, (retries+1)*len(b.weight))
}

// propose draws into moved what x becomes, and returns the log of its weight.
func (b *ParticleBelief) propose(moved, s, x []float64, action int, next []float64, rng *rand.Rand) (float64, error) {
	out := b.model.Step(b.next, moved, s, x, action, rng)
	if b.see(moved, x); out.Done {
		return math.Inf(-1), nil
	}
	return b.model.Weigh(s, x, action, next, moved)
}

// normalise makes weights of log, and reports whether any is above 0. It changes nothing where none is.
func (b *ParticleBelief) normalise() bool {
	top := slices.Max(b.log)
	if math.IsInf(top, -1) {
		return false
	}
	total := 0.0
	for i, l := range b.log {
		b.weight[i] = math.Exp(l - top)
		total += b.weight[i]
	}
	accumulate(b.weight, b.sum, total)
	squares := 0.0
	for _, w := range b.weight {
		squares += w * w
	}
	b.effective = 1 / squares
	return true
}

// accumulate divides weights by their total and cumulates them in sum.
func accumulate(weight, sum []float64, total float64) {
	all := 0.0
	for i := range weight {
		weight[i] /= total
		all += weight[i]
		sum[i] = all
	}
}

// see notes on which axes a particle has moved from x.
func (b *ParticleBelief) see(moved, x []float64) {
	for j, v := range moved {
		b.still[j] = b.still[j] && v == x[j]
	}
}

// thin draws particles anew where their effective number is small.
func (b *ParticleBelief) thin(rng *rand.Rand) {
	if b.effective >= b.threshold*float64(len(b.weight)) {
		return
	}
	b.Resampled++
	k := b.kernelOf()
	n := len(b.weight)
	step := b.sum[n-1] / float64(n)
	at, from := step*rng.Float64(), 0
	for i := range n {
		for b.sum[from] < at && from < n-1 {
			from++
		}
		copy(b.moved[i*b.dim:(i+1)*b.dim], b.at(from))
		at += step
	}
	b.x, b.moved = b.moved, b.x
	even(b.weight, b.sum)
	if k != nil {
		k.spread(b, rng)
	}
}

// even makes all weights the same, and cumulates them in sum.
func even(weight, sum []float64) {
	for i := range weight {
		weight[i] = 1
	}
	accumulate(weight, sum, float64(len(weight)))
}

// reject is Update without a density.
func (b *ParticleBelief) reject(s []float64, action int, next []float64, rng *rand.Rand) error {
	n, kept := len(b.weight), 0
	limit := rejections * n
	for tried := 0; tried < limit && kept < n; tried++ {
		x, moved := b.at(pick(b.sum, rng.Float64())), b.moved[kept*b.dim:(kept+1)*b.dim]
		if out := b.model.Step(b.next, moved, s, x, action, rng); out.Done || !slices.Equal(b.next, next) {
			continue
		}
		kept++
		b.see(moved, x)
	}
	if kept == 0 {
		return b.giveUp(s, action, next, rng, limit)
	}
	for i := kept * b.dim; i < len(b.moved); i++ { // those that were found, again and again
		b.moved[i] = b.moved[i-kept*b.dim]
	}
	b.x, b.moved = b.moved, b.x
	b.effective = float64(kept)
	even(b.weight, b.sum)
	if k := b.kernelOf(); k != nil {
		k.spread(b, rng)
	}
	return nil
}

// giveUp makes it the belief of what could have followed, and returns the error.
func (b *ParticleBelief) giveUp(s []float64, action int, next []float64, rng *rand.Rand, tried int) error {
	for i := range b.weight {
		moved := b.moved[i*b.dim : (i+1)*b.dim]
		b.model.Step(b.next, moved, s, b.at(pick(b.sum, rng.Float64())), action, rng)
	}
	b.x, b.moved = b.moved, b.x
	b.effective = 0
	even(b.weight, b.sum)
	return &ImpossibleError{Model: b.model.Spec.Name, State: slices.Clone(s), Next: slices.Clone(next), Action: b.model.Spec.ActionName(action), Tried: tried}
}
