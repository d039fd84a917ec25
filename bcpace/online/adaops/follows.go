package adaops

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
)

// follows is what follows an action at a node. Its memory is used again.
type follows struct {
	n, axes int
	reward  float64   // mean
	moved   []float64 // n hidden vectors
	next    []int32   // by particle: what follows it, −1 where the episode has ended

	states []float64 // of what follows, each once
	prob   []float64
	weight []float64 // of the n particles, by what follows
	nodes  centres   // with the means of the n weights

	blind  []float64 // by particle: what one action always earns after the step
	played bool      // blind is set

	order   []int32          // by what follows: its state
	same    []int32          // by particle: the first that comes from the same place to the same place, −1 where the episode has ended
	first   map[uint64]int32 // room: by hash, the first of those
	density []float64        // room: by particle
	to      []float64        // room for a state
}

// moved are the moved particles, as points of equal weight.
type moved struct{ tree *beliefs }

// Len implements vectors.Points.
func (m *moved) Len() int { return m.tree.after.n }

// At implements vectors.Points.
func (m *moved) At(i int) (x []float64, weight float64) {
	dim := m.tree.dim
	return m.tree.after.moved[i*dim : (i+1)*dim : (i+1)*dim], 1 / float64(m.tree.after.n)
}

// Stream implements vectors.Points.
func (m *moved) Stream(int, int) *rand.Rand { return m.tree.rng }

// state returns the state of what follows.
func (f *follows) state(i int) []float64 { return f.at(int(f.order[i])) }

// at returns a state that a particle comes to.
func (f *follows) at(i int) []float64 { return f.states[i*f.axes : (i+1)*f.axes : (i+1)*f.axes] }

func (f *follows) weights(i int) bcpace.Belief { return f.weight[i*f.n : (i+1)*f.n : (i+1)*f.n] }

// follow sets after to what follows an action at a node.
func (t *beliefs) follow(n int32, action int, rng *rand.Rand) {
	f, p := &t.after, t.particles[n]
	f.n, f.axes, f.reward = int(p.n), t.axes, 0
	f.moved, f.to = slices.Grow(f.moved[:0], f.n*t.dim)[:f.n*t.dim], slices.Grow(f.to[:0], t.axes)[:t.axes]
	f.next, f.states, f.prob = f.next[:0], f.states[:0], f.prob[:0]
	for i, w := range t.weights(n) {
		if f.next = append(f.next, -1); w == 0 {
			continue
		}
		out := t.model.Step(f.to, f.moved[i*t.dim:(i+1)*t.dim], t.state(n), t.row(p.x+int32(i)), action, rng)
		if f.reward += w * out.Reward; out.Done {
			continue
		}
		k := 0
		for k < len(f.prob) && !slices.Equal(f.at(k), f.to) {
			k++
		}
		if k == len(f.prob) {
			if err := t.model.Spec.CheckOutcome(out, f.to, t.state(n), action, -1); err != nil {
				panic(err) // which Plan returns
			}
			f.prob, f.states = append(f.prob, 0), append(f.states, f.to...)
		}
		f.prob[k] += w
		f.next[i] = int32(k)
	}
	f.choose(max(mostNext, int(3*math.Sqrt(float64(f.n)))), rng)
	t.weigh(n, action)
	f.nodes.make(f.prob, t.o.Delta < 0, func(c, i int) bool {
		return t.metric.Within(t.o.Delta, f.state(c), f.weights(c), f.state(i), f.weights(i))
	})
	f.nodes.merge(f.prob, f.n, f.weights)
}

// choose sets order: all states, or so many of them, drawn at equal distances of their probabilities.
func (f *follows) choose(most int, rng *rand.Rand) {
	total := 0.0
	f.order = f.order[:0]
	for i, p := range f.prob {
		total += p
		f.order = append(f.order, int32(i))
	}
	if len(f.prob) <= most {
		return
	}
	step, kept := total/float64(most), 0
	at, sum := step*rng.Float64(), 0.0
	for i, p := range f.prob {
		sum += p
		times := 0.0
		for ; at < sum; at += step {
			times++
		}
		if times > 0 {
			f.prob[kept], f.order[kept] = times*step, int32(i)
			kept++
		}
	}
	f.prob, f.order = f.prob[:kept], f.order[:kept]
}

// compare sets same.
func (t *beliefs) compare(p particles) {
	f := &t.after
	f.density = slices.Grow(f.density[:0], f.n)[:f.n]
	f.same = f.same[:0]
	clear(f.first)
	for i, k := range f.next {
		if k < 0 {
			f.same = append(f.same, -1)
			continue
		}
		x, moved := t.row(p.x+int32(i)), f.moved[i*t.dim:(i+1)*t.dim]
		h := hash(hash(0, x), moved)
		j, ok := f.first[h]
		if !ok {
			f.first[h] = int32(i)
		}
		if !ok || !slices.Equal(t.row(p.x+j), x) || !slices.Equal(f.moved[int(j)*t.dim:int(j+1)*t.dim], moved) {
			j = int32(i)
		}
		f.same = append(f.same, j)
	}
}

// hash mixes numbers into h.
func hash(h uint64, xs []float64) uint64 {
	for _, x := range xs {
		h = sparse.Mixed(h, math.Float64bits(x+0)) // −0 + 0 is 0
	}
	return h
}

// weigh gives the moved particles their weights under what follows.
func (t *beliefs) weigh(n int32, action int) {
	f, p := &t.after, t.particles[n]
	t.compare(p)
	f.weight = slices.Grow(f.weight[:0], len(f.prob)*f.n)[:len(f.prob)*f.n]
	before := t.weights(n)
	for k := range f.prob {
		top := t.densities(n, action, f.state(k))
		w, sum := f.weights(k), 0.0
		for i, same := range f.same {
			switch {
			case same < 0:
				w[i] = 0
			case math.IsInf(top, -1): // none explains it: those that came there
				if w[i] = 0; f.next[i] == f.order[k] {
					w[i] = before[i]
				}
			case int(same) == i:
				f.density[i] = math.Exp(f.density[i] - top)
				fallthrough
			default:
				w[i] = before[i] * f.density[same]
			}
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
	}
}

// densities sets density to the logarithms for what follows, of the first of those that are the same, and returns the
// largest.
func (t *beliefs) densities(n int32, action int, next []float64) (top float64) {
	f, p := &t.after, t.particles[n]
	top = math.Inf(-1)
	for i, same := range f.same {
		if int(same) == i {
			f.density[i] = t.model.LogDensity(t.state(n), t.row(p.x+int32(i)), action, next, f.moved[i*t.dim:(i+1)*t.dim])
			top = max(top, f.density[i])
		}
	}
	return top
}

// play sets blind, for so many steps after the one that follows. The error may be that of ctx.
func (t *beliefs) play(ctx context.Context, steps int) error {
	f := &t.after
	f.played = true
	f.blind = slices.Grow(f.blind[:0], f.n)[:f.n]
	for i, k := range f.next {
		if f.blind[i] = 0; k < 0 {
			continue
		}
		var err error
		if f.blind[i], err = t.leaves.Blindly(ctx, f.at(int(k)), &t.moved, i, steps); err != nil {
			return err
		}
	}
	return nil
}
