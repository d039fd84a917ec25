package cover

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kdtree"
	"bayescpace/bcpace/runs"
)

// Curve is how large covers are at a range of ε: at first from one farthest-first order, whose
// beginnings are covers and separated sets at all ε at once, and closer where that is asked for.
type Curve struct {
	// Points is the size of the set.
	Points int
	// Epsilon are the distances, falling; the other slices have an entry for each.
	Epsilon []float64
	// Net is the size of the farthest-first net: a minimal cover, from i to α, and so
	// a lower bound of Γ.
	Net []int
	// Least and Cover are bounds of γ. A cover of Cover points was found; Least is the size of the net
	// at 2ε, or better. The points of a net at 2ε are more than 2ε apart, so that no point covers two.
	Least, Cover []int
	// Apart and Most are bounds of α. Apart points more than ε apart were found; Most is
	// the size of the net at ½ε, or better. It is -1 where the order was too short for it. Least and Most
	// are bounds wherever the distance obeys the triangle inequality, as that of Points does.
	Apart, Most []int
}

// CurveOptions of NewCurve. Every zero value is useful.
type CurveOptions struct {
	// MaxOrder ends the farthest-first order at that many points, and with it the
	// curve: ε below which more would be needed are left out. 0 means no limit.
	MaxOrder int
	// Closer asks for closer bounds: what Number finds with these options, at one distance
	// after the other from the largest, each of which has an equal share of the time that is left. nil
	// means that the order is enough.
	Closer *Options
	// Progress, if set, is called with the curve so far, which it must not keep or change, and the
	// entry that has changed.
	Progress func(c *Curve, entry int)
}

// Decades returns n ≥ 2 distances that fall from high to low in equal ratios.
func Decades(high, low float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = high * math.Pow(low/high, float64(i)/float64(n-1))
	}
	return list
}

// NewCurve returns the sizes of covers of s at those epsilons > 0, which must fall.
// The error is an *bcpace.InputError for what cannot be used. Where the context ends it, the curve so
// far comes with the context's error.
func NewCurve(ctx context.Context, s Space, epsilons []float64, o CurveOptions) (*Curve, error) {
	for i, e := range epsilons {
		if !(e > 0) || math.IsInf(e, 1) || i > 0 && e >= epsilons[i-1] {
			return nil, bcpace.In("cover").Bad(fmt.Sprintf("epsilon %d", i), e, "finite distances above 0 that fall")
		}
	}
	if len(epsilons) == 0 {
		return nil, bcpace.In("cover").Bad("epsilons", "none", "one at least")
	}
	var periods []float64
	if p, ok := s.(*Points); ok {
		periods = p.Periods
	}
	t, err := FarthestFirst(ctx, s, TraversalOptions{MaxOrder: o.MaxOrder, Radius: max(0, kdtree.Half(epsilons[len(epsilons)-1], periods))})
	if t == nil {
		return nil, err
	}
	c := &Curve{Points: t.Points}
	for _, e := range epsilons {
		if n := t.Size(e); n >= 0 {
			c.add(e, n, t.within(kdtree.Twice(t.rounded(e), periods)), t.within(kdtree.Half(t.rounded(e), periods)))
		}
	}
	if err == nil && o.Closer != nil {
		err = c.closer(ctx, s, o)
	}
	return c, err
}

// add adds a distance with what a farthest-first order tells of it.
func (c *Curve) add(epsilon float64, net, least, most int) {
	c.Epsilon = append(c.Epsilon, epsilon)
	c.Net, c.Cover, c.Apart = append(c.Net, net), append(c.Cover, net), append(c.Apart, net)
	c.Least, c.Most = append(c.Least, least), append(c.Most, most)
}

// closer replaces bounds by closer ones.
func (c *Curve) closer(ctx context.Context, s Space, o CurveOptions) error {
	if p, ok := s.(*Points); ok {
		if list := p.Distinct(); len(list) < p.Len() {
			s = p.Pick(list)
		}
	}
	for i, e := range c.Epsilon {
		meet := func(x Numbers) {
			c.Least[i], c.Cover[i] = max(c.Least[i], x.Domination.Lower), min(c.Cover[i], x.Domination.Upper)
			c.Apart[i] = max(c.Apart[i], x.Independence.Lower)
			if c.Most[i] < 0 || x.Independence.Upper < c.Most[i] {
				c.Most[i] = x.Independence.Upper
			}
			if o.Progress != nil {
				o.Progress(c, i)
			}
		}
		closer := *o.Closer
		closer.Progress = meet
		share, cancel := runs.LeaveTime(ctx, 1-1/float64(len(c.Epsilon)-i))
		x, err := Number(share, s, e, closer)
		cancel()
		if err == nil {
			meet(x)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && share.Err() == nil {
			return err
		}
	}
	return nil
}

// Dimension is a fit of N(ε) ≈ C·ε^−d by a line through log N against log 1/ε.
type Dimension struct {
	// Slope is d, the covering dimension at the scales of the fit.
	Slope float64
	// Domination and Independence hold the slopes of the same fits to γ and to α themselves, whatever
	// these are between their bounds; +Inf at the upper end where a bound is missing.
	Domination, Independence [2]float64
	// Low and High are the least and the largest slope of fits to half of the entries,
	// next to each other: between them lies what the choice of scales does to the
	// slope. There is no random error to allow for, as the set and its nets are given,
	// and none is claimed for scales below the fit's.
	Low, High float64
	// Intercept is log C.
	Intercept float64
	// From and To are the entries of the curve that took part: From to To−1.
	From, To int
}

// fewest points of a fit, and the sizes between which a curve is not yet at its ends:
// a cover of fewer than three points says nothing of the set, and one of most of a
// finite set no more than that the set is finite.
const (
	fewestFit   = 6
	smallestFit = 3
	largestFit  = 0.5
)

// Dimension fits the sizes of the nets. Entries with nets of fewer than 3 points or
// more than half the set are left out. The error is an *bcpace.InputError where fewer
// than 6 are left.
func (c *Curve) Dimension() (Dimension, error) {
	d := Dimension{To: len(c.Net)}
	for d.From < d.To && c.Net[d.From] < smallestFit {
		d.From++
	}
	for d.To > d.From && float64(c.Net[d.To-1]) > largestFit*float64(c.Points) {
		d.To--
	}
	n := float64(d.To - d.From)
	if n < fewestFit {
		return Dimension{}, bcpace.In("covering dimension").Bad("the curve", fmt.Sprintf("%v sizes from 3 to half the set of %d points", n, c.Points),
			"at least 6: more points, or more distances between those where the cover is tiny and where it is everything")
	}
	d.Slope, d.Intercept = c.fit(d.From, d.To)
	d.Domination, d.Independence = c.slopes(d, c.Least, c.Cover), c.slopes(d, c.Apart, c.Most)
	d.Low, d.High = d.Slope, d.Slope
	for window, from := (d.To-d.From+1)/2, d.From; from+window <= d.To; from++ {
		slope, _ := c.fit(from, from+window)
		d.Low, d.High = min(d.Low, slope), max(d.High, slope)
	}
	return d, nil
}

// fit is the least-squares line through log N against log 1/ε of those entries.
func (c *Curve) fit(from, to int) (slope, intercept float64) {
	n := float64(to - from)
	var mx, my, sxx, sxy float64
	at := func(i int) (x, y float64) { return -math.Log(c.Epsilon[i]), math.Log(float64(c.Net[i])) }
	for i := from; i < to; i++ {
		x, y := at(i)
		mx, my = mx+x/n, my+y/n
	}
	for i := from; i < to; i++ {
		x, y := at(i)
		sxx, sxy = sxx+(x-mx)*(x-mx), sxy+(x-mx)*(y-my)
	}
	slope = sxy / sxx
	return slope, my - slope*mx
}

// slopes returns the least and the largest slope of fits to numbers within bounds. A slope is a
// weighted sum of their logarithms, so it is extreme where each is at one of its ends.
func (c *Curve) slopes(d Dimension, lower, upper []int) [2]float64 {
	if len(lower) != len(c.Epsilon) || len(upper) != len(c.Epsilon) || slices.Contains(upper[d.From:d.To], -1) {
		return [2]float64{0, math.Inf(1)}
	}
	var bounds [2]float64
	for end := range bounds {
		mixed := Curve{Epsilon: c.Epsilon, Net: slices.Clone(c.Net)}
		middle := 0.0
		for _, e := range c.Epsilon[d.From:d.To] {
			middle -= math.Log(e) / float64(d.To-d.From)
		}
		for i := d.From; i < d.To; i++ {
			if mixed.Net[i] = lower[i]; -math.Log(c.Epsilon[i]) > middle == (end == 1) {
				mixed.Net[i] = upper[i]
			}
		}
		bounds[end], _ = mixed.fit(d.From, d.To)
	}
	return bounds
}
