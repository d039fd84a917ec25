package eval

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Comparison is a table of mean returns with a row for each problem and a column
// for each algorithm, as in the paper's Table 2. Its zero value is empty.
//
// In a row, those are best whose mean is within the half width of the largest
// mean. It is the rule that the bold figures of the paper's Table 2 follow, and
// no test of a difference; for that see Difference.
type Comparison struct {
	Problems, Algorithms []string
	cells                map[[2]int]estimate // by problem and algorithm; none where it was not run
}

// estimate is a mean and the half width of its interval.
type estimate struct{ mean, half float64 }

// Set sets the mean of an algorithm on a problem, and the half width of its 95 %
// interval, which is 0 for an exact mean. It appends a new problem or algorithm at the
// end.
func (c *Comparison) Set(problem, algorithm string, mean, halfWidth float64) {
	if c.cells == nil {
		c.cells = make(map[[2]int]estimate)
	}
	c.cells[[2]int{place(&c.Problems, problem), place(&c.Algorithms, algorithm)}] = estimate{mean, halfWidth}
}

// SetResult is Set with the mean and 95 % interval of a Result. The half width is the larger
// one, if they differ.
func (c *Comparison) SetResult(problem, algorithm string, r Result) {
	c.Set(problem, algorithm, r.Mean, max(r.CI95[1]-r.Mean, r.Mean-r.CI95[0]))
}

// place returns where name stands in the list, to which it is added if it is new.
func place(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

// Best returns the algorithms that are best at a problem, in their order.
func (c *Comparison) Best(problem string) []string {
	var best []string
	if i := slices.Index(c.Problems, problem); i >= 0 {
		for j, name := range c.Algorithms {
			if c.best(i, j) {
				best = append(best, name)
			}
		}
	}
	return best
}

func (c *Comparison) best(problem, algorithm int) bool {
	own, ok := c.cells[[2]int{problem, algorithm}]
	if !ok {
		return false
	}
	top := own
	for j := range c.Algorithms {
		if e, ok := c.cells[[2]int{problem, j}]; ok && e.mean > top.mean {
			top = e
		}
	}
	return own.mean == top.mean || own.mean >= top.mean-top.half
}

// String writes the table in aligned columns, with a star behind what is best.
func (c *Comparison) String() string {
	rows := [][]string{append([]string{""}, c.Algorithms...)}
	for i, p := range c.Problems {
		row := []string{p}
		for j := range c.Algorithms {
			mark := " "
			if c.best(i, j) {
				mark = "*"
			}
			row = append(row, c.text(i, j)+mark)
		}
		rows = append(rows, row)
	}
	width := make([]int, len(c.Algorithms)+1)
	for _, row := range rows {
		for j, s := range row {
			width[j] = max(width[j], utf8.RuneCountInString(s))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for j, s := range row {
			line += s + strings.Repeat(" ", width[j]-utf8.RuneCountInString(s)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// HTML writes the table as an HTML table, with what is best in bold.
func (c *Comparison) HTML() string {
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr><th></th>")
	for _, a := range c.Algorithms {
		b.WriteString(`<th scope="col">` + html.EscapeString(a) + "</th>")
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for i, p := range c.Problems {
		b.WriteString(`<tr><th scope="row">` + html.EscapeString(p) + "</th>")
		for j := range c.Algorithms {
			b.WriteString("<td>" + c.bold(i, j, "<b>", "</b>") + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// bold writes a cell, between two marks where it is best.
func (c *Comparison) bold(problem, algorithm int, before, after string) string {
	if !c.best(problem, algorithm) {
		before, after = "", ""
	}
	return before + c.text(problem, algorithm) + after
}

// text writes a cell: the half width with two significant digits, the mean with
// as many decimals, and – where there is no result.
func (c *Comparison) text(problem, algorithm int) string {
	e, ok := c.cells[[2]int{problem, algorithm}]
	switch {
	case !ok || math.IsNaN(e.mean):
		return "–"
	case !(e.half > 0) || math.IsInf(e.half, 0):
		return fmt.Sprintf("%.6g", e.mean)
	}
	decimals := min(max(1-int(math.Floor(math.Log10(e.half))), 0), 12)
	return fmt.Sprintf("%.*f ± %.*f", decimals, e.mean, decimals, e.half)
}
