package explicit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// stormController is what Storm writes of an ObservationBasedFiniteStateController: at a node the agent sees the observation of a state, draws an action, and goes on to
// the successor.
type stormController struct {
	Deterministic bool        `json:"deterministic"`
	Initial       json.Number `json:"initial-node"`
	Nodes         []stormNode `json:"nodes"`
}

type stormNode struct {
	ID          json.Number  `json:"id"`
	Transitions []transition `json:"transitions"`
}

type transition struct {
	Actions     []stormAction `json:"actions"`
	Observation struct {
		ID json.Number `json:"id"`
	} `json:"observation"`
	Successor json.Number `json:"successor"`
}

type stormAction struct {
	ID          int     `json:"id"` // the place among the choices, in an order of Storm
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`
}

// offer is what the states of an observation offer: labels of choices, and by action of the POMDP the place of the one that it stands for.
type offer struct {
	seen   pomdp.Sight
	labels []string
	stands []int32
}

// offers returns what is offered, by the number of the observation.
func (m *Model) offers(ctx context.Context, p Property) (map[json.Number]offer, error) {
	t, all := tables{m: m, of: p}, map[json.Number]offer{}
	err := t.ask(ctx)
	if err == nil {
		err = t.classify(ctx)
	}
	if err == nil && m.Observation == nil {
		err = t.bad("its kind", "one whose states are seen", "a POMDP, as controllers act by observations")
	}
	if err != nil {
		return nil, err
	}
	for k, states := range t.members {
		of := offer{seen: pomdp.Sight{Observation: int32(k)}, stands: t.stands(k)}
		for _, c := range t.choices(states[0]) {
			of.labels = append(of.labels, m.Actions[m.Action[c]])
		}
		all[json.Number(t.seen[k])] = of
	}
	return all, nil
}

// perByte is how many bytes of memory a byte of Storm's JSON takes at most.
const perByte = 64

// ReadController reads a controller for the POMDP of a property asked of m, from the JSON of Storm's ObservationBasedFiniteStateController. A node of
// the controller is an action with the node of Storm that follows. Actions are known by their names, the labels of choices. What the file says of observations where
// an episode has ended does not matter. The error is that of ctx or r, or a *bcpace.InputError that names the place in the file.
func (m *Model) ReadController(ctx context.Context, r io.Reader, name string, p Property) (*pomdp.Controller, error) {
	f := controllerReader{In: bcpace.In(name), node: map[json.Number]int{}, number: map[[2]int]int32{}}
	offers, err := m.offers(ctx, p)
	if err != nil {
		return nil, err
	}
	most := memory() / perByte
	text, err := io.ReadAll(io.LimitReader(disk.Within(ctx, r), int64(most)+1))
	if err := cmp.Or(err, f.Need(len(text) <= most, "the length", "too large", fmt.Sprintf("at most %d bytes", most))); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(&f.file)
	if _, more := d.Token(); err == nil && more != io.EOF {
		err = errors.New("there is more after the controller")
	}
	if err != nil {
		at := new(json.SyntaxError)
		errors.As(err, &at)
		return nil, f.Bad(fmt.Sprintf("line %d", 1+bytes.Count(text[:at.Offset], []byte("\n"))), err, "the JSON of Storm's finite-state controllers")
	}
	return f.controller(offers, offers[json.Number(strconv.Itoa(int(m.Observation[m.Initial])))].seen)
}

// controllerReader makes a controller of a file.
type controllerReader struct {
	bcpace.In
	file   stormController
	node   map[json.Number]int // by id: the place of a node of the file
	number map[[2]int]int32    // of nodes of the controller: by action, and place of the node of the file that follows
	plans  [][2]int            // its reverse
}

// controller returns that of the file, which begins where something is seen.
func (f *controllerReader) controller(offers map[json.Number]offer, first pomdp.Sight) (*pomdp.Controller, error) {
	for i, n := range f.file.Nodes {
		_, twice := f.node[n.ID]
		if err := f.Need(!twice && n.ID != "", fmt.Sprintf("nodes[%d].id", i), cmp.Or(n.ID, "missing"), "a number of its own"); err != nil {
			return nil, err
		}
		f.node[n.ID] = i
	}
	next := make([]map[pomdp.Sight][]pomdp.Entry, len(f.file.Nodes))
	for i := range next {
		next[i] = map[pomdp.Sight][]pomdp.Entry{}
		seen := map[json.Number]bool{}
		for j, t := range f.file.Nodes[i].Transitions {
			at := fmt.Sprintf("nodes[%d].transitions[%d].", i, j)
			if err := f.Need(t.Observation.ID != "" && !seen[t.Observation.ID], at+"observation.id", cmp.Or(t.Observation.ID, "missing"), "a number, once in a node"); err != nil {
				return nil, err
			}
			seen[t.Observation.ID] = true
			of, asked := offers[t.Observation.ID]
			list, err := f.transition(at, t, of, asked)
			if err != nil {
				return nil, err
			}
			if asked {
				next[i][of.seen] = list
			}
		}
	}
	c := &pomdp.Controller{}
	for _, plan := range f.plans {
		c.Nodes = append(c.Nodes, pomdp.Node{Action: plan[0], Next: next[plan[1]], Place: fmt.Sprintf("nodes[%d].transitions", plan[1])})
	}
	begin, ok := f.node[f.file.Initial]
	if ok {
		c.Start = next[begin][first]
	}
	return c, cmp.Or(f.Need(ok, "initial-node", cmp.Or(f.file.Initial, "missing"), "the id of a node"),
		f.Need(c.Start != nil, fmt.Sprintf("nodes[%d].transitions", begin), "without the observation of the initial state", "one that has it"))
}

// transition returns the nodes of the controller that follow, unless nothing is asked of the observation.
func (f *controllerReader) transition(at string, t transition, of offer, asked bool) (list []pomdp.Entry, err error) {
	to, ok := f.node[t.Successor]
	if err := f.Need(ok, at+"successor", cmp.Or(t.Successor, "missing"), "the id of a node"); err != nil {
		return nil, err
	}
	sum := 0.0
	for k, a := range t.Actions {
		place := max(slices.Index(of.labels, a.Name), 0)
		known := !asked || of.labels[place] == a.Name || len(of.labels) == 1 && a.Name == ""
		twice := slices.ContainsFunc(t.Actions[:k], func(b stormAction) bool { return b.Name == a.Name })
		sum += a.Probability
		if err := cmp.Or(f.Need(known && !twice, fmt.Sprintf("%sactions[%d].name", at, k), strconv.Quote(a.Name), "one of these, once: "+quoted(of.labels, func(l string) string { return l })),
			f.Need(a.Probability >= 0, fmt.Sprintf("%sactions[%d].probability", at, k), a.Probability, "a number from 0 to 1")); err != nil || !asked {
			return nil, err
		}
		if a.Probability == 0 {
			continue
		}
		plan := [2]int{slices.Index(of.stands, int32(place)), to}
		n, met := f.number[plan]
		if !met {
			n = int32(len(f.plans))
			f.number[plan], f.plans = n, append(f.plans, plan)
		}
		list = append(list, pomdp.Entry{At: n, Value: a.Probability})
	}
	for k := range list {
		list[k].Value /= sum
	}
	return list, f.Need(math.Abs(sum-1) <= pomdpfile.Tolerance, at+"actions", fmt.Sprintf("of probabilities that add up to %v", sum), "some that add up to 1")
}

// WriteController writes a controller for t, the POMDP of a property asked of m, whose nodes follow for certain, as Storm does. Its first node leads to that of c at the start,
// and the others are those of c, in their order. The error is that of ctx or w, or that of POMDP.
func (m *Model) WriteController(ctx context.Context, w io.Writer, p Property, t *pomdp.Model, c *pomdp.Controller) error {
	offers, err := m.offers(ctx, p)
	if err != nil {
		return err
	}
	file := stormController{Deterministic: true, Initial: "0"}
	number := func(n int) json.Number { return json.Number(strconv.Itoa(n)) }
	first := map[pomdp.Sight][]pomdp.Entry{offers[number(int(m.Observation[m.Initial]))].seen: c.Start}
	for i, from := range slices.Insert(slices.Clone(c.Nodes), 0, pomdp.Node{Next: first}) {
		n := stormNode{ID: number(i), Transitions: []transition{}}
		for _, seen := range t.Observations {
			of, asked := offers[json.Number(seen)] // not at the end of an episode
			for _, e := range from.Next[of.seen] {
				if !asked {
					continue
				}
				place := of.stands[c.Nodes[e.At].Action]
				step := transition{Actions: []stormAction{{ID: int(place), Name: of.labels[place], Probability: 1}}, Successor: number(int(e.At) + 1)}
				step.Observation.ID = json.Number(seen)
				n.Transitions = append(n.Transitions, step)
			}
		}
		file.Nodes = append(file.Nodes, n)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(file)
}
