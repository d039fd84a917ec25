package proved_test

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// drawn is a random model of one axis, with what an oracle needs of it.
type drawn struct {
	g       bcpace.Gaussian
	sigma   float64
	mean    func(s float64, latent, action int, u float64) float64
	reward  func(m, s float64, latent, action int, u float64) float64 // expected, for a mean m
	actions int
	box     bool
}

// draw draws a model: one or two latents, affine or curved means, rewards of the state and control,
// or for reaching a place, so that they jump, a list of actions or a box, and an axis at whose
// ends the noise stops.
func draw(rng *rand.Rand) drawn {
	d := drawn{actions: 1 + rng.IntN(3), box: rng.IntN(2) == 0}
	latents := 1 + rng.IntN(2)
	half := 1 + 2*rng.Float64()
	d.sigma = half * (0.12 + 0.2*rng.Float64())
	curved, jumps := rng.IntN(3) == 0, rng.IntN(2) == 0
	if d.box {
		d.actions = 1
	}
	slope, gain, bend := make([]float64, latents), make([][]float64, latents), 0.0
	for φ := range latents {
		slope[φ] = 0.3 + 0.9*rng.Float64()
		if rng.IntN(4) == 0 {
			slope[φ] = -slope[φ]
		}
		gain[φ] = make([]float64, d.actions)
		for a := range gain[φ] {
			gain[φ][a] = half * (2*rng.Float64() - 1)
		}
	}
	if curved {
		bend = 0.3 * half * rng.Float64()
	}
	ω := 1 / half
	d.mean = func(s float64, φ, a int, u float64) float64 {
		m := slope[φ]*s + bend*math.Sin(ω*s)
		if d.box {
			return m + gain[φ][0]*u
		}
		return m + gain[φ][a]
	}
	at := make([]float64, latents)
	for φ := range at {
		at[φ] = half * (1.6*rng.Float64() - 0.8)
	}
	cost := 0.3 * rng.Float64()
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	d.reward = func(m, s float64, φ, a int, u float64) float64 {
		r := -cost * u * u
		if jumps { // for reaching a place beyond at
			return r + below((m-at[φ])/d.sigma)
		}
		return r + math.Exp(-square((s-at[φ])/half))
	}
	most := 0.0 // slope of a mean along any coordinate
	for φ := range latents {
		most = max(most, math.Abs(slope[φ])+bend*ω)
		for _, g := range gain[φ] {
			most = max(most, math.Abs(g))
		}
	}
	// The second derivative of Φ is within .242, its slope within .399; that of e^−x² within 2.
	curve := 2 * cost
	if jumps {
		curve += 0.242*square(most/d.sigma) + 0.399*bend*ω*ω/d.sigma
	} else {
		curve += 2 / half / half
	}
	spec := bcpace.Spec{Name: "drawn", Axes: []bcpace.Axis{{Name: "x", Min: -half, Max: half}}, Discount: 0.6 + 0.3*rng.Float64(), RewardMin: -cost, RewardMax: 1}
	for φ := range latents {
		spec.Latents = append(spec.Latents, string(rune('a'+φ)))
	}
	if d.box {
		spec.Actions = []bcpace.Action{{Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}}
	} else {
		for a := range d.actions {
			spec.Actions = append(spec.Actions, bcpace.Action{Name: string(rune('p' + a))})
		}
	}
	d.g = bcpace.Gaussian{Spec: spec, Sigma: []float64{d.sigma}, Starts: [][]float64{{half * (1.6*rng.Float64() - 0.8)}},
		Curve: &bcpace.GaussianCurve{Mean: []float64{bend * ω * ω}, Reward: curve, Expected: func(s []float64, φ, a int, u []float64) float64 {
			v := 0.0
			if u != nil {
				v = u[0]
			}
			return d.reward(d.mean(s[0], φ, a, v), s[0], φ, a, v)
		}}}
	reward := func(s, next, u float64, φ int) float64 {
		if jumps {
			r := -cost * u * u
			if next > at[φ] {
				r++
			}
			return r
		}
		return d.reward(0, s, φ, 0, u)
	}
	if d.box {
		d.g.MeanAt = func(mean, s []float64, φ, a int, u []float64) { mean[0] = d.mean(s[0], φ, a, u[0]) }
		d.g.RewardAt = func(s []float64, φ, _ int, u, next []float64) float64 { return reward(s[0], next[0], u[0], φ) }
	} else {
		d.g.Mean = func(mean, s []float64, φ, a int) { mean[0] = d.mean(s[0], φ, a, 0) }
		d.g.Reward = func(s []float64, φ, _ int, next []float64) float64 { return reward(s[0], next[0], 0, φ) }
	}
	if latents == 2 {
		p := 0.1 + 0.8*rng.Float64()
		d.g.Prior = bcpace.Belief{p, 1 - p}
	}
	return d
}

func square(x float64) float64 { return x * x }

// optimum is the value at the start by dynamic programming on a grid of so many places and beliefs,
// with controls and next states in so many places. It shares nothing with package proved.
func (d drawn) optimum(places, beliefs, steps int) float64 {
	axis := d.g.Spec.Axes[0]
	latents := len(d.g.Spec.Latents)
	if latents == 1 {
		beliefs = 1
	}
	h := (axis.Max - axis.Min) / float64(places-1)
	var controls []float64
	if d.box {
		for k := range 17 {
			controls = append(controls, -1+float64(k)/8)
		}
	}
	count := max(d.actions, len(controls))
	dense := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	type moves struct {
		at   []float64
		prob []float64 // ×latents
		r    []float64
	}
	all := make([]moves, places*count)
	for i := range places {
		s := axis.Min + h*float64(i)
		for c := range count {
			a, u := c, 0.0
			if d.box {
				a, u = 0, controls[c]
			}
			var m moves
			lo, hi := math.Inf(1), math.Inf(-1)
			for φ := range latents {
				x := d.mean(s, φ, a, u)
				lo, hi = min(lo, x), max(hi, x)
				m.r = append(m.r, d.reward(x, s, φ, a, u))
			}
			lo, hi = max(axis.Min, lo-6*d.sigma), min(axis.Max, hi+6*d.sigma)
			n := max(2, int((hi-lo)/d.sigma*float64(steps)))
			for k := range n {
				if hi <= lo {
					break
				}
				w := (hi - lo) / float64(n)
				x := lo + (float64(k)+0.5)*w
				m.at = append(m.at, x)
				for φ := range latents {
					m.prob = append(m.prob, w*dense((x-d.mean(s, φ, a, u))/d.sigma)/d.sigma)
				}
			}
			for _, end := range []float64{axis.Min, axis.Max} {
				m.at = append(m.at, end)
				for φ := range latents {
					z := (end - d.mean(s, φ, a, u)) / d.sigma
					if end == axis.Max {
						z = -z
					}
					m.prob = append(m.prob, below(z))
				}
			}
			all[i*count+c] = m
		}
	}
	v := make([]float64, places*beliefs)
	value := func(v []float64, x, b float64) float64 {
		p := (x - axis.Min) / h
		i := min(int(p), places-2)
		f := p - float64(i)
		if beliefs == 1 {
			return (1-f)*v[i] + f*v[i+1]
		}
		q := b * float64(beliefs-1)
		k := min(int(q), beliefs-2)
		e := q - float64(k)
		return (1-f)*((1-e)*v[i*beliefs+k]+e*v[i*beliefs+k+1]) + f*((1-e)*v[(i+1)*beliefs+k]+e*v[(i+1)*beliefs+k+1])
	}
	q := func(v []float64, m moves, b float64) float64 {
		r, sum := m.r[0], 0.0
		if latents == 2 {
			r = b*m.r[0] + (1-b)*m.r[1]
		}
		for k, x := range m.at {
			if latents == 1 {
				sum += m.prob[k] * value(v, x, 0)
				continue
			}
			w0, w1 := b*m.prob[2*k], (1-b)*m.prob[2*k+1]
			if w0+w1 > 0 {
				sum += (w0 + w1) * value(v, x, w0/(w0+w1))
			}
		}
		return r + d.g.Spec.Discount*sum
	}
	for range 400 {
		next, change := make([]float64, len(v)), 0.0
		for i := range places {
			for k := range beliefs {
				b := 0.0
				if beliefs > 1 {
					b = float64(k) / float64(beliefs-1)
				}
				best := math.Inf(-1)
				for c := range count {
					best = max(best, q(v, all[i*count+c], b))
				}
				next[i*beliefs+k] = best
				change = max(change, math.Abs(best-v[i*beliefs+k]))
			}
		}
		v = next
		if change < 1e-6 {
			break
		}
	}
	b := 1.0
	if latents == 2 {
		b = d.g.Prior[0]
	}
	return value(v, d.g.Starts[0][0], b)
}
