package cmd

import (
	"context"
	"math"
	"sync"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
)

// searchTrace is the course of a search in time: a row each time that its values have changed.
type searchTrace struct {
	begin time.Time

	mu                         sync.Mutex
	seconds                    []float64
	episodes, samples, steps   []int
	value, lower, upper        []float64
	lastValue, lastGap, latest float64
}

// searchColumns are those of its table.
var searchColumns = []string{"seconds", "episodes", "samples", "steps", "value", "lower", "upper"}

// add adds a row, unless nothing has changed for less than a second.
func (t *searchTrace) add(p bcpace.Progress) {
	if p.Phase != "" {
		return
	}
	lower, upper := math.NaN(), math.NaN()
	if p.Gap > 0 {
		lower, upper = p.Value-p.Gap, p.Value
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Since(t.begin).Seconds()
	if len(t.seconds) > 0 && p.Value == t.lastValue && p.Gap == t.lastGap && now < t.latest+1 {
		return
	}
	t.lastValue, t.lastGap, t.latest = p.Value, p.Gap, now
	t.row(now, p, p.Value, lower, upper)
}

func (t *searchTrace) row(now float64, p bcpace.Progress, value, lower, upper float64) {
	t.seconds = append(t.seconds, now)
	t.episodes, t.samples, t.steps = append(t.episodes, p.Episodes), append(t.samples, p.Samples), append(t.steps, p.Steps)
	t.value, t.lower, t.upper = append(t.value, value), append(t.lower, lower), append(t.upper, upper)
}

// end adds the row of what was found.
func (t *searchTrace) end(r result) {
	p := bcpace.Progress{Episodes: r.Episodes, Samples: r.Samples, Steps: r.Steps}
	t.row(time.Since(t.begin).Seconds(), p, float64(r.Value), float64(r.Lower), float64(r.Upper))
}

// write writes the table, also after an interrupt.
func (t *searchTrace) write(file string) error {
	return writeTable(context.Background(), file, frame.WriteCSV, parquet.Write, frame.Of(searchColumns, []any{t.seconds, t.episodes, t.samples, t.steps, t.value, t.lower, t.upper}))
}
