//go:build unix && long

package front

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

// slip is what a beginner writes, and what the cell is to say or show.
type slip struct{ cell, want string }

// slips follow one another in one kernel.
var slips = []slip{
	// What the last line has or returns is shown.
	{"import (\n\t\"bayescpace/bcpace/cpace\"\n\t\"bayescpace/bcpace/frame\"\n\t\"bayescpace/bcpace/nb\"\n\t\"bayescpace/bcpace/runs\"\n\t\"bayescpace/envs\"\n)\n\nvar tiger = envs.Tiger{}\n\nfunc run() *runs.Run { return nb.Explore(tiger, cpace.Solver{Epsilon: 5, LipQ: 60, K: 5}) }", ""},
	{"2 + 2", "4"},
	{"tiger", "Accuracy  0.85\nDiscount  0.95\nEnds      false"},
	{"tiger.Spec()", "tiger (accuracy=0.85"},
	{"run()", "Bayes-CPACE on tiger"},
	{"frame.Samples(run())", "episode  time  heard"},
	{"df := frame.Samples(run())\ndf.Describe()", "column"},
	{"math.Sqrt(2)", "1.414"},
	{"x := []float64{1, 2}\nlen(x)", "2"},
	{"strconv.Atoi(\"12\")", "12"},
	{"strconv.Atoi(\"x\")", "error: strconv.Atoi: parsing \"x\": invalid syntax"},
	{"os.Remove(\"nothing\")", "error: remove nothing: no such file"},
	{"\"a\", 1", "a  1"},
	{"strings.Cut(\"a=b\", \"=\")", "a  b  true"},
	{"time.Sleep(1)", ""},
	{"fmt.Println(run().Samples)", " samples\n"},
	{"nb.Row(1, errors.New(\"spilt\"))", "error: spilt"},
	// Names.
	{"nb.show(tiger)", "Write nb.Show:"},
	{"nb.Shwo(tiger)", "Did you mean \"Show\"?"},
	{"tigr", "Did you mean \"tiger\"?"},
	{"nowhere", "No cell that has been executed declares nowhere."},
	{"y := 3\ny + 1", "4"},
	{"y", "The variable y of cell [22] ended with that cell."},
	{"cat := tiger\ncat", "Accuracy  0.85"},
	{"cat.Spec()", "The variable cat of cell [24] ended with that cell."},
	{"tiger.accuracy", "begins with a capital."},
	{"x := 3", "line 1: declared and not used: x\n    x := 3\n    ^\nTo see it, end the cell with a line x."},
	{"x := 1\ny := gone", "line 2: undefined: gone\n    y := gone\n         ^\nNo cell"},
	{"z = 3", "A new variable begins with := here: z := …"},
	{"policy = nb.solve(tiger)", "A new variable begins with := here: policy := …"},
	{"nb.solve(tiger)", "What a package has for others begins with a capital."},
	{"x := 3\nx := 4\nx", "write = in place of :="},
	// Imports, of which later cells know nothing.
	{"import \"bayescpace/vizz\"", "line 1: no package has the path bayescpace/vizz\n    import \"bayescpace/vizz\"\n    ^\nDid you mean \"bayescpace/viz\"?"},
	{"import (\n\t\"fmt\"\n\t\"bayescpace/frame\"\n)\n1", "line 3: no package has the path bayescpace/frame\n    \t\"bayescpace/frame\"\n    ^\nDid you mean \"bayescpace/bcpace/frame\"?"},
	{"import \"gonum.org/v1/gonum/matt\"", "Did you mean \"gonum.org/v1/gonum/mat\"?"},
	{"import \"example.org/x\"", "To fetch it, run a cell with: !*go get example.org/x"},
	{"import numpy as np", "An import has the path of a Go package in quotes"},
	{"1 + 1", "2"},
	// What was of another kind.
	{"var f = func() int { return 1 }", ""},
	{"func f() int { return 2 }", "Put a line %rm f above"},
	{"%rm f\nfunc f() int { return 2 }\nf()", "2"},
	// Python.
	{"envs.Tiger(Accuracy=0.7)", "envs.Tiger{Accuracy: 0.7}"},
	{"for i in range(3):\n    print(i)", "Write: for i := range 3 { … }"},
	{"for i, p in []float64{1} { fmt.Println(i, p) }", "Write: for i, p := range []float64{1} { … }"},
	{"for p in b:\n    print(p)", "Write: for _, p := range b { … }"},
	{"x := 3\nif x > 2:\n    fmt.Println(x)", "line 2: this is not Go\n    if x > 2:\n            ^\nWrite: if x > 2 { … }"},
	{"while x > 2:\n    x = x - 1", "Write: for x > 2 { … }"},
	{"s := 'hello'\nfmt.Println(s)", "Text stands in double quotes: \"hello\""},
	{"b := [1, 2, 3]\nfmt.Println(b)", "[]float64{1, 2, 3}"},
	{"b := [2 * i for i in range(3)]", "A list is filled by a loop"},
	{"d := {\"a\": 1}", "map[string]float64{\"a\": 1}"},
	{"x := 3\nfmt.Println(f\"x is {x}\")", "Write: fmt.Sprintf(\"x is %v\", x)"},
	{"while true { }", "Write: for true { … }"},
	{"let x = 3", "Write: x := …"},
	{"x: int = 3", "Write: var x int = 3"},
	{"a, b = 1, 2", "A new variable begins with := here: a := …"},
	{"return 3", "without return"},
	{"x := 3 if true else 4", "if x > 2 { y = 3 } else { y = 4 }"},
	{"envs.Tiger{accuracy: 0.7}", "Write Accuracy:"},
	{"print(tiger)", "fmt.Println"},
	{"print(f\"value {tiger.Spec().Discount}\")", "fmt.Sprintf(\"%v and %v\", x, y)"},
	{"nb.Solve(tiger, epsilon=0.1)", "What is handed to a function has no names."},
	{"envs.Tiger(accuracy=0.7)", "its name begins with a capital, as in envs.Tiger{Accuracy: 0.7}"},
	{"envs.Tiger()", "envs.Tiger{} has its defaults"},
	{"\"a\" + 1", "fmt.Sprint(n) a text"},
	{"\"hello\".upper()", "strings.ToUpper(s)"},
	{"[]float64{1}.append(2)", "xs = append(xs, x)"},
	{"func mean(xs) { return 1 }", "A parameter has a type"},
	{"func mean(xs []float64) { return xs[0] }", "The type of what a function returns stands before the brace"},
	{"def f(x):\n    return x", "func f(x float64) float64"},
	{"ok := True\nfmt.Println(ok)", "Go has true, false and nil."},
	{"# a comment\nfmt.Println(1)", "A comment begins with //."},
	{"?nb.Show", "press Shift + Tab"},
	{"nb.Show?", "press Shift + Tab"},
	{"help(nb.Show)", "press Shift + Tab"},
	{"b := []float64{0.5}\ntotal := 0\ntotal += b[0]\nfmt.Println(total)", "begin with total := 0.0"},
	{"x := 3\ny := 1.5\nx * y", "float64(n) makes a real number of n"},
	{"2 ** 3", "math.Pow(2, 3)"},
	{"xs := []float64{1, 2}\nxs[-1]", "write xs[len(xs)-1]"},
	{"n := strconv.Atoi(\"3\")\nn", "nb.Must(strconv.Atoi(\"3\"))"},
	{"if true\n{\n\tfmt.Println(1)\n}", "The { stands at the end of this line."},
	{"fmt.Println(1\n", "A bracket is not closed"},
	{"print(1, 2", "A bracket is not closed"},
	// A sentence ends what is too long.
	{"for i := range 100000 {\n\tfmt.Println(i)\n}", "A cell shows the first 50,000 characters of what it prints"},
}

// What a beginner from Python does ends neither in silence nor in the compiler's own words, and the
// cells of the page for such run as they stand.
func TestBeginner(t *testing.T) {
	t.Parallel()
	s := runnertest.Kernel(t, "testdata/passing")
	page, err := os.ReadFile(filepath.Join(s.Root, "notebooks", "GO_FROM_PYTHON.md"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"each", kernel}
	for _, x := range slips {
		args = append(args, x.cell)
	}
	blocks := regexp.MustCompile("(?s)\n```go\n(.*?)\n```\n").FindAllStringSubmatch(string(page), -1)
	args = append(args, "%reset")
	for _, b := range blocks {
		args = append(args, b[1])
	}
	var cells []cell
	drive(t, s, &cells, args...)
	for i, x := range slips {
		said := cells[i].EValue + cells[i].Text
		for _, data := range cells[i].Displays {
			if text := fmt.Sprint(data["text/plain"]); !strings.HasPrefix(text, "Compiling") {
				said += text
			}
		}
		if !strings.Contains(said, x.want) || x.want == "" && said != "" {
			t.Errorf("cell [%d], %q: it says\n%s\nwant\n%s", i+1, x.cell, said, x.want)
		}
	}
	if len(blocks) < 8 {
		t.Errorf("the page has %d cells", len(blocks))
	}
	for i, b := range blocks {
		if c := cells[len(slips)+1+i]; c.Status != "ok" {
			t.Errorf("the page's cell\n%s\nends with %s%s", b[1], c.EValue, c.Text)
		}
	}
}
