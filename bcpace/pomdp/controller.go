package pomdp

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"bayescpace/bcpace"
)

// Controller is a finite-state controller of a Model: at a node the agent takes the action of the node, and what it sees
// then draws the node that follows.
type Controller struct {
	Nodes []Node
	// Start are the nodes to begin with, each where its x is visible, and their probabilities there. It is nil where that is not known.
	Start []Entry
}

// Node is a node of a Controller.
type Node struct {
	Visible int // x, where the node is taken
	Action  int // its number in Model.Actions
	// Next are the nodes that may follow, and their probabilities; none for what the controller says nothing of.
	Next  map[Sight][]Entry
	Place string // where a file has what follows the node, for errors
}

// Sight is what an agent sees after an action.
type Sight struct{ Visible, Observation int32 }

const (
	// MaxNodes is the most nodes that ControllerOf gives a controller.
	MaxNodes = 10_000
	// maxSights is the most that may follow all nodes together.
	maxSights = 1 << 23
)

// ControllerOf returns the controller of m whose nodes are the vectors of a policy found for of, see Place. The first nodes are the vectors that are
// highest at the first beliefs. A node is followed by the vector that is highest at the belief that follows the one at which the node was met first,
// so that the controller may earn less than the policy. What could not be seen there, and can be elsewhere, leads to the first node that there is. Start is nil: any node
// may be the best one to begin with.
//
// The error is that of ctx or Place, or a *bcpace.InputError for a policy that counts the steps left, and for more than MaxNodes nodes.
func ControllerOf(ctx context.Context, m, of *Model, p *VectorPolicy) (*Controller, error) {
	placed, err := Place(ctx, m, of, p)
	if err != nil {
		return nil, err
	}
	in, c := bcpace.In("controller of a policy"), &Controller{}
	if placed.Steps > 0 {
		return nil, in.Bad("the policy", fmt.Sprintf("for %d steps", placed.Steps), "one without a horizon, as a controller goes on without end")
	}
	g := grower{placed, c, m, p, map[[3]int]int32{}, nil}
	b, sights := make([]float64, m.NumHidden()), 0
	for x := range m.NumVisible() {
		if m.StartBelief(b, x) > 0 {
			g.node(x, b)
		}
	}
	for i := 0; i < len(c.Nodes); i++ { // which grows
		if err := cmp.Or(ctx.Err(), in.Need(len(c.Nodes) <= MaxNodes && (len(c.Nodes)-i)*len(b) <= maxEntries && sights <= maxSights, "the number of nodes", "too large", fmt.Sprintf("at most %d, or fewer with many hidden states or observations: a policy of fewer vectors", MaxNodes))); err != nil {
			return nil, err
		}
		for _, possible := range []bool{true, false} {
			for y, p := range g.met[i] {
				if (p > 0) == possible {
					g.grow(i, y, b, possible)
				}
			}
		}
		g.met[i], sights = nil, sights+len(c.Nodes[i].Next)
	}
	for _, n := range c.Nodes {
		for at, to := range n.Next {
			if to[0].At < 0 {
				to[0].At = int32(slices.IndexFunc(c.Nodes, func(n Node) bool { return n.Visible == int(at.Visible) }))
			}
			if to[0].At < 0 {
				delete(n.Next, at)
			}
		}
	}
	return c, nil
}

// grower makes a controller of vectors.
type grower struct {
	*PlacedPolicy
	*Controller
	m       *Model
	vectors *VectorPolicy
	number  map[[3]int]int32 // of nodes: by x of m, and x and the place of a vector
	met     [][]float64      // by node: the belief where it was met, until it has grown
}

// node returns the node of the vector that is highest at (x, b), −1 where there is none.
func (g *grower) node(x int, b []float64) int32 {
	on, believed := x, b
	if g.revealed != nil {
		on, believed = g.revealed.Belief(g.believed, x, b), g.believed
	}
	k, _ := g.vectors.best(on, believed)
	if k < 0 {
		return -1
	}
	n, ok := g.number[[3]int{x, on, k}]
	if !ok {
		n = int32(len(g.Nodes))
		g.number[[3]int{x, on, k}], g.met = n, append(g.met, slices.Clone(b))
		g.Nodes = append(g.Nodes, Node{Visible: x, Action: g.vectors.Vectors[on][k].Action, Next: map[Sight][]Entry{}})
	}
	return n
}

// grow lets node i be followed after what may be seen from y; where y is not possible, it is not known by what yet. b is working memory.
func (g *grower) grow(i, y int, b []float64, possible bool) {
	n := g.Nodes[i]
	col, _ := g.m.Move[n.Action].At(n.Visible*len(b) + y)
	for _, next := range col {
		obs, _ := g.m.Sense[n.Action].At(int(next))
		for _, o := range obs {
			at, to := Sight{next / int32(len(b)), o}, int32(-1)
			if n.Next[at] != nil {
				continue
			}
			if possible && g.m.Update(b, g.met[i], n.Visible, n.Action, int(at.Visible), int(o)) > 0 {
				to = g.node(int(at.Visible), b)
			}
			n.Next[at] = []Entry{{to, 1}}
		}
	}
}

// WriteDot writes c, a controller of m, for Graphviz: nodes with their actions, those of Start with two circles, and edges with what is seen.
func (c *Controller) WriteDot(w io.Writer, m *Model) error {
	b := bufio.NewWriter(w) // which keeps its error until Flush
	quoted := func(text string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"` }
	fmt.Fprintf(b, "digraph %s {\n", quoted(m.Name))
	for _, e := range c.Start {
		fmt.Fprintf(b, "%d [peripheries=2]\n", e.At)
	}
	for i, n := range c.Nodes {
		fmt.Fprintf(b, "%d [label=%s]\n", i, quoted(fmt.Sprintf("%d: %s", i, m.Actions[n.Action])))
		for x := range m.NumVisible() {
			for o, seen := range m.Observations {
				for _, e := range n.Next[Sight{int32(x), int32(o)}] {
					fmt.Fprintf(b, "%d -> %d [label=%s]\n", i, e.At, quoted(strings.Join(append(ValueNames(m.Visible, x), seen), ", ")))
				}
			}
		}
	}
	b.WriteString("}\n")
	return b.Flush()
}
