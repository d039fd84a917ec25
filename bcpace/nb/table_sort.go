package nb

import (
	"cmp"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

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

// openHead opens the head of a table that can be sorted. JupyterLab is kept
// from taking the keys pressed in it for its own.
func (g *grid) openHead(b *strings.Builder) {
	title := "sort"
	if g.moreRows > 0 {
		title = "sort these " + Count(len(g.rows)) + " rows, not the " + Count(g.moreRows) + " left out"
	}
	b.WriteString("\n" + `<thead data-lm-suppress-shortcuts="true" onmouseover="` + invite(title) + `" onclick="` + inAttribute(sortRows) + `" onkeydown="` + inAttribute(pressKey) + `">`)
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
		if c.isNumber() {
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

// isNumber reports whether c has a place among numbers, which NaN has not.
func (c cell) isNumber() bool { return !c.empty && c.right && !math.IsNaN(c.number) }

// compareNumbers compares the exact values of two cells.
func compareNumbers(a, b cell) int {
	if a.whole == nil && b.whole == nil {
		return cmp.Compare(a.number, b.number)
	}
	return a.exact().Cmp(b.exact())
}

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
