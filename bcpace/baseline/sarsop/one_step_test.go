package sarsop_test

import (
	"bayescpace/bcpace/baseline/sarsop"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/internal/pomdptest"
)

// TestOneStep: the tighter informed bound is what it is defined to be, at random beliefs and as the first bound
// of a known state, in its table too; no more than the fast informed bound; and the same for all numbers of workers, bit for bit.
func TestOneStep(t *testing.T) {
	used, models := 0, 150
	if testing.Short() {
		models = 30
	}
	for seed := range uint64(models) {
		rng := rand.New(rand.NewPCG(seed, 21))
		m := pomdptest.Random(rng, 1+rng.IntN(2), 1+rng.IntN(4), []float64{0.3, 0.9, 0.99}[rng.IntN(3)])
		set, err := pointbased.New(t.Context(), "test", m, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		other, err := pointbased.New(t.Context(), "test", m, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		fast := sarsop.Informed(m, 1e-10)
		for range set.Tighten(t.Context(), 1) {
		}
		for range other.Tighten(t.Context(), 8) {
		}
		u, side := set.Ahead, other.Ahead
		if (u == nil) != (side == nil) {
			t.Fatalf("seed %d: with 8 workers there is another bound", seed)
		}
		if u == nil {
			continue
		}
		used++
		spread, _ := set.Tolerances(0)
		tol := 1e-6 * spread / (1 - m.Discount)
		want := sarsop.OneStep(m, 1e-10)
		w := u.Scratch()
		table := u.Table()
		table.Fill(3)
		for range 10 {
			x := rng.IntN(m.NumVisible())
			p := pomdptest.Row(rng, m.NumHidden(), rng.IntN(m.NumHidden()))
			full, informed := make([]float64, m.NumStates()), 0.0
			copy(full[x*m.NumHidden():], p)
			for a := range m.Actions {
				got, right := u.At(w, x*m.NumHidden(), nil, p, a), want(full, a)
				if got < right-1e-8 || got > right+tol {
					t.Fatalf("seed %d: %v at %v, action %d, want %v", seed, got, p, a, right)
				}
				if again := side.At(side.Scratch(), x*m.NumHidden(), nil, p, a); again != got {
					t.Fatalf("seed %d: %v with one worker, %v with 8", seed, got, again)
				}
				if fast := table.At(w, x, p, a); math.Abs(fast-got) > 1e-12*max(spread, math.Abs(got)) {
					t.Fatalf("seed %d: the table has %v at %v, action %d, want %v", seed, fast, p, a, got)
				}
				informed = 0
				for y, q := range p {
					informed += q * fast[(x*m.NumHidden()+y)*len(m.Actions)+a]
				}
				if got > informed+tol {
					t.Fatalf("seed %d: %v exceeds the fast informed bound %v", seed, got, informed)
				}
			}
		}
		for s := range m.NumStates() {
			one := make([]float64, m.NumStates())
			one[s] = 1
			for a := range m.Actions {
				if got, right := set.Upper[a][s], want(one, a); math.Abs(got-right) > tol || got < right-1e-8 {
					t.Fatalf("seed %d: the first bound at state %d, action %d is %v, want %v", seed, s, a, got, right)
				}
			}
		}
	}
	if used < models/3 {
		t.Errorf("only %d models have a hidden state that moves unseen", used)
	}
}
