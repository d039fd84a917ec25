package adaops

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/internal/packing"
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
	nodes  packing.Packing
	mass   []float64 // by node
	means  []float64 // of the n weights, by node

	blind  []float64 // by particle: what one action for ever earns after the step
	played bool      // blind is set

	to    []float64 // room for a state
	prior []float64 // room for logarithms of weights
}

// moved are the moved particles, as points of equal weight.
type moved struct{ tree *beliefs }

// Len implements search.Points.
func (m *moved) Len() int { return m.tree.after.n }

// At implements search.Points.
func (m *moved) At(i int) (x []float64, weight float64) {
	dim := m.tree.dim
	return m.tree.after.moved[i*dim : (i+1)*dim : (i+1)*dim], 1 / float64(m.tree.after.n)
}

// Stream implements search.Points.
func (m *moved) Stream(int, int) *rand.Rand { return m.tree.rng }

func (f *follows) state(i int) []float64 { return f.states[i*f.axes : (i+1)*f.axes : (i+1)*f.axes] }

func (f *follows) weights(i int) []float64 { return f.weight[i*f.n : (i+1)*f.n : (i+1)*f.n] }

func (f *follows) mean(k int) []float64 { return f.means[k*f.n : (k+1)*f.n : (k+1)*f.n] }

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
		for k < len(f.prob) && !slices.Equal(f.state(k), f.to) {
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
	t.weigh(n, action)
	f.nodes.Make(f.prob, t.o.Delta, func(c, i int) float64 {
		return t.metric.Distance(f.state(c), f.weights(c), f.state(i), f.weights(i))
	})
	f.merge()
}

// weigh gives the moved particles their weights under what follows.
func (t *beliefs) weigh(n int32, action int) {
	f, p := &t.after, t.particles[n]
	f.weight = slices.Grow(f.weight[:0], len(f.prob)*f.n)[:len(f.prob)*f.n]
	f.prior = f.prior[:0]
	for _, w := range t.weights(n) {
		f.prior = append(f.prior, math.Log(w))
	}
	for k := range f.prob {
		w, top := f.weights(k), math.Inf(-1)
		for i, prior := range f.prior {
			w[i] = math.Inf(-1)
			if f.next[i] >= 0 {
				w[i] = prior + t.model.LogDensity(t.state(n), t.row(p.x+int32(i)), action, f.state(k), f.moved[i*t.dim:(i+1)*t.dim])
			}
			top = max(top, w[i])
		}
		sum := 0.0
		for i, l := range w {
			switch {
			case !math.IsInf(top, -1):
				w[i] = math.Exp(l - top)
			case f.next[i] == int32(k): // none explains it: those that came there
				w[i] = t.weights(n)[i]
			default:
				w[i] = 0
			}
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
	}
}

// play sets blind, for so many steps after the one that follows. The error is that of ctx.
func (t *beliefs) play(ctx context.Context, steps int) error {
	f := &t.after
	f.played = true
	f.blind = slices.Grow(f.blind[:0], f.n)[:f.n]
	for i, k := range f.next {
		if f.blind[i] = 0; k < 0 {
			continue
		}
		var err error
		if f.blind[i], err = t.leaves.Blindly(ctx, f.state(int(k)), &t.moved, i, steps); err != nil {
			return err
		}
	}
	return nil
}

// merge gives each node the mean of the weights that it stands for.
func (f *follows) merge() {
	nodes := len(f.nodes.Centres)
	f.mass, f.means = slices.Grow(f.mass[:0], nodes)[:nodes], slices.Grow(f.means[:0], nodes*f.n)[:nodes*f.n]
	clear(f.mass)
	clear(f.means)
	for i, p := range f.prob {
		k := int(f.nodes.Node[i])
		f.mass[k] += p
		mean := f.mean(k)
		for j, w := range f.weights(i) {
			mean[j] += p * w
		}
	}
	for k, p := range f.mass {
		mean := f.mean(k)
		for j := range mean {
			mean[j] /= p
		}
	}
}

// packing returns what follows, for Pack.
func (t *beliefs) packing() *Packing {
	f := &t.after
	z := &Packing{Prob: slices.Clone(f.prob)}
	for i := range f.n {
		z.Hidden = append(z.Hidden, slices.Clone(f.moved[i*t.dim:(i+1)*t.dim]))
	}
	points := t.metric.Dim() + f.n
	for i := range f.prob {
		z.States, z.Weights = append(z.States, slices.Clone(f.state(i))), append(z.Weights, slices.Clone(f.weights(i)))
		z.Node, z.Points = append(z.Node, int(f.nodes.Node[i])), append(z.Points, make([]float64, points))
		t.metric.Embed(z.Points[i], f.state(i), f.weights(i))
	}
	for k, c := range f.nodes.Centres {
		z.Centre, z.Means = append(z.Centre, int(c)), append(z.Means, slices.Clone(f.mean(k)))
	}
	return z
}
