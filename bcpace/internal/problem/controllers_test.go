package problem_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdp"
)

// TestPolicyGraphs: the controller of a policy earns no more than the optimum, and is worth the same where it is written as a policy graph and read again.
func TestPolicyGraphs(t *testing.T) {
	near := 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := pomdptest.Random(rng, 1+rng.IntN(2), 2+rng.IntN(2), .8)
		for _, unrevealed := range []bool{true, false} {
			solved, err := sarsop.Solver{Epsilon: 1e-4, Unrevealed: unrevealed}.SolvePOMDP(t.Context(), m, bcpace.Control{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			f := problem.ModelFile{Name: "f.pomdp", Tables: m}
			var value float64
			for _, extension := range []string{".dot", ".pg"} {
				nodes, earns, write, err := f.Controller(t.Context(), solved.Model, solved.Policy.(*pomdp.VectorPolicy), extension)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				value = earns
				if value > solved.Certificate.Upper+1e-6 || nodes == 0 {
					t.Errorf("seed %d: %d nodes earn %v, want %v at most", seed, nodes, value, solved.Certificate.Upper)
				}
				name := filepath.Join(t.TempDir(), "f"+extension)
				var text strings.Builder
				if err := write(&text); (err != nil) != (extension == ".pg" && m.NumVisible() > 1) {
					t.Fatalf("seed %d: %v", seed, err)
				} else if err != nil || extension == ".dot" {
					continue
				}
				if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
					t.Fatal(err)
				}
				again, err := f.OpenController(t.Context(), name)
				if err != nil || math.Abs(again.Value-value) > 1e-9 {
					t.Errorf("seed %d: %v becomes %+v, %v\n%s", seed, value, again, err, text.String())
				}
			}
			if value > solved.Certificate.Lower-1e-3 {
				near++
			}
		}
	}
	if near < 30 {
		t.Errorf("%d of 60 controllers earn what their policies do", near)
	}
}

// TestGraphBegins: a policy graph begins at the node whose vector is the highest in the .alpha file beside it, which has a vector for each node.
func TestGraphBegins(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "tiger.pg")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(name, "0 1  1 1\n1 0  1 1\n") // opens the left door, and then listens
	open := func() (float64, []string, error) {
		m := pomdptest.Tiger()
		found, err := problem.ModelFile{Name: "tiger.pomdp", Tables: m}.OpenController(t.Context(), name)
		if err != nil {
			return 0, nil, err
		}
		return found.Value, m.Notes, nil
	}
	if value, notes, err := open(); err != nil || math.Abs(value+20) > 1e-6 || len(notes) != 1 || !strings.Contains(notes[0], "begins at node 1, which earns most") {
		t.Errorf("%v, %q, %v", value, notes, err)
	}
	beside := filepath.Join(dir, "tiger.alpha")
	write(beside, "1\n5 5\n\n0\n-20 -20\n")
	if value, notes, err := open(); err != nil || math.Abs(value+45+.95*20) > 1e-6 || len(notes) != 0 {
		t.Errorf("%v, %q, %v", value, notes, err)
	}
	for text, want := range map[string]string{"0\n1 1\n0\n1 1\n": "the list of actions", "1\n1 1\n": "of 1 vectors, want that of the 2 nodes", "9": "tiger.alpha:1:1"} {
		write(beside, text)
		if _, _, err := open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
