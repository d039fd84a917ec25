package proved

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"bayescpace/bcpace/solverkit"
)

// parallel calls f for the numbers below n, on all processors that the Control of ctx allows. It
// leaves out those after ctx has ended.
func parallel(ctx context.Context, n int, f func(i int)) {
	workers := min(n, solverkit.ControlOf(ctx).Processors(), runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		}()
	}
	wg.Wait()
}

// solveTold returns upper bounds of the values at the vertices where the latent is known, by
// latent, and for each choice the largest of them where its rest may lie. Each sweep is sound, as
// it applies a monotone map that has V_φ below its value to bounds of V_φ.
func (g *grid) solveTold(ctx context.Context) (told [][]float64, rest []float64) {
	told, rest = make([][]float64, g.latents), make([]float64, len(g.told))
	parallel(ctx, g.latents, func(φ int) { told[φ] = g.toldOf(ctx, φ, rest) })
	return told, rest
}

func (g *grid) toldOf(ctx context.Context, φ int, rest []float64) []float64 {
	v, next := make([]float64, len(g.v)), make([]float64, len(g.v))
	for i := range v {
		v[i] = g.lowest + g.width
	}
	far := newRanges(len(v))
	for range mostSweeps {
		if ctx.Err() != nil {
			return v
		}
		far.fill(v)
		change := 0.0
		for i := range v {
			best := math.Inf(-1)
			for x := i * len(g.choices); x < (i+1)*len(g.choices); x++ {
				k := x*g.latents + φ
				rest[k] = g.restOf(far, k)
				q := g.told[k] * rest[k]
				for r := g.first[x]; r < g.first[x+1]; r++ {
					q += g.prob[r*g.latents+φ] * v[g.to[r]]
				}
				best = max(best, g.reward[k]+g.discount*q)
			}
			next[i] = min(v[i], best)
			change = max(change, v[i]-next[i])
		}
		v, next = next, v
		if change <= toldTolerance*g.width {
			break
		}
	}
	far.fill(v)
	for x := range len(g.first) - 1 {
		rest[x*g.latents+φ] = g.restOf(far, x*g.latents+φ)
	}
	return v
}

// restOf bounds what is worth being told where the rest of a choice may lie.
func (g *grid) restOf(far *ranges, k int) float64 {
	m, reach := g.means[k], g.reach[k]
	last := float64(len(g.v) - 1)
	from := int(max(0, min(math.Floor((m-reach-g.low)/g.h), last)))
	to := int(max(0, min(math.Ceil((m+reach-g.low)/g.h), last)))
	return far.max(from, to)
}

const (
	mostSweeps    = 100_000
	toldTolerance = 1e-9
)

// ranges answers what the largest of some values in a row is.
type ranges struct{ level [][]float64 }

func newRanges(n int) *ranges {
	r := &ranges{}
	for w := 1; w <= n; w *= 2 {
		r.level = append(r.level, make([]float64, n-w+1))
	}
	return r
}

func (r *ranges) fill(v []float64) {
	copy(r.level[0], v)
	for k := 1; k < len(r.level); k++ {
		w := 1 << (k - 1)
		for i := range r.level[k] {
			r.level[k][i] = max(r.level[k-1][i], r.level[k-1][i+w])
		}
	}
}

func (r *ranges) max(from, to int) float64 {
	k := 0
	for 1<<(k+1) <= to-from+1 {
		k++
	}
	return max(r.level[k][from], r.level[k][to-1<<k+1])
}

// solver computes upper bounds of the optimal values of the finite model at some beliefs.
type solver struct {
	*grid
	b     *beliefs
	at    [][]float64 // beliefs
	rest  []float64
	v     []float64 // vertex·beliefs: bounds
	next  []float64
	most  []float64 // (vertex·beliefs)·choices: bounds of the values of the choices
	found []int32   // vertex·beliefs: the best choice
}

func newSolver(g *grid, told [][]float64, rest []float64, parts int) *solver {
	x := &solver{grid: g, b: newBeliefs(g.latents, parts), rest: rest}
	for _, b := range x.b.list() {
		x.at = append(x.at, b)
	}
	n := len(g.v) * len(x.at)
	x.v, x.next, x.found, x.most = make([]float64, n), make([]float64, n), make([]int32, n), make([]float64, n*len(g.choices))
	for i := range g.v {
		for k, b := range x.at {
			for φ, p := range b {
				x.v[i*len(x.at)+k] += p * told[φ][i]
			}
		}
	}
	for i := range x.most {
		x.most[i] = math.Inf(1)
	}
	return x
}

// sweep makes a backup at all beliefs of all vertices, and returns the largest change. A choice
// whose bound from an earlier sweep is not above another one's is left out, as bounds only fall.
func (x *solver) sweep(ctx context.Context) float64 {
	changes := make([]float64, len(x.grid.v))
	parallel(ctx, len(x.grid.v), func(i int) {
		at, w := x.b.between(), make([]float64, x.latents)
		for k := range x.at {
			n := i*len(x.at) + k
			best := x.found[n]
			top := x.backup(at, w, i, int(best), k)
			most := x.most[n*len(x.choices) : (n+1)*len(x.choices)]
			most[best] = top
			for c, q := range most {
				if q > top {
					if most[c] = x.backup(at, w, i, c, k); most[c] > top {
						top, x.found[n] = most[c], int32(c)
					}
				}
			}
			x.next[n] = min(x.v[n], top)
			changes[i] = max(changes[i], x.v[n]-x.next[n])
		}
	})
	if ctx.Err() != nil {
		return 0
	}
	x.v, x.next = x.next, x.v
	change := 0.0
	for _, c := range changes {
		change = max(change, c)
	}
	return change
}

// leastTotal is the least probability of a row at a belief that a number can be divided by.
const leastTotal = 1e-300

// backup returns the bound of a choice at a vertex and a belief.
func (x *solver) backup(at *between, w []float64, i, choice, belief int) float64 {
	b, c := x.at[belief], i*len(x.choices)+choice
	now, later := 0.0, 0.0
	for φ, p := range b {
		k := c*x.latents + φ
		now += p * x.reward[k]
		later += p * x.told[k] * x.rest[k]
	}
	nb := len(x.at)
	if x.latents == 2 {
		return now + x.discount*(later+x.twoLatents(b, c))
	}
	for r := x.first[c]; r < x.first[c+1]; r++ {
		total := 0.0
		for φ, p := range x.prob[r*x.latents : (r+1)*x.latents] {
			w[φ] = b[φ] * p
			total += w[φ]
		}
		if total < leastTotal {
			continue
		}
		v := x.v[int(x.to[r])*nb : (int(x.to[r])+1)*nb]
		x.b.corners(at, w, total)
		sum := 0.0
		for k, number := range at.numbers {
			sum += at.weights[k] * v[number]
		}
		later += total * sum
	}
	return now + x.discount*later
}

// twoLatents is the sum of backup over the rows of a choice for two latents, whose beliefs are
// between two neighbours.
func (x *solver) twoLatents(b []float64, c int) (later float64) {
	nb, parts := len(x.at), float64(x.b.parts)
	for r := x.first[c]; r < x.first[c+1]; r++ {
		w0, w1 := b[0]*x.prob[2*r], b[1]*x.prob[2*r+1]
		total := w0 + w1
		if total < leastTotal {
			continue
		}
		at := min(w1/total*parts, parts)
		k := min(int(at), nb-2)
		v := x.v[int(x.to[r])*nb+k:]
		later += total * (v[0] + (at-float64(k))*(v[1]-v[0]))
	}
	return later
}
