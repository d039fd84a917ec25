package pomcpow

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"

	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online/vectors"
)

// mostLog is the log of the largest weight, of which many may be added up.
const mostLog = 600

// collecting is the search for a hidden vector, whose nodes collect particles. It is a tree.StateSource.
type collecting struct {
	*vectors.Histories
	particles []particles // by node; those of the root are not used
	spare     []particles // of trees before
	ended     bool        // the episode has, by the last step
}

// particles are hidden vectors with cumulated weights, each divided by exp(unit).
type particles struct {
	x    []float64
	sum  []float64
	unit float64
}

// Root implements online.Search.
func (t *collecting) Root(s []float64, b hidden.Belief) {
	t.Histories.Root(s, b)
	t.spare, t.particles = append(t.spare, t.particles...), t.particles[:0]
	t.add()
}

// add makes room for the particles of one more node.
func (t *collecting) add() {
	var p particles
	if n := len(t.spare); n > 0 {
		p, t.spare = t.spare[n-1], t.spare[:n-1]
		p.x, p.sum = p.x[:0], p.sum[:0]
	}
	t.particles = append(t.particles, p)
}

// Begin implements tree.StateSource.
func (t *collecting) Begin(_ context.Context, rng *rand.Rand) error {
	t.Belief.Draw(t.X, rng)
	t.Pass(0, t.Depth, rng)
	return nil
}

// Step implements tree.StateSource.
func (t *collecting) Step(node, edge int32, _ bool, rng *rand.Rand) (next []float64, reward float64, done bool) {
	out := t.Move(t.At(node), t.Edges[edge].Action, rng)
	t.ended = out.Done
	return t.Key(t.Next, out.Done), out.Reward, out.Done
}

// Arrive implements tree.StateSource.
func (t *collecting) Arrive(edge, to int32, left int, _, added bool, rng *rand.Rand) (done bool, err error) {
	if added {
		t.add()
	}
	if done = t.Nodes[to].Done; !done && !t.ended {
		t.weigh(edge, to)
	}
	if !done && !added && left > 0 {
		t.draw(to, rng)
		t.Pass(to, left, rng)
	}
	return done, nil
}

// weigh adds NextX, which X became by an edge, to the node that it leads to: weighted by its likelihood there, unless what it made seen
// has led there.
func (t *collecting) weigh(edge, to int32) {
	p, density := &t.particles[to], 0.0
	if t.Redraws {
		e := &t.Edges[edge]
		density = t.Model.LogDensity(t.At(e.Node), t.X, e.Action, t.At(to), t.NextX)
	}
	n := len(p.sum)
	if n == 0 {
		p.unit = density
	}
	weight := math.Exp(min(density-p.unit, mostLog))
	if !(weight > 0) {
		return
	}
	p.x = append(p.x, t.NextX...)
	if n > 0 {
		weight += p.sum[n-1]
	}
	p.sum = append(p.sum, weight)
}

// draw sets X to a hidden vector of a node, or to NextX where it has none.
func (t *collecting) draw(node int32, rng *rand.Rand) {
	p := &t.particles[node]
	n := len(p.sum)
	if n == 0 {
		copy(t.X, t.NextX)
		return
	}
	u := rng.Float64() * p.sum[n-1]
	i := min(sort.Search(n, func(i int) bool { return p.sum[i] > u }), n-1)
	copy(t.X, p.x[i*len(t.X):])
}

// Leaf implements tree.StateSource.
func (t *collecting) Leaf(ctx context.Context, _ int32, left int, rng *rand.Rand) (float64, error) {
	return t.Rollout(ctx, t.Next, t.NextX, left, rng)
}
