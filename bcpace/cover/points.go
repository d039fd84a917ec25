package cover

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kdtree"
)

// Space is a finite set of points with a distance. The distance is symmetric, not
// negative, 0 from a point to itself, and +Inf between two points that no ball of a cover
// may both contain. It need not satisfy the triangle inequality.
type Space interface {
	Len() int
	Distance(i, j int) float64
}

// Points are points under a norm, in flat arrays. metric.Metric embeds states and beliefs so
// that L1 is the paper's distance.
type Points struct {
	// Dim is the number of coordinates of a point.
	Dim int
	// Norm is the distance. The zero value is L1.
	Norm Norm
	// Coords has them, Len × Dim.
	Coords []float64
	// Periods has, for each of the first coordinates, the length after which it comes
	// again, as metric.Metric has them: distances go the shorter way round. 0 stands for
	// one that has ends, and nil means that all have.
	Periods []float64
	// Kind, of Len, sets points of different kinds infinitely far apart, as
	// different actions are. nil means one kind.
	Kind []int32
}

// Norm is how the differences of two points' coordinates make their distance.
type Norm = kdtree.Norm

// The paper's distance is L1, of embedded states and beliefs: see metric.Metric.
const (
	L1  = kdtree.L1  // the sum of the differences' sizes
	L2  = kdtree.L2  // the Euclidean length
	Max = kdtree.Max // the largest size
)

// ParseNorm returns the norm of a name: l1, l2 or max. The error is an *bcpace.InputError.
func ParseNorm(name string) (Norm, error) {
	if i := slices.Index(kdtree.Names, name); i >= 0 {
		return Norm(i), nil
	}
	return 0, bcpace.In("points").Bad("norm", strconv.Quote(name), "one of "+strings.Join(kdtree.Names, ", "))
}

// tree returns the tree of the points, or the context's error.
func (p *Points) tree(ctx context.Context) (*kdtree.Tree, error) {
	return kdtree.New(ctx, p.Norm, p.Dim, p.Coords, p.Periods, p.Kind)
}

// FromRows returns the points with the given coordinates. The error is an
// *bcpace.InputError that names the row where one has more or fewer coordinates than
// the first, or one that is not finite.
func FromRows(rows [][]float64) (*Points, error) {
	p := &Points{}
	for i, r := range rows {
		if i == 0 {
			p.Dim = len(r)
		}
		if len(r) != p.Dim {
			return nil, bcpace.In("points").Bad(fmt.Sprintf("point %d", i), fmt.Sprintf("%d coordinates long", len(r)), fmt.Sprintf("%d, as point 0 has", p.Dim))
		}
		p.Coords = append(p.Coords, r...)
	}
	if len(rows) > 0 && p.Dim == 0 {
		return nil, bcpace.In("points").Bad("point 0", "0 coordinates long", "at least one coordinate")
	}
	return p, p.Validate()
}

// maxCoordinate keeps sums of distances finite.
const maxCoordinate = 1e150

// Validate returns an *bcpace.InputError unless the arrays have the right lengths
// all coordinates are finite, below 1e150 in size, and those with a period lie within one.
func (p *Points) Validate() error {
	in := bcpace.In("points")
	if err := cmp.Or(in.Need(p.Dim > 0 && len(p.Coords)%p.Dim == 0 || p.Dim == 0 && len(p.Coords) == 0, "Coords", fmt.Sprintf("%d long for Dim = %d", len(p.Coords), p.Dim), "Dim numbers for each point"),
		in.Need(int(p.Norm) < len(kdtree.Names), "Norm", p.Norm, "L1, L2 or Max"),
		in.Need(p.Kind == nil || len(p.Kind) == p.Len(), "Kind", fmt.Sprintf("%d long", len(p.Kind)), fmt.Sprintf("%d, one for each point", p.Len()))); err != nil {
		return err
	}
	for i, x := range p.Coords {
		if !(math.Abs(x) <= maxCoordinate) {
			return in.Bad(fmt.Sprintf("coordinate %d of point %d", i%p.Dim, i/p.Dim), x, "a finite number below 1e150 in size")
		}
	}
	for c, period := range p.Periods[:min(len(p.Periods), p.Dim)] {
		low, high := math.Inf(1), math.Inf(-1)
		for i := c; period > 0 && i < len(p.Coords); i += p.Dim {
			low, high = min(low, p.Coords[i]), max(high, p.Coords[i])
		}
		if high-low > period*(1+1e-9) {
			return in.Bad(fmt.Sprintf("coordinate %d", c), fmt.Sprintf("from %v to %v", low, high), fmt.Sprintf("within one period of %v", period))
		}
	}
	return nil
}

// Len returns the number of points.
func (p *Points) Len() int {
	if p.Dim == 0 {
		return 0
	}
	return len(p.Coords) / p.Dim
}

// At returns the coordinates of a point, a view.
func (p *Points) At(i int) []float64 { return p.Coords[i*p.Dim : (i+1)*p.Dim : (i+1)*p.Dim] }

func (p *Points) kind(i int) int32 {
	if p.Kind == nil {
		return 0
	}
	return p.Kind[i]
}

// Distance returns the norm of the difference, the shorter way round where there are Periods, or
// +Inf between points of different kinds.
func (p *Points) Distance(i, j int) float64 {
	if p.kind(i) != p.kind(j) {
		return math.Inf(1)
	}
	return p.Norm.Distance(p.Norm.Between(p.At(i), p.At(j), p.Periods))
}

// Pick returns the points of those numbers.
func (p *Points) Pick(list []int) *Points {
	q := &Points{Dim: p.Dim, Norm: p.Norm, Periods: p.Periods, Coords: make([]float64, 0, len(list)*p.Dim)}
	if p.Kind != nil {
		q.Kind = make([]int32, 0, len(list))
	}
	for _, i := range list {
		q.Coords = append(q.Coords, p.At(i)...)
		if p.Kind != nil {
			q.Kind = append(q.Kind, p.Kind[i])
		}
	}
	return q
}

// Distinct returns the numbers of the points without repetition: of those with the
// same coordinates and kind, the first, in increasing order. No covering number
// changes by leaving out the others.
func (p *Points) Distinct() []int {
	n := p.Len()
	seen := make([]int32, 2<<bits.Len(uint(n))) // a hash table with open addresses: a point + 1, or 0
	mask := uint64(len(seen) - 1)
	list := make([]int, 0, n)
	for i := range n {
		at := p.hash(i) & mask
		for seen[at] > 0 && !p.same(int(seen[at]-1), i) {
			at = (at + 1) & mask
		}
		if seen[at] == 0 {
			seen[at] = int32(i + 1)
			list = append(list, i)
		}
	}
	return list
}

// same reports whether two points have the same coordinates and kind; −0 is 0.
func (p *Points) same(i, j int) bool {
	return p.kind(i) == p.kind(j) && slices.Equal(p.At(i), p.At(j))
}

// hash mixes the coordinates and the kind of a point as splitmix64 does (Steele, Lea and Flood 2014).
func (p *Points) hash(i int) uint64 {
	h := uint64(p.kind(i))
	for _, x := range p.At(i) {
		h += math.Float64bits(x+0) + 0x9e3779b97f4a7c15 // −0 + 0 is 0
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// tiniest is the least ε > 0 under L2: the squares of smaller differences have no digits left.
const tiniest = 1e-150

// checkEpsilon returns an *bcpace.InputError unless ε is a distance that the norm can tell.
func (p *Points) checkEpsilon(epsilon float64) error {
	if p.Norm == L2 && epsilon > 0 && epsilon < tiniest {
		return bcpace.In("cover").Bad("epsilon", epsilon, "1e-150 or more under L2, or 0: take a smaller unit of length")
	}
	return checkEpsilon(epsilon)
}

// checkEpsilon returns an *bcpace.InputError unless ε is a distance.
func checkEpsilon(epsilon float64) error {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return bcpace.In("cover").Bad("epsilon", epsilon, "a finite distance, 0 or more")
	}
	return nil
}
