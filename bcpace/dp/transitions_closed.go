package dp

import "bayescpace/bcpace"

// idle marks the states, by latent, from which nothing follows: those that have ended,
// and those that cannot occur under the latent. An episode must not continue there.
type idle struct {
	latents int
	marks   []bool // states × latents; nil while there is none
	states  int
}

// mark notes the latents under which nothing follows the state, where what follows it under an
// action has these probabilities.
func (x *idle) mark(prob []float64, state int) {
	for φ := range x.latents {
		if follows(prob, x.latents, φ) {
			continue
		}
		if x.marks == nil {
			x.marks = make([]bool, x.states*x.latents)
		}
		x.marks[state*x.latents+φ] = true
	}
}

// follows reports whether any entry, n probabilities each, has one under a latent.
func follows(prob []float64, n, φ int) bool {
	for ; φ < len(prob); φ += n {
		if prob[φ] > 0 {
			return true
		}
	}
	return false
}

// fault is the error of an episode that continues where nothing follows.
func (x *idle) fault(spec bcpace.Spec, s []float64, φ int) error {
	return spec.Fault(s, -1, φ, "Successors lists nothing for some action, and an episode may be there: want successors whose probabilities sum to 1, or an end (Done) where the state is reached")
}

// closed returns a *ConformanceError where an episode begins or continues in a state
// from which nothing follows: values there would be made of nothing.
func (t *Transitions) closed(x *idle) error {
	if x.marks == nil {
		return nil
	}
	m := t.states.model
	spec := m.Spec()
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return err
	}
	reached := make([]bool, len(x.marks)) // by state and latent
	var open []int                        // those of which what follows is to be looked at
	reach := func(state, φ int) {
		if at := state*t.Latents + φ; !reached[at] {
			reached[at] = true
			open = append(open, at)
		}
	}
	for _, start := range starts {
		for φ, p := range start.Belief {
			if state := m.StateIndex(start.State); p > 0 && state >= 0 {
				reach(state, φ)
			}
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		state, φ := at/t.Latents, at%t.Latents
		if x.marks[at] {
			s := make([]float64, len(spec.Axes))
			m.StateAt(s, state)
			return x.fault(spec, s, φ)
		}
		for a := range t.Actions {
			r := state*t.Actions + a
			to, share, moves := t.Moves(r, φ)
			for e := t.row[r]; e < t.row[r+1]; e++ {
				if t.done[e] || t.Prob(e)[φ] == 0 {
					continue
				}
				if !moves {
					reach(int(t.next[e]), φ)
				}
				for k, after := range to {
					if share[k] > 0 {
						reach(int(t.next[e]), int(after))
					}
				}
			}
		}
	}
	return nil
}
