package nb

import "bayescpace/bcpace/eval"

// Show displays values in the cell, one below the other, and figures that
// follow one another side by side, two in a row. Figures of package viz are then
// narrower, and their text keeps its size, so that a page of 800 pixels shows them whole.
//
//   - A figure or a chart of package viz, as an image with its description.
//   - Frames, such as those of Slider, one at a time, with a slider.
//   - A gota DataFrame, a Table, a *runs.Run, a *bcpace.Solution, a *cpace.Explanation,
//     a bcpace.Belief, a bcpace.Spec, an eval.Result, the []eval.Score of Compare, a struct, a map, a
//     slice of structs or of slices, as a table.
//   - An *eval.Comparison, as a table with what is best in bold.
//   - Anything else as text.
//
// Long tables are cut to the first 20 rows and 16 columns and say how many
// more there are; nb.Limit(rows, cols) among the values changes that. A click on
// the name of a column sorts a table's rows, in exported pages too.
// A figure that cannot be drawn and a DataFrame that carries an error end the
// cell with that error.
//
// Outside a notebook, Show writes the plain form to standard output.
func Show(values ...any) {
	ms, err := render(values)
	standard().show(ms...)
	Check(err)
}

// render turns values into messages. With an error come the messages of the
// values before the one at fault.
func render(values []any) ([]message, error) {
	var limit limits
	for _, v := range values {
		if l, ok := v.(limits); ok {
			limit = l
		}
	}
	parts, fault := partsOf(values)
	ms, err := messagesOf(parts, limit)
	if err != nil {
		return ms, err
	}
	return ms, fault
}

// part is what is shown as one: figures side by side, or another value.
type part struct {
	figures []Drawable // nil for another value
	value   any
}

// partsOf puts figures that follow one another together. With an error come the parts
// before the value at fault.
func partsOf(values []any) ([]part, error) {
	var parts []part
	row := false // the last part is figures that another one may join
	for _, v := range values {
		if _, ok := v.(limits); ok {
			continue
		}
		f, ok, err := figureOf(v)
		if err != nil {
			if row { // not a part of a row
				parts = parts[:len(parts)-1]
			}
			return parts, err
		}
		if err := frameError(v); err != nil {
			return parts, err
		}
		switch {
		case ok && row:
			last := &parts[len(parts)-1]
			last.figures = append(last.figures, f)
		case ok:
			parts = append(parts, part{figures: []Drawable{f}})
		default:
			parts = append(parts, part{value: v})
		}
		row = ok
	}
	return parts, nil
}

// messagesOf turns parts into messages, up to the first that cannot be shown.
func messagesOf(parts []part, limit limits) ([]message, error) {
	var ms []message
	for _, p := range parts {
		frames, ok := p.value.(Frames)
		switch {
		case p.figures != nil:
			m, err := figures(p.figures)
			if err != nil {
				return ms, err
			}
			ms = append(ms, m)
		case ok:
			more, err := frames.messages(limit)
			if err != nil {
				return ms, err
			}
			ms = append(ms, more...)
		default:
			ms = append(ms, render1(p.value, limit))
		}
	}
	return ms, nil
}

// render1 turns a value that is not a figure into a message.
func render1(v any, limit limits) message {
	if c, ok := comparisonOf(v); ok {
		return comparisonMessage(c)
	}
	if s, ok := tabular(v); ok {
		g := layout(s, limit)
		return message{plain: g.text(), html: g.html()}
	}
	return message{plain: textual(v)}
}

// comparisonOf returns v as a table of mean returns.
func comparisonOf(v any) (*eval.Comparison, bool) {
	switch v := v.(type) {
	case eval.Comparison:
		return &v, true
	case *eval.Comparison:
		return v, v != nil
	}
	return nil, false
}

// comparisonMessage shows a table of mean returns with what is best in bold, for
// which a Table has no means. It is not sorted: its rows are problems, and a
// return in one says nothing beside a return in another.
func comparisonMessage(c *eval.Comparison) message {
	// MathJax is kept from taking two dollar signs for a formula, as in writeText.
	const open = `<div class="tex2jax_ignore mathjax_ignore" style="overflow-x:auto">`
	return message{plain: cleanLines(c.String()), html: open + cleanLines(c.HTML()) + "</div>"}
}
