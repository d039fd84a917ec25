package lipschitz

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/metric"
)

// sameTolerance is the difference, as a part of the largest one possible, below
// which rewards or transitions of two states at distance 0 are the same: sums
// of probabilities are exact to a few units of 10⁻¹⁶.
const sameTolerance = 1e-12

// kernels are the transitions of a finite model, in a form that is quick to
// compare. Only live states are in it, those at which a query can be made.
type kernels struct {
	*liveStates
	spec             bcpace.Spec
	latents, actions int

	coords [][]float64
	// periods has those of the coordinates, see metric.Metric.
	periods []float64

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

// list returns the kernels of f.
func list(ctx context.Context, f bcpace.Finite) (*kernels, error) {
	live, err := findLive(ctx, f)
	if err != nil {
		return nil, err
	}
	spec := f.Spec()
	d := &kernels{liveStates: live, spec: spec, latents: len(spec.Latents), actions: len(spec.Actions)}
	metric := metric.New(spec, 1)
	space := metric.Dim() - d.latents
	d.periods = metric.Periods()
	known := make(map[string]int)
	s, none := make([]float64, len(spec.Axes)), make(bcpace.Belief, d.latents)
	for _, number := range d.live {
		f.StateAt(s, number)
		x := make([]float64, metric.Dim())
		metric.Embed(x, s, none)
		d.coords = append(d.coords, x[:space])
		for a := range d.actions {
			for latent := range d.latents {
				r := newRow(d.all, number*d.actions+a, latent)
				r.kernel = kernelOf(known, &r)
				d.rows = append(d.rows, r)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return d, nil
}

// newRow returns what follows in row i of t under a latent. An outcome is a next state
// with one of the latents that may follow, or with none where the episode ends.
func newRow(t *dp.Transitions, i, latent int) row {
	outcomes := make(map[int64]float64)
	moves, share, moved := t.Moves(i, latent)
	for e, end := t.Entries(i); e < end; e++ {
		p := t.Prob(e)[latent]
		if p == 0 {
			continue
		}
		to, done := t.Next(e)
		key := int64(to) * int64(t.Latents+1)
		switch {
		case done:
			outcomes[key+int64(t.Latents)] += p
		case !moved:
			outcomes[key+int64(latent)] += p
		default:
			for k, next := range moves {
				outcomes[key+int64(next)] += float64(p * share[k]) // rounded before it is added
			}
		}
	}
	r := row{key: slices.Sorted(maps.Keys(outcomes)), reward: t.Reward(i)[latent]}
	for _, key := range r.key {
		r.prob = append(r.prob, outcomes[key])
	}
	return r
}

// kernelOf returns the number of r's distribution, which equal ones share, so
// that states that lead to the same places are compared at no cost.
func kernelOf(known map[string]int, r *row) int {
	b := make([]byte, 0, 16*len(r.key))
	for i, k := range r.key {
		b = binary.LittleEndian.AppendUint64(b, uint64(k))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.prob[i]))
	}
	n, ok := known[string(b)]
	if !ok {
		n = len(known)
		known[string(b)] = n
	}
	return n
}

// liveStates are the states of a finite model at which an episode can be: all but
// those that are entered as it ends and in no other way.
type liveStates struct {
	all  *dp.Transitions
	live []int // their numbers
	ends bool  // some episode may end
}

func findLive(ctx context.Context, f bcpace.Finite) (*liveStates, error) {
	t, err := dp.ListTransitions(ctx, f)
	if err != nil {
		return nil, err
	}
	d := &liveStates{all: t}
	entered, ended := make([]bool, t.States), make([]bool, t.States)
	var z bcpace.Successors
	if err := z.ListStarts(f); err != nil {
		return nil, err
	}
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		if number := f.StateIndex(s); number >= 0 && slices.Max(prob) > 0 {
			entered[number] = true
		}
	}
	_, entries := t.Entries(t.States*t.Actions - 1)
	for e := range entries {
		to, done := t.Next(e)
		switch {
		case slices.Max(t.Prob(e)) == 0:
		case done:
			ended[to], d.ends = true, true
		default:
			entered[to] = true
		}
	}
	for number := range t.States {
		if entered[number] || !ended[number] {
			d.live = append(d.live, number)
		}
	}
	return d, nil
}

// row returns what follows live state i.
func (d *kernels) row(i, action, latent int) *row {
	return &d.rows[(i*d.actions+action)*d.latents+latent]
}

// pairs are the constants of one action under way.
type pairs struct {
	d      *kernels
	action int
	// top is the largest difference possible: of rewards, the difference of the
	// largest and smallest under one latent; of transitions, 2.
	topR, topP float64
	r, p       best
}

// best is the pair with the largest ratio so far; of those with an infinite
// one, the one with the largest difference. latent is -1 for a pair of queries.
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
			distance := knn.PeriodicDistance(d.coords[i], d.coords[j], d.periods)
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
func (c *Constants) fromFinite(ctx context.Context, f bcpace.Finite) error {
	d, err := list(ctx, f)
	if err != nil {
		return err
	}
	along, widest := -1, 0.0
	if len(d.coords) > 0 {
		for k := range d.coords[0] {
			if d.periods != nil && d.periods[k] > 0 {
				continue // the way round may be shorter
			}
			low, high := math.Inf(1), math.Inf(-1)
			for _, x := range d.coords {
				low, high = min(low, x[k]), max(high, x[k])
			}
			if high-low > widest {
				along, widest = k, high-low
			}
		}
	}
	order := num.UpTo(len(d.live))
	if along >= 0 {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d.coords[i][along], d.coords[j][along]) })
	}
	for a := range d.actions {
		q := pairs{d: d, action: a}
		if err := q.search(ctx, order, along); err != nil {
			return err
		}
		c.R.join(d.constant(f, q.r, ofR, a))
		c.P.join(d.constant(f, q.p, ofP, a))
	}
	c.Method = fmt.Sprintf("exact, all pairs of %d states, for %d actions and %d latents", len(d.live), d.actions, d.latents)
	return c.finiteValues(ctx, f, d)
}

// constant makes a Constant of a pair.
func (d *kernels) constant(f bcpace.Finite, b best, kind, action int) Constant {
	if b.ratio == 0 {
		return Constant{}
	}
	w := Witness{What: compared[kind], Action: action, Latent: b.latent, Distance: b.distance, Difference: b.difference, Ratio: b.ratio,
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

// largest returns, for each action, the larger one of two constants.
func (c Constant) largest(d Constant) (most Constant) {
	for a, x := range c.ByAction {
		if y := d.ByAction[a]; y.Value > x.Value {
			x = y
		}
		most.join(x)
	}
	return most
}

const rewardSource = "the range of rewards"

// finiteValues fills in the ranges of values over all live states. A state and action at which nothing
// follows under a latent is left out.
func (c *Constants) finiteValues(ctx context.Context, f bcpace.Finite, d *kernels) error {
	t := &c.Tight
	t.Source = rewardSource
	var upper *dp.FIBBound // nil where the range of rewards bounds what any policy earns
	var lower *dp.WorstBound
	// With a horizon, values at few steps left may lie outside those without one.
	if d.spec.Discount < 1 && d.spec.Horizon == 0 {
		var err error
		if upper, err = dp.SolveFIB(ctx, f); err != nil {
			return err
		}
		if lower, err = dp.SolveWorst(ctx, f); err != nil {
			return err
		}
		t.Source = "the fast informed bounds from above and below, solved at all states"
	}
	t.VMin, t.VMax, t.LBByAction = math.Inf(1), math.Inf(-1), make([]float64, d.actions)
	for i, number := range d.live {
		for a := range d.actions {
			low, high := math.Inf(1), math.Inf(-1)
			for latent := range d.latents {
				if len(d.row(i, a, latent).key) == 0 {
					continue
				}
				// The range of rewards bounds values too, so that bounds are no further apart for the errors of a solver.
				lo, up := d.spec.VMin(), d.spec.VMax()
				if upper != nil {
					lo, up = max(lo, lower.Vector(number, a)[latent]), min(up, upper.Vector(number, a)[latent])
				}
				if !(lo <= up) { // also where one is not a number
					return bcpace.In("bounds of values").Bad(fmt.Sprintf("those of state %d, latent %d, action %d", number, latent, a),
						fmt.Sprintf("%v, %v", lo, up), "two numbers, the lower one first")
				}
				low, high = min(low, lo), max(high, up)
			}
			if low <= high {
				t.LBByAction[a] = max(t.LBByAction[a], (high-low)/2)
				t.VMin, t.VMax = min(t.VMin, low), max(t.VMax, high)
			}
		}
	}
	t.reachZero(d.ends || t.VMin > t.VMax)
	return nil
}

// reachZero has the range of values contain 0, which is the value after an end, where episodes end. A value V lies
// between the least and the largest Q of its state.
func (t *Tight) reachZero(ends bool) {
	if ends {
		t.VMin, t.VMax = min(t.VMin, 0), max(t.VMax, 0)
	}
}
