// Package check tries a model against the contract of bcpace.Model, and names the
// state, action and latent where the model breaks it.
package check

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// Options say how thoroughly Model looks. The zero value suits a notebook cell: it takes
// some hundred thousand steps, a second or two where Step is quick.
type Options struct {
	// Seed makes the check: the same seed looks at the same places.
	Seed uint64
	// Episodes is the number of random rollouts that find states to look at,
	// and Steps the length at which each is cut. If 0, 30 and 50 are used.
	Episodes, Steps int
	// Transitions is the number of triples (s, φ, a) whose Step is compared
	// with LogLikelihood and Successors, and Draws the number of steps drawn
	// for each. A model with fewer triples has up to ten times as many drawn.
	// If 0, 200 and 4,000 are used.
	Transitions, Draws int
	// Policies play Episodes each, beside those with random actions, for states that
	// random actions do not reach.
	Policies []bcpace.Policy
	// States are states to look at beside those reached. Each must be possible under every
	// latent.
	States [][]float64
	// Skip are names of tests to leave out, such as Goroutines.
	Skip []string
}

// falseAlarm is the probability that Examine refuses a correct model, over all of
// its statistical tests and seeds.
const falseAlarm = 1e-6

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
// It looks at the states that episodes reach with random actions, with one action all the
// time, and with Options.Policies, and at Options.States. It checks that states lie on
// their axes, rewards within [RewardMin, RewardMax], and LogLikelihood allows what Step
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
//   - Goroutines: goroutines side by side get what one alone gets. A model that shares a
//     map without a lock may end the program here, as it would in any solver;
//   - Rewards: no reward tells of the latent what the state does not. This one makes a
//     note in the report instead of an error, as an agent need not see its rewards.
//
// A mistake that makes all likelihoods equally wrong does not matter, and is not looked
// for. The statistical tests together refuse a correct model with probability below 10⁻⁶,
// over all seeds. A panic inside the model is reported as a fault, too.
func Examine(m bcpace.Model, opts Options) (report *Report, err error) {
	if m == nil {
		return nil, &bcpace.InputError{Where: "check.Model", What: "the model", Got: "nil", Want: "a model"}
	}
	c := &checker{m: m, given: m, action: -1, latent: -1, opt: opts, tried: make(map[string]int)}
	defer func() {
		if c.call == "" {
			return // not in the model: a panic, if any, is not its fault
		}
		if p := recover(); p != nil {
			report, err = nil, c.fault(c.state, c.action, c.latent, "%s panicked: %v", c.call, p)
		}
	}()
	c.enter("Validate", nil, -1, -1)
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	c.enter("Spec", nil, -1, -1)
	c.first = m.Spec()
	c.leave()
	if c.spec = c.first; c.spec.HasBox() {
		if c.m, err = listed(m, &c.spec); err != nil {
			return nil, err
		}
		c.spec = c.m.Spec()
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	return c.report(), nil
}

// listed returns m with a list in the place of boxes of actions, whose corners are in it.
func listed(m bcpace.Model, spec *bcpace.Spec) (bcpace.Model, error) {
	axes := 0
	for _, a := range spec.Actions {
		axes = max(axes, len(a.Box))
	}
	return bcpace.Discretised(m, [...]int{2, 9, 4, 3}[axes])
}

// checker is one run of Examine.
type checker struct {
	m     bcpace.Model // with a list of actions
	given bcpace.Model // as it was given
	spec  bcpace.Spec  // of m
	first bcpace.Spec  // what given.Spec said first
	prior bcpace.Belief
	next  func(s []float64, action, latent int) int // NextLatent, nil where m has none
	opt   Options
	rng   *rand.Rand

	// The call of the model under way, for the report of a panic.
	call           string
	state          []float64
	action, latent int

	places   []place // distinct places to look at
	far      []place // distinct places that only one action repeated reached
	tried    map[string]int
	limits   []limit
	atLimits string // what was tried at limits, for the report
	notes    []string
	odds     error // what the draws say of LogLikelihood alone
	known    map[string]bool
	bets     map[[3]int]*bet // rewards: by action, latent and direction
}

// marks stand in a slice before a call, so that an entry left unset shows.
var marks = [2]float64{math.NaN(), 0.8414709848078965}

func (c *checker) enter(call string, s []float64, action, latent int) {
	c.call, c.state, c.action, c.latent = call, s, action, latent
}

func (c *checker) leave() { c.call = "" }

// fault makes the error; an action or latent of -1 is none.
func (c *checker) fault(s []float64, action, latent int, format string, args ...any) error {
	return c.spec.Fault(s, action, latent, format, args...)
}

func (c *checker) run() error {
	c.opt.Episodes = cmp.Or(c.opt.Episodes, 30)
	c.opt.Steps = cmp.Or(c.opt.Steps, 50)
	c.opt.Transitions = cmp.Or(c.opt.Transitions, 200)
	c.opt.Draws = cmp.Or(c.opt.Draws, 4000)
	if err := c.opt.checkSkip(); err != nil {
		return err
	}
	for _, o := range []struct {
		name  string
		value int
	}{{"Episodes", c.opt.Episodes}, {"Steps", c.opt.Steps}, {"Transitions", c.opt.Transitions}, {"Draws", c.opt.Draws}} {
		if o.value < 0 {
			return &bcpace.InputError{Where: "check.Options", What: o.name, Got: fmt.Sprint(o.value), Want: "a positive number, or 0 for the default"}
		}
	}
	if err := bcpace.CheckHorizon("check.Options", "Steps", c.opt.Steps, "the default"); err != nil {
		return err
	}
	if _, _, err := bcpace.LipschitzOf(c.m); err != nil {
		return err
	}
	c.rng = rand.New(rand.NewPCG(c.opt.Seed, 0x636865636b)) // a stream of its own
	c.known = make(map[string]bool)
	c.bets = make(map[[3]int]*bet)
	c.limits = limitsOf(c.spec.Axes)
	c.prior = make(bcpace.Belief, len(c.spec.Latents))
	c.next = bcpace.AbilitiesOf(c.m).NextLatent
	c.enter("Prior", nil, -1, -1)
	c.m.Prior(c.prior)
	c.leave()

	for _, test := range []func() error{c.reach, c.latentRows, c.numbering, c.starts, c.lists, c.sampled, c.calibrateAtLimits, c.scales, c.goroutines, c.rewards, c.stable} {
		if err := test(); err != nil {
			return err
		}
	}
	return nil
}

// sampled compares what Step draws with LogLikelihood and Successors. What lists say is
// plainer than what beliefs do, and that plainer than what single ratios do.
func (c *checker) sampled() error {
	belief, swapped := c.calibrate()
	err := c.draws()
	if err != nil && (err != c.odds || swapped || belief == nil) {
		return err
	}
	return belief
}

// stable checks that Spec and Prior say what they said first.
func (c *checker) stable() error {
	if c.skips(Repeats) {
		return nil
	}
	c.enter("Spec", nil, -1, -1)
	now := c.given.Spec()
	c.leave()
	if !reflect.DeepEqual(now, c.first) {
		was, is := reflect.ValueOf(c.first), reflect.ValueOf(now)
		for i := range was.NumField() {
			if a, b := was.Field(i).Interface(), is.Field(i).Interface(); !reflect.DeepEqual(a, b) {
				return c.fault(nil, -1, -1, "Spec().%s changed from %v to %v between calls, want the same Spec at every call", was.Type().Field(i).Name, a, b)
			}
		}
	}
	b := make(bcpace.Belief, len(c.prior))
	c.enter("Prior", nil, -1, -1)
	c.m.Prior(b)
	c.leave()
	for i, p := range b {
		if p != c.prior[i] {
			return c.fault(nil, -1, i, "Prior changed from %v to %v between calls, want the same at every call", c.prior[i], p)
		}
	}
	return nil
}

// start draws a start state twice with the same random numbers, and checks it.
func (c *checker) start(s []float64, latent int, rng *rand.Rand) error {
	seed := rng.Uint64()
	again := make([]float64, len(s))
	for i, x := range [][]float64{s, again} {
		fillWith(x, marks[i])
		c.enter("Start", nil, -1, latent)
		c.m.Start(x, latent, rand.New(rand.NewPCG(seed, 1)))
		c.leave()
	}
	if err := c.onAxes(s, nil, -1, latent, "Start"); err != nil {
		return err
	}
	if !sameState(s, again) && !c.skips(Repeats) {
		return c.fault(s, -1, latent, "Start drew %v and then %v from equal random numbers, want the same (is every entry of the state set, and nothing random but rng?)", s, again)
	}
	if l, ok := c.m.(bcpace.StartLikelihood); ok {
		c.enter("StartLogLikelihood", s, -1, latent)
		x := l.StartLogLikelihood(s, latent)
		c.leave()
		if !num.Finite(x) {
			return c.fault(s, -1, latent, "StartLogLikelihood is %v for a start state that Start drew, want a finite number", x)
		}
	}
	return nil
}

// step takes a step twice with the same random numbers, and checks it.
func (c *checker) step(next, s []float64, latent, action int, rng *rand.Rand) (bcpace.Outcome, error) {
	seed := rng.Uint64()
	again, before := make([]float64, len(s)), append([]float64(nil), s...)
	var outs [2]bcpace.Outcome
	for i, x := range [][]float64{next, again} {
		fillWith(x, marks[i])
		c.enter("Step", before, action, latent)
		outs[i] = c.m.Step(x, s, latent, action, rand.New(rand.NewPCG(seed, 1)))
		c.leave()
		if !sameState(s, before) && !c.skips(Repeats) {
			return outs[0], c.fault(before, action, latent, "Step wrote to s, which is now %v, want s left as it is and the next state in next", s)
		}
	}
	if err := c.spec.CheckOutcome(outs[0], next, before, action, latent); err != nil {
		return outs[0], err
	}
	c.tried[Repeats]++
	if (!sameState(next, again) || outs[0] != outs[1]) && !c.skips(Repeats) {
		return outs[0], c.fault(s, action, latent, "Step gave %v, %+v and then %v, %+v from equal random numbers, want the same (is every entry of next set, and nothing random but rng?)",
			next, outs[0], again, outs[1])
	}
	_, err := c.likelihood(s, action, next, latent)
	if (!sameState(s, before) || !sameState(next, again)) && !c.skips(Repeats) {
		return outs[0], c.fault(before, action, latent, "LogLikelihood wrote to the states it was given, want them left as they are")
	}
	return outs[0], err
}

// once takes a step, and checks it and the likelihood of what it drew.
func (c *checker) once(next, s []float64, latent, action int, rng *rand.Rand) (bcpace.Outcome, error) {
	fillWith(next, math.NaN())
	c.enter("Step", s, action, latent)
	out := c.m.Step(next, s, latent, action, rng)
	c.leave()
	if err := c.spec.CheckOutcome(out, next, s, action, latent); err != nil {
		return out, err
	}
	_, err := c.likelihood(s, action, next, latent)
	return out, err
}

// likelihood returns LogLikelihood of a transition that Step drew.
func (c *checker) likelihood(s []float64, action int, next []float64, latent int) (float64, error) {
	c.enter("LogLikelihood", s, action, latent)
	x := c.m.LogLikelihood(s, action, next, latent)
	c.leave()
	if !num.Finite(x) {
		return x, c.fault(s, action, latent, "LogLikelihood of %v, which Step drew, is %v, want a finite number", next, x)
	}
	return x, nil
}

// onAxes checks that x, which call made at (s, action, latent), lies on the axes.
func (c *checker) onAxes(x, s []float64, action, latent int, call string) error {
	if off, want := c.spec.OffAxes(x); off != "" {
		return c.fault(s, action, latent, "%s made state %v, %s, want %s", call, x, off, want)
	}
	return nil
}

// latentRows checks P(φ'|φ,s,a) at the places reached, for all actions.
func (c *checker) latentRows() error {
	d, ok := c.m.(bcpace.LatentDynamics)
	if !ok || c.skips(Latents) {
		return nil
	}
	c.enter("LatentKind", nil, -1, -1)
	kind := d.LatentKind()
	c.leave()
	if kind < bcpace.Static || kind > bcpace.Redrawn {
		return c.fault(nil, -1, -1, "LatentKind is %d, want Static, Deterministic or Redrawn", kind)
	}
	row := make([]float64, len(c.spec.Latents))
	for i, p := range c.places {
		if i >= 200 {
			break
		}
		for action := range c.spec.Actions {
			c.tried[Latents]++
			if _, err := c.latentRow(d, row, p.s, action, p.latent); err != nil {
				return err
			}
		}
	}
	return nil
}

// latentRow fills row with P(φ'|latent,s,a), and reports whether the latent may
// move.
func (c *checker) latentRow(d bcpace.LatentDynamics, row []float64, s []float64, action, latent int) (bool, error) {
	const mark = -1
	fillWith(row, mark)
	kind, to := d.LatentKind(), -1
	named := c.next != nil
	if named {
		c.enter("NextLatent", s, action, latent)
		to = c.next(s, action, latent)
		c.leave()
		switch {
		case kind != bcpace.Deterministic:
			return false, c.fault(s, action, latent, "the model has NextLatent, but LatentKind is %v, want %v", kind, bcpace.Deterministic)
		case to < 0 || to >= len(row):
			return false, c.fault(s, action, latent, "NextLatent returned %d, want a latent from 0 to %d", to, len(row)-1)
		}
	}
	c.enter("LatentTransition", s, action, latent)
	moved := d.LatentTransition(row, s, action, latent)
	if named && (moved && row[to] != 1 || !moved && to != latent) {
		return false, c.fault(s, action, latent, "NextLatent returned %d, want the latent that follows by LatentTransition", to)
	}
	c.leave()
	if !moved {
		for _, p := range row {
			if p != mark {
				return false, c.fault(s, action, latent, "LatentTransition returned false and wrote %v, want p left as it is where the latent stays", row)
			}
		}
		return false, c.latentMoves(nil, s, action, latent)
	}
	if err := bcpace.Belief(row).Validate(); err != nil {
		return false, c.fault(s, action, latent, "LatentTransition filled p with %v, want probabilities that sum to 1", row)
	}
	switch _, distance := bcpace.Belief(row).NearestOneHot(); {
	case kind == bcpace.Static && row[latent] != 1:
		return false, c.fault(s, action, latent, "LatentTransition moves the latent with %v, but LatentKind is static", row)
	case kind == bcpace.Deterministic && distance != 0:
		return false, c.fault(s, action, latent, "LatentTransition is %v, but LatentKind is deterministic: want probability 1 for one latent", row)
	}
	return true, c.latentMoves(row, s, action, latent)
}

// latentMoves checks the list of a SparseLatent against the row of LatentTransition, nil where
// the latent stays.
func (c *checker) latentMoves(row, s []float64, action, latent int) error {
	l, ok := bcpace.AsSparseLatent(c.m)
	if !ok || c.next != nil { // NextLatent has been looked at
		return nil
	}
	c.enter("LatentMoves", s, action, latent)
	to, share := l.LatentMoves(nil, nil, s, action, latent)
	c.leave()
	left := slices.Clone(row)
	if row == nil {
		left = bcpace.OneHot(len(c.spec.Latents), latent)
	}
	const want = "want those of LatentTransition in ascending order, with the same probabilities, all above 0"
	for k, φ := range to {
		if φ < 0 || int(φ) >= len(left) || len(share) != len(to) || k > 0 && φ <= to[k-1] || !(share[k] > 0) || !(math.Abs(left[φ]-share[k]) <= 1e-9) {
			return c.fault(s, action, latent, "LatentMoves lists the latents %v with probabilities %v, %s", to, share, want)
		}
		left[φ] = 0
	}
	for φ, p := range left {
		if p != 0 {
			return c.fault(s, action, latent, "LatentMoves lists the latents %v without %d, %s", to, φ, want)
		}
	}
	return nil
}

// fillWith sets all of x to a mark that no model leaves by chance.
func fillWith(x []float64, mark float64) {
	for i := range x {
		x[i] = mark
	}
}

// sameState reports whether two states are equal, entry by entry.
func sameState(a, b []float64) bool {
	for i, x := range a {
		if x != b[i] {
			return false
		}
	}
	return true
}

// stateKey returns a map key for a state; 0 and −0 have the same.
func stateKey(s []float64) string { return string(appendKey(nil, s)) }

// appendKey appends the bytes of stateKey to key.
func appendKey(key []byte, s []float64) []byte {
	for _, x := range s {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x+0))
	}
	return key
}
