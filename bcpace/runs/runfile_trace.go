package runs

import (
	"fmt"
	"math"

	"bayescpace/bcpace/internal/columns"
)

// traceTable is the trace of a run as the columns of a run file.
type traceTable struct {
	Return                        []float64
	Steps, Escapes, Added, Sweeps []int32
	Residual, Value, Gap          []float64
}

// columns passes every column of n episodes to io, in the order of the format.
func (t *traceTable) columns(io columns.Columns, n int) {
	io.Floats(&t.Return, n)
	for _, c := range t.counts() {
		io.Ints(c, n)
	}
	io.Floats(&t.Residual, n)
	io.Floats(&t.Value, n)
	io.Floats(&t.Gap, n)
}

func (t *traceTable) counts() [4]*[]int32 {
	return [...]*[]int32{&t.Steps, &t.Escapes, &t.Added, &t.Sweeps}
}

// counts are the columns of e that count something, in the order of traceTable.
func (e *Episode) counts() [4]*int { return [...]*int{&e.Steps, &e.Escapes, &e.Added, &e.Sweeps} }

// wideCount is a count that does not fit into an int32. In its column the largest
// one that does stands for it.
type wideCount struct{ Column, Episode, Count int }

// tabulate returns the columns of a trace and the counts that they have no room
// for.
func tabulate(trace []Episode) (t traceTable, wide []wideCount) {
	for i, e := range trace {
		t.Return = append(t.Return, e.Return)
		t.Residual, t.Value, t.Gap = append(t.Residual, e.Residual), append(t.Value, e.Value), append(t.Gap, e.Gap)
		for column, to := range t.counts() {
			n := *e.counts()[column]
			fits := min(max(n, math.MinInt32), math.MaxInt32)
			if fits != n {
				wide = append(wide, wideCount{column, i, n})
			}
			*to = append(*to, int32(fits))
		}
	}
	return t, wide
}

// episodes returns the trace that tabulate was given.
func (t *traceTable) episodes(wide []wideCount) ([]Episode, error) {
	trace := make([]Episode, len(t.Return))
	for i := range trace {
		e := &trace[i]
		e.Return, e.Residual, e.Value, e.Gap = t.Return[i], t.Residual[i], t.Value[i], t.Gap[i]
		for column, from := range t.counts() {
			*e.counts()[column] = int((*from)[i])
		}
	}
	for _, w := range wide {
		if w.Column < 0 || w.Column >= len(t.counts()) || w.Episode < 0 || w.Episode >= len(trace) {
			return nil, fmt.Errorf("%w: its header has a count for column %d of episode %d, of %d episodes", ErrFormat, w.Column, w.Episode, len(trace))
		}
		*trace[w.Episode].counts()[w.Column] = w.Count
	}
	return trace, nil
}
