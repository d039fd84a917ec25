package proved

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// moves says how latents move after a step, by the index of the action.
//
// Where they do, w∘K is moved by the matrix P of the action before the agent goes on:
// V*(s',Pᵀ(w∘K)), as convex and homogeneous in w as V* itself. So the theorem holds with that in
// the place of V*(s',·); and being told φ is worth what V* is at the moved belief that was sure of φ.
type moves struct {
	class []int       // by index of an action: how it moves
	rows  [][]float64 // by class: φ·latents + φ' of P(φ'|φ)
}

// movesOf asks how latents move.
func (p *space) movesOf(kind bcpace.LatentKind) (*moves, error) {
	if kind == bcpace.Static {
		return &moves{class: make([]int, len(p.spec.Actions)), rows: make([][]float64, 1)}, nil
	}
	if p.smooth.Moves == nil {
		return nil, unsupported(p.spec, "a latent that stays as it is, or one that moves by the action alone (Smoothness.Moves), not a %v one", kind)
	}
	m := new(moves)
	for index, a := range p.spec.Actions {
		var list []float64
		for k, u := range boxCorners(a.Box) {
			one := make([]float64, 0, p.latents*p.latents)
			for φ := range p.latents {
				row := make([]float64, p.latents)
				if err := p.guarded(func() { p.smooth.Moves(row, φ, p.id(index, u)) }); err != nil {
					return nil, err
				}
				if sum := num.Sum(row); slices.ContainsFunc(row, func(x float64) bool { return !(x >= 0) }) || !(math.Abs(sum-1) <= 1e-9) {
					return nil, p.spec.Fault(nil, p.id(index, u), φ, "Smoothness.Moves sets %v, want probabilities whose sum is 1", row)
				}
				one = append(one, row...)
			}
			if k > 0 && !slices.Equal(one, list) {
				return nil, p.spec.Fault(nil, p.id(index, u), -1, "Smoothness.Moves moves the latent in another way than for other controls of the action, want the same way")
			}
			list = one
		}
		class := slices.IndexFunc(m.rows, func(x []float64) bool { return slices.Equal(x, list) })
		if class < 0 {
			class, m.rows = len(m.rows), append(m.rows, list)
		}
		m.class = append(m.class, class)
	}
	return m, nil
}

// boxCorners returns the controls at the corners of a Box; nil alone where there is none.
func boxCorners(box []bcpace.Axis) (list [][]float64) {
	for set := range 1 << len(box) {
		var u []float64
		for q, b := range box {
			if set>>q&1 > 0 && b.Period == 0 {
				u = append(u, b.Max)
			} else {
				u = append(u, b.Min)
			}
		}
		list = append(list, u)
	}
	return list
}

// stay reports whether no action moves the latent.
func (m *moves) stay() bool { return len(m.rows) == 1 && m.rows[0] == nil }

// part is a share of a point.
type part struct {
	point  int
	weight float64
}

// moved returns the points around each point after it has moved, by class.
func (m *moves) moved(p *points) [][][]part {
	all := make([][][]part, len(m.rows))
	for class, rows := range m.rows {
		for k, b := range p.list {
			if rows == nil {
				all[class] = append(all[class], []part{{k, 1}})
				continue
			}
			to := make([]float64, len(b))
			for φ, x := range b {
				for ψ := range to {
					to[ψ] += x * rows[φ*len(b)+ψ]
				}
			}
			around := p.grid.between()
			p.grid.corners(around, to, num.Sum(to))
			var parts []part
			for i, number := range around.numbers {
				parts = append(parts, part{int(number), around.weights[i]})
			}
			all[class] = append(all[class], parts)
		}
	}
	return all
}
