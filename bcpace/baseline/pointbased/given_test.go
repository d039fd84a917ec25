package pointbased

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// randomController returns a controller of m of some nodes at each x, which says what follows whatever is seen.
func randomController(rng *rand.Rand, m *pomdp.Model) *pomdp.Controller {
	c, each := &pomdp.Controller{}, 1+rng.IntN(3)
	for i := range each * m.NumVisible() {
		n := pomdp.Node{Visible: i / each, Action: rng.IntN(len(m.Actions)), Next: map[pomdp.Sight][]pomdp.Entry{}}
		for x := range m.NumVisible() {
			for o := range m.Observations {
				var to []pomdp.Entry
				for k, p := range pomdptest.Row(rng, each, 1) {
					if p > 0 {
						to = append(to, pomdp.Entry{At: int32(x*each + k), Value: p})
					}
				}
				n.Next[pomdp.Sight{Visible: int32(x), Observation: int32(o)}] = to
			}
		}
		c.Nodes = append(c.Nodes, n)
	}
	return c
}

// equations returns what a controller earns from each node at each y, by linear equations; nil where they have no solution.
func equations(m *pomdp.Model, c *pomdp.Controller) []float64 {
	ny, ends := m.NumHidden(), m.Ends()
	size := len(c.Nodes) * ny
	a, b := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
	for i := range size {
		n := c.Nodes[i/ny]
		s := n.Visible*ny + i%ny
		a.Set(i, i, 1)
		if ends[s] {
			continue
		}
		b.SetVec(i, m.Reward[n.Action][s])
		for to := range m.NumStates() {
			for o := range m.Observations {
				p := m.Discount * pomdptest.At(m.Move[n.Action], s, to) * pomdptest.At(m.Sense[n.Action], to, o)
				for _, e := range n.Next[pomdp.Sight{Visible: int32(to / ny), Observation: int32(o)}] {
					j := int(e.At)*ny + to%ny
					a.Set(i, j, a.At(i, j)-p*e.Value)
				}
			}
		}
	}
	var v mat.VecDense
	if v.SolveVec(a, b) != nil {
		return nil
	}
	return v.RawVector().Data
}

// TestSolveController: the value of a random controller is that of its linear equations, from the best nodes to begin with, and the vectors of its policy earn no less.
func TestSolveController(t *testing.T) {
	same := func(m *pomdp.Model) *pomdp.Model { return m }
	kinds := map[string]func(m *pomdp.Model) *pomdp.Model{
		"discount": same,
		"horizon": func(m *pomdp.Model) *pomdp.Model {
			m.Discount = 1
			kept, err := pomdp.FiniteHorizon(m, 3)
			if err != nil {
				t.Fatal(err)
			}
			return kept
		},
		"earns": func(m *pomdp.Model) *pomdp.Model { return leaking(m, func(r float64) float64 { return max(0, r) }) },
		"costs": func(m *pomdp.Model) *pomdp.Model {
			return leaking(m, func(r float64) float64 { return -1 - max(0, r) })
		},
		"mixed": func(m *pomdp.Model) *pomdp.Model { return leaking(m, func(r float64) float64 { return r }) },
		"must": func(m *pomdp.Model) *pomdp.Model {
			m = leaking(m, func(r float64) float64 { return r })
			m.MustEnd = true
			return m
		},
	}
	for name, kind := range kinds {
		compared := 0
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 11))
			m := kind(pomdptest.Random(rng, 1+rng.IntN(2), 1+rng.IntN(3), .8))
			c := randomController(rng, m)
			want := equations(m, c)
			found, err := SolveController(t.Context(), m, c, 1)
			if errors.As(err, new(*bcpace.UnsupportedError)) || want == nil {
				continue // it is without a Goal
			}
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			compared++
			ny, value, b := m.NumHidden(), 0.0, make([]float64, m.NumHidden())
			for x := range m.NumVisible() {
				share := m.StartBelief(b, x)
				best := math.Inf(-1)
				for i, n := range c.Nodes {
					v := 0.0
					for y, p := range b {
						v += p * want[i*ny+y]
					}
					if n.Visible == x {
						best = max(best, v)
					}
				}
				if share == 0 {
					continue
				}
				value += share * best
				if got := found.Policy.(*pomdp.VectorPolicy).Value(x, b); got < best-1e-6 {
					t.Errorf("%s, seed %d: the policy earns %v at x %d, the controller %v", name, seed, got, x, best)
				}
			}
			if math.Abs(found.Value-value) > 1e-6*(1+math.Abs(value)) || found.Certificate.Lower > value+1e-9 || found.Certificate.Upper < value-1e-9 {
				t.Errorf("%s, seed %d: %v in %+v, want %v", name, seed, found.Value, found.Certificate, value)
			}
		}
		if compared < 20 {
			t.Errorf("%s: %d controllers were compared", name, compared)
		}
	}
}

// TestControllerSilent: a controller need not say what follows where it never comes, and it is an error where it may.
func TestControllerSilent(t *testing.T) {
	m := pomdptest.Tiger()
	hears := func(left, right []pomdp.Entry) map[pomdp.Sight][]pomdp.Entry {
		return map[pomdp.Sight][]pomdp.Entry{{Observation: 0}: left, {Observation: 1}: right}
	}
	listen, stay := hears([]pomdp.Entry{{At: 0, Value: 1}}, []pomdp.Entry{{At: 0, Value: 1}}), hears([]pomdp.Entry{{At: 1, Value: 1}}, nil)
	c := &pomdp.Controller{Nodes: []pomdp.Node{{Next: listen}, {Next: stay, Place: "line 7"}}}
	found, err := SolveController(t.Context(), m, c, 1)
	if err != nil || math.Abs(found.Value+20) > 1e-6 || !slices.Equal(c.Start, []pomdp.Entry{{At: 0, Value: 1}}) {
		t.Errorf("who always listens earns %+v from %v, %v, want -20", found, c.Start, err)
	}
	c.Start = []pomdp.Entry{{At: 1, Value: 1}}
	if _, err := SolveController(t.Context(), m, c, 1); err == nil || !strings.Contains(err.Error(), `line 7, what follows observation "hear-right" is nothing, want something, as it can be seen after action "listen"`) {
		t.Error(err)
	}
}

// TestControllerWithoutEnd: where the goal must be reached, a controller that may miss it is worth nothing that could be said.
func TestControllerWithoutEnd(t *testing.T) {
	m := pomdptest.New(1, 2, 2, 1, 1, []float64{1, 0})
	pomdptest.Append(m, [][]float64{{.5, .5}, {0, 1}}, [][]float64{{1}, {1}}, []float64{-1, 0})
	pomdptest.Append(m, [][]float64{{1, 0}, {0, 1}}, [][]float64{{1}, {1}}, []float64{-1, 0})
	m.MustEnd = true
	for action, want := range []string{"", "may go on without end"} {
		c := &pomdp.Controller{Nodes: []pomdp.Node{{Action: action, Next: map[pomdp.Sight][]pomdp.Entry{{}: {{At: 0, Value: 1}}}}}}
		found, err := SolveController(t.Context(), m, c, 1)
		if action == 0 && (err != nil || math.Abs(found.Value+2) > 1e-6) || action == 1 && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("action %d: %+v, %v", action, found, err)
		}
	}
}
