package proved

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// form says what the means and standard deviations depend on. It is found by looking at some places, and widened where a grid
// sees that it is too narrow.
type form struct {
	noisy   []int    // the axes with noise
	varies  [][]bool // [axis of the mean][axis of the state], by their number in Spec.Axes
	informs []bool   // [axis]: the means differ between latents
}

// order returns the axes with noise: first those on which the next state tells something of the latent.
func (f *form) order() (list []int) {
	for _, informs := range []bool{true, false} {
		for _, i := range f.noisy {
			if f.informs[i] == informs {
				list = append(list, i)
			}
		}
	}
	return list
}

// tells reports whether some axis tells something of the latent.
func (f *form) tells() bool { return slices.Contains(f.informs, true) }

// wide says how far means move over the axes, and over each Box, in standard deviations.
type wide struct {
	axis        []float64
	box         [][]float64
	least, most []float64 // by axis: the standard deviations that there are
}

// widens is about how many standard deviations from the mean a place is that counts most where the
// noise becomes wider.
const widens = 2

// look looks at the means at some places.
func (p *space) look() (*form, wide) {
	n := len(p.spec.Axes)
	l := &looker{space: p, form: &form{varies: make([][]bool, n), informs: make([]bool, n)}, s: slices.Clone(p.base), to: make([]float64, n), next: make([]float64, n),
		σ: make([]float64, n), σNext: make([]float64, n),
		wide: wide{axis: make([]float64, n), box: make([][]float64, len(p.spec.Actions)), least: slices.Clone(p.smooth.Sigma), most: slices.Clone(p.smooth.Sigma)}}
	for i := range n {
		l.form.varies[i] = make([]bool, n)
		if p.smooth.Sigma[i] > 0 {
			l.form.noisy = append(l.form.noisy, i)
		}
	}
	for index, action := range p.spec.Actions {
		l.wide.box[index] = make([]float64, len(action.Box))
	}
	if p.smooth.SigmaAt != nil {
		for _, i := range l.form.noisy {
			l.wide.least[i], l.wide.most[i] = math.Inf(1), 0
		}
	}
	rng := rand.New(rand.NewPCG(10, 35))
	base, σBase := make([]float64, n), make([]float64, n)
	for k := range looks {
		for _, i := range l.form.noisy {
			a := p.spec.Axes[i]
			l.s[i] = a.Min + (a.Max-a.Min)*(float64(k%parts)+rng.Float64())/parts
			if rng.IntN(2) == 0 {
				l.s[i] = a.Min + (a.Max-a.Min)*rng.Float64()
			}
		}
		for index, action := range p.spec.Actions {
			u := make([]float64, len(action.Box))
			for q, b := range action.Box {
				u[q] = b.Min + (b.Max-b.Min)*rng.Float64()
			}
			for φ := range p.latents {
				l.mean(φ, p.id(index, u))
				if φ == 0 {
					copy(base, l.to)
					copy(σBase, l.σ)
				}
				for _, i := range l.form.noisy {
					l.form.informs[i] = l.form.informs[i] || l.to[i] != base[i] || l.σ[i] != σBase[i]
				}
				l.axes(φ, p.id(index, u))
				l.box(φ, index, u)
			}
		}
	}
	return l.form, l.wide
}

const (
	looks = 400
	parts = 64 // a step is a part of an axis
)

// looker is at a place.
type looker struct {
	*space
	form        *form
	wide        wide
	s, to, next []float64 // the place, the mean there, and that a step away
	σ, σNext    []float64 // likewise, the standard deviations
}

// mean sets to and σ.
func (l *looker) mean(φ, id int) {
	l.smooth.Mean(l.to, l.s, φ, id)
	l.sigmas(l.σ, l.s, φ, id)
	for _, i := range l.form.noisy {
		if err := l.checkNoise(l.s, i, φ, id, l.to[i], l.σ[i]); err != nil {
			panic(err)
		}
		if l.smooth.SigmaAt != nil {
			l.wide.least[i], l.wide.most[i] = min(l.wide.least[i], l.σ[i]), max(l.wide.most[i], l.σ[i])
		}
	}
}

// step sets next and σNext.
func (l *looker) step(φ, id int) {
	l.smooth.Mean(l.next, l.s, φ, id)
	l.sigmas(l.σNext, l.s, φ, id)
}

// axes takes a step along each axis.
func (l *looker) axes(φ, id int) {
	for _, j := range l.form.noisy {
		at := l.s[j]
		l.s[j] = stepFrom(at, l.spec.Axes[j])
		l.step(φ, id)
		l.s[j] = at
		for _, i := range l.form.noisy {
			l.form.varies[i][j] = l.form.varies[i][j] || l.next[i] != l.to[i] || l.σNext[i] != l.σ[i]
		}
		sum, _ := l.moved()
		l.wide.axis[j] = max(l.wide.axis[j], sum)
	}
}

// box takes a step along each axis of a Box. Means that move together take more than one alone, and
// so finer cells.
func (l *looker) box(φ, index int, u []float64) {
	for q, b := range l.spec.Actions[index].Box {
		at := u[q]
		u[q] = stepFrom(at, b)
		l.step(φ, l.id(index, u))
		u[q] = at
		sum, most := l.moved()
		if most < sum {
			sum *= math.Sqrt2
		}
		l.wide.box[index][q] = max(l.wide.box[index][q], sum)
	}
}

// stepFrom returns a place on an axis a step away.
func stepFrom(at float64, a bcpace.Axis) float64 {
	h := (a.Max - a.Min) / parts
	if at+h > a.Max {
		h = -h
	}
	return at + h
}

// moved returns how far the means have moved, in standard deviations over a whole axis: the sum, and
// the one that has moved most.
func (l *looker) moved() (sum, most float64) {
	for _, i := range l.form.noisy {
		m := parts * (math.Abs(l.next[i]-l.to[i]) + widens*math.Abs(l.σNext[i]-l.σ[i])) / min(l.σ[i], l.σNext[i])
		sum, most = sum+m, max(most, m)
	}
	return sum, most
}
