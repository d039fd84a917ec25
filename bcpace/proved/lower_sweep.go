package proved

import (
	"context"
	"slices"
)

// mixer finds the points by which a belief is remembered.
type mixer struct {
	p       *points
	between *between
	held    []float64
	points  []int32
	weights []float64
}

func newMixer(l *cellFloor) *mixer {
	return &mixer{p: l.p, between: l.p.grid.between(), held: make([]float64, l.g.latents)}
}

// remember sets the points around an unnormalised belief, and the weights by which one of them is
// drawn. A belief that is not sure of a latent is held back from the points that are: there nothing
// more would be learned.
func (m *mixer) remember(w []float64) {
	total, most := 0.0, 0.0
	for _, x := range w {
		total, most = total+x, max(most, x)
	}
	all := 0.0
	for φ, x := range w {
		switch {
		case !(total > leastTotal):
			m.held[φ] = 1
		case most == total:
			m.held[φ] = x / total
		default:
			m.held[φ] = max(1/float64(m.p.grid.parts), x/total)
		}
		all += m.held[φ]
	}
	m.p.grid.corners(m.between, m.held, all)
	m.points, m.weights = m.between.numbers, m.between.weights
}

// two is remember for two latents: the points are at and the one after it, and right is the weight of that.
func (m *mixer) two(w0, w1 float64) (at int32, right float64) {
	parts := float64(m.p.grid.parts)
	total := w0 + w1
	switch {
	case !(total > leastTotal):
		w1 = 0.5
	case w0 == 0 || w1 == 0:
		w1 /= total
	default:
		p, q := max(1/parts, w0/total), max(1/parts, w1/total)
		w1 = q / (p + q)
	}
	at = min(int32(w1*parts), int32(m.p.grid.parts)-1)
	return at, w1*parts - float64(at)
}

// evaluate computes what the rules earn from what is earned a step later.
func (l *cellFloor) evaluate(ctx context.Context) (next [][]float64) {
	for range l.v {
		next = append(next, make([]float64, len(l.node)))
	}
	arrival := make([][][]float64, len(l.moved))
	for class := range arrival {
		arrival[class] = l.arrivals(ctx, class)
	}
	first := len(l.lines[0].spots)
	outer, chunks := l.spots/first, 1
	if len(l.lines) == 1 {
		chunks = first
	}
	parallel(ctx, outer*chunks, func(i int) {
		w := &floorSweeper{cellFloor: l, mixer: newMixer(l), arrival: arrival, next: next, w: make([]float64, l.g.latents)}
		from, to := i%chunks, i%chunks+1
		if chunks == 1 {
			from, to = 0, first
		}
		w.row(i/chunks, from, to)
	})
	return next
}

// arrivals returns what arriving at each corner is worth, by latent and memory, before the latent
// moves.
func (l *cellFloor) arrivals(ctx context.Context, class int) [][]float64 {
	points, latents := len(l.p.list), l.g.latents
	rows := l.g.moves.rows[class]
	all := make([][]float64, len(l.v))
	parallel(ctx, len(all), func(p int) {
		φ, k := p/points, p%points
		all[p] = make([]float64, len(l.node))
		later := func(slots, k int) (v float64) {
			for _, m := range l.moved[class][k] {
				if rows == nil {
					v += m.weight * l.v[φ*points+m.point][slots]
					continue
				}
				for ψ, share := range rows[φ*latents : (φ+1)*latents] {
					v += m.weight * share * l.v[ψ*points+m.point][slots]
				}
			}
			return v
		}
		for slots, node := range l.node {
			r := l.g.regionOf(int(node))
			v := r.pays[φ]
			switch {
			case r.ends:
			case r.tells:
				v += l.g.discount * later(slots, l.p.sure[φ])
			default:
				v += l.g.discount * later(slots, k)
			}
			all[p][slots] = v
		}
	})
	return all
}

// floorSweeper evaluates for one goroutine.
type floorSweeper struct {
	*cellFloor
	mixer   *mixer
	arrival [][][]float64 // by class
	next    [][]float64
	w       []float64

	sums  []tensor // by corner of a spot: what is left after all axes but the first are summed up
	inner []tensor // by axis: likewise, on the way
	mixes []mix    // by spot of the first axis
	store []int32
	parts []float64
}

// mix are some entries of store and parts.
type mix struct{ from, to int }

// row evaluates the spots of the first axis in a range, with spots of the other axes.
func (w *floorSweeper) row(outer, from, to int) {
	var played []int32
	for i := from; i < to; i++ {
		for k := range w.choice {
			if c := w.choice[k][i*w.stride[0]+outer]; !slices.Contains(played, c) {
				played = append(played, c)
			}
		}
	}
	coupled := w.coupled()
	for _, c := range played {
		summed := false
		for i := from; i < to; i++ {
			spot := i*w.stride[0] + outer
			if w.region(spot).ends {
				continue
			}
			var memories []int
			for k := range w.choice {
				if w.choice[k][spot] == c {
					memories = append(memories, k)
				}
			}
			if len(memories) == 0 {
				continue
			}
			if !summed || coupled {
				w.sum(spot, c)
				summed = true
			}
			w.spot(spot, c, memories)
		}
	}
}

// sum sums what arriving is worth up over all axes but the first one, for each corner of a spot. Corners
// that differ on the first axis alone have one sum, unless it matters there.
func (w *floorSweeper) sum(spot int, c int32) {
	n := len(w.lines)
	if w.sums == nil {
		w.sums, w.inner = make([]tensor, 1<<n), make([]tensor, n)
	}
	whole := &tensor{at: w.arrival[w.g.moves.class[w.g.choices[c].action]], first: w.slots.first, many: w.slots.many}
	for set := range w.sums {
		if n == 1 {
			w.sums[set] = *whole
			continue
		}
		if set&1 > 0 && !w.coupled() {
			w.sums[set] = w.sums[set-1]
			continue
		}
		node := int(w.node[w.corner(spot, set)])
		t := whole
		for i := n - 1; i > 0; i-- {
			out := &w.inner[i]
			if i == 1 {
				out = &w.sums[set]
			}
			out.first, out.many = make([]int32, i), make([]int, i)
			size := 1
			for j := range i { // of what is left, what is needed
				out.first[j], out.many[j] = w.reached(node, j, c)
				size *= out.many[j]
			}
			out.at, out.data = sized(out.at, len(w.v)), sized(out.data, size*len(w.v))
			k, _ := w.kernels[i][w.entry(node, i, c)].of(0)
			for p := range out.at {
				out.at[p] = out.data[p*size : (p+1)*size]
				add(out, t, p, i, k)
			}
			t = out
		}
	}
}

// reached returns the slots of an axis that are needed: all of the first one, where the sums stand for
// all its nodes.
func (w *floorSweeper) reached(node, axis int, c int32) (first int32, many int) {
	if axis == 0 && !w.coupled() {
		return 0, w.slots.many[0]
	}
	return w.all(node, axis, c)
}

// spot evaluates what a choice earns at the corners of a spot, for the memories that play it.
func (w *floorSweeper) spot(spot int, c int32, memories []int) {
	like := w.news[w.newsOf(spot, int(c))]
	n, points := len(w.lines), len(w.p.list)
	from, to := len(w.lines[0].spots), 0
	for set := range 1 << n {
		first, many := w.all(int(w.node[w.corner(spot, set)]), 0, c)
		from, to = min(from, int(first)/2), max(to, (int(first)+many+1)/2)
	}
	for _, k := range memories {
		w.mix(like, k, from, to)
		for set := range 1 << n {
			slots := w.corner(spot, set)
			node := int(w.node[slots])
			for φ := range w.g.latents {
				w.next[φ*points+k][slots] = w.value(&w.sums[set], node, c, φ, from)
			}
		}
	}
}

// all returns the slots of an axis that a choice at a node reaches under some latent.
func (w *floorSweeper) all(node, axis int, c int32) (first int32, many int) {
	k := w.kernels[axis][w.entry(node, axis, c)]
	first, end := k.by[0].first, k.by[0].end
	for _, x := range k.by[1:] {
		first, end = min(first, x.first), max(end, x.end)
	}
	return first, int(end - first)
}

// mix finds what is remembered in spots of the first axis after a memory.
func (w *floorSweeper) mix(like []float64, k, from, to int) {
	w.mixes, w.store, w.parts = w.mixes[:0], w.store[:0], w.parts[:0]
	b := w.p.list[k]
	for i := from; i < to; i++ {
		start := len(w.store)
		if len(b) == 2 {
			at, right := w.mixer.two(b[0]*like[2*i], b[1]*like[2*i+1])
			w.store, w.parts = append(w.store, at, at+1), append(w.parts, 1-right, right)
			w.mixes = append(w.mixes, mix{start, len(w.store)})
			continue
		}
		for φ, p := range b {
			w.w[φ] = p * like[i*w.g.latents+φ]
		}
		w.mixer.remember(w.w)
		w.store, w.parts = append(w.store, w.mixer.points...), append(w.parts, w.mixer.weights...)
		w.mixes = append(w.mixes, mix{start, len(w.store)})
	}
}

// value returns what a choice at a node earns under a latent. The mixes begin at a spot.
func (w *floorSweeper) value(t *tensor, node int, c int32, φ, from int) (v float64) {
	g, points := w.g, len(w.p.list)
	kept, reach := 1.0, 0
	told := w.upper.ways[g.moves.class[g.choices[c].action]].told
	for i := range w.lines {
		e := w.entry(node, i, c)
		_, k := w.kernels[i][e].of(φ)
		kept *= k
		reach += int(g.rows[i].restOf(e, φ, g.latents).number) * told.stride[i]
	}
	v = (1 - kept) * told.values[w.upper.p.sure[φ]][reach]
	if g.reward != nil {
		v += g.reward[(node*len(g.choices)+int(c))*g.latents+φ]
	}
	k, _ := w.kernels[0][w.entry(node, 0, c)].of(φ)
	offset := int(k.first - t.first[0])
	for i := 0; i < len(k.prob); i += 2 {
		left, right := k.prob[i], k.prob[i+1]
		if left+right == 0 {
			continue
		}
		m := w.mixes[int(k.first)/2+i/2-from]
		for n := m.from; n < m.to; n++ {
			to := t.at[φ*points+int(w.store[n])]
			v += w.parts[n] * (left*to[offset+i] + right*to[offset+i+1])
		}
	}
	return v
}
