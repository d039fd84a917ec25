//go:build !race

package dp_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
)

// The tighter informed bound takes its scratch space from a pool, which forgets at random under the race detector.
func TestTIBDoesNotAllocate(t *testing.T) {
	m := randmodel.New(rand.New(rand.NewPCG(8, 8)), randmodel.Options{Kind: bcpace.Redrawn})
	u, err := dp.SolveTIB(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if u.Curved() == nil {
		t.Fatal("the bound is linear in the belief")
	}
	s, b := []float64{0}, bcpace.Uniform(len(m.Spec().Latents))
	if n := testing.AllocsPerRun(1000, func() { u.Upper(s, b, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
