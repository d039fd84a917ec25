package nb

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// runTable sums a run up: what was explored, with which options, what came out. The certificate
// is that of the run, or one that is better.
func runTable(r *runs.Run, c bcpace.Certificate) Table {
	heading, details := r.Solver.Describe(r)
	t := Table{Title: heading + " " + modelName(r.Spec)}
	row := func(name string, value any) { t.Rows = append(t.Rows, []any{name, value}) }
	n := 0
	if r.Samples != nil {
		n = r.Samples.Len()
	}
	switch {
	case c.Kind == bcpace.ExactCertificate:
		t.Rows = append(t.Rows, exactBounds(c)...)
	case r.Stop == stop.Refuted:
	case r.Brackets():
		row("upper bound of the search, if L_S holds", text(atMost(r.Value)))
	default:
		row("value at the start (estimate)", text(r.Value))
	}
	if c.Kind == bcpace.StatisticalCertificate {
		row(fmt.Sprintf("the policy is worth at least (%.4g%% sure)", 100*(1-c.Delta)), text(atLeast(c.Lower)))
		if r.Brackets() {
			row(fmt.Sprintf("no policy is worth more (%s)", c.UpperBy), text(atMost(c.Upper)))
		}
		if c.Assumes != "" && (r.Brackets() || r.Spec.Estimated != "") {
			row("assumed", Sentence(c.Assumes))
		}
		if r.Brackets() && r.Parts != (runs.GapParts{}) {
			row("why the bounds differ", Sentence(r.Parts.String()))
		}
	}
	if c.Refuted != "" {
		row("refuted", Sentence(c.Refuted))
	}
	if c := r.Choice; c != nil {
		row("policy", c.Name())
		if c.Tried[c.Chosen].Episodes > 0 {
			row("earned by each, simulated", Sentence(earned(c)))
		}
	}
	row("stop", string(r.Stop))
	row("samples", text(n))
	row("episodes", text(len(r.Trace)))
	row("steps", text(r.Steps))
	row("ε", text(r.Epsilon()))
	for _, d := range details {
		row(d.Name, text(d.Value))
	}
	for _, w := range r.Warnings() {
		row("warning", Sentence(w.What))
		row("what would help", Sentence(w.Do))
	}
	return t
}

// earned says what the policies of a choice have earned, the best first.
func earned(c *runs.Choice) string {
	tried := slices.Clone(c.Tried)
	slices.SortStableFunc(tried, func(a, b runs.TriedPolicy) int { return cmp.Compare(b.Mean, a.Mean) })
	all := texts(tried[:min(len(tried), 4)], func(x runs.TriedPolicy) string {
		return x.Name + " " + eval.Interval{Mean: x.Mean, Lo: x.Mean - 2*x.StdErr, Hi: x.Mean + 2*x.StdErr}.Text(2)
	})
	if n := len(tried) - len(all); n > 0 {
		all = append(all, "the others less")
	}
	return strings.Join(all, ", ")
}

// exactBounds are rows of a table, with six digits.
func exactBounds(c bcpace.Certificate) [][]any {
	lower := "lower bound of the best policy"
	if c.PolicyEarns == bcpace.ByProof {
		lower = "lower bound, attained by the policy"
	}
	const digits = 6
	return [][]any{{lower, fmt.Sprintf("%.6g", numtext.Down(c.Lower, numtext.Digits(c.Lower, digits)))},
		{"upper bound of every policy", fmt.Sprintf("%.6g", numtext.Up(c.Upper, numtext.Digits(c.Upper, digits)))}}
}

// boundText writes a number, or a bound rounded outward.
func boundText(v float64, bound int) string { return text([]any{atLeast(v), v, atMost(v)}[bound+1]) }

// solutionTable sums a solution up: that of its run, or as much of it as other solvers
// have.
func solutionTable(s *bcpace.Solution) Table {
	if r := runs.Of(s); r != nil {
		return runTable(r, s.Certificate)
	}
	t := Table{Title: s.Solver.Name() + " on " + modelName(s.Spec)}
	row := func(name string, value any) { t.Rows = append(t.Rows, []any{name, value}) }
	c := s.Certificate
	if s.Objective != (bcpace.Objective{}) {
		row("bounds of", Sentence(s.Objective.Bounds))
		row("bounds", fmt.Sprintf("%s (%s) to %s (%s)", text(atLeast(c.Lower)), c.LowerBy, text(atMost(c.Upper)), c.UpperBy))
		for _, x := range solverkit.Rows(s, boundText) {
			row(x[0], Sentence(x[1]))
		}
	} else if c.Kind == bcpace.ExactCertificate {
		t.Rows = exactBounds(c)
	} else {
		if !math.IsNaN(s.Value) {
			row("value at the start (estimate)", text(s.Value))
		}
		if claimed(c.LowerBy) {
			of := "the best policy"
			if c.PolicyEarns == c.LowerBy {
				of = "the policy"
			}
			row(fmt.Sprintf("%s is worth at least (%s)", of, c.LowerBy), text(atLeast(c.Lower)))
		}
		if claimed(c.UpperBy) {
			row(fmt.Sprintf("no policy is worth more (%s)", c.UpperBy), text(atMost(c.Upper)))
		}
	}
	if c.Assumes != "" {
		row("assumed", Sentence(c.Assumes))
	}
	row("stop", string(s.Stop))
	if n := len(s.Trace); n > 0 {
		for i, x := range []int{s.Trace[n-1].Samples, s.Trace[n-1].Episodes, s.Trace[n-1].Steps} {
			if x > 0 {
				row([]string{"samples", "episodes", "steps"}[i], text(x))
			}
		}
		if e := s.Trace[n-1].Epsilon; e > 0 {
			row("ε", text(e))
		}
	}
	return t
}

// resultTable shows what of a simulation is the same at every execution: not
// its time and memory.
func resultTable(r eval.Result) Table {
	by := r.CI95By.Remark()
	return Table{Rows: [][]any{
		{"mean return", text(r.Mean)},
		{"95% interval" + when(by != "", ", "+by), text(r.CI95[0]) + " to " + text(r.CI95[1])},
		{"standard deviation of a return", text(r.StdDev)},
		{"episodes", text(r.Episodes)},
		{"horizon", text(r.Horizon) + " steps"},
		{"ended by the model", text(r.Episodes - r.Cut)},
	}}
}

// text writes a number as text, for a column of unlike numbers whose points
// need not stand below one another.
func text(v any) string { return makeCell(v).string() }

// modelName is a model's name with its parameters: tiger (accuracy=0.85).
func modelName(s bcpace.Spec) string {
	if len(s.Params) == 0 {
		return s.Name
	}
	params := texts(s.Params, func(p bcpace.Param) string { return p.Key + "=" + p.Value })
	return s.Name + " (" + strings.Join(params, ", ") + ")"
}

// Belief is a table of a belief of model m, with the names of its latents. A
// plain bcpace.Belief can be shown as well, and has numbers in their place.
func Belief(m bcpace.Model, b bcpace.Belief) Table { return beliefTable(m.Spec().Latents, b) }

func beliefTable(names []string, b bcpace.Belief) Table {
	t := Table{Header: []string{"latent", "b"}}
	for i, p := range b {
		var name any = i
		if i < len(names) {
			name = names[i]
		}
		t.Rows = append(t.Rows, []any{name, p})
	}
	return t
}

// specTable describes a model.
func specTable(s bcpace.Spec) Table {
	t := Table{Title: modelName(s)}
	row := func(name, value string) { t.Rows = append(t.Rows, []any{name, value}) }
	for _, a := range s.Axes {
		row("state "+a.Name, axisRange(a))
	}
	row("actions", actionNames(s))
	row("latents", strings.Join(s.Latents, ", "))
	row("discount γ", text(s.Discount))
	row("rewards", text(s.RewardMin)+" to "+text(s.RewardMax))
	if s.Horizon > 0 {
		row("horizon", Count(s.Horizon)+" steps")
	}
	if s.Goal {
		row("episodes", "until the model ends them")
	}
	return t
}

func actionNames(s bcpace.Spec) string {
	return strings.Join(texts(s.Actions, func(a bcpace.Action) string { return a.Name }), ", ")
}

func axisRange(a bcpace.Axis) string {
	if a.Labels != nil {
		return strings.Join(a.Labels, ", ")
	}
	return when(a.Discrete, "whole numbers ") + text(a.Min) + " to " + text(a.Max) + when(a.Unit != "", " "+a.Unit) + when(a.Period > 0, ", circular")
}

// samplesSource shows a sample set without the model's names; frame.Samples
// has them.
func samplesSource(c *runs.Samples) source {
	header := []string{"Episode", "Time", "State", "Belief", "Action", "Reward", "Next", "NextBelief", "Done", "Q"}
	return source{header: header, rows: c.Len(), cols: len(header), at: func(i, j int) any {
		x := c.At(i)
		return []any{x.Episode, x.Time, x.State, []float64(x.Belief), x.Action, x.Reward, x.Next, []float64(x.NextBelief), x.Done, x.Q}[j]
	}}
}

// Seen is a step of a history: an action by its name, and the state that
// followed.
type Seen struct {
	Action string
	Next   []float64
}

// History is a table of how the Bayes estimator's belief moves: from the prior
// in the given start state, one row for each step taken. An action that the
// model does not know, and a step that is impossible under every latent the
// belief allows, end the cell.
func History(m bcpace.Model, start []float64, steps ...Seen) Table {
	return Must(history(m, start, steps))
}

func history(m bcpace.Model, start []float64, steps []Seen) (Table, error) {
	if err := bcpace.Validate(m); err != nil {
		return Table{}, err
	}
	spec := m.Spec()
	t := Table{Header: append([]string{"step", "action"}, axisNames(spec)...)}
	t.Header = append(t.Header, texts(spec.Latents, func(l string) string { return "b(" + l + ")" })...)
	b := make(bcpace.Belief, len(spec.Latents))
	row := func(step int, action string, s []float64) {
		cells := append([]any{step, action}, axisValues(spec, s)...)
		for _, p := range b {
			cells = append(cells, p)
		}
		t.Rows = append(t.Rows, cells)
	}
	in := bcpace.In("history of model " + spec.Name)
	if err := solverkit.NeedActionList(spec, "nb.History"); err != nil {
		return Table{}, err
	}
	long := fmt.Sprintf("a state of %d numbers, one for each axis", len(spec.Axes))
	if len(start) != len(spec.Axes) {
		return Table{}, in.Bad("the start", start, long)
	}
	e := bcpace.NewBayes(m)
	if err := e.Start(b, start); err != nil {
		return Table{}, err
	}
	row(0, "", start)
	s := start
	for i, x := range steps {
		action := spec.ActionIndex(x.Action)
		if err := cmp.Or(
			in.Need(action >= 0, fmt.Sprintf("the action of step %d", i+1), x.Action, "one of "+actionNames(spec)),
			in.Need(len(x.Next) == len(spec.Axes), fmt.Sprintf("the state after step %d", i+1), x.Next, long)); err != nil {
			return Table{}, err
		}
		if err := e.Update(b, b, s, action, x.Next); err != nil {
			return Table{}, err
		}
		row(i+1, x.Action, x.Next)
		s = x.Next
	}
	return t, nil
}

func axisNames(spec bcpace.Spec) []string {
	return texts(spec.Axes, func(a bcpace.Axis) string { return a.Name })
}

// axisValues are the labels of a state's values or, without one, the numbers.
func axisValues(spec bcpace.Spec, s []float64) (cells []any) {
	for k, a := range spec.Axes {
		cells = append(cells, s[k])
		if i := int(s[k] - a.Min); i >= 0 && i < len(a.Labels) && float64(i) == s[k]-a.Min {
			cells[k] = a.Labels[i]
		}
	}
	return cells
}

// LatentTable is a table of the values Q(s, φ, a) of the latent MDPs: a row for
// each state of a finite model, a column for each latent and action. Q is NaN
// where a state has no value.
func LatentTable(m bcpace.Finite, q bcpace.LatentValues) Table {
	spec := m.Spec()
	t := Table{Title: "Q(s, φ, a)", Header: axisNames(spec)}
	for _, l := range spec.Latents {
		for _, a := range spec.Actions {
			t.Header = append(t.Header, l+": "+a.Name)
		}
	}
	for i := range m.NumStates() {
		s := make([]float64, len(spec.Axes))
		m.StateAt(s, i)
		cells := axisValues(spec, s)
		for l := range spec.Latents {
			for a := range spec.Actions {
				cells = append(cells, q.Q(s, l, a))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
