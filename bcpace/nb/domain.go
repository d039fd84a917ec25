package nb

import (
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
)

// resultTable shows what of a simulation is the same at every execution: not
// its time and memory.
func resultTable(r eval.Result) Table {
	interval := "95% interval"
	if by := r.CI95By.Remark(); by != "" {
		interval += ", " + by
	}
	return Table{Rows: [][]any{
		{"mean return", text(r.Mean)},
		{interval, text(r.CI95[0]) + " to " + text(r.CI95[1])},
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
	parts := make([]string, len(s.Params))
	for i, p := range s.Params {
		parts[i] = p.Key + "=" + p.Value
	}
	return s.Name + " (" + strings.Join(parts, ", ") + ")"
}

// Belief is a table of a belief of model m, with the names of its latents. A
// plain bcpace.Belief can be shown as well, and has numbers in their place.
func Belief(m bcpace.Model, b bcpace.Belief) Table {
	return beliefTable(m.Spec().Latents, b)
}

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
	names := make([]string, len(s.Actions))
	for i, a := range s.Actions {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}

func axisRange(a bcpace.Axis) string {
	if a.Labels != nil {
		return strings.Join(a.Labels, ", ")
	}
	s := text(a.Min) + " to " + text(a.Max)
	if a.Discrete {
		s = "whole numbers " + s
	}
	if a.Unit != "" {
		s += " " + a.Unit
	}
	if a.Period > 0 {
		s += ", circular"
	}
	return s
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
