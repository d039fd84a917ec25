package estimated

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"bayescpace/bcpace"
)

// together is how many draws are asked for at a time: simulators in other processes answer many at
// once.
const together = 64

// narrowest is the least bandwidth, as a share of the length of an axis: what does not differ by more
// is the same but for rounding.
const narrowest = 1e-6

// density is the estimate at one state and action, for all latents.
type density struct {
	state  []float64
	action int
	axes   []bcpace.Axis
	draws  int
	next   []float64 // latents × draws × axes
	width  []float64 // bandwidth by axis; 0 on an axis of whole numbers
	factor float64   // log of the constant of the kernel
	floor  float64   // log of the uniform density
}

// draw draws from the model.
func (e *estimator) draw(s []float64, action int) *density {
	axes, latents := len(s), len(e.spec.Latents)
	d := &density{state: slices.Clone(s), action: action, axes: e.spec.Axes, draws: e.draws, next: make([]float64, latents*e.draws*axes)}
	hi, lo := mix(e.seed, s, action)
	var drawing sync.WaitGroup
	var failed sync.Once
	var fault any
	for part := range min(together, e.draws) {
		drawing.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failed.Do(func() { fault = p })
				}
			}()
			random := rand.NewPCG(0, 0)
			rng := rand.New(random)
			for i := part; i < e.draws; i += together {
				for φ := range latents {
					random.Seed(hi, lo+uint64(i))
					at := (φ*e.draws + i) * axes
					next := d.next[at : at+axes : at+axes]
					e.model.Step(next, s, φ, action, rng)
					if off, want := e.spec.OffAxes(next); off != "" {
						panic(e.spec.Fault(s, action, φ, "Step made state %v, %s, want %s", next, off, want))
					}
				}
			}
		})
	}
	drawing.Wait()
	if fault != nil {
		panic(fault) // of the model, as if it had been asked here
	}
	d.fit()
	return d
}

// mix returns two numbers that stand for a seed, a state and an action.
func mix(seed uint64, s []float64, action int) (hi, lo uint64) {
	h := rand.NewPCG(seed, uint64(action))
	hi, lo = h.Uint64(), h.Uint64()
	for _, v := range s {
		h.Seed(hi^math.Float64bits(v+0), lo) // −0 is 0
		hi, lo = h.Uint64(), h.Uint64()
	}
	return hi, lo
}

// fit sets the bandwidths: of each axis the same for all latents, by the standard deviations within latents.
func (d *density) fit() {
	axes := len(d.axes)
	d.width = make([]float64, axes)
	latents := len(d.next) / (d.draws * axes)
	noisy := 0
	for i, a := range d.axes {
		if a.Whole() {
			d.floor -= math.Log(a.Max - a.Min + 1)
			continue
		}
		length := a.Max - a.Min
		sum := 0.0
		for φ := range latents {
			sum += d.variance(φ, i)
		}
		d.width[i] = math.Sqrt(sum / float64(latents))
		if least := narrowest * length; d.width[i] > least {
			noisy++
		}
		if length > 0 {
			d.floor -= math.Log(length)
		}
	}
	scott := math.Pow(float64(d.draws), -1/float64(4+noisy))
	for i, a := range d.axes {
		if a.Whole() || a.Max == a.Min {
			d.width[i] = 0
			continue
		}
		d.width[i] = max(scott*d.width[i], narrowest*(a.Max-a.Min))
		d.factor -= math.Log(d.width[i] * math.Sqrt(2*math.Pi))
	}
}

// variance returns that of the draws of a latent on an axis, around their first.
func (d *density) variance(latent, axis int) float64 {
	axes := len(d.axes)
	of := d.next[latent*d.draws*axes:][: d.draws*axes : d.draws*axes]
	sum, squares := 0.0, 0.0
	for i := range d.draws {
		x := d.apart(axis, of[i*axes+axis], of[axis])
		sum += x
		squares += x * x
	}
	n := float64(d.draws)
	return max(0, (squares-sum*sum/n)/(n-1))
}

// apart returns x − y, the short way round where the axis is a circle.
func (d *density) apart(axis int, x, y float64) float64 {
	z := x - y
	if p := d.axes[axis].Period; p > 0 {
		z -= p * math.Round(z/p)
	}
	return z
}

// log returns the logarithm of the density of next under a latent.
func (d *density) log(next []float64, latent int) float64 {
	axes := len(d.axes)
	of := d.next[latent*d.draws*axes:][: d.draws*axes : d.draws*axes]
	top, sum := d.floor, 1.0 // Σ exp(·) is exp(top)·sum
draws:
	for i := range d.draws {
		e := d.factor
		for j, w := range d.width {
			y := of[i*axes+j]
			if w == 0 {
				if y != next[j] {
					continue draws
				}
				continue
			}
			z := d.apart(j, next[j], y) / w
			e -= z * z / 2
		}
		if e > top {
			top, sum = e, sum*math.Exp(top-e)+1
		} else {
			sum += math.Exp(e - top)
		}
	}
	return top + math.Log(sum) - math.Log(float64(d.draws+1))
}
