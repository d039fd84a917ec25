package envs

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayescpace/bcpace"
)

// Table is a task in which an agent learns the transitions of an MDP with numbered states, in
// one long trial. Its methods are about the true MDP; what an agent knows is TransitionPrior.
// There is one latent, and episodes do not end.
type Table struct {
	spec   bcpace.Spec
	prior  bcpace.TransitionPrior
	states [][]float64 // by number; the trial begins in the first
	number map[[3]float64]int
	rows   [][]chance // by state and action
	reward []float64  // by state and action
}

// chance is a next state with its probability.
type chance struct {
	next int
	prob float64
}

var _ bcpace.UnknownTransitions = (*Table)(nil)

// newTable makes a table of its states, of what follows them, and of the rewards.
func newTable(spec bcpace.Spec, prior bcpace.TransitionPrior, states [][]float64, follows func(s, action int) []chance, reward func(s, action int) float64) *Table {
	t := &Table{spec: spec, prior: prior, states: states, number: make(map[[3]float64]int)}
	t.spec.Latents = []string{"the MDP"}
	for i, s := range states {
		t.number[key(s)] = i
	}
	for s := range states {
		for a := range spec.Actions {
			t.rows, t.reward = append(t.rows, follows(s, a)), append(t.reward, reward(s, a))
		}
	}
	return t
}

// key returns a state of up to three axes as the key of a map.
func key(s []float64) (k [3]float64) {
	copy(k[:], s)
	return k
}

// TransitionPrior implements bcpace.UnknownTransitions.
func (t *Table) TransitionPrior() bcpace.TransitionPrior { return t.prior }

// Spec implements bcpace.Model.
func (t *Table) Spec() bcpace.Spec { return t.spec }

// Prior implements bcpace.Model.
func (t *Table) Prior(b bcpace.Belief) { b[0] = 1 }

// Start implements bcpace.Model.
func (t *Table) Start(s []float64, _ int, _ *rand.Rand) { copy(s, t.states[0]) }

func (t *Table) row(s []float64, action int) int {
	return t.number[key(s)]*len(t.spec.Actions) + action
}

// Step implements bcpace.Model.
func (t *Table) Step(next, s []float64, _, action int, rng *rand.Rand) bcpace.Outcome {
	r := t.row(s, action)
	u, to := rng.Float64(), 0
	for _, c := range t.rows[r] {
		to = c.next
		if u -= c.prob; u < 0 {
			break
		}
	}
	copy(next, t.states[to])
	return bcpace.Outcome{Reward: t.reward[r]}
}

// LogLikelihood implements bcpace.Model.
func (t *Table) LogLikelihood(s []float64, action int, next []float64, _ int) float64 {
	p := 0.0
	to := t.StateIndex(next)
	for _, c := range t.rows[t.row(s, action)] {
		if c.next == to {
			p += c.prob
		}
	}
	return math.Log(p)
}

// Starts implements bcpace.Enumerator.
func (t *Table) Starts(z *bcpace.Successors) { copy(sureStart(z), t.states[0]) }

// Successors implements bcpace.Enumerator.
func (t *Table) Successors(z *bcpace.Successors, s []float64, action int) {
	r := t.row(s, action)
	for _, c := range t.rows[r] {
		next, p, reward := z.Add(false)
		copy(next, t.states[c.next])
		p[0], reward[0] = c.prob, t.reward[r]
	}
}

// NumStates implements bcpace.Finite.
func (t *Table) NumStates() int { return len(t.states) }

// StateAt implements bcpace.Finite.
func (t *Table) StateAt(s []float64, number int) { copy(s, t.states[number]) }

// StateIndex implements bcpace.Finite.
func (t *Table) StateIndex(s []float64) int {
	if i, ok := t.number[key(s)]; ok {
		return i
	}
	return -1
}

// Words for what an agent knows of the transitions of a Table.
const (
	flatPrior   = "flat"
	sparsePrior = "sparse"
)

// tableParameters are the parameters of a task whose transitions an agent learns.
func tableParameters[E any](sparse func(*E) *bool, discount func(*E) *float64) parameters[E] {
	return parameters[E]{
		{"prior", flatPrior + " or " + sparsePrior, "what a learning agent knows: flat, that any state may follow; sparse, that few do", chosen(sparse, flatPrior, sparsePrior)},
		discounted(discount, defaultDiscount),
	}
}

// DoubleLoop is the task of two loops of five states that meet in one (Watkins 1989; Dearden,
// Friedman and Russell 1998): action a goes round the loop that pays 1, and only b at every
// step round the one that pays 2. All moves succeed.
type DoubleLoop struct {
	// Sparse says that an agent knows that few states follow an action; see
	// bcpace.TransitionPrior.
	Sparse bool
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const doubleLoopName = "double-loop"

var doubleLoopParameters = tableParameters(func(d *DoubleLoop) *bool { return &d.Sparse }, func(d *DoubleLoop) *float64 { return &d.Discount })

// Model returns the model. The error is a *bcpace.InputError.
func (d DoubleLoop) Model() (*Table, error) {
	d, err := doubleLoopParameters.sound(doubleLoopName, d)
	if err != nil {
		return nil, err
	}
	const first, second = 4, 8 // the last states of the loops
	spec := bcpace.Spec{
		Name: doubleLoopName, Params: doubleLoopParameters.of(d),
		Axes: []bcpace.Axis{{Name: "state", Min: 0, Max: second, Discrete: true}}, Actions: bcpace.Actions("a", "b"),
		Discount: d.Discount, RewardMin: 0, RewardMax: 2,
	}
	states := listOf(second+1, func(i int) []float64 { return []float64{float64(i)} })
	follows := func(s, action int) []chance {
		next := s + 1
		switch {
		case s == first || s == second || s > first && action == 0:
			next = 0
		case s == 0 && action == 1:
			next = first + 1
		}
		return []chance{{next, 1}}
	}
	reward := func(s, _ int) float64 { return map[int]float64{first: 1, second: 2}[s] }
	return newTable(spec, bcpace.TransitionPrior{Sparse: d.Sparse}, states, follows, reward), nil
}

// Goal is a square grid with one cell that pays, opposite to the start: Grid5 and Grid10 of
// Guez, Silver and Dayan (2012). A move fails with probability 0.2, and then goes to one of the
// sides. The goal pays 1 to whoever leaves it, whatever the action, which leads to the start.
type Goal struct {
	// Side is the number of cells on each side, 5 or 10. If it is 0, 5 is used.
	Side int
	// Sparse and Discount are those of DoubleLoop.
	Sparse   bool
	Discount float64
}

const (
	goalName      = "grid5"
	largeGoalName = "grid10"
	goalFails     = 0.2
)

// slipping returns the cells to which a move leads that fails with a probability: go says where
// a move leads from the cell.
func slipping(action int, fails float64, move func(direction int) int) []chance {
	var to []chance
	for _, x := range []chance{{action, 1 - fails}, {(action + 1) % 4, fails / 2}, {(action + 3) % 4, fails / 2}} {
		next := move(x.next)
		if i := slices.IndexFunc(to, func(c chance) bool { return c.next == next }); i >= 0 {
			to[i].prob += x.prob
		} else {
			to = append(to, chance{next, x.prob})
		}
	}
	return to
}

var goalParameters = tableParameters(func(g *Goal) *bool { return &g.Sparse }, func(g *Goal) *float64 { return &g.Discount })

// Model returns the model. The error is a *bcpace.InputError.
func (g Goal) Model() (*Table, error) {
	n, name := 5, goalName
	switch g.Side {
	case 0, 5:
	case 10:
		n, name = 10, largeGoalName
	default:
		return nil, inputError(goalName, "side", g.Side, "5 or 10 cells")
	}
	g, err := goalParameters.sound(name, g)
	if err != nil {
		return nil, err
	}
	spec := bcpace.Spec{
		Name: name, Params: goalParameters.of(g),
		Axes:    cellAxes(n-1, n-1),
		Actions: bcpace.Actions("up", "right", "down", "left"), Discount: g.Discount, RewardMin: 0, RewardMax: 1,
	}
	states := listOf(n*n, func(i int) []float64 { return []float64{float64(i / n), float64(i % n)} })
	goal := n*n - 1
	follows := func(s, action int) []chance {
		if s == goal {
			return []chance{{0, 1}}
		}
		return slipping(action, goalFails, func(direction int) int {
			x, y := walk(s/n, s%n, direction, n-1, n-1)
			return x*n + y
		})
	}
	reward := func(s, _ int) float64 { return map[int]float64{goal: 1}[s] }
	return newTable(spec, bcpace.TransitionPrior{Sparse: g.Sparse}, states, follows, reward), nil
}

// Maze is the maze with three flags of Dearden, Friedman and Russell (1998, "Bayesian
// Q-learning"): 33 cells and the flags that were taken make 264 states. A move fails with
// probability 0.1, and then goes to one of the sides. Whoever leaves the goal is paid 1 for each
// flag, and begins again without any.
type Maze struct {
	// Sparse and Discount are those of DoubleLoop.
	Sparse   bool
	Discount float64
}

const (
	mazeName  = "maze"
	mazeFails = 0.1
	// mazeMap has walls #, flags 1, 2, 3, the start S and the goal G.
	mazeMap = `S#2.#.G
.#..#..
.......
##...##
......3
1.....#`
)

var mazeParameters = tableParameters(func(z *Maze) *bool { return &z.Sparse }, func(z *Maze) *float64 { return &z.Discount })

// Model returns the model. The error is a *bcpace.InputError.
func (z Maze) Model() (*Table, error) {
	z, err := mazeParameters.sound(mazeName, z)
	if err != nil {
		return nil, err
	}
	plan := strings.Split(mazeMap, "\n")
	spec := bcpace.Spec{
		Name: mazeName, Params: mazeParameters.of(z),
		Axes: append(cellAxes(len(plan[0])-1, len(plan)-1),
			bcpace.Axis{Name: "flags", Max: 7, Labels: []string{"none", "1", "2", "1, 2", "3", "1, 3", "2, 3", "all"}, Discrete: true}),
		Actions: bcpace.Actions("up", "right", "down", "left"), Discount: z.Discount, RewardMin: 0, RewardMax: 3,
	}
	cellOf := func(x, y int) byte { // row 0 of the plan is the top
		if y < 0 || y >= len(plan) || x < 0 || x >= len(plan[0]) {
			return '#'
		}
		return plan[len(plan)-1-y][x]
	}
	var states [][]float64
	number := make(map[[3]int]int)
	add := func(x, y int) {
		for flags := range 8 {
			number[[3]int{x, y, flags}] = len(states)
			states = append(states, []float64{float64(x), float64(y), float64(flags)})
		}
	}
	top := len(plan) - 1
	add(0, top) // the start
	for x := range len(plan[0]) {
		for y := range len(plan) {
			if cellOf(x, y) != '#' && cellOf(x, y) != 'S' {
				add(x, y)
			}
		}
	}
	at := func(s int) (x, y, flags int) { return int(states[s][0]), int(states[s][1]), int(states[s][2]) }
	follows := func(s, action int) []chance {
		x, y, flags := at(s)
		if cellOf(x, y) == 'G' {
			return []chance{{0, 1}}
		}
		return slipping(action, mazeFails, func(direction int) int {
			x, y := x+compass[direction][0], y+compass[direction][1]
			switch cell := cellOf(x, y); cell {
			case '#':
				return s
			case '1', '2', '3':
				return number[[3]int{x, y, flags | 1<<(cell-'1')}]
			}
			return number[[3]int{x, y, flags}]
		})
	}
	reward := func(s, _ int) float64 {
		x, y, flags := at(s)
		if cellOf(x, y) == 'G' {
			return float64(flags&1 + flags>>1&1 + flags>>2)
		}
		return 0
	}
	return newTable(spec, bcpace.TransitionPrior{Sparse: z.Sparse}, states, follows, reward), nil
}
