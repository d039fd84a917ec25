package pointbased

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/pomdp"
)

// drawing is a stochastic finite-state drawing: an agent that remembers one of a few nodes, and draws by it and by what it sees, x and the
// observation, its action and the node that follows. With one node it is a memoryless policy. At the start it sees x alone.
//
// Its values are those of a Markov chain whose states are triples of node, table and s: by which table of observations something will be seen of s.
type drawing struct {
	p      *SearchProblem
	rows   *mdp.MDP
	nodes  int
	tables []*pomdp.Matrix // of observations; nil for what tells x alone, as at the start
	table  []int           // by action
	first  int             // the table of the start
	sight  []int32         // by x·(NO+1) + o: the number of what is seen, −1 for what is not; o is NO where x is all
	sights int
	share  []float64 // by (sight·nodes + node)·plans + action·nodes + next node: its probability
}

// newDrawing returns the drawing of a node that draws each action with the same probability. rows are those of p.
func newDrawing(p *SearchProblem, rows *mdp.MDP) *drawing {
	c := &drawing{p: p, rows: rows, nodes: 1, table: make([]int, p.NA), sight: slices.Repeat([]int32{-1}, p.NX*(p.NO+1))}
	if p.NO > 1 {
		for a, sense := range p.Sense {
			if c.table[a] = slices.Index(c.tables, sense); c.table[a] < 0 {
				c.table[a] = len(c.tables)
				c.tables = append(c.tables, sense)
			}
			for x := range p.NX {
				for _, o := range p.sense[a*p.NX+x].obs {
					c.see(x, int(o))
				}
			}
		}
	}
	c.first = len(c.tables)
	c.tables = append(c.tables, nil)
	for x := range p.NX {
		c.see(x, p.NO)
	}
	c.share = slices.Repeat([]float64{1 / float64(p.NA)}, c.sights*p.NA)
	return c
}

// see numbers what is seen.
func (c *drawing) see(x, o int) {
	if k := &c.sight[x*(c.p.NO+1)+o]; *k < 0 {
		*k = int32(c.sights)
		c.sights++
	}
}

// plans returns the number of pairs of an action and the node that follows.
func (c *drawing) plans() int { return c.p.NA * c.nodes }

// state returns the state of the chain.
func (c *drawing) state(node, table, s int) int {
	return (node*len(c.tables)+table)*c.p.NX*c.p.NY + s
}

// after returns the state of the chain in which plan u and a successor s result.
func (c *drawing) after(u, s int) int {
	return c.state(u%c.nodes, c.table[u/c.nodes], s)
}

// seen returns the numbers of what may be seen in s by a table, and their probabilities.
func (c *drawing) seen(sights []int32, table, s int) ([]int32, []float64) {
	at := c.sight[s/c.p.NY*(c.p.NO+1):]
	if c.tables[table] == nil {
		return append(sights[:0], at[c.p.NO]), one
	}
	obs, prob := c.tables[table].At(s)
	sights = sights[:0]
	for _, o := range obs {
		sights = append(sights, at[o])
	}
	return sights, prob
}

var one = []float64{1}

// of returns the probabilities of the plans at a node where so much is seen.
func (c *drawing) of(sight int32, node int) []float64 {
	n := c.plans()
	return c.share[(int(sight)*c.nodes+node)*n:][:n]
}

// chain returns the Markov chain of c as a process of one action.
func (c *drawing) chain() *mdp.MDP {
	n := c.nodes * len(c.tables) * c.p.NX * c.p.NY
	q := &mdp.MDP{Actions: 1, Discount: c.rows.Discount, Rate: c.rows.Rate, Workers: c.rows.Workers, Row: make([]int, 1, n+1), Reward: make([]float64, n)}
	place := make([]int, n) // of a successor among those of the state, plus 1
	share := make([]float64, c.plans())
	var sights []int32
	var prob []float64
	for i := range n {
		s := i % (c.p.NX * c.p.NY)
		rest := i / (c.p.NX * c.p.NY)
		sights, prob = c.seen(sights, rest%len(c.tables), s)
		clear(share)
		for k, sight := range sights {
			for u, w := range c.of(sight, rest/len(c.tables)) {
				share[u] += prob[k] * w
			}
		}
		first := len(q.Col)
		for u, w := range share {
			if w == 0 {
				continue
			}
			row := s*c.p.NA + u/c.nodes
			q.Reward[i] += w * c.rows.Reward[row]
			base := c.after(u, 0)
			for k := c.rows.Row[row]; k < c.rows.Row[row+1]; k++ {
				to := base + int(c.rows.Col[k])
				if place[to] <= first {
					q.Col, q.Weight = append(q.Col, int32(to)), append(q.Weight, 0)
					place[to] = len(q.Col)
				}
				q.Weight[place[to]-1] += w * c.rows.Weight[k]
			}
		}
		q.Row = append(q.Row, len(q.Col))
	}
	return q
}

// evaluated is a drawing with its chain and values.
type evaluated struct {
	*drawing
	run   *mdp.MDP  // its chain, where states that end it have no rows
	rest  []bool    // by state of the chain: the values are 0 from there, as nothing is paid; nil with a discount
	never []bool    // by state of the chain: it may go on and pay without end from there; nil where no state does
	value []float64 // by state of the chain
	earns float64   // at the start
	work  float64   // multiplications, about
	near  bool      // the values are near those of the chain
}

const (
	// nearSweeps bounds the sweeps for the values of a drawing.
	nearSweeps = 400
	// boundSweeps bounds those for values that are bounds.
	boundSweeps = 2000
)

// evaluate returns c with values that are nearly those of its chain. guess is where to begin.
func (c *drawing) evaluate(ctx context.Context, guess []float64) *evaluated {
	e := &evaluated{drawing: c, run: c.chain(), value: slices.Clone(guess)}
	if e.value == nil {
		e.value = make([]float64, e.run.States())
	}
	if c.p.Discount == 1 {
		e.cut()
	}
	var k mdp.MarkovChain
	k.Fix(e.run, func(s int) int { return s })
	k.Within(nearSweeps)
	sweeps := 0
	sweeps, e.near = k.Near(ctx, e.value, 1e-4*max(mdp.MaxAbs(e.value), mdp.MaxAbs(e.run.Reward)))
	e.work = float64(sweeps+chainWork) * float64(len(e.run.Col)+e.run.States())
	for _, s := range c.p.Start {
		i := c.state(0, c.first, int(s.At))
		if e.never != nil && e.never[i] {
			e.earns = math.Inf(-1)
			break
		}
		e.earns += s.Value * e.value[i]
	}
	return e
}

// chainWork is the work to lay a chain and to look at it, in sweeps.
const chainWork = 20

// cut leaves out of the chain where nothing is paid any more, or where payment may go on without end.
func (e *evaluated) cut() {
	back := predecessors(e.run)
	rest := make([]bool, e.run.States())
	if g := e.p.Goal; g != nil && !g.earns {
		states := e.p.NX * e.p.NY
		for i := range rest {
			s := i % states
			rest[i] = g.ends[s] || g.bySight != nil && g.bySight[s/e.p.NY] >= 0
		}
		proper := slices.Clone(rest)
		markAll(back, proper)
		e.never = make([]bool, len(rest))
		for i, ends := range proper {
			e.never[i] = !ends
		}
		markAll(back, e.never)
		for i := range rest {
			e.never[i] = e.never[i] && !rest[i]
		}
	} else {
		pays := make([]bool, len(rest))
		for i, r := range e.run.Reward {
			pays[i] = r != 0
		}
		markAll(back, pays)
		for i, pay := range pays {
			rest[i] = !pay
		}
	}
	e.rest = rest
	out := slices.Clone(rest)
	for i := range out {
		out[i] = out[i] || e.never != nil && e.never[i]
		if out[i] {
			e.value[i] = 0
		}
	}
	e.run = e.run.Without(out)
}

// ahead returns what plan u is worth at s.
func (e *evaluated) ahead(s, u int) float64 {
	row := s*e.p.NA + u/e.nodes
	q, base := e.rows.Reward[row], e.after(u, 0)
	for k := e.rows.Row[row]; k < e.rows.Row[row+1]; k++ {
		i := base + int(e.rows.Col[k])
		if e.never != nil && e.never[i] {
			return never
		}
		q += e.rows.Weight[k] * e.value[i]
	}
	return q
}

const (
	visitSweeps = 200
	visitRest   = 1e-4
)

// visits returns how often the chain is in each state, discounted, in the mean.
func (e *evaluated) visits(ctx context.Context) []float64 {
	n := e.run.States()
	count, open := make([]float64, n), make([]float64, n)
	for _, s := range e.p.Start {
		open[e.state(0, e.first, int(s.At))] += s.Value
	}
	for k := 0; k < visitSweeps && ctx.Err() == nil; k++ {
		left := 0.0
		for i := range num.InTurn(n, k%2 == 1) {
			w := open[i]
			if w == 0 {
				continue
			}
			open[i] = 0
			count[i] += w
			for j := e.run.Row[i]; j < e.run.Row[i+1]; j++ {
				open[e.run.Col[j]] += w * e.run.Weight[j]
			}
			left += w
		}
		if left <= visitRest {
			break
		}
	}
	return count
}

// best returns, by sight and node, the plan with the greatest sum of visits times value, −1 where there are no visits.
func (e *evaluated) best(ctx context.Context) []int32 {
	visits := e.visits(ctx)
	plans := e.plans()
	sum := make([]float64, len(e.share))
	met := make([]bool, e.sights*e.nodes)
	value := make([]float64, plans)
	var sights []int32
	var prob []float64
	states := e.p.NX * e.p.NY
	for s := range states {
		asked := false
		for node := range e.nodes {
			for table := range e.tables {
				d := visits[e.state(node, table, s)]
				if d == 0 {
					continue
				}
				if !asked {
					asked = true
					for u := range value {
						value[u] = e.ahead(s, u)
					}
				}
				sights, prob = e.seen(sights, table, s)
				for k, sight := range sights {
					at := int(sight)*e.nodes + node
					met[at] = true
					for u, q := range value {
						sum[at*plans+u] += d * prob[k] * q
					}
				}
			}
		}
	}
	best := make([]int32, len(met))
	for at := range best {
		if best[at] = -1; met[at] {
			_, u := num.Largest(plans, func(u int) float64 { return sum[at*plans+u] })
			best[at] = int32(u)
		}
	}
	return best
}

// towards returns a drawing that takes the best plans with so much more probability.
func (e *evaluated) towards(best []int32, step float64) *drawing {
	c := *e.drawing
	c.share = slices.Clone(e.share)
	plans := c.plans()
	for at, u := range best {
		if u < 0 {
			continue
		}
		of := c.share[at*plans:][:plans]
		for k := range of {
			of[k] *= 1 - step
		}
		of[u] += step
	}
	return &c
}

// climb improves e by steps towards the best plans, as long as one of a few lengths helps, and yields what it has after each.
func (e *evaluated) climb(ctx context.Context) iter.Seq2[*evaluated, float64] {
	return func(yield func(*evaluated, float64) bool) {
		for step, better := 1., true; better && e.near && ctx.Err() == nil; {
			best := e.best(ctx)
			better = false
			for step = min(1, 4*step); step >= shortest && !better; step /= 2 {
				next := e.towards(best, min(step, longest)).evaluate(ctx, e.value)
				if better = next.near && next.earns > e.earns+1e-6*math.Abs(e.earns); better {
					e = next
				}
				if !yield(e, next.work) {
					return
				}
				if better {
					break
				}
			}
		}
	}
}

const (
	// longest is the longest step of climb: what has been drawn may be drawn again.
	longest = .999
	// shortest is the shortest one.
	shortest = 1. / 64
)

// grow returns c with another number of nodes, which are hardly different.
func (c *drawing) grow(nodes int) *drawing {
	g := *c
	g.nodes = nodes
	g.share = make([]float64, g.sights*nodes*g.plans())
	rng := rand.New(rand.NewPCG(1, uint64(nodes)))
	for sight := range int32(c.sights) {
		for node := range nodes {
			of := g.of(sight, node)
			old := c.of(sight, node%c.nodes)
			sum := 0.0
			for a := range c.p.NA {
				w := 0.0
				for k := range c.nodes {
					w += old[a*c.nodes+k]
				}
				for k := range nodes {
					of[a*nodes+k] = (w + .1) * (.5 + rng.Float64())
					sum += of[a*nodes+k]
				}
			}
			for u := range of {
				of[u] /= sum
			}
		}
	}
	return &g
}

// likeliest returns the most probable plan at a node that sees x and o, by its place among the vectors of add.
func (c *drawing) likeliest(node int32, x, o int32) int {
	if c.p.NO == 1 {
		o = 1
	}
	share := c.of(c.sight[int(x)*(c.p.NO+1)+int(o)], int(node))
	_, u := num.Largest(len(share), func(u int) float64 { return share[u] })
	return int(x)*c.plans() + u
}

// bound lowers the values of e until none is above its backup, as VectorSet.Policy needs, and reports whether it could, before ctx ended.
// With a Goal, the backup is that of a problem in which steps cost something, see GoalStates.lower.
func (e *evaluated) bound(ctx context.Context, tol float64) bool {
	var k mdp.MarkovChain
	k.Fix(e.run, func(s int) int { return s })
	k.Within(boundSweeps)
	if e.p.Discount < 1 {
		low, _, err := k.Solve(ctx, e.value, tol)
		floats.AddConst(low, e.value)
		return err == nil
	}
	w, drop, ok := k.Totals(ctx, e.value, tol)
	size := mdp.MaxAbs(e.value)
	if !ok || e.p.charge > 0 && e.p.charge < 4*e.rows.Rounding()(size) {
		return false
	}
	drop += 2 * max(e.p.charge, (1-e.p.LowerDiscount)*size)
	for i := range e.value {
		e.value[i] -= drop * w[i]
		if e.rest[i] || e.p.Goal != nil && e.p.Goal.earns {
			e.value[i] = max(0, e.value[i])
		}
		if e.never != nil && e.never[i] {
			e.value[i] = never
		}
	}
	return true
}

// add adds the vectors of e, with the values of bound: for each x and plan, one that begins with it. None is above its
// backup, as the highest of the plans that e draws from is not below their mean anywhere.
func (t *VectorSet) add(e *evaluated) {
	discount, drop := t.LowerDiscount/t.Discount, 0.0
	if t.Goal == nil {
		drop = 1e-12 * t.scale() / t.Rate()
	}
	next := make([]*Vector, 0, t.NX*e.plans())
	for x := range t.NX {
		for u := range e.plans() {
			value := make([]float64, t.NY)
			for y := range value {
				s := x*t.NY + y
				if t.Goal != nil && t.Goal.ends[s] {
					continue
				}
				r := e.rows.Reward[s*t.NA+u/e.nodes]
				if value[y] = e.ahead(s, u); !isNever(value[y]) {
					value[y] = r - t.charge + discount*(value[y]-r) - drop
				}
			}
			next = append(next, t.gamma[x].add(Vector{x: int32(x), action: int32(u / e.nodes), value: value, draws: e.drawing, node: int32(u % e.nodes)}))
		}
	}
	for _, v := range next {
		v.next = next
	}
}

const (
	// mostNodes is the most nodes of memory that Draw looks for.
	mostNodes = 3
	// worthShare is the share of the gap at the start by which a drawing has to raise the lower bound before Draw has done with it.
	worthShare = 1. / 4
	// drawSize bounds the entries of the chain of a drawing.
	drawSize = 4_000_000
)

// Draw looks for finite-state controllers that earn more, first with one node of memory, which is a memoryless policy, and then with some, and adds
// the vectors of those that earn more than what is known. It works while it is iterated over; a step says what it has taken, and is Better where vectors have come.
// bounds returns those at the start.
//
// A controller is made better by policy gradient with exact values and visits (Baxter and Bartlett 2001, "Infinite-Horizon Policy-Gradient
// Estimation", has the gradient), along the direction of Frank and Wolfe (1956): towards the best plan wherever something is seen.
func (t *VectorSet) Draw(ctx context.Context, workers int, bounds func() (lower, upper float64)) iter.Seq[mdp.BoundStep] {
	return func(yield func(mdp.BoundStep) bool) {
		entries := 0
		for _, move := range t.Move {
			entries += len(move.Col)
		}
		if t.Discount == 0 || entries > drawSize || t.NX*(t.NO+1) > drawSize {
			return
		}
		var c *drawing
		if t.Goal != nil {
			c = newDrawing(t.SearchProblem, t.Goal.mdp)
		} else {
			c = newDrawing(t.SearchProblem, t.MDP(workers, false))
		}
		work := float64(entries * len(c.tables))
		for nodes := 1; nodes <= mostNodes && work <= drawSize; nodes++ {
			if !yield(mdp.BoundStep{Work: chainWork * work}) || ctx.Err() != nil {
				return
			}
			if nodes > 1 {
				c = c.grow(nodes)
			}
			e := c.evaluate(ctx, nil)
			publish := func(least float64) (better bool) {
				lower, upper := bounds()
				if e.near && e.earns > lower+least*(upper-lower) && e.earns > lower+1e-6*math.Abs(lower) {
					if better = e.bound(ctx, 1e-3*(upper-lower)); better {
						t.add(e)
					}
				}
				return better
			}
			for next, work := range e.climb(ctx) {
				e = next
				if !yield(mdp.BoundStep{Work: work, Better: publish(worthShare)}) {
					return
				}
			}
			if !yield(mdp.BoundStep{Work: e.work, Better: publish(0)}) {
				return
			}
			c = e.drawing
			work *= float64((nodes+1)*(nodes+1)) / float64(nodes*nodes)
		}
	}
}
