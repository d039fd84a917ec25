package lipschitz

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
)

// sumTolerance is how far a sum of probabilities may be from 1.
const sumTolerance = 1e-9

// sameTolerance is the difference, as a part of the largest one possible, below
// which rewards or transitions of two states at distance 0 are the same: sums
// of probabilities are exact to a few units of 10⁻¹⁶.
const sameTolerance = 1e-12

// dynamics are the transitions of a finite model, in a form that is quick to
// compare. Only live states are in it, those at which a query can be made.
type dynamics struct {
	spec             bcpace.Spec
	latents, actions int

	live   []int // numbers of the states
	coords [][]float64
	ends   bool // some episode may end

	// rows[(i·actions + a)·latents + φ] is what follows live[i].
	rows []row
}

// row is a distribution over outcomes.
type row struct {
	key    []int64   // of the outcomes, ascending; empty where the state cannot occur under the latent
	prob   []float64 // by key
	reward float64   // expected
	kernel int       // equal for rows with the same key and prob
}

// distance returns Σ|p−q|.
func (r *row) distance(q *row) float64 {
	if r.kernel == q.kernel {
		return 0
	}
	d, i, j := 0.0, 0, 0
	for i < len(r.key) || j < len(q.key) {
		switch {
		case j == len(q.key) || i < len(r.key) && r.key[i] < q.key[j]:
			d += r.prob[i]
			i++
		case i == len(r.key) || q.key[j] < r.key[i]:
			d += q.prob[j]
			j++
		default:
			d += math.Abs(r.prob[i] - q.prob[j])
			i, j = i+1, j+1
		}
	}
	return d
}

// list fills in the dynamics of f.
func list(ctx context.Context, f bcpace.Finite) (*dynamics, error) {
	spec := f.Spec()
	d := &dynamics{spec: spec, latents: len(spec.Latents), actions: len(spec.Actions)}
	if err := d.findLive(ctx, f); err != nil {
		return nil, err
	}
	metric := bcpace.NewMetric(spec, 1)
	space := metric.Dim() - d.latents
	var moves bcpace.LatentDynamics // nil for a static latent
	if m, ok := f.(bcpace.LatentDynamics); ok && m.LatentKind() != bcpace.Static {
		moves = m
	}
	kernels := make(map[string]int)
	s, moved := make([]float64, len(spec.Axes)), make([]float64, d.latents)
	none := make(bcpace.Belief, d.latents)
	var z bcpace.Successors
	for _, number := range d.live {
		f.StateAt(s, number)
		x := make([]float64, metric.Dim())
		metric.Embed(x, s, none)
		d.coords = append(d.coords, x[:space])
		for a := range d.actions {
			z.Reset(len(spec.Axes), d.latents)
			f.Successors(&z, s, a)
			for latent := range d.latents {
				fault := func(format string, args ...any) error {
					return &bcpace.ConformanceError{Model: spec.Name, State: slices.Clone(s), Action: spec.Actions[a].Name,
						Latent: spec.Latents[latent], What: fmt.Sprintf(format, args...)}
				}
				changes := moves != nil && moves.LatentTransition(moved, s, a, latent)
				if changes && bcpace.Belief(moved).Validate() != nil {
					return nil, fault("LatentTransition gives %.4g, want a distribution over the latents", moved)
				}
				r, total := row{}, 0.0
				for i := range z.Len() {
					next, prob, reward := z.Row(i)
					p := prob[latent]
					if p == 0 {
						continue
					}
					to := f.StateIndex(next)
					switch {
					case to < 0:
						return nil, fault("Successors lists %v, which is no state of the model", next)
					case !(p > 0 && p <= 1+sumTolerance):
						return nil, fault("Successors gives probability %v, want a value in [0, 1]", p)
					case math.IsNaN(reward[latent]) || math.IsInf(reward[latent], 0):
						return nil, fault("Successors gives reward %v, want a finite number", reward[latent])
					}
					total += p
					r.reward += p * reward[latent]
					r.add(int64(to), z.Done[i], p, changes, moved, latent)
				}
				if total != 0 && math.Abs(total-1) > sumTolerance {
					return nil, fault("the probabilities of Successors sum to %v, want 1", total)
				}
				r.sort()
				r.kernel = kernelOf(kernels, &r)
				d.rows = append(d.rows, r)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return d, nil
}

// add appends the outcomes of next state to, of probability p: one for each
// latent that may follow, or one where the episode ends, when none does.
func (r *row) add(to int64, done bool, p float64, changes bool, moved []float64, latent int) {
	key := to * int64(len(moved)+1)
	switch {
	case done:
		r.push(key+int64(len(moved)), p)
	case !changes:
		r.push(key+int64(latent), p)
	default:
		for next, q := range moved {
			if q > 0 {
				r.push(key+int64(next), p*q)
			}
		}
	}
}

func (r *row) push(key int64, p float64) { r.key, r.prob = append(r.key, key), append(r.prob, p) }

// sort puts the keys in order, each once.
func (r *row) sort() {
	order := make([]int, len(r.key))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.key[i], r.key[j]) })
	from := *r
	r.key, r.prob = nil, nil
	for _, i := range order {
		if n := len(r.key); n > 0 && r.key[n-1] == from.key[i] {
			r.prob[n-1] += from.prob[i]
		} else {
			r.push(from.key[i], from.prob[i])
		}
	}
}

// kernelOf returns the number of r's distribution, which equal ones share, so
// that states that lead to the same places are compared at no cost.
func kernelOf(kernels map[string]int, r *row) int {
	b := make([]byte, 0, 16*len(r.key))
	for i, k := range r.key {
		b = binary.LittleEndian.AppendUint64(b, uint64(k))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.prob[i]))
	}
	n, ok := kernels[string(b)]
	if !ok {
		n = len(kernels)
		kernels[string(b)] = n
	}
	return n
}

// findLive lists the states at which an episode can be: all but those that are
// entered as it ends and in no other way.
func (d *dynamics) findLive(ctx context.Context, f bcpace.Finite) error {
	n := f.NumStates()
	entered, ended := make([]bool, n), make([]bool, n)
	mark := func(set []bool, s, prob []float64) {
		if i := f.StateIndex(s); i >= 0 && slices.Max(prob) > 0 {
			set[i] = true
		}
	}
	var z bcpace.Successors
	z.Reset(len(d.spec.Axes), d.latents)
	f.Starts(&z)
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		mark(entered, s, prob)
	}
	at := make([]float64, len(d.spec.Axes))
	for number := range n {
		if number%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f.StateAt(at, number)
		for a := range d.actions {
			z.Reset(len(d.spec.Axes), d.latents)
			f.Successors(&z, at, a)
			for i := range z.Len() {
				s, prob, _ := z.Row(i)
				if z.Done[i] {
					mark(ended, s, prob)
					d.ends = d.ends || slices.Max(prob) > 0
				} else {
					mark(entered, s, prob)
				}
			}
		}
	}
	for number := range n {
		if entered[number] || !ended[number] {
			d.live = append(d.live, number)
		}
	}
	return nil
}

// row returns what follows live state i.
func (d *dynamics) row(i, action, latent int) *row {
	return &d.rows[(i*d.actions+action)*d.latents+latent]
}

// pairs are the constants of one action under way.
type pairs struct {
	d      *dynamics
	action int
	// top is the largest difference possible: of rewards, the difference of the
	// largest and smallest under one latent; of transitions, 2.
	topR, topP float64
	r, p       best
}

// best is the pair with the largest ratio so far; of those with an infinite
// one, the one with the largest difference.
type best struct {
	ratio, difference, distance float64
	i, j, latent                int
}

// offer takes the pair (i, j) where it is worse. Two states at distance 0 may
// differ by less than same.
func (b *best) offer(difference, distance, same float64, i, j, latent int) {
	q := difference / distance
	if distance == 0 {
		if difference <= same {
			return
		}
		q = math.Inf(1)
	}
	if q > b.ratio || math.IsInf(q, 1) && difference > b.difference {
		*b = best{q, difference, distance, i, j, latent}
	}
}

// search compares all pairs that can matter. The states are given in the order
// of their coordinate along, so that a pair's distance is at least the
// difference of those: once top/difference is no more than the largest ratio, no
// later partner of a state can be worse.
func (q *pairs) search(ctx context.Context, order []int, along int) error {
	d := q.d
	for latent := range d.latents {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range d.live {
			if r := d.row(i, q.action, latent); len(r.key) > 0 {
				low, high = min(low, r.reward), max(high, r.reward)
			}
		}
		q.topR = max(q.topR, high-low)
	}
	q.topP = 2
	for k, i := range order {
		if k%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, j := range order[k+1:] {
			apart := 0.0
			if along >= 0 {
				apart = d.coords[j][along] - d.coords[i][along]
			}
			if q.hopeless(apart) {
				break
			}
			distance := 0.0
			for c, x := range d.coords[i] {
				distance += math.Abs(x - d.coords[j][c])
			}
			if q.hopeless(distance) {
				continue
			}
			for latent := range d.latents {
				a, b := d.row(i, q.action, latent), d.row(j, q.action, latent)
				if len(a.key) == 0 || len(b.key) == 0 {
					continue
				}
				q.r.offer(math.Abs(a.reward-b.reward), distance, sameTolerance*max(1, q.topR), i, j, latent)
				q.p.offer(a.distance(b), distance, 2*sameTolerance, i, j, latent)
			}
		}
	}
	return nil
}

// hopeless says that no pair at that distance or more can be worse.
func (q *pairs) hopeless(distance float64) bool {
	return distance > 0 && q.topR <= q.r.ratio*distance && q.topP <= q.p.ratio*distance
}

// fromFinite fills in what is known exactly of a finite model.
func (c *Constants) fromFinite(ctx context.Context, f bcpace.Finite, o Options) error {
	d, err := list(ctx, f)
	if err != nil {
		return err
	}
	along, widest := -1, 0.0
	if len(d.coords) > 0 {
		for k := range d.coords[0] {
			low, high := math.Inf(1), math.Inf(-1)
			for _, x := range d.coords {
				low, high = min(low, x[k]), max(high, x[k])
			}
			if high-low > widest {
				along, widest = k, high-low
			}
		}
	}
	order := make([]int, len(d.live))
	for i := range order {
		order[i] = i
	}
	if along >= 0 {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d.coords[i][along], d.coords[j][along]) })
	}
	for a := range d.actions {
		q := pairs{d: d, action: a}
		if err := q.search(ctx, order, along); err != nil {
			return err
		}
		c.R.join(d.constant(f, q.r, "|R1−R2|", a))
		c.P.join(d.constant(f, q.p, "Σ|P1−P2|", a))
	}
	c.Method = fmt.Sprintf("exact, all pairs of %d states, for %d actions and %d latents", len(d.live), d.actions, d.latents)
	return c.finiteValues(ctx, f, d, o)
}

// constant makes a Constant of a pair.
func (d *dynamics) constant(f bcpace.Finite, b best, what string, action int) Constant {
	if b.ratio == 0 {
		return Constant{}
	}
	w := Witness{What: what, Action: action, Latent: b.latent, Distance: b.distance, Difference: b.difference, Ratio: b.ratio,
		S1: make([]float64, len(d.spec.Axes)), S2: make([]float64, len(d.spec.Axes))}
	f.StateAt(w.S1, d.live[b.i])
	f.StateAt(w.S2, d.live[b.j])
	return Constant{Value: b.ratio, Worst: w}
}

// join adds the constant of the next action.
func (c *Constant) join(next Constant) {
	c.ByAction = append(c.ByAction, next)
	worse := next.Value > c.Value ||
		math.IsInf(next.Value, 1) && next.Worst.Difference > c.Worst.Difference
	if worse {
		c.Value, c.StdErr, c.Worst = next.Value, next.StdErr, next.Worst
	}
}
