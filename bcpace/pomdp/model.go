// Package pomdp holds finite partially observable Markov decision processes in
// sparse tables, with mixed observability: what solvers of baseline work on and
// what package pomdpfile reads and writes. FromBAMDP makes one of a BAMDP whose
// states are numbered.
package pomdp

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
	// MeanRewards says that R(s,a) is the mean of rewards that depend on what follows, so that the values of policies are right and
	// the distribution of their returns is not.
	MeanRewards bool
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
