package collection

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"bayescpace/viz"
)

// row is one of the table.
type row struct {
	file *modelFile
	measured
	published publications
}

// writeTable writes the rows as CSV.
func writeTable(file string, times []float64, rows []row) error {
	lines := [][]string{{"file", "states", "actions", "observations", "discount", "parse_s", "parse_MB", "first_s"}}
	for _, t := range times {
		at := "_" + number(t, 6) + "s"
		lines[0] = append(lines[0], "lower"+at, "upper"+at)
	}
	lines[0] = append(lines[0], "stop", "search_s", "MB", "published", "same_file", "refused")
	for _, r := range rows {
		line := []string{r.file.name}
		if r.States > 0 {
			line = append(line, strconv.Itoa(r.States), strconv.Itoa(r.Actions), strconv.Itoa(r.Observations), number(r.Discount, 6))
		} else {
			line = append(line, "", "", "", "")
		}
		line = append(line, number(r.ParseSeconds, 3), number(r.ParseMB, 3), number(r.FirstSeconds, 3))
		for i := range times {
			if i < len(r.Bounds) && r.Bounds[i].Known {
				line = append(line, number(r.Bounds[i].Lower, 6), number(r.Bounds[i].Upper, 6))
			} else {
				line = append(line, "", "")
			}
		}
		var published []string
		for _, p := range r.published {
			published = append(published, p.written+" after "+number(p.seconds, 6)+" s by "+p.method+": "+p.source)
		}
		lines = append(lines, append(line, r.Stop, number(r.Seconds, 3), number(r.MB, 3), strings.Join(published, "; "), strings.Join(r.file.same, " "), r.Refused))
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := csv.NewWriter(f).WriteAll(lines); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// number is x with so many digits.
func number(x float64, digits int) string { return strconv.FormatFloat(x, 'g', digits, 64) }

// finest is the relative gap that counts as none: a log scale has no zero.
const finest = 1e-6

// drawGaps draws how many of the files have a relative gap of at most so much after each of the times.
func drawGaps(file string, times []float64, rows []row) error {
	v := viz.Lines{Title: "Model files by how closely they are solved", XLabel: "gap of the bounds at the start, as a part of the larger of their sizes", YLabel: "files with at most that gap", LogX: true}
	for i, t := range times {
		var gaps []float64
		for _, r := range rows {
			if i < len(r.Bounds) && r.Bounds[i].Known {
				gaps = append(gaps, relative(r.Bounds[i]))
			}
		}
		slices.Sort(gaps)
		s := viz.Series{Label: "after " + number(t, 6) + " s"}
		for k, gap := range gaps {
			s.X, s.Y = append(s.X, gap), append(s.Y, float64(k+1))
		}
		if len(gaps) > 0 {
			v.Series = append(v.Series, s)
		}
	}
	figure, err := v.Figure()
	if err != nil {
		return err
	}
	image, err := figure.SVG()
	if err != nil {
		return err
	}
	return os.WriteFile(file, image, 0o644)
}

// relative is the gap of bounds as a part of the larger of their sizes.
func relative(b bounds) float64 {
	size := max(math.Abs(b.Lower), math.Abs(b.Upper))
	if size == 0 {
		return finest
	}
	return max((b.Upper-b.Lower)/size, finest)
}
