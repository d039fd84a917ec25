package cpace

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// controlValues are the values Q(s, φ, a) of a model whose actions have boxes: those of the
// model that Discretised makes of it, and interpolated between its controls, multilinearly.
// A control between two points may be worth more than that.
type controlValues struct {
	bcpace.LatentValues              // of the list, by its actions
	model               bcpace.Model // the list that Discretised returns, or it with the steps left
	spec                bcpace.Spec  // of the model with the boxes
	ids                 []int        // by action of the list: its id there
	latents             int
	nodes               []controlNodes
}

// controlNodes are the points in the place of the Box of an action.
type controlNodes struct {
	first int // the first of them, an action of the list
	cells int // between them, on each axis
	box   []bcpace.Axis
}

// on returns the number of points on axis i.
func (n *controlNodes) on(i int) int { return num.BoxPoints(n.box[i].Period, n.cells+1) }

// solveControls is dp.SolveLatentOn for a model whose actions have boxes, with so many points in
// the place of each axis.
func solveControls(ctx context.Context, m bcpace.Model, points int, o dp.GridOptions) (bcpace.LatentValues, error) {
	list, err := bcpace.Discretised(m, points)
	if err != nil {
		return nil, err
	}
	q, err := dp.SolveLatentOn(ctx, list, o)
	if q == nil {
		return nil, err
	}
	return newControlValues(list, q), err
}

// newControlValues returns the values q of a list, which Discretised has made, as values of
// its inner model.
func newControlValues(list bcpace.Model, q bcpace.LatentValues) *controlValues {
	v := &controlValues{LatentValues: q, model: list, latents: len(list.Spec().Latents)}
	made := bcpace.AbilitiesOf(list)
	v.spec, v.ids = made.Behind.Spec(), made.IDs
	first := 0
	for _, a := range v.spec.Actions {
		n := controlNodes{first: first, cells: made.Points - 1, box: a.Box}
		first += n.size()
		v.nodes = append(v.nodes, n)
	}
	return v
}

// size returns the number of points in the place of the Box.
func (n *controlNodes) size() int {
	size := 1
	for i := range n.box {
		size *= n.on(i)
	}
	return size
}

// Listed returns the values of the actions of the list, by their places there, and their ids.
func (v *controlValues) Listed() (q bcpace.LatentValues, ids []int) { return v.LatentValues, v.ids }

// at calls f with the points round control u and their weights. u is nil for an action
// without a Box.
func (n *controlNodes) at(u []float64, f func(node int, weight float64)) {
	var low, high [num.MaxBoxAxes]int
	var share [num.MaxBoxAxes]float64
	for i, x := range n.box {
		low[i], high[i], share[i] = n.between(i, u[i], x)
	}
	for corner := range 1 << len(n.box) {
		node, weight := 0, 1.0
		for i := range n.box {
			if corner>>i&1 == 0 {
				node, weight = node*n.on(i)+low[i], weight*(1-share[i])
			} else {
				node, weight = node*n.on(i)+high[i], weight*share[i]
			}
		}
		if weight > 0 {
			f(node, weight)
		}
	}
}

// between returns the points of axis i below and above u, and how far u is on its way from
// the one to the other.
func (n *controlNodes) between(i int, u float64, x bcpace.Axis) (low, high int, share float64) {
	at := (u - x.Min) / (x.Max - x.Min) * float64(n.cells)
	low = min(max(int(math.Floor(at)), 0), n.cells-1)
	if high = low + 1; high == n.on(i) {
		high = 0
	}
	return low, high, at - float64(low)
}

// Q implements LatentValues. It is NaN for an id that is no action.
func (v *controlValues) Q(s []float64, latent, action int) float64 {
	return v.interpolate(action, func(node int) float64 { return v.LatentValues.Q(s, latent, node) })
}

// interpolate returns the interpolation of f, which is known at the actions of the list.
func (v *controlValues) interpolate(action int, f func(node int) float64) float64 {
	var buffer [num.MaxBoxAxes]float64
	index, u := v.spec.Control(buffer[:], action)
	if index < 0 {
		return math.NaN()
	}
	n, sum := &v.nodes[index], 0.0
	n.at(u, func(node int, weight float64) { sum += weight * f(n.first+node) })
	return sum
}

// best returns the largest value of a latent MDP in state s, and the first action that has
// it: one of the list, as all else is interpolated.
func (v *controlValues) best(s []float64, latent int) (value float64, action int) {
	value, at := num.Largest(len(v.ids), func(a int) float64 { return v.LatentValues.Q(s, latent, a) })
	return value, v.ids[at]
}

// Beliefs is the number of latents of a belief that the values are for.
func (v *controlValues) Beliefs() int { return v.latents }

// AppendBinary implements encoding.BinaryAppender.
func (v *controlValues) AppendBinary(dst []byte) ([]byte, error) {
	return dp.AppendLatentValues(dst, v.LatentValues)
}

// readLatent reads the latent values that paperValues.Bytes has returned for m.
func (o Solver) readLatent(written []byte, m bcpace.Model) (bcpace.LatentValues, error) {
	spec := m.Spec()
	if !spec.HasBox() {
		return dp.DecodeLatentValues(written, m)
	}
	list, err := bcpace.Discretised(m, o.ControlPoints)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", runs.ErrFormat, err)
	}
	q, err := dp.DecodeLatentValues(written, list)
	if err != nil {
		return nil, err
	}
	return newControlValues(list, q), nil
}
