package kept

import (
	"fmt"

	"bayescpace/bcpace/internal/num"
)

// Vectors are the data of a policy that takes, in each of numbered states, the action of the vector that is highest at the belief.
type Vectors struct {
	// Count is by state: how many vectors it has. Action has their actions one state after the other, and Entry their entries.
	Count  []int     `json:"count"`
	Action []int     `json:"action"`
	Entry  []float64 `json:"entry"`
}

// Add adds a vector to the last state.
func (v *Vectors) Add(action int, entries []float64) {
	v.Count[len(v.Count)-1]++
	v.Action, v.Entry = append(v.Action, action), append(v.Entry, entries...)
}

// Next begins the next state.
func (v *Vectors) Next() { v.Count = append(v.Count, 0) }

// Each gives the vectors to add, in their order. The error is an *bcpace.InputError for data that are none for so many states,
// latents and actions; more is how many states there may be besides.
func (v *Vectors) Each(states, more, latents, actions int, add func(state, action int, entries []float64)) error {
	if n := len(v.Count); n < states || n > states+more {
		return Bad("its vectors", fmt.Sprintf("for %d states", n), fmt.Sprintf("some for each of the %d states of the model", states))
	}
	total := 0
	for s, n := range v.Count {
		if n < 1 || n > len(v.Action) {
			return Bad(fmt.Sprintf("the number of vectors of state %d", s), n, "1 or more, as many as there are")
		}
		total += n
	}
	if total != len(v.Action) || total*latents != len(v.Entry) {
		return Bad("its vectors", fmt.Sprintf("%d, with %d actions and %d entries", total, len(v.Action), len(v.Entry)), fmt.Sprintf("an action and %d entries for each", latents))
	}
	for _, x := range v.Entry {
		if !num.Finite(x) {
			return Bad("an entry of a vector", x, "a finite number")
		}
	}
	k := 0
	for s, n := range v.Count {
		for range n {
			if a := v.Action[k]; a < 0 || a >= actions {
				return Bad(fmt.Sprintf("the action of vector %d", k), a, fmt.Sprintf("a number from 0 to %d", actions-1))
			}
			add(s, v.Action[k], v.Entry[k*latents:][:latents])
			k++
		}
	}
	return nil
}
