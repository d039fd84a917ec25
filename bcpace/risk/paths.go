package risk

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// paths bounds what may still be earned from each state, on the worst and on the best path, whatever is done.
type paths struct {
	low, high []float64 // by state
	starts    []int     // the numbers of the states in which episodes begin
	classes   int       // how many rewards there are at most with which one state follows another
	reached   int       // how many states can be
	bottom    float64   // of low, and top of high, over the states that can be reached
	top       float64
	gain      float64 // the largest reward that can be, 0 at least
}

// edge is a step that may happen.
type edge struct {
	from, to int32 // to is −1 where the episode ends
	low      float64
	high     float64
}

const (
	// mostEdges are how many steps are kept while paths are followed, some 100 MB.
	mostEdges = 4_000_000
	// sweeps of all edges bring the bounds of paths near enough, which hold after each.
	sweeps = 2_000
)

// pathsOf lists the steps of all states that can be reached, and follows them.
func pathsOf(m bcpace.Finite, stopped func() error) (*paths, error) {
	discount, n := m.Spec().Discount, m.NumStates()
	lo, hi := rangeOf(m)
	p := &paths{low: make([]float64, n), high: make([]float64, n), classes: 1}
	for s := range n {
		p.low[s], p.high[s] = lo, hi
	}
	edges, reached, err := p.list(m, stopped)
	if err != nil {
		return nil, err
	}
	least, most, width := make([]float64, n), make([]float64, n), 0.0
	for _, e := range edges {
		width = max(width, math.Abs(e.low), math.Abs(e.high))
	}
	for change, k := true, 0; change && k < sweeps && edges != nil; k++ {
		if err := stopped(); err != nil {
			return nil, err
		}
		change = false
		for _, e := range edges {
			least[e.from], most[e.from] = math.Inf(1), math.Inf(-1)
		}
		for _, e := range edges {
			low, high := e.low, e.high
			if e.to >= 0 {
				low, high = sumBelow(low, discount*p.low[e.to]), sumAbove(high, discount*p.high[e.to])
			}
			least[e.from], most[e.from] = min(least[e.from], low), max(most[e.from], high)
		}
		for _, e := range edges {
			if low := least[e.from]; low > p.low[e.from] {
				change = change || moved(p.low[e.from], low, width)
				p.low[e.from] = low
			}
			if high := most[e.from]; high < p.high[e.from] {
				change = change || moved(p.high[e.from], high, width)
				p.high[e.from] = high
			}
		}
	}
	p.bottom, p.top = hi, lo
	for s, ok := range reached {
		if ok {
			p.reached++
			p.bottom, p.top = min(p.bottom, p.low[s]), max(p.top, p.high[s])
		}
	}
	return p, nil
}

// rangeOf returns the range of returns of a model, a little wider, as the sum of the powers of a discount near 1 loses digits.
func rangeOf(m bcpace.Model) (lo, hi float64) {
	lo, hi = solverkit.RangeOfReturns(m)
	wrong := 8 * unit
	if discount := m.Spec().Discount; discount < 1 {
		wrong /= 1 - discount
	}
	return lo - wrong*math.Abs(lo), hi + wrong*math.Abs(hi)
}

// sumBelow returns a sum or less, and sumAbove one or more, whatever rounding does.
func sumBelow(x, y float64) float64 { return x + y - unit*(math.Abs(x)+math.Abs(y)) }

func sumAbove(x, y float64) float64 { return x + y + unit*(math.Abs(x)+math.Abs(y)) }

// moved reports whether a bound has moved so far that others may move, of numbers in a range of such a width. It ends searches, and makes no bound.
func moved(from, to, width float64) bool {
	return math.Abs(to-from) > max(1e-12*math.Abs(to), 1e-18*width)
}

// list returns the states that can be reached and the steps from them, nil where these are too many.
func (p *paths) list(m bcpace.Finite, stopped func() error) (edges []edge, reached []bool, err error) {
	spec := m.Spec()
	var z bcpace.Successors
	if err := z.ListStarts(m); err != nil {
		return nil, nil, err
	}
	reached = make([]bool, m.NumStates())
	var queue []int32
	reach := func(s []float64) (int32, error) {
		i := m.StateIndex(s)
		if i < 0 {
			return 0, spec.Fault(s, -1, -1, "a list has this state, which has no number")
		}
		if !reached[i] {
			reached[i] = true
			queue = append(queue, int32(i))
		}
		return int32(i), nil
	}
	for i := range z.Len() {
		s, _, _ := z.Row(i)
		start, err := reach(s)
		if err != nil {
			return nil, nil, err
		}
		p.starts = append(p.starts, int(start))
	}
	list, s := bcpace.NewLister(m), make([]float64, len(spec.Axes))
	fits := true
	var rewards []float64
	for len(queue) > 0 {
		from := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if err := stopped(); err != nil {
			return nil, nil, err
		}
		for a := range spec.Actions {
			m.StateAt(s, int(from))
			if err := list.List(s, a); err != nil {
				return nil, nil, err
			}
			for i := range list.Successors.Len() {
				next, prob, reward := list.Successors.Row(i)
				e := edge{from: from, to: -1, low: math.Inf(1), high: math.Inf(-1)}
				for φ, q := range prob {
					if q > 0 {
						e.low, e.high = min(e.low, reward[φ]), max(e.high, reward[φ])
					}
				}
				if math.IsInf(e.low, 1) {
					continue
				}
				if !list.Successors.Done[i] {
					if e.to, err = reach(next); err != nil {
						return nil, nil, err
					}
				}
				rewards = classesOf(rewards[:0], prob, reward)
				p.gain = max(p.gain, e.high)
				p.classes = max(p.classes, len(rewards))
				if fits = fits && len(edges) < mostEdges; fits {
					edges = append(edges, e)
				}
			}
		}
	}
	if !fits {
		edges = nil
	}
	return edges, reached, nil
}
