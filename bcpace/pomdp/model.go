// Package pomdp holds finite partially observable Markov decision processes in
// sparse tables, with mixed observability: what solvers of baseline work on and
// what package pomdpfile reads and writes. FromBAMDP makes one of a BAMDP whose
// states are numbered.
package pomdp

import (
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
)

// Model is a finite POMDP with mixed observability (MOMDP; Ong et al. 2010,
// "Planning under uncertainty for robotic tasks with mixed observability"). Its
// state is a pair (x, y): the agent sees x and must infer y. A plain POMDP has a
// single x.
//
// States are numbered s = x·|Y| + y. In a step of action a the state moves to s'
// with probability Move[a](s, s'), the agent sees x' and an observation o with
// probability Sense[a](s', o), and is paid Reward[a][s], the mean over s' and o.
// There is no end of an episode: a state that ends it is one that leads to
// itself and pays nothing.
//
// Tables that are the same for several actions may be shared between them. A
// Model is not changed once it is made.
type Model struct {
	Name     string
	Discount float64 // γ in [0, 1]; for 1 without a horizon, see IsGoal
	// Horizon is the number of steps after which every episode is cut, or 0, as in
	// bcpace.Spec. Solvers need states that tell the steps left: see FiniteHorizon.
	Horizon int

	// Visible and Hidden are the factors of x and y, the last one counting
	// fastest. No factor means one value.
	Visible, Hidden []Variable
	Actions         []string
	Observations    []string

	Start  []Entry     // initial belief over states s, in the order of their numbers
	Move   []*Matrix   // by action: P(s'|s,a), of |S| rows
	Sense  []*Matrix   // by action: P(o|s',a), of |S| rows
	Reward [][]float64 // by action: R(s,a) in reward units, of length |S|
	// MustEnd says of a model that IsGoal that a policy which may go on without an end is worth −∞, whatever it is paid: the cost
	// of reaching a goal, where that is to be reached with probability 1. Without it, one that is no longer paid is worth what it was paid.
	MustEnd bool
	// MeanRewards says that R(s,a) is the mean of rewards that depend on what follows, so that the values of policies are right and
	// the distribution of their returns is not.
	MeanRewards bool
	// Offers holds, by state and action, the action that this one stands for there: itself where the state offers it, otherwise one that it
	// offers and that does the same. It is nil where all states offer all actions. States that look alike offer the same.
	Offers [][]int32
	// Notes say what the reader of a file took as it does not stand there, such as probabilities that add up to less than 1.
	Notes []string

	name func(s int) string // of state s, where the factors do not say it; nil where they do
}

// Variable is a factor of a state with the names of its values.
type Variable struct {
	Name   string
	Values []string
}

// Entry is a number of a sparse vector, its column, and its value.
type Entry struct {
	At    int32
	Value float64
}

// Matrix is a sparse matrix in rows: row i holds the columns
// Col[Row[i]:Row[i+1]], ascending, with the values beside them. All values are
// positive.
type Matrix struct {
	Row   []int
	Col   []int32
	Value []float64
}

// Len returns the number of rows.
func (m *Matrix) Len() int { return len(m.Row) - 1 }

// At returns the columns and values of row i.
func (m *Matrix) At(i int) (col []int32, value []float64) {
	return m.Col[m.Row[i]:m.Row[i+1]], m.Value[m.Row[i]:m.Row[i+1]]
}

// Size returns the number of values of a product of variables, 1 for none.
func Size(v []Variable) int {
	n := 1
	for _, x := range v {
		n *= len(x.Values)
	}
	return n
}

// NumVisible returns |X|, NumHidden |Y| and NumStates |X|·|Y|.
func (m *Model) NumVisible() int { return Size(m.Visible) }

// NumHidden returns |Y|.
func (m *Model) NumHidden() int { return Size(m.Hidden) }

// NumStates returns |X|·|Y|.
func (m *Model) NumStates() int { return m.NumVisible() * m.NumHidden() }

// NumberedNames returns n names: the prefix before each number from 0 up.
func NumberedNames(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i)
	}
	return names
}

// Policy chooses an action from what the agent sees, x, and its belief b over
// the hidden y, of length |Y|.
type Policy interface {
	// Act returns an action, or −1 for an x that the policy's model does not have.
	Act(x int, b []float64) int
}

// Forker is a Policy with working memory. Only one goroutine may call Act of a Forker;
// Fork returns a copy of the policy for another goroutine.
type Forker interface {
	Fork() Policy
}

// Fork returns a policy that another goroutine may use beside p.
func Fork(p Policy) Policy {
	if f, ok := p.(Forker); ok {
		return f.Fork()
	}
	return p
}

// PolicyFunc is a function as a Policy. It must be safe for concurrent use.
type PolicyFunc func(x int, b []float64) int

// Act calls f.
func (f PolicyFunc) Act(x int, b []float64) int { return f(x, b) }

// StartBelief fills b, of length |Y|, with the belief over y of an agent that sees x at
// the start, and returns the probability of x. If that is 0, it does not change b.
func (m *Model) StartBelief(b []float64, x int) float64 {
	p := 0.0
	for _, e := range m.Start {
		if int(e.At)/len(b) == x {
			p += e.Value
		}
	}
	if p == 0 {
		return 0
	}
	clear(b)
	for _, e := range m.Start {
		if int(e.At)/len(b) == x {
			b[int(e.At)%len(b)] = e.Value / p
		}
	}
	return p
}

// Update fills next with the belief over y' after action a at (x, b), where x'
// and observation o were seen:
//
//	b'(y') ∝ P(o|x',y',a) Σ_y b(y) P(x',y'|x,y,a)
//
// and returns the probability P(x', o | x, b, a). If that is 0, there is no such belief,
// and next holds zeros. next and b are of length |Y| and must not
// overlap. Update does not allocate.
func (m *Model) Update(next, b []float64, x, action, xNext, obs int) float64 {
	n := len(b)
	lo, hi := int32(xNext*n), int32((xNext+1)*n)
	clear(next)
	move := m.Move[action]
	for y, p := range b {
		if p == 0 {
			continue
		}
		col, value := move.At(x*n + y)
		i, _ := slices.BinarySearch(col, lo)
		for ; i < len(col) && col[i] < hi; i++ {
			next[col[i]-lo] += p * value[i]
		}
	}
	sense, sum := m.Sense[action], 0.0
	for y, p := range next {
		if p > 0 {
			next[y] = p * lookup(sense, xNext*n+y, obs)
			sum += next[y]
		}
	}
	if sum > 0 {
		for y := range next {
			next[y] /= sum
		}
	}
	return sum
}

// lookup returns the value at row i and column j, 0 where none is stored.
func lookup(m *Matrix, i, j int) float64 {
	col, value := m.At(i)
	if k, ok := slices.BinarySearch(col, int32(j)); ok {
		return value[k]
	}
	return 0
}

// Ends returns, by state, whether the episode ends there: every action leads
// to the state itself and pays nothing.
func (m *Model) Ends() []bool {
	ends := make([]bool, m.NumStates())
	for s := range ends {
		ends[s] = true
		for a := range m.Actions {
			col, _ := m.Move[a].At(s)
			if len(col) != 1 || int(col[0]) != s || m.Reward[a][s] != 0 {
				ends[s] = false
				break
			}
		}
	}
	return ends
}

// MDP returns the MDP that underlies m, that of an agent who sees all of the state, for so many
// goroutines. Unless it is whole, it leaves out what leads to an end of the episode without a discount, where any value would be its own
// backup.
func (m *Model) MDP(workers int, whole bool) *mdp.MDP {
	n, actions := m.NumStates(), len(m.Actions)
	p := &mdp.MDP{Actions: actions, Discount: m.Discount, Rate: m.Rate(), Workers: workers,
		Row: make([]int, 1, n*actions+1), Reward: make([]float64, 0, n*actions)}
	entries := 0
	for _, move := range m.Move {
		entries += len(move.Col)
	}
	p.Col, p.Weight = make([]int32, 0, entries), make([]float64, 0, entries)
	ends := make([]bool, n)
	if m.Discount == 1 && !whole {
		ends = m.Ends()
	}
	for s := range n {
		for a, move := range m.Move {
			col, prob := move.At(s)
			for i, to := range col {
				if !ends[to] {
					p.Col, p.Weight = append(p.Col, to), append(p.Weight, m.Discount*prob[i])
				}
			}
			p.Row, p.Reward = append(p.Row, len(p.Col)), append(p.Reward, m.Reward[a][s])
		}
	}
	return p
}

func axesOf(list []Variable) (axes []bcpace.Axis) {
	for _, v := range list {
		axes = append(axes, bcpace.Axis{Name: v.Name, Max: float64(len(v.Values) - 1), Discrete: true, Labels: v.Values})
	}
	return axes
}

func number(list []Variable, values []float64) (n int) {
	for i, v := range list {
		n = n*len(v.Values) + int(values[i])
	}
	return n
}

// fill is the inverse of number.
func fill(list []Variable, values []float64, n int) {
	for i := len(list) - 1; i >= 0; i-- {
		values[i] = float64(n % len(list[i].Values))
		n /= len(list[i].Values)
	}
}
