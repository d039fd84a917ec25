package pomdp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/envs"
)

// hide returns m as a POMDP without visible variables, whose observations tell
// x and o.
func hide(m *pomdp.Model) *pomdp.Model {
	no := len(m.Observations)
	h := &pomdp.Model{Name: m.Name, Discount: m.Discount, Hidden: append(append([]pomdp.Variable(nil), m.Visible...), m.Hidden...),
		Actions: m.Actions, Start: m.Start, Move: m.Move, Reward: m.Reward}
	for x := range m.NumVisible() {
		for o := range no {
			h.Observations = append(h.Observations, string(rune('A'+x))+string(rune('a'+o)))
		}
	}
	for _, sense := range m.Sense {
		s := &pomdp.Matrix{Row: sense.Row, Value: sense.Value, Col: make([]int32, len(sense.Col))}
		for i := range m.NumStates() {
			for k := sense.Row[i]; k < sense.Row[i+1]; k++ {
				s.Col[k] = int32(i/m.NumHidden()*no) + sense.Col[k]
			}
		}
		h.Sense = append(h.Sense, s)
	}
	return h
}

// TestReveal: what was hidden is found again, and the value stays.
func TestReveal(t *testing.T) {
	for _, m := range []bcpace.Finite{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{}} {
		p, err := pomdp.FromBAMDP(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := pomdp.Reveal(t.Context(), hide(p))
		if err != nil {
			t.Fatal(err)
		}
		if back.NumHidden() != p.NumHidden() || len(back.Observations) != 1 || back.NumVisible() > p.NumVisible() {
			t.Errorf("%s: %d visible, %d hidden, %d observations", p.Name, back.NumVisible(), back.NumHidden(), len(back.Observations))
		}
		names := map[string]bool{"none": true}
		for s := range p.NumStates() {
			names[hide(p).StateName(s)] = true
		}
		for s := range back.NumStates() {
			if name := back.StateName(s); !names[name] {
				t.Errorf("%s: state %d has the name %s, which is none of the states that were hidden", p.Name, s, name)
			}
		}
		b, err := pomdp.AsBAMDP(t.Context(), back)
		if err != nil {
			t.Fatal(err)
		}
		want := optimal(t, m, 0)
		if got := optimal(t, b, 0); math.Abs(got.Value-want.Value) > got.Error+want.Error+1e-9 {
			t.Errorf("%s: %v, want %v", p.Name, got.Value, want.Value)
		}
	}
}

// TestRevealRandom: by expectimax, the value of a random model stays.
func TestRevealRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomPOMDP(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), rapid.Bool().Draw(t, "still"))
		if rapid.Bool().Draw(t, "hide") {
			m = hide(m)
		}
		r, err := pomdp.Reveal(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		if got, want := search(r, 3), search(m, 3); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
