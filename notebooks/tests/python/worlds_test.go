//go:build unix

package python

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/process"
)

// optimum is the value of a model whose steps are certain, from a state and a belief with so many steps to go: all actions are
// tried, and what follows under each latent is put together by the state that an agent sees.
func optimum(t *testing.T, m *process.Model, s []float64, b bcpace.Belief, steps int) float64 {
	t.Helper()
	spec, best := m.Spec(), math.Inf(-1)
	if steps == 0 {
		return 0
	}
	for a := range spec.Actions {
		value, seen := 0.0, make(map[string]bool)
		for φ, p := range b {
			if p == 0 {
				continue
			}
			next, after := make([]float64, len(s)), make(bcpace.Belief, len(b))
			out := m.Step(next, s, φ, a, rand.New(rand.NewPCG(1, 1)))
			value += p * out.Reward
			if key := fmt.Sprint(next); out.Done || seen[key] {
				continue
			} else {
				seen[key] = true
			}
			if err := bcpace.NewBayes(m).Update(after, b, s, a, next); err != nil {
				t.Fatal(err)
			}
			share := 0.0 // of the latents that lead there
			for ψ, q := range b {
				if after[ψ] > 0 {
					share += q
				}
			}
			value += spec.Discount * share * optimum(t, m, next, after, steps-1)
		}
		best = max(best, value)
	}
	return best
}

// TestWorlds: the spaces of an environment become actions and states as they are, and beliefs learn from whether the episode goes on.
// The values are computed by hand.
func TestWorlds(t *testing.T) {
	path := python(t)
	for name, want := range map[string]float64{
		// One of the secrets first: with 1/3 it pays, and otherwise the number of what is right tells which of the two others it is.
		"dials": 1.0/3 + 2.0/3*0.5,
		// Either secret lamp first, and then the other one.
		"lamps": 0.5 + 0.5*0.5,
		// Left first: water, or three steps to the other side.
		"shore": 0.5*4 + 0.5*(-1-0.9-0.81+0.729*4),
	} {
		m := begin(t, path, "testdata/worlds.py", name)
		s := make([]float64, len(m.Spec().Axes))
		m.Start(s, 0, rand.New(rand.NewPCG(1, 1)))
		if got := optimum(t, m, s, bcpace.Uniform(len(m.Spec().Latents)), min(m.Spec().Horizon, 5)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is worth %v, want %v", name, got, want)
		}
		if notes, err := m.Check(nil); err != nil || len(notes) > 0 {
			t.Errorf("%s: notes %q, %v", name, notes, err)
		}
	}
}

// TestEnds: that an episode goes on tells of the latent, where the class says how likely it is, and where the package finds it out.
func TestEnds(t *testing.T) {
	path := python(t)
	for name, heavy := range map[string]float64{"told": 1.0 / 3, "sure": 0} {
		m := begin(t, path, "testdata/worlds.py", name)
		if axes := m.Spec().Axes; len(axes) != 2 || axes[1].Name != "ended" || !axes[1].Discrete {
			t.Fatalf("%s: axes %+v", name, axes)
		}
		b := bcpace.Uniform(2)
		if err := bcpace.NewBayes(m).Update(b, b, []float64{0, 0}, 0, []float64{1, 0}); err != nil || math.Abs(b[1]-heavy) > 1e-12 {
			t.Errorf("%s: after a walk the walker is heavy with %v, %v, want %v", name, b[1], err, heavy)
		}
		b = bcpace.Uniform(2)
		if err := bcpace.NewBayes(m).Update(b, b, []float64{0, 0}, 0, []float64{1, 1}); err != nil || b[1] != 1 {
			t.Errorf("%s: after a fall the walker is heavy with %v, %v, want 1", name, b[1], err)
		}
		if err := check.Model(m, check.Options{Transitions: 8, Draws: 200, Episodes: 3, Steps: 4}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := check.Model(begin(t, path, "testdata/worlds.py", "silent"), check.Options{Transitions: 8, Draws: 200, Episodes: 3, Steps: 4})
	if want := "give the model a method end_probability(state, action, after, latent)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestPrecision: an agent beside an environment whose start has 32 bits and whose steps have 64 learns the latent, and so does one that
// sees 32 bits of every state.
func TestPrecision(t *testing.T) {
	m := begin(t, python(t), "testdata/worlds.py", "puck")
	for _, single := range []bool{false, true} {
		for φ, mass := range []float64{1, 2} {
			b, bayes := bcpace.Uniform(2), bcpace.NewBayes(m)
			x, v := float64(float32(0.1)), float64(float32(0.7))
			seen := func() []float64 {
				if single {
					return []float64{float64(float32(x)), float64(float32(v))}
				}
				return []float64{x, v}
			}
			for step := range 6 {
				before := seen()
				v += []float64{-0.3, 0.3}[step%2] / mass
				x, v = 0.9*x+0.1*v, 0.9*v
				if err := bayes.Update(b, b, before, step%2, seen()); err != nil || b[φ] != 1 {
					t.Fatalf("32 bits %t: after %d steps with a mass of %v: %v, %v", single, step+1, mass, b, err)
				}
			}
		}
	}
}

// TestNotes: what an environment remembers and loses where its state is set is noted, a state that does not come back as it was set is a
// fault, and latents that move in the same way are noted.
func TestNotes(t *testing.T) {
	path := python(t)
	notes, err := begin(t, path, "testdata/worlds.py", "sticky").Check([]string{"one before"})
	if err != nil || len(notes) != 2 || !strings.Contains(notes[1], "it has a memory that the state does not hold") {
		t.Errorf("notes %q, %v", notes, err)
	}
	if _, err := begin(t, path, "testdata/worlds.py", "rounds").Check(nil); err == nil || !strings.Contains(err.Error(), "set_state was given") {
		t.Errorf("%v, want what set_state was given and what came back", err)
	}
	r, err := check.Examine(begin(t, path, "testdata/worlds.py", "same"), check.Options{Transitions: 8, Draws: 100, Episodes: 3, Steps: 10})
	if err != nil || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], `"heavy", "same" apart`) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestSentences: whatever a model says or returns in a wrong form, the error names it and says what would be right.
func TestSentences(t *testing.T) {
	cmd := exec.Command(python(t), "testdata/sentences.py")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	got := make(map[string]any)
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"class": "serve was given the class Walk, want a model of it: serve(Walk())", "axes": "the attribute axes is {'name': 'x'}, want a list of dicts", "axis": "the attribute axes has 'x'",
		"bound": "the axis 'x' has a max of '9', want a finite number", "endless": "the axis 'x' has a max of inf", "actions": "the attribute actions is 'go', want a list of names",
		"action": "the attribute actions has 2, want names", "latents": "the attribute latents is {'dry': 0, 'wet': 1}, want a list of names", "latent": "the attribute latents has 0.5, want names",
		"prior": "the attribute prior is 'even', want a list of 2 probabilities", "discount": "the attribute discount is '0.9', want a number", "horizon": "the attribute horizon is 2.5, want a whole number",
		"goal": "the attribute goal is 'yes', want True or False", "ended": "the attribute ended is 'no', want True or False", "takes": "the method step takes (state, action), want step(self, state, latent, action, rng)",
		"no start": "start returned the state 5, want 1 number in a list", "a word": "start returned the state '0', want 1 number", "start of two": "start returned the state (0, 1), want 1 number",
		"entry": "start returned a state with the entry None, want a number", "two": "step returned ([1], 0), want three things", "four": "step returned ([1], 0, False, {}), want three things",
		"nothing": "step returned None, want three things", "dict": "step returned the state {0: 1}, want 1 number in a list", "scalar": "step returned the state 1.0, want 1 number in a list",
		"reward": "step returned the reward None, want a number", "reward text": "step returned the reward '1', want a number", "end": "step returned 'False' for the end of the episode, want True or False",
		"masked": "step returned the reward masked, want a number", "masked entry": "a state with the entry masked, want a number", "masked end": "step returned masked for the end of the episode, want True or False",
		"time":   "step returned the reward time, want a number",
		"no end": "step returned None for the end of the episode, want True or False", "log": "log_likelihood returned None, want the logarithm of a probability", "log text": "log_likelihood returned '-1', want",
		"log complex": "log_likelihood returned 1j, want", "chance": "end_probability returned 1.5, want a probability",
		"gym actions": "the action_space is Maze, whose actions are not listed: give actions, a dict", "gym axes": "the observation_space is Maze, which has no axes: give axes",
		"gym bounds": "the observation_space is Maze, which has no bounds for x0: give axes", "gym endless": "the action_space is Maze, which has no bounds for x0: give actions, a dict",
		"gym four controls": "of 4 numbers, and an action has three at most: give actions, a dict", "gym many": "has 512 joint actions, and 256 are listed at most: give actions, a dict",
		"gym wide": "which has 1099511627776 actions, and 65536 are listed at most", "gym names": "which has 6 actions, and actions has 2 names: give a name for each", "gym controls": "want a list of one dict with name and box", "gym no state": "no attribute state: give get_state and set_state",
		"gym strange state": "env.unwrapped.state is {'x': 1}, want numbers: give get_state and set_state", "gym long state": "env.unwrapped.state is [1, [2, 3]], 3 numbers, and the axes of the model are 1 (x0)",
		"gym latents": "latents is [1, 2], want a dict of the name of each latent",
	} {
		if text, ok := got[name].(string); !ok || !strings.Contains(text, want) {
			t.Errorf("%s: %v, want %s", name, got[name], want)
		}
	}
	for name, want := range map[string][]any{"gym given": {"up", "down"}, "gym joint": {"action 0,7", "action 0,8", "action 1,7", "action 1,8"}} {
		if list, ok := got[name].([]any); !ok || !slices.Equal(list, want) {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	if text, want := fmt.Sprint(got["fine"]), "map[id:3 log:[[<nil> <nil>]]]"; !strings.Contains(text, want) {
		t.Errorf("what is right: %s, want %s", text, want)
	}
}
