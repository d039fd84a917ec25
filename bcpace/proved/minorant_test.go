package proved

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/normal"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// smooth is a model that states means alone.
type smooth struct {
	spec   bcpace.Spec
	sigma  []float64
	curve  []float64
	jumps  [][]float64
	mean   func(to, s []float64, φ, index int, u []float64)
	change func(*bcpace.Smoothness)

	sigmaAt    func(to, s []float64, φ, index int, u []float64) // nil where it is sigma
	sigmaCurve []float64
}

func (m *smooth) Spec() bcpace.Spec                                            { return m.spec }
func (m *smooth) Prior(b bcpace.Belief)                                        { copy(b, bcpace.Uniform(len(b))) }
func (m *smooth) LogLikelihood(_ []float64, _ int, _ []float64, _ int) float64 { return 0 }

func (m *smooth) Start(s []float64, _ int, _ *rand.Rand) {
	for i, a := range m.spec.Axes {
		s[i] = a.Min
	}
}

func (m *smooth) Step(next, s []float64, _, _ int, _ *rand.Rand) bcpace.Outcome {
	copy(next, s)
	return bcpace.Outcome{}
}

func (m *smooth) Smoothness() (bcpace.Smoothness, bool) {
	s := bcpace.Smoothness{Sigma: m.sigma, MeanCurve: m.curve, Jumps: m.jumps, Mean: func(to, s []float64, φ, id int) {
		index, u := m.spec.Control(nil, id)
		m.mean(to, s, φ, index, u)
	}}
	if m.sigmaAt != nil {
		s.SigmaCurve = m.sigmaCurve
		s.SigmaAt = func(to, s []float64, φ, id int) {
			index, u := m.spec.Control(nil, id)
			m.sigmaAt(to, s, φ, index, u)
		}
	}
	if m.change != nil {
		m.change(&s)
	}
	return s, true
}

// drawSmooth draws a model of one to three axes, whose means are products of coordinates, on some axes bent.
func drawSmooth(t *rapid.T) *smooth {
	n, latents := rapid.IntRange(1, 3).Draw(t, "axes"), rapid.IntRange(1, 3).Draw(t, "latents")
	controls := rapid.IntRange(0, 3-n).Draw(t, "controls")
	m := &smooth{spec: bcpace.Spec{Name: "smooth", Discount: 0.9, RewardMax: 1}}
	for i := range n {
		σ, low := evenly(t, 0.2, 3), evenly(t, -3, 1)
		a := bcpace.Axis{Name: string(rune('x' + i)), Min: low, Max: low + σ*evenly(t, 0.3, 12), Scale: evenly(t, 0.3, 3)}
		var jumps []float64
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			a.Period = a.Max - a.Min
		case 1:
			jumps = []float64{a.Min + (a.Max-a.Min)*evenly(t, 0.1, 0.9)}
		}
		m.spec.Axes, m.sigma, m.jumps = append(m.spec.Axes, a), append(m.sigma, σ), append(m.jumps, jumps)
	}
	m.spec.Actions = bcpace.Actions("go")
	for q := range controls {
		m.spec.Actions[0].Box = append(m.spec.Actions[0].Box, bcpace.Axis{Name: string(rune('u' + q)), Min: -1, Max: evenly(t, -0.5, 2)})
	}
	// The mean is a sum over sets of coordinates of products of how far along they are.
	all := n + controls
	weights := make([][][]float64, n)
	bend := make([]float64, n)
	m.curve = make([]float64, n)
	for i := range n {
		size := m.sigma[i] * evenly(t, 0, 8)
		differ := latents > 1 && rapid.Bool().Draw(t, "differ")
		on := rapid.IntRange(0, 1<<all-1).Draw(t, "on") // the coordinates that matter
		for φ := range latents {
			if φ > 0 && !differ {
				weights[i] = append(weights[i], weights[i][0])
				continue
			}
			list := make([]float64, 1<<all)
			for set := range list {
				if set&^on == 0 && (set == 0 || set&(set-1) == 0 || rapid.IntRange(0, 3).Draw(t, "some") == 0) {
					list[set] = size * evenly(t, -1, 1)
				}
			}
			weights[i] = append(weights[i], list)
		}
		if rapid.IntRange(0, 2).Draw(t, "bends") == 0 && on&1 > 0 { // along the first axis
			bend[i] = m.sigma[i] * evenly(t, 0, 1)
			m.curve[i] = 9 * bend[i] / square(m.spec.Axes[0].Max-m.spec.Axes[0].Min) * square(m.spec.Axes[0].Scale)
		}
	}
	for φ := range latents {
		m.spec.Latents = append(m.spec.Latents, string(rune('a'+φ)))
	}
	m.mean = func(to, s []float64, φ, _ int, u []float64) {
		along := make([]float64, 0, 5)
		for i, a := range m.spec.Axes {
			along = append(along, (s[i]-a.Min)/(a.Max-a.Min))
		}
		for q, b := range m.spec.Actions[0].Box {
			along = append(along, (u[q]-b.Min)/(b.Max-b.Min))
		}
		for i := range n {
			to[i] = m.spec.Axes[i].Min + bend[i]*math.Sin(3*along[0])
			for set, w := range weights[i][φ] {
				for k := range all {
					if set>>k&1 > 0 {
						w *= along[k]
					}
				}
				to[i] += w
			}
		}
	}
	if rapid.Bool().Draw(t, "wavers") {
		m.drawSigmas(t, all)
	}
	return m
}

// drawSigmas makes the standard deviations depend on some coordinates, on latents, and on one axis of the state by
// a wave.
func (m *smooth) drawSigmas(t *rapid.T, all int) {
	n, latents := len(m.sigma), len(m.spec.Latents)
	by, wave := make([][][]float64, n), make([]float64, n)
	m.sigmaCurve = make([]float64, n)
	for i := range n {
		differ := rapid.Bool().Draw(t, "differ")
		for φ := range latents {
			if φ > 0 && !differ {
				by[i] = append(by[i], by[i][0])
				continue
			}
			list := []float64{evenly(t, 0.5, 1)}
			for range all {
				list = append(list, evenly(t, -0.3, 1)/float64(all)*float64(rapid.IntRange(0, 1).Draw(t, "on")))
			}
			by[i] = append(by[i], list)
		}
		if rapid.IntRange(0, 2).Draw(t, "waves") == 0 {
			wave[i] = m.sigma[i] * evenly(t, 0, 0.1)
			a := m.spec.Axes[0]
			m.sigmaCurve[i] = 9 * wave[i] / square(a.Max-a.Min) * square(a.Scale)
		}
	}
	m.sigmaAt = func(to, s []float64, φ, _ int, u []float64) {
		for i := range n {
			list := by[i][φ]
			w := list[0]
			for k := range n {
				w += list[k+1] * m.along(s, u, k)
			}
			for q := range u {
				w += list[n+q+1] * m.along(s, u, n+q)
			}
			to[i] = m.sigma[i]*w + wave[i]*math.Sin(3*m.along(s, u, 0))
		}
	}
}

// along returns how far along its axis a coordinate of the state or the control is.
func (m *smooth) along(s, u []float64, k int) float64 {
	if n := len(m.spec.Axes); k >= n {
		b := m.spec.Actions[0].Box[k-n]
		return (u[k-n] - b.Min) / (b.Max - b.Min)
	}
	a := m.spec.Axes[k]
	return (s[k] - a.Min) / (a.Max - a.Min)
}

// drawGrid makes a grid of few cells.
func drawGrid(t *rapid.T, m *smooth) *grid {
	p, err := newSpace(m)
	if err != nil {
		t.Fatal(err)
	}
	f, w := p.look()
	cells, boxes := make([]int, len(m.spec.Axes)), [][]int{make([]int, len(m.spec.Actions[0].Box))}
	for i := range cells {
		cells[i] = rapid.IntRange(1, 12-3*len(cells)).Draw(t, "cells")
	}
	for q := range boxes[0] {
		boxes[0][q] = rapid.IntRange(1, 2).Draw(t, "controls")
	}
	g, err := newGrid(context.Background(), p, f, w, cells, boxes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// minorants returns the densities at a place on an axis that a corner has by latent, or its
// probabilities where the place is an end, −1 or 1 for the low and the high one.
func minorants(b *builder, group, c int, place float64, end int) []float64 {
	list := make([]float64, b.latents)
	from, to := b.corner(group, c)
	if end != 0 {
		for φ, n := range b.at {
			low, high := b.ends(n, b.cells[φ])
			if list[φ] = low; end > 0 {
				list[φ] = high
			}
		}
		return list
	}
	for j := from; j < to; j++ {
		c, x := b.x.cellAt(j), place
		if b.x.wraps {
			x += math.Round(((c.a+c.b)/2-place)/(b.x.high-b.x.low)) * (b.x.high - b.x.low)
		}
		if x < c.a || x > c.b {
			continue
		}
		right := (x - c.a) / (c.b - c.a)
		if !b.rows.informs {
			for φ := range list {
				list[φ] += b.down * b.source(b.cells[0], c.a, c.b) * normal.Density((x-b.at[0].mean)/b.at[0].sigma) / b.at[0].sigma
			}
			continue
		}
		// Each vertex that tells something has two rows, with a third and a sixth of what it has:
		// the first row leads to the low vertex.
		var rows [][]float64
		b.inside(c, func(int32) { rows = append(rows, slices.Clone(b.prob)) })
		for k := 0; k < len(rows); k += 2 {
			weight := right
			if slices.Max(rows[k]) > slices.Max(rows[k+1]) {
				weight = 1 - right
			}
			for φ := range list {
				list[φ] += weight * 2 * (rows[k][φ] + rows[k+1][φ]) / (c.b - c.a)
			}
		}
	}
	return list
}

// evenly draws a number between two. (What rapid draws itself is most often close to 0.)
func evenly(t *rapid.T, lo, hi float64) float64 {
	return lo + (hi-lo)*rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).Float64()
}

// drawAlong draws where a place is in a cell: often about its middle, where minorants are least below.
func drawAlong(t *rapid.T) float64 {
	if rapid.Bool().Draw(t, "middle") {
		return float64(rapid.IntRange(2, 6).Draw(t, "eighths")) / 8
	}
	return evenly(t, 0, 1)
}

// The minorants of the corners of a cell, in the weights of a place in it, lie below the
// distribution of the next state: at any place, on all axes together. What the rest may be is
// within its reach.
func TestMinorant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSmooth(t)
		g := drawGrid(t, m)
		n, box := len(g.axes), m.spec.Actions[0].Box
		builders := make([]*builder, n)
		for i := range builders {
			builders[i] = newBuilder(g, i, false)
		}
		for range 40 {
			// A place in a cell of states and controls, and the corners with their weights.
			s, u, to := make([]float64, n), make([]float64, len(box)), make([]float64, n)
			nodes, weights := []int{0}, []float64{1}
			for i, x := range g.axes {
				k := rapid.IntRange(0, len(x.node)-1).Draw(t, "node")
				if x.right[k] < 0 {
					for q := range nodes {
						nodes[q] += k * g.stride[i]
					}
					s[x.number] = x.node[k]
					continue
				}
				w := drawAlong(t)
				s[x.number] = x.node[k] + w*(x.node[k+1]-x.node[k])
				for q := range nodes {
					nodes, weights = append(nodes, nodes[q]+(k+1)*g.stride[i]), append(weights, weights[q]*w)
					nodes[q] += k * g.stride[i]
					weights[q] *= 1 - w
				}
			}
			choices, parts := []int{0}, []float64{1}
			for q, b := range box {
				cells := g.choices[0].cells[q]
				k, w := rapid.IntRange(0, cells-1).Draw(t, "control"), drawAlong(t)
				u[q] = b.Min + (b.Max-b.Min)*(float64(k)+w)/float64(cells)
				for j := range choices {
					choices, parts = append(choices, choices[j]+(k+1)*g.choices[0].stride[q]), append(parts, parts[j]*w)
					choices[j] += k * g.choices[0].stride[q]
					parts[j] *= 1 - w
				}
			}
			φ := rapid.IntRange(0, g.latents-1).Draw(t, "latent")
			m.mean(to, s, φ, 0, u)
			σ := slices.Clone(m.sigma)
			if m.sigmaAt != nil {
				m.sigmaAt(σ, s, φ, 0, u)
			}
			// A next place, and how dense or likely it is.
			next, ends, want := make([]float64, n), make([]int, n), 1.0
			alike, off := rapid.Bool().Draw(t, "alike"), evenly(t, -7, 7)
			for i, x := range g.axes {
				mean, σ := to[x.number], σ[x.number]
				if next[i] = mean + σ*off; !alike {
					next[i] = mean + σ*evenly(t, -7, 7)
				}
				if !alike && rapid.Bool().Draw(t, "at a node") { // factors are those of the worst place of a cell
					next[i] = x.node[rapid.IntRange(0, len(x.node)-1).Draw(t, "node")] + x.widest*rapid.SampledFrom([]float64{-1e-6, 0, 1e-6}).Draw(t, "beside")
				}
				if x.wraps {
					next[i] = normal.Wrap(next[i], x.low, x.high)
				}
				for _, node := range x.node { // a place at a node is in two cells
					if math.Abs(next[i]-node) < 1e-9*(x.high-x.low) {
						next[i] = node + 1e-6*x.widest
					}
				}
				switch {
				case x.wraps:
					density, length := 0.0, x.high-x.low
					for turn := math.Round((mean-next[i])/length) - 40; turn <= math.Round((mean-next[i])/length)+40; turn++ {
						density += normal.Density((next[i]+turn*length-mean)/σ) / σ
					}
					want *= density
				case next[i] <= x.low:
					ends[i] = -1
					want *= normal.CDF((x.low - mean) / σ)
				case next[i] >= x.high:
					ends[i] = 1
					want *= normal.CDF((mean - x.high) / σ)
				default:
					want *= normal.Density((next[i]-mean)/σ) / σ
				}
			}
			sum := 0.0
			for k, node := range nodes {
				for j, c := range choices {
					product := weights[k] * parts[j]
					for i := range g.axes {
						group := g.group(node, i)
						product *= minorants(builders[i], group, c, next[i], ends[i])[φ]
						if kernel := &g.rows[i].kernels[group*len(g.choices)+c]; product > 0 && weights[k]*parts[j] > 0 {
							within(t, g.axes[i], to[g.axes[i].number], σ[g.axes[i].number], kernel, φ)
						}
					}
					sum += product
				}
			}
			if !(sum <= want*(1+1e-9)+1e-290) {
				t.Fatalf("from %v with %v under %d to %v (ends %v): the minorants have %v in all, and the density is %v", s, u, φ, next, ends, sum, want)
			}
		}
	})
}

// within checks that a place within far standard deviations of a mean in a cell is within the reach
// of the rest of a corner.
func within(t *rapid.T, x *axis, mean, σ float64, k *kernel, φ int) {
	if len(k.rest) == 1 {
		φ = 0
	}
	r := k.rest[φ]
	for _, off := range []float64{-far, -1, 0, 2, far} {
		place := mean + off*σ*(1-1e-9)
		noise := normal.Noise{Min: x.low, Max: x.high, Sigma: σ, Wraps: x.wraps}
		place = noise.Onto(place)
		found := false
		for _, s := range x.find(place) {
			left, right, w := x.between(place, s)
			low, high := int32(left/x.block), int32(right/x.block)
			if w == 0 {
				high = low
			}
			if place == x.low && s > 0 && !x.wraps { // noise that stops is at the end
				continue
			}
			found = found || low >= r.first && high <= r.last
		}
		if !found {
			t.Fatalf("a mean of %v may lead to %v, and the rest reaches from block %d to %d of %d nodes %v", mean, place, r.first, r.last, x.block, x.node)
		}
	}
}

// What a kernel keeps leads nowhere with more than its probability, and to no more than one place in all.
func TestKernelsAreBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSmooth(t)
		g := drawGrid(t, m)
		for i, x := range g.axes {
			r := &g.rows[i]
			k := rapid.IntRange(0, len(r.kernels)-1).Draw(t, "kernel")
			kernel := &r.kernels[k]
			for φ := range g.latents {
				one, got := 0, make([]float64, len(x.node))
				if r.informs {
					one = φ
					for row, to := range kernel.to {
						got[to] += kernel.prob[row*g.latents+φ]
					}
				} else {
					copy(got[kernel.first:kernel.end], kernel.prob)
				}
				n := r.noise(x, k*g.latents+φ)
				want := make([]float64, len(x.node)) // of the corner itself
				if !x.wraps {
					want[0] += normal.CDF((x.low - n.mean) / n.sigma)
					want[len(want)-1] += normal.CDF((n.mean - x.high) / n.sigma)
				}
				const parts = 60
				length := x.high - x.low
				for _, c := range x.cells {
					round, most := 0.0, 0.0
					if x.wraps {
						round, most = math.Round((n.mean-c.a)/length), math.Ceil(7*n.sigma/length)+1
					}
					for turn := round - most; turn <= round+most; turn++ {
						for p := range parts {
							along := (float64(p) + 0.5) / parts
							mass := normal.Density((c.a+(c.b-c.a)*along+turn*length-n.mean)/n.sigma) / n.sigma * (c.b - c.a) / parts
							want[c.from] += mass * (1 - along)
							want[c.to] += mass * along
						}
					}
				}
				total := 0.0
				for node, p := range got {
					total += p
					if !(p <= want[node]*1.01+1e-4) {
						t.Fatalf("axis %d, mean %v: %v at node %d of %v, want %v at most", i, n.mean, p, node, x.node, want[node])
					}
				}
				if !(math.Abs(total-kernel.kept[one]) <= 1e-12) || total > 1 {
					t.Fatalf("axis %d: %v in all, and %v is kept", i, total, kernel.kept[one])
				}
			}
		}
	})
}

// The values of the latents when told are the largest ones at the nodes that the rests of all axes reach.
func TestTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGrid(t, drawSmooth(t))
		values := make([]float64, g.nodes)
		for k := range values {
			values[k] = float64(rapid.IntRange(-9, 9).Draw(t, "value"))
		}
		x := newTold(g, g.latents)
		x.fill(0, values)
		number, reaches := 0, make([]reach, len(g.axes))
		for i := range g.axes {
			k := rapid.IntRange(0, len(g.rows[i].reaches)-1).Draw(t, "reach")
			reaches[i] = g.rows[i].reaches[k]
			number += k * x.stride[i]
		}
		want := math.Inf(-1)
		for node, v := range values {
			in := true
			for i, r := range reaches {
				block := int32(g.at(node, i) / g.axes[i].block)
				in = in && block >= r.first && block <= r.last
			}
			if in {
				want = max(want, v)
			}
		}
		if got := x.values[0][number]; got != want {
			t.Fatalf("reaches %v: %v, want %v", reaches, got, want)
		}
	})
}

// The nodes of an axis go from end to end, a place lies between those that are beside it, and a window has all
// cells within its ends.
func TestAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := &axis{low: envtest.Evenly(-5, 5).Draw(t, "low"), sigma: rapid.Float64Range(0.01, 9).Draw(t, "σ"), unit: 1, wraps: rapid.Bool().Draw(t, "wraps")}
		length := rapid.Float64Range(0.01, 30).Draw(t, "length")
		x.high = x.low + length
		var jumps []float64
		for range rapid.IntRange(0, 3).Draw(t, "jumps") {
			if jump := x.low + length*envtest.Evenly(0.001, 0.999).Draw(t, "jump"); !x.wraps && !slices.Contains(jumps, jump) {
				jumps = append(jumps, jump)
			}
		}
		slices.Sort(jumps)
		x.cut(rapid.IntRange(1, 30).Draw(t, "cells"), jumps)
		at := x.low
		for i, c := range x.cells {
			if c.a != at || !(c.b > c.a) || x.node[c.from] != c.a || x.node[c.to] != c.b || c.b-c.a > x.widest {
				t.Fatalf("cell %d is %v after %v", i, c, at)
			}
			if x.right[c.from] != c.to || x.left[c.to] != c.from || x.segment[c.from] != x.segment[c.to] {
				t.Fatalf("cell %d, %v, is not beside its nodes", i, c)
			}
			at = c.b
		}
		if at != x.high {
			t.Fatalf("the last cell ends at %v, want %v", at, x.high)
		}
		place := x.low + length*envtest.Evenly(0, 1).Draw(t, "place")
		if place = min(place, x.high); len(x.find(place)) == 0 {
			t.Fatalf("%v is in no segment", place)
		}
		for _, s := range x.find(place) {
			left, right, w := x.between(place, s)
			if got := (1-w)*x.node[left] + w*x.node[right]; math.Abs(got-place) > 1e-12*(math.Abs(place)+length) || x.segment[left] != int32(s) || x.segment[right] != int32(s) {
				t.Fatalf("%v lies at %v of %v and %v, in segment %d", place, w, x.node[left], x.node[right], s)
			}
		}
		lo := x.low + length*envtest.Evenly(-4, 4).Draw(t, "lo")
		hi := lo + length*envtest.Evenly(0, 3).Draw(t, "wide")
		from, to := x.window(lo, hi)
		first, end := x.nodes(from, to)
		if from >= to || first < 0 || first >= end || int(end) > len(x.node) {
			t.Fatalf("the window from %v to %v has cells from %d to %d, nodes from %d to %d", lo, hi, from, to, first, end)
		}
		inside := lo + (hi-lo)*envtest.Evenly(0, 1).Draw(t, "inside")
		if !x.wraps && (inside < x.low || inside > x.high) {
			return
		}
		found := false
		for i := from; i < to; i++ {
			c := x.cellAt(i)
			found = found || inside >= c.a-1e-12*length && inside <= c.b+1e-12*length
			if c.from < first || c.to >= end {
				t.Fatalf("cell %v of a window has nodes from %d to %d", c, first, end)
			}
		}
		if !found {
			t.Fatalf("%v is in no cell of the window from %v to %v", inside, lo, hi)
		}
	})
}
