package collection

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/stop"
)

// measured is what a file has shown. Memory is what the process has asked of the system for all, in MB.
type measured struct {
	States, Actions, Observations int
	Discount                      float64
	ParseSeconds, ParseMB         float64
	FirstSeconds                  float64  // from the beginning of the search to its first bounds
	Bounds                        []bounds // after each of the times; fewer where the search was refused
	Seconds, MB                   float64  // of the whole search
	Stop                          string
	Refused                       string // why the file was not read or not solved; "" for none
}

// bounds are those of the value at the start; without any yet, Known is false.
type bounds struct {
	Lower, Upper float64
	Known        bool
}

// measurer reads a file and solves it, with another discount unless that is 0.
type measurer func(ctx context.Context, path string, discount float64, times []float64) measured

// oneFile is the first argument of a process that measures one file.
const oneFile = "--one-file"

// reserve is the share of its time that a search leaves for its policy, and that it has beyond the last time here.
const reserve = 0.08

// measureApart is measure in a process of its own, whose memory is that of one file, and whose end, by the system, is no other's.
func measureApart(ctx context.Context, path string, discount float64, times []float64) (found measured) {
	program, err := os.Executable()
	if err != nil {
		return measured{Refused: err.Error()}
	}
	args := []string{oneFile, path, strconv.FormatFloat(discount, 'g', -1, 64)}
	for _, t := range times {
		args = append(args, strconv.FormatFloat(t, 'g', -1, 64))
	}
	var out, fault bytes.Buffer
	c := exec.CommandContext(ctx, program, args...)
	c.Stdout, c.Stderr = &out, &fault
	if err := c.Run(); err != nil {
		return measured{Refused: fmt.Sprintf("%v: %s", err, strings.TrimSpace(fault.String()))}
	}
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		return measured{Refused: err.Error()}
	}
	return found
}

// answer measures the file of the arguments that measureApart gives.
func answer(args []string, w io.Writer) error {
	if len(args) < 3 {
		return fmt.Errorf("%s has %d arguments, want a file, a discount and times", oneFile, len(args))
	}
	discount, err := numtext.Float(args[1])
	if err != nil {
		return err
	}
	times, err := timesOf(strings.Join(args[2:], ","))
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(measure(context.Background(), args[0], discount, times))
}

// measure reads and solves a file.
func measure(ctx context.Context, path string, discount float64, times []float64) (found measured) {
	begin := time.Now()
	m, err := pomdpfile.ReadFile(ctx, path)
	found.ParseSeconds, found.ParseMB = time.Since(begin).Seconds(), memory()
	if err != nil {
		found.Refused = strings.Join(strings.Fields(strings.Replace(err.Error(), path+":", "line ", 1)), " ")
		return found
	}
	if discount != 0 {
		m.Discount = discount
	}
	found.States, found.Actions, found.Observations, found.Discount = m.NumStates(), len(m.Actions), len(m.Observations), m.Discount
	if err := search(ctx, m, times, &found); err != nil {
		found.Refused = strings.Join(strings.Fields(err.Error()), " ")
	}
	found.MB = memory()
	return found
}

// search solves a model for as long as the last of the times, and notes the bounds after each.
func search(ctx context.Context, m *pomdp.Model, times []float64, found *measured) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(times[len(times)-1]*(1+reserve)*float64(time.Second)))
	defer cancel()
	var last bounds
	begin := time.Now()
	note := func(seconds float64) { // the bounds so far are those after each time that has passed
		for len(found.Bounds) < len(times) && times[len(found.Bounds)] <= seconds {
			found.Bounds = append(found.Bounds, last)
		}
	}
	s, err := sarsop.Solver{}.SolvePOMDP(ctx, m, bcpace.Control{Progress: func(p bcpace.Progress) {
		seconds := time.Since(begin).Seconds()
		note(seconds)
		if p.Phase == "" {
			if !last.Known {
				found.FirstSeconds = seconds
			}
			last = bounds{p.Value - p.Gap, p.Value, true}
		}
	}})
	found.Seconds = time.Since(begin).Seconds()
	if err != nil {
		return err
	}
	if s.Stop != stop.Deadline { // it has ended, and has no better bounds later
		last = bounds{s.Certificate.Lower, s.Certificate.Upper, true}
	}
	note(times[len(times)-1])
	found.Stop = string(s.Stop)
	return nil
}

// memory returns what the process has asked of the system so far, in MB.
func memory() float64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.Sys) / (1 << 20)
}
