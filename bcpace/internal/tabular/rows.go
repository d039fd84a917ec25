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
	spec            bcpace.Spec
	model           bcpace.Finite
	states, actions int
	discount, alpha float64
	sizes           *supportSizes // of the sparse prior; nil for Dirichlet rows
	follow          [][]int32     // by row: the states that may follow; nil for all

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

func (ro *Rows) bad(what, got, want string) error {
	return bcpace.In(fmt.Sprintf("transition prior of model %q", ro.spec.Name)).Bad(what, got, want)
}

// setFollow lists the states that may follow.
func (ro *Rows) setFollow(follow func(s, action int) []int32) error {
	if follow == nil {
		return nil
	}
	ro.follow = make([][]int32, ro.states*ro.actions)
	last := make([]int, ro.states) // the row, plus 1, that has listed a state
	for r := range ro.follow {
		list := follow(r/ro.actions, r%ro.actions)
		what := fmt.Sprintf("Follow(%d, %d)", r/ro.actions, r%ro.actions)
		if len(list) == 0 {
			return ro.bad(what, "no state", "one state at least")
		}
		for _, next := range list {
			if next < 0 || int(next) >= ro.states || last[next] == r+1 {
				return ro.bad(what, fmt.Sprint(list), fmt.Sprintf("different numbers of states, from 0 to %d", ro.states-1))
			}
			last[next] = r + 1
		}
		ro.follow[r] = list
	}
	return nil
}

// setRewards makes the table of rewards.
func (ro *Rows) setRewards(ctx context.Context, reward func(s, action, next int) float64) error {
	ro.reward = make([]float64, ro.states*ro.actions)
	if ro.byNext = reward != nil; ro.byNext {
		if n := float64(ro.states) * float64(len(ro.reward)); n > mostRewards {
			return &bcpace.UnsupportedError{Model: ro.spec.Name, Algorithm: "learning of transitions",
				Need: fmt.Sprintf("rewards that do not depend on the next state, or %d numbers of states, actions and next states at most, and there are %.3g", mostRewards, n)}
		}
		ro.reward = make([]float64, ro.states*len(ro.reward))
		for i := range ro.reward {
			r := i / ro.states
			v := reward(r/ro.actions, r%ro.actions, i%ro.states)
			if !ro.spec.AllowsReward(v) && ro.follows(r, i%ro.states) {
				return ro.bad(fmt.Sprintf("Reward(%d, %d, %d)", r/ro.actions, r%ro.actions, i%ro.states), fmt.Sprint(v),
					fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]", ro.spec.RewardMin, ro.spec.RewardMax))
			}
			ro.reward[i] = v
		}
	}
	if err := ro.list(ctx); err != nil {
		return err
	}
	ro.rewards = make([]float64, ro.states*ro.actions)
	for r := range ro.rewards {
		ro.each(r, func(next int) { ro.rewards[r] += ro.rewardOf(r, next) })
	}
	return nil
}

// list goes through what the model lists: it takes the rewards from there, unless the prior says
// them.
func (ro *Rows) list(ctx context.Context) error {
	l := bcpace.NewLister(ro.model)
	s := make([]float64, len(ro.spec.Axes))
	for r := range ro.states * ro.actions {
		if r%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ro.model.StateAt(s, r/ro.actions)
		if err := l.List(s, r%ro.actions); err != nil {
			return err
		}
		action := fmt.Sprintf("action %q at state %v", ro.spec.ActionName(r%ro.actions), s)
		found := false
		for i := range l.Successors.Len() {
			_, prob, reward := l.Successors.Row(i)
			if l.Successors.Done[i] {
				return ro.bad("what follows "+action, "the end of the episode", "episodes that do not end: games.OneShot makes them begin again")
			}
			for φ, p := range prob {
				if p == 0 {
					continue
				}
				switch {
				case ro.byNext:
				case !found:
					ro.reward[r], found = reward[φ], true
				case reward[φ] != ro.reward[r]:
					return ro.bad("the reward of "+action, fmt.Sprintf("%v and %v", ro.reward[r], reward[φ]), "one that depends on nothing else, or TransitionPrior.Reward")
				}
			}
		}
	}
	return nil
}

// mostFollow returns the largest number of states that may follow.
func (ro *Rows) mostFollow() int {
	most := 0
	for r := range ro.states * ro.actions {
		most = max(most, ro.width(r))
	}
	return most
}

// width returns the number of states that may follow in a row.
func (ro *Rows) width(row int) int {
	if ro.follow == nil {
		return ro.states
	}
	return len(ro.follow[row])
}

// each calls f with the states that may follow in a row.
func (ro *Rows) each(row int, f func(next int)) {
	for i := range ro.width(row) {
		f(ro.candidate(row, i))
	}
}

// candidate returns one of the states that may follow in a row.
func (ro *Rows) candidate(row, i int) int {
	if ro.follow == nil {
		return i
	}
	return int(ro.follow[row][i])
}

// follows reports whether a state may follow in a row.
func (ro *Rows) follows(row, next int) bool {
	if ro.follow == nil {
		return next >= 0 && next < ro.states
	}
	return slices.Contains(ro.follow[row], int32(next))
}

func (ro *Rows) rewardOf(row, next int) float64 {
	if ro.byNext {
		return ro.reward[row*ro.states+next]
	}
	return ro.reward[row]
}

// States implements Posterior.
func (ro *Rows) States() int { return ro.states }

// Actions implements Posterior.
func (ro *Rows) Actions() int { return ro.actions }

// Discount implements Posterior.
func (ro *Rows) Discount() float64 { return ro.discount }

// alphaOf returns α of each state that may follow in a row.
func (ro *Rows) alphaOf(row int) float64 {
	if ro.alpha > 0 {
		return ro.alpha
	}
	return 1 / float64(ro.width(row))
}

// Count implements Posterior. A sparse prior is worth what its α is, as one state follows at
// least.
func (ro *Rows) Count(s, action int) float64 {
	r := s*ro.actions + action
	if ro.sizes != nil {
		return ro.alpha + ro.rows[r].total
	}
	return ro.alphaOf(r)*float64(ro.width(r)) + ro.rows[r].total
}

// Tried reports whether (s, a) was observed.
func (ro *Rows) Tried(s, action int) bool { return ro.rows[s*ro.actions+action].total > 0 }

// Reward returns the reward of a step, in reward units.
func (ro *Rows) Reward(s, action, next int) float64 { return ro.rewardOf(s*ro.actions+action, next) }

// weights returns what the predictive distribution of a row is made of: a state that was seen
// n times follows with probability known + n·each, and the states that were not seen share the
// probability novel equally.
func (ro *Rows) weights(r int) (known, each, novel float64) {
	return ro.weightsOf(r, len(ro.rows[r].seen), ro.rows[r].total)
}

// weightsOf is weights as if so many states had been seen in so many observations.
func (ro *Rows) weightsOf(r, states int, total float64) (known, each, novel float64) {
	seen, width := float64(states), float64(ro.width(r))
	if ro.sizes != nil {
		each = ro.sizes.scale(states, total, ro.width(r))
		known = ro.alpha * each
		if states < ro.width(r) {
			novel = max(0, 1-(ro.alpha*seen+total)*each)
		}
		return known, each, novel
	}
	α := ro.alphaOf(r)
	each = 1 / (α*width + total)
	return α * each, each, α * (width - seen) * each
}

// Moments implements Posterior. The mean of P(s'|s,a)² is the probability that s' follows
// twice in a row.
func (ro *Rows) Moments(s, action int, list []Moment) []Moment {
	r := s*ro.actions + action
	row := &ro.rows[r]
	known, each, novel := ro.weights(r)
	again, eachAgain, _ := ro.weightsOf(r, len(row.seen), row.total+1)
	for _, o := range row.seen {
		mean := known + each*o.count
		list = append(list, Moment{int(o.next), mean, max(0, mean*(again+eachAgain*(o.count+1)-mean))})
	}
	left := ro.width(r) - len(row.seen)
	if left == 0 {
		return list
	}
	again, eachAgain, _ = ro.weightsOf(r, len(row.seen)+1, row.total+1)
	mean := novel / float64(left)
	variance := max(0, mean*(again+eachAgain-mean))
	ro.each(r, func(next int) {
		if row.place(next) < 0 {
			list = append(list, Moment{next, mean, variance})
		}
	})
	return list
}

// Backup implements Posterior.
func (ro *Rows) Backup(s, action int, v []float64, total float64) float64 {
	r := s*ro.actions + action
	known, each, novel := ro.weights(r)
	rest := ro.rewards[r] + ro.discount*total // sum over the states that were not seen
	if ro.follow != nil {
		rest = ro.rewards[r]
		for _, n := range ro.follow[r] {
			rest += ro.discount * v[n]
		}
	}
	q := 0.0
	row := &ro.rows[r]
	for _, o := range row.seen {
		y := ro.rewardOf(r, int(o.next)) + ro.discount*v[o.next]
		q += (known + each*o.count) * y
		rest -= y
	}
	if left := ro.width(r) - len(row.seen); left > 0 {
		q += novel * rest / float64(left)
	}
	return q
}

// Mean returns the predictive distribution of (s, a) by next state.
func (ro *Rows) Mean(s, action int) []float64 {
	r := s*ro.actions + action
	known, each, novel := ro.weights(r)
	p := make([]float64, ro.states)
	if left := ro.width(r) - len(ro.rows[r].seen); left > 0 {
		ro.each(r, func(next int) { p[next] = novel / float64(left) })
	}
	for _, o := range ro.rows[r].seen {
		p[o.next] = known + each*o.count
	}
	return p
}

// Predict draws what follows (s, a), and whether the process ends with it. After an
// Observe of each draw, a sequence of draws is distributed as one of a single MDP that was
// drawn before it.
func (ro *Rows) Predict(s, action int, rng *rand.Rand) (next int, done bool) {
	r := s*ro.actions + action
	known, each, novel := ro.weights(r)
	row := &ro.rows[r]
	u := rng.Float64() - novel
	for i := 0; u >= 0 && i < len(row.seen); i++ {
		o := &row.seen[i]
		if u -= known + each*o.count; u < 0 {
			return int(o.next), false
		}
	}
	if len(row.seen) == ro.width(r) || u >= 0 && len(row.seen) > 0 { // rounding
		return int(row.seen[len(row.seen)-1].next), false
	}
	return ro.unseen(r, rng), false
}

// unseen draws one of the states that may follow and did not.
func (ro *Rows) unseen(r int, rng *rand.Rand) int {
	row := &ro.rows[r]
	if 2*len(row.seen) <= ro.width(r) { // by rejection: two draws on average at most
		for {
			if next := ro.candidate(r, rng.IntN(ro.width(r))); row.place(next) < 0 {
				return next
			}
		}
	}
	left := rng.IntN(ro.width(r) - len(row.seen))
	for i := 0; ; i++ {
		next := ro.candidate(r, i)
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

// Observe says that next has followed (s, a). The error is an
// *bcpace.ImpossibleObservationError, and nothing is learned then.
func (ro *Rows) Observe(s, action, next int) error {
	r := s*ro.actions + action
	row := &ro.rows[r]
	place := row.place(next)
	if place < 0 {
		if ro.follow != nil && !ro.follows(r, next) {
			from, to := make([]float64, len(ro.spec.Axes)), make([]float64, len(ro.spec.Axes))
			ro.model.StateAt(from, s)
			ro.model.StateAt(to, next)
			return &bcpace.ImpossibleObservationError{State: from, Next: to, Action: ro.spec.ActionName(action)}
		}
		place = len(row.seen)
		row.seen = append(row.seen, seen{next: int32(next)})
	}
	row.seen[place].count++
	row.total++
	ro.log = append(ro.log, observation{int32(r), int32(place)})
	return nil
}

// Observed returns the number of observations.
func (ro *Rows) Observed() int { return len(ro.log) }

// Undo takes back all but the first of the observations.
func (ro *Rows) Undo(observed int) {
	for i := len(ro.log) - 1; i >= observed; i-- {
		row := &ro.rows[ro.log[i].row]
		o := &row.seen[ro.log[i].place]
		row.total--
		if o.count--; o.count == 0 { // it was the last to be seen first
			row.seen = row.seen[:len(row.seen)-1]
		}
	}
	ro.log = ro.log[:observed]
}

// learn implements Posterior.
func (ro *Rows) learn(s, action, next int) error { return ro.Observe(s, action, next) }

// forget implements Posterior.
func (ro *Rows) forget() { ro.Undo(0) }

// fork implements Posterior.
func (ro *Rows) fork() Posterior { return ro.Fork() }

// Fork returns the same posterior, for another goroutine.
func (ro *Rows) Fork() *Rows {
	y := *ro
	y.rows, y.log = make([]row, len(ro.rows)), append([]observation(nil), ro.log...)
	for i, r := range ro.rows {
		y.rows[i] = row{r.total, append([]seen(nil), r.seen...)}
	}
	if ro.sizes != nil {
		y.sizes = newSupportSizes(ro.alpha, ro.mostFollow())
	}
	return &y
}

// negligible is a probability that a drawn row does without. Of the states that may follow under
// a flat prior most have less.
const negligible = 1e-12

// Draw implements Posterior.
func (ro *Rows) Draw(p *mdp.MDP, rng *rand.Rand) {
	begin(p, ro.actions, ro.spec)
	var d drawnRow
	for r := range ro.rows {
		ro.drawRow(&d, r, rng)
		mean := 0.0
		for i, next := range d.next {
			mean += d.prob[i] * ro.rewardOf(r, int(next))
			if d.prob[i] > negligible {
				p.Col, p.Weight = append(p.Col, next), append(p.Weight, ro.discount*d.prob[i])
			}
		}
		p.Reward, p.Row = append(p.Reward, mean), append(p.Row, len(p.Col))
	}
}

// Width returns the number of states that may follow (s, a), and Candidate one of them, in the
// order of bcpace.TransitionPrior.
func (ro *Rows) Width(s, action int) int { return ro.width(s*ro.actions + action) }

// Candidate: see Width.
func (ro *Rows) Candidate(s, action, i int) (next int) { return ro.candidate(s*ro.actions+action, i) }

// DrawTable draws the rows of an MDP and puts the probabilities of all candidates, row after
// row, into table.
func (ro *Rows) DrawTable(table []float64, rng *rand.Rand) {
	var d drawnRow
	at := make([]float64, ro.states)
	for r := range ro.rows {
		ro.drawRow(&d, r, rng)
		for i, next := range d.next {
			at[next] = d.prob[i]
		}
		for i := range ro.width(r) {
			table[i] = at[ro.candidate(r, i)]
		}
		table = table[ro.width(r):]
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
func (ro *Rows) drawRow(d *drawnRow, r int, rng *rand.Rand) {
	row := &ro.rows[r]
	d.next, d.prob = d.next[:0], d.prob[:0]
	α := ro.alphaOf(r)
	for _, o := range row.seen {
		d.next, d.prob = append(d.next, o.next), append(d.prob, α+o.count)
	}
	more := ro.width(r) - len(row.seen)
	if ro.sizes != nil {
		more = bcpace.Belief(ro.sizes.posterior(len(row.seen), row.total, ro.width(r))).Sample(rng) - len(row.seen)
	}
	if 2*(len(row.seen)+more) <= ro.width(r) { // by rejection: two draws on average at most
		for range more {
			next := int32(ro.candidate(r, rng.IntN(ro.width(r))))
			for slices.Contains(d.next, next) {
				next = int32(ro.candidate(r, rng.IntN(ro.width(r))))
			}
			d.next, d.prob = append(d.next, next), append(d.prob, α)
		}
	} else {
		ro.addUnseen(d, r, more, α, rng)
	}
	dirichlet(d.prob, rng)
}

// addUnseen adds so many of the states that may follow and did not.
func (ro *Rows) addUnseen(d *drawnRow, r, more int, α float64, rng *rand.Rand) {
	d.pool = d.pool[:0]
	ro.each(r, func(next int) {
		if ro.rows[r].place(next) < 0 {
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
