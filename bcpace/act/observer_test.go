package act_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/act"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// drawnPOMDP draws a model of 2 × 3 visible values, 3 hidden ones, 2 actions and some observations, dense but for zeros that are drawn too.
func drawnPOMDP(rng *rand.Rand, observations int) *pomdp.Model {
	distribution := func(n int) []pomdp.Entry {
		var row []pomdp.Entry
		sum := 0.0
		for k := range n {
			if p := rng.Float64(); p > 0.5 || k == n-1 && sum == 0 {
				row, sum = append(row, pomdp.Entry{At: int32(k), Value: p}), sum+p
			}
		}
		for i := range row {
			row[i].Value /= sum
		}
		return row
	}
	matrix := func(rows, columns int) *pomdp.Matrix {
		m := &pomdp.Matrix{Row: []int{0}}
		for range rows {
			for _, e := range distribution(columns) {
				m.Col, m.Value = append(m.Col, e.At), append(m.Value, e.Value)
			}
			m.Row = append(m.Row, len(m.Col))
		}
		return m
	}
	names := []string{"ash", "beech", "cedar", "dogwood", "elm"}
	m := &pomdp.Model{Name: "drawn", Discount: 0.9, Actions: names[:2], Observations: names[:observations],
		Visible: []pomdp.Variable{{Name: "row", Values: names[:2]}, {Name: "column", Values: names[:3]}}, Hidden: []pomdp.Variable{{Name: "h", Values: names[:3]}}}
	m.Start = distribution(m.NumStates())
	for range m.Actions {
		reward := make([]float64, m.NumStates())
		for s := range reward {
			reward[s] = rng.Float64()
		}
		m.Move, m.Sense, m.Reward = append(m.Move, matrix(m.NumStates(), m.NumStates())), append(m.Sense, matrix(m.NumStates(), observations)), append(m.Reward, reward)
	}
	return m
}

// episode is a history with the probability of each path of states that leads to it, found by listing all of them.
type episode struct {
	m     *pomdp.Model
	paths map[int]float64 // by state: of all paths that end there
}

func (e *episode) step(action, x, observation int) {
	after := map[int]float64{}
	for s, p := range e.paths {
		for next := x * e.m.NumHidden(); next < (x+1)*e.m.NumHidden(); next++ {
			after[next] += p * pomdptest.At(e.m.Move[action], s, next) * pomdptest.At(e.m.Sense[action], next, observation)
		}
	}
	e.paths = after
}

func (e *episode) belief() []float64 {
	b, sum := make([]float64, e.m.NumHidden()), 0.0
	for s, p := range e.paths {
		b[s%len(b)] += p
		sum += p
	}
	for y := range b {
		b[y] /= sum
	}
	return b
}

// TestObserver: an observer has the belief that all paths to what was seen give, and does what the policy does at that belief, with the steps
// left where the policy is for a horizon.
func TestObserver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		observations := rapid.IntRange(1, 4).Draw(t, "observations")
		m, of := drawnPOMDP(rng, observations), (*pomdp.Model)(nil)
		steps := rapid.IntRange(0, 5).Draw(t, "steps")
		revealed := rapid.Bool().Draw(t, "revealed")
		if of = m; revealed { // an observation tells a part of the hidden value
			tells := &pomdp.Matrix{Row: []int{0}}
			for s := range m.NumStates() {
				tells.Row, tells.Col, tells.Value = append(tells.Row, s+1), append(tells.Col, int32(s%m.NumHidden()*observations/m.NumHidden())), append(tells.Value, 1)
			}
			m.Sense = []*pomdp.Matrix{tells, tells}
			of = nothing(pomdp.Reveal(t.Context(), m))
		}
		if steps > 0 {
			of = nothing(pomdp.FiniteHorizon(of, steps))
		}
		var asked int // the visible state that the policy was asked for
		var believed []float64
		o := nothing(act.NewObserver(t.Context(), m, of, pomdp.PolicyFunc(func(x int, b []float64) int {
			asked, believed = x, append([]float64(nil), b...)
			if len(b) > 1 && b[0] > b[1] {
				return 1
			}
			return 0
		})))
		s := int(m.Start[rng.IntN(len(m.Start))].At)
		x := s / m.NumHidden()
		e := &episode{m, map[int]float64{}}
		for _, entry := range m.Start {
			if int(entry.At)/m.NumHidden() == x {
				e.paths[int(entry.At)] += entry.Value
			}
		}
		choice, err := o.Begin(t.Context(), floats(x/3, x%3))
		for step := 0; step < 5; step++ {
			wantAsked := x
			if steps > 0 {
				wantAsked = x*(steps+1) + steps - step
			}
			want, action := e.belief(), 0
			for a := range m.Actions { // what it is worth tells that the belief is of the states of the policy's model
				pays, paid := 0.0, 0.0
				for y, p := range want {
					pays += p * m.Reward[a][x*len(want)+y]
				}
				for y, p := range believed {
					paid += p * of.Reward[a][asked*len(believed)+y]
				}
				if math.Abs(pays-paid) > 1e-9 {
					t.Fatalf("step %d: action %d pays %v, and %v where the policy is asked", step, a, pays, paid)
				}
			}
			for y := range want {
				if err != nil || math.Abs(choice.Belief[y]-want[y]) > 1e-12 || !revealed && (choice.Belief[y] != believed[y] || asked != wantAsked) || choice.Surprised {
					t.Fatalf("step %d: %+v, %v, asked at %d: want belief %v at %d", step, choice, err, asked, want, wantAsked)
				}
			}
			if len(believed) > 1 && believed[0] > believed[1] {
				action = 1
			}
			if choice.Action != action || choice.ID != action || choice.Name != m.Actions[action] {
				t.Fatalf("step %d: %+v, want action %d", step, choice, action)
			}
			action = rng.IntN(2) // another one may be taken
			s = drawn(rng, m.Move[action], s)
			observation := drawn(rng, m.Sense[action], s)
			x = s / m.NumHidden()
			e.step(action, x, observation)
			choice, err = o.Observe(t.Context(), action, 0, floats(x/3, x%3, observation)[:len(o.Hello().Next)])
			if steps > 0 && step == steps-1 {
				want := e.belief()
				if err != nil || !choice.Over || choice.Action != -1 || choice.ID != -1 || !slices.EqualFunc(choice.Belief, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
					t.Fatalf("after %d steps of %d: %+v, %v, want the end and belief %v", step+1, steps, choice, err, want)
				}
				if _, err = o.Observe(t.Context(), action, 0, floats(x/3, x%3, observation)[:len(o.Hello().Next)]); !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), "the episode is over") {
					t.Fatalf("after the end: %v", err)
				}
				return
			}
		}
	})
}

// drawn draws a column of a row.
func drawn(rng *rand.Rand, m *pomdp.Matrix, row int) int {
	col, value := m.At(row)
	u := rng.Float64()
	for k, p := range value {
		if u -= p; u < 0 {
			return int(col[k])
		}
	}
	return int(col[len(col)-1])
}

// twoRooms is a POMDP without visible variables: a lamp tells the room with probability 0.8.
func twoRooms() *pomdp.Model {
	stay := &pomdp.Matrix{Row: []int{0, 1, 2}, Col: []int32{0, 1}, Value: []float64{1, 1}}
	lamp := &pomdp.Matrix{Row: []int{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Value: []float64{0.8, 0.2, 0.2, 0.8}}
	dark := &pomdp.Matrix{Row: []int{0, 1, 2}, Col: []int32{0, 0}, Value: []float64{1, 1}}
	return &pomdp.Model{Name: "rooms", Discount: 0.9, Hidden: []pomdp.Variable{{Name: "room", Values: []string{"hall", "attic"}}}, Actions: []string{"look", "wait"},
		Observations: []string{"dim", "bright"}, Start: []pomdp.Entry{{At: 0, Value: 0.5}, {At: 1, Value: 0.5}},
		Move: []*pomdp.Matrix{stay, stay}, Sense: []*pomdp.Matrix{lamp, dark}, Reward: [][]float64{{0, 0}, {1, 2}}}
}

// TestObserverServe: lists hold what hello says that they do, observations are named or numbered, and a line that cannot be used changes nothing.
func TestObserverServe(t *testing.T) {
	p := &pomdp.VectorPolicy{Vectors: [][]pomdp.Vector{{{Action: 0, Value: []float64{0, 0}}, {Action: 1, Value: []float64{-5, 1}}}}}
	m := twoRooms()
	o := nothing(act.NewObserver(t.Context(), m, m, p))
	lines := [][2]string{
		{`{"ask": "hello"}`, `{"takes":"observations","state":[],"next":[{"name":"observation","values":["dim","bright"],"min":0,"max":1}],"actions":["look","wait"],"latents":["hall","attic"]}`},
		{`{"reward": 0, "next": ["dim"]}`, `the episode is not begun`},
		{`{"state": [0]}`, `state is a list of 1, want an empty list, as nothing is seen there`},
		{`{"state": []}`, `{"action":0,"name":"look","belief":[0.5,0.5]}`},
		{`{"reward": 0, "next": ["bright"]}`, `{"action":0,"name":"look","belief":[0.2`},
		{`{"reward": 0, "next": ["dark"]}`, `next[0] is \"dark\", want a number or a label`},
		{`{"reward": 0, "next": [2]}`, `next[0] is 2, want the name or the number of a value of \"observation\"`},
		{`{"reward": 0, "next": [0.5]}`, `next[0] is 0.5`},
		{`{"reward": 0, "next": []}`, `next is a list of 0, want a value for each of [\"observation\"]`},
		{`{"reward": 0, "next": [0, 1]}`, `next is a list of 2`},
		{`{"reward": 0, "next": [1], "action": "dance"}`, `action is \"dance\", want the name or the number of one of [\"look\" \"wait\"]`},
		{`{"reward": 0, "next": [1], "action": 2}`, `action is 2, want`},
		{`{"ask": "name"}`, `ask is`},
		{`{"ask": "hello", "state": []}`, `ask is`},
		{`{"reward": 0, "next": [1], "action": "look"}`, `{"action":1,"name":"wait","belief":[0.0588`}, // 1/17
		{`{"reward": 0, "next": [0]}`, `{"action":1,"name":"wait","belief":[0.0588`},                   // waiting tells nothing
		{`{"reward": 0, "next": ["bright"]}`, `"belief":[0.5,0.5],"surprised":true}`},                  // it is dim wherever one waits
	}
	var in, out bytes.Buffer
	for _, l := range lines {
		in.WriteString(l[0] + "\n")
	}
	if err := o.Serve(t.Context(), &in, &out); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if !strings.Contains(line, lines[i][1]) || !json.Valid([]byte(line)) {
			t.Errorf("%s answers %s, want %s", lines[i][0], line, lines[i][1])
		}
	}
}

// TestHello: an agent says which states it takes, and takes those.
func TestHello(t *testing.T) {
	m := nothing(pomdp.AsBAMDP(t.Context(), twoRooms()))
	agent := nothing(act.New(m, bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 1 }), 0))
	h := agent.Hello()
	if h.Takes != "states" || len(h.State) != 1 || h.State[0].Name != "observation" || strings.Join(h.State[0].Values, ",") != "nothing yet,dim,bright" || *h.State[0].Max != 2 ||
		strings.Join(h.Actions, ",") != "look,wait" || strings.Join(h.Latents, ",") != "hall,attic" {
		t.Errorf("%+v", h)
	}
	if _, err := agent.Begin(t.Context(), []float64{*h.State[0].Min}); err != nil {
		t.Error(err)
	}
}

// TestObserverRefuses: a policy for other tables, and one that has no vector where the episode comes to, are refused with what is wrong.
func TestObserverRefuses(t *testing.T) {
	m := drawnPOMDP(rand.New(rand.NewPCG(1, 0)), 2)
	first := int(m.Start[0].At) / 3
	p := &pomdp.VectorPolicy{Vectors: make([][]pomdp.Vector, m.NumVisible())}
	p.Vectors[first] = []pomdp.Vector{{Action: 1, Value: []float64{0, 0, 0}}}
	for what, err := range map[string]error{
		"no policy":    second(act.NewObserver(t.Context(), m, m, nil)),
		"no model":     second(act.NewObserver(t.Context(), m, nil, p)),
		"other tables": second(act.NewObserver(t.Context(), m, twoRooms(), p)),
	} {
		if !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", what, err)
		}
	}
	o := nothing(act.NewObserver(t.Context(), m, m, p))
	if c, err := o.Begin(t.Context(), floats(first/3, first%3)); err != nil || c.Action != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	other := (first + 1) % m.NumVisible()
	if _, err := o.Observe(t.Context(), 1, 0, floats(other/3, other%3, 0)); !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), "the policy has none for this visible state") {
		t.Errorf("where it has no vector: %v", err)
	}
	for what, err := range map[string]error{
		"not begun":      second(o.Observe(t.Context(), 0, 0, floats(0, 0, 0))),
		"no value":       second(o.Begin(t.Context(), floats(0))),
		"no such value":  second(o.Begin(t.Context(), floats(0, 3))),
		"a negative one": second(o.Begin(t.Context(), floats(-1, 0))),
	} {
		if !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", what, err)
		}
	}
}

func FuzzObserverServe(f *testing.F) {
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		m := twoRooms()
		p := pomdp.PolicyFunc(func(int, []float64) int { return 0 })
		if err := nothing(act.NewObserver(t.Context(), m, m, p)).Serve(t.Context(), strings.NewReader(in), &out); err != nil {
			return // a line that is too long
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q answers %q", in, line)
			}
		}
	})
}

// floats returns numbers of values as requests have them.
func floats(values ...int) []float64 {
	x := make([]float64, len(values))
	for i, v := range values {
		x[i] = float64(v)
	}
	return x
}
