package proved_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/normal"
)

// drawn is a random model of one or two axes with noise, with what an oracle needs of it. Where a
// region tells the latent, a last axis shows it.
type drawn struct {
	spec        bcpace.Spec
	noisy       int
	sigma       []float64 // of the axes with noise
	mean        func(to, s []float64, φ, a int, u []float64)
	reward      func(s []float64, φ, a int, u []float64) float64 // nil where regions pay everything
	curve       []float64                                        // by axis
	rewardCurve float64
	convex      float64
	jumps       [][]float64
	regions     [][]region // by the parts of the first axis and of the second one; nil where nothing jumps
	informs     [2]bool
	prior       bcpace.Belief
	start       []float64
	tells       bool

	sigmaAt    func(to, s []float64, φ, a int, u []float64) // nil where it is sigma
	sigmaCurve []float64
	moves      [][]float64 // by action: φ·latents + φ' of how the latent moves; nil where it stays
}

// region is a product of parts of the axes: a part lies between two jumps, or is an end.
type region struct {
	pays        []float64
	ends, tells bool
}

// draw draws a model: one to three latents; means that are affine, curved or products of
// coordinates, which may depend on the place on the other axis; a list of actions or boxes of one
// or two controls, one of which may move both axes as a heading does; axes at whose ends the noise
// stops or that go round; and regions that pay, end or tell.
func draw(rng *rand.Rand) *drawn {
	d := &drawn{noisy: 1 + rng.IntN(2)}
	n := d.noisy
	chance := func(p float64) bool { return rng.Float64() < p }
	within := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	latents := 1 + rng.IntN(3)
	if n == 2 && latents == 3 && chance(0.6) {
		latents = 2
	}
	d.spec = bcpace.Spec{Name: "drawn", Discount: within(0.6, 0.9)}
	if n == 2 {
		d.spec.Discount = within(0.5, 0.8)
	}
	center, length := make([]float64, n), make([]float64, n)
	for i := range n {
		unit := within(0.3, 3)
		σ := within(0.1, 1)
		length[i] = σ * within(3, 12)
		if n == 2 {
			length[i] = σ * within(2, 5)
		}
		if chance(0.08) {
			length[i] = σ * within(0.3, 1.5)
		}
		low := within(-2, 1)
		a := bcpace.Axis{Name: string(rune('x' + i)), Min: low, Max: low + length[i], Scale: unit}
		if chance(0.3) {
			a.Period = a.Max - a.Min
		}
		center[i] = low + length[i]*within(0.3, 0.7)
		d.spec.Axes, d.sigma = append(d.spec.Axes, a), append(d.sigma, σ)
	}
	for φ := range latents {
		d.spec.Latents = append(d.spec.Latents, string(rune('a'+φ)))
	}
	for i := range n {
		d.informs[i] = latents > 1 && chance(0.6)
	}
	d.drawMeans(rng, center, length)
	d.drawRewards(rng, length)
	d.drawRegions(rng)
	if latents > 1 && chance(0.9) {
		d.prior = make(bcpace.Belief, latents)
		sum := 0.0
		for φ := range d.prior {
			d.prior[φ] = 0.05 + rng.Float64()
			sum += d.prior[φ]
		}
		if chance(0.05) {
			sum -= d.prior[0]
			d.prior[0] = 0
		}
		for φ := range d.prior {
			d.prior[φ] /= sum
		}
	} else {
		d.prior = bcpace.Uniform(latents)
	}
	d.measure(rng)
	return d
}

// drawMore draws a model that has some of: a horizon, at times without a discount; noise that is
// wider in some places, for some controls and under some latents; and a latent that moves.
func drawMore(rng *rand.Rand) *drawn {
	d := draw(rng)
	more := 1 + rng.IntN(7)
	if more&1 > 0 {
		d.spec.Horizon = 1 + rng.IntN(6)
		if rng.IntN(3) == 0 {
			d.spec.Discount = 1
		}
	}
	if more&2 > 0 {
		d.drawSigmas(rng)
	}
	if latents := len(d.spec.Latents); more&4 > 0 && latents > 1 {
		one := rng.IntN(2) == 0
		for a := range d.spec.Actions {
			if a > 0 && one {
				d.moves = append(d.moves, d.moves[0])
				continue
			}
			var rows []float64
			stays := rng.Float64()
			for φ := range latents {
				row, sum := make([]float64, latents), 0.0
				for ψ := range row {
					row[ψ] = rng.Float64()
					sum += row[ψ]
				}
				for ψ, x := range row {
					if row[ψ] = (1 - stays) * x / sum; φ == ψ {
						row[ψ] += stays
					}
				}
				rows = append(rows, row...)
			}
			d.moves = append(d.moves, rows)
		}
	}
	return d
}

// drawSigmas draws standard deviations of 0.6 to 1.4 times those of sigma.
func (d *drawn) drawSigmas(rng *rand.Rand) {
	n, latents := d.noisy, len(d.spec.Latents)
	base, slope, wave, push := make([][]float64, n), make([][]float64, n), make([]float64, n), make([]float64, n)
	d.sigmaCurve = make([]float64, n)
	for i := range n {
		apart := latents > 1 && rng.IntN(3) == 0
		for φ := range latents {
			base[i] = append(base[i], 1)
			if apart {
				base[i][φ] = 0.9 + 0.2*rng.Float64()
				d.informs[i] = true
			}
		}
		for j, a := range d.spec.Axes[:n] {
			slope[i] = append(slope[i], 0)
			if rng.IntN(2) == 0 {
				slope[i][j] = 0.15 * (2*rng.Float64() - 1)
				if d.wraps(j) { // σ goes round, too
					bend := math.Abs(slope[i][j]) * d.sigma[i] * square(2*math.Pi/(a.Max-a.Min)*a.Scale)
					d.sigmaCurve[i] = max(d.sigmaCurve[i], bend)
				}
			}
		}
		if rng.IntN(3) == 0 && !d.wraps(i) {
			a := d.spec.Axes[i]
			wave[i] = 0.05 * rng.Float64()
			d.sigmaCurve[i] += wave[i] * d.sigma[i] * square(3/(a.Max-a.Min)*a.Scale)
		}
		push[i] = 0.1 * (2*rng.Float64() - 1) * float64(rng.IntN(2))
	}
	d.sigmaAt = func(to, s []float64, φ, _ int, u []float64) {
		for i := range n {
			w := base[i][φ]
			for j, a := range d.spec.Axes[:n] {
				along := (s[j] - a.Min) / (a.Max - a.Min)
				if d.wraps(j) {
					along = math.Sin(2 * math.Pi * along)
				}
				if w += slope[i][j] * along; j == i && !d.wraps(j) {
					w += wave[i] * math.Sin(3*along)
				}
			}
			if u != nil {
				w += push[i] * u[0] / 3
			}
			to[i] = d.sigma[i] * w
		}
	}
}

// sigmas returns the standard deviations of a step.
func (d *drawn) sigmas(s []float64, φ, a int, u []float64) []float64 {
	to := append([]float64(nil), d.sigma...)
	if d.sigmaAt != nil {
		d.sigmaAt(to, s, φ, a, u)
	}
	return to
}

func (d *drawn) wraps(i int) bool { return d.spec.Axes[i].Period > 0 }

// drawMeans draws the actions and their means.
func (d *drawn) drawMeans(rng *rand.Rand, center, length []float64) {
	n, latents := d.noisy, len(d.spec.Latents)
	chance := func(p float64) bool { return rng.Float64() < p }
	within := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	slope, bend, waves, couple, product, mix := make([][]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	still := chance(0.15)
	for i := range n {
		slope[i] = make([]float64, latents)
		s := within(0.2, 1.2)
		if chance(0.2) {
			s = -s
		}
		if chance(0.1) {
			s = 0
		}
		turn := chance(0.5)
		for φ := range latents {
			slope[i][φ] = s
			if d.informs[i] && turn {
				slope[i][φ] = within(-0.3, 1.2)
			}
			if d.wraps(i) {
				slope[i][φ] = 1
			}
		}
		waves[i] = 2 * math.Pi * float64(1+rng.IntN(2)) / length[i]
		if chance(0.3) {
			bend[i] = min(length[i], 4*d.sigma[i]) * within(0.02, 0.15)
		}
		if n == 2 && chance(0.35) {
			couple[i] = within(-0.8, 0.8) * d.sigma[i] * 2
		}
		if n == 2 && chance(0.2) {
			product[i] = within(-0.5, 0.5)
		}
		if chance(0.3) {
			mix[i] = within(-0.5, 0.5)
		}
	}
	boxed, heading := chance(0.5), false
	count := 1 + rng.IntN(3)
	if boxed {
		box := []bcpace.Axis{{Name: "u", Min: -1, Max: within(0.2, 1), Scale: within(0.5, 2)}}
		switch {
		case n == 2 && chance(0.4):
			heading = true
			box[0].Min, box[0].Max = -math.Pi, within(0, math.Pi)
			if chance(0.3) {
				box[0].Max, box[0].Period = math.Pi, 2*math.Pi
			}
		case n == 2 && chance(0.4):
			box = append(box, bcpace.Axis{Name: "v", Min: 0, Max: 1})
		}
		d.spec.Actions = []bcpace.Action{{Name: "push", Box: box}}
		if count = 1; chance(0.3) {
			d.spec.Actions, count = append(d.spec.Actions, bcpace.Action{Name: "rest"}), 2
		}
	} else {
		for a := range count {
			d.spec.Actions = append(d.spec.Actions, bcpace.Action{Name: string(rune('p' + a))})
		}
	}
	gain := make([][][]float64, n)
	for i := range n {
		for range count {
			g := make([]float64, latents)
			common := within(-1, 1) * min(length[i]/2, 2.5*d.sigma[i])
			for φ := range g {
				if g[φ] = common; d.informs[i] {
					g[φ] = within(-1, 1) * min(length[i]/2, 2.5*d.sigma[i])
				}
				if still && i == 0 {
					g[φ] = 0
				}
			}
			gain[i] = append(gain[i], g)
		}
	}
	d.mean = func(to, s []float64, φ, a int, u []float64) {
		for i := range n {
			off := s[i] - center[i]
			m := center[i] + slope[i][φ]*off + bend[i]*math.Sin(waves[i]*off)
			if n == 2 {
				j := 1 - i
				other := math.Sin(2 * math.Pi * (s[j] - center[j]) / length[j])
				if !d.wraps(j) {
					other = (s[j] - center[j]) / length[j]
					if !d.wraps(i) {
						m += product[i] * off * other
					}
				}
				m += couple[i] * other
			}
			push := 1.0
			switch {
			case heading && u != nil:
				push = [2]float64{math.Cos(u[0]), math.Sin(u[0])}[i]
			case len(u) == 2:
				push = u[i]
			case len(u) == 1:
				push = u[0]
			}
			if u != nil && !d.wraps(i) {
				push *= 1 + mix[i]*off/length[i]
			}
			to[i] = m + gain[i][a][φ]*push
		}
	}
}

// drawRewards draws expected rewards of the state and the control.
func (d *drawn) drawRewards(rng *rand.Rand, length []float64) {
	latents := len(d.spec.Latents)
	kind, cost := rng.IntN(4), 0.3*rng.Float64()
	if rng.IntN(3) == 0 {
		cost = 0
	}
	at, size, tilt := make([][]float64, d.noisy), make([]float64, d.noisy), make([]float64, latents)
	for i := range at {
		size[i] = 2*rng.Float64() - 0.5
		for range latents {
			at[i] = append(at[i], d.spec.Axes[i].Min+length[i]*rng.Float64())
		}
	}
	for φ := range tilt {
		tilt[φ] = rng.Float64() - 0.5
	}
	if kind == 0 {
		return
	}
	d.reward = func(s []float64, φ, a int, u []float64) float64 {
		r := 0.1 * float64(a)
		for _, x := range u {
			r -= cost * x * x
		}
		switch kind {
		case 1:
			for i := range d.noisy {
				if d.wraps(i) {
					r += size[i] * math.Cos(2*math.Pi*(s[i]-at[i][φ])/length[i])
					continue
				}
				r += size[i] * math.Exp(-square((s[i]-at[i][φ])/(0.4*length[i])))
			}
		case 2: // for reaching a place beyond at
			to := make([]float64, d.noisy)
			d.mean(to, s, φ, a, u)
			if d.wraps(0) {
				r += math.Cos(2 * math.Pi * (to[0] - at[0][φ]) / length[0])
			} else {
				r += normal.CDF((to[0] - at[0][φ]) / d.sigma[0])
			}
		case 3:
			for i := range d.noisy {
				if !d.wraps(i) {
					r += tilt[φ] * size[i] * (s[i] - at[i][φ]) / length[i]
				}
			}
		}
		return r
	}
}

// drawRegions draws where the axes jump, and what it means to arrive between the jumps and at the ends.
func (d *drawn) drawRegions(rng *rand.Rand) {
	d.jumps = make([][]float64, d.noisy)
	if d.reward != nil && rng.IntN(3) == 0 {
		return
	}
	parts := [2]int{1, 1}
	for i := range d.noisy {
		if d.wraps(i) {
			continue
		}
		a := d.spec.Axes[i]
		for k := range rng.IntN(3) {
			third := (a.Max - a.Min) / 3
			d.jumps[i] = append(d.jumps[i], a.Min+third*(float64(k)+0.1+0.8*rng.Float64()))
		}
		parts[i] = len(d.jumps[i]) + 3
	}
	wall := rng.IntN(3) == 0 // the low end of the first axis tells
	ends, tells := 0.15*float64(rng.IntN(2)), 0.15*float64(rng.IntN(2))
	for p := range parts[0] {
		row := make([]region, parts[1])
		for q := range row {
			r := region{ends: rng.Float64() < ends, tells: rng.Float64() < tells || wall && p == 0 && parts[0] > 1}
			one := 2*rng.Float64() - 1
			apart := rng.IntN(2) == 0
			pays := rng.IntN(2) == 0
			for range d.spec.Latents {
				x := one
				if apart {
					x = 2*rng.Float64() - 1
				}
				if !pays {
					x = 0
				}
				r.pays = append(r.pays, x)
			}
			row[q] = r
		}
		d.regions = append(d.regions, row)
	}
	// Some place is left where the episode goes on.
	p, q := rng.IntN(parts[0]), rng.IntN(parts[1])
	if parts[0] > 1 {
		p = 1 + rng.IntN(parts[0]-2)
	}
	if parts[1] > 1 {
		q = 1 + rng.IntN(parts[1]-2)
	}
	d.regions[p][q].ends = false
	for _, row := range d.regions {
		for _, r := range row {
			d.tells = d.tells || r.tells
		}
	}
}

// part returns the number of the part of an axis that has a place.
func (d *drawn) part(i int, x float64) int {
	a := d.spec.Axes[i]
	if d.wraps(i) || x <= a.Min {
		return 0
	}
	k := 1
	for _, jump := range d.jumps[i] {
		if x > jump {
			k++
		}
	}
	if x >= a.Max {
		k++
	}
	return k
}

func (d *drawn) regionOf(s []float64) *region {
	if d.regions == nil {
		return &region{pays: make([]float64, len(d.spec.Latents))}
	}
	q := 0
	if d.noisy == 2 {
		q = d.part(1, s[1])
	}
	return &d.regions[d.part(0, s[0])][q]
}

// place sets the entries of s with noise to a place that does not end the episode.
func (d *drawn) place(s []float64, rng *rand.Rand) {
	for range 1000 {
		for i := range d.noisy {
			a := d.spec.Axes[i]
			s[i] = a.Min + (a.Max-a.Min)*rng.Float64()
			if rng.IntN(8) == 0 && !d.wraps(i) {
				s[i] = []float64{a.Min, a.Max}[rng.IntN(2)]
			}
		}
		if !d.regionOf(s).ends {
			return
		}
	}
	panic("every place ends the episode")
}

// measure finds the curves by looking at many places, with a fifth more than what it finds, the
// range of the rewards, and a start.
func (d *drawn) measure(rng *rand.Rand) {
	n := d.noisy
	low, high := 0.0, 0.0
	d.curve = make([]float64, n)
	s, u, to := make([]float64, n), make([]float64, 2), make([]float64, n)
	values := func(φ, a int, u []float64) []float64 {
		d.mean(to, s, φ, a, u)
		v := append([]float64(nil), to...)
		if d.reward != nil {
			return append(v, d.reward(s, φ, a, u))
		}
		return append(v, 0)
	}
	for range 1500 {
		for i, a := range d.spec.Axes[:n] {
			s[i] = a.Min + (a.Max-a.Min)*(0.001+0.998*rng.Float64())
		}
		a, φ := rng.IntN(len(d.spec.Actions)), rng.IntN(len(d.spec.Latents))
		box := d.spec.Actions[a].Box
		var v []float64
		if box != nil {
			v = u[:len(box)]
		}
		for q, b := range box {
			v[q] = b.Min + (b.Max-b.Min)*(0.001+0.998*rng.Float64())
		}
		base := values(φ, a, v)
		low, high = min(low, base[n]), max(high, base[n])
		look := func(x *float64, length, unit float64) {
			h, at := 1e-3*length, *x
			*x = at + h
			up := values(φ, a, v)
			*x = at - h
			down := values(φ, a, v)
			*x = at
			for i := range base {
				bend := 1.2 * (up[i] + down[i] - 2*base[i]) / h / h * unit * unit
				if math.Abs(bend)*h*h < 1e-12*unit*unit {
					continue
				}
				if i == n {
					d.rewardCurve, d.convex = max(d.rewardCurve, -bend), max(d.convex, bend)
				} else {
					d.curve[i] = max(d.curve[i], math.Abs(bend))
				}
			}
		}
		for i, a := range d.spec.Axes[:n] {
			look(&s[i], a.Max-a.Min, a.MetricUnit())
		}
		for q, b := range box {
			look(&v[q], b.Max-b.Min, b.MetricUnit())
		}
	}
	low, high = 1.2*low, 1.2*high
	for _, row := range d.regions {
		for _, r := range row {
			for _, x := range r.pays {
				d.spec.RewardMin, d.spec.RewardMax = min(d.spec.RewardMin, x), max(d.spec.RewardMax, x)
			}
		}
	}
	d.spec.RewardMin += low - 0.01
	d.spec.RewardMax += high + 0.01
	if d.tells {
		d.spec.Axes = append(d.spec.Axes, bcpace.Axis{Name: "seen", Max: float64(len(d.spec.Latents)), Discrete: true})
	}
	d.start = make([]float64, len(d.spec.Axes))
	d.place(d.start, rng)
}

// Spec implements bcpace.Model.
func (d *drawn) Spec() bcpace.Spec { return d.spec }

func (d *drawn) Prior(b bcpace.Belief) { copy(b, d.prior) }

func (d *drawn) Start(s []float64, _ int, _ *rand.Rand) { copy(s, d.start) }

func (d *drawn) noise(i int, σ float64) normal.Noise {
	a := d.spec.Axes[i]
	return normal.Noise{Min: a.Min, Max: a.Max, Sigma: σ, Wraps: d.wraps(i)}
}

func (d *drawn) LatentKind() bcpace.LatentKind {
	if d.moves == nil {
		return bcpace.Static
	}
	return bcpace.Redrawn
}

func (d *drawn) LatentTransition(p []float64, _ []float64, action, latent int) bool {
	if d.moves == nil {
		return false
	}
	index, _ := d.spec.Control(nil, action)
	copy(p, d.moves[index][latent*len(p):])
	return true
}

func (d *drawn) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	index, u := d.spec.Control(nil, action)
	d.mean(next, s, latent, index, u)
	for i, σ := range d.sigmas(s, latent, index, u) {
		noise := d.noise(i, σ)
		next[i] = noise.Draw(next[i], rng)
	}
	r := d.regionOf(next)
	if d.tells {
		if next[d.noisy] = 0; r.tells {
			next[d.noisy] = float64(latent + 1)
		}
	}
	out := bcpace.Outcome{Reward: r.pays[latent], Done: r.ends}
	if d.reward != nil {
		out.Reward += d.reward(s, latent, index, u)
	}
	return out
}

func (d *drawn) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	index, u := d.spec.Control(nil, action)
	mean, sum := make([]float64, d.noisy), 0.0
	d.mean(mean, s, latent, index, u)
	for i, σ := range d.sigmas(s, latent, index, u) {
		noise := d.noise(i, σ)
		sum += noise.Log(next[i], mean[i]) + noise.LogScale(next[i])
	}
	if d.tells && d.regionOf(next).tells && next[d.noisy] != float64(latent+1) {
		return math.Inf(-1)
	}
	return sum
}

func (d *drawn) Smoothness() (bcpace.Smoothness, bool) {
	s := bcpace.Smoothness{Sigma: append([]float64(nil), d.sigma...), MeanCurve: append([]float64(nil), d.curve...), RewardCurve: d.rewardCurve, RewardConvex: d.convex + 1e-6, Jumps: d.jumps}
	if d.tells {
		s.Sigma, s.MeanCurve, s.Jumps = append(s.Sigma, 0), append(s.MeanCurve, 0), append(append([][]float64(nil), d.jumps...), nil)
	}
	if d.sigmaAt != nil {
		s.SigmaCurve = append([]float64(nil), d.sigmaCurve...)
		if d.tells {
			s.SigmaCurve = append(s.SigmaCurve, 0)
		}
		s.SigmaAt = func(to, s []float64, latent, action int) {
			index, u := d.spec.Control(nil, action)
			clear(to)
			d.sigmaAt(to, s, latent, index, u)
		}
	}
	if d.moves != nil {
		s.Moves = func(p []float64, latent, action int) { d.LatentTransition(p, nil, action, latent) }
	}
	s.Mean = func(mean, s []float64, latent, action int) {
		index, u := d.spec.Control(nil, action)
		d.mean(mean, s, latent, index, u)
	}
	if d.reward != nil {
		s.Reward = func(s []float64, latent, action int) float64 {
			index, u := d.spec.Control(nil, action)
			return d.reward(s, latent, index, u)
		}
	}
	if d.regions != nil {
		s.Arrive = func(next []float64, latent int) bcpace.Arrival {
			r := d.regionOf(next)
			return bcpace.Arrival{Reward: r.pays[latent], Ends: r.ends, Tells: r.tells}
		}
	}
	return s, true
}

// String says what was drawn.
func (d *drawn) String() string {
	s := fmt.Sprintf("%d latents, γ %.2f, curves %.2g and %.2g, informs %v, jumps %.2f, tells %v", len(d.spec.Latents), d.spec.Discount, d.curve, d.rewardCurve, d.informs, d.jumps, d.tells)
	s += fmt.Sprintf(", horizon %d, σ wavers %v, moves %.2f", d.spec.Horizon, d.sigmaAt != nil, d.moves)
	for i := range d.noisy {
		a := d.spec.Axes[i]
		s += fmt.Sprintf(", axis of %.1f σ", (a.Max-a.Min)/d.sigma[i])
		if a.Period > 0 {
			s += " round"
		}
	}
	for _, a := range d.spec.Actions {
		s += fmt.Sprintf(", %s %d", a.Name, len(a.Box))
	}
	return s
}

func square(x float64) float64 { return x * x }
