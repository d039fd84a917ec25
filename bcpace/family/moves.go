package family

import (
	"encoding/binary"
	"math"
	"runtime"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/side"

	"gonum.org/v1/gonum/mat"
)

// move resamples the particles and moves each of them.
func (p *Particles) move(f Dense) error {
	step := p.proposal()
	n, d := p.o.Draws, len(p.params)
	now, next := rows(n, d), rows(n, d)
	log, total := make([]float64, n), make([]float64, n) // of now: the log prior density, and the log likelihood of the history
	for i, from := range p.resample() {
		copy(now[i], p.thetas[from])
		log[i], total[i] = f.LogDensity(p.thetas[from]), p.total[from]
	}
	z := make([]float64, d)
	for range metropolis {
		if err := p.step(f, step, now, next, log, total, z); err != nil {
			return err
		}
	}
	p.report.Resamplings++
	thetas, number := numbered(now)
	share, sum := make(bcpace.Belief, len(thetas)), make([]float64, len(thetas))
	for i, k := range number {
		share[k] += 1 / float64(n)
		sum[k] = total[i]
	}
	return p.take(thetas, share, sum)
}

// step makes a Metropolis step from each θ of now, whose log prior densities and log
// likelihoods it keeps. next and z are scratch.
func (p *Particles) step(f Dense, root [][]float64, now, next [][]float64, log, total, z []float64) error {
	density := make([]float64, len(now))
	var inside [][]float64
	var owner []int
	for i, θ := range now {
		// One size of steps is too large where the particles lie in several places.
		size := math.Ldexp(1, -p.rng.IntN(4))
		for j := range z {
			z[j] = size * p.rng.NormFloat64()
		}
		within := true
		for j, x := range θ {
			for k, r := range root[j] {
				x += r * z[k]
			}
			low, high := p.params[j].limits()
			within = within && x >= low && x <= high
			next[i][j] = x
		}
		density[i] = math.Inf(-1)
		if within {
			density[i] = f.LogDensity(next[i])
		}
		if !math.IsInf(density[i], -1) {
			inside, owner = append(inside, next[i]), append(owner, i)
		}
	}
	p.report.Proposed += len(now)
	if len(inside) == 0 {
		return nil
	}
	different, number := numbered(inside)
	m, err := build(p.f, different)
	if err != nil {
		return err
	}
	sums := make([]float64, len(different))
	p.history.likelihoods(m, sums)
	for k, i := range owner {
		sum := sums[number[k]]
		if math.Log(1-p.rng.Float64()) < density[i]+sum-log[i]-total[i] {
			copy(now[i], next[i])
			log[i], total[i] = density[i], sum
			p.report.Accepted++
		}
	}
	return nil
}

// resample returns so many numbers of particles as there are draws, each as often as its weight
// says, up to one more or less (systematic resampling).
func (p *Particles) resample() []int {
	list := make([]int, 0, p.o.Draws)
	u, sum, last := p.rng.Float64(), 0.0, 0
	for i, w := range p.weight {
		if w == 0 {
			continue
		}
		last = i
		for sum += w * float64(p.o.Draws); u < sum && len(list) < p.o.Draws; u++ {
			list = append(list, i)
		}
	}
	for len(list) < p.o.Draws { // rounding
		list = append(list, last)
	}
	return list
}

// proposal returns a root R of the covariance of the largest steps of a random walk, so that
// R·z is a step for standard normal z: the covariance of the particles times 2.38²/d (Roberts,
// Gelman and Gilks 1997). Entries whose prior is Points have no steps.
func (p *Particles) proposal() [][]float64 {
	d := len(p.params)
	mean, root := make([]float64, d), rows(d, d)
	p.Mean(mean)
	var free []int
	for j, x := range p.params {
		if _, points := x.Prior.(PointMasses); !points {
			free = append(free, j)
		}
	}
	if len(free) == 0 {
		return root
	}
	cov := mat.NewSymDense(len(free), nil)
	for i, θ := range p.thetas {
		for a, j := range free {
			for b, k := range free[:a+1] {
				cov.SetSym(a, b, cov.At(a, b)+p.weight[i]*(θ[j]-mean[j])*(θ[k]-mean[k]))
			}
		}
	}
	scale := 2.38 / math.Sqrt(float64(len(free)))
	var c mat.Cholesky
	if c.Factorize(cov) {
		var l mat.TriDense
		c.LTo(&l)
		for a, j := range free {
			for b, k := range free[:a+1] {
				root[j][k] = scale * l.At(a, b)
			}
		}
		return root
	}
	for a, j := range free { // the particles lie in a plane
		root[j][j] = scale * math.Sqrt(cov.At(a, a))
	}
	return root
}

// history is a list of different transitions in flat arrays, each with how often it was.
type history struct {
	axes    int
	state   []float64 // axes numbers for each; 0 before a start
	next    []float64
	action  []int // −1 for a start
	count   []float64
	numbers map[string]int
	key     []byte
}

// number returns the number of a transition, or of a start if action is −1. A new one has the
// count 0.
func (h *history) number(s []float64, action int, next []float64) int {
	h.key = binary.LittleEndian.AppendUint64(num.AppendKey(num.AppendKey(h.key[:0], s), next), uint64(action))
	if i, ok := h.numbers[string(h.key)]; ok {
		return i
	}
	if h.numbers == nil {
		h.numbers = make(map[string]int)
	}
	i := len(h.count)
	h.numbers[string(h.key)] = i
	if s == nil {
		s = make([]float64, h.axes)
	}
	h.state, h.next = append(h.state, s...), append(h.next, next...)
	h.action, h.count = append(h.action, action), append(h.count, 0)
	return i
}

// at returns a transition.
func (h *history) at(number int) (s []float64, action int, next []float64) {
	from := number * h.axes
	return h.state[from : from+h.axes], h.action[number], h.next[from : from+h.axes]
}

// likelihoods sets total to the log likelihood of all transitions under each latent of m. The
// latents are shared out between processors, which changes no number.
func (h *history) likelihoods(m bcpace.Model, total []float64) {
	clear(total)
	side.Each(runtime.GOMAXPROCS(0), len(total), func(_, i int) {
		for k, n := range h.count {
			s, action, next := h.at(k)
			total[i] += n * likelihood(m, s, action, next, i)
		}
	})
}
