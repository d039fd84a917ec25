package dp

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
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
	return newLatentMDP(ctx, m, "grid points", on.Len(), gridBlock, 0, func() *rowLister {
		return newRowLister(m.Spec(), on.Len(), newRowFiller(m, on, bends), mdp.NewPacker(len(m.Spec().Actions)))
	})
}

// gridLoad is what the rows of a grid take, by the mean of some of its points.
type gridLoad struct {
	packed  float64 // bytes of the rows, and of the bends
	entries float64 // numbers with their places, where rows are written out
	listed  float64 // successors × latents that the model lists
}

// loadProbes is how many points of a grid are listed to know its load.
const loadProbes = 24

// loadOf estimates the load of a grid over m from points that lie evenly on it.
func loadOf(ctx context.Context, m bcpace.Enumerator, on grid.Grid) (gridLoad, error) {
	n := min(on.Len(), loadProbes)
	f, load := newRowFiller(m, on, nil), gridLoad{}
	x := newRowLister(f.spec, on.Len(), f, mdp.NewPacker(len(f.spec.Actions)))
	for k := range n {
		var r blockRows
		g := int((float64(k) + 0.5) / float64(n) * float64(on.Len()))
		if r.list(ctx, x, g, g+1); r.err != nil {
			return load, r.err
		}
		load.packed, load.entries = load.packed+float64(r.bytes), load.entries+float64(r.long)
		for a := range f.next {
			load.listed += float64(len(f.next[a].Successors.Prob))
		}
	}
	share := float64(on.Len()) / float64(n)
	load.packed, load.entries, load.listed = share*load.packed, share*load.entries, share*load.listed
	if n := f.between; n > grid.FewAxes {
		load.packed += float64(on.Len() * len(f.spec.Latents) * 8 * n * (n + 1) / 2)
	}
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
	return chain + l.packed + nodes*(actions*8+8*float64(tables)+8+4) + (8+1)*float64(points*runtime.GOMAXPROCS(0))
}

// written is bytes with rows that are written out, by which default grids are chosen: the time of a sweep grows with the entries of
// rows, however these are packed.
func (l gridLoad) written(spec bcpace.Spec, points, tables int) float64 {
	l.packed = 1.1*(4+8)*l.entries + 8*float64(points*len(spec.Latents)*len(spec.Actions))
	return l.bytes(spec, points, tables)
}

// latentMDP is a set of latent MDPs on numbered points, ready for value iteration.
// Its states are the hyper-states: node n is (point n/latents, latent n%latents).
// Successors that end the episode add to the reward and nothing else.
type latentMDP struct {
	mdp.MDP
	points, latents int
	static          bool // the latent stays as it is
}

// newLatentMDP lists the latent MDPs of m on so many points, on all processors, each with a lister of its own. The rows, which have so many entries at most, or 0 where that is
// not known, are the same for any number of goroutines. The error is that of the first block at fault, or the context's,
// whose progress is told.
func newLatentMDP(ctx context.Context, m bcpace.Model, of string, points, block, entries int, lister func() *rowLister) (*latentMDP, error) {
	spec := m.Spec()
	p := &latentMDP{MDP: mdp.MDP{Actions: len(spec.Actions), Discount: spec.Discount, Rate: spec.Rate(), Workers: workersOf(ctx),
		Run: block * len(spec.Latents), Latents: len(spec.Latents)},
		points: points, latents: len(spec.Latents)}
	if points > math.MaxInt32/p.latents {
		return nil, bcpace.In("model "+strconv.Quote(spec.Name)).Bad("the number of "+of+" × latents",
			fmt.Sprintf("%d × %d", points, p.latents), fmt.Sprintf("at most %d", math.MaxInt32))
	}
	rows := points * p.latents * p.Actions
	p.Row, p.Reward = make([]int, 1, min(entries, rows)+1), make([]float64, 0, rows)
	p.Col, p.Weight = make([]int32, 0, entries), make([]float64, 0, entries)
	wave, listers := make([]blockRows, 8*p.Workers), make([]*rowLister, p.Workers)
	for i := range listers {
		listers[i] = lister()
	}
	for first := 0; first < points; {
		n := min(len(wave), (points-first+block-1)/block)
		side.Each(p.Workers, n, func(worker, k int) {
			from := first + k*block
			wave[k].list(ctx, listers[worker], from, min(from+block, points))
		})
		for k := range wave[:n] {
			if err := wave[k].err; err != nil {
				return nil, err
			}
		}
		p.adds(wave[:n])
		if first = min(first+n*block, points); entries == 0 && first < points && rows >= manyRows {
			solverkit.ReportPhase(ctx, "transitions", float64(first)/float64(points))
		}
	}
	return p, p.checkHorizon(m)
}

// workersOf returns the number of goroutines for a computation with ctx.
func workersOf(ctx context.Context) int { return solverkit.ControlOf(ctx).Processors() }

// manyRows is how many rows take time to compute with.
const manyRows = 1 << 14

// phase reports what is computed of p, if p is large enough for it to take time.
func (p *latentMDP) phase(ctx context.Context, name string, share float64) {
	if len(p.Reward) >= manyRows {
		solverkit.ReportPhase(ctx, name, share)
	}
}

// checkHorizon checks the promise of a model that keeps its horizon (bcpace.Abilities) and is not ours.
func (p *latentMDP) checkHorizon(m bcpace.Model) error {
	if spec := m.Spec(); spec.Horizon > 0 && bcpace.AbilitiesOf(m).StepsLeft == 0 {
		return p.endsWithin(spec)
	}
	return nil
}

// endsWithin checks that promise, on which proofs rest for γ = 1:
// from every node the episode ends within the horizon of spec. The error is a
// *ConformanceError.
func (p *latentMDP) endsWithin(spec bcpace.Spec) error {
	next := func(n int32) iter.Seq[int32] {
		return func(yield func(int32) bool) {
			for a := range p.Actions {
				to, _ := p.Entries(nil, nil, int(n)*p.Actions+a)
				if slices.ContainsFunc(to, func(n int32) bool { return !yield(n) }) {
					return
				}
			}
		}
	}
	if EndsWithin(p.points*p.latents, spec.Horizon, next) {
		return nil
	}
	return &bcpace.ConformanceError{Model: spec.Name, What: "KeepsHorizon says that every episode ends by itself within Spec.Horizon steps, and from some state it may go on"}
}
