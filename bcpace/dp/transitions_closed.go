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

// at reports whether nothing follows the state under the latent.
func (x *idle) at(state, φ int) bool { return x.marks != nil && x.marks[state*x.latents+φ] }

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
	s := make([]float64, len(spec.Axes))
	fault := func(state, φ int) error {
		m.StateAt(s, state)
		return x.fault(spec, s, φ)
	}
	for r := range t.States * t.Actions {
		for e := t.row[r]; e < t.row[r+1]; e++ {
			if t.done[e] {
				continue
			}
			for φ, p := range t.Prob(e) {
				if p == 0 {
					continue
				}
				to, share, moves := t.Moves(r, φ)
				if !moves && x.at(int(t.next[e]), φ) {
					return fault(int(t.next[e]), φ)
				}
				for k, after := range to {
					if share[k] > 0 && x.at(int(t.next[e]), int(after)) {
						return fault(int(t.next[e]), int(after))
					}
				}
			}
		}
	}
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return err
	}
	for _, start := range starts {
		for φ, p := range start.Belief {
			if state := m.StateIndex(start.State); p > 0 && state >= 0 && x.at(state, φ) {
				return fault(state, φ)
			}
		}
	}
	return nil
}
