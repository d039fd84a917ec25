package sarsop

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/internal/mdp"
)

// closeUpper lowers the upper bounds of all nodes together. With what is known of the outcomes of their
// actions, they are the states of a finite MDP: an outcome leads to its node, or to the node of the point that
// its bound rests on with the share that it has there (see points.sawtooth), and what else it is worth is paid
// at once, as are the bounds of actions that nobody has looked at. V* is at most its backup in this MDP, and no
// more than the bounds so far, those of actions too, so that it is not above value iteration from these, nor above its limit. Backups
// at single nodes come to that limit after some 1/(1−γ) rounds.
//
// Where there is a Goal and nothing costs anything, the optimal values of k steps are at most value iteration from 0
// in this MDP, and V* is at most its limit, which is the least fixed point. Nodes among which an agent can move for
// ever without pay have one value there.
//
// It returns the size of the MDP. Where an agent can wait for nothing, it also finds out at which nodes.
func (t *tree) closeUpper(ctx context.Context, gap float64) int {
	t.addCorners()
	for round := 1; ; round++ {
		p := t.nodesMDP(ctx)
		solve := t.solveDiscounted
		if t.Goal != nil {
			solve = t.solveTotals
		}
		var q, u []float64
		if ctx.Err() == nil {
			q, u = solve(ctx, p, gap)
		}
		if q == nil { // there was no time for values
			return 0
		}
		if round == lookRounds || ctx.Err() != nil || !t.lookFurther(ctx, q) {
			t.lowerAll(ctx, u, q)
			if t.Goal != nil && t.Goal.Waits() && !t.Goal.Earns() && !t.Goal.Loses() {
				t.wait(ctx, p)
			}
			return len(p.Col) + len(p.Reward)
		}
	}
}

// solveDiscounted returns the values of the MDP of closeUpper by row and by node, with a discount.
func (t *tree) solveDiscounted(ctx context.Context, p *mdp.MDP, gap float64) (q, u []float64) {
	q, u = make([]float64, len(p.Reward)), make([]float64, len(t.nodes))
	bound, _ := p.ByPolicies(ctx, q, gap/1000) // where ctx ends, that of the values so far
	for i, n := range t.nodes {
		row := q[i*t.NA : (i+1)*t.NA]
		for a := range row {
			row[a] += bound
		}
		u[i] = min(n.upper, slices.Max(row))
	}
	return q, u
}

// solveTotals is solveDiscounted without a discount: values come down from the bounds so far. There are none where ctx ends before
// it is known which nodes are worth the same.
func (t *tree) solveTotals(ctx context.Context, p *mdp.MDP, gap float64) (q, u []float64) {
	q, u = make([]float64, len(p.Reward)), make([]float64, len(t.nodes))
	groups, stays := p.Apart(), []bool(nil)
	if t.Goal.Earns() || t.Goal.Waits() {
		t.loops = mostLoops
		var of []int32
		of, stays = p.EndComponents(ctx, func(row int) bool { return math.Abs(p.Reward[row]) <= mostLack*t.spread && t.visits(row) })
		if ctx.Err() != nil {
			return nil, nil
		}
		if groups = p.Collapse(of, stays); !t.Goal.Earns() { // to wait without end earns 0
			groups.Floor = slices.Repeat([]float64{math.Inf(-1)}, groups.Len())
			for i, c := range of {
				if c >= 0 && !t.Goal.Loses() {
					groups.Floor[groups.Of[i]] = 0
				}
			}
		}
	}
	groups.Most = slices.Repeat([]float64{math.Inf(1)}, len(q))
	for i, n := range t.nodes {
		for a := range n.acts {
			groups.Most[i*t.NA+a] = n.acts[a].upper
		}
	}
	v := slices.Repeat([]float64{math.Inf(1)}, groups.Len())
	for i, n := range t.nodes {
		g := groups.Of[i]
		v[g] = min(v[g], n.upper)
	}
	groups.Fall(ctx, v, t.Slip, gap/1e6, closeSweeps)
	for row := range q {
		q[row] = min(groups.Most[row], groups.Ahead(v, row)+t.Slip)
	}
	for i := range u {
		u[i] = v[groups.Of[i]]
	}
	if stays != nil {
		t.findExits(p, groups, stays, q)
	}
	return q, u
}

// findExits finds the way, from each node of a group, to the row by which an agent leaves the group best. q are the
// values of the rows.
func (t *tree) findExits(p *mdp.MDP, groups *mdp.Groups, stays []bool, q []float64) {
	best, size := make([]int, groups.Len()), make([]int, groups.Len()) // by group: its row, plus 1, and its nodes
	for i := range t.nodes {
		size[groups.Of[i]]++
	}
	for row, stay := range stays {
		if g := groups.Of[row/t.NA]; !stay && size[g] > 1 && (best[g] == 0 || t.leaves(q, row, best[g]-1)) {
			best[g] = row + 1
		}
	}
	back := make([][]int32, len(t.nodes)) // rows that stay and lead to a node
	for row, stay := range stays {
		if stay {
			for _, to := range p.Col[p.Row[row]:p.Row[row+1]] {
				back[to] = append(back[to], int32(row))
			}
		}
	}
	for _, n := range t.nodes {
		n.exit = exit{}
	}
	var queue []int32
	for _, row := range best {
		if row > 0 {
			i := (row - 1) / t.NA
			t.nodes[i].exit = exit{int32((row - 1) % t.NA), 1}
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, row := range back[i] {
			if n := t.nodes[int(row)/t.NA]; n.exit.far == 0 {
				n.exit = exit{row % int32(t.NA), t.nodes[i].exit.far + 1}
				queue = append(queue, row/int32(t.NA))
			}
		}
	}
}

// wait raises the lower bounds of nodes among which an agent can move without end without pay. p is the MDP of closeUpper.
func (t *tree) wait(ctx context.Context, p *mdp.MDP) {
	free, some := make([]bool, len(p.Reward)), false
	for row := range free {
		n := t.nodes[row/t.NA]
		free[row] = t.visits(row) && t.Free(&n.BeliefPoint, row%t.NA)
		some = some || free[row] && n.Raises(0)
	}
	if !some {
		return
	}
	_, stays := p.EndComponents(ctx, func(row int) bool { return free[row] })
	if ctx.Err() != nil {
		return
	}
	var list []pointbased.Waiting
	var from []*node // of the list
	place := make([]int, len(t.nodes))
	for i, n := range t.nodes {
		if a := slices.Index(stays[i*t.NA:(i+1)*t.NA], true); a >= 0 {
			place[i] = len(list)
			list, from = append(list, pointbased.Waiting{BeliefPoint: &n.BeliefPoint, Action: a}), append(from, n)
		}
	}
	for i, n := range from {
		for _, k := range n.acts[list[i].Action].children {
			list[i].Follow = append(list[i].Follow, pointbased.WaitingFor{X: k.X, O: k.O, To: place[k.node.index]})
		}
	}
	if t.Wait(list) {
		t.improved++
	}
}

const (
	// closeSweeps bounds the sweeps of value iteration over the nodes, each time.
	closeSweeps = 1000
	// lookRounds bounds how often closeUpper looks at more actions.
	lookRounds = 8
	// mostLoops is tree.loops once nodes are taken for one.
	mostLoops = 1e6
)

// nodesMDP returns the MDP of closeUpper, or a part of it where ctx ends before.
func (t *tree) nodesMDP(ctx context.Context) *mdp.MDP {
	for i, n := range t.nodes {
		n.index = int32(i)
	}
	p := &mdp.MDP{Actions: t.NA, Discount: t.Discount, Rate: t.Rate(), Row: make([]int, 1, len(t.nodes)*t.NA+1), Reward: make([]float64, len(t.nodes)*t.NA)}
	if len(t.nodes) >= sharedNodes {
		p.Workers = len(t.work)
	}
	for i, n := range t.nodes {
		if ctx.Err() != nil {
			break
		}
		for a := range t.NA {
			p.Reward[i*t.NA+a] = t.addRow(p, n, a)
			p.Row = append(p.Row, len(p.Col))
		}
	}
	return p
}

// addRow adds the outcomes of action a at n to p, and returns what else it is worth.
func (t *tree) addRow(p *mdp.MDP, n *node, a int) float64 {
	if n.acts == nil {
		return n.upper
	}
	act, first := &n.acts[a], len(p.Col)
	if act.children == nil {
		return act.upper
	}
	pay := act.reward
	var out []pointbased.Branch
	if t.corners != nil {
		out = t.outcomes(t.work[0], n, a)
	}
	for j := range act.children {
		k := &act.children[j]
		to, share, rest := t.leads(k)
		if t.corners != nil && k.node == nil {
			t.addMixture(p, k, to, share, out[j].Belief)
			continue
		}
		if to != nil {
			p.Col, p.Weight = append(p.Col, to.index), append(p.Weight, t.Discount*k.P*share)
		}
		pay += t.Discount * k.P * rest
	}
	if math.IsInf(pay, 1) { // some outcome has no bound yet
		p.Col, p.Weight = p.Col[:first], p.Weight[:first]
		return act.upper
	}
	return pay
}

// addMixture adds outcome k, whose belief is b, as a mixture of that of a node, if there is one, and of certain states.
func (t *tree) addMixture(p *mdp.MDP, k *child, to *node, share float64, b pointbased.Belief) {
	weight := t.Discount * k.P
	if to != nil {
		p.Col, p.Weight = append(p.Col, to.index), append(p.Weight, weight*share)
		full := t.work[0].Dense
		for i, v := range to.P {
			full[to.Y(i)] = share * v
		}
	}
	full := t.work[0].Dense
	for i, v := range b.P {
		y := b.Y(i)
		if c := v - full[y]; c > 0 {
			p.Col, p.Weight = append(p.Col, t.corners[int(k.X)*t.NY+y].index), append(p.Weight, weight*c)
		}
	}
	clear(full)
}

// addCorners adds nodes for the beliefs that are certain of a state.
func (t *tree) addCorners() {
	if t.corners != nil || t.NX*t.NY*t.NA > mostCorners {
		return
	}
	t.corners = make([]*node, t.NX*t.NY)
	for s := range t.corners {
		b := pointbased.Belief{At: []int32{int32(s % t.NY)}, P: []float64{1}}
		if t.NY == 1 {
			b.At = nil
		}
		t.corners[s] = t.nodeOf(int32(s/t.NY), b)
	}
}

// mostCorners is the number of states and actions up to which corners are added.
const mostCorners = 1000

// lookFurther looks at the best actions of nodes that nobody has looked at.
func (t *tree) lookFurther(ctx context.Context, q []float64) (some bool) {
	if t.corners == nil {
		return false
	}
	t.stamp++
	for i, n := range t.nodes {
		if ctx.Err() != nil {
			return false
		}
		t.expand(n)
		best := floats.MaxIdx(q[i*t.NA : (i+1)*t.NA])
		if n.acts[best].stamp == 0 || n.acts[best].children == nil {
			t.refreshUpper(n, best)
			some = true
		}
	}
	return some
}

// visits reports whether all outcomes of a row lead to their own nodes.
func (t *tree) visits(row int) bool {
	n := t.nodes[row/t.NA]
	return n.acts != nil && n.acts[row%t.NA].visited()
}

// leaves reports whether it is better to leave a group of nodes by a row than by another one: it is worth more or, where
// both are worth the same but for rounding, fewer trials have taken it in vain.
func (t *tree) leaves(q []float64, row, other int) bool {
	if more := q[row] - q[other]; math.Abs(more) > tie*t.spread {
		return more > 0
	}
	taken := func(row int) (x taken) {
		if n := t.nodes[row/t.NA]; n.acts != nil {
			x = n.acts[row%t.NA].taken
		}
		return x
	}
	return taken(row).less(taken(other)) < 0
}

// sharedNodes is the number of nodes from which on several goroutines are faster than one.
const sharedNodes = 4096

// leads returns how the upper bound of an outcome rests on that of a node: it is rest, and share times that. There
// is no node where it rests on none, or on one that is no more.
func (t *tree) leads(k *child) (to *node, share, rest float64) {
	to, share, rest = k.node, 1, k.more.slack
	if to == nil {
		to, share, rest = k.more.by, k.more.share, k.more.rest
	}
	if to == nil || int(to.index) >= len(t.nodes) || t.nodes[to.index] != to {
		return nil, 0, k.upper
	}
	return to, share, rest
}

// lowerAll lowers the upper bounds of the nodes to u, and of their actions to q: of the first nodes, where ctx ends before.
func (t *tree) lowerAll(ctx context.Context, u, q []float64) {
	for i, n := range t.nodes {
		if ctx.Err() != nil {
			break
		}
		if n.acts == nil {
			continue
		}
		for a := range n.acts {
			act := &n.acts[a]
			act.upper = min(act.upper, q[i*t.NA+a])
			for j := range act.children {
				k := &act.children[j]
				if to, share, rest := t.leads(k); to != nil && k.node == nil {
					k.upper = min(k.upper, rest+share*u[to.index])
				}
			}
		}
	}
	for i, n := range t.nodes {
		if i >= len(t.roots) && ctx.Err() != nil {
			break
		}
		if u[i] < n.upper-closeGain*math.Abs(n.upper) {
			n.upper = u[i]
			t.upper[n.X].put(n)
		}
	}
}

// closeGain is the share of an upper bound by which closeUpper must lower it at least: whoever looks at the beliefs near
// by must take note of the change.
const closeGain = 1e-9
