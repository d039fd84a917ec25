package cmd

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSearchTrace: the bounds of a search close in time, its last row is the result, and a search without
// bounds has values alone.
func TestSearchTrace(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   string
		bounds bool
	}{
		{"solve --env tiger --algorithm sarsop", true},
		{"solve --env chain --algorithm certified --epsilon 2", true},
		{"solve --env tiger --algorithm policy-search --max-steps 200000", false},
		{"solve --env tiger --set discount=0.8 --algorithm bayes-cpace --max-episodes 30", false},
	} {
		for _, file := range []string{filepath.Join(dir, "course.csv"), filepath.Join(dir, "course.csv")} { // the second replaces the first
			found := decode[result](t, succeed(t, append(strings.Fields(c.args), "--trace", file, "--json")...))
			table := readTable(t, file)
			seconds, lower, upper := table.Col("seconds").Float(), table.Col("lower").Float(), table.Col("upper").Float()
			last := len(seconds) - 1
			near := func(x float64, shown number) bool { return math.Abs(x-float64(shown)) <= 1e-3*math.Abs(x) }
			if last < 0 || !near(lower[last], found.Lower) || !near(upper[last], found.Upper) || table.Col("samples").Float()[last] != float64(found.Samples) {
				t.Errorf("%s: the last of %d rows is %v to %v, want %v to %v", c.args, last+1, lower[last], upper[last], found.Lower, found.Upper)
			}
			for i := range last {
				switch {
				case i > 0 && (seconds[i] < seconds[i-1] || upper[i] > upper[i-1]+1e-9 || lower[i] < lower[i-1]-1e-9):
					t.Fatalf("%s: row %d goes back: %v s, %v to %v", c.args, i, seconds[i], lower[i], upper[i])
				case c.bounds && !(lower[i] <= upper[i]) || !c.bounds && !(math.IsNaN(lower[i]) && math.IsNaN(upper[i])):
					t.Fatalf("%s: row %d has bounds %v to %v", c.args, i, lower[i], upper[i])
				}
			}
		}
	}
	model, file := filepath.Join(dir, "nothing.pomdp"), filepath.Join(dir, "met.csv") // where nothing is ever earned, bounds meet at once
	text := "discount: 0.8\nvalues: reward\nstates: 3\nactions: 2\nobservations: 2\nT: * uniform\nO: * uniform\nR: * : * : * : * 0\n"
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"sarsop", "certified"} {
		succeed(t, "solve", "--model", model, "--algorithm", algorithm, "--trace", file)
		table := readTable(t, file)
		for i, lower := range table.Col("lower").Float() {
			if upper := table.Col("upper").Float()[i]; lower != 0 || upper != 0 {
				t.Errorf("%s: row %d has bounds %v to %v, want 0 to 0", algorithm, i, lower, upper)
			}
		}
	}
	for _, file := range []string{filepath.Join(dir, "course.txt"), dir} {
		if code, _, _ := call(t, "solve", "--env", "tiger", "--algorithm", "sarsop", "--trace", file); code != 2 {
			t.Errorf("--trace %s ends with %d, want 2", file, code)
		}
	}
}
