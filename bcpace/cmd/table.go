package cmd

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// printTable writes a table alone.
func printTable(w io.Writer, fill func(row func(cells ...any))) error {
	return write(w, func(w io.Writer) { table(w, fill) })
}

// table writes rows with their columns aligned.
func table(w io.Writer, fill func(row func(cells ...any))) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fill(func(cells ...any) {
		for i, c := range cells {
			if i > 0 {
				fmt.Fprint(t, "\t")
			}
			fmt.Fprint(t, c)
		}
		fmt.Fprintln(t)
	})
	t.Flush()
}
