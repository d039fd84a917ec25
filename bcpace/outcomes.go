package bcpace

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/num"
)

// Outcomes is a finite model, written as a list of what may follow each state, latent and
// action. FromOutcomes makes a Model of it. The latent is static.
type Outcomes struct {
	// Spec has axes that are Discrete or have Labels, with a million combinations of
	// values at most. If RewardMin and RewardMax are both 0, they are the least and the
	// largest reward of the lists.
	Spec Spec
	// Prior is P0(φ). If it is nil, it is uniform.
	Prior Belief
	// Starts are the start states and their probabilities. If it is nil, episodes start
	// at the lowest value of every axis.
	Starts []Transition
	// Transitions returns what may follow s, each with its probability; a state that
	// stands there twice has the sum of them and the mean of the rewards. It must be a
	// function of its arguments. FromOutcomes calls it once for each state that can be
	// reached, latent and action, from one goroutine.
	Transitions func(s []float64, latent, action int) []Transition
}

// Transition is one of the things that may happen at a step: a next state with its
// probability, and what comes with it.
type Transition struct {
	// Next is the next state, or nil where To says it.
	Next []float64
	// To is the label of the next state, in a model with one axis, which has Labels.
	To string
	// Prob is the probability, from 0 to 1.
	Prob float64
	// Reward is the reward for this transition.
	Reward float64
	// Done says that the episode ends. It must not depend on the latent.
	Done bool
}

// name names the next state.
func (t *Transition) name() string {
	if t.To != "" {
		return strconv.Quote(t.To)
	}
	return fmt.Sprint(t.Next)
}

// FromOutcomes makes a Finite model of o. Its states are those that can be reached from
// the start; their numbers follow the values on the axes, of which the last one changes
// fastest. Step, LogLikelihood and Successors come from the same lists, so that they agree.
//
// The error is an *InputError: for a Spec or Prior that cannot be used, and with the state,
// latent and action where probabilities do not sum to 1, a next state is off the axes, a
// reward is outside of [RewardMin, RewardMax], or the end depends on the latent.
func FromOutcomes(o Outcomes) (Finite, error) {
	bad := In("outcomes of model " + strconv.Quote(o.Spec.Name)).Bad
	if err := o.Spec.Validate(); err != nil {
		return nil, err
	}
	if o.Transitions == nil {
		return nil, bad("Transitions", "nil", "a function")
	}
	prior := append(Belief(nil), o.Prior...)
	if o.Prior == nil {
		prior = Uniform(len(o.Spec.Latents))
	}
	if len(prior) != len(o.Spec.Latents) || prior.Validate() != nil {
		return nil, bad("Prior", []float64(prior), "a probability for each latent, with sum 1")
	}
	if o.Spec.HasBox() {
		return nil, bad("Spec.Actions", "with a Box", "a list of actions, as what follows each of them is listed; FromFuncs and FromGaussian take boxes")
	}
	sizes, n := numbered(o.Spec.Axes)
	if n == 0 {
		return nil, bad("Spec.Axes", combinations(o.Spec.Axes), "axes that are Discrete or have Labels, with a million combinations of values at most")
	}
	l := newOutcomeLister(&o, valueGrid{o.Spec.Axes, sizes}, n)
	if err := l.list(); err != nil {
		return nil, err
	}
	m := l.model(prior)
	if err := Validate(m); err != nil {
		return nil, err
	}
	return m, nil
}

// combinations says why states have no numbers: which axis has none, or how many
// combinations of values there are.
func combinations(axes []Axis) string {
	n := 1.0
	for _, a := range axes {
		if !a.Discrete && a.Labels == nil {
			return "a list with axis " + strconv.Quote(a.Name) + ", which is continuous"
		}
		n *= max(math.Floor(a.Max)-math.Ceil(a.Min)+1, 0)
	}
	return fmt.Sprintf("a list of axes with %.3g combinations of values", n)
}

// outcomeLister asks for the transitions of all states that can be reached. A place is
// the number of a combination of values.
type outcomeLister struct {
	o      *Outcomes
	places valueGrid

	reached []bool  // by place: an episode gets there
	asked   []int32 // by place: its number in queue, −1 where every episode that gets there ends
	queue   []int32 // the places that are not the end, in the order in which they were reached

	// Row (place, action) = asked·actions + action has the outcomes of a place in queue, in
	// ascending order of their places, which differ.
	row    []int // rows+1: row r is place[row[r]:row[r+1]]
	place  []int32
	done   []bool
	prob   []float64 // outcomes × latents
	reward []float64 // outcomes × latents

	starts    []int32 // places, in ascending order
	startProb []float64

	least, most float64 // rewards

	// What is asked for; state is nil for the starts.
	state          []float64
	latent, action int
	answer         outcomeRow
}

// outcomeRow has the outcomes of a state and action, as merged from the transitions under
// one latent after the other.
type outcomeRow struct {
	order        []outcome // in ascending order of their places, which differ
	latents      int
	prob, reward []float64 // latents numbers for each outcome, at its slot
}

// outcome is a place that may follow.
type outcome struct {
	place, slot int32
	done        bool
}

// reset leaves x without outcomes.
func (x *outcomeRow) reset(latents int) {
	x.order, x.prob, x.reward, x.latents = x.order[:0], x.prob[:0], x.reward[:0], latents
}

// at returns the outcome at a place, which it adds if there is none.
func (x *outcomeRow) at(place int32, done bool) outcome {
	i, found := slices.BinarySearchFunc(x.order, place, func(y outcome, place int32) int { return int(y.place - place) })
	if !found {
		x.order = slices.Insert(x.order, i, outcome{place, int32(len(x.order)), done})
		for range x.latents {
			x.prob, x.reward = append(x.prob, 0), append(x.reward, 0)
		}
	}
	return x.order[i]
}

// of returns the probabilities and rewards of an outcome, by latent: views.
func (x *outcomeRow) of(y outcome) (prob, reward []float64) {
	from, to := int(y.slot)*x.latents, int(y.slot+1)*x.latents
	return x.prob[from:to], x.reward[from:to]
}

func newOutcomeLister(o *Outcomes, places valueGrid, n int) *outcomeLister {
	l := &outcomeLister{o: o, places: places, reached: make([]bool, n), asked: make([]int32, n), row: make([]int, 1), least: math.Inf(1), most: math.Inf(-1)}
	for place := range l.asked {
		l.asked[place] = -1
	}
	return l
}

// bad makes the error for what was asked for.
func (l *outcomeLister) bad(what, got, want string) error {
	spec := &l.o.Spec
	if l.state == nil {
		return In("outcomes of model "+strconv.Quote(spec.Name)).Bad(what+" in Starts", got, want)
	}
	return In(spec.where(l.state, l.latent, l.action)).Bad(what, got, want)
}

// list fills l from the start states on.
func (l *outcomeLister) list() error {
	spec := &l.o.Spec
	starts := l.o.Starts
	if starts == nil {
		lowest := make([]float64, len(spec.Axes))
		l.places.at(lowest, 0)
		starts = []Transition{{Next: lowest, Prob: 1}}
	}
	for i, t := range starts {
		if t.Done || t.Reward != 0 {
			return In("outcomes of model "+strconv.Quote(spec.Name)).Bad(fmt.Sprintf("Starts[%d]", i), fmt.Sprintf("%+v", t), "a state and its Prob alone")
		}
	}
	l.answer.reset(1)
	if err := l.merge(starts); err != nil {
		return err
	}
	for _, x := range l.answer.order {
		prob, _ := l.answer.of(x)
		l.starts, l.startProb = append(l.starts, x.place), append(l.startProb, prob[0])
		l.reach(x)
	}
	l.state = make([]float64, len(spec.Axes))
	for i := 0; i < len(l.queue); i++ {
		l.places.at(l.state, int(l.queue[i]))
		if err := l.ask(); err != nil {
			return err
		}
	}
	if spec.RewardMin == 0 && spec.RewardMax == 0 {
		spec.RewardMin, spec.RewardMax = l.least, l.most
	}
	return nil
}

// reach notes a place where an outcome leads.
func (l *outcomeLister) reach(x outcome) {
	l.reached[x.place] = true
	if !x.done && l.asked[x.place] < 0 {
		l.asked[x.place] = int32(len(l.queue))
		l.queue = append(l.queue, x.place)
	}
}

// ask fetches the outcomes at l.state under all latents and actions.
func (l *outcomeLister) ask() error {
	spec := &l.o.Spec
	given := append([]float64(nil), l.state...) // a slice of its own, as the user may keep it
	var list []Transition
	call := func() { list = l.o.Transitions(given, l.latent, l.action) }
	for l.action = range spec.Actions {
		l.answer.reset(len(spec.Latents))
		for l.latent = range spec.Latents {
			copy(given, l.state)
			if p := panicOf(call); p != nil {
				return l.bad("the result of Transitions", fmt.Sprintf("a panic (%v)", p), "transitions from every state that it leads to")
			}
			if !slices.Equal(given, l.state) {
				return l.bad("Transitions", "a function that writes to s", "one that makes states of its own")
			}
			if err := l.merge(list); err != nil {
				return err
			}
		}
		for _, x := range l.answer.order {
			prob, reward := l.answer.of(x)
			for φ, p := range prob {
				if p > 0 {
					l.least, l.most = min(l.least, reward[φ]), max(l.most, reward[φ])
				}
			}
			l.reach(x)
			l.place, l.done = append(l.place, x.place), append(l.done, x.done)
			l.prob, l.reward = append(l.prob, prob...), append(l.reward, reward...)
		}
		l.row = append(l.row, len(l.place))
	}
	return nil
}

// merge adds the transitions under l.latent to l.answer.
func (l *outcomeLister) merge(list []Transition) error {
	spec := &l.o.Spec
	total := 0.0
	for i := range list {
		t := &list[i]
		next, err := l.next(t)
		switch {
		case err != nil:
			return err
		case !(t.Prob >= 0 && t.Prob <= 1+simplexTolerance):
			return l.bad("the probability of "+t.name(), fmt.Sprint(t.Prob), "a number in [0, 1]")
		case t.Prob == 0:
			continue
		case !num.Finite(t.Reward):
			return l.bad("the reward for reaching "+t.name(), fmt.Sprint(t.Reward), "a finite number")
		case (spec.RewardMin != 0 || spec.RewardMax != 0) && !spec.AllowsReward(t.Reward):
			return l.bad("the reward for reaching "+t.name(), fmt.Sprint(t.Reward),
				fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]; or leave both 0, and they are taken from the lists", spec.RewardMin, spec.RewardMax))
		}
		total += t.Prob
		x := l.answer.at(int32(next), t.Done)
		if x.done != t.Done {
			return l.bad("Done of "+t.name(), fmt.Sprint(t.Done), "the same as elsewhere in the lists of this state and action: what ends an episode is seen, so that it cannot depend on the latent")
		}
		prob, reward := l.answer.of(x)
		before := prob[l.latent]
		prob[l.latent] += t.Prob
		reward[l.latent] += (t.Reward - reward[l.latent]) * t.Prob / (before + t.Prob)
	}
	if !(math.Abs(total-1) <= simplexTolerance) {
		return l.bad("the sum of the probabilities", fmt.Sprint(total), "1")
	}
	return nil
}

// next returns the place of the next state.
func (l *outcomeLister) next(t *Transition) (int, error) {
	axes := l.o.Spec.Axes
	switch {
	case t.To != "" && t.Next != nil:
		return 0, l.bad("To", t.name()+", and Next "+fmt.Sprint(t.Next), "one of the two")
	case t.To != "" && (len(axes) != 1 || axes[0].Labels == nil):
		return 0, l.bad("To", t.name(), "Next, as states have no labels: that takes one axis with Labels")
	case t.To != "":
		k := slices.Index(axes[0].Labels, t.To)
		if k < 0 {
			return 0, l.bad("To", t.name(), fmt.Sprintf("one of the labels %q", axes[0].Labels))
		}
		return k, nil
	case len(t.Next) != len(axes):
		return 0, l.bad("Next", fmt.Sprintf("%v, %d long", t.Next, len(t.Next)), fmt.Sprintf("%d numbers, one for each axis", len(axes)))
	}
	if off, want := l.o.Spec.OffAxes(t.Next); off != "" {
		return 0, l.bad("Next", t.name()+", a state "+off, want)
	}
	return l.places.number(t.Next), nil
}

// model returns the model of what was listed.
func (l *outcomeLister) model(prior Belief) *listedModel {
	spec := l.o.Spec
	actions, latents := len(spec.Actions), len(spec.Latents)
	m := &listedModel{spec: spec, prior: prior, places: l.places, numberAt: make([]int32, len(l.reached)), startProb: l.startProb}
	for place, reached := range l.reached {
		m.numberAt[place] = -1
		if reached {
			m.numberAt[place] = int32(len(m.placeOf))
			m.placeOf = append(m.placeOf, int32(place))
		}
	}
	for _, place := range l.starts {
		m.starts = append(m.starts, m.numberAt[place])
	}
	m.startCum = cumulate(nil, m.startProb, 1)
	entries := len(l.place) + (len(m.placeOf)-len(l.queue))*actions
	m.grow(len(m.placeOf)*actions, entries)
	certain, nothing := make([]float64, latents), make([]float64, latents)
	for φ := range certain {
		certain[φ], nothing[φ] = 1, min(max(0, spec.RewardMin), spec.RewardMax)
	}
	for number, place := range m.placeOf {
		asked := int(l.asked[place])
		for a := range actions {
			if asked >= 0 {
				r := asked*actions + a
				for e := l.row[r]; e < l.row[r+1]; e++ {
					m.add(m.numberAt[l.place[e]], l.done[e], l.prob[e*latents:(e+1)*latents], l.reward[e*latents:(e+1)*latents])
				}
			} else { // nothing follows: stay, for a reward that nobody earns
				m.add(int32(number), false, certain, nothing)
			}
			m.endRow()
		}
	}
	return m
}
