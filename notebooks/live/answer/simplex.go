package answer

import (
	"cmp"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// SimplexQuestion asks what may be seen from a belief over three latents, and what to do.
// It names one of the two models.
type SimplexQuestion struct {
	Boxes *Boxes
	Chain *SlipChain
	// Belief has a probability for each latent.
	Belief [3]float64
}

// Boxes are three boxes, one of which holds a prize. Asking costs 1 reward unit and names a
// box; opening one ends the episode, for 10 where the prize is and a cost elsewhere.
type Boxes struct {
	// Accuracy is the probability from 0.5 to 0.98 that the right box is named; each other
	// one is as likely as the other.
	Accuracy float64
	// Cost is that of opening a wrong box, from 0 to 30 in reward units.
	Cost float64
	// Discount is γ, from 0.5 to 0.95.
	Discount float64
}

// SlipChain is envs.Chain with five states, where the latent is the probability of slipping.
type SlipChain struct {
	// State is where the agent is, from 1 to 5.
	State int
	// Spread is how far apart the three probabilities are, from 0.2 to 0.45: they are
	// ½ − Spread, ½ and ½ + Spread.
	Spread float64
	// Discount is γ, from 0.5 to 0.95.
	Discount float64
}

// SimplexAnswer has the greedy action of every belief, and all that may follow one.
type SimplexAnswer struct {
	Latents, Actions []string
	// Grid are beliefs spread evenly over the simplex, and Action the policy's action there.
	Grid   [][3]float64
	Action []int
	// Lower and Upper bracket the optimal value at the belief of the question, in reward
	// units. The policy, whose action there is Best, earns the lower bound.
	Lower, Upper float64
	Best         int
	// Limited says that the search ended at its limit, so that the bounds may be further
	// apart than elsewhere.
	Limited bool
	// Follows says what may follow each action at that belief.
	Follows []Successor
}

// Successor is what may follow an action.
type Successor struct {
	// Value is what the action earns if the policy goes on after it, in reward units.
	Value    float64
	Outcomes []Observable
}

// Observable is something that may be seen.
type Observable struct {
	Name string
	// Likelihood is its probability given each latent, and Prob that under the belief.
	Likelihood [3]float64
	Prob       float64
	// Belief is the belief after it, by Bayes' rule.
	Belief [3]float64
	// State is the state after it.
	State int
	// Ends says that the episode ends.
	Ends bool
}

const (
	simplexGrid    = 48 // parts of a side of the simplex, for the actions
	simplexStarts  = 6  // and for the starts of the search
	simplexEpsilon = 0.05
)

// Simplex answers what may be seen from a belief over three latents, and what to do.
func Simplex(q SimplexQuestion) (*SimplexAnswer, error) {
	m, state, err := q.model()
	if err != nil {
		return nil, err
	}
	if err := bcpace.Belief(q.Belief[:]).Validate(); err != nil {
		return nil, err
	}
	spec := m.Spec()
	a := &SimplexAnswer{Latents: spec.Latents, Actions: actionNames(spec)}
	start := bcpace.StartPoint{State: state, Belief: q.Belief[:]}
	run, err := searchSimplex(m, start)
	if err != nil {
		return nil, err
	}
	a.Grid = triangle(simplexGrid)
	for _, b := range a.Grid {
		_, action := run.At(state, b[:])
		a.Action = append(a.Action, action)
	}
	a.Limited = limited(run)
	a.Lower, a.Upper = bounds(run, start)
	_, a.Best = run.At(state, q.Belief[:])
	l := bcpace.NewLister(m)
	for action := range spec.Actions {
		if err := l.List(state, action); err != nil {
			return nil, err
		}
		f := Successor{Value: l.Backup(q.Belief[:], func(s []float64, b bcpace.Belief) float64 {
			lower, _ := bounds(run, bcpace.StartPoint{State: s, Belief: b})
			return lower
		})}
		for i, done := range l.Successors.Done {
			next, likelihood, _ := l.Successors.Row(i)
			o := Observable{Name: q.name(int(next[0])), Likelihood: [3]float64(likelihood), State: int(next[0]), Ends: done}
			o.Prob = l.Update(o.Belief[:], q.Belief[:], i)
			f.Outcomes = append(f.Outcomes, o)
		}
		a.Follows = append(a.Follows, f)
	}
	return a, nil
}

// searchSimplex searches from a belief and from others over the whole simplex.
func searchSimplex(m bcpace.Finite, start bcpace.StartPoint) (*runs.Run, error) {
	starts := []bcpace.StartPoint{start}
	for _, b := range triangle(simplexStarts) {
		starts = append(starts, bcpace.StartPoint{State: start.State, Belief: b[:]})
	}
	return search(m, certified.Solver{Epsilon: simplexEpsilon, Starts: starts})
}

// triangle returns beliefs over three latents whose probabilities are multiples of 1/n.
func triangle(n int) (beliefs [][3]float64) {
	for i := range n + 1 {
		for j := range n + 1 - i {
			beliefs = append(beliefs, [3]float64{float64(n-i-j) / float64(n), float64(j) / float64(n), float64(i) / float64(n)})
		}
	}
	return beliefs
}

// model returns the model of a question and its state.
func (q *SimplexQuestion) model() (m bcpace.Finite, state []float64, err error) {
	switch {
	case (q.Boxes == nil) == (q.Chain == nil):
		return nil, nil, bad("the model", fmt.Sprintf("Boxes %v, Chain %v", q.Boxes, q.Chain), "one of the two")
	case q.Boxes != nil:
		m, err = q.Boxes.model()
		return m, []float64{0}, err
	}
	c := q.Chain
	if err := cmp.Or(within("State", float64(c.State), 1, 5), within("Spread", c.Spread, 0.2, 0.45), within("Discount", c.Discount, 0.5, 0.95)); err != nil {
		return nil, nil, err
	}
	// Rounded, as the names of the latents show them.
	low, high := math.Round((0.5-c.Spread)*1e6)/1e6, math.Round((0.5+c.Spread)*1e6)/1e6
	return envs.Chain{Slips: []float64{low, 0.5, high}, Discount: c.Discount}, []float64{float64(c.State)}, nil
}

// name says what is seen where a state follows.
func (q *SimplexQuestion) name(state int) string {
	switch {
	case q.Chain != nil:
		return fmt.Sprintf("state %d", state)
	case state == 0:
		return "the end"
	}
	return fmt.Sprintf("“box %d”", state)
}

// model returns the boxes as a model. Its state is the box that was named last, or 0.
func (b *Boxes) model() (bcpace.Finite, error) {
	if err := cmp.Or(within("Accuracy", b.Accuracy, 0.5, 0.98), within("Cost", b.Cost, 0, 30), within("Discount", b.Discount, 0.5, 0.95)); err != nil {
		return nil, err
	}
	return bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{
			Name:     "boxes",
			Axes:     []bcpace.Axis{{Name: "named", Max: 3, Discrete: true}},
			Actions:  bcpace.Actions("ask", "open 1", "open 2", "open 3"),
			Latents:  []string{"prize in 1", "prize in 2", "prize in 3"},
			Discount: b.Discount, RewardMin: min(-b.Cost, -1), RewardMax: 10,
		},
		Transitions: func(_ []float64, latent, action int) (list []bcpace.Transition) {
			if action > 0 {
				reward := -b.Cost
				if action-1 == latent {
					reward = 10
				}
				return []bcpace.Transition{{Next: []float64{0}, Prob: 1, Reward: reward, Done: true}}
			}
			for box := range 3 {
				p := (1 - b.Accuracy) / 2
				if box == latent {
					p = b.Accuracy
				}
				list = append(list, bcpace.Transition{Next: []float64{float64(box + 1)}, Prob: p, Reward: -1})
			}
			return list
		},
	})
}
