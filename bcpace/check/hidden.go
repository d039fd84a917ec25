package check

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/stat"
)

// HiddenOptions say how thoroughly Hidden looks. The zero value suits a notebook cell: it takes some hundred thousand steps.
type HiddenOptions struct {
	// Seed makes the check: the same seed looks at the same places.
	Seed uint64
	// Episodes is the number of episodes that find places to look at, with random actions and with those of Model.Rollout, and Steps
	// the length at which each is cut. If 0, 30 and 50 are used.
	Episodes, Steps int
	// Places is the number of places and actions whose steps are compared with what the model says of them,
	// and Draws the number of steps drawn at each. If 0, 200 and 500 are used.
	Places, Draws int
}

// Tests of Hidden alone; the others are those of Examine.
const (
	Bounded  = "bounds"   // bounds are ordered, and no Rollout earns more than the upper one
	Gaussian = "gaussian" // Step draws what Model.Gaussian says
)

// hiddenTests are the tests of Hidden in the order of a report, with what they count.
var hiddenTests = []test{
	{Repeats, "%d steps taken twice with equal random numbers", nil},
	{Starts, "%d starts drawn, and which of two hidden vectors they tell of", nil},
	{Bounded, "%d places with their bounds, and episodes of Rollout", nil},
	{Calibration, "%d steps with one of two hidden vectors, and the belief after them", nil},
	{Gaussian, "%d draws compared with what Gaussian says", nil},
	{Goroutines, "%d steps with 8 goroutines side by side", nil},
}

// Hidden tries a model with a hidden vector against its contract, and returns what it has tried, or the first fault that it
// finds. Faults of the description are *bcpace.InputError; all others are *bcpace.ConformanceError and name state and action.
//
// It looks at the states and hidden vectors that episodes reach with random actions and, where the model has one, with Rollout. States
// and hidden vectors lie on their axes, and rewards within [RewardMin, RewardMax]. Step and Start are functions of their arguments and random
// numbers, set all entries and write to nothing that they are only given to read, and goroutines side by side get what one alone gets.
//
// The statistical tests draw a step with each of two hidden vectors, and show one of them: of two vectors and what became of them, LogDensity
// must be as often right as it says, given that the episode goes on; StartLogDensity likewise of the first state, and where there is
// none the first state must tell nothing of the vector. Prior and Step must draw what Gaussian says, and LogDensity agree with it.
// The lower bound of Bounds must not exceed the upper one, nor the mean return of Rollout the mean of the upper one at
// the start. A mistake that makes all densities equally wrong does not matter, and is not looked for.
//
// These tests together refuse a sound model with probability below 10⁻⁶, over all seeds. A panic inside of the model is a fault, too.
func Hidden(m *hidden.Model, opts HiddenOptions) (*Report, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	c := &hiddenChecker{m: m, calls: calls{ctx: context.Background(), spec: m.Spec.Spec, tried: make(map[string]int)}, opt: opts}
	err := c.whole(func() {
		o := &c.opt
		c.must(settle("check.HiddenOptions", number{"Episodes", &o.Episodes, 30}, number{"Steps", &o.Steps, 50}, number{"Places", &o.Places, 200},
			number{"Draws", &o.Draws, 500}))
		for _, look := range []func(){c.starts, c.reach, c.returns, c.calibrate, c.gaussian, c.goroutines} {
			look()
		}
	})
	if err != nil {
		return nil, err
	}
	r := &Report{Model: c.spec.Name, States: len(c.places), FalseAlarm: falseAlarm}
	for _, t := range hiddenTests {
		r.Tests = append(r.Tests, t.done(c.tried[t.name]))
	}
	return r, nil
}

// hiddenChecker is one run of Hidden.
type hiddenChecker struct {
	m   *hidden.Model
	opt HiddenOptions
	calls
	places []hiddenPlace
}

// hiddenPlace is a state with the hidden vector, and others that what was observed allows.
type hiddenPlace struct {
	s, x   []float64
	others [][]float64
}

func (c *hiddenChecker) stream(n uint64) *rand.Rand {
	return rand.New(rand.NewPCG(c.opt.Seed, 0x68696464+n))
}

// room returns a state and a hidden vector whose entries are not set.
func (c *hiddenChecker) room() (s, x []float64) {
	s, x = make([]float64, len(c.spec.Axes)), make([]float64, len(c.m.Spec.Hidden))
	fillWith(s, math.NaN())
	fillWith(x, math.NaN())
	return s, x
}

// inside checks a state and a hidden vector that call has made.
func (c *hiddenChecker) inside(call string, newS, newX, s []float64, action int) {
	c.onAxes(newS, s, action, -1, call)
	axes := bcpace.Spec{Axes: c.m.Spec.Hidden}
	off, want := axes.OffAxes(newX)
	c.want(off == "", s, action, -1, "%s made the hidden vector %v, %s, want %s", call, newX, off, want)
}

// start draws the start of an episode twice with equal random numbers.
func (c *hiddenChecker) start(seed uint64) (s, x []float64) {
	draw := func() (s, x []float64) {
		s, x = c.room()
		c.in("Prior or Start", nil, -1, -1, func() { c.m.DrawStart(s, x, rand.New(rand.NewPCG(seed, 1))) })
		return s, x
	}
	s, x = draw()
	c.inside("Prior or Start", s, x, nil, -1)
	again, againX := draw()
	c.want(slices.Equal(s, again) && slices.Equal(x, againX), nil, -1, -1, "Prior and Start drew %v, %v and then %v, %v from equal random numbers, want the same", x, s, againX, again)
	return s, x
}

// step takes a step twice with equal random numbers, and checks what it gave.
func (c *hiddenChecker) step(s, x []float64, action int, seed uint64) (next, nextX []float64, out bcpace.Outcome) {
	wasS, wasX := slices.Clone(s), slices.Clone(x)
	take := func() (next, nextX []float64, out bcpace.Outcome) {
		next, nextX = c.room()
		c.in("Step", wasS, action, -1, func() { out = c.m.Step(next, nextX, s, x, action, rand.New(rand.NewPCG(seed, 1))) })
		return next, nextX, out
	}
	next, nextX, out = take()
	c.tried[Repeats]++
	c.must(c.spec.CheckOutcome(out, next, wasS, action, -1))
	c.inside("Step", next, nextX, wasS, action)
	again, againX, outs := take()
	c.want(slices.Equal(next, again) && slices.Equal(nextX, againX) && out == outs, wasS, action, -1, "Step gave %v, %v, %+v and then %v, %v, %+v from equal random numbers, want the same (is nothing random but rng?)", next, nextX, out, again, againX, outs)
	c.density(s, x, action, next, nextX, out)
	c.want(slices.Equal(s, wasS) && slices.Equal(x, wasX), wasS, action, -1, "Step or LogDensity wrote to the state or hidden vector that it was given, now %v and %v, want them left as they are", s, x)
	return next, nextX, out
}

// density checks LogDensity of a step that Step drew and after which the episode goes on.
func (c *hiddenChecker) density(s, x []float64, action int, next, nextX []float64, out bcpace.Outcome) {
	if c.m.LogDensity == nil || out.Done {
		return
	}
	l := asked(&c.calls, "LogDensity", s, action, -1, func() float64 { return c.m.LogDensity(s, x, action, next, nextX) })
	if !num.Finite(l) {
		c.fault(s, action, -1, "LogDensity of %v with the hidden vector %v, which Step drew, is %v, want a finite number", next, nextX, l)
	}
}

// reach plays episodes, and keeps the places that they come to.
func (c *hiddenChecker) reach() {
	for e := range c.opt.Episodes {
		rng := c.stream(uint64(1 + 2*e))
		c.episode(rng, c.m.Rollout != nil && e%2 == 1)
	}
}

// others is how many hidden vectors are kept beside the true one.
const others = 4

// episode plays one episode, with a belief.
func (c *hiddenChecker) episode(rng *rand.Rand, follow bool) {
	s, x := c.start(rng.Uint64())
	var belief hidden.Belief
	if c.m.LogDensity != nil {
		c.enter("Prior, StartLogDensity, Step or LogDensity", nil, -1, -1)
		var err error
		belief, err = hidden.Particles{Number: 300}.Begin(c.m, s, rng)
		if c.leave(); err != nil {
			return // too few of them to explain the start
		}
	}
	for range c.opt.Steps {
		action := c.spec.DrawAction(rng)
		if follow && rng.IntN(5) > 0 {
			c.enter("Rollout", s, -1, -1)
			action = c.m.Rollout(s, x, rng)
			c.leave()
			c.want(c.spec.IsAction(action), s, -1, -1, "Rollout returned action %d, want %s", action, c.spec.WantAction())
		}
		p := hiddenPlace{s: s, x: x}
		for i := 0; belief != nil && i < others; i++ {
			y := make([]float64, len(x))
			belief.Draw(y, rng)
			p.others = append(p.others, y)
		}
		c.bounds(p)
		c.places = append(c.places, p)
		next, nextX, out := c.step(s, x, action, rng.Uint64())
		if out.Done {
			return
		}
		if belief != nil {
			c.enter("Step or LogDensity", s, action, -1)
			err := belief.Update(s, action, next, rng)
			if c.leave(); errors.As(err, new(*hidden.ImpossibleError)) {
				return // too few particles to go on
			}
			c.must(err)
		}
		s, x = next, nextX
	}
}

// bounds checks those of a place.
func (c *hiddenChecker) bounds(p hiddenPlace) {
	if c.m.Bounds == nil {
		return
	}
	c.tried[Bounded]++
	c.enter("Bounds", p.s, -1, -1)
	_, _, err := c.m.Bound(p.s, p.x)
	c.leave()
	c.must(err)
}

// returns checks that Rollout, which sees the hidden vector, earns no more than the upper bounds allow.
func (c *hiddenChecker) returns() {
	if c.m.Bounds == nil || c.m.Rollout == nil {
		return
	}
	rng, horizon := c.stream(0), c.spec.DefaultHorizon()
	var over stat.Moments // the return less the upper bound
	for range c.opt.Places {
		c.tried[Bounded]++
		s, x := c.start(rng.Uint64())
		c.enter("Bounds, Rollout or Step", s, -1, -1)
		_, upper := c.m.Bounds(s, x)
		earned, weight := 0.0, 1.0
		next, nextX := c.room()
		for range horizon {
			out := c.m.Step(next, nextX, s, x, c.m.Rollout(s, x, rng), rng)
			earned += weight * out.Reward
			if out.Done {
				break
			}
			weight *= c.spec.Discount
			s, next, x, nextX = next, s, nextX, x
		}
		c.leave()
		if !math.IsInf(upper, 1) {
			over.Add(earned - upper)
		}
	}
	width := 2 * (c.spec.VMax() - c.spec.VMin())
	radius := stat.Radius(over.N, over.Variance(), width, doubt(4))
	c.want(!(over.Mean > radius), nil, -1, -1, "Rollout earns %.4g more than the upper bound of Bounds on the mean of %d starts, which chance explains up to %.4g: want a bound that no policy exceeds", over.Mean, over.N, radius)
}
