package solvertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/solverkit"
)

// listing calls end when it is asked for the last of some lists, and counts those after it.
type listing struct {
	bcpace.Enumerator
	asked *atomic.Int64
	last  int64
	end   func()
}

func (m listing) Successors(z *bcpace.Successors, s []float64, action int) {
	if m.asked.Add(1) == m.last {
		m.end()
	}
	m.Enumerator.Successors(z, s, action)
}

// TestGridEnds: where the context ends while a grid is listed, each goroutine finishes the action that it is at,
// and lists no other.
//
//test:race
func TestGridEnds(t *testing.T) {
	const workers = 3
	for _, last := range []int64{1, 7, 100, 1000} {
		ctx, end := context.WithCancel(t.Context())
		m := listing{oneAxis(rand.New(rand.NewPCG(1, 3))), new(atomic.Int64), last, end}
		if _, err := dp.SolveGrid(solverkit.WithControl(ctx, bcpace.Control{Workers: workers}), m, dp.GridOptions{MaxPoints: 4096, Step: 1.0 / 1024}); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d lists: %v", last, err)
		}
		if after := m.asked.Load() - last; after >= workers {
			t.Errorf("%d lists after the end at list %d, want fewer than %d", after, last, workers)
		}
	}
}
