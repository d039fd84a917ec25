package tabular

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
)

// Rows is a Posterior of rows that are independent of each other, each with a Dirichlet prior
// or the sparse one of bcpace.TransitionPrior.
//
// Predict works without a drawn row. By de Finetti's theorem, draws from the predictive
// distribution, each counted as if it were an observation, have the distribution of draws from
// one row that was drawn first. So a simulation costs no draw of a row, whatever its length.
type Rows struct {
	spec     bcpace.Spec
	model    bcpace.Finite
	states   int
	actions  int
	discount float64
	alpha    float64
	sizes    *supportSizes // of the sparse prior; nil for Dirichlet rows
	follow   [][]int32     // by row: the states that may follow; nil for all

	reward  []float64 // by row, or by row and next state
	byNext  bool      // the reward depends on the next state
	rewards []float64 // by row: sum of the rewards over the states that may follow

	rows []row
	log  []observation
}

// row has what was observed after a state and an action.
type row struct {
	total float64 // observations
	seen  []seen  // the states that have followed, in the order of their first time
}

type seen struct {
	next  int32
	count float64
}

// observation is what Undo takes back.
type observation struct{ row, place int32 }

// mostRewards bounds the numbers of a table of rewards by row and next state: 160 MB.
const mostRewards = 20_000_000

// NewRows returns what an agent knows of m before it has seen anything. The errors are those of
// New.
func NewRows(ctx context.Context, m bcpace.UnknownTransitions) (*Rows, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	spec, prior := m.Spec(), m.TransitionPrior()
	x := &Rows{spec: spec, model: m, states: m.NumStates(), actions: len(spec.Actions), discount: spec.Discount, alpha: prior.Alpha}
	if !(prior.Alpha >= 0) || math.IsInf(prior.Alpha, 1) {
		return nil, x.bad("Alpha", fmt.Sprint(prior.Alpha), "a number above 0, or 0 for the default")
	}
	if err := x.setFollow(prior.Follow); err != nil {
		return nil, err
	}
	if err := x.setRewards(ctx, prior.Reward); err != nil {
		return nil, err
	}
	if prior.Sparse {
		if x.alpha == 0 {
			x.alpha = sparseAlpha
		}
		x.sizes = newSupportSizes(x.alpha, x.mostFollow())
	}
	x.rows = make([]row, x.states*x.actions)
	return x, nil
}

func (x *Rows) bad(what, got, want string) error {
	return bcpace.In(fmt.Sprintf("transition prior of model %q", x.spec.Name)).Bad(what, got, want)
}

// setFollow lists the states that may follow.
func (x *Rows) setFollow(follow func(s, action int) []int32) error {
	if follow == nil {
		return nil
	}
	x.follow = make([][]int32, x.states*x.actions)
	last := make([]int, x.states) // the row, plus 1, that has listed a state
	for r := range x.follow {
		list := follow(r/x.actions, r%x.actions)
		what := fmt.Sprintf("Follow(%d, %d)", r/x.actions, r%x.actions)
		if len(list) == 0 {
			return x.bad(what, "no state", "one state at least")
		}
		for _, next := range list {
			if next < 0 || int(next) >= x.states || last[next] == r+1 {
				return x.bad(what, fmt.Sprint(list), fmt.Sprintf("different numbers of states, from 0 to %d", x.states-1))
			}
			last[next] = r + 1
		}
		x.follow[r] = list
	}
	return nil
}

// setRewards makes the table of rewards.
func (x *Rows) setRewards(ctx context.Context, reward func(s, action, next int) float64) error {
	x.reward = make([]float64, x.states*x.actions)
	if x.byNext = reward != nil; x.byNext {
		if n := float64(x.states) * float64(len(x.reward)); n > mostRewards {
			return &bcpace.UnsupportedError{Model: x.spec.Name, Algorithm: "learning of transitions",
				Need: fmt.Sprintf("rewards that do not depend on the next state, or %d numbers of states, actions and next states at most, and there are %.3g", mostRewards, n)}
		}
		x.reward = make([]float64, x.states*len(x.reward))
		for i := range x.reward {
			r := i / x.states
			v := reward(r/x.actions, r%x.actions, i%x.states)
			if !x.spec.AllowsReward(v) && x.follows(r, i%x.states) {
				return x.bad(fmt.Sprintf("Reward(%d, %d, %d)", r/x.actions, r%x.actions, i%x.states), fmt.Sprint(v),
					fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]", x.spec.RewardMin, x.spec.RewardMax))
			}
			x.reward[i] = v
		}
	}
	if err := x.list(ctx); err != nil {
		return err
	}
	x.rewards = make([]float64, x.states*x.actions)
	for r := range x.rewards {
		x.each(r, func(next int) { x.rewards[r] += x.rewardOf(r, next) })
	}
	return nil
}

// list goes through what the model lists: it takes the rewards from there, unless the prior says
// them.
func (x *Rows) list(ctx context.Context) error {
	l := bcpace.NewLister(x.model)
	s := make([]float64, len(x.spec.Axes))
	for r := range x.states * x.actions {
		if r%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		x.model.StateAt(s, r/x.actions)
		if err := l.List(s, r%x.actions); err != nil {
			return err
		}
		action := fmt.Sprintf("action %q at state %v", x.spec.ActionName(r%x.actions), s)
		found := false
		for i := range l.Successors.Len() {
			_, prob, reward := l.Successors.Row(i)
			if l.Successors.Done[i] {
				return x.bad("what follows "+action, "the end of the episode", "episodes that do not end: games.OneShot makes them begin again")
			}
			for φ, p := range prob {
				if p == 0 {
					continue
				}
				switch {
				case x.byNext:
				case !found:
					x.reward[r], found = reward[φ], true
				case reward[φ] != x.reward[r]:
					return x.bad("the reward of "+action, fmt.Sprintf("%v and %v", x.reward[r], reward[φ]), "one that depends on nothing else, or TransitionPrior.Reward")
				}
			}
		}
	}
	return nil
}

// mostFollow returns the largest number of states that may follow.
func (x *Rows) mostFollow() int {
	most := 0
	for r := range x.states * x.actions {
		most = max(most, x.width(r))
	}
	return most
}

// width returns the number of states that may follow in a row.
func (x *Rows) width(row int) int {
	if x.follow == nil {
		return x.states
	}
	return len(x.follow[row])
}

// each calls f with the states that may follow in a row.
func (x *Rows) each(row int, f func(next int)) {
	for i := range x.width(row) {
		f(x.candidate(row, i))
	}
}

// candidate returns one of the states that may follow in a row.
func (x *Rows) candidate(row, i int) int {
	if x.follow == nil {
		return i
	}
	return int(x.follow[row][i])
}

// follows reports whether a state may follow in a row.
func (x *Rows) follows(row, next int) bool {
	if x.follow == nil {
		return next >= 0 && next < x.states
	}
	for _, n := range x.follow[row] {
		if int(n) == next {
			return true
		}
	}
	return false
}

func (x *Rows) rewardOf(row, next int) float64 {
	if x.byNext {
		return x.reward[row*x.states+next]
	}
	return x.reward[row]
}

// States implements Posterior.
func (x *Rows) States() int { return x.states }

// Actions implements Posterior.
func (x *Rows) Actions() int { return x.actions }

// Discount implements Posterior.
func (x *Rows) Discount() float64 { return x.discount }

// alphaOf returns α of each state that may follow in a row.
func (x *Rows) alphaOf(row int) float64 {
	if x.alpha > 0 {
		return x.alpha
	}
	return 1 / float64(x.width(row))
}

// Count implements Posterior. A sparse prior is worth what its α is, as one state follows at
// least.
func (x *Rows) Count(s, action int) float64 {
	r := s*x.actions + action
	if x.sizes != nil {
		return x.alpha + x.rows[r].total
	}
	return x.alphaOf(r)*float64(x.width(r)) + x.rows[r].total
}

// Tried implements Posterior.
func (x *Rows) Tried(s, action int) bool { return x.rows[s*x.actions+action].total > 0 }

// Reward implements Posterior.
func (x *Rows) Reward(s, action, next int) float64 { return x.rewardOf(s*x.actions+action, next) }

// weights returns what the predictive distribution of a row is made of: a state that was seen
// n times follows with probability known + n·each, and the states that were not seen share the
// probability novel equally.
func (x *Rows) weights(r int) (known, each, novel float64) {
	return x.weightsOf(r, len(x.rows[r].seen), x.rows[r].total)
}

// weightsOf is weights as if so many states had been seen in so many observations.
func (x *Rows) weightsOf(r, states int, total float64) (known, each, novel float64) {
	seen, width := float64(states), float64(x.width(r))
	if x.sizes != nil {
		each = x.sizes.scale(states, total, x.width(r))
		known = x.alpha * each
		if states < x.width(r) {
			novel = max(0, 1-(x.alpha*seen+total)*each)
		}
		return known, each, novel
	}
	α := x.alphaOf(r)
	each = 1 / (α*width + total)
	return α * each, each, α * (width - seen) * each
}

// Moments implements Posterior. The mean of P(s'|s,a)² is the probability that s' follows
// twice in a row.
func (x *Rows) Moments(s, action int, list []Moment) []Moment {
	r := s*x.actions + action
	row := &x.rows[r]
	known, each, novel := x.weights(r)
	again, eachAgain, _ := x.weightsOf(r, len(row.seen), row.total+1)
	for _, o := range row.seen {
		mean := known + each*o.count
		list = append(list, Moment{int(o.next), mean, max(0, mean*(again+eachAgain*(o.count+1)-mean))})
	}
	left := x.width(r) - len(row.seen)
	if left == 0 {
		return list
	}
	again, eachAgain, _ = x.weightsOf(r, len(row.seen)+1, row.total+1)
	mean := novel / float64(left)
	variance := max(0, mean*(again+eachAgain-mean))
	x.each(r, func(next int) {
		if row.place(next) < 0 {
			list = append(list, Moment{next, mean, variance})
		}
	})
	return list
}

// Backup implements Posterior.
func (x *Rows) Backup(s, action int, v []float64, total float64) float64 {
	r := s*x.actions + action
	known, each, novel := x.weights(r)
	rest := x.rewards[r] + x.discount*total // sum over the states that were not seen
	if x.follow != nil {
		rest = x.rewards[r]
		for _, n := range x.follow[r] {
			rest += x.discount * v[n]
		}
	}
	q := 0.0
	row := &x.rows[r]
	for _, o := range row.seen {
		y := x.rewardOf(r, int(o.next)) + x.discount*v[o.next]
		q += (known + each*o.count) * y
		rest -= y
	}
	if left := x.width(r) - len(row.seen); left > 0 {
		q += novel * rest / float64(left)
	}
	return q
}

// Mean returns the predictive distribution of (s, a) by next state.
func (x *Rows) Mean(s, action int) []float64 {
	r := s*x.actions + action
	known, each, novel := x.weights(r)
	p := make([]float64, x.states)
	if left := x.width(r) - len(x.rows[r].seen); left > 0 {
		x.each(r, func(next int) { p[next] = novel / float64(left) })
	}
	for _, o := range x.rows[r].seen {
		p[o.next] = known + each*o.count
	}
	return p
}

// Predict implements Posterior.
func (x *Rows) Predict(s, action int, rng *rand.Rand) (next int, done bool) {
	r := s*x.actions + action
	known, each, novel := x.weights(r)
	row := &x.rows[r]
	u := rng.Float64() - novel
	for i := 0; u >= 0 && i < len(row.seen); i++ {
		o := &row.seen[i]
		if u -= known + each*o.count; u < 0 {
			return int(o.next), false
		}
	}
	if len(row.seen) == x.width(r) || u >= 0 && len(row.seen) > 0 { // rounding
		return int(row.seen[len(row.seen)-1].next), false
	}
	return x.unseen(r, rng), false
}

// unseen draws one of the states that may follow and did not.
func (x *Rows) unseen(r int, rng *rand.Rand) int {
	row := &x.rows[r]
	if 2*len(row.seen) <= x.width(r) { // by rejection: two draws on average at most
		for {
			if next := x.candidate(r, rng.IntN(x.width(r))); row.place(next) < 0 {
				return next
			}
		}
	}
	left := rng.IntN(x.width(r) - len(row.seen))
	for i := 0; ; i++ {
		next := x.candidate(r, i)
		if row.place(next) >= 0 {
			continue
		}
		if left == 0 {
			return next
		}
		left--
	}
}

// place returns where a state stands among those that were seen, −1 if it was not.
func (r *row) place(next int) int {
	for i := range r.seen {
		if int(r.seen[i].next) == next {
			return i
		}
	}
	return -1
}

// Observe implements Posterior.
func (x *Rows) Observe(s, action, next int) error {
	r := s*x.actions + action
	row := &x.rows[r]
	place := row.place(next)
	if place < 0 {
		if x.follow != nil && !x.follows(r, next) {
			return impossible(x.spec, x.model.StateAt, s, action, next, nil)
		}
		place = len(row.seen)
		row.seen = append(row.seen, seen{next: int32(next)})
	}
	row.seen[place].count++
	row.total++
	x.log = append(x.log, observation{int32(r), int32(place)})
	return nil
}

// Observed implements Posterior.
func (x *Rows) Observed() int { return len(x.log) }

// Undo implements Posterior.
func (x *Rows) Undo(observed int) {
	for i := len(x.log) - 1; i >= observed; i-- {
		row := &x.rows[x.log[i].row]
		o := &row.seen[x.log[i].place]
		row.total--
		if o.count--; o.count == 0 { // it was the last to be seen first
			row.seen = row.seen[:len(row.seen)-1]
		}
	}
	x.log = x.log[:observed]
}

// Fork implements Posterior.
func (x *Rows) Fork() Posterior {
	y := *x
	y.rows, y.log = make([]row, len(x.rows)), append([]observation(nil), x.log...)
	for i, r := range x.rows {
		y.rows[i] = row{r.total, append([]seen(nil), r.seen...)}
	}
	if x.sizes != nil {
		y.sizes = newSupportSizes(x.alpha, x.mostFollow())
	}
	return &y
}

// negligible is a probability that a drawn row does without. Of the states that may follow under
// a flat prior most have less.
const negligible = 1e-12

// Draw implements Posterior.
func (x *Rows) Draw(p *mdp.MDP, rng *rand.Rand) {
	begin(p, x.actions, x.spec)
	var d drawnRow
	for r := range x.rows {
		x.drawRow(&d, r, rng)
		mean := 0.0
		for i, next := range d.next {
			mean += d.prob[i] * x.rewardOf(r, int(next))
			if d.prob[i] > negligible {
				p.Col, p.Weight = append(p.Col, next), append(p.Weight, x.discount*d.prob[i])
			}
		}
		p.Reward, p.Row = append(p.Reward, mean), append(p.Row, len(p.Col))
	}
}

// Width returns the number of states that may follow (s, a), and Candidate one of them, in the
// order of bcpace.TransitionPrior.
func (x *Rows) Width(s, action int) int { return x.width(s*x.actions + action) }

// Candidate: see Width.
func (x *Rows) Candidate(s, action, i int) (next int) { return x.candidate(s*x.actions+action, i) }

// DrawTable draws the rows of an MDP and puts the probabilities of all candidates, row after
// row, into table.
func (x *Rows) DrawTable(table []float64, rng *rand.Rand) {
	var d drawnRow
	at := make([]float64, x.states)
	for r := range x.rows {
		x.drawRow(&d, r, rng)
		for i, next := range d.next {
			at[next] = d.prob[i]
		}
		for i := range x.width(r) {
			table[i] = at[x.candidate(r, i)]
		}
		table = table[x.width(r):]
		for _, next := range d.next {
			at[next] = 0
		}
	}
}

// begin empties p.
func begin(p *mdp.MDP, actions int, spec bcpace.Spec) {
	p.Actions, p.Discount, p.Rate = actions, spec.Discount, spec.Rate()
	p.Row, p.Col, p.Weight, p.Reward = append(p.Row[:0], 0), p.Col[:0], p.Weight[:0], p.Reward[:0]
}

// drawnRow is a distribution over next states.
type drawnRow struct {
	next []int32
	prob []float64
	pool []int32
}

// drawRow draws P(·|s,a) of a row from its posterior.
func (x *Rows) drawRow(d *drawnRow, r int, rng *rand.Rand) {
	row := &x.rows[r]
	d.next, d.prob = d.next[:0], d.prob[:0]
	α := x.alphaOf(r)
	for _, o := range row.seen {
		d.next, d.prob = append(d.next, o.next), append(d.prob, α+o.count)
	}
	more := x.width(r) - len(row.seen)
	if x.sizes != nil {
		more = x.sizes.draw(len(row.seen), row.total, x.width(r), rng) - len(row.seen)
	}
	if 2*(len(row.seen)+more) <= x.width(r) { // by rejection: two draws on average at most
		for range more {
			next := int32(x.candidate(r, rng.IntN(x.width(r))))
			for slices.Contains(d.next, next) {
				next = int32(x.candidate(r, rng.IntN(x.width(r))))
			}
			d.next, d.prob = append(d.next, next), append(d.prob, α)
		}
	} else {
		x.addUnseen(d, r, more, α, rng)
	}
	dirichlet(d.prob, rng)
}

// addUnseen adds so many of the states that may follow and did not.
func (x *Rows) addUnseen(d *drawnRow, r, more int, α float64, rng *rand.Rand) {
	d.pool = d.pool[:0]
	x.each(r, func(next int) {
		if x.rows[r].place(next) < 0 {
			d.pool = append(d.pool, int32(next))
		}
	})
	for i := range more { // the first of a shuffled pool
		if j := i; more < len(d.pool) {
			j += rng.IntN(len(d.pool) - i)
			d.pool[i], d.pool[j] = d.pool[j], d.pool[i]
		}
		d.next, d.prob = append(d.next, d.pool[i]), append(d.prob, α)
	}
}
