package bcpace

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/sparse"
)

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
