package bcpace

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
	// reached, latent and action.
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
		return quote(t.To)
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
	bad := func(what, got, want string) error {
		return &InputError{Where: "outcomes of model " + quote(o.Spec.Name), What: what, Got: got, Want: want}
	}
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
		return nil, bad("Prior", fmt.Sprint([]float64(prior)), "a probability for each latent, with sum 1")
	}
	sizes, n := numbered(o.Spec.Axes)
	if n == 0 {
		return nil, bad("Spec.Axes", combinations(o.Spec.Axes), "axes that are Discrete or have Labels, with a million combinations of values at most")
	}
	l := &outcomeLister{o: &o, places: valueGrid{o.Spec.Axes, sizes}, listed: make(map[int]*stateOutcomes)}
	if err := l.list(); err != nil {
		return nil, err
	}
	m := l.model(prior, n)
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
			return "a list with axis " + quote(a.Name) + ", which is continuous"
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
	starts []outcome
	listed map[int]*stateOutcomes // by place
	queue  []int                  // places in the order in which they were reached

	least, most float64 // rewards
}

// outcome is a place that may follow, by latent.
type outcome struct {
	place        int
	done         bool
	prob, reward []float64
}

// stateOutcomes has the outcomes of a state by action, each place once and in ascending
// order; none where every episode that gets there ends.
type stateOutcomes struct {
	byAction [][]outcome
	goesOn   bool
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
	bad := func(what, got, want string) error {
		return &InputError{Where: "outcomes of model " + quote(spec.Name), What: what, Got: got, Want: want}
	}
	for i, t := range starts {
		if t.Done || t.Reward != 0 {
			return bad(fmt.Sprintf("Starts[%d]", i), fmt.Sprintf("%+v", t), "a state and its Prob alone")
		}
	}
	var err error
	if l.starts, err = l.merge(nil, starts, 0, 1, func(what, got, want string) error { return bad(what+" in Starts", got, want) }); err != nil {
		return err
	}
	l.least, l.most = math.Inf(1), math.Inf(-1)
	for _, s := range l.starts {
		l.reach(s)
	}
	for i := 0; i < len(l.queue); i++ {
		if err := l.ask(l.queue[i]); err != nil {
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
	at := l.listed[x.place]
	if at == nil {
		at = &stateOutcomes{}
		l.listed[x.place] = at
	}
	if !x.done && !at.goesOn {
		at.goesOn = true
		l.queue = append(l.queue, x.place)
	}
}

// ask fetches the outcomes at a place under all latents and actions.
func (l *outcomeLister) ask(place int) error {
	spec := &l.o.Spec
	s, given := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	l.places.at(s, place)
	at := l.listed[place]
	for a := range spec.Actions {
		var row []outcome
		for φ := range spec.Latents {
			bad := func(what, got, want string) error {
				return &InputError{Where: spec.where(s, φ, a), What: what, Got: got, Want: want}
			}
			copy(given, s)
			var list []Transition
			if p := panicOf(func() { list = l.o.Transitions(given, φ, a) }); p != nil {
				return bad("the result of Transitions", fmt.Sprintf("a panic (%v)", p), "transitions from every state that it leads to")
			}
			if !slices.Equal(given, s) {
				return bad("Transitions", "a function that writes to s", "one that makes states of its own")
			}
			var err error
			if row, err = l.merge(row, list, φ, len(spec.Latents), bad); err != nil {
				return err
			}
		}
		for _, x := range row {
			for φ, p := range x.prob {
				if p > 0 {
					l.least, l.most = min(l.least, x.reward[φ]), max(l.most, x.reward[φ])
				}
			}
			l.reach(x)
		}
		at.byAction = append(at.byAction, row)
	}
	return nil
}

// merge adds the transitions under a latent to row.
func (l *outcomeLister) merge(row []outcome, list []Transition, latent, latents int, bad func(what, got, want string) error) ([]outcome, error) {
	spec := &l.o.Spec
	total := 0.0
	for _, t := range list {
		next, err := l.next(t, bad)
		switch {
		case err != nil:
			return nil, err
		case !(t.Prob >= 0 && t.Prob <= 1+simplexTolerance):
			return nil, bad("the probability of "+t.name(), fmt.Sprint(t.Prob), "a number in [0, 1]")
		case t.Prob == 0:
			continue
		case !finite(t.Reward):
			return nil, bad("the reward for reaching "+t.name(), fmt.Sprint(t.Reward), "a finite number")
		case (spec.RewardMin != 0 || spec.RewardMax != 0) && !spec.AllowsReward(t.Reward):
			return nil, bad("the reward for reaching "+t.name(), fmt.Sprint(t.Reward),
				fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]; or leave both 0, and they are taken from the lists", spec.RewardMin, spec.RewardMax))
		}
		total += t.Prob
		i, found := slices.BinarySearchFunc(row, next, func(x outcome, place int) int { return x.place - place })
		if !found {
			row = slices.Insert(row, i, outcome{place: next, done: t.Done, prob: make([]float64, latents), reward: make([]float64, latents)})
		}
		x := &row[i]
		if x.done != t.Done {
			return nil, bad("Done of "+t.name(), fmt.Sprint(t.Done), "the same as elsewhere in the lists of this state and action: what ends an episode is seen, so that it cannot depend on the latent")
		}
		before := x.prob[latent]
		x.prob[latent] += t.Prob
		x.reward[latent] += (t.Reward - x.reward[latent]) * t.Prob / (before + t.Prob)
	}
	if !(math.Abs(total-1) <= simplexTolerance) {
		return nil, bad("the sum of the probabilities", fmt.Sprint(total), "1")
	}
	return row, nil
}

// next returns the place of the next state.
func (l *outcomeLister) next(t Transition, bad func(what, got, want string) error) (int, error) {
	axes := l.o.Spec.Axes
	switch {
	case t.To != "" && t.Next != nil:
		return 0, bad("To", t.name()+", and Next "+fmt.Sprint(t.Next), "one of the two")
	case t.To != "" && (len(axes) != 1 || axes[0].Labels == nil):
		return 0, bad("To", t.name(), "Next, as states have no labels: that takes one axis with Labels")
	case t.To != "":
		k := slices.Index(axes[0].Labels, t.To)
		if k < 0 {
			return 0, bad("To", t.name(), fmt.Sprintf("one of the labels %q", axes[0].Labels))
		}
		return k, nil
	case len(t.Next) != len(axes):
		return 0, bad("Next", fmt.Sprintf("%v, %d long", t.Next, len(t.Next)), fmt.Sprintf("%d numbers, one for each axis", len(axes)))
	}
	if off, want, _ := strings.Cut(l.o.Spec.OffAxes(t.Next), ", want "); off != "" {
		return 0, bad("Next", t.name()+", a state "+off, want)
	}
	return l.places.number(t.Next), nil
}

// model returns the model of what was listed.
func (l *outcomeLister) model(prior Belief, places int) *listedModel {
	spec := l.o.Spec
	m := &listedModel{spec: spec, prior: prior, places: l.places, numberAt: make([]int32, places)}
	for place := range m.numberAt {
		m.numberAt[place] = -1
		if l.listed[place] != nil {
			m.numberAt[place] = int32(len(m.placeOf))
			m.placeOf = append(m.placeOf, int32(place))
		}
	}
	for _, x := range l.starts {
		m.starts = append(m.starts, m.numberAt[x.place])
		m.startProb = append(m.startProb, x.prob[0])
	}
	m.startCum = cumulate(nil, m.startProb, 1)
	m.row = make([]int, 1, len(m.placeOf)*len(spec.Actions)+1)
	certain := make([]float64, len(spec.Latents))
	nothing := make([]float64, len(spec.Latents))
	for φ := range certain {
		certain[φ], nothing[φ] = 1, min(max(0, spec.RewardMin), spec.RewardMax)
	}
	for number, place := range m.placeOf {
		at := l.listed[int(place)]
		for a := range spec.Actions {
			if at.goesOn {
				for _, x := range at.byAction[a] {
					m.add(m.numberAt[x.place], x.done, x.prob, x.reward)
				}
			} else { // nothing follows: stay, for a reward that nobody earns
				m.add(int32(number), false, certain, nothing)
			}
			m.endRow()
		}
	}
	return m
}
