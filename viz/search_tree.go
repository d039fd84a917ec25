package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// SearchTree draws the top of a planner's search tree (bcpace.PolicyAbilities.Nodes), from left to right.
// Above the bar of a node stand the action that led there, what it has changed and what was
// seen, and the probability of that; the bar is the belief, if there are few latents; and below
// it stand the best action and its value, or its bounds. The width of a line says how many
// simulations came by; it is dark where the action is the best one.
type SearchTree struct {
	Title    string
	Subtitle string              // "" says how many nodes are too deep to be drawn, if any
	Spec     bcpace.Spec         // of the model
	Nodes    []bcpace.SearchNode // from 1 to 100
}

const (
	maxTreeNodes   = 100
	maxTreeColumns = 6        // steps that are drawn, the root included
	treeBlock      = 188 * px // width of a node where there is room for it
	leastBlock     = 90 * px
	treeGap        = 30 * px // between the nodes of one step and those of the next
	treeRow        = 57 * px
	treeLineBelow  = 15 * px // of a row with two lines below the bar
	treeBar        = 11 * px
	treeLine       = 8 * px // width of the line of all simulations
)

// Figure checks the values and draws them.
func (s SearchTree) Figure() (*Figure, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	s.Title = name(s.Title, titled(s.Spec.Name, "search tree"))
	t := treeLayout{SearchTree: s}
	t.place()
	p := newBarePanel("", "")
	p.HideAxes()
	p.X.Max, p.Y.Max = 1, 1
	f := &Figure{Title: s.Title, Panels: []*plot.Plot{p}, Legend: t.legend(), Alt: t.describe()}
	hidden := t.hidden()
	f.Subtitle = cmp.Or(s.Subtitle, when(hidden > 0, "without %s more than %d steps deep", numtext.Several(hidden, "node"), maxTreeColumns-1))
	side := marginLeft + marginRight + vg.Length(t.columns-1)*treeGap
	f.least = side + vg.Length(t.columns)*leastBlock
	f.Width = min(max(defaultWidth, side+vg.Length(t.columns)*treeBlock), pageWidth)
	t.block = t.blockOf(f.Width - marginLeft - marginRight)
	for i := range t.Nodes {
		t.two = t.two || !math.IsNaN(t.row[i]) && labelStyle.Width(t.decision(i)) > t.block
	}
	if t.height = treeRow; t.two {
		t.height += treeLineBelow
	}
	p.Add(t)
	f.Height = vg.Length(t.rows)*t.height + f.headHeight()
	return f, nil
}

func (s SearchTree) check() error {
	check := checksOf("SearchTree", s.Title)
	check.want(len(s.Nodes) > 0 && len(s.Nodes) <= maxTreeNodes, " has %d nodes, want 1 to %d: a planner without a tree has none, and Nodes(20) of another one is easy to read", len(s.Nodes), maxTreeNodes)
	hint := when(s.Spec.Horizon > 0, "; with a horizon, the Spec of the Solution has the steps left on an axis")
	for i, n := range s.Nodes {
		check.part = fmt.Sprintf(", node %d", i)
		root := i == 0
		parent := bcpace.SearchNode{Depth: -1, Visits: n.Visits}
		if check.want(root && n.Parent == -1 || !root && n.Parent >= 0 && n.Parent < i, ": Parent is %d, want −1 at the first node, and a node before at others", n.Parent) && !root {
			parent = s.Nodes[n.Parent]
		}
		check.want(n.Depth == parent.Depth+1, ": Depth is %d, want 0 at the first node, and one more than its parent's at others", n.Depth)
		check.want(root || s.Spec.IsAction(n.Action), ": Action is %d, want an action of the model", n.Action)
		check.want(n.Best == -1 || s.Spec.IsAction(n.Best), ": Best is %d, want an action of the model, or −1", n.Best)
		check.want(len(n.State) == len(s.Spec.Axes), ": State has %d numbers, want %d, one for each axis%s", len(n.State), len(s.Spec.Axes), hint)
		check.want(len(n.Belief) == len(s.Spec.Latents), ": Belief has %d entries, want %d, one for each latent", len(n.Belief), len(s.Spec.Latents))
		check.want(n.Visits >= 0 && n.Visits <= parent.Visits, ": Visits is %d, want 0 or more, and no more than its parent's", n.Visits)
		check.want(!math.IsNaN(n.Lower) && !math.IsNaN(n.Upper), ": Lower and Upper are %v and %v, want bounds, or −Inf and +Inf", n.Lower, n.Upper)
		check.numbers("Value", n.Value)
		check.numbers("State", n.State...)
		check.beliefs(append([]float64{n.Prob}, n.Belief...))
	}
	return check.err
}

// treeLayout is where the nodes stand.
type treeLayout struct {
	SearchTree
	row           []float64 // by node, from the top; NaN for a node that is too deep to be drawn
	rows, columns int
	block         vg.Length // width of a node
	height        vg.Length // of a node with its texts
	two           bool      // the best action and its value stand on lines of their own
}

// blockOf is the width of a node where the tree has a width.
func (t treeLayout) blockOf(width vg.Length) vg.Length {
	return min(treeBlock, (width-vg.Length(t.columns-1)*treeGap)/vg.Length(t.columns))
}

// place gives each node a row: a leaf the next one, and another node the middle of those that
// follow it, of which those of one action stand together.
func (t *treeLayout) place() {
	next := make([][]int, len(t.Nodes))
	t.row = make([]float64, len(t.Nodes))
	for i, n := range t.Nodes {
		if t.row[i] = math.NaN(); i > 0 && n.Depth < maxTreeColumns {
			next[n.Parent] = append(next[n.Parent], i)
		}
	}
	var put func(i int)
	put = func(i int) {
		t.columns = max(t.columns, t.Nodes[i].Depth+1)
		if len(next[i]) == 0 {
			t.row[i] = float64(t.rows)
			t.rows++
			return
		}
		first := make(map[int]int) // by action: its place
		for k, c := range slices.Backward(next[i]) {
			first[t.Nodes[c].Action] = k
		}
		slices.SortStableFunc(next[i], func(a, b int) int { return first[t.Nodes[a].Action] - first[t.Nodes[b].Action] })
		for _, c := range next[i] {
			put(c)
		}
		t.row[i] = (t.row[next[i][0]] + t.row[next[i][len(next[i])-1]]) / 2
	}
	put(0)
}

// hidden returns the number of nodes that are too deep to be drawn.
func (t treeLayout) hidden() int { return floats.Count(math.IsNaN, t.row) }

// at returns the place of the left end of a node's bar.
func (t treeLayout) at(c draw.Canvas, i int) vg.Point {
	return vg.Point{X: c.Min.X + vg.Length(t.Nodes[i].Depth)*(t.block+treeGap), Y: c.Max.Y - vg.Length(t.row[i])*t.height - treeRow/2}
}

// Plot implements plot.Plotter.
func (t treeLayout) Plot(c draw.Canvas, _ *plot.Plot) {
	t.block = t.blockOf(c.Max.X - c.Min.X)
	for _, best := range []bool{false, true} { // those of the best actions above the others
		for i, n := range t.Nodes {
			if i > 0 && !math.IsNaN(t.row[i]) && best == (n.Action == t.Nodes[n.Parent].Best) {
				t.link(c, n.Parent, i, best)
			}
		}
	}
	for i := range t.Nodes {
		if !math.IsNaN(t.row[i]) {
			t.node(c, i)
		}
	}
}

// link draws the line to a node.
func (t treeLayout) link(c draw.Canvas, parent, i int, best bool) {
	from, to := t.at(c, parent), t.at(c, i)
	from.X += t.block
	middle := (from.X + to.X) / 2
	var path vg.Path
	path.Move(from)
	path.CubeTo(vg.Point{X: middle, Y: from.Y}, vg.Point{X: middle, Y: to.Y}, to)
	share := float64(t.Nodes[i].Visits) / float64(max(t.Nodes[0].Visits, 1))
	style := draw.LineStyle{Color: leaderGrey, Width: max(px, treeLine*vg.Length(share))}
	if best {
		style.Color = ink
	}
	c.SetLineStyle(style)
	c.Stroke(path)
}

// node draws a node.
func (t treeLayout) node(c draw.Canvas, i int) {
	at := t.at(c, i)
	above, below := tickStyle, labelStyle
	above.YAlign, below.YAlign = draw.YBottom, draw.YTop
	chance := t.chance(i)
	c.FillText(above, at.Add(vg.Point{Y: treeBar/2 + 4*px}), fit(t.arrival(i), above, t.block-above.Width(chance))+chance)
	under := at.Sub(vg.Point{Y: treeBar/2 + px})
	if t.two {
		c.FillText(below, under, fit(t.best(i), below, t.block))
		c.FillText(below, under.Sub(vg.Point{Y: treeLineBelow}), fit(t.worth(i), below, t.block))
	} else {
		c.FillText(below, under, t.below(i, below))
	}
	corner := at.Sub(vg.Point{Y: treeBar / 2})
	box := func(from, to float64) []vg.Point {
		x0, x1 := corner.X+vg.Length(from)*t.block, corner.X+vg.Length(to)*t.block
		return rectangle(x0, corner.Y, x1, corner.Y+treeBar)
	}
	if !t.bars() {
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: 2 * px}, at.X, at.Y, at.X+t.block, at.Y)
		return
	}
	sum := 0.0
	for φ, p := range t.Nodes[i].Belief {
		to := min(sum+max(p, 0), 1)
		c.FillPolygon(styleOf(φ).color, box(sum, to))
		sum = to
	}
	outline(c, draw.LineStyle{Color: muted, Width: px}, box(0, 1))
}

// bars reports whether beliefs are drawn: each latent has a colour of its own.
func (t treeLayout) bars() bool { return len(t.Spec.Latents) > 1 && len(t.Spec.Latents) <= len(styles) }

// arrival says what led to a node.
func (t treeLayout) arrival(i int) string {
	n := t.Nodes[i]
	if i == 0 {
		return words(stateName(t.Spec, n.State), maxWords)
	}
	return words(t.Spec.ActionName(n.Action)+" → "+t.change(i), maxWords)
}

// chance says with what probability a node follows the action that led there.
func (t treeLayout) chance(i int) string {
	return when(i > 0, ", %s%%", significant(100*t.Nodes[i].Prob, 2))
}

// change says what is new in the state of a node: the axes with labels, which may say the same
// again, and the others that have moved.
func (t treeLayout) change(i int) string {
	s, before := t.Nodes[i].State, t.Nodes[t.Nodes[i].Parent].State
	var parts []string
	for k, a := range t.Spec.Axes {
		switch j := int(s[k] - a.Min); {
		case a.Labels != nil && j >= 0 && j < len(a.Labels):
			parts = append(parts, a.Labels[j])
		case s[k] != before[k]:
			parts = append(parts, a.Name+" "+number(s[k]))
		}
	}
	if len(parts) == 0 {
		return "no change"
	}
	return strings.Join(parts, ", ")
}

// decision says what is best at a node, and what that is worth.
func (t treeLayout) decision(i int) string { return strings.TrimLeft(t.best(i)+" "+t.worth(i), " ") }

// below is decision in the width of a node: of the two, the name of the action is cut off.
func (t treeLayout) below(i int, style text.Style) string {
	best, worth := t.best(i), t.worth(i)
	if best == "" {
		return fit(worth, style, t.block)
	}
	return fit(fit(best, style, t.block-style.Width(" "+worth))+" "+worth, style, t.block)
}

// best names the best action at a node; "" if none was tried.
func (t treeLayout) best(i int) string {
	if t.Nodes[i].Best < 0 {
		return ""
	}
	return words(t.Spec.ActionName(t.Nodes[i].Best), maxWords)
}

// worth says the value of a node or, if that is a lower bound, its bounds.
func (t treeLayout) worth(i int) string {
	n := t.Nodes[i]
	if math.IsInf(n.Lower, 0) || math.IsInf(n.Upper, 0) {
		return number(n.Value)
	}
	bounds := fmt.Sprintf("[%s, %s]", number(n.Lower), number(n.Upper))
	if n.Value == n.Lower {
		return bounds
	}
	return number(n.Value) + " " + bounds
}

func (t treeLayout) legend() (entries []LegendEntry) {
	if t.bars() {
		for φ := range t.Spec.Latents {
			entries = append(entries, LegendEntry{Text: latentName(t.Spec.Latents, φ), Fill: styleOf(φ).color})
		}
	}
	if len(t.Nodes) > 1 {
		entries = append(entries, LegendEntry{Text: "best action; width: simulations", Line: draw.LineStyle{Color: ink, Width: 4 * px}},
			LegendEntry{Text: "another action", Line: draw.LineStyle{Color: leaderGrey, Width: 4 * px}})
	}
	return entries
}

func (t treeLayout) describe() string {
	text := fmt.Sprintf("%s. %s, searched %s: %s.", t.Title, name(t.arrival(0), "At the root"), numtext.Several(t.Nodes[0].Visits, "time"), t.decision(0))
	for i, n := range t.Nodes {
		if n.Depth == 1 && i <= 6 {
			text += fmt.Sprintf(" Then %s%s, searched %s: %s.", t.arrival(i), t.chance(i), numtext.Several(n.Visits, "time"), t.decision(i))
		}
	}
	text += fmt.Sprintf(" %s in all", numtext.Several(len(t.Nodes), "node"))
	hidden := t.hidden()
	text += when(hidden > 0, ", of which %s not drawn, as they lie more than %d steps deep", numtext.Count(hidden), maxTreeColumns-1)
	return text + "."
}
