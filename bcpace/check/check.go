// Package check tries a model against the contract of bcpace.Model, and names the
// state, action and latent where the model breaks it.
package check

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/ends"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"
)

// Model is Examine without the report: it returns nil for a model in which it finds no
// fault. What may be meant, such as a reward that tells of the latent what the state does not
// (the test Rewards) or a LogLikelihood that never tells two latents apart, is no fault: it stands
// in the Notes of the report, so look at that of Examine once for a model of your own.
func Model(m bcpace.Model, opts Options) error {
	_, err := Examine(m, opts)
	return err
}

// Examine tries a model against its contract, and returns what it has tried, or the first
// fault that it finds. Faults of the parameters and of the Spec are *bcpace.InputError;
// all others are *bcpace.ConformanceError and name the state, action and latent.
//
// It looks at the states that episodes reach with random actions, and with one action all the
// time. It checks that states lie on their axes, rewards within [RewardMin, RewardMax], and LogLikelihood allows what Step
// draws. Each of the other tests has a name, by which Options.Skip leaves it out:
//   - Repeats: Spec and Prior stay the same from call to call, Step is a function of its
//     arguments and its random numbers, and nothing writes to a slice that it is only
//     given to read;
//   - Latents: rows of LatentDynamics are distributions and agree with LatentKind, and
//     NextLatent and LatentMoves with the rows;
//   - Numbering: the numbering of a Finite model is one to one, and its successors are
//     states of the set;
//   - Starts: Start, Starts and StartLogLikelihood agree;
//   - Lists: the lists of an Enumerator hold no state twice, have probabilities that sum
//     to 1 under each latent, and agree with LogLikelihood in the ratios between latents. By
//     them, a model's own LatentValues keep to the Bellman equation, and its ValueBounds to
//     the inequalities by which they are bounds;
//   - Draws: Step draws what the lists say, in probabilities, rewards and Done. A list
//     that the draws do not keep to is taken for a quadrature: of it, means of the state
//     are compared to 1% of an axis, and rewards and Done, which may jump, to a quarter of
//     their range. And E[P(s'|φ')/P(s'|φ)] ≤ 1 for s' ~ P(·|φ), for every φ';
//   - Calibration: of two latents drawn with equal chances, the one that LogLikelihood
//     favours after a step is as often the one drawn as it says. That needs no lists, and
//     finds a density in place of its logarithm, one of another width than that of Step,
//     and one that ignores that Step stops at a limit of an axis. It goes on where steps
//     come to such limits far from the start, and the report names those that none came to;
//   - Scales: from two states that differ on an axis of Scale +Inf alone, equal random
//     numbers lead to the same entries of the other axes, reward and Done, and LogLikelihood
//     tells as much of the latent;
//   - Smooth: LogLikelihood is that of normal noise around the means that Smoothness states; these
//     means and the expected rewards bend between two places no more than it states; and the
//     rewards of steps have the expected reward for their mean;
//   - Goroutines: goroutines side by side get what one alone gets. A model that shares a
//     map without a lock may end the program here, as it would in any solver;
//   - Ends: whether a step ends the episode tells nothing of the latent that the next state does not. Of two latents that lead to the
//     same state, neither ends it more often; where states do not come again, LogLikelihood is right about the steps that go on;
//   - Rewards: no reward tells of the latent what the state does not. This one makes a
//     note in the report instead of an error, as an agent need not see its rewards.
//
// Likelihoods that are estimated (bcpace.Spec.Estimated) are never quite right. What Draws, Calibration and
// Scales find in such a model is a note, too, which says how far off beliefs may be.
//
// A mistake that makes all likelihoods equally wrong does not matter, and is not looked
// for. The statistical tests together refuse a correct model with probability below 10⁻⁶,
// over all seeds. A panic inside the model is reported as a fault, too.
func Examine(m bcpace.Model, opts Options) (report *Report, err error) {
	return Within(context.Background(), m, opts)
}

// Within is Examine up to the end of ctx. Where that cuts it short, the report has what was tried until then, and says so; the error is that
// of ctx where no state was looked at before.
func Within(ctx context.Context, m bcpace.Model, opts Options) (*Report, error) {
	if m == nil {
		return nil, bcpace.In("check.Model").Bad("the model", "nil", "a model")
	}
	c := &checker{m: m, given: m, calls: calls{ctx: ctx, tried: make(map[string]int)}, opt: opts}
	err := c.whole(c.run)
	if report := c.report(); err == nil || err == errCut && report.States > 0 {
		return report, nil
	}
	if err == errCut {
		err = ctx.Err()
	}
	return nil, err
}

// run makes the whole check.
func (c *checker) run() {
	c.enter("Validate", nil, -1, -1)
	c.must(bcpace.Validate(bcpace.Derive(c.given, func(_ bcpace.Model, a *bcpace.Abilities) { a.ShowsEnds = true }))) // ends are tried last
	c.in("Spec", nil, -1, -1, func() { c.first = c.given.Spec() })
	if c.spec = c.first; c.spec.HasBox() {
		var err error
		c.m, err = listed(c.given, &c.spec)
		c.must(err)
		c.spec = c.m.Spec()
	}
	o := &c.opt
	c.must(o.checkSkip())
	c.must(settle("check.Options", number{"Episodes", &o.Episodes, 30}, number{"Steps", &o.Steps, 50}, number{"Transitions", &o.Transitions, 200},
		number{"Draws", &o.Draws, 4000}))
	c.must(solverkit.CheckHorizon("check.Options", "Steps", o.Steps, "the default"))
	_, _, err := solverkit.LipschitzOf(c.m)
	c.must(err)
	c.rng = rand.New(rand.NewPCG(o.Seed, 0x636865636b)) // a stream of its own
	c.known = make(map[string]bool)
	c.bets = make(map[[3]int]*stat.Bet)
	c.limits = limitsOf(c.spec.Axes)
	c.prior = make(bcpace.Belief, len(c.spec.Latents))
	c.can = bcpace.AbilitiesOf(c.m)
	c.in("Prior", nil, -1, -1, func() { c.m.Prior(c.prior) })

	if c.spec.Estimated != "" {
		c.notes = append(c.notes, c.spec.Estimated+", and not stated by the model: beliefs are estimates too. More draws bring both closer to what is right")
	}
	c.reach()
	for i := range tests {
		t := tests[(i+1)%len(tests)]                                      // the first is the last, as it is tried in all others
		if t.name == Draws || t.name == Calibration || !c.skips(t.name) { // these two go together
			c.look(t)
		}
		c.enter("nothing", nil, -1, -1) // ends where there is no more time
		c.leave()
		c.ended++
	}
}

// tests are all tests in the order of a report, with what they count.
var tests = []test{
	{Repeats, "%d steps taken twice with equal random numbers", (*checker).stable},
	{Latents, "%d states and actions whose latent moves were listed", (*checker).latentRows},
	{Numbering, "%d numbers of states", (*checker).numbering},
	{Starts, "%d starts drawn", (*checker).starts},
	{Lists, "%d states and actions whose successors were listed", (*checker).lists},
	{Draws, "%d steps compared with LogLikelihood and, where there are, lists", (*checker).sampled},
	{Calibration, "%d steps under one of two latents, and the belief after them", (*checker).calibrateAtLimits},
	{Scales, "%d steps from two states that differ on an axis of Scale +Inf", (*checker).scales},
	{Smooth, "%d states and actions compared with what Smoothness states", (*checker).smooth},
	{Goroutines, "%d steps with 8 goroutines side by side", (*checker).goroutines},
	{Ends, "%d steps under two latents, and whether they ended the episode", (*checker).hiddenEnds},
	{Rewards, "%d steps whose rewards were compared between two latents", (*checker).rewards},
}

// checkSkip returns an *bcpace.InputError for a name in Options.Skip that is no test.
func (o Options) checkSkip() error {
	var names []string
	for _, t := range tests {
		names = append(names, t.name)
	}
	for _, s := range o.Skip {
		if !slices.Contains(names, s) {
			return bcpace.In("check.Options").Bad("Skip", fmt.Sprintf("%q", s), "names of tests, which are "+strings.Join(names, ", "))
		}
	}
	return nil
}

// report returns what c has tried.
func (c *checker) report() *Report {
	r := &Report{Model: c.spec.Name, States: len(c.places) + len(c.far), Notes: c.notes, FalseAlarm: falseAlarm, Cut: c.ended < len(tests)}
	for i, t := range tests {
		done := t.done(c.tried[t.name])
		if t.name == Calibration {
			done.Text += c.atLimits
		}
		done.Skipped = c.skips(t.name)
		done.Cut = (i+len(tests)-1)%len(tests) >= c.ended && !done.Skipped // the first is tried in all others
		r.Tests = append(r.Tests, done)
	}
	return r
}

// listed returns m with a list in the place of boxes of actions, whose corners are in it.
func listed(m bcpace.Model, spec *bcpace.Spec) (bcpace.Model, error) {
	axes := 0
	for _, a := range spec.Actions {
		axes = max(axes, len(a.Box))
	}
	return bcpace.Discretised(m, [...]int{2, 9, 4, 3}[axes])
}

// sampled compares what Step draws with LogLikelihood and Successors. What lists say is
// plainer than what beliefs do, and that plainer than what single ratios do.
func (c *checker) sampled() {
	belief, drawn := c.try(c.calibrate), c.try(c.draws)
	if drawn != c.odds || c.swapped || belief == nil {
		c.must(drawn)
	}
	c.must(belief)
}

// look makes a test. What likelihoods say is at fault only in a note where they are an estimate.
func (c *checker) look(t test) {
	fault := c.try(func() { t.look(c) })
	if fault != nil && c.spec.Estimated != "" && slices.Contains([]string{Draws, Calibration, Scales}, t.name) {
		c.notes = append(c.notes, c.spec.Estimated+", which shows: "+fault.Error())
		return
	}
	c.must(fault)
}

// decisive is a difference of log likelihoods that leaves a reward nothing to tell: one latent is
// a thousand times as likely as the other.
var decisive = math.Log(1000)

// asLikely says what a difference of log likelihoods below decisive tells.
func asLikely(difference float64) string {
	if difference == 0 {
		return "as likely under both"
	}
	return fmt.Sprintf("%.3g times as likely under one as under the other", math.Exp(math.Abs(difference)))
}

// rewards notes a reward that depends on the latent where the state tells nothing of it:
// an agent that sees its rewards would know more than the belief does. It compares two
// latents whose steps, with equal random numbers, lead to the same state, where that does
// not decide between them. It passes over steps that end the episode or move the latent, as it
// does not matter what is learned there.
func (c *checker) rewards() {
	n := len(c.spec.Axes)
	rng, next, other := c.stream(4), make([]float64, n), make([]float64, n)
	row := make([]float64, len(c.spec.Latents))
	for _, t := range c.attempts(slices.Concat(c.places, c.far), 10*c.opt.Transitions, rng) {
		p, action := t.p, t.action
		j := p.other(rng)
		if j < 0 {
			continue
		}
		c.tried[Rewards]++
		seed := rng.Uint64()
		x := c.sound(next, p.s, p.latent, action, rand.New(rand.NewPCG(seed, 1)))
		y := c.sound(other, p.s, j, action, rand.New(rand.NewPCG(seed, 1)))
		if x.Done || y.Done || !slices.Equal(next, other) || math.Abs(x.Reward-y.Reward) <= 1e-9*(c.spec.RewardMax-c.spec.RewardMin) {
			continue
		}
		one, two := c.log(p.s, action, next, p.latent), c.log(p.s, action, next, j)
		if tells := math.Abs(one-two) > decisive; !tells && !c.latentRow(row, p.s, action, p.latent) && !c.latentRow(row, p.s, action, j) {
			c.notes = append(c.notes, fmt.Sprintf("at state %v, action %s pays %.6g under latent %s and %.6g under latent %s, and leads to %v, which is %s: "+
				"the belief does not learn from this reward. If the agent sees it, put the last reward on an axis of the state",
				p.s, strconv.Quote(c.spec.ActionName(action)), x.Reward, strconv.Quote(c.spec.Latents[p.latent]), y.Reward, strconv.Quote(c.spec.Latents[j]), next, asLikely(one-two)))
			break
		}
	}
	c.apart()
}

// scales checks the promise of a Scale of +Inf, that nothing else depends on the axis: from
// two states that differ on it alone, equal random numbers lead to the same entries of the
// other axes, reward and end, and LogLikelihood tells as much of the latent. Grids leave
// such an axis out. The values that it tries are visited ones.
func (c *checker) scales() {
	rng := c.stream(5)
	for axis, a := range c.spec.Axes {
		if !math.IsInf(a.Scale, 1) {
			continue
		}
		for range c.opt.Transitions {
			p, q := c.places[rng.IntN(len(c.places))], c.places[rng.IntN(len(c.places))]
			if p.s[axis] == q.s[axis] {
				continue
			}
			moved := append([]float64(nil), p.s...)
			moved[axis] = q.s[axis]
			c.tried[Scales]++
			c.same(p, moved, rng.IntN(len(c.spec.Actions)), p.other(rng), axis, rng.Uint64())
		}
	}
}

// same takes the same step from p and from moved, which differs on one axis, and compares
// what it leads to, and what that tells of the latents of p and j; j is −1 for none.
func (c *checker) same(p place, moved []float64, action, j, axis int, seed uint64) {
	states := [2][]float64{p.s, moved}
	var next [2][]float64
	var outs [2]bcpace.Outcome
	var tells [2]float64
	for i, s := range states {
		next[i] = make([]float64, len(s))
		outs[i] = c.sound(next[i], s, p.latent, action, rand.New(rand.NewPCG(seed, 1)))
		if j >= 0 {
			tells[i] = c.log(s, action, next[i], p.latent) - c.log(s, action, next[i], j)
		}
	}
	agree := func(so bool, what string, x, y any) {
		c.want(so, p.s, action, p.latent, "axis %s has Scale +Inf, and with %v in place of %v on it %s %v instead of %v, from equal random numbers: "+
			"want the same, as a Scale of +Inf promises that nothing else depends on the axis; otherwise give it a finite Scale",
			strconv.Quote(c.spec.Axes[axis].Name), moved[axis], p.s[axis], what, y, x)
	}
	for i, a := range c.spec.Axes {
		x, y := next[0][i], next[1][i]
		agree(math.IsInf(a.Scale, 1) || math.Abs(x-y) <= 1e-9*(a.Max-a.Min), "the next entry "+strconv.Quote(a.Name)+" is", x, y)
	}
	one, two := outs[0], outs[1]
	agree(math.Abs(one.Reward-two.Reward) <= 1e-9*(c.spec.RewardMax-c.spec.RewardMin), "the reward is", one.Reward, two.Reward)
	agree(one.Done == two.Done, "Done is", one.Done, two.Done)
	if x, y := tells[0], tells[1]; x != y && !(math.Abs(x-y) <= 1e-9*(1+min(math.Abs(x), math.Abs(y)))) {
		agree(false, "LogLikelihood under latent "+c.name(p.latent)+" less that under "+c.name(j)+" is", x, y)
	}
}

const (
	apartSteps = 4000 // that are taken of all latents together
	apartNamed = 6    // latents that a note names
)

// apart notes latents that the belief never tells apart: LogLikelihood was the same under each for all steps tried, and
// no place was one to which only some of them lead. The note says whether Step tells them apart, which is then a mistake
// of LogLikelihood, or does not either. Where rewards alone do, the note is that of rewards.
func (c *checker) apart() {
	if c.can.LatentKind != bcpace.Static {
		return
	}
	groups, rng := [][]int{ends.Possible(c.prior)}, c.stream(9)
	places := slices.Concat(c.places, c.far)
	differ, pay := make(map[int]int), make(map[int]bool) // by latent: how often its step was another than that of the first of its group, and whether its reward was
	steps, tried := 0, 0
	for _, k := range rng.Perm(len(places) * len(c.spec.Actions)) {
		var still [][]int
		for _, group := range groups {
			parts, leads, pays := make(map[string][]int), make(map[int]string), make(map[int]float64)
			for _, latent := range group {
				var tells string
				tells, leads[latent], pays[latent] = c.seen(places[k/len(c.spec.Actions)], latent, k%len(c.spec.Actions), uint64(k))
				parts[tells] = append(parts[tells], latent)
			}
			for _, part := range parts {
				for _, latent := range part[1:] {
					if leads[latent] != leads[part[0]] {
						differ[latent]++
					}
					pay[latent] = pay[latent] || pays[latent] != pays[part[0]]
				}
				if len(part) > 1 {
					still = append(still, part)
				}
			}
			steps += len(group)
		}
		slices.SortFunc(still, func(a, b []int) int { return a[0] - b[0] })
		groups = still
		if tried++; len(groups) == 0 || steps > apartSteps {
			break
		}
	}
	for _, group := range groups {
		var names []string
		often, paid := 0, false
		for _, latent := range group {
			names = append(names, c.name(latent))
			often, paid = max(often, differ[latent]), paid || pay[latent]
		}
		list := strings.Join(names[:min(len(names), apartNamed)], ", ")
		switch {
		case often > 0:
			c.notes = append(c.notes, fmt.Sprintf("%d times two latents of %s led to different states with the same random numbers, and each time LogLikelihood was the same for both: "+
				"the belief does not learn from the steps tried. If the distribution of Step depends on the latent, LogLikelihood must too", often, list))
		case !paid:
			c.notes = append(c.notes, fmt.Sprintf("nothing tells the latents %s apart (%d of them): next states, rewards, ends and likelihoods of %d steps were the same under each. "+
				"If they should differ, does the value of the latent reach the code that makes a step, or was something computed of it before?", list, len(group), tried))
		}
	}
}

// seen returns what a step drawn under the latent of a place tells of a latent, and what the latent's own step with the same random numbers leads to and pays.
func (c *checker) seen(p place, latent, action int, seed uint64) (tells, leads string, pays float64) {
	if !slices.Contains(p.latents, latent) {
		return "", "", 0
	}
	next := make([]float64, len(p.s))
	c.draw(next, p.s, p.latent, action, rand.New(rand.NewPCG(seed, 1)))
	told := []float64{c.log(p.s, action, next, latent), 0}
	if c.can.StartLogLikelihood != nil && p.steps == 0 {
		c.in("StartLogLikelihood", p.s, -1, latent, func() { told[1] = c.can.StartLogLikelihood(p.s, latent) })
	}
	out := c.sound(next, p.s, latent, action, rand.New(rand.NewPCG(seed, 1)))
	return stateKey(told), fmt.Sprint(next, out.Done), out.Reward
}
