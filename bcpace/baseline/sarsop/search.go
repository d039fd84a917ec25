package sarsop

import (
	"context"
	"math"
)

// widths are the target gaps of successive trials, as fractions of the gap at the
// initial belief. Wide targets end trials soon, which lowers the upper bound of
// many beliefs near the start; narrow ones go deep, where the lower bound learns
// of rewards that lie far off.
var widths = [...]float64{1. / 2, 1. / 32}

// maxDepth bounds a trial. γ^1000 is beyond any target unless γ is nearly 1.
const maxDepth = 1000

// trial goes from the initial belief along the action with the highest upper
// bound and the outcome that adds most to the gap beyond its target (the
// heuristics of Smith and Simmons 2004), until the target of the depth, γ^-t
// times that of the start, is met. Then the beliefs of the path are backed up
// in reverse.
func (t *tree) trial(ctx context.Context, path []*node, target float64) []*node {
	n := t.widest()
	path = path[:0]
	for ctx.Err() == nil && len(path) < maxDepth {
		t.expand(n)
		path = append(path, n)
		a := t.backupUpper(n)
		t.Raise(&n.Point)
		if n.upper-n.Lower <= target {
			break
		}
		t.updateChildren(n, a)
		t.refreshLower(t.work[0], n, a)
		target /= t.Discount
		best, most := -1, 0.0
		children := n.acts[a].children
		for i := range children {
			if over := children[i].P * (children[i].upper - children[i].Lower - target); over > most {
				best, most = i, over
			}
		}
		if best < 0 {
			break
		}
		n = t.childNode(n, a, best)
	}
	for i := len(path) - 1; i >= 0 && ctx.Err() == nil; i-- {
		t.backupUpper(path[i])
		t.backupLower(path[i])
	}
	return path
}

// widest returns the root that adds most to the gap.
func (t *tree) widest() *node {
	var n *node
	most := math.Inf(-1)
	for _, r := range t.roots {
		if gap := r.p * (r.upper - r.Lower); gap > most {
			n, most = r.node, gap
		}
	}
	return n
}

// sweep backs up the lower bound at every node, the youngest first: vectors that
// trials have found since a node was last backed up reach it at once.
func (t *tree) sweep(ctx context.Context, least float64) {
	for i := len(t.nodes) - 1; i >= 0 && ctx.Err() == nil; i-- {
		if n := t.nodes[i]; n.acts != nil && n.upper-n.Lower > least {
			t.backupLower(n)
		}
	}
}
