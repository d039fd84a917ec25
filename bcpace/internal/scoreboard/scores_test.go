package scoreboard

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/sweep"
)

// score is what a trial has found; NaN where there is nothing.
type score struct {
	mean, low, high float64 // of the return, with its interval at 95 %
	lower, upper    float64 // bounds of the optimal value
	fault           string  // why it was refused; "" for none
}

// String is for people.
func (s score) String() string {
	if s.fault != "" {
		return s.fault
	}
	return fmt.Sprintf("earns %.4g in [%.4g, %.4g], the optimum is in [%.4g, %.4g]", s.mean, s.low, s.high, s.lower, s.upper)
}

// board holds scores by the names of trials.
type board map[string]score

// nameOf returns what tells a trial from the others.
func nameOf(t sweep.Trial) string {
	name := t.Env
	for _, key := range slices.Sorted(maps.Keys(t.Set)) {
		name += fmt.Sprintf(" %s=%v", key, t.Set[key])
	}
	return name + "," + t.Algorithm
}

func scoreOf(row *sweep.TrialRow) score {
	if row.Fault != "" {
		nan := math.NaN()
		return score{nan, nan, nan, nan, nan, strings.Join(strings.Fields(row.Fault), " ")}
	}
	return score{row.Return, row.ReturnLo, row.ReturnHi, row.Lower, row.Upper, ""}
}

// verdict says how a score differs from the one before.
type verdict string

const (
	same      verdict = "same"
	better    verdict = "better"
	worseThan verdict = "worse"
	unknown   verdict = "new"
)

// noise is by how many standard errors of their difference two returns may differ. Of 200
// comparisons none does so by chance, with probability 0.97.
const noise = 4

// wider is by how much a bracket may widen, as a part of its width, before that is worse.
const wider = 0.05

// compare tells what has become of a score. Returns are compared by their intervals, which hold
// 1.96 standard errors to each side. Bounds have none.
func compare(was, is score, known bool) verdict {
	switch {
	case !known:
		return unknown
	case was.fault != "" || is.fault != "":
		return verdictOf(was.fault == "" && is.fault != "", was.fault != "" && is.fault == "")
	}
	stdErr := func(s score) float64 { return (s.high - s.low) / 2 / 1.96 }
	differ := is.mean - was.mean
	slack := noise*math.Hypot(stdErr(was), stdErr(is)) + 1e-9
	width, now := was.upper-was.lower, is.upper-is.lower
	return verdictOf(differ < -slack || now > width*(1+wider)+slack, differ > slack || width > now*(1+wider)+slack)
}

// verdictOf returns worse before better.
func verdictOf(isWorse, isBetter bool) verdict {
	switch {
	case isWorse:
		return worseThan
	case isBetter:
		return better
	}
	return same
}

var columns = []string{"model", "method", "return", "return lo", "return hi", "lower", "upper", "refused"}

// readBoard reads what write has written.
func readBoard(file string) (board, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	b := make(board)
	for i, line := range lines {
		if i == 0 {
			continue
		}
		var x [5]float64
		for k := range x {
			if x[k], err = numtext.Float(line[2+k]); err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", file, i+1, err)
			}
		}
		b[line[0]+","+line[1]] = score{x[0], x[1], x[2], x[3], x[4], line[7]}
	}
	return b, nil
}

// write writes the scores, sorted by name.
func (b board) write(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	lines := [][]string{columns}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		s := b[name]
		line := strings.Split(name, ",")
		for _, x := range []float64{s.mean, s.low, s.high, s.lower, s.upper} {
			line = append(line, strconv.FormatFloat(x, 'g', 8, 64))
		}
		lines = append(lines, append(line, s.fault))
	}
	if err := w.WriteAll(lines); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
