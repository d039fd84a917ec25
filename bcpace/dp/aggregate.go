package dp

import (
	"encoding/binary"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/sparse"
)

// Aggregate returns t with one state for those that differ only on axes of infinite
// Scale, t itself where there are none. Such an axis promises that neither transitions
// nor rewards depend on it, as with the last observation of a POMDP; the promise is
// checked, and where it does not hold to the last bit for every state and action,
// nothing is aggregated.
//
// Q*, and the value of every policy that does not read those axes, are then the
// same for all states of a class: the states after the first step, with their
// probabilities and rewards, are (exact lumpability, or bisimulation). Successors
// of one class stay apart, for they tell different things of the latent.
//
// In a large model with a static latent, states whose rows are the same are one state as well.
func (t *Transitions) Aggregate() *Transitions {
	axes := t.states.model.Spec().Axes
	if !slices.ContainsFunc(axes, func(a bcpace.Axis) bool { return math.IsInf(a.Scale, 1) }) {
		return t.mergeSame()
	}
	s := make([]float64, len(axes))
	c := classes{of: make([]int32, t.States)}
	numbers := make(map[string]int32)
	var key []byte
	for i := range t.States {
		t.states.model.StateAt(s, i)
		key = key[:0]
		for k, x := range s {
			if !math.IsInf(axes[k].Scale, 1) {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
			}
		}
		n, ok := numbers[string(key)]
		if !ok {
			n = int32(len(c.first))
			numbers[string(key)] = n
			c.first = append(c.first, int32(i))
		}
		c.of[i] = n
	}
	if len(c.first) == t.States || !t.alike(&c) {
		return t.mergeSame()
	}
	return t.keepFirst(&c)
}

// mergeSame returns t with one state for those that have the same rows, where t is large and the
// latent static: such states, as those with another last observation, have the same values. A small
// t comes back as it is: merging would hardly save time.
func (t *Transitions) mergeSame() *Transitions {
	if t.States*t.Latents < mdp.Large || t.mover != nil {
		return t
	}
	c := classes{of: make([]int32, t.States)}
	rows := sparse.NewRows()
	for i := range c.of {
		for r := i * t.Actions; r < (i+1)*t.Actions; r++ {
			for e := t.row[r]; e < t.row[r+1]; e++ {
				next := t.next[e]
				if t.done[e] {
					next = ^next
				}
				rows.Add(next, t.kind[e])
			}
			rows.Add(math.MaxInt32, t.mean[r]) // ends the row
		}
		c.of[i] = rows.EndRow()
		if int(c.of[i]) == len(c.first) {
			c.first = append(c.first, int32(i))
		}
	}
	if len(c.first) == t.States {
		return t
	}
	return t.keepFirst(&c)
}

// classes are sets of states of a model that stand for one state each.
type classes struct {
	of    []int32 // by number of a state of the model: its class
	first []int32 // by class: the number of its first state
}

// alike reports whether every state has the rows of the first one of its class.
func (t *Transitions) alike(c *classes) bool {
	for i, class := range c.of {
		for a := range t.Actions {
			r, q := i*t.Actions+a, int(c.first[class])*t.Actions+a
			if r == q {
				continue
			}
			from, to, size := t.row[r], t.row[q], t.row[r+1]-t.row[r]
			if t.row[q+1]-to != size || t.mean[r] != t.mean[q] ||
				!slices.Equal(t.kind[from:from+size], t.kind[to:to+size]) ||
				!slices.Equal(t.done[from:from+size], t.done[to:to+size]) ||
				!t.moveAlike(r, q) {
				return false
			}
			for k := range size {
				if c.of[t.next[from+k]] != c.of[t.next[to+k]] {
					return false
				}
			}
		}
	}
	return true
}

// moveAlike reports whether two rows move the latent in the same way.
func (t *Transitions) moveAlike(r, q int) bool {
	if t.movesLatent(r) != t.movesLatent(q) {
		return false
	}
	for φ := 0; t.movesLatent(r) && φ < t.Latents; φ++ {
		to, share := t.movesOf(r, φ)
		same, likewise := t.movesOf(q, φ)
		if !slices.Equal(to, same) || !slices.Equal(share, likewise) {
			return false
		}
	}
	return true
}

// keepFirst returns the rows of the first state of each class.
func (t *Transitions) keepFirst(c *classes) *Transitions {
	z := &Transitions{States: len(c.first), Latents: t.Latents, Actions: t.Actions, Discount: t.Discount, Rate: t.Rate,
		states: t.states.merged(c), algorithm: t.algorithm, limit: t.limit, longest: t.longest, probs: t.probs, rewards: t.rewards, row: make([]int, 1, len(c.first)*t.Actions+1)}
	if t.mover != nil {
		z.moves.From = make([]int, 1)
	}
	for _, i := range c.first {
		for a := range t.Actions {
			r := int(i)*t.Actions + a
			from, to := t.row[r], t.row[r+1]
			for _, k := range t.next[from:to] {
				z.next = append(z.next, c.of[k])
			}
			z.to = append(z.to, t.next[from:to]...)
			z.done = append(z.done, t.done[from:to]...)
			z.kind = append(z.kind, t.kind[from:to]...)
			z.mean = append(z.mean, t.mean[r])
			z.row = append(z.row, len(z.next))
			switch {
			case t.movesLatent(r):
				z.addMoves(func(φ int) ([]int32, []float64) { return t.movesOf(r, φ) })
			case t.mover != nil:
				z.mover = append(z.mover, -1)
			}
		}
	}
	return z
}

// numbering numbers the states of a Finite model, or classes of them.
type numbering struct {
	model    bcpace.Finite
	axes     int // of a state
	*classes     // nil where every state is one of its own
}

// number numbers the states of m.
func number(m bcpace.Finite) numbering { return numbering{model: m, axes: len(m.Spec().Axes)} }

// merged numbers classes of the states.
func (n numbering) merged(c *classes) numbering { return numbering{n.model, n.axes, c} }

// index returns the number of state s of the model, −1 where it has none.
func (n numbering) index(s []float64) int {
	if len(s) != n.axes {
		return -1
	}
	i := n.model.StateIndex(s)
	if i >= 0 && n.classes != nil {
		i = int(n.of[i])
	}
	return i
}

// At fills s with the first state of the class with that number.
func (n numbering) At(s []float64, number int) {
	if n.classes != nil {
		number = int(n.first[number])
	}
	n.model.StateAt(s, number)
}

// Disaggregate returns v with an entry for every state of the model in Table, where it
// has one for every class of them (Transitions.Aggregate).
func (v *FiniteValues) Disaggregate() *FiniteValues {
	if v.states.classes == nil {
		return v
	}
	n := v.latents * v.actions
	all := *v
	all.states.classes = nil
	all.Table = make([]float64, 0, len(v.states.of)*n)
	for _, c := range v.states.of {
		all.Table = append(all.Table, v.Table[int(c)*n:(int(c)+1)*n]...)
	}
	return &all
}

// FiniteValues are the values Q(s, φ, a) of a Finite model, from SolveFinite.
// They are safe for concurrent use, and Q does not allocate.
type FiniteValues struct {
	// Table holds Q(s, φ, a) at (number of s × latents + φ) × actions + a, in
	// reward units. The number is that of Transitions, for values of those.
	Table []float64
	// Error bounds |Table − Q*|, in reward units. Values are approached from
	// below: as an upper bound in the strict sense, add Error.
	Error float64

	states           numbering
	latents, actions int
}

var _ bcpace.LatentValues = (*FiniteValues)(nil)

// Q returns Q(s, φ, a), or NaN for a state, latent or action that the model does not have.
func (v *FiniteValues) Q(s []float64, latent, action int) float64 {
	i := v.states.index(s)
	if i < 0 || latent >= v.latents || action >= v.actions {
		return math.NaN()
	}
	return v.Table[(i*v.latents+latent)*v.actions+action]
}

func (v *FiniteValues) Beliefs() int { return v.latents }
