package cover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kdtree"
	"bayescpace/bcpace/internal/knn"
)

// Traversal is a farthest-first order of points (Gonzalez 1985), also called a greedy
// permutation: each is the one farthest from those before it. Its prefixes are nets for all ε at
// once.
type Traversal struct {
	// Order lists points by their number, and Radius how far each was from those
	// before it: +Inf for the first, and never rising.
	Order  []int
	Radius []float64
	// Rest is how far the farthest point is from all of Order: 0 where every point
	// is in it or equals one that is.
	Rest float64
	// Points is the size of the set.
	Points int

	size float64 // of *Points: the largest sum of the sizes of a point's coordinates
	dim  int     // and their number; 0 for another space

	next int                                                  // the farthest point
	take func(center int) (next int, rest float64, err error) // adds a point, and tells the farthest one then
}

// TraversalOptions of FarthestFirst. Every zero value is useful.
type TraversalOptions struct {
	// First is the point to begin with.
	First int
	// MaxOrder ends the order at that many points. 0 means no limit.
	MaxOrder int
	// Radius ends it where all points are within it.
	Radius float64
}

// FarthestFirst orders the points of s, from the first on and among equally far ones
// by their number, until all are within o.Radius of one of the order. Of *Points in few
// dimensions it takes O(n log n) time for n of them (Har-Peled and Mendel 2006, whose method is
// another: here a k-d tree knows the farthest point of each of its parts, and a new point visits
// those that it can be nearer to); of another space, n times the length of the order. The error
// is an *bcpace.InputError for options or points that cannot be used; where the context ends it,
// the order so far comes with the context's error.
func FarthestFirst(ctx context.Context, s Space, o TraversalOptions) (*Traversal, error) {
	n := s.Len()
	p, flat := s.(*Points)
	if flat {
		if err := p.ready(); err != nil {
			return nil, err
		}
		n = p.Len()
	}
	if err := checkEpsilon(o.Radius); err != nil {
		return nil, err
	}
	if o.MaxOrder < 0 || o.First < 0 || n > 0 && o.First >= n {
		return nil, bcpace.In("cover").Bad("First, MaxOrder", fmt.Sprintf("%d, %d", o.First, o.MaxOrder), fmt.Sprintf("a point from 0 to %d, and a length or 0 for no limit", n-1))
	}
	if n == 0 {
		return &Traversal{}, nil
	}
	t := &Traversal{Points: n, Rest: math.Inf(1), next: o.First, take: farthestOf(s, n)}
	if flat {
		tree, err := p.tree(ctx)
		if err != nil {
			return t, err
		}
		t.size, t.dim, t.take = p.size(), p.Dim, kdtree.NewFarthest(tree).Take
	}
	err := t.grow(ctx, cmp.Or(o.MaxOrder, n), o.Radius)
	t.take = nil // and the tree with it
	if input := new(bcpace.InputError); errors.As(err, &input) {
		return nil, err
	}
	return t, err
}

// grow makes the order at least n points long, if there are as many that differ, or until all are within the radius.
func (t *Traversal) grow(ctx context.Context, n int, radius float64) (err error) {
	for len(t.Order) < n && t.Rest > radius {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.Order, t.Radius = append(t.Order, t.next), append(t.Radius, t.Rest)
		if t.next, t.Rest, err = t.take(t.next); err != nil {
			return err
		}
	}
	return nil
}

// farthestOf returns a function that adds a point to an order and tells the farthest one then,
// for any space: it looks at all points.
func farthestOf(s Space, n int) func(center int) (next int, rest float64, err error) {
	dist := slices.Repeat([]float64{math.Inf(1)}, n)
	return func(center int) (int, float64, error) {
		next := -1
		for i, d := range dist {
			// A point at 0 cannot come nearer.
			if d > 0 {
				e := s.Distance(i, center)
				if !(e >= 0) {
					return 0, 0, bcpace.In("cover").Bad(fmt.Sprintf("the distance of points %d and %d", i, center), e, "0 or more")
				}
				d = min(d, e)
				dist[i] = d
			}
			if next < 0 || d > dist[next] {
				next = i
			}
		}
		return next, dist[next], nil
	}
}

// Size returns the number of points of the net for epsilon, or -1 where the order
// ended too early for it (epsilon < Rest) or epsilon is not a distance.
func (t *Traversal) Size(epsilon float64) int {
	return t.within(t.rounded(epsilon))
}

// rounded returns ε with what rounding may add to a distance of ε, see Net.
func (t *Traversal) rounded(epsilon float64) float64 {
	if t.dim == 0 {
		return epsilon
	}
	return epsilon + knn.Rounding(t.size, epsilon, t.dim)
}

// within is Size for an ε that rounding is in.
func (t *Traversal) within(epsilon float64) int {
	if !(epsilon >= t.Rest) {
		return -1
	}
	return sort.Search(len(t.Radius), func(i int) bool { return t.Radius[i] <= epsilon })
}
