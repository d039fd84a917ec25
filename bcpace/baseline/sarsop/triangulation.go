package sarsop

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/side"
)

// triangulation has upper bounds at beliefs whose probabilities are multiples of 1/parts. A belief lies in a simplex of such beliefs with its own
// support or less (the triangulation of Freudenthal, as Lovejoy 1991 has it in "Computationally feasible bounds for partially observed Markov decision
// processes"), and V*, which is convex, is at most the mean of the bounds at the corners. So the beliefs that can be reached from the
// corners around the start, if each outcome stands for the corners around it, are the states of a finite MDP whose values are upper bounds
// (as in Bork, Junges, Katoen and Quatmann 2020, "Verification of Indefinite-Horizon POMDPs").
type triangulation struct {
	parts  float64
	number map[string]int32 // by key
	value  []float64        // by number
	extra  float64          // that a bound between corners is raised by, see triangulator.groups
}

const (
	// gridShare is the share of the work of trials for which triangulations are made beside them. gridFirst is how many times its work the
	// first one counts as, and gridVain how many times theirs those do that follow one which has lowered no bound by much. gridBest is
	// that of one that follows one which has, and which is below the bound of the trials.
	gridShare, gridFirst, gridVain, gridBest = 1. / 2, 2, 8, 1. / 4
	// gridFall is the share of the gap at the start by which a triangulation has to be lower than the one before so that work on the next one counts once.
	gridFall = 1. / 200
	// mostGridVain is how many triangulations in a row may have lowered nothing.
	mostGridVain = 2
	// gridVisit is the work of a visit to a node beside what is counted there.
	gridVisit = 10_000
	// gridEntries bounds the outcomes of all beliefs of a triangulation, vainEntries those of one that follows one which has not lowered a bound
	// by much, and firstEntries those of the first one.
	gridEntries, vainEntries, firstEntries = 8_000_000, 2_000_000, 500_000
	// gridBytes is what an outcome takes, with room for lists to grow and the beliefs.
	gridBytes = 64
	// gridWork is the work to find an outcome and its corners, in multiplications.
	gridWork = 100
	// gridSweeps bounds the sweeps for the values of a triangulation, gridRound is how many come in one go, and gridTolerance is the share of the gap by which the last
	// go may change the bound at the start.
	gridSweeps, gridRound, gridTolerance = 2000, 10, 1e-3
)

// gridParts are the parts of successive triangulations.
var gridParts = []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}

// triangulate makes ever finer triangulations, up to one that is too large, or that is no better than the one before. It works while it is iterated over. A step says what it has taken, several times
// that until a bound at the start has fallen far and a part of it while the bound is below that of the trials; it is Better where a triangulation has come that lowers the upper bound at the start.
func (t *tree) triangulate(ctx context.Context) iter.Seq[mdp.BoundStep] {
	lower, before := t.bounds()
	return func(yield func(mdp.BoundStep) bool) {
		price, last, vain := float64(gridFirst), 0, 0
		for i := 0; i < len(gridParts); i++ {
			g := newTriangulator(t, gridParts[i])
			switch {
			case i == 0:
				g.room = min(g.room, firstEntries)
			case price > 1:
				g.room = min(g.room, vainEntries)
			}
			for _, steps := range []iter.Seq[float64]{g.explore(ctx), g.solve(ctx)} {
				for work := range steps {
					if !yield(mdp.BoundStep{Work: price * work}) || ctx.Err() != nil {
						return
					}
				}
			}
			if ctx.Err() != nil { // there may be no values
				return
			}
			was, now := g.atStart()
			better := now < was-closeGain*math.Abs(was)
			if better {
				t.grid = &g.triangulation
			}
			switch {
			case better && now < before-gridFall*(before-lower):
				price, vain = gridBest, 0
			case now < before-gridFall*(before-lower):
				price, vain = 1, 0
			case better:
				price, vain = gridVain, 0
			default:
				price, vain = gridVain, vain+1
			}
			large := len(g.Col) > 4*last && last > gridEntries/8 // and the next one would be far larger than there is room for
			if !yield(mdp.BoundStep{Better: better}) || g.cut || !g.between || vain == mostGridVain || large {
				return
			}
			if price == gridBest && len(g.Col) < 2*last { // twice as fine is hardly larger
				i++
			}
			before, last = now, len(g.Col)
		}
	}
}

// triangulator makes a triangulation.
type triangulator struct {
	triangulation
	*tree
	*mdp.MDP
	keys    []string // by number
	corner  corners
	exact   []bool  // by row: all outcomes are corners themselves, and nothing is paid
	free    []bool  // by row: nothing is paid
	most    float64 // no value is above it
	room    int     // for entries
	cut     bool    // there was no room for all beliefs
	between bool    // some outcome is no corner itself
}

func newTriangulator(t *tree, parts int) *triangulator {
	g := &triangulator{tree: t, triangulation: triangulation{parts: float64(parts), number: make(map[string]int32)}, most: math.Inf(-1), room: min(gridEntries, allowed()/gridBytes),
		MDP: &mdp.MDP{Actions: t.NA, Discount: 1, Workers: len(t.work), Row: []int{0}}}
	for _, q := range t.Upper {
		g.most = max(g.most, slices.Max(q))
	}
	return g
}

// explore lists the beliefs that can be reached, and the rows of the MDP. It yields the work since the last time.
func (g *triangulator) explore(ctx context.Context) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, r := range g.roots {
			g.around(r.X, r.Belief, func(key []byte, _ float64) { g.at(key) })
		}
		work := 0.0
		for i := 0; i < len(g.keys); i++ { // which grows
			if work > drawWork {
				if !yield(work) || ctx.Err() != nil {
					return
				}
				work = 0
			}
			x, b := belief(g.keys[i], g.parts)
			for a := range g.NA {
				before := len(g.Col)
				if g.cut = g.cut || len(g.Col) > g.room; g.cut {
					upper := b.Dot(g.Upper[a][int(x)*g.NY:][:g.NY])
					if g.grid != nil {
						upper = min(upper, g.gridUpper(0, x, b))
					}
					g.MDP.Reward = append(g.MDP.Reward, upper)
					g.exact, g.free = append(g.exact, false), append(g.free, false)
				} else {
					g.addOutcomes(x, b, a)
				}
				g.MDP.Row = append(g.MDP.Row, len(g.Col))
				work += gridWork * float64(len(g.Col)-before+1)
			}
		}
		yield(work)
	}
}

// addOutcomes adds the row of action a at (x, b).
func (g *triangulator) addOutcomes(x int32, b pointbased.Belief, a int) {
	pay := b.Dot(g.tree.Reward[a][int(x)*g.NY:][:g.NY])
	free, exact := pay == 0, pay == 0
	for _, out := range g.work[0].Branches(g.SearchProblem, x, b, a) {
		weight, count := g.tree.Discount*out.P, 0
		g.around(out.X, out.Belief, func(key []byte, share float64) {
			if share < dust { // as if it led to the best
				pay += weight * share * max(g.most, 0)
				return
			}
			count++
			g.Col, g.Weight = append(g.Col, g.at(key)), append(g.Weight, weight*share)
		})
		if count > 1 {
			exact, g.between = false, true
		}
		pay += weight * g.slack(len(out.Belief.P))
	}
	g.MDP.Reward = append(g.MDP.Reward, pay)
	g.exact, g.free = append(g.exact, exact), append(g.free, free)
}

// dust is the share of a corner below which it is left out: that of rounding.
const dust = 1e-15

// slack is how much the mean of the values at the corners around a belief with so many probabilities may be wrong by, as the corners and their shares are rounded.
func (t *tree) slack(support int) float64 { return float64(4*support+4) * 0x1p-52 * t.spread }

// at returns the number of a corner.
func (g *triangulator) at(key []byte) int32 {
	n, ok := g.number[string(key)]
	if !ok {
		n = int32(len(g.keys))
		g.keys = append(g.keys, string(key))
		g.number[g.keys[n]] = n
	}
	return n
}

// around calls do with the corners around a belief and their shares.
func (g *triangulator) around(x int32, b pointbased.Belief, do func(key []byte, share float64)) {
	g.corner.around(x, b, g.parts, do)
}

// solve finds the values of the MDP. They come down from the first bounds, and are bounds whenever that ends. It yields the work since the last time.
func (g *triangulator) solve(ctx context.Context) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		if ctx.Err() != nil {
			return
		}
		groups, slip := g.groups(ctx), max(g.slip, g.Slip)
		if ctx.Err() != nil || !yield(float64(10*(len(g.Col)+len(g.free)))) {
			return
		}
		v := slices.Repeat([]float64{math.Inf(-1)}, groups.Len()) // by group: no belief of it is worth more
		q := make([]float64, g.NA)
		for i, key := range g.keys {
			x, b := belief(key, g.parts)
			upper := g.InitialUpper(q, x, b)
			if g.grid != nil {
				upper = min(upper, g.gridUpper(0, x, b))
			}
			v[groups.Of[i]] = max(v[groups.Of[i]], upper)
		}
		g.value = make([]float64, len(g.keys))
		lower, before := g.bounds()
		for k := 0; k < gridSweeps && ctx.Err() == nil; k += gridRound {
			groups.Fall(ctx, v, slip, 0, gridRound)
			for i := range g.value {
				g.value[i] = v[groups.Of[i]]
			}
			_, now := g.atStart()
			if !yield(2*gridRound*float64(len(g.Col)+len(g.keys))) || k > 0 && before-now <= gridTolerance*(now-lower) {
				return
			}
			before = now
		}
	}
}

// groups are beliefs that are worth the same in the MDP, see tree.solveTotals: those among which one can go round for nothing, whose value is that of leaving them.
// Where no reward is below 0, bounds of V* stay ones. For let M be the largest V* of a group, at b. If going round is best there, all corners that follow have
// the value M as well, V* being convex; whoever only goes round from there on earns 0, so that to leave is best at some of these, or M is 0. Otherwise
// groups are of beliefs that lead to each other themselves, without any between, as those of tree.solveTotals.
func (g *triangulator) groups(ctx context.Context) *mdp.Groups {
	if g.Goal == nil || !g.Goal.Earns() && !g.Goal.Waits() {
		return g.Apart()
	}
	use := g.exact
	if g.Goal.Earns() {
		use = g.free
	}
	of, stays := g.EndComponents(ctx, func(row int) bool { return use[row] })
	if ctx.Err() != nil {
		return nil
	}
	groups := g.Collapse(of, stays)
	g.extra = mostLoops * g.slack(g.NY) // rounding among those that are taken for one
	if !g.Goal.Earns() {
		groups.Floor = slices.Repeat([]float64{math.Inf(-1)}, groups.Len())
		for i, c := range of {
			if c >= 0 && !g.Goal.Loses() {
				groups.Floor[groups.Of[i]] = 0
			}
		}
	}
	return groups
}

// atStart returns the upper bound at the start, and that of the triangulation.
func (g *triangulator) atStart() (was, now float64) {
	for _, r := range g.roots {
		was += r.p * r.upper
		now += r.p * g.upperAt(&g.corner, r.X, r.Belief, g.slack(len(r.P)))
	}
	return was, now
}

// upperAt returns an upper bound of V*(x, b), in reward units, +∞ where the triangulation lacks a corner around b.
func (g *triangulation) upperAt(c *corners, x int32, b pointbased.Belief, slack float64) float64 {
	sum := g.extra + slack
	c.around(x, b, g.parts, func(key []byte, share float64) {
		if i, ok := g.number[string(key)]; ok {
			sum += share * g.value[i]
		} else {
			sum = math.Inf(1)
		}
	})
	return sum
}

// corners is working memory to find corners.
type corners struct {
	y     []int32
	tail  []float64 // x_i = parts·Σ_{j≥i} b_j, by place in the support
	rest  []float64
	whole []int32
	order []int32
	key   []byte
}

// around calls do with the key of each corner of the simplex of a triangulation that (x, b) lies in, and its share, which is above 0. From the corner that has the whole parts of all x_i
// on, one x_i after the other rises by 1, that with the largest rest first.
func (c *corners) around(x int32, b pointbased.Belief, parts float64, do func(key []byte, share float64)) {
	c.y, c.tail = c.y[:0], c.tail[:0]
	total := 0.0
	for i, p := range b.P {
		if p > 0 {
			c.y, c.tail = append(c.y, int32(b.Y(i))), append(c.tail, p)
			total += p
		}
	}
	n := len(c.y)
	c.rest, c.whole, c.order = c.rest[:0], c.whole[:0], c.order[:0]
	sum := 0.0
	for i := n - 1; i >= 0; i-- {
		if sum = min(parts, sum+c.tail[i]*(parts/total)); i == 0 {
			sum = parts
		}
		c.tail[i] = sum
	}
	for i, at := range c.tail {
		whole := math.Floor(at)
		c.whole, c.rest = append(c.whole, int32(whole)), append(c.rest, at-whole)
		if i > 0 && at > whole {
			c.order = append(c.order, int32(i))
		}
	}
	slices.SortFunc(c.order, func(i, j int32) int { return cmp.Or(cmp.Compare(c.rest[j], c.rest[i]), cmp.Compare(i, j)) })
	above := 1.0
	for k := 0; ; k++ {
		rest := 0.0
		if k < len(c.order) {
			rest = c.rest[c.order[k]]
		}
		if above > rest {
			do(c.keyOf(x), above-rest)
		}
		if k == len(c.order) {
			return
		}
		above = rest
		c.whole[c.order[k]]++
	}
}

// keyOf returns the key of the corner at whole: x, and each y with how many parts it has.
func (c *corners) keyOf(x int32) []byte {
	c.key = binary.AppendUvarint(c.key[:0], uint64(x))
	for i, y := range c.y {
		parts := c.whole[i]
		if i+1 < len(c.y) {
			parts -= c.whole[i+1]
		}
		if parts > 0 {
			c.key = binary.AppendUvarint(binary.AppendUvarint(c.key, uint64(y)), uint64(parts))
		}
	}
	return c.key
}

// belief returns what a key stands for.
func belief(key string, parts float64) (x int32, b pointbased.Belief) {
	rest := []byte(key)
	next := func() int32 {
		v, n := binary.Uvarint(rest)
		rest = rest[n:]
		return int32(v)
	}
	x = next()
	for len(rest) > 0 {
		b.At = append(b.At, next())
		b.P = append(b.P, float64(next())/parts)
	}
	return x, b
}

// useGrid lowers the upper bounds of all nodes to those of a new triangulation.
func (t *tree) useGrid() {
	t.improved++
	lower := make([]float64, len(t.nodes))
	side.Each(len(t.work), len(t.nodes), func(w, i int) {
		n := t.nodes[i]
		lower[i] = t.gridUpper(w, n.X, n.Belief)
		for a := range n.acts {
			for k := range n.acts[a].children {
				n.acts[a].children[k].grid = false
			}
		}
	})
	for i, n := range t.nodes {
		if lower[i] < n.upper {
			n.upper = lower[i]
			t.upper[n.X].put(n)
		}
	}
}

// gridUpper returns the upper bound of the triangulation at a belief.
func (t *tree) gridUpper(worker int, x int32, b pointbased.Belief) float64 {
	t.work[worker].Work += 8 * len(b.P)
	return t.grid.upperAt(&t.near[worker], x, b, t.slack(len(b.P)))
}
