package collection

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const tiger = `discount: 0.95
values: reward
states: left right
actions: listen open-left open-right
observations: hear-left hear-right
T: listen identity
T: open-left uniform
T: open-right uniform
O: listen
.85 .15
.15 .85
O: open-left uniform
O: open-right uniform
R: listen : * : * : * -1
R: open-left : left : * : * -100
R: open-left : right : * : * 10
R: open-right : left : * : * 10
R: open-right : right : * : * -100
`

// modelFolder writes model files: one that is solved, the same again and in gzip, one with a fault in its last line, and something else.
func modelFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(strings.Replace(tiger, "-1\n", "-2\n", 1))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write("a/tiger.pomdp", tiger)
	write("b/copy.POMDP", tiger)
	write("b/dear.pomdp.gz", packed.String())
	write("bad.pomdp", tiger+"R: shout : * : * : * 1\n")
	write("notes.txt", "no model")
	return dir
}

// optimum returns the value of tiger at the start by value iteration over the lead of growls on one side, up to 30, where
// listening costs that much.
func optimum(cost float64) float64 {
	const most = 30
	v := make([]float64, 2*most+1)
	for range 2000 {
		next := make([]float64, len(v))
		for i := range v {
			b := 1 / (1 + math.Pow(.15/.85, float64(i-most))) // the tiger is on the side of the lead
			hear := b*.85 + (1-b)*.15
			listen := -cost + 0.95*(hear*v[min(i+1, 2*most)]+(1-hear)*v[max(i-1, 0)])
			next[i] = max(listen, 10-110*min(b, 1-b)+0.95*v[most])
		}
		v = next
	}
	return v[most]
}

// readTable reads a CSV file into rows by name and column.
func readTable(t *testing.T, file string) map[string]map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]map[string]string)
	for _, line := range lines[1:] {
		r := make(map[string]string)
		for i, cell := range line {
			r[lines[0][i]] = cell
		}
		rows[r["file"]] = r
	}
	return rows
}

// TestTable: each file has a row of its own process, with sizes and bounds that hold Tiger's values, and a file that
// cannot be read has the line and the reason.
func TestTable(t *testing.T) {
	dir, out := modelFolder(t), t.TempDir()
	csvFile, figure := filepath.Join(out, "table.csv"), filepath.Join(out, "gaps.svg")
	times, err := timesOf("600, 1e-3")
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), dir, "", times, measureApart, csvFile, figure); err != nil {
		t.Fatal(err)
	}
	rows := readTable(t, csvFile)
	if len(rows) != 3 {
		t.Fatalf("%d rows, want 3: %v", len(rows), rows)
	}
	for name, optimum := range map[string]float64{"a/tiger.pomdp": optimum(1), "b/dear.pomdp.gz": optimum(2)} {
		r := rows[name]
		if r["states"] != "2" || r["actions"] != "3" || r["observations"] != "2" || r["discount"] != "0.95" || r["refused"] != "" || r["MB"] == "" || r["stop"] == "" {
			t.Errorf("%s: %v", name, r)
		}
		lower, err := strconv.ParseFloat(r["lower_600s"], 64)
		upper, err2 := strconv.ParseFloat(r["upper_600s"], 64)
		if err != nil || err2 != nil || lower > optimum+1e-4 || upper < optimum-1e-4 || upper > lower+0.002 {
			t.Errorf("%s: [%s, %s], want bounds of %v", name, r["lower_600s"], r["upper_600s"], optimum)
		}
	}
	if r := rows["a/tiger.pomdp"]; r["same_file"] != "b/copy.POMDP" {
		t.Errorf("the copy is %q", r["same_file"])
	}
	if r := rows["bad.pomdp"]; !strings.Contains(r["refused"], "line "+strconv.Itoa(strings.Count(tiger, "\n")+1)) || !strings.Contains(r["refused"], "shout") || r["lower_600s"] != "" {
		t.Errorf("the file with a fault: %v", r)
	}
	if image, err := os.ReadFile(figure); err != nil || !strings.Contains(string(image), "<svg") {
		t.Errorf("no figure: %v", err)
	}
}

// TestPublished: what is published belongs to files by their name, states and discount, and a file with another discount is solved with that too.
func TestPublished(t *testing.T) {
	known, err := readPublished()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range known {
		if !(p.lower <= p.upper) || !(p.seconds > 0) || p.source == "" || p.method == "" {
			t.Errorf("%+v", p)
		}
	}
	if n := len(known.of("x/Tiger_Grid.POMDP.gz", 36, 0.95)); n != 2 {
		t.Errorf("%d bounds of Tiger-Grid, want 2", n)
	}
	if n := len(known.of("tiger-grid.pomdp", 33, 0.95)); n != 0 {
		t.Errorf("%d bounds of another model of that name, want 0", n)
	}
	if d := known.discounts("pentagon.pomdp", 212, 0.99); len(d) != 1 || d[0] != 0.95 {
		t.Errorf("the discounts of pentagon are %v, want 0.95", d)
	}
}

// TestArguments: what is no time, and a folder without models, are errors.
func TestArguments(t *testing.T) {
	for _, text := range []string{"", "1,x", "0", "-1", "NaN", "1e9"} {
		if times, err := timesOf(text); err == nil {
			t.Errorf("%q is read as %v", text, times)
		}
	}
	if err := run(t.Context(), t.TempDir(), "", []float64{1}, measureApart, "", ""); err == nil || !strings.Contains(err.Error(), "no model files") {
		t.Errorf("an empty folder: %v", err)
	}
}
