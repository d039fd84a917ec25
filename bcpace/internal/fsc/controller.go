// Package fsc has stochastic finite-state controllers of POMDPs: their values, and how they climb (Meuleau, Peshkin, Kim and Kaelbling 1999,
// "Learning Finite-State Controllers for Partially Observable Environments", climb with sampled episodes; here values and visits are computed).
package fsc

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/pomdp"
)

// Process is a POMDP that controllers act in.
type Process struct {
	*pomdp.Model
	// Rows are those of its states, with γ.
	Rows *mdp.MDP
	// Rest says by state that nothing is paid from there on. It is nil with a discount, and where no reward is below 0 or steps are counted.
	Rest           []bool
	nx, ny, na, no int
	tables         []*pomdp.Matrix // of observations; nil for what tells x alone, as at the start
	table          []int           // by action
	sight          []int32         // by x·(no+1) + o: the number of what is seen, −1 for what is not; o is no where x is all
	sights, places int             // places are those in what may be seen, by table and state
}

// NewProcess returns the process of m with rows and rest.
func NewProcess(m *pomdp.Model, rows *mdp.MDP, rest []bool) *Process {
	p := &Process{Model: m, Rows: rows, Rest: rest, nx: m.NumVisible(), ny: m.NumHidden(), na: len(m.Actions), no: len(m.Observations)}
	p.table = make([]int, p.na)
	p.sight = slices.Repeat([]int32{-1}, p.nx*(p.no+1))
	if p.no > 1 {
		for a, sense := range p.Sense {
			if p.table[a] = slices.Index(p.tables, sense); p.table[a] < 0 {
				p.table[a] = len(p.tables)
				p.tables = append(p.tables, sense)
				for s := range p.nx * p.ny {
					obs, _ := sense.At(s)
					for _, o := range obs {
						p.see(s/p.ny, int(o))
					}
					p.places += len(obs)
				}
			}
		}
	}
	p.tables = append(p.tables, nil)
	for x := range p.nx {
		p.see(x, p.no)
	}
	return p
}

// see numbers what is seen.
func (p *Process) see(x, o int) {
	if k := &p.sight[x*(p.no+1)+o]; *k < 0 {
		*k = int32(p.sights)
		p.sights++
	}
}

// seen returns the numbers of what may be seen in s by a table, and their probabilities.
func (p *Process) seen(sights []int32, table, s int) ([]int32, []float64) {
	at := p.sight[s/p.ny*(p.no+1):]
	if p.tables[table] == nil {
		return append(sights[:0], at[p.no]), one
	}
	obs, prob := p.tables[table].At(s)
	sights = sights[:0]
	for _, o := range obs {
		sights = append(sights, at[o])
	}
	return sights, prob
}

var one = []float64{1}

// Entries returns about how many numbers a controller of so many nodes and its chain have, and are looked at to make them.
func (p *Process) Entries(nodes int) int {
	return nodes * nodes * (len(p.Rows.Col)*len(p.tables) + (p.places+p.sights)*p.na)
}

// Controller is an agent that remembers one of a few nodes, and draws by it and by what it sees, x and the observation, a plan: its action and
// the node that follows. With one node it is a memoryless policy. At the start it sees x alone.
//
// Its values are those of a Markov chain whose states are triples of node, table and s: by which table of observations something will be seen of s.
type Controller struct {
	*Process
	Nodes int
	share []float64 // by (sight·Nodes + node)·Plans + plan: its probability
}

// Uniform returns the controller of a node that draws each action with the same probability.
func (p *Process) Uniform() *Controller {
	return &Controller{Process: p, Nodes: 1, share: slices.Repeat([]float64{1 / float64(p.na)}, p.sights*p.na)}
}

// Plans returns the number of plans. Plan u takes action u/Nodes, and node u%Nodes follows.
func (c *Controller) Plans() int { return c.na * c.Nodes }

// state returns the state of the chain.
func (c *Controller) state(node, table, s int) int {
	return (node*len(c.tables)+table)*c.nx*c.ny + s
}

// after returns the state of the chain in which plan u and a successor s result.
func (c *Controller) after(u, s int) int {
	return c.state(u%c.Nodes, c.table[u/c.Nodes], s)
}

// of returns the probabilities of the plans at a node where so much is seen.
func (c *Controller) of(sight int32, node int) []float64 {
	n := c.Plans()
	return c.share[(int(sight)*c.Nodes+node)*n:][:n]
}

// At returns the probabilities of the plans at a node that sees x and o, a view.
func (c *Controller) At(node, x, o int) []float64 {
	if c.no == 1 {
		o = c.no
	}
	return c.of(c.sight[x*(c.no+1)+o], node)
}

// chain returns the Markov chain of c as a process of one action.
func (c *Controller) chain() *mdp.MDP {
	states := c.nx * c.ny
	n := c.Nodes * len(c.tables) * states
	q := &mdp.MDP{Actions: 1, Discount: c.Rows.Discount, Rate: c.Rows.Rate, Workers: c.Rows.Workers, Row: make([]int, 1, n+1), Reward: make([]float64, n)}
	place := make([]int, n) // of a successor among those of the state, plus 1
	share := make([]float64, c.Plans())
	var sights []int32
	var prob []float64
	for i := range n {
		s, rest := i%states, i/states
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
			row := s*c.na + u/c.Nodes
			q.Reward[i] += w * c.Rows.Reward[row]
			base := c.after(u, 0)
			for k := c.Rows.Row[row]; k < c.Rows.Row[row+1]; k++ {
				to := base + int(c.Rows.Col[k])
				if place[to] <= first {
					q.Col, q.Weight = append(q.Col, int32(to)), append(q.Weight, 0)
					place[to] = len(q.Col)
				}
				q.Weight[place[to]-1] += w * c.Rows.Weight[k]
			}
		}
		q.Row = append(q.Row, len(q.Col))
	}
	return q
}

// Grow returns a controller of more nodes, which do about what those of c do, each a little differently.
func (c *Controller) Grow(nodes int) *Controller {
	g := &Controller{Process: c.Process, Nodes: nodes}
	g.share = make([]float64, g.sights*nodes*g.Plans())
	rng := rand.New(rand.NewPCG(1, uint64(nodes)))
	for sight := range int32(c.sights) {
		for node := range nodes {
			of, old := g.of(sight, node), c.of(sight, node%c.Nodes)
			for u := range of {
				a := u / nodes
				of[u] = (floats.Sum(old[a*c.Nodes:(a+1)*c.Nodes]) + .1) * (.5 + rng.Float64())
			}
			floats.Scale(1/floats.Sum(of), of)
		}
	}
	return g
}
