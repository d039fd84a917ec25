package tree

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive is a tree in maps: histories as texts.
type naive map[string]int // visits

// grow walks down both trees, and counts visits.
func grow(t *Tree, n naive, rng *rand.Rand) {
	node, history := int32(0), ""
	for range 6 {
		if t.Nodes[node].First == None {
			t.AddEdges(node, 3)
		}
		a := rng.IntN(3)
		e := t.Nodes[node].First + int32(a)
		s := []float64{float64(rng.IntN(3)), math.Copysign(float64(rng.IntN(2)), float64(rng.IntN(2))-0.5)}
		history += fmt.Sprintf(" %d:%v,%v", a, s[0], s[1]+0)
		t.Edges[e].Visits++
		t.Nodes[node].Visits++
		next, added := t.Follow(e, s, false)
		if _, known := n[history]; known == added {
			panic(fmt.Sprintf("%s was added %v", history, added))
		}
		n[history]++
		if added {
			return
		}
		node = next
	}
}

// listed writes down all histories of a tree with the visits of the edge and the state.
func listed(t *Tree, node int32, history string, out map[string]int) {
	for e := t.Nodes[node].First; e != None; e = t.Edges[e].Next {
		if t.Edges[e].Node != node {
			panic("an edge at another node")
		}
		children := int32(0)
		for c := t.Edges[e].Child; c != None; c = t.Nodes[c].Sibling {
			children++
			s := t.State(c)
			if t.Nodes[c].Edge != e || t.Find(e, s) != c || t.Nodes[c].Depth != t.Nodes[node].Depth+1 {
				panic("a node that is not where it should be")
			}
			h := history + fmt.Sprintf(" %d:%v,%v", t.Edges[e].Action, s[0], s[1]+0)
			out[h] = int(t.Nodes[c].Depth)
			listed(t, c, h, out)
		}
		if children != t.Edges[e].Children {
			panic("a wrong number of children")
		}
	}
}

// A tree has the histories that a map of texts has, also after it was advanced again and
// again.
func TestAgainstMaps(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x := New(2, 0)
		x.Reset([]float64{0, 0})
		n := naive{}
		for step := range 5 {
			for range 400 {
				grow(x, n, rng)
			}
			got := map[string]int{}
			listed(x, 0, "", got)
			if want := slices.Sorted(maps.Keys(n)); !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
				t.Fatalf("%d histories, want %d", len(got), len(want))
			}
			if len(x.Nodes) != len(got)+1 || len(x.Nodes)*2 != len(x.states) {
				t.Fatalf("%d nodes with %d numbers of states for %d histories", len(x.Nodes), len(x.states), len(got))
			}
			if deepest := slices.Max(slices.Collect(maps.Values(got))); deepest != int(x.Deepest) || x.Height() != deepest-step {
				t.Fatalf("height %d, depth %d, want %d", x.Height(), x.Deepest, deepest)
			}
			a, s := rng.IntN(3), []float64{float64(rng.IntN(3)), float64(rng.IntN(2))}
			prefix := fmt.Sprintf(" %d:%v,%v", a, s[0], s[1])
			x.Advance(a, s)
			if _, known := n[prefix]; len(x.Nodes) > 0 != known {
				t.Fatalf("advancing to%s: want %v", prefix, known)
			} else if !known {
				if len(x.Nodes) != 0 {
					t.Fatal("nodes are left")
				}
				break
			}
			if !slices.Equal(x.State(0), s) || !x.At(s) {
				t.Fatalf("the root is at %v, want %v", x.State(0), s)
			}
			below := naive{}
			for h, visits := range n {
				if len(h) > len(prefix) && h[:len(prefix)] == prefix {
					below[h[len(prefix):]] = visits
				}
			}
			n = below
		}
	}
}

// Notes stay with their nodes.
func TestNotes(t *testing.T) {
	x := New(1, 2)
	x.Reset([]float64{0})
	x.AddEdges(0, 2)
	for i := range 1000 {
		c, _ := x.Follow(int32(i%2), []float64{float64(i)}, false)
		x.Notes(c)[1] = float64(i)
		x.AddEdge(c, 7)
		d, _ := x.Follow(x.Nodes[c].First, []float64{-1}, false)
		x.Notes(d)[0] = float64(-i)
	}
	x.Advance(1, []float64{501})
	if len(x.Nodes) != 2 || x.Notes(0)[1] != 501 || x.Notes(1)[0] != -501 || x.State(1)[0] != -1 {
		t.Errorf("%d nodes, notes %v", len(x.Nodes), x.states)
	}
}

// A list of edges grows at its end.
func TestAddEdge(t *testing.T) {
	x := New(1, 0)
	x.Reset([]float64{0})
	for _, id := range []int{5, 3, 9} {
		x.AddEdge(0, id)
	}
	var ids []int
	for e := x.Nodes[0].First; e != None; e = x.Edges[e].Next {
		ids = append(ids, x.Edges[e].Action)
	}
	if !slices.Equal(ids, []int{5, 3, 9}) || x.Nodes[0].Edges != 3 {
		t.Errorf("edges %v", ids)
	}
}
