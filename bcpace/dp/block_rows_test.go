package dp

import (
	"testing"

	"bayescpace/bcpace/internal/mdp"
)

// TestAddsWithinEitherRoom: the two lists of entries have room for different numbers of them, as memory comes
// in pieces of some sizes. Blocks that fill the larger one make room in the other.
//
//test:race
func TestAddsWithinEitherRoom(t *testing.T) {
	block := func(n int) []blockRows {
		b := blockRows{latentMDP: latentMDP{MDP: mdp.MDP{Row: []int{0, n}, Col: make([]int32, n), Weight: make([]float64, n), Reward: []float64{0}}}}
		for i := range n {
			b.Col[i], b.Weight[i] = int32(i), float64(i)
		}
		return []blockRows{b}
	}
	apart := 0
	for n := 1; n < 20_000; n += 97 {
		p := &latentMDP{MDP: mdp.MDP{Row: []int{0}, Workers: 1}}
		if err := p.adds(t.Context(), block(n), 1.1); err != nil {
			t.Fatal(err)
		}
		if cap(p.Col) != cap(p.Weight) {
			apart++
		}
		more := max(cap(p.Col), cap(p.Weight)) - n
		if err := p.adds(t.Context(), block(more), 1.1); err != nil {
			t.Fatal(err)
		}
		if last := n + more; len(p.Col) != last || len(p.Weight) != last || p.Row[2] != last || more > 0 && (p.Col[last-1] != int32(more-1) || p.Weight[last-1] != float64(more-1)) {
			t.Fatalf("%d entries and %d more are %d and %d", n, more, len(p.Col), len(p.Weight))
		}
	}
	if apart == 0 {
		t.Error("the two lists always had room for the same number: nothing was tested")
	}
}
