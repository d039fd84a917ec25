package pomdpfile

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/pomdp"
)

// bytesPerSight is what an edge of a controller takes, in a map.
const bytesPerSight = 120

// oneVisible refuses a model that a policy graph is not for.
func oneVisible(where string, m *pomdp.Model) error {
	return bcpace.In(where).Need(m.NumVisible() == 1, "number of visible states", m.NumVisible(), "1 of the model, as a .pg file knows no others; the JSON of Storm is for .drn models")
}

// ReadGraph reads a policy graph of a model with a single visible value from a .pg file of pomdp-solve. A line has the number of a node, from 0 in their
// order, its action, and by observation the number of the node that follows; - or X stands for none. Start is nil: the file does not say it. For errors see Read.
func ReadGraph(ctx context.Context, r io.Reader, name string, m *pomdp.Model) (c *pomdp.Controller, err error) {
	if err := oneVisible(name, m); err != nil {
		return nil, err
	}
	defer caught(&err)
	s := newScanner(disk.Within(ctx, r), name)
	b := newBudget(ctx, s.source, standard())
	c = &pomdp.Controller{}
	var lines []int                                                                       // by node
	within := func() bool { return len(lines) > 0 && s.tokenLine == lines[len(lines)-1] } // the line of the last node
	number := func(what string, below int) int {
		n, ok := parseCount(s.text)
		if !ok || n >= below || !within() {
			s.want(what)
		}
		s.next()
		return n
	}
	for s.kind != 0 || lines == nil {
		if k := strconv.Itoa(len(lines)); string(s.text) != k || within() {
			s.want(fmt.Sprintf("node %s at the beginning of a line, with %d observations", k, len(m.Observations)))
		}
		lines = append(lines, s.tokenLine)
		s.next()
		b.work(len(m.Observations))
		b.spendAll(1+len(m.Observations), bytesPerSight)
		n := pomdp.Node{Action: number(fmt.Sprintf("an action from 0 to %d", len(m.Actions)-1), len(m.Actions)), Next: map[pomdp.Sight][]pomdp.Entry{}, Place: fmt.Sprintf("line %d", lines[len(lines)-1])}
		for o := range m.Observations {
			if t := string(s.text); within() && (t == "-" || strings.EqualFold(t, "X")) {
				s.next()
				continue
			}
			to := number(fmt.Sprintf("a node for each of %d observations", len(m.Observations)), 1<<31-1)
			n.Next[pomdp.Sight{Observation: int32(o)}] = []pomdp.Entry{{At: int32(to), Value: 1}}
		}
		c.Nodes = append(c.Nodes, n)
	}
	for i, n := range c.Nodes {
		for o := range m.Observations {
			for _, e := range n.Next[pomdp.Sight{Observation: int32(o)}] {
				if int(e.At) >= len(lines) {
					s.failAt(lines[i], 0, fmt.Sprintf("node %d after observation %d", e.At, o), fmt.Sprintf("a node from 0 to %d", len(lines)-1))
				}
			}
		}
	}
	return c, nil
}

// WriteGraph writes a controller whose nodes follow for certain as a .pg file, which does not say where it starts. What cannot be seen leads to node 0. The error
// is that of w, or a *bcpace.InputError for a model with visible values, which the format does not know.
func WriteGraph(w io.Writer, m *pomdp.Model, c *pomdp.Controller) error {
	if err := oneVisible("WriteGraph", m); err != nil {
		return err
	}
	p := newPrinter(w)
	for i, n := range c.Nodes {
		fmt.Fprintf(p, "%d %d ", i, n.Action)
		for o := range m.Observations {
			to := append(n.Next[pomdp.Sight{Observation: int32(o)}], pomdp.Entry{})
			fmt.Fprintf(p, " %d", to[0].At)
		}
		p.text("\n")
	}
	return p.Flush()
}
