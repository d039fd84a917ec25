package check

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/ends"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/stat"
)

// falseAlarm is the probability that Examine refuses a correct model, over all of
// its statistical tests and seeds.
const falseAlarm = 1e-6

// checker is one run of Examine.
type checker struct {
	m     bcpace.Model // with a list of actions
	given bcpace.Model // as it was given
	first bcpace.Spec  // what given.Spec said first
	prior bcpace.Belief
	can   bcpace.Abilities // of m
	opt   Options
	rng   *rand.Rand
	calls
	ended int // tests that have come to their end

	places   []place // distinct places to look at
	far      []place // distinct places that only one action repeated reached
	limits   []limit
	atLimits string // what was tried at limits, for the report
	notes    []string
	odds     error // what the draws say of LogLikelihood alone
	swapped  bool  // the calibration says that LogLikelihood favours the wrong latent
	known    map[string]bool
	bets     map[[3]int]*stat.Bet // rewards: by action, latent and direction
}

// marks stand in a slice before a call, so that an entry left unset shows.
var marks = [2]float64{math.NaN(), 0.8414709848078965}

// calls has the call of the model under way, for the report of a panic. A fault ends a check as one does a test.
type calls struct {
	ctx            context.Context
	spec           bcpace.Spec
	tried          map[string]int // by name of a test
	call           string
	state          []float64
	action, latent int
}

func (c *calls) enter(call string, s []float64, action, latent int) {
	c.call, c.state, c.action, c.latent = call, s, action, latent
	if c.ctx.Err() != nil {
		panic(errCut)
	}
}

// errCut is what a check panics with where its context has ended.
var errCut = errors.New("the check was cut short")

func (c *calls) leave() { c.call = "" }

// in makes a call of the model.
func (c *calls) in(call string, s []float64, action, latent int, do func()) {
	c.enter(call, s, action, latent)
	do()
	c.leave()
}

// asked is what a call of the model returns.
func asked[T any](c *calls, call string, s []float64, action, latent int, ask func() T) (answer T) {
	c.in(call, s, action, latent, func() { answer = ask() })
	return answer
}

// found is what a fault panics with, up to try.
type found struct{ error }

// fault ends the check, or what try makes; an action or latent of -1 is none.
func (c *calls) fault(s []float64, action, latent int, format string, args ...any) {
	panic(found{c.spec.Fault(s, action, latent, format, args...)})
}

// want ends the check with a fault unless the model does well there. Where draws by the thousand are
// looked at, an if before fault is faster.
func (c *calls) want(well bool, s []float64, action, latent int, format string, args ...any) {
	if !well {
		c.fault(s, action, latent, format, args...)
	}
}

// must ends the check, or what try makes, where there is an error.
func (c *calls) must(err error) {
	if err != nil {
		panic(found{err})
	}
}

// try makes a part of a check, and returns the fault that has ended it.
func (c *calls) try(part func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case found:
			c.leave()
			err = p.error
		default:
			panic(p)
		}
	}()
	part()
	return nil
}

// whole makes a check, and returns its fault or errCut. A panic within a call of the model is a fault, too.
func (c *calls) whole(check func()) (err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == errCut:
			err = errCut
		case c.call == "":
			panic(p) // not in the model
		default:
			err = c.spec.Panicked(p, c.call, c.state, c.action, c.latent)
		}
	}()
	return c.try(check)
}

// onAxes checks a state that call has made at (s, action, latent).
func (c *calls) onAxes(x, s []float64, action, latent int, call string) {
	if off, want := c.spec.OffAxes(x); off != "" {
		c.fault(s, action, latent, "%s made state %v, %s, want %s", call, x, off, want)
	}
}

// stable checks that Spec and Prior say what they said first.
func (c *checker) stable() {
	now := asked(&c.calls, "Spec", nil, -1, -1, func() bcpace.Spec { return c.given.Spec() })
	if !reflect.DeepEqual(now, c.first) {
		was, is := reflect.ValueOf(c.first), reflect.ValueOf(now)
		for i := range was.NumField() {
			if a, b := was.Field(i).Interface(), is.Field(i).Interface(); !reflect.DeepEqual(a, b) {
				c.fault(nil, -1, -1, "Spec().%s changed from %v to %v between calls, want the same Spec at every call", was.Type().Field(i).Name, a, b)
			}
		}
	}
	b := make(bcpace.Belief, len(c.prior))
	c.in("Prior", nil, -1, -1, func() { c.m.Prior(b) })
	for i, p := range b {
		if p != c.prior[i] {
			c.fault(nil, -1, i, "Prior changed from %v to %v between calls, want the same at every call", c.prior[i], p)
		}
	}
}

// start draws a start state twice with the same random numbers, and checks it.
func (c *checker) start(s []float64, latent int, rng *rand.Rand) {
	seed := rng.Uint64()
	again := make([]float64, len(s))
	for i, x := range [][]float64{s, again} {
		fillWith(x, marks[i])
		c.in("Start", nil, -1, latent, func() { c.m.Start(x, latent, rand.New(rand.NewPCG(seed, 1))) })
	}
	c.onAxes(s, nil, -1, latent, "Start")
	c.want(slices.Equal(s, again) || c.skips(Repeats), s, -1, latent, "Start drew %v and then %v from equal random numbers, want the same (is every entry of the state set, and nothing random but rng?)", s, again)
	if c.can.StartLogLikelihood != nil {
		x := asked(&c.calls, "StartLogLikelihood", s, -1, latent, func() float64 { return c.can.StartLogLikelihood(s, latent) })
		c.want(num.Finite(x), s, -1, latent, "StartLogLikelihood is %v for a start state that Start drew, want a finite number", x)
	}
}

// step takes a step twice with the same random numbers, and checks it.
func (c *checker) step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	seed := rng.Uint64()
	again, before := make([]float64, len(s)), append([]float64(nil), s...)
	var outs [2]bcpace.Outcome
	for i, x := range [][]float64{next, again} {
		fillWith(x, marks[i])
		outs[i] = c.draw(x, s, latent, action, rand.New(rand.NewPCG(seed, 1)))
		c.want(slices.Equal(s, before) || c.skips(Repeats), before, action, latent, "Step wrote to s, which is now %v, want s left as it is and the next state in next", s)
	}
	c.must(c.spec.CheckOutcome(outs[0], next, before, action, latent))
	c.tried[Repeats]++
	c.want(slices.Equal(next, again) && outs[0] == outs[1] || c.skips(Repeats), s, action, latent, "Step gave %v, %+v and then %v, %+v from equal random numbers, want the same (is every entry of next set, and nothing random but rng?)",
		next, outs[0], again, outs[1])
	l := c.log(s, action, next, latent)
	c.want(slices.Equal(s, before) && slices.Equal(next, again) || c.skips(Repeats), before, action, latent, "LogLikelihood wrote to the states it was given, want them left as they are")
	c.possible(l, s, action, next, latent)
	return outs[0]
}

// once takes a step, and checks it and the likelihood of what it drew.
func (c *checker) once(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	fillWith(next, math.NaN())
	out := c.sound(next, s, latent, action, rng)
	c.possible(c.log(s, action, next, latent), s, action, next, latent)
	return out
}

// sound takes a step and checks what it gave.
func (c *checker) sound(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := c.draw(next, s, latent, action, rng)
	c.must(c.spec.CheckOutcome(out, next, s, action, latent))
	return out
}

// draw takes a step.
func (c *checker) draw(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	c.enter("Step", s, action, latent)
	out := c.m.Step(next, s, latent, action, rng)
	c.leave()
	return out
}

// log returns LogLikelihood of a transition.
func (c *checker) log(s []float64, action int, next []float64, latent int) float64 {
	c.enter("LogLikelihood", s, action, latent)
	x := c.m.LogLikelihood(s, action, next, latent)
	c.leave()
	return x
}

// possible checks l, LogLikelihood of a transition that Step drew.
func (c *checker) possible(l float64, s []float64, action int, next []float64, latent int) {
	if !num.Finite(l) {
		c.fault(s, action, latent, "LogLikelihood of %v, which Step drew, is %v, want a finite number", next, l)
	}
}

// latentRows checks P(φ'|φ,s,a) at the places reached, for all actions.
func (c *checker) latentRows() {
	if c.can.LatentTransition == nil {
		return
	}
	kind := c.can.LatentKind
	c.want(kind >= bcpace.Static && kind <= bcpace.Redrawn, nil, -1, -1, "LatentKind is %d, want Static, Deterministic or Redrawn", kind)
	row := make([]float64, len(c.spec.Latents))
	for _, p := range c.places[:min(len(c.places), 200)] {
		for action := range c.spec.Actions {
			c.tried[Latents]++
			c.latentRow(row, p.s, action, p.latent)
		}
	}
}

// latentRow fills row with P(φ'|latent,s,a), and reports whether the latent may
// move.
func (c *checker) latentRow(row []float64, s []float64, action, latent int) (moved bool) {
	if c.can.LatentTransition == nil {
		return false
	}
	const mark = -1
	fillWith(row, mark)
	kind, to := c.can.LatentKind, -1
	named := c.can.NextLatent != nil
	if named {
		c.in("NextLatent", s, action, latent, func() { to = c.can.NextLatent(s, action, latent) })
		c.want(kind == bcpace.Deterministic, s, action, latent, "the model has NextLatent, but LatentKind is %v, want %v", kind, bcpace.Deterministic)
		c.want(to >= 0 && to < len(row), s, action, latent, "NextLatent returned %d, want a latent from 0 to %d", to, len(row)-1)
	}
	c.enter("LatentTransition", s, action, latent)
	moved = c.can.LatentTransition(row, s, action, latent)
	c.want(!named || moved && row[to] == 1 || !moved && to == latent, s, action, latent, "NextLatent returned %d, want the latent that follows by LatentTransition", to)
	c.leave()
	if !moved {
		touched := slices.ContainsFunc(row, func(p float64) bool { return p != mark })
		c.want(!touched, s, action, latent, "LatentTransition returned false and wrote %v, want p left as it is where the latent stays", row)
		c.latentMoves(nil, s, action, latent)
		return false
	}
	c.want(bcpace.Belief(row).Validate() == nil, s, action, latent, "LatentTransition filled p with %v, want probabilities that sum to 1", row)
	_, distance := bcpace.Belief(row).NearestOneHot()
	c.want(kind != bcpace.Static || row[latent] == 1, s, action, latent, "LatentTransition moves the latent with %v, but LatentKind is static", row)
	c.want(kind != bcpace.Deterministic || distance == 0, s, action, latent, "LatentTransition is %v, but LatentKind is deterministic: want probability 1 for one latent", row)
	c.latentMoves(row, s, action, latent)
	return true
}

// latentMoves checks the list of a SparseLatent against the row of LatentTransition, nil where
// the latent stays.
func (c *checker) latentMoves(row, s []float64, action, latent int) {
	if c.can.LatentMoves == nil || c.can.NextLatent != nil { // NextLatent has been looked at
		return
	}
	c.enter("LatentMoves", s, action, latent)
	to, share := c.can.LatentMoves(nil, nil, s, action, latent)
	c.leave()
	left := slices.Clone(row)
	if row == nil {
		left = bcpace.OneHot(len(c.spec.Latents), latent)
	}
	const want = "want those of LatentTransition in ascending order, with the same probabilities, all above 0"
	for k, φ := range to {
		listed := φ >= 0 && int(φ) < len(left) && len(share) == len(to) && (k == 0 || φ > to[k-1]) && share[k] > 0 && math.Abs(left[φ]-share[k]) <= 1e-9
		c.want(listed, s, action, latent, "LatentMoves lists the latents %v with probabilities %v, %s", to, share, want)
		left[φ] = 0
	}
	missing := slices.IndexFunc(left, func(p float64) bool { return p != 0 })
	c.want(missing < 0, s, action, latent, "LatentMoves lists the latents %v without %d, %s", to, missing, want)
}

// fillWith sets all of x to a mark that no model leaves by chance.
func fillWith(x []float64, mark float64) {
	for i := range x {
		x[i] = mark
	}
}

// stateKey returns a map key for a state.
func stateKey(s []float64) string { return string(num.AppendKey(nil, s)) }

// limit is one side of a continuous axis, the value there.
type limit struct {
	axis  int
	value float64
}

// at reports whether s lies at the limit.
func (l limit) at(s []float64) bool { return s[l.axis] == l.value }

// attempt is an action at a place.
type attempt struct {
	p      place
	action int
}

// attempts are actions at places, in random order, most of them at most.
func (c *checker) attempts(places []place, most int, rng *rand.Rand) []attempt {
	order := rng.Perm(len(places) * len(c.spec.Actions))
	list := make([]attempt, min(len(order), most))
	for i := range list {
		list[i] = attempt{places[order[i]/len(c.spec.Actions)], order[i] % len(c.spec.Actions)}
	}
	return list
}

// endsPart is the part of falseAlarm of the test of ends, and of that of starts that tell.
const endsPart = 0.001

// hiddenEnds looks for states and actions at which the end of an episode tells of the latent what the next state does not. It
// looks longer than Validate does.
func (c *checker) hiddenEnds() {
	found, steps := ends.Find(bcpace.AbilitiesOf(c.m).Ends(),
		ends.Effort{Episodes: 4 * c.opt.Episodes, Steps: c.opt.Steps, Places: c.opt.Transitions/4 + 1, Draws: c.opt.Draws/20 + 1, FalseAlarm: endsPart * falseAlarm, Time: ends.Until(c.ctx)})
	if c.tried[Ends] = steps; found == nil {
		return
	}
	c.fault(found.State, found.Action, -1, "%s", found.Text(c.spec.Latents))
}

// startsTell looks for starts that tell of the latent what no likelihood says.
func (c *checker) startsTell() {
	if told := ends.FindStart(bcpace.AbilitiesOf(c.m).Ends(), c.opt.Draws, ends.Effort{FalseAlarm: endsPart * falseAlarm, Time: ends.Until(c.ctx)}); told != nil {
		c.fault(nil, -1, -1, "%s", told.Text(c.spec.Latents, c.spec.Axes[told.Axis].Name))
	}
}
