package proved

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"

	"bayescpace/bcpace/internal/num"
)

// grid is the finite model of a space. Its states are the nodes: one of each axis. The next place on
// one axis is drawn apart from the others, by a kernel.
type grid struct {
	*space
	form    *form
	axes    []*axis
	stride  []int // of the nodes of an axis
	nodes   int
	choices []choice
	state   float64 // Σ over the axes of the squared sides of a cell, in Scale
	box     float64 // likewise over those of a Box
	down    float64 // the factor that makes up for the rounding of a probability
	damp    *damping

	rows    []rows        // by axis
	reward  []float64     // (node·choices + choice)·latents + φ: at least the expected reward; nil where there is none
	region  []region      // by segments of the axes
	strides []int         // of the segments of an axis
	control [][]neighbour // by choice: those along each axis of its Box

	cells []int   // into which the axes of Spec were to be cut
	boxes [][]int // likewise, those of each Box
}

// region is a product of segments, and what arriving in it means.
type region struct {
	pays        []float64 // by latent
	ends, tells bool
}

// rows are what an axis needs of the others: the kernel of a choice at a node belongs to the node's
// group, as only some axes matter to the mean.
type rows struct {
	stride  []int // of the group, by axis; 0 where it does not matter
	groups  int
	means   []float64   // (group·choices + choice)·latents + φ
	sigmas  []float64   // likewise; nil where the standard deviation is that of the axis
	kernels []kernel    // group·choices + choice
	reaches []reach     // those of the kernels
	rests   []rest      // those of the kernels one after the other: one each, or, of an axis that tells something, one for each latent
	bent    float64     // what the mean may be off its interpolation
	wavers  float64     // what the standard deviation may be off it
	split   [][]share   // how much of a step along an axis of the state is this mean's: see share
	boxes   [][][]share // [action][axis of the Box]
	informs bool
	alone   bool // it tells nothing, and nothing that moves this mean moves another one
}

// mostNumbers bounds the numbers of a finite model: some 400 MB.
const mostNumbers = 5e7

// someSweeps is how many sweeps of a grid take about as long as those without a horizon, of which
// most know the best choice.
const someSweeps = 20

// mostWork is Options.Work where that is 0.
const mostWork = 9e9

// workOfRow is about what a row of a kernel takes at a belief, in multiplications of a sum.
func workOfRow(latents int) float64 {
	if latents == 2 {
		return 12
	}
	return 24 * float64(latents)
}

// sketch cuts the axes and Boxes into so many cells.
func (p *space) sketch(f *form, w wide, cells []int, boxes [][]int) *grid {
	g := &grid{space: p, form: f, axes: p.axes(f, w), cells: cells, boxes: boxes, damp: newDamping(p.smooth.SigmaAt != nil || p.bends())}
	g.choices, g.box = p.choices(boxes)
	g.nodes = 1
	g.stride = make([]int, len(g.axes))
	for i := len(g.axes) - 1; i >= 0; i-- {
		x := g.axes[i]
		x.cut(cells[x.number], p.smooth.Jumps[x.number])
		g.stride[i] = g.nodes
		g.nodes *= len(x.node)
		h := x.widest / x.unit
		g.state += h * h
	}
	g.beside()
	return g
}

// newGrid lists the finite model with so many cells on the axes and on each Box. The error is that
// of ctx or the model's.
func newGrid(ctx context.Context, p *space, f *form, w wide, cells []int, boxes [][]int) (g *grid, err error) {
	defer p.spec.Guard(&err, "Smoothness", nil, -1, -1)
	g = p.sketch(f, w, cells, boxes)
	if err := g.regions(); err != nil {
		return nil, err
	}
	if err := g.tabulate(ctx); err != nil {
		return nil, err
	}
	switch fine, err := g.verify(ctx); {
	case err != nil:
		return nil, err
	case !fine:
		return newGrid(ctx, p, f, w, cells, boxes) // the form is wider now
	}
	if err := g.expect(ctx); err != nil {
		return nil, err
	}
	for i := range g.axes {
		g.kernels(ctx, i)
	}
	g.form = &form{noisy: f.noisy, varies: f.varies, informs: slices.Clone(f.informs)} // a finer grid may widen that of all
	return g, ctx.Err()
}

// load returns how many numbers a grid and what a solver keeps for so many beliefs take, and how many
// multiplications a sweep does.
func (g *grid) load(beliefs int) (numbers, work float64) {
	nodes, choices, share := float64(g.nodes), float64(len(g.choices)), 1.0
	numbers = nodes * float64(beliefs) * (4 + choices/2)
	numbers += nodes * float64(beliefs) * float64(len(g.moves.rows)-1)
	if g.steps > 0 {
		numbers += nodes * float64(beliefs) * (1.5*float64(g.steps) - choices/2)
		share = max(1, float64(g.steps)/someSweeps)
	}
	if g.smooth.Reward != nil {
		numbers += nodes * choices * float64(g.latents)
	}
	// The last axis is added up for each of its groups and what the others reach. Each node then
	// adds up the others.
	each, reaches := nodes, 1.0
	for i := len(g.axes) - 1; i >= 0; i-- {
		x := g.axes[i]
		informs := g.form.informs[x.number]
		reaches *= min(float64(len(x.node)), 4*float64(len(x.node)/x.block+1))
		groups, reach := 1.0, 1.0 // reach: on the axes before
		for j, y := range g.axes {
			varies := g.form.varies[x.number][y.number]
			if varies {
				groups *= float64(len(y.node))
			}
			if j < i && varies {
				reach *= y.width()
			} else if j < i {
				reach *= float64(len(y.node))
			}
		}
		rows, latents := x.width(), 1.0
		if informs {
			rows, latents = 4*rows, float64(g.latents)+1
		}
		numbers += groups * choices * (rows*latents + 4*float64(g.latents))
		if informs || i == 0 {
			each *= rows
		} else {
			work += groups * reach * rows
		}
	}
	if g.form.informs[g.axes[0].number] {
		each *= workOfRow(g.latents)
	}
	work += each
	tables := float64(beliefs)
	if g.form.tells() {
		tables = float64(g.latents)
	}
	numbers += reaches * tables
	return numbers, work * float64(beliefs) * choices * share
}

// width bounds the nodes that a kernel has.
func (ax *axis) width() float64 { return min(2*far*ax.most/ax.widest+2, float64(len(ax.node))) }

// at returns the index of a node on an axis.
func (g *grid) at(node, axis int) int { return node / g.stride[axis] % len(g.axes[axis].node) }

// place sets s to that of a node.
func (g *grid) place(s []float64, node int) {
	copy(s, g.base)
	for i, x := range g.axes {
		s[x.number] = x.place(g.at(node, i))
	}
}

// regions asks what arriving in each product of segments means.
func (g *grid) regions() error {
	all := 1
	g.strides = make([]int, len(g.axes))
	for i := len(g.axes) - 1; i >= 0; i-- {
		g.strides[i] = all
		all *= len(g.axes[i].middle)
	}
	s := slices.Clone(g.base)
	for k := range all {
		r := region{pays: make([]float64, g.latents)}
		if g.smooth.Arrive != nil {
			for i, x := range g.axes {
				s[x.number] = x.middle[k/g.strides[i]%len(x.middle)]
			}
			for φ := range g.latents {
				a := g.smooth.Arrive(s, φ)
				r.pays[φ] = a.Reward
				if φ > 0 && (a.Ends != r.ends || a.Tells != r.tells) {
					return g.spec.Fault(s, -1, φ, "Smoothness.Arrive says that arriving here ends or tells under one latent and not under another one")
				}
				if r.ends, r.tells = a.Ends, a.Tells; !num.Finite(a.Reward) {
					return g.spec.Fault(s, -1, φ, "Smoothness.Arrive pays %v, want a finite number", a.Reward)
				}
			}
		}
		g.region = append(g.region, r)
	}
	return nil
}

// regionOf returns that of a node.
func (g *grid) regionOf(node int) *region {
	k := 0
	for i, x := range g.axes {
		k += int(x.segment[g.at(node, i)]) * g.strides[i]
	}
	return &g.region[k]
}

// group returns that of a node for the kernels of an axis.
func (g *grid) group(node, axis int) (group int) {
	for j, s := range g.rows[axis].stride {
		if s > 0 {
			group += g.at(node, j) * s
		}
	}
	return group
}

// tabulate asks for the means of each group, at the node where axes that do not matter are at their first.
func (g *grid) tabulate(ctx context.Context) error {
	g.rows = make([]rows, len(g.axes))
	for i, x := range g.axes {
		r := &g.rows[i]
		r.stride, r.groups, r.informs = make([]int, len(g.axes)), 1, g.form.informs[x.number]
		for j := len(g.axes) - 1; j >= 0; j-- {
			if y := g.axes[j]; g.form.varies[x.number][y.number] {
				r.stride[j] = r.groups
				r.groups *= len(y.node)
			}
		}
		r.bent = (g.smooth.MeanCurve[x.number]*g.state + g.smooth.Control.Mean[x.number]*g.box) / 8
		r.means = make([]float64, r.groups*len(g.choices)*g.latents)
		if g.smooth.SigmaAt != nil {
			r.wavers = (g.smooth.SigmaCurve[x.number]*g.state + g.smooth.Control.Sigma[x.number]*g.box) / 8
			r.sigmas = make([]float64, len(r.means))
		}
		if err := attempt(ctx, r.groups, func(group int) error { return g.means(group, i) }); err != nil {
			return err
		}
	}
	return g.rounded(ctx)
}

// rounded sets down by the least standard deviations.
func (g *grid) rounded(ctx context.Context) error {
	g.down = 1 - 1e-12
	for i, x := range g.axes {
		r, least := &g.rows[i], x.sigma
		if r.sigmas != nil {
			if least = slices.Min(r.sigmas); least == slices.Max(r.sigmas) && r.wavers == 0 {
				x.sigma, r.sigmas = least, nil
			}
		}
		if err := g.wideEnough(x.number, least); err != nil {
			return err
		}
		g.down -= rounding * max(math.Abs(x.low), math.Abs(x.high)) / least
	}
	return ctx.Err()
}

// means fills in those of a group, and the standard deviations.
func (g *grid) means(group, axis int) (err error) {
	s, to, σ := make([]float64, len(g.spec.Axes)), make([]float64, len(g.spec.Axes)), make([]float64, len(g.spec.Axes))
	defer g.spec.Guard(&err, "Smoothness.Mean", s, -1, -1)
	r, number := &g.rows[axis], g.axes[axis].number
	g.place(s, 0)
	for j, stride := range r.stride {
		if stride > 0 {
			s[g.axes[j].number] = g.axes[j].place(group / stride % len(g.axes[j].node))
		}
	}
	for c, x := range g.choices {
		for φ := range g.latents {
			entry := (group*len(g.choices)+c)*g.latents + φ
			g.smooth.Mean(to, s, φ, x.id)
			g.sigmas(σ, s, φ, x.id)
			r.means[entry] = to[number]
			if r.sigmas != nil {
				r.sigmas[entry] = σ[number]
			}
			if err := g.checkNoise(s, number, φ, x.id, to[number], σ[number]); err != nil {
				return err
			}
			if g.axes[axis].wraps && math.Abs(to[number])*leastSigma > σ[number] {
				return g.spec.Fault(s, x.id, φ, "the mean of axis %q is %v in Smoothness: so far round, places are rounded by more than the noise of %v allows", g.spec.Axes[number].Name, to[number], σ[number])
			}
		}
	}
	return nil
}

// verify compares the means and standard deviations at all nodes with those of their groups, and widens
// the form where they differ.
func (g *grid) verify(ctx context.Context) (fine bool, err error) {
	n := len(g.axes)
	var off, tells atomic.Uint32 // by axis
	err = attempt(ctx, g.nodes/len(g.axes[n-1].node), func(row int) (err error) {
		s, to, σ := make([]float64, len(g.spec.Axes)), make([]float64, len(g.spec.Axes)), make([]float64, len(g.spec.Axes))
		defer g.spec.Guard(&err, "Smoothness.Mean", s, -1, -1)
		for k := range len(g.axes[n-1].node) {
			node := row*len(g.axes[n-1].node) + k
			if g.regionOf(node).ends {
				continue
			}
			g.place(s, node)
			for c, x := range g.choices {
				for φ := range g.latents {
					g.smooth.Mean(to, s, φ, x.id)
					g.sigmas(σ, s, φ, x.id)
					for i, a := range g.axes {
						r := &g.rows[i]
						first := (g.group(node, i)*len(g.choices) + c) * g.latents
						m, n := r.noise(a, first+φ), r.noise(a, first)
						if m.mean != to[a.number] || m.sigma != σ[a.number] {
							off.Or(1 << i)
						}
						if !r.informs && m != n {
							tells.Or(1 << i)
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	fine = true
	for i, x := range g.axes {
		if off.Load()>>i&1 > 0 {
			fine = false
			if !slices.Contains(g.rows[i].stride, 0) {
				return false, g.spec.Fault(nil, -1, -1, "Smoothness.Mean gives axis %q another mean when it is asked a second time", x.name)
			}
			for _, j := range g.form.noisy {
				g.form.varies[x.number][j] = true
			}
		}
		if tells.Load()>>i&1 > 0 {
			fine, g.form.informs[x.number] = false, true
		}
	}
	return fine, nil
}

// expect asks for the rewards.
func (g *grid) expect(ctx context.Context) error {
	if g.smooth.Reward == nil {
		return nil
	}
	g.reward = make([]float64, g.nodes*len(g.choices)*g.latents)
	bend := g.rewardBend()
	err := attempt(ctx, g.nodes, func(node int) error {
		if g.regionOf(node).ends {
			return nil
		}
		return g.rewards(node, bend)
	})
	return cmp.Or(err, ctx.Err())
}

// rewardBend is what an expected reward exceeds its interpolation by at most.
func (g *grid) rewardBend() float64 {
	return (g.smooth.RewardCurve*g.state + g.smooth.Control.Reward*g.box) / 8
}

// rewards fills in those of a node.
func (g *grid) rewards(node int, bend float64) (err error) {
	s := make([]float64, len(g.spec.Axes))
	defer g.spec.Guard(&err, "Smoothness.Reward", s, -1, -1)
	g.place(s, node)
	for c, x := range g.choices {
		for φ := range g.latents {
			r := g.smooth.Reward(s, φ, x.id)
			if !num.Finite(r) {
				return g.spec.Fault(s, x.id, φ, "the expected reward %v of Smoothness is no finite number", r)
			}
			g.reward[(node*len(g.choices)+c)*g.latents+φ] = r + bend + 1e-13*math.Abs(r)
		}
	}
	return nil
}

// rest is what a kernel keeps, and where what is left may lie: a number among rows.reaches.
type rest struct {
	kept   float64
	number int32
}

// noise is a normal distribution.
type noise struct{ mean, sigma float64 }

// noise returns that of an entry of means.
func (r *rows) noise(x *axis, entry int) noise {
	if r.sigmas == nil {
		return noise{r.means[entry], x.sigma}
	}
	return noise{r.means[entry], r.sigmas[entry]}
}

// share is a part of a cell of kernels: how many standard deviations the means of all axes move by
// along it, and which part of that is the mean of this axis.
type share struct{ moves, part float64 }

// neighbour is what lies beside a choice along an axis of its Box.
type neighbour struct{ lower, upper int } // choices; −1 where there is none

// beside lists the neighbours of the choices.
func (g *grid) beside() {
	for c, x := range g.choices {
		list := make([]neighbour, len(x.at))
		for q, at := range x.at {
			list[q] = neighbour{-1, -1}
			if at > 0 {
				list[q].lower = c - x.stride[q]
			}
			if at < x.cells[q] {
				list[q].upper = c + x.stride[q]
			}
		}
		g.control = append(g.control, list)
	}
}

// parts finds for each step along a coordinate how it is shared between the means of the axes: by how far they
// move at most, in standard deviations. Hölder's inequality holds for any shares; these lose little. It also
// finds the axes that are alone.
func (g *grid) parts() {
	most := func(axis int, from, to int) (m float64) { // of all latents, from and to are entries of means
		r, x := &g.rows[axis], g.axes[axis]
		for φ := range g.latents {
			a, b := r.noise(x, from*g.latents+φ), r.noise(x, to*g.latents+φ)
			m = max(m, (math.Abs(b.mean-a.mean)+widens*math.Abs(b.sigma-a.sigma))/min(a.sigma, b.sigma))
		}
		return m
	}
	n := len(g.choices)
	for i := range g.axes {
		r := &g.rows[i]
		r.split, r.boxes = make([][]share, len(g.axes)), make([][][]share, len(g.spec.Actions))
		for j, y := range g.axes {
			r.split[j] = make([]share, len(y.node))
			if r.stride[j] == 0 {
				continue
			}
			for group := range r.groups {
				at := group / r.stride[j] % len(y.node)
				if y.right[at] < 0 {
					continue
				}
				for c := range n {
					r.split[j][at].moves = max(r.split[j][at].moves, most(i, group*n+c, (group+r.stride[j])*n+c))
				}
			}
		}
		for c, x := range g.choices {
			if r.boxes[x.action] == nil {
				r.boxes[x.action] = make([][]share, len(x.at))
				for q := range x.at {
					r.boxes[x.action][q] = make([]share, x.cells[q]+1)
				}
			}
			for q, b := range g.control[c] {
				if b.upper < 0 {
					continue
				}
				for group := range r.groups {
					r.boxes[x.action][q][x.at[q]].moves = max(r.boxes[x.action][q][x.at[q]].moves, most(i, group*n+c, group*n+b.upper))
				}
			}
		}
	}
	for i := range g.axes {
		g.rows[i].alone = !g.rows[i].informs
	}
	divide := func(of func(axis int) *share) {
		sum := 0.0
		for i := range g.axes {
			sum += of(i).moves
		}
		for i := range g.axes {
			s := of(i)
			if sum > 0 {
				s.part = s.moves / sum
			}
			if s.part > 0 && s.part < 1 {
				g.rows[i].alone = false
			}
		}
	}
	for j, y := range g.axes {
		for at := range y.node {
			divide(func(i int) *share { return &g.rows[i].split[j][at] })
		}
	}
	for a := range g.spec.Actions {
		for q, list := range g.rows[0].boxes[a] {
			for at := range list {
				divide(func(i int) *share { return &g.rows[i].boxes[a][q][at] })
			}
		}
	}
}

// kernels makes those of an axis.
func (g *grid) kernels(ctx context.Context, axis int) {
	if axis == 0 {
		g.parts()
	}
	r := &g.rows[axis]
	r.kernels = g.build(ctx, axis, false)
	numbers := make(map[reach]int32)
	for i := range r.kernels {
		k := &r.kernels[i]
		for φ, x := range k.rest {
			n, ok := numbers[x]
			if !ok {
				n = int32(len(numbers))
				numbers[x] = n
				r.reaches = append(r.reaches, x)
			}
			r.rests = append(r.rests, rest{k.kept[φ], n})
		}
	}
}

// told bounds the probability of being told the latent in a step.
func (g *grid) told() float64 {
	least, _ := g.keeps()
	return 1 - least
}

// build makes the kernels of an axis by group and choice: minorants, or majorants.
func (g *grid) build(ctx context.Context, axis int, above bool) []kernel {
	groups, n := g.rows[axis].groups, len(g.choices)
	list := make([]kernel, groups*n)
	parallel(ctx, groups, func(group int) {
		b := newBuilder(g, axis, above)
		for c := range n {
			list[group*n+c] = b.kernel(group, c)
		}
	})
	return list
}

// keeps bounds what a choice keeps.
func (g *grid) keeps() (least, most float64) {
	least, most = 1, 1
	for i := range g.rows {
		low, high := 1.0, 0.0
		for _, r := range g.rows[i].rests {
			low, high = min(low, r.kept), max(high, r.kept)
		}
		least, most = least*low, most*high
	}
	return least, most
}
