// Package frame turns runs into gota DataFrames, to be filtered, sorted and
// grouped in a notebook, and writes and reads them as CSV without loss.
package frame

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Samples returns the sample set of a run, one row for each sample in the
// order in which they were added:
//
//	episode, time   where it was met
//	x               a column for each axis of the state s
//	b(φ)            a column for each latent: the belief b
//	action          its name
//	u               a column for each axis of its Box: the control, NaN beside another action
//	reward
//	x', b'(φ)       the next state and belief
//	done            the episode ended there
//	Q               the value Q̃(s, b, a) at the fixed point
//
// Axes with labels hold these, other discrete axes whole numbers. Names that
// occur twice get a number after them, such as "x (2)".
func Samples(r *runs.Run) dataframe.DataFrame {
	c, spec := r.Samples, r.Spec
	n, axes, latents := c.Len(), len(spec.Axes), len(spec.Latents)
	var t table
	put(&t, "episode", n, func(i int) int { return int(c.Episode[i]) })
	put(&t, "time", n, func(i int) int { return int(c.Time[i]) })
	t.states(spec.Axes, "", n, func(i, j int) float64 { return c.State[i*axes+j] })
	t.beliefs("b", spec.Latents, n, func(i, j int) float64 { return c.Belief[i*latents+j] })
	t.actions(spec, n, c.ActionID)
	put(&t, "reward", n, func(i int) float64 { return c.Reward[i] })
	t.states(spec.Axes, "'", n, func(i, j int) float64 { return c.Next[i*axes+j] })
	t.beliefs("b'", spec.Latents, n, func(i, j int) float64 { return c.NextBelief[i*latents+j] })
	put(&t, "done", n, func(i int) bool { return c.Done[i] })
	put(&t, "Q", n, func(i int) float64 { return c.Q[i] })
	return t.frame()
}

// Trace returns the course of a run, one row for each episode:
//
//	episode
//	return     discounted, of the rollout
//	steps      its length
//	escapes    steps whose query was not known
//	added      samples that it added
//	samples    samples after it
//	sweeps     sweeps of value iteration after it
//	residual   how far a backup would move a value, see runs.Episode
//	value      optimistic value at the start, after it
//	gap        of a certified run: upper less lower bound there, after it
func Trace(r *runs.Run) dataframe.DataFrame {
	e := r.Trace
	n := len(e)
	sum := 0
	var t table
	put(&t, "episode", n, func(i int) int { return i })
	put(&t, "return", n, func(i int) float64 { return e[i].Return })
	put(&t, "steps", n, func(i int) int { return e[i].Steps })
	put(&t, "escapes", n, func(i int) int { return e[i].Escapes })
	put(&t, "added", n, func(i int) int { return e[i].Added })
	put(&t, "samples", n, func(i int) int {
		sum += e[i].Added
		return sum
	})
	put(&t, "sweeps", n, func(i int) int { return e[i].Sweeps })
	put(&t, "residual", n, func(i int) float64 { return e[i].Residual })
	put(&t, "value", n, func(i int) float64 { return e[i].Value })
	if r.Brackets() {
		put(&t, "gap", n, func(i int) float64 { return e[i].Gap })
	}
	return t.frame()
}

// table collects columns under names of their own. gota would rename columns
// of the same name, and both of them, by itself.
type table struct{ columns []series.Series }

// add appends a column of values: a []int, []float64, []string or []bool.
func (t *table) add(name string, values any) {
	if name == "" {
		name = "column" // gota puts a name of its own in the place of ""
	}
	free := name
	for i := 2; slices.ContainsFunc(t.columns, func(c series.Series) bool { return c.Name == free }); i++ {
		free = fmt.Sprintf("%s (%d)", name, i)
	}
	t.columns = append(t.columns, series.New(values, kinds[reflect.TypeOf(values)], free))
}

// kinds are the types of columns by those of their values.
var kinds = map[reflect.Type]series.Type{
	reflect.TypeFor[[]int](): series.Int, reflect.TypeFor[[]float64](): series.Float,
	reflect.TypeFor[[]string](): series.String, reflect.TypeFor[[]bool](): series.Bool,
}

// put adds a column of n values.
func put[T any](t *table, name string, n int, at func(int) T) {
	x := make([]T, n)
	for i := range x {
		x[i] = at(i)
	}
	t.add(name, x)
}

// actions adds the names of n actions, given by their ids, and a column for each axis of the Box of
// each action of spec: the control, NaN beside another action. −1 is the id of no action.
func (t *table) actions(spec bcpace.Spec, n int, id func(int) int) {
	index, control, names := make([]int, n), make([][]float64, n), make([]string, n)
	for i := range n {
		if index[i] = -1; id(i) >= 0 {
			index[i], control[i] = spec.Control(nil, id(i))
			names[i] = spec.Actions[index[i]].Name
		}
	}
	t.add("action", names)
	for k, a := range spec.Actions {
		for j, axis := range a.Box {
			put(t, axis.Name, n, func(i int) float64 {
				if index[i] != k {
					return math.NaN()
				}
				return control[i][j]
			})
		}
	}
}

// beliefs adds a column for each latent.
func (t *table) beliefs(name string, latents []string, n int, at func(i, latent int) float64) {
	for j, l := range latents {
		put(t, name+"("+l+")", n, func(i int) float64 { return at(i, j) })
	}
}

// states adds a column for each axis.
func (t *table) states(axes []bcpace.Axis, suffix string, n int, at func(i, axis int) float64) {
	for j, a := range axes {
		name := a.Name + suffix
		switch {
		case a.Labels != nil:
			put(t, name, n, func(i int) string { return label(a, at(i, j)) })
		case a.Discrete:
			put(t, name, n, func(i int) int { return int(at(i, j)) })
		default:
			put(t, name, n, func(i int) float64 { return at(i, j) })
		}
	}
}

// label returns the label of value x on axis a, or the number where it has none.
func label(a bcpace.Axis, x float64) string {
	i := int(x - a.Min)
	if i < 0 || i >= len(a.Labels) || float64(i) != x-a.Min {
		return numtext.Exact(x)
	}
	return a.Labels[i]
}

func (t *table) frame() dataframe.DataFrame { return dataframe.New(t.columns...) }

// Decision returns what a planner has found about each action, one row for each that it has
// compared:
//
//	action
//	u          a column for each axis of its Box: the control, NaN beside another action
//	visits     simulations that took it first
//	Q          the planner's estimate of Q*(s, b, a), NaN where it was not tried
//	chosen
//
// Its Err is an *bcpace.InputError for a decision in another model.
func Decision(spec bcpace.Spec, d bcpace.Decision) dataframe.DataFrame {
	n := len(d.Actions)
	for i, id := range d.Actions {
		if !spec.IsAction(id) || len(d.Visits) != n || len(d.Q) != n {
			return unfit("Decision", fmt.Sprintf("action %d of %d", i, n), fmt.Sprintf("%d, with %d visits and %d values in all", id, len(d.Visits), len(d.Q)), spec)
		}
	}
	var t table
	t.actions(spec, n, func(i int) int { return d.Actions[i] })
	put(&t, "visits", n, func(i int) int { return d.Visits[i] })
	put(&t, "Q", n, func(i int) float64 { return d.Q[i] })
	put(&t, "chosen", n, func(i int) bool { return d.Actions[i] == d.Action })
	return t.frame()
}

// unfit returns the frame of what is not of the model: its Err is an *bcpace.InputError.
func unfit(function, what, got string, spec bcpace.Spec) dataframe.DataFrame {
	want := fmt.Sprintf("one of model %q", spec.Name)
	if spec.Horizon > 0 {
		want += ", with the steps left on an axis: take the Spec of the Solution"
	}
	return dataframe.DataFrame{Err: bcpace.In("frame."+function).Bad(what, got, want)}
}

// Of returns a frame of columns: a name for each, and its values, a []int, []float64, []string or
// []bool of the same length as the others. A name that occurs twice gets a number after it. The
// Err of the frame is an *bcpace.InputError for anything else.
func Of(names []string, values []any) dataframe.DataFrame {
	bad := func(what, got, want string) dataframe.DataFrame {
		return dataframe.DataFrame{Err: bcpace.In("columns").Bad(what, got, want)}
	}
	if len(names) == 0 || len(names) != len(values) {
		return bad("their number", fmt.Sprintf("%d with %d names", len(values), len(names)), "at least one, and a name for each")
	}
	var t table
	rows := -1
	for i, x := range values {
		if _, ok := kinds[reflect.TypeOf(x)]; !ok {
			return bad(names[i], fmt.Sprintf("a %T", x), "a []int, []float64, []string or []bool")
		}
		n := reflect.ValueOf(x).Len()
		if rows < 0 {
			rows = n
		}
		if n != rows {
			return bad(names[i], fmt.Sprintf("%d values", n), fmt.Sprintf("%d, as of %s", rows, names[0]))
		}
		t.add(names[i], x)
	}
	return t.frame()
}

// HiddenEpisode returns the course of an episode with a hidden vector (hidden.Episode), one row for each step:
//
//	step
//	x              a column for each axis of the state, before the action
//	x (hidden)     a column for each hidden axis: the true value
//	mean(x), deviation(x)
//	               of the belief, before the action
//	effective size of its particles, NaN for another belief
//	action         its name
//	u              a column for each axis of its Box: the control, NaN beside another action
//	reward
//
// Its Err is an *bcpace.InputError for an episode of another model.
func HiddenEpisode(spec hidden.Spec, steps []hidden.Step) dataframe.DataFrame {
	n := len(steps)
	for i, x := range steps {
		if len(x.State) != len(spec.Axes) || len(x.Hidden) != len(spec.Hidden) || len(x.Mean) != len(spec.Hidden) || len(x.Variance) != len(spec.Hidden) || !spec.IsAction(x.Action) {
			return unfit("HiddenEpisode", fmt.Sprintf("step %d", i), fmt.Sprintf("at %v, with the hidden vector %v, a mean of %d and a variance of %d numbers, and action %d", x.State, x.Hidden, len(x.Mean), len(x.Variance), x.Action), bcpace.Spec{Name: spec.Name})
		}
	}
	var t table
	put(&t, "step", n, func(i int) int { return i })
	t.states(spec.Axes, "", n, func(i, j int) float64 { return steps[i].State[j] })
	t.states(spec.Hidden, " (hidden)", n, func(i, j int) float64 { return steps[i].Hidden[j] })
	for j, a := range spec.Hidden {
		put(&t, "mean("+a.Name+")", n, func(i int) float64 { return steps[i].Mean[j] })
		put(&t, "deviation("+a.Name+")", n, func(i int) float64 { return math.Sqrt(steps[i].Variance[j]) })
	}
	put(&t, "effective size", n, func(i int) float64 { return steps[i].EffectiveSize })
	t.actions(spec.Spec, n, func(i int) int { return steps[i].Action })
	put(&t, "reward", n, func(i int) float64 { return steps[i].Reward })
	return t.frame()
}

// SearchTree returns the top of a planner's search tree (bcpace.PolicyAbilities.Nodes), one row for each
// node:
//
//	node, parent   its place in the list, and that of the node before it; −1 at the root
//	depth          steps from the root
//	action         that led here; "" at the root
//	u              a column for each axis of its Box: the control, NaN beside another action
//	P              probability of the node, given that action
//	x              a column for each axis of the state
//	b(φ)           a column for each latent: the belief
//	visits         simulations that came here
//	value, lower, upper
//	best           the best action so far, "" where none was tried; of a Box, with its control
//
// Its Err is an *bcpace.InputError for nodes of another model.
func SearchTree(spec bcpace.Spec, nodes []bcpace.SearchNode) dataframe.DataFrame {
	for i, x := range nodes {
		if len(x.State) != len(spec.Axes) || len(x.Belief) != len(spec.Latents) || x.Action != -1 && !spec.IsAction(x.Action) || x.Best != -1 && !spec.IsAction(x.Best) {
			return unfit("SearchTree", fmt.Sprintf("node %d", i), fmt.Sprintf("at %v, belief %v, after action %d, with best action %d", x.State, x.Belief, x.Action, x.Best), spec)
		}
	}
	n := len(nodes)
	var t table
	put(&t, "node", n, func(i int) int { return i })
	put(&t, "parent", n, func(i int) int { return nodes[i].Parent })
	put(&t, "depth", n, func(i int) int { return nodes[i].Depth })
	t.actions(spec, n, func(i int) int { return nodes[i].Action })
	put(&t, "P", n, func(i int) float64 { return nodes[i].Prob })
	t.states(spec.Axes, "", n, func(i, j int) float64 { return nodes[i].State[j] })
	t.beliefs("b", spec.Latents, n, func(i, j int) float64 { return nodes[i].Belief[j] })
	put(&t, "visits", n, func(i int) int { return nodes[i].Visits })
	put(&t, "value", n, func(i int) float64 { return nodes[i].Value })
	put(&t, "lower", n, func(i int) float64 { return nodes[i].Lower })
	put(&t, "upper", n, func(i int) float64 { return nodes[i].Upper })
	put(&t, "best", n, func(i int) string {
		if nodes[i].Best < 0 {
			return ""
		}
		return spec.ActionName(nodes[i].Best)
	})
	return t.frame()
}
