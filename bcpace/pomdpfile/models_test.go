package pomdpfile

import (
	"os"
	"path/filepath"
	"testing"

	"bayescpace/bcpace/pomdp"
)

// published returns the path of a published model. The files belong to others, are
// not part of the project and may be absent, in CI as anywhere; the tests that want
// them are then skipped. Every form and size that they have is also in texts written
// for the tests (pomdp_read_test.go, pomdpx_read_test.go), in drawn models that are
// written and read back (write_test.go, product_test.go), in a large generated one
// (bench_test.go) and in the files of package data.
func published(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("../../../shared/models", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("a published model, which the project does not have, is looked for at %s: %v", path, err)
	}
	return path
}

// shared returns a published model.
func shared(t *testing.T, name string) *pomdp.Model {
	t.Helper()
	m, err := ReadFile(t.Context(), published(t, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

// The sizes are those that the files and their comments state.
func TestModels(t *testing.T) {
	for _, c := range []struct {
		name                                     string
		visible, hidden, actions, seen, supports int
		discount                                 float64
	}{
		{"apache/term3.pomdp", 1, 4, 4, 4, 3, 0.9},
		{"apache/term3_strict.pomdp", 1, 4, 4, 4, 3, 0.9},
		{"apache/test04.pomdp", 1, 55, 2, 3, 2, 0.95},
		{"apache/test05.pomdp", 1, 35, 2, 3, 2, 1},
		{"apache/test12.mdp", 4, 1, 4, 1, 1, 0.9},
		{"apache/test13.pomdp", 1, 3, 4, 4, 3, 0.9},
		{"apache/three_state.pomdp", 1, 3, 4, 3, 3, 0.9},
		{"gpl/Hallway.pomdp", 1, 60, 5, 21, 56, 0.95},
		{"gpl/Hallway2.pomdp", 1, 92, 5, 17, 88, 0.95},
		{"gpl/Hallway2.pomdpx", 1, 92, 5, 17, 88, 0.95},
		{"gpl/RockSample_7_8.pomdpx", 50, 256, 13, 2, 256, 0.95},
		{"gpl/RockSample_11_11.pomdpx", 122, 2048, 16, 2, 2048, 0.95},
		{"gpl/TagAvoid.pomdp", 1, 870, 5, 30, 841, 0.95},
		{"gpl/TagAvoid.pomdpx", 29, 30, 5, 30, 841, 0.95},
		{"mit/1d.pomdp", 1, 4, 2, 2, 4, 0.75},
		{"mit/parr95.95.pomdp", 1, 7, 3, 6, 1, 0.95},
		{"mit/tiger.numeric.pomdp", 1, 2, 3, 2, 2, 0.95},
		{"mit/tiger.pomdpx", 1, 2, 3, 2, 2, 0.95},
		{"ours/chain3_g0.95.pomdp", 1, 15, 2, 5, 3, 0.95},
		{"ours/chain3_g0.95.pomdpx", 5, 3, 2, 1, 3, 0.95},
		{"ours/chain3_g0.99.pomdp", 1, 15, 2, 5, 3, 0.99},
		{"ours/ldt5x5_term_g0.95.pomdpx", 26, 2, 4, 3, 2, 0.95},
		{"ours/ldt9x9_term_g0.95.pomdpx", 82, 2, 4, 3, 2, 0.95},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := shared(t, c.name)
			if m.NumVisible() != c.visible || m.NumHidden() != c.hidden || len(m.Actions) != c.actions ||
				len(m.Observations) != c.seen || len(m.Start) != c.supports || m.Discount != c.discount {
				t.Errorf("%d visible, %d hidden, %d actions, %d observations, %d starts, discount %v", m.NumVisible(),
					m.NumHidden(), len(m.Actions), len(m.Observations), len(m.Start), m.Discount)
			}
		})
	}
}

// Pairs of files that describe the same model in the two formats.
func TestModelPairs(t *testing.T) {
	t.Run("Hallway2", func(t *testing.T) {
		if err := compare(shared(t, "gpl/Hallway2.pomdp"), shared(t, "gpl/Hallway2.pomdpx"), 1e-5); err != nil {
			t.Error(err)
		}
	})
	t.Run("tiger", func(t *testing.T) {
		if err := compare(shared(t, "mit/tiger.numeric.pomdp"), shared(t, "mit/tiger.pomdpx"), 1e-12); err != nil {
			t.Error(err)
		}
	})
	t.Run("symbolic tiger", func(t *testing.T) {
		if err := compare(shared(t, "mit/tiger.symbolic.pomdp"), shared(t, "mit/tiger.pomdpx"), 1e-12); err != nil {
			t.Error(err)
		}
	})
	t.Run("term3", func(t *testing.T) {
		if err := compare(shared(t, "apache/term3.pomdp"), shared(t, "apache/term3_strict.pomdp"), 1e-12); err != nil {
			t.Error(err)
		}
	})
	t.Run("TagAvoid", func(t *testing.T) {
		// The files disagree about how the target flees in four pairs of places.
		differs := map[[2]int]bool{{19, 19}: true, {25, 23}: true, {27, 24}: true, {27, 27}: true}
		flat, factored := shared(t, "gpl/TagAvoid.pomdp"), shared(t, "gpl/TagAvoid.pomdpx")
		for a := range flat.Actions {
			for s := range flat.NumStates() {
				err := differ("move", dense(flat.Move[a], s, 870), dense(factored.Move[a], s, 870), 1e-5)
				if place := [2]int{s / 30, s % 30}; (err != nil) != (differs[place] && flat.Actions[a] != "Catch") {
					t.Error(flat.Actions[a], place, err)
				}
			}
		}
		other := *factored
		other.Move = flat.Move
		if err := compare(flat, &other, 1e-6); err != nil {
			t.Error(err)
		}
	})
	t.Run("chain", func(t *testing.T) {
		// State (s, p) is 5p + s in the flat file and 3s + p in the factored one.
		flat, factored := shared(t, "ours/chain3_g0.95.pomdp"), shared(t, "ours/chain3_g0.95.pomdpx")
		at := func(i int) int { return i%5*3 + i/5 }
		b := belief(factored)
		for i, v := range belief(flat) {
			if err := differ("start", []float64{v}, []float64{b[at(i)]}, 1e-12); err != nil {
				t.Error(err)
			}
			for a := range flat.Actions {
				x, y := dense(flat.Move[a], i, 15), dense(factored.Move[a], at(i), 15)
				for j := range x {
					if err := differ("move", x[j:j+1], y[at(j):at(j)+1], 1e-12); err != nil {
						t.Error(err)
					}
				}
				if seen := dense(flat.Sense[a], i, 5); seen[i%5] != 1 {
					t.Error("observation", a, i, seen)
				}
				if err := differ("reward", flat.Reward[a][i:i+1], factored.Reward[a][at(i):at(i)+1], 1e-12); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// RockSample moves the same for every check, and sees nothing but by a check.
// The file's ac10 checks the rock of ac1.
func TestModelShares(t *testing.T) {
	m := shared(t, "gpl/RockSample_11_11.pomdpx")
	moves, senses := map[*pomdp.Matrix]bool{}, map[*pomdp.Matrix]bool{}
	for a := range m.Actions {
		moves[m.Move[a]], senses[m.Sense[a]] = true, true
	}
	if len(moves) != 6 || len(senses) != 11 || m.Sense[5] != m.Sense[14] { // 4 directions, check and sample; 10 checks and the others
		t.Error(len(moves), "tables of moves,", len(senses), "of observations")
	}
}

func BenchmarkReadRockSample(b *testing.B) {
	path := published(b, "gpl/RockSample_11_11.pomdpx")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadFile(b.Context(), path); err != nil {
			b.Fatal(err)
		}
	}
}
