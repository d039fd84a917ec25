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
func (x *outcomeAsker) askAll(ctx context.Context, places []int32) {
	x.entries, x.follows, x.vectors, x.err = x.entries[:0], x.follows[:0], x.vectors[:0], nil
	for _, place := range places {
		if x.err = ctx.Err(); x.err != nil {
			return
		}
		x.places.At(x.state, int(place))
		if x.err = x.ask(); x.err != nil {
			return
		}
	}
}

// ask fetches the outcomes at x.state under all latents and actions.
func (x *outcomeAsker) ask() error {
	spec := &x.o.Spec
	given := append([]float64(nil), x.state...) // a slice of its own, as the user may keep it
	var list []Transition
	call := func() { list = x.o.Transitions(given, x.latent, x.action) }
	for x.action = range spec.Actions {
		x.answer.Reset(len(spec.Latents))
		for x.latent = range spec.Latents {
			copy(given, x.state)
			if p := panicOf(call); p != nil {
				cause, _ := p.(error)
				return &InputError{Where: spec.where(x.state, x.latent, x.action), What: "the result of Transitions", Got: fmt.Sprintf("a panic (%v)", p),
					Want: "transitions from every state that it leads to", Err: cause}
			}
			if !slices.Equal(given, x.state) {
				return x.bad("Transitions", "a function that writes to s", "one that makes states of its own")
			}
			if err := x.merge(list); err != nil {
				return err
			}
		}
		x.entries = append(x.entries, len(x.answer.Order))
		for _, y := range x.answer.Order {
			x.follows, x.vectors = append(x.follows, y.Place), append(x.vectors, x.answer.Vector(y)...)
		}
	}
	return nil
}

// merge adds the transitions under x.latent to x.answer.
func (x *outcomeAsker) merge(list []Transition) error {
	spec := &x.o.Spec
	total := 0.0
	for i := range list {
		t := &list[i]
		next, err := x.next(t)
		switch {
		case err != nil:
			return err
		case !(t.Prob >= 0 && t.Prob <= 1+simplexTolerance):
			return x.bad("the probability of "+t.name(), fmt.Sprint(t.Prob), "a number in [0, 1]")
		case t.Prob == 0:
			continue
		case !num.Finite(t.Reward):
			return x.bad("the reward for reaching "+t.name(), fmt.Sprint(t.Reward), "a finite number")
		case x.state != nil && (spec.RewardMin != 0 || spec.RewardMax != 0) && !spec.AllowsReward(t.Reward):
			return x.bad("the reward for reaching "+t.name(), fmt.Sprint(t.Reward),
				fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]; or leave both 0, and they are taken from the lists", spec.RewardMin, spec.RewardMax))
		}
		total += t.Prob
		y := x.answer.At(int32(next), t.Done)
		if y.Done != t.Done {
			return x.bad("Done of "+t.name(), fmt.Sprint(t.Done), "the same as elsewhere in the lists of this state and action: what ends an episode is seen, so that it cannot depend on the latent; or put the end on an axis of its own, the last one, which is 1 where the episode ends")
		}
		prob, reward := x.answer.Of(y)
		before := prob[x.latent]
		prob[x.latent] += t.Prob
		reward[x.latent] += (t.Reward - reward[x.latent]) * t.Prob / (before + t.Prob)
	}
	if !(math.Abs(total-1) <= simplexTolerance) {
		return x.bad("the sum of the probabilities", fmt.Sprint(total), "1")
	}
	return nil
}

// next returns the place of the next state.
func (x *outcomeAsker) next(t *Transition) (int, error) {
	axes := x.o.Spec.Axes
	switch {
	case t.To != "" && t.Next != nil:
		return 0, x.bad("To", t.name()+", and Next "+fmt.Sprint(t.Next), "one of the two")
	case t.To != "" && (len(axes) != 1 || axes[0].Labels == nil):
		return 0, x.bad("To", t.name(), "Next, as states have no labels: that takes one axis with Labels")
	case t.To != "":
		k := slices.Index(axes[0].Labels, t.To)
		if k < 0 {
			return 0, x.bad("To", t.name(), fmt.Sprintf("one of the labels %q", axes[0].Labels))
		}
		return k, nil
	case len(t.Next) != len(axes):
		return 0, x.bad("Next", fmt.Sprintf("%v, %d long", t.Next, len(t.Next)), fmt.Sprintf("%d numbers, one for each axis", len(axes)))
	}
	if off, want := x.o.Spec.OffAxes(t.Next); off != "" {
		return 0, x.bad("Next", t.name()+", a state "+off, want)
	}
	return x.places.Number(t.Next), nil
}

// bad makes the error for what was asked for.
func (x *outcomeAsker) bad(what, got, want string) error {
	spec := &x.o.Spec
	if x.state == nil {
		return In("outcomes of model "+strconv.Quote(spec.Name)).Bad(what+" in Starts", got, want)
	}
	return In(spec.where(x.state, x.latent, x.action)).Bad(what, got, want)
}
