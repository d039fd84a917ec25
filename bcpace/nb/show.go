package nb

// Show displays values in the cell, one below the other, and figures that
// follow one another side by side.
//
//   - A figure or a chart of package viz, as an image with its description.
//   - Frames, as figures with a slider.
//   - A gota DataFrame, a Table, a *bcpace.Run, a *bcpace.Solution, a bcpace.Belief,
//     a bcpace.Spec, an eval.Result, the []eval.Score of Compare, a struct, a map, a
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
	var ms []message
	var row []Figure // figures in a row, not yet in ms
	flush := func() error {
		if len(row) == 0 {
			return nil
		}
		m, err := figures(row)
		row = nil
		if err != nil {
			return err
		}
		ms = append(ms, m)
		return nil
	}
	for _, v := range values {
		if _, ok := v.(limits); ok {
			continue
		}
		f, ok, err := figureOf(v)
		if err != nil {
			return ms, err
		}
		if ok {
			row = append(row, f)
			continue
		}
		if err := flush(); err != nil {
			return ms, err
		}
		if err := frameError(v); err != nil {
			return ms, err
		}
		if frames, ok := v.(Frames); ok {
			m, err := frames.message()
			if err != nil {
				return ms, err
			}
			ms = append(ms, m)
			continue
		}
		ms = append(ms, render1(v, limit))
	}
	return ms, flush()
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
