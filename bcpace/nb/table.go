package nb

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/data"
)

// Table is a table to show. Numbers are shown with four significant digits and
// stand to the right; anything else is text. Where five rows or more are shown
// below names of columns, a click on a name sorts them, in exported pages too.
type Table struct {
	Title  string   // stands above the table; "" for none
	Header []string // a name for each column; nil for none
	Rows   [][]any  // rows may be shorter than the header
}

// limits are the most rows and columns shown; negative for no limit.
type limits struct{ rows, cols int }

const (
	defaultRows = 20
	defaultCols = 16
)

// All lifts a limit: nb.Limit(nb.All, nb.All).
const All = -1

// Limit is an option of Show: the most rows and columns of a table that are
// shown in that call. 0 leaves the default (20 rows, 16 columns), All lifts
// the limit.
func Limit(rows, cols int) any { return limits{rows, cols} }

// grid is a table laid out: every cell as text, cut to the limits.
type grid struct {
	title              string
	header             []string
	right              []bool // by column
	prose              []bool // by column: some cells are sentences
	rows               [][]string
	ranks              [][]int // by column, for sorting; nil where the texts do
	moreRows, moreCols int
	moreNames          []string // names of the columns left out
}

// source is where a grid takes its cells from, so that a large table need not
// be turned into text as a whole.
type source struct {
	title      string
	header     []string
	rows, cols int
	at         func(row, col int) any
}

func (t Table) source() source {
	cols := len(t.Header)
	for _, r := range t.Rows {
		cols = max(cols, len(r))
	}
	return source{title: t.Title, header: t.Header, rows: len(t.Rows), cols: cols, at: func(i, j int) any {
		if j >= len(t.Rows[i]) {
			return nil
		}
		return t.Rows[i][j]
	}}
}

// layout cuts a table to its limits and writes its cells.
func layout(s source, l limits) grid {
	l.rows, l.cols = cmp.Or(l.rows, defaultRows), cmp.Or(l.cols, defaultCols)
	rows, cols := s.rows, s.cols
	// A line that says "1 more" takes the place of what it stands for.
	if l.rows >= 0 && rows > l.rows+1 {
		rows = l.rows
	}
	if l.cols >= 0 && cols > l.cols+1 {
		cols = l.cols
	}
	g := grid{title: clean(s.title), moreRows: s.rows - rows, moreCols: s.cols - cols, right: make([]bool, cols), prose: make([]bool, cols), rows: make([][]string, rows), ranks: make([][]int, cols)}
	if s.header != nil {
		names := make([]string, max(cols, len(s.header)))
		for j, name := range s.header {
			names[j] = clean(name)
		}
		g.header, g.moreNames = names[:cols], names[cols:]
	}
	for i := range g.rows {
		g.rows[i] = make([]string, cols)
	}
	for j := range cols {
		g.column(j, s)
	}
	return g
}

// column writes column j: right-aligned where every value is a number.
func (g *grid) column(j int, s source) {
	cells := make([]cell, len(g.rows))
	filled, right := 0, 0
	for i := range cells {
		c := makeCell(s.at(i, j))
		cells[i] = c
		g.prose[j] = g.prose[j] || c.prose
		if !c.empty {
			filled++
		}
		if c.right {
			right++
		}
	}
	g.right[j] = filled > 0 && right == filled
	texts := formatColumn(cells, g.right[j])
	for i, text := range texts {
		g.rows[i][j] = clean(text)
	}
	if g.sortable() {
		g.ranks[j] = ranks(cells, texts, g.right[j])
	}
}

// mostOf is how many characters of a cell of column j are shown.
func (g grid) mostOf(j int) int {
	if g.prose[j] {
		return maxTitle
	}
	return maxCell
}

// more says what was left out, or "".
func (g grid) more() string {
	if len(g.rows) == 0 && g.moreRows == 0 && len(g.right) > 0 {
		return "no rows"
	}
	text := when(g.moreRows > 0, ", "+Count(g.moreRows)+" more rows")
	if g.moreCols > 0 {
		names, _ := shorten(strings.Join(g.moreNames, ", "), maxCell)
		text += ", " + Count(g.moreCols) + " more columns" + when(names != "", " ("+names+")")
	}
	return strings.Replace(text, ", ", "… ", 1)
}

// html writes the table with inline styles only. JupyterLab's own variables
// give the colours, so that it reads on light and dark themes; a code host
// that drops styles still aligns by the align attribute.
func (g grid) html() string {
	var b strings.Builder
	b.WriteString(`<div style="overflow-x:auto"><table style="border-collapse:collapse;table-layout:auto;margin:0;font-variant-numeric:tabular-nums">`)
	b.WriteString(when(g.title != "", `<caption style="caption-side:top;text-align:left;padding:0.3em 0.6em;color:inherit;font-weight:600">`+inHTML(g.title)+"</caption>"))
	if g.header != nil {
		b.WriteString("\n" + g.head() + "<tr>")
		for j, name := range g.header {
			g.writeCell(&b, "th", name, j, 0)
		}
		b.WriteString("</tr></thead>")
	}
	b.WriteString("\n<tbody>")
	for i, row := range g.rows {
		b.WriteString("\n<tr>")
		for j, text := range row {
			rank := 0
			if g.ranks[j] != nil {
				rank = g.ranks[j][i]
			}
			g.writeCell(&b, "td", text, j, rank)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("\n</tbody></table>")
	if more := g.more(); more != "" {
		rest := when(g.sortable() && g.moreRows > 0, `<span data-rest=""></span>`)
		b.WriteString("\n" + `<div style="padding:0.3em 0.6em;opacity:0.75">` + inHTML(more) + rest + "</div>")
	}
	b.WriteString("</div>")
	return b.String()
}

// writeCell writes a cell of column j, with its rank for sorting, or 0.
func (g grid) writeCell(b *strings.Builder, tag, text string, j, rank int) {
	align := "left"
	if g.right[j] {
		align = "right"
	}
	b.WriteString("<" + tag + when(tag == "th", ` scope="col"`) + ` align="` + align + `"`)
	switch {
	case tag == "th":
		b.WriteString(` style="text-align:` + align + `;border-bottom:1px solid var(--jp-border-color1,#9e9e9e)"`)
	case g.prose[j]:
		b.WriteString(` style="text-align:left;white-space:normal;max-width:48em"`)
	case !g.right[j]: // cells stand to the right in Jupyter unless their style says otherwise
		b.WriteString(` style="text-align:left"`)
	}
	b.WriteString(when(rank > 0, ` data-v="`+strconv.Itoa(rank)+`"`))
	short, cut := shorten(text, g.mostOf(j))
	if cut {
		full, _ := shorten(text, maxTitle)
		b.WriteString(` title="` + escape(full) + `"`)
	}
	shown := inHTML(short)
	if tag == "th" && text != "" && g.sortable() {
		shown = openSort + shown + "</span>"
	}
	b.WriteString(">" + shown + "</" + tag + ">")
}

// inHTML escapes text, and keeps MathJax, which JupyterLab runs over all
// HTML, from taking two dollar signs for a formula.
func inHTML(s string) string {
	if strings.ContainsAny(s, `$\`) {
		return `<span class="tex2jax_ignore mathjax_ignore">` + escape(s) + "</span>"
	}
	return escape(s)
}

// text writes the table in aligned columns, for terminals and for diffs.
func (g grid) text() string {
	lines := g.rows
	if g.header != nil {
		lines = append([][]string{g.header}, g.rows...)
	}
	widths := make([]int, len(g.right))
	short := make([][]string, len(lines))
	for i, row := range lines {
		short[i] = make([]string, len(row))
		for j, s := range row {
			short[i][j], _ = shorten(s, g.mostOf(j))
			widths[j] = max(widths[j], width(short[i][j]))
		}
	}
	var b strings.Builder
	b.WriteString(when(g.title != "", g.title+"\n"))
	for _, row := range short {
		var line strings.Builder
		for j, s := range row {
			pad := strings.Repeat(" ", widths[j]-width(s))
			line.WriteString(when(j > 0, "  ") + when(g.right[j], pad) + s + when(!g.right[j], pad))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	if more := g.more(); more != "" {
		b.WriteString(more + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Repeat explores m under the seeds 1 to the given number, with the solver that solver
// makes of each, and averages what the runs cost and the exact values of their policies
// over the given number of steps (0 for no end). Runs come from the store where they are
// in it, as with Explore. An error, such as a model that is not finite, ends the cell.
func Repeat(m bcpace.Model, setting string, seeds, horizon int, solver func(seed uint64) runs.Explorer) eval.Averages {
	var all []*runs.Run
	for seed := range uint64(max(seeds, 0)) {
		all = append(all, Explore(m, solver(seed+1)))
	}
	return Must(eval.AveragesOf(Context(), setting, m, all, eval.ExactOptions{Horizon: horizon}))
}

// Averages is a table of settings, with means and the half widths of their 95 %
// intervals.
func Averages(title string, settings []eval.Averages) Table {
	t := Table{Title: title, Header: []string{"", "samples", "steps", "sweeps", "value"}}
	for _, s := range settings {
		t.Rows = append(t.Rows, []any{s.Setting, s.Samples.Text(0), s.Steps.Text(0), s.Sweeps.Text(0), s.Value.Text(2)})
	}
	return t
}

// NearestSettings is a table of the n settings whose values are nearest to the
// reported ones, below the reports themselves, with names for their columns, one
// for each.
func NearestSettings(title string, names []string, reports []data.Reported, found []eval.ReportedSetting, n int) Table {
	first := []any{"reported", ""}
	for _, r := range reports {
		first = append(first, fmt.Sprintf("%v ± %v", r.Mean, r.HalfWidth))
	}
	t := Table{Title: title, Header: append(append([]string{"γ", "T"}, names...), "deviation"), Rows: [][]any{first}}
	for _, s := range eval.NearestReported(found, n) {
		row := []any{fmt.Sprint(s.Discount), fmt.Sprint(s.Horizon)}
		for _, v := range s.Values {
			row = append(row, fmt.Sprintf("%.2f", v))
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.2f", s.Deviation)))
	}
	return t
}

// sortFrom is the number of rows from which on a table can be sorted: fewer are
// taken in at a glance, and the script would outweigh them.
const sortFrom = 5

// sortRows sorts the rows of a table by the column whose head was clicked: up,
// then down, then as they were given. Rows that are equal stay as they stood,
// and NaN and empty cells come last both ways. Numbers are compared by the rank
// that a cell has in data-v or, in a column of numbers (it stands to the right),
// by the number shown; in a mixed column they come before text. Text is compared
// by its code units, in full where a cell shows its beginning.
const sortRows = `var h=event.target.closest('th'),b=h&&h.querySelector('[role=button]');if(!b)return;` +
	`var t=h.closest('table'),body=t.tBodies[0],was=h.getAttribute('aria-sort'),` +
	`to=!was?'ascending':was=='ascending'?'descending':'',d=to=='descending'?-1:1,` +
	`given=body.given||(body.given=Array.from(body.rows)),` +
	`sign=t.sign||(t.sign=document.createElement('span')),rest=t.parentNode.querySelector('[data-rest]');` +
	`t.querySelectorAll('[aria-sort]').forEach(function(e){e.removeAttribute('aria-sort')});sign.remove();` +
	`if(rest)rest.textContent=to?'; only the rows above are sorted':'';` +
	`if(to){h.setAttribute('aria-sort',to);sign.setAttribute('aria-hidden',true);sign.textContent=d>0?'▲':'▼';` +
	`sign.style.cssText='position:absolute;font-size:0.6em;line-height:1;bottom:0.4em;'+(h.align=='right'?'right':'left')+':100%';b.append(sign)}` +
	`var keys=given.map(function(r){var c=r.cells[h.cellIndex],s=c.textContent,v=c.dataset.v,n=v||h.align=='right';` +
	`return{r:r,last:s==''||s=='NaN',text:!n,v:n?Number(v||s.replace(/,/g,'').replace('∞','Infinity')):c.title||s}});` +
	`if(to)keys.sort(function(p,q){return p.last||q.last?p.last-q.last:d*(p.text-q.text||(p.v<q.v?-1:p.v>q.v))});` +
	`keys.forEach(function(k){body.append(k.r)})`

// pressKey makes Enter and the space bar click, as they do on a button.
const pressKey = `if((event.key=='Enter'||event.key==' ')&&event.target.closest('[role=button]')){event.preventDefault();event.target.click()}`

// invite tells, to a mouse above the names, what a click does. It is a script
// so that nothing is promised where scripts are taken out.
func invite(title string) string { return `this.title='` + title + `';this.style.cursor='pointer'` }

// head opens the head of a table. JupyterLab is kept from taking the keys pressed
// in that of one that can be sorted for its own.
func (g *grid) head() string {
	if !g.sortable() {
		return "<thead>"
	}
	title := "sort" + when(g.moreRows > 0, " these "+Count(len(g.rows))+" rows, not the "+Count(g.moreRows)+" left out")
	return `<thead data-lm-suppress-shortcuts="true" onmouseover="` + invite(title) + `" onclick="` + inAttribute(sortRows) + `" onkeydown="` + inAttribute(pressKey) + `">`
}

// inAttribute writes a script of ours in double quotes. It spares the single
// ones, of which there are many.
func inAttribute(script string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&#34;").Replace(script)
}

// A name that sorts is a button by its role and no <button>: where scripts and
// roles are taken out of a page, plain text is left and no button that does nothing.
const openSort = `<span role="button" tabindex="0" style="display:inline-block;position:relative;text-decoration:underline dotted #9e9e9e;text-underline-offset:0.2em">`

// sortable reports whether the rows can be sorted. A table without names of its
// columns lists properties, in an order that means something.
func (g *grid) sortable() bool { return g.header != nil && len(g.rows) >= sortFrom }

// ranks returns the places of a column's numbers in their order, from 1 and the
// same for equal ones, and 0 for what is not a number. It returns nil where the
// texts shown give the same order.
func ranks(cells []cell, texts []string, numeric bool) []int {
	var at []int
	for i, c := range cells {
		if !c.empty && c.right && !math.IsNaN(c.number) { // which has no place among numbers
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(i, j int) int { return compareNumbers(cells[i], cells[j]) })
	out := make([]int, len(cells))
	needed := !numeric && len(at) > 0
	for n, i := range at {
		out[i] = 1
		if n > 0 {
			before := at[n-1]
			order := compareNumbers(cells[before], cells[i])
			out[i] = out[before] - order
			needed = needed || order != cmp.Compare(shownNumber(texts[before]), shownNumber(texts[i]))
		}
	}
	if !needed {
		return nil
	}
	return out
}

// compareNumbers compares the exact values of two cells.
func compareNumbers(a, b cell) int { return a.exact().Cmp(b.exact()) }

// exact is the value of a number.
func (c cell) exact() *big.Float {
	if c.whole != nil {
		return new(big.Float).SetInt(c.whole)
	}
	return big.NewFloat(c.number)
}

// shownNumber reads a number as it is shown, in the way of sortRows.
func shownNumber(s string) float64 {
	s = strings.Replace(strings.ReplaceAll(s, ",", ""), "∞", "Inf", 1)
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // then x is infinite, as in the page
		return math.NaN()
	}
	return x
}
