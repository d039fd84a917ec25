package certified

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// maxHalvings is more than the axes of any grid can be halved.
const maxHalvings = 64

// gridValues are lower bounds at the points of a grid, as α-vectors with their actions, and
// interpolated between these. They hold up to the error of the grid.
type gridValues struct {
	halvings int // the step is that of the latent values, doubled so often
	axes     []dp.GridAxis
	sets     []*alpha.Set // by point
}

// at returns the lower bound at a state and belief, NaN where the state is off the grid.
func (v *gridValues) at(s []float64, b bcpace.Belief) float64 {
	var at dp.GridPlace
	if !at.Locate(v.axes, s) {
		return math.NaN()
	}
	value := 0.0
	for i := range at.Len() {
		point, w := at.At(i)
		value += w * v.sets[point].Value(b)
	}
	return value
}

// write encodes v, for readGridValues.
func (v *gridValues) write(out *columns.Encoder) {
	head, actions, entries := []int32{int32(v.halvings)}, []int32(nil), []float64(nil)
	for _, set := range v.sets {
		head = append(head, int32(set.Len()))
		for i := range set.Len() {
			actions, entries = append(actions, int32(set.Action(i))), append(entries, set.Vector(i)...)
		}
	}
	out.Ints(&head, len(head))
	out.Ints(&actions, len(actions))
	out.Floats(&entries, len(entries))
}

// readGridValues reads what write has written, where finest is the grid of the latent values.
// The error wraps runs.ErrFormat.
func readGridValues(in *columns.Decoder, spec bcpace.Spec, finest []dp.GridAxis) (*gridValues, error) {
	bad := func(format string, args ...any) (*gridValues, error) {
		return nil, fmt.Errorf("%w: the values of its policy on a grid %s", runs.ErrFormat, fmt.Sprintf(format, args...))
	}
	v := &gridValues{axes: finest}
	var head, counts, actions []int32
	if len(in.In) < 4 {
		return bad("have %d bytes", len(in.In))
	}
	in.Ints(&head, 1)
	if v.halvings = int(head[0]); v.halvings < 0 || v.halvings > maxHalvings {
		return bad("are on a grid with %d times twice the step", v.halvings)
	}
	for range v.halvings {
		v.axes = grid.Coarser(v.axes)
	}
	points := grid.Points(v.axes)
	if len(in.In) < 4*points {
		return bad("have %d bytes for the %d points of the grid", len(in.In), points)
	}
	in.Ints(&counts, points)
	latents, vectors := len(spec.Latents), 0
	for _, n := range counts {
		if n < 1 || int(n) > len(in.In) {
			return bad("have %d vectors at a point", n)
		}
		vectors += int(n)
	}
	if len(in.In) != vectors*(4+8*latents) {
		return bad("have %d bytes for %d vectors, want %d", len(in.In), vectors, vectors*(4+8*latents))
	}
	in.Ints(&actions, vectors)
	var entries []float64
	in.Floats(&entries, vectors*latents)
	for _, x := range entries {
		if !num.Finite(x) {
			return bad("have the entry %v", x)
		}
	}
	for _, n := range counts {
		set := alpha.NewSet(latents)
		for ; n > 0; n-- {
			if a := int(actions[0]); a < 0 || a >= len(spec.Actions) {
				return bad("have action %d of %d", a, len(spec.Actions))
			}
			set.Append(entries[:latents], int(actions[0]))
			actions, entries = actions[1:], entries[latents:]
		}
		v.sets = append(v.sets, set)
	}
	return v, nil
}

// gridPolicy takes the action that promises most by gridValues one step ahead, of those that are
// best at the points of the grid around the state. The step is that of the model from the very
// state, so that it sees what lies between the points.
type gridPolicy struct {
	values  *gridValues
	model   bcpace.Enumerator
	latents int
	lister  *bcpace.Lister
	value   func(s []float64, b bcpace.Belief) float64 // values.at
	tried   []int
}

func newGridPolicy(m bcpace.Enumerator, v *gridValues) *gridPolicy {
	return &gridPolicy{values: v, model: m, latents: len(m.Spec().Latents), lister: bcpace.NewLister(m), value: v.at}
}

// Act implements Policy.
func (p *gridPolicy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	action, top := -1, math.Inf(-1)
	var at dp.GridPlace
	if len(b) != p.latents || !at.Locate(p.values.axes, s) {
		return action
	}
	p.tried = p.tried[:0]
	for i := range at.Len() {
		point, _ := at.At(i)
		set := p.values.sets[point]
		k, _ := set.Best(b)
		if k < 0 { // b has an entry that is no number
			return -1
		}
		a := set.Action(k)
		if slices.Contains(p.tried, a) {
			continue
		}
		p.tried = append(p.tried, a)
		if q := p.promise(s, b, a); q > top {
			action, top = a, q
		}
	}
	return action
}

// promise returns what an action promises one step ahead, NaN for one that the model does not
// list there.
func (p *gridPolicy) promise(s []float64, b bcpace.Belief, a int) float64 {
	if p.lister.List(s, a) != nil {
		return math.NaN()
	}
	return p.lister.Backup(b, p.value)
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *gridPolicy) Fork() bcpace.Policy { return newGridPolicy(p.model, p.values) }
