package bcpace

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/internal/sparse"
)

// Outcomes is a finite model, written as a list of what may follow each state, latent and
// action. FromOutcomes makes a Model of it. The latent is static.
type Outcomes struct {
	// Spec has axes that are Discrete or have Labels, with a million combinations of
	// values at most. If RewardMin and RewardMax are both 0, they are those of the lists.
	Spec   Spec
	Prior  Belief       // P0(φ); nil is uniform
	Starts []Transition // states and their probabilities; nil is the lowest value of every axis
	// Transitions returns what may follow s, each with its probability; a state that
	// stands there twice has the sum of them and the mean of the rewards. It must be a
	// function of its arguments. It is called once for each state that can be reached, latent
	// and action: by FromOutcomes from one goroutine, and by Outcomes.Model from several.
	Transitions func(s []float64, latent, action int) []Transition
}

// Transition is what may happen at a step.
type Transition struct {
	Next   []float64 // the next state, or nil where To says it
	To     string    // its label, in a model with one axis, which has Labels
	Prob   float64   // from 0 to 1
	Reward float64
	Done   bool // the episode ends; the same for all latents
}

// name names the next state.
func (t *Transition) name() string {
	if t.To != "" {
		return strconv.Quote(t.To)
	}
	return fmt.Sprint(t.Next)
}

// FromOutcomes makes a Finite model of o. Its states are those that can be reached from the start, in
// the order of the values on the axes, of which the last one changes fastest. The error is an
// *InputError, which names the state, latent and action where a list cannot be used, as where
// probabilities do not sum to 1 or the end depends on the latent; or an *UnsupportedError for lists of
// more than 4 GB, in which what occurs many times is kept once. Outcomes.Model lists a large model
// faster.
func FromOutcomes(o Outcomes) (Finite, error) {
	return o.Model(context.Background(), Control{Workers: 1})
}

// Model is FromOutcomes for a large model: c.Workers goroutines call Transitions side by side, so that
// it must be safe for concurrent use. The phase of c.Progress is "outcomes".
func (o Outcomes) Model(ctx context.Context, c Control) (Finite, error) {
	in := In("outcomes of model " + strconv.Quote(o.Spec.Name))
	if err := cmp.Or(c.Check(), o.Spec.Validate()); err != nil {
		return nil, err
	}
	prior := append(Belief(nil), o.Prior...)
	if o.Prior == nil {
		prior = Uniform(len(o.Spec.Latents))
	}
	places, n := numbered(o.Spec.Axes)
	if err := cmp.Or(
		in.Need(o.Transitions != nil, "Transitions", "nil", "a function"),
		in.Need(len(prior) == len(o.Spec.Latents) && prior.Validate() == nil, "Prior", []float64(prior), "a probability for each latent, with sum 1"),
		in.Need(!o.Spec.HasBox(), "Spec.Actions", "with a Box", "a list of actions, as what follows each of them is listed; FromFuncs and FromGaussian take boxes"),
		in.Need(n != 0, "Spec.Axes", combinations(o.Spec.Axes), "axes that are Discrete or have Labels, with a million combinations of values at most")); err != nil {
		return nil, err
	}
	l := &outcomeLister{o: &o, places: places, reached: make([]bool, n), asked: slices.Repeat([]int32{-1}, n),
		rows: sparse.NewRows(), vectors: sparse.NewVectors(2*len(o.Spec.Latents) + 1), least: math.Inf(1), most: math.Inf(-1)}
	if err := l.list(ctx, c); err != nil {
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

// outcomeLister lists the outcomes of all states that can be reached. A place is the number of a
// combination of values.
type outcomeLister struct {
	o      *Outcomes
	places sparse.Places

	reached []bool  // by place: an episode gets there
	asked   []int32 // by place: its number in queue, −1 where every episode that gets there ends
	queue   []int32 // the places that are not the end, in the order in which they were reached

	row     []int32 // by asked·actions + action: its row
	rows    *sparse.SuccessorRows
	vectors *sparse.VectorTable // of an entry, see listedModel

	starts    []int32 // places, in ascending order
	startProb []float64

	least, most float64 // rewards
}

// list fills l from the start states on. What follows a block of states is asked side by side, and
// then listed in the order of the queue, so that the number of goroutines changes nothing.
func (l *outcomeLister) list(ctx context.Context, c Control) error {
	if err := l.start(); err != nil {
		return err
	}
	const chunk = 16 // states that one goroutine asks for in turn
	workers := c.Processors()
	askers := make([]outcomeAsker, 4*workers)
	for i := range askers {
		askers[i] = outcomeAsker{o: l.o, places: l.places, state: make([]float64, len(l.places.Sizes))}
	}
	for first := 0; first < len(l.queue); {
		block := l.queue[first:min(first+chunk*len(askers), len(l.queue))]
		if err := l.fits(); err != nil {
			return err
		}
		if c.Progress != nil && first > 0 {
			c.Progress(Progress{Phase: "outcomes", Share: float64(first) / float64(len(l.asked))})
		}
		chunks := (len(block) + chunk - 1) / chunk
		side.Each(workers, chunks, func(_, i int) {
			askers[i].askAll(ctx, block[i*chunk:min((i+1)*chunk, len(block))])
		})
		for i := range chunks {
			if err := askers[i].err; err != nil {
				return err
			}
			l.add(&askers[i])
		}
		first += len(block)
	}
	if spec := &l.o.Spec; spec.RewardMin == 0 && spec.RewardMax == 0 {
		spec.RewardMin, spec.RewardMax = l.least, l.most
	}
	return nil
}

// mostListed is the largest size of the lists of a model in bytes.
const mostListed = 4e9

// fits returns an *UnsupportedError for lists that are too large.
func (l *outcomeLister) fits() error {
	bytes := l.rows.Bytes() + l.vectors.Bytes() + 4*len(l.queue)*len(l.o.Spec.Actions)
	if bytes <= mostListed {
		return nil
	}
	return &UnsupportedError{Model: l.o.Spec.Name, Algorithm: "FromOutcomes",
		Need: fmt.Sprintf("lists of %.3g GB at most, and those of the first %d of %d states or more × %d actions × %d latents take %.3g GB: merge states, latents or outcomes that are alike, or take FromFuncs, which lists nothing",
			mostListed/1e9, len(l.row)/len(l.o.Spec.Actions), len(l.queue), len(l.o.Spec.Actions), len(l.o.Spec.Latents), float64(bytes)/1e9)}
}

// start lists the start states.
func (l *outcomeLister) start() error {
	spec := &l.o.Spec
	starts := l.o.Starts
	if starts == nil {
		starts = []Transition{{Next: slices.Clone(l.places.First), Prob: 1}}
	}
	for i, t := range starts {
		if t.Done || t.Reward != 0 {
			return In("outcomes of model "+strconv.Quote(spec.Name)).Bad(fmt.Sprintf("Starts[%d]", i), fmt.Sprintf("%+v", t), "a state and its Prob alone")
		}
	}
	x := outcomeAsker{o: l.o, places: l.places}
	x.answer.Reset(1)
	if err := x.merge(starts); err != nil {
		return err
	}
	for _, y := range x.answer.Order {
		prob, _ := x.answer.Of(y)
		l.starts, l.startProb = append(l.starts, y.Place), append(l.startProb, prob[0])
		l.reach(y.Place, false)
	}
	return nil
}

// reach notes a place where an outcome leads, and whether the episode is done there.
func (l *outcomeLister) reach(place int32, done bool) {
	l.reached[place] = true
	if !done && l.asked[place] < 0 {
		l.asked[place] = int32(len(l.queue))
		l.queue = append(l.queue, place)
	}
}

// add lists the answers that x has.
func (l *outcomeLister) add(x *outcomeAsker) {
	latents := len(l.o.Spec.Latents)
	size, e := 2*latents+1, 0
	for _, n := range x.entries {
		for range n {
			v := x.vectors[e*size : (e+1)*size]
			for φ, p := range v[:latents] {
				if p > 0 {
					l.least, l.most = min(l.least, v[latents+φ]), max(l.most, v[latents+φ])
				}
			}
			l.reach(x.follows[e], v[2*latents] != 0)
			l.rows.Add(x.follows[e], l.vectors.Number(v))
			e++
		}
		l.row = append(l.row, l.rows.EndRow())
	}
}

// model returns the model of what was listed.
func (l *outcomeLister) model(prior Belief) *listedModel {
	spec := l.o.Spec
	actions, latents := len(spec.Actions), len(spec.Latents)
	m := &listedModel{spec: spec, prior: prior, places: l.places, numberAt: make([]int32, len(l.reached)), startProb: l.startProb, rows: l.rows, vectors: l.vectors}
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
	m.startSums = sparse.Sums(m.startProb, 1)
	stay := make([]float64, 2*latents+1) // where nothing follows: stay, for a reward that nobody earns
	for φ := range latents {
		stay[φ], stay[latents+φ] = 1, min(max(0, spec.RewardMin), spec.RewardMax)
	}
	m.row = make([]int32, 0, len(m.placeOf)*actions)
	for _, place := range m.placeOf {
		if asked := int(l.asked[place]); asked >= 0 {
			m.row = append(m.row, l.row[asked*actions:(asked+1)*actions]...)
			continue
		}
		m.rows.Add(place, m.vectors.Number(stay))
		end := m.rows.EndRow()
		for range actions {
			m.row = append(m.row, end)
		}
	}
	m.rows.Renumber(m.numberAt)
	m.seal()
	return m
}

// outcomeAsker asks for the transitions of some states and merges them. It is for one goroutine.
type outcomeAsker struct {
	o      *Outcomes
	places sparse.Places

	// What is asked for; state is nil for the starts.
	state          []float64
	latent, action int
	answer         sparse.Merged

	// What was answered, of one state and action after the other.
	entries []int     // of each
	follows []int32   // by entry: the place that follows
	vectors []float64 // by entry: its vector, see listedModel
	err     error     // what ended the asking before all was answered
}

// askAll fetches the outcomes of places.
func (a *outcomeAsker) askAll(ctx context.Context, places []int32) {
	a.entries, a.follows, a.vectors, a.err = a.entries[:0], a.follows[:0], a.vectors[:0], nil
	for _, place := range places {
		if a.err = ctx.Err(); a.err != nil {
			return
		}
		a.places.At(a.state, int(place))
		if a.err = a.ask(); a.err != nil {
			return
		}
	}
}

// ask fetches the outcomes at x.state under all latents and actions.
func (a *outcomeAsker) ask() error {
	spec := &a.o.Spec
	given := append([]float64(nil), a.state...) // a slice of its own, as the user may keep it
	var list []Transition
	call := func() { list = a.o.Transitions(given, a.latent, a.action) }
	for a.action = range spec.Actions {
		a.answer.Reset(len(spec.Latents))
		for a.latent = range spec.Latents {
			copy(given, a.state)
			if p := panicOf(call); p != nil {
				cause, _ := p.(error)
				return &InputError{Where: spec.where(a.state, a.latent, a.action), What: "the result of Transitions", Got: fmt.Sprintf("a panic (%v)", p),
					Want: "transitions from every state that it leads to", Err: cause}
			}
			if !slices.Equal(given, a.state) {
				return a.bad("Transitions", "a function that writes to s", "one that makes states of its own")
			}
			if err := a.merge(list); err != nil {
				return err
			}
		}
		a.entries = append(a.entries, len(a.answer.Order))
		for _, y := range a.answer.Order {
			a.follows, a.vectors = append(a.follows, y.Place), append(a.vectors, a.answer.Vector(y)...)
		}
	}
	return nil
}

// merge adds the transitions under x.latent to x.answer.
func (a *outcomeAsker) merge(list []Transition) error {
	spec := &a.o.Spec
	total := 0.0
	for i := range list {
		t := &list[i]
		next, err := a.next(t)
		switch {
		case err != nil:
			return err
		case !(t.Prob >= 0 && t.Prob <= 1+simplexTolerance):
			return a.bad("the probability of "+t.name(), fmt.Sprint(t.Prob), "a number in [0, 1]")
		case t.Prob == 0:
			continue
		case !num.Finite(t.Reward):
			return a.bad("the reward for reaching "+t.name(), fmt.Sprint(t.Reward), "a finite number")
		case a.state != nil && (spec.RewardMin != 0 || spec.RewardMax != 0) && !spec.AllowsReward(t.Reward):
			return a.bad("the reward for reaching "+t.name(), fmt.Sprint(t.Reward),
				fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]; or leave both 0, and they are taken from the lists", spec.RewardMin, spec.RewardMax))
		}
		total += t.Prob
		y := a.answer.At(int32(next), t.Done)
		if y.Done != t.Done {
			return a.bad("Done of "+t.name(), fmt.Sprint(t.Done), "the same as elsewhere in the lists of this state and action: what ends an episode is seen, so that it cannot depend on the latent; or put the end on an axis of its own, the last one, which is 1 where the episode ends")
		}
		prob, reward := a.answer.Of(y)
		before := prob[a.latent]
		prob[a.latent] += t.Prob
		reward[a.latent] += (t.Reward - reward[a.latent]) * t.Prob / (before + t.Prob)
	}
	if !(math.Abs(total-1) <= simplexTolerance) {
		return a.bad("the sum of the probabilities", fmt.Sprint(total), "1")
	}
	return nil
}

// next returns the place of the next state.
func (a *outcomeAsker) next(t *Transition) (int, error) {
	axes := a.o.Spec.Axes
	switch {
	case t.To != "" && t.Next != nil:
		return 0, a.bad("To", t.name()+", and Next "+fmt.Sprint(t.Next), "one of the two")
	case t.To != "" && (len(axes) != 1 || axes[0].Labels == nil):
		return 0, a.bad("To", t.name(), "Next, as states have no labels: that takes one axis with Labels")
	case t.To != "":
		k := slices.Index(axes[0].Labels, t.To)
		if k < 0 {
			return 0, a.bad("To", t.name(), fmt.Sprintf("one of the labels %q", axes[0].Labels))
		}
		return k, nil
	case len(t.Next) != len(axes):
		return 0, a.bad("Next", fmt.Sprintf("%v, %d long", t.Next, len(t.Next)), fmt.Sprintf("%d numbers, one for each axis", len(axes)))
	}
	if off, want := a.o.Spec.OffAxes(t.Next); off != "" {
		return 0, a.bad("Next", t.name()+", a state "+off, want)
	}
	return a.places.Number(t.Next), nil
}

// bad makes the error for what was asked for.
func (a *outcomeAsker) bad(what, got, want string) error {
	spec := &a.o.Spec
	if a.state == nil {
		return In("outcomes of model "+strconv.Quote(spec.Name)).Bad(what+" in Starts", got, want)
	}
	return In(spec.where(a.state, a.latent, a.action)).Bad(what, got, want)
}
