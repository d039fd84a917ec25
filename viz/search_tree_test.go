package viz

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/envs"
)

// searched returns the top of a planner's tree at the start of a model.
func searched(m bcpace.Model, s bcpace.Solver, most int) SearchTree {
	found, err := s.Solve(context.Background(), m, bcpace.Control{})
	if err != nil {
		panic(err)
	}
	p := bcpace.PolicyAbilitiesOf(found.Policy)
	sim, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(1, 1))
	if err := sim.Reset(rng); err != nil {
		panic(err)
	}
	if _, err := p.Plan(context.Background(), sim.State, sim.Belief, rng); err != nil {
		panic(err)
	}
	nodes, err := p.Nodes(most)
	if err != nil {
		panic(err)
	}
	return SearchTree{Spec: m.Spec(), Nodes: nodes}
}

func TestSearchTreeGolden(t *testing.T) {
	rocks, err := envs.RockSample{Size: 4, Rocks: 4}.Model()
	if err != nil {
		t.Fatal(err)
	}
	for name, chart := range map[string]Chart{
		"search_tree":       searched(envs.Tiger{}, lookahead.Solver{Budget: bcpace.Budget{Simulations: 30}}, 14),
		"search_tree_chain": searched(envs.Chain{}, pomcp.Solver{Budget: bcpace.Budget{Simulations: 300}}, 16),
		"search_tree_rocks": searched(rocks, pomcp.Solver{}, 20),
	} {
		checkGolden(t, name, chart)
	}
}

func TestSearchTreeErrors(t *testing.T) {
	for words, change := range map[string]func(*SearchTree){
		"has 0 nodes, want 1 to 100": func(s *SearchTree) { s.Nodes = nil },
		"node 1: Parent is 3":        func(s *SearchTree) { s.Nodes[1].Parent = 3 },
		"node 0: Depth is 1":         func(s *SearchTree) { s.Nodes[0].Depth = 1 },
		"node 1: Action is 9":        func(s *SearchTree) { s.Nodes[1].Action = 9 },
		"node 1: Best is 9":          func(s *SearchTree) { s.Nodes[1].Best = 9 },
		"State has 2 numbers":        func(s *SearchTree) { s.Nodes[0].State = []float64{0, 0} },
		"Belief has 1 entries":       func(s *SearchTree) { s.Nodes[0].Belief = bcpace.Belief{1} },
		"node 1: Visits is 1000":     func(s *SearchTree) { s.Nodes[1].Visits = 1000 },
		"Value[0] is NaN":            func(s *SearchTree) { s.Nodes[1].Value = math.NaN() },
		"Lower and Upper are NaN":    func(s *SearchTree) { s.Nodes[1].Lower = math.NaN() },
		"want a probability":         func(s *SearchTree) { s.Nodes[1].Belief = bcpace.Belief{2, -1} },
	} {
		s := searched(envs.Tiger{}, pomcp.Solver{Budget: bcpace.Budget{Simulations: 50}}, 5)
		change(&s)
		if _, err := s.Figure(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want one that says %q", err, words)
		}
	}
}

// Nodes of any tree stand at least a row apart, and those that are too deep are left out and
// told.
func TestSearchTreeRows(t *testing.T) {
	spec := envs.Tiger{}.Spec()
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := SearchTree{Spec: spec}
		for i := range 1 + rng.IntN(maxTreeNodes) {
			n := bcpace.SearchNode{Parent: -1, Action: -1, Best: rng.IntN(4) - 1, Prob: 1, State: []float64{0}, Belief: bcpace.Uniform(2)}
			if i > 0 {
				n.Parent, n.Action = max(0, i-1-rng.IntN(4)), rng.IntN(3)
				n.Depth = s.Nodes[n.Parent].Depth + 1
			}
			s.Nodes = append(s.Nodes, n)
		}
		f, err := s.Figure()
		if err != nil {
			t.Fatal(err)
		}
		l := treeLayout{SearchTree: s}
		l.place()
		hidden := false
		for i, n := range s.Nodes {
			if n.Depth >= maxTreeColumns {
				hidden = true
				continue
			}
			if !(l.row[i] >= 0 && l.row[i] <= float64(l.rows-1)) {
				t.Errorf("node %d is in row %v of %d", i, l.row[i], l.rows)
			}
			for k := range i {
				if s.Nodes[k].Depth == n.Depth && math.Abs(l.row[k]-l.row[i]) < 1 {
					t.Errorf("nodes %d and %d are in rows %v and %v", k, i, l.row[k], l.row[i])
				}
			}
		}
		if strings.Contains(f.Alt, "not drawn") != hidden {
			t.Errorf("nodes are hidden: %v, and told: %q", hidden, f.Alt)
		}
	}
}

// What a node is worth is whole below it and in the words for the figure, however long the name
// of its best action is.
func TestSearchTreeLongNames(t *testing.T) {
	s := searched(envs.Tiger{}, lookahead.Solver{Budget: bcpace.Budget{Simulations: 30}}, 14)
	s.Spec.Actions = slices.Clone(s.Spec.Actions)
	for a := range s.Spec.Actions {
		s.Spec.Actions[a].Name = strings.Repeat("an action with a long name ", 40)
	}
	f, err := s.Figure()
	if err != nil {
		t.Fatal(err)
	}
	l := treeLayout{SearchTree: s, block: treeBlock}
	for i := range s.Nodes {
		below := l.below(i, labelStyle)
		if !strings.HasPrefix(below, "an action") || !strings.HasSuffix(below, "… "+l.worth(i)) || labelStyle.Width(below) > treeBlock {
			t.Errorf("node %d: %q is %v wide, want %q at its end and %v at most", i, below, labelStyle.Width(below), l.worth(i), treeBlock)
		}
	}
	if !strings.Contains(f.Alt, " "+l.worth(0)+".") {
		t.Errorf("%q does not tell %q", f.Alt, l.worth(0))
	}
}
