package dp

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/solverkit"
)

// gridBlock is how many points of a grid one goroutine lists at a time.
const gridBlock = 64

// newGridMDP lists the transitions between the points of a grid over m, on all
// processors: the rows are the same for any number of them. bends may be nil. The error is
// that of the first point at fault, or the context's, whose progress is told.
func newGridMDP(ctx context.Context, m bcpace.Enumerator, on grid.Grid, bends *grid.Bends) (*latentMDP, error) {
	spec := m.Spec()
	p := blankLatentMDP(spec, on.Len())
	if p.points > math.MaxInt32/p.latents {
		return nil, bcpace.In("model "+strconv.Quote(spec.Name)).Bad("the number of grid points × latents",
			fmt.Sprintf("%d × %d", p.points, p.latents), fmt.Sprintf("at most %d", math.MaxInt32))
	}
	perPoint := p.latents * p.Actions
	p.Row = make([]int, 1, p.points*perPoint+1)
	p.Reward = make([]float64, 0, p.points*perPoint)
	workers := workersOf(ctx)
	p.Workers = workers
	fillers := make([]*rowFiller, workers)
	for i := range fillers {
		fillers[i] = newRowFiller(m, on)
		fillers[i].bends = bends
	}
	wave := make([]blockRows, 8*workers)
	for first := 0; first < p.points; {
		n := min(len(wave), (p.points-first+gridBlock-1)/gridBlock)
		side.Each(workers, n, func(worker, k int) {
			from := first + k*gridBlock
			wave[k].list(ctx, fillers[worker], from, min(from+gridBlock, p.points))
		})
		for k := range wave[:n] {
			if err := wave[k].err; err != nil {
				return nil, err
			}
		}
		if err := p.adds(ctx, wave[:n], 1.1*float64(p.points-first)/float64(min(n*gridBlock, p.points-first))); err != nil {
			return nil, err
		}
		first += n * gridBlock
		if share := float64(first) / float64(p.points); share < 1 && p.points*perPoint >= manyRows {
			solverkit.ReportPhase(ctx, "transitions", share)
		}
	}
	return p, p.checkHorizon(m)
}

// gridLoad is what the rows of a grid take, by the mean of some of its points.
type gridLoad struct {
	entries float64 // numbers with their places
	listed  float64 // successors × latents that the model lists
}

// loadProbes is how many points of a grid are listed to know its load.
const loadProbes = 24

// loadOf estimates the load of a grid over m from points that lie evenly on it.
func loadOf(ctx context.Context, m bcpace.Enumerator, on grid.Grid) (gridLoad, error) {
	n := min(on.Len(), loadProbes)
	f := newRowFiller(m, on)
	var load gridLoad
	for k := range n {
		var r blockRows
		g := int((float64(k) + 0.5) / float64(n) * float64(on.Len()))
		if r.list(ctx, f, g, g+1); r.err != nil {
			return load, r.err
		}
		load.entries += float64(len(r.Col))
		for a := range f.next {
			load.listed += float64(len(f.next[a].Successors.Prob))
		}
	}
	share := float64(on.Len()) / float64(n)
	load.entries *= share
	load.listed *= share
	return load, nil
}

// bytes returns the memory that value iteration takes on so many points, with tables of
// so many values at each point and latent.
func (l gridLoad) bytes(spec bcpace.Spec, points, tables int) float64 {
	nodes, actions := float64(points)*float64(len(spec.Latents)), float64(len(spec.Actions))
	chain := 0.0
	if nodes >= mdp.Large {
		chain = chainBytes*nodes + (4+8)*l.entries/actions
	}
	return chain + 1.1*(4+8)*l.entries + nodes*(actions*(8+8)+8*float64(tables)+8+4) + (8+1)*float64(points*runtime.GOMAXPROCS(0))
}
