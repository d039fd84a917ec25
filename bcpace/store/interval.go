package store

import "time"

// The interval between two checkpoints is a tenth of the time so far, between minPause
// and maxPause, but at least restraint times as long as the last one took to write. So
// writing takes at most a share of about 1/(1+restraint) of the time, and a killed
// process loses little.
const (
	minPause  = 200 * time.Millisecond
	maxPause  = 5 * time.Second
	restraint = 50
)

// Interval decides when the next checkpoint of some work is due: after a tenth of the time so
// far, at least 200 ms and at most 5 s, or 50 times as long as the last one took to write if
// that is longer. So checkpoints take at most some 2 % of the time. Begin starts it.
type Interval struct {
	now                func() time.Time // time.Now if nil
	start, began, next time.Time
}

func (p *Interval) time() time.Time {
	if p.now != nil {
		return p.now()
	}
	return time.Now()
}

// Begin says that the work begins.
func (p *Interval) Begin() {
	p.start = p.time()
	p.next = p.start.Add(minPause)
}

// Due reports whether it is time to write a checkpoint. Who then writes one calls Done.
func (p *Interval) Due() bool {
	p.began = p.time()
	return !p.began.Before(p.next)
}

// Done says that the checkpoint is written which was due.
func (p *Interval) Done() {
	end := p.time()
	pause := min(max(end.Sub(p.start)/10, minPause), maxPause)
	p.next = end.Add(max(pause, restraint*end.Sub(p.began)))
}
