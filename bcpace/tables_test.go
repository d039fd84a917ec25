package bcpace_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

// A machine that may be sound or worn: running it earns 1 while it holds and
// wears it out sooner if worn; a repair costs 2.
func ExampleTables() {
	run := func(fails float64) [][]float64 { return [][]float64{{1 - fails, fails}, {0, 1}} }
	repair := [][]float64{{1, 0}, {1, 0}}
	rewards := [][]float64{{1, 0}, {-2, -2}} // [action][state]
	machine, err := bcpace.FromTables(bcpace.Tables{
		States:   []string{"running", "broken"},
		Actions:  []string{"run", "repair"},
		Latents:  []string{"sound", "worn"},
		Discount: 0.9,
		Prior:    []float64{0.8, 0.2},
		P:        [][][][]float64{{run(0.05), repair}, {run(0.4), repair}},
		R:        [][][]float64{rewards, rewards},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(check.Model(machine, check.Options{}))
	// Output: <nil>
}

// tabulated writes a Finite model out as tables.
func tabulated(m bcpace.Finite, ends func(s []float64) bool) bcpace.Tables {
	spec := m.Spec()
	n := m.NumStates()
	t := bcpace.Tables{Latents: spec.Latents, Discount: spec.Discount, Ends: make([]bool, n), Start: make([]float64, n)}
	for _, a := range spec.Actions {
		t.Actions = append(t.Actions, a.Name)
	}
	t.Prior = make([]float64, len(spec.Latents))
	m.Prior(t.Prior)
	s := make([]float64, len(spec.Axes))
	var z bcpace.Successors
	z.Reset(len(spec.Axes), len(spec.Latents))
	m.Starts(&z)
	for i := range z.Len() {
		x, p, _ := z.Row(i)
		t.Start[m.StateIndex(x)] = p[0]
	}
	for l := range spec.Latents {
		t.P = append(t.P, nil)
		t.RNext = append(t.RNext, nil)
		for a := range spec.Actions {
			t.P[l] = append(t.P[l], nil)
			t.RNext[l] = append(t.RNext[l], nil)
			for k := range n {
				m.StateAt(s, k)
				t.Ends[k] = ends(s)
				z.Reset(len(spec.Axes), len(spec.Latents))
				m.Successors(&z, s, a)
				p, r := make([]float64, n), make([]float64, n)
				for i := range z.Len() {
					x, prob, reward := z.Row(i)
					p[m.StateIndex(x)], r[m.StateIndex(x)] = prob[l], reward[l]
				}
				if t.Ends[k] {
					p, r = nil, nil
				}
				t.P[l][a] = append(t.P[l][a], p)
				t.RNext[l][a] = append(t.RNext[l][a], r)
			}
		}
	}
	return t
}

// TestFromTablesSame writes environments out as tables, and expects the model
// made of them to be the same one and to conform.
func TestFromTablesSame(t *testing.T) {
	for name, x := range map[string]struct {
		m    bcpace.Finite
		ends func(s []float64) bool
	}{
		"chain": {envs.Chain{Slips: []float64{0, 0.3, 1}}, func([]float64) bool { return false }},
		"dark":  {envs.LightDarkTiger{Width: 4, Height: 3}, func(s []float64) bool { return s[0] == 3 && s[1] != 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			tables := tabulated(x.m, x.ends)
			m, err := bcpace.FromTables(tables)
			if err != nil {
				t.Fatal(err)
			}
			envtest.Run(t, m)
			// The model must have copied its tables.
			clear(tables.P[0][0][0])
			tables.Prior[0] = 7
			spec := x.m.Spec()
			if got := m.Spec(); got.RewardMin != spec.RewardMin || got.RewardMax != spec.RewardMax {
				t.Errorf("rewards in [%v, %v], want [%v, %v]", got.RewardMin, got.RewardMax, spec.RewardMin, spec.RewardMax)
			}
			s := make([]float64, len(spec.Axes))
			for k := range x.m.NumStates() {
				x.m.StateAt(s, k)
				for a := range spec.Actions {
					if !x.ends(s) && !slices.Equal(rows(x.m, s, a), rows(m, []float64{float64(k)}, a)) {
						t.Errorf("state %v action %d: successors differ:\n%v\n%v", s, a, rows(x.m, s, a), rows(m, []float64{float64(k)}, a))
					}
				}
			}
		})
	}
}

// rows lists the successors by number, in ascending order.
func rows(m bcpace.Finite, s []float64, action int) []string {
	var z bcpace.Successors
	z.Reset(len(m.Spec().Axes), len(m.Spec().Latents))
	m.Successors(&z, s, action)
	var list []string
	for i := range z.Len() {
		next, p, r := z.Row(i)
		for l := range r {
			if p[l] == 0 {
				r[l] = 0
			}
		}
		list = append(list, fmt.Sprint(m.StateIndex(next), p, r, z.Done[i]))
	}
	slices.Sort(list)
	return list
}

func TestFromTablesErrors(t *testing.T) {
	sound := func() bcpace.Tables {
		row := func(p float64) []float64 { return []float64{p, 1 - p} }
		return bcpace.Tables{
			States: []string{"up", "down"}, Actions: []string{"stay", "go"}, Latents: []string{"calm", "windy"}, Discount: 0.9,
			P: [][][][]float64{{{row(1), row(0)}, {row(0.5), row(0.5)}}, {{row(0.9), row(0.1)}, {row(0.2), row(0.8)}}},
			R: [][][]float64{{{1, 0}, {0, 0}}, {{1, 0}, {0, 0}}},
		}
	}
	if _, err := bcpace.FromTables(sound()); err != nil {
		t.Fatal(err)
	}
	for words, spoil := range map[string]func(*bcpace.Tables){
		`P is empty, want a table`:                                   func(t *bcpace.Tables) { t.P = nil },
		`R is missing`:                                               func(t *bcpace.Tables) { t.R = nil },
		`RNext is given as well as R`:                                func(t *bcpace.Tables) { t.RNext = t.P },
		`a table of 2 states, want one of 3`:                         func(t *bcpace.Tables) { t.States = []string{"up", "down", "out"} },
		`actions is "go" twice`:                                      func(t *bcpace.Tables) { t.Actions = []string{"go", "go"} },
		`Prior is 1 long, want 2`:                                    func(t *bcpace.Tables) { t.Prior = []float64{1} },
		`Prior is [0.5 0.4], want prob`:                              func(t *bcpace.Tables) { t.Prior = []float64{0.5, 0.4} },
		`Start is [0.5 0.4], want prob`:                              func(t *bcpace.Tables) { t.Start = []float64{0.5, 0.4} },
		`Start is in state "up", which ends`:                         func(t *bcpace.Tables) { t.Ends = []bool{true, false} },
		`Ends is 1 long, want 2, one for each state`:                 func(t *bcpace.Tables) { t.Ends = []bool{true} },
		`Spec.Discount is 0`:                                         func(t *bcpace.Tables) { t.Discount = 0 },
		`P of latent "windy" is 1 long, want 2, one for each action`: func(t *bcpace.Tables) { t.P[1] = t.P[1][:1] },
		`P of latent "windy", action "go" is 1 long`:                 func(t *bcpace.Tables) { t.P[1][1] = t.P[1][1][:1] },
		`the reward table of latent "windy", action "go" is 1 long`:  func(t *bcpace.Tables) { t.R[1][1] = t.R[1][1][:1] },
		`at state [1], action "go", latent "windy": in state "down", the row of P sums to 0.9, want 1`: func(t *bcpace.Tables) {
			t.P[1][1][1] = []float64{0.5, 0.4}
		},
		`at state [1], action "go", latent "windy": in state "down", the probability of "up" is -0.1`: func(t *bcpace.Tables) {
			t.P[1][1][1] = []float64{-0.1, 1.1}
		},
		`at state [1], action "go", latent "windy": in state "down", the row of P is 1 long`: func(t *bcpace.Tables) {
			t.P[1][1][1] = []float64{1}
		},
		`at state [1], action "go", latent "windy": in state "down", the reward is NaN`: func(t *bcpace.Tables) {
			t.R[1][1][1] = math.NaN()
		},
		`at state [1], action "go", latent "windy": in state "down", the reward for reaching "up" is +Inf`: func(t *bcpace.Tables) {
			flat := [][]float64{{0, 0}, {0, 0}}
			t.R, t.RNext = nil, [][][][]float64{{flat, flat}, {flat, {{0, 0}, {math.Inf(1), 0}}}}
		},
	} {
		tables := sound()
		spoil(&tables)
		_, err := bcpace.FromTables(tables)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v\nwant it to say %q", err, words)
		}
		var input *bcpace.InputError
		var fault *bcpace.ConformanceError
		if err != nil && !errors.As(err, &input) && !errors.As(err, &fault) {
			t.Errorf("%v: is neither an *InputError nor a *ConformanceError", err)
		}
	}
}

// TestFromTablesUnnamed takes names from the numbers.
func TestFromTablesUnnamed(t *testing.T) {
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.5, P: [][][][]float64{{{{1}}}}, R: [][][]float64{{{3}}}})
	if err != nil {
		t.Fatal(err)
	}
	envtest.Run(t, m)
	if s := m.Spec(); s.Actions[0].Name != "0" || s.RewardMax != 3 {
		t.Errorf("%+v", s)
	}
}
