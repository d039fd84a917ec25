package alpha

import "math"

// PruneDominated removes, one after the other from the last, each vector that
// exceeds the upper surface of those left by at most tol at every belief, and
// returns how many. The upper surface falls by at most tol for each vector
// removed, at any belief; without tol, by rounding alone. tol ≥ 0 should be a
// little above the rounding of the entries, such as 10⁻¹² of the largest, so
// that of vectors that are all but the same one stays.
//
// The order and the question are those of Lark's filter (White 1991), the linear
// program is not. Whether v is dominated by the others v_i is a matrix game: one
// player picks a latent φ, the other a vector i, and the first is paid
// v(φ) − v_i(φ). The value of the game, max over b of min
// over i of b·(v − v_i), is how far v rises above the surface. A game always has
// a value, so its program is feasible and bounded, and starts from a known
// vertex, unlike the usual one for a witness. What the simplex method ends with
// is not trusted: any mixture w of the others with v ≤ Σ_i w_i·v_i + tol proves
// that v may go (weak duality), and that is checked entry by entry. Where the
// method fails, v stays.
//
// It costs up to n games of dim × n entries.
func (s *Set) PruneDominated(tol float64) (removed int) {
	s.Settle()
	used := make([]bool, s.Len())
	for i := range used {
		used[i] = true
	}
	var g game
	for i := s.Len() - 1; i >= 0; i-- {
		used[i] = false
		if !(g.margin(s, s.Vector(i), used) <= tol) {
			used[i] = true
		}
	}
	return s.keep(used)
}

// game is the scratch space of margin.
type game struct {
	others []int     // the vectors in play
	table  []float64 // (dim+1) × width: a simplex tableau, the objective last
	basis  []int     // dim: the variable of each row
	width  int       // others, dim slacks, and the right-hand side
	mix    []float64 // by others
}

// margin returns an upper bound of how far v rises above the used vectors, which
// is tight where the simplex method succeeds; +Inf without any vector.
func (g *game) margin(s *Set, v []float64, used []bool) float64 {
	g.others = g.others[:0]
	for i, u := range used {
		if u {
			g.others = append(g.others, i)
		}
	}
	if len(g.others) == 0 {
		return math.Inf(1)
	}
	g.solve(s, v)
	// v − Σ w_i·v_i, with w = y/Σy.
	total := 0.0
	for _, y := range g.mix {
		total += y
	}
	if !(total > 0) {
		return math.Inf(1)
	}
	worst := math.Inf(-1)
	for l, x := range v {
		rise := 0.0
		for k, y := range g.mix {
			if y > 0 {
				rise += y / total * (x - s.Vector(g.others[k])[l])
			}
		}
		worst = max(worst, rise)
	}
	return worst
}

// solve leaves in mix the y ≥ 0 that maximises Σy with My ≤ 1, where M holds the
// payments moved and scaled to [1, 2]: y/Σy is the second player's best mixture.
func (g *game) solve(s *Set, v []float64) {
	n, m := len(g.others), len(v)
	g.width = n + m + 1
	g.table = append(g.table[:0], make([]float64, (m+1)*g.width)...)
	g.basis = g.basis[:0]
	low, high := math.Inf(1), math.Inf(-1)
	for l, x := range v {
		row := g.row(l)
		for k, i := range g.others {
			row[k] = x - s.Vector(i)[l]
			low, high = min(low, row[k]), max(high, row[k])
		}
	}
	scale := high - low
	if scale == 0 {
		scale = 1
	}
	for l := range m {
		row := g.row(l)
		for k := range n {
			row[k] = (row[k]-low)/scale + 1
		}
		row[n+l], row[n+m] = 1, 1
		g.basis = append(g.basis, n+l)
	}
	goal := g.row(m)
	for k := range n {
		goal[k] = -1
	}
	// The steepest column is quick; the first one (Bland) cannot cycle. The
	// last limit is for rounding.
	for step := 0; step < 100*(n+m); step++ {
		if !g.pivot(step > 5*(n+m)) {
			break
		}
	}
	g.mix = append(g.mix[:0], make([]float64, n)...)
	for l, b := range g.basis {
		if b < n {
			g.mix[b] = max(0, g.row(l)[n+m])
		}
	}
}

func (g *game) row(l int) []float64 { return g.table[l*g.width : (l+1)*g.width] }

// pivot takes one step of the simplex method and reports false at the optimum.
func (g *game) pivot(first bool) bool {
	const zero = 1e-12 // entries are of the order of 1
	m, last := len(g.basis), g.width-1
	goal := g.row(m)
	in := -1
	for k, x := range goal[:last] {
		if x < -zero && (in < 0 || x < goal[in]) {
			in = k
			if first {
				break
			}
		}
	}
	if in < 0 {
		return false
	}
	out, least := -1, math.Inf(1)
	for l := range m {
		row := g.row(l)
		if row[in] <= zero {
			continue
		}
		if r := row[last] / row[in]; r < least || r == least && g.basis[l] < g.basis[out] {
			out, least = l, r
		}
	}
	if out < 0 {
		return false
	}
	pivot := g.row(out)
	p := pivot[in]
	for k := range pivot {
		pivot[k] /= p
	}
	for l := range m + 1 {
		if row := g.row(l); l != out && row[in] != 0 {
			f := row[in]
			for k, x := range pivot {
				row[k] -= f * x
			}
		}
	}
	g.basis[out] = in
	return true
}
