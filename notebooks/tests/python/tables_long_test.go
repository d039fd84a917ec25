//go:build unix && long

package python

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/frame/parquet"
)

// TestTables: pandas, pyarrow, polars and DuckDB find in a Parquet file of ours the rows that are there, by filters, which go by the
// statistics of a column, and by what is missing.
func TestTables(t *testing.T) {
	folder := t.TempDir()
	venv := filepath.Join(folder, "venv")
	reader := filepath.Join(venv, "bin", "python")
	for _, command := range [][]string{
		{python(t), "-m", "venv", venv},
		{reader, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", "testdata/requirements-tables.txt"},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
	}
	missing, infinite, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	columns := map[string][]float64{
		"missing first":   {missing, -1.5, 2, 3, missing, 4},
		"missing last":    {-3, 1, 2, 3, 4, missing},
		"one of many":     append(column(5000, func(i int) float64 { return float64(i) + 1 }), missing, -2),
		"missing alone":   {missing, missing, missing},
		"none missing":    {3.042e-5, -3.042e-5, 0, 1},
		"infinite":        {infinite, -infinite, missing, 1},
		"infinite alone":  {infinite, infinite},
		"both zeros":      {0, zero, missing, zero},
		"a zero below 0":  {zero, zero},
		"nearly the same": {0.1, math.Nextafter(0.1, 1), math.Nextafter(0.1, 0), missing},
		"missing pages":   append(column(2048, func(int) float64 { return missing }), column(1000, func(i int) float64 { return float64(-i) })...),
	}
	type question struct {
		Files   []string  `json:"files"`
		Column  string    `json:"column"`
		Numbers []float64 `json:"numbers"`
	}
	asked := question{Column: "lower", Numbers: []float64{0, 0.1, -2, 1e300, -1e300}}
	names := slices.Sorted(maps.Keys(columns))
	for _, name := range names {
		file := filepath.Join(folder, name+".parquet")
		if err := parquet.WriteFile(file, frame.Of([]string{asked.Column}, []any{columns[name]})); err != nil {
			t.Fatal(err)
		}
		asked.Files = append(asked.Files, file)
	}
	input, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(reader, "-I", "testdata/tables.py")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	var answers [][]map[string][]int // of each file, for each number, by each program
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(names) {
		t.Fatalf("%v in %s", err, out)
	}
	for i, name := range names {
		for j, number := range asked.Numbers {
			want := make([]int, 5)
			for _, x := range columns[name] {
				for k, is := range []bool{x < number, x > number, x == number, math.IsNaN(x)} {
					if is {
						want[k]++
					}
				}
			}
			if got := answers[i][j]; len(got) != 4 {
				t.Errorf("%s: %v", name, got)
			}
			for program, found := range answers[i][j] {
				if !slices.Equal(found, want) {
					t.Errorf("of %s, %s finds %v rows below, above and at %v, null and not a number, want %v", name, program, found, number, want)
				}
			}
		}
	}
}

func column(n int, at func(int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = at(i)
	}
	return x
}
