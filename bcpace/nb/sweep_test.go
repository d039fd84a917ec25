package nb

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace/sweep"
)

// tallies is a sweep of five trials.
type tallies struct{ done, failed, total int }

func (t tallies) Tally() (done, running, failed, total int, left time.Duration) {
	return t.done, 1, t.failed, t.total, 90 * time.Second
}

type fakeSweep struct{ err error }

func (s fakeSweep) Run(_ context.Context, progress func(tallies)) (string, error) {
	progress(tallies{3, 1, 5})
	return "so far", s.err
}

//test:race
func TestSweepTally(t *testing.T) {
	share, status := tallyOf(tallies{3, 1, 5})
	if want := "3 of 5 done, 1 running, 1 failed, 1m30s left"; share != 0.6 || status != want {
		t.Errorf("share %v, status %q, want 0.6 and %q", share, status, want)
	}
	if got := Sweep(fakeSweep{}); got != "so far" {
		t.Errorf("results %q", got)
	}
	// Interrupted, the cell has the results so far and goes on.
	var text bytes.Buffer
	got, err := runSweep(t.Context(), &output{screen: terminal{&text}}, fakeSweep{context.Canceled})
	if got != "so far" || err != nil || !strings.Contains(text.String(), "3 trials of 5") {
		t.Errorf("interrupted: results %q, error %v, shown %q", got, err, text.String())
	}
	if _, err := runSweep(t.Context(), &output{screen: terminal{&text}}, fakeSweep{errors.New("no such parameter")}); err == nil {
		t.Error("no error of a sweep that cannot be")
	}
}

// A sweep.Spec and a sweep.On need no more words in a cell.
var (
	_ = func() *sweep.Results { return Sweep(sweep.Spec{}) }
	_ = func() *sweep.Results { return Sweep(sweep.On{Workers: 2}) }
)
