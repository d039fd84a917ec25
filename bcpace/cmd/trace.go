package cmd

import (
	"context"
	"math"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
)

// searchTrace is the course of a search in time: a row each time that its values have changed.
type searchTrace struct {
	begin time.Time
	last  bcpace.Progress // of the last row

	seconds                  []float64
	episodes, samples, steps []int
	value, lower, upper      []float64
}

// searchColumns are those of its table.
var searchColumns = []string{"seconds", "episodes", "samples", "steps", "value", "lower", "upper"}

// add adds a row, unless nothing has changed for less than a second.
func (t *searchTrace) add(p bcpace.Progress) {
	if p.Phase != "" {
		return
	}
	lower, upper := math.NaN(), math.NaN()
	if p.Gap > 0 || p.Epsilon > 0 { // bounds of a search, which may meet
		lower, upper = p.Value-p.Gap, p.Value
	}
	if n := len(t.seconds); n > 0 && p.Value == t.last.Value && p.Gap == t.last.Gap && time.Since(t.begin).Seconds() < t.seconds[n-1]+1 {
		return
	}
	t.row(p, p.Value, lower, upper)
}

func (t *searchTrace) row(p bcpace.Progress, value, lower, upper float64) {
	t.last, t.seconds = p, append(t.seconds, time.Since(t.begin).Seconds())
	t.episodes, t.samples, t.steps = append(t.episodes, p.Episodes), append(t.samples, p.Samples), append(t.steps, p.Steps)
	t.value, t.lower, t.upper = append(t.value, value), append(t.lower, lower), append(t.upper, upper)
}

// end adds the row of what was found.
func (t *searchTrace) end(r result) {
	p := bcpace.Progress{Episodes: r.Episodes, Samples: r.Samples, Steps: r.Steps}
	t.row(p, float64(r.Value), float64(r.Lower), float64(r.Upper))
}

// write writes the table, also after an interrupt.
func (t *searchTrace) write(file string) error {
	return writeTable(context.Background(), file, frame.WriteCSV, parquet.Write, frame.Of(searchColumns, []any{t.seconds, t.episodes, t.samples, t.steps, t.value, t.lower, t.upper}))
}
