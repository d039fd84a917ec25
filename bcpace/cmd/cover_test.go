package cmd

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace/cover"
)

// wantCovering is the contract of cover --json, written down a second time.
type wantCovering struct {
	Epsilon      *float64 `json:"epsilon"`
	Points       *int     `json:"points"`
	Lower        *int     `json:"lower"`
	Upper        *int     `json:"upper"`
	Exact        *int     `json:"exact"`
	Domination   *int     `json:"domination"`
	Independence *int     `json:"independence"`
	Seconds      *float64 `json:"seconds"`
	Note         *string  `json:"note"`

	Uncovered *float64    `json:"uncovered,omitempty"` // these are of one run's queries
	Between   *[2]float64 `json:"uncovered_interval,omitempty"`
	Hole      *float64    `json:"largest_hole,omitempty"`
	Beyond    *float64    `json:"largest_hole_share,omitempty"`

	DominationBounds   wantBounds `json:"domination_bounds"`
	IndependenceBounds wantBounds `json:"independence_bounds"`
}

// wantBounds are the ends of a number with their reasons.
type wantBounds struct {
	Lower   *int   `json:"lower"`
	Upper   *int   `json:"upper"`
	LowerBy string `json:"lower_by"`
	UpperBy string `json:"upper_by"`
}

type wantEnds struct {
	Lower *int `json:"lower"`
	Upper *int `json:"upper"`
}

// holds reports whether the bounds are whole and hold a number.
func (b wantBounds) holds(n int) bool {
	return b.Lower != nil && b.Upper != nil && *b.Lower <= n && n <= *b.Upper && b.LowerBy != "" && b.UpperBy != ""
}

// writeFile puts text into a new file and returns its name.
func writeFile(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "points.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCoverPoints(t *testing.T) {
	line9 := writeFile(t, "x\n0\n1\n2\n3\n4\n5\n6\n7\n8\n")
	x := decode[wantCovering](t, succeed(t, "cover", "--points", line9, "--metric", "l1", "--epsilon", "1", "--exact", "--json"))
	if *x.Epsilon != 1 || *x.Points != 9 || *x.Exact != 5 || *x.Lower != 5 || *x.Upper != 5 || *x.Domination != 3 || *x.Independence != 5 || *x.Seconds < 0 || !x.DominationBounds.holds(3) || !x.IndependenceBounds.holds(5) {
		t.Errorf("%+v", x)
	}
	y := decode[wantCovering](t, succeed(t, "cover", "--points", line9, "--epsilon", "1", "--json"))
	// Bounds that are equal are the number, without a search too.
	for name, n := range map[string]*int{"exact": y.Exact, "domination": y.Domination, "independence": y.Independence} {
		if want := map[string]int{"exact": 5, "domination": 3, "independence": 5}[name]; n != nil && *n != want {
			t.Errorf("%s is %d, want %d", name, *n, want)
		}
	}
	if known := y.Exact != nil; *y.Lower > 5 || *y.Upper < 5 || known != (*y.Lower == *y.Upper) {
		t.Errorf("bounds alone: %d to %d, known %v", *y.Lower, *y.Upper, known)
	}
	if z := decode[wantCovering](t, succeed(t, line("cover --env chain --depth 6 --epsilon 0.5 --json")...)); *z.Lower != 28 || *z.Upper != 28 || z.Exact == nil || *z.Exact != 28 {
		t.Errorf("chain: %+v", z)
	}
	// A square of side 1: its diagonal is 2, √2 or 1.
	square := writeFile(t, "0,0\n0,1\n1,0\n1,1\n")
	for metric, want := range map[string]int{"l1": 2, "l2": 2, "max": 1} {
		x := decode[wantCovering](t, succeed(t, "cover", "--points", square, "--metric", metric, "--epsilon", "1.2", "--exact", "--json"))
		if x.Exact == nil || *x.Exact != want {
			t.Errorf("%s: %+v, want %d", metric, x, want)
		}
	}
	if text := succeed(t, "cover", "--points", square, "--epsilon", "0"); !strings.Contains(text, "largest minimal cover") {
		t.Error(text)
	}
}

func TestCoverModels(t *testing.T) {
	// Tiger's beliefs within 2 steps are 5 on a line, and its state counts nothing.
	x := decode[wantCovering](t, succeed(t, "cover", "--env", "tiger", "--depth", "2", "--epsilon", "0.01", "--exact", "--json"))
	if x.Exact == nil || *x.Exact != 5 {
		t.Errorf("tiger: %+v", x)
	}
	decode[wantCovering](t, succeed(t, line("cover --env light-dark-tiger --set sigma=0.1 --depth 5 --epsilon 1 --json")...))

	file := filepath.Join(t.TempDir(), "tiger.bcp")
	solveJSON(t, smallTiger+" --out "+file)
	r := decode[wantCovering](t, succeed(t, "cover", "--run", file, "--json"))
	run := readRun(t, file)
	beliefs := decode[wantCovering](t, succeed(t, "cover", "--run", file, "--visited", "beliefs", "--epsilon", "0.1", "--json"))
	if beliefs.Independence == nil || *beliefs.Independence > 21 { // a line of length 2
		t.Errorf("beliefs: %+v", beliefs)
	}
	holes, err := cover.MeasureHoles(t.Context(), run, cover.HoleOptions{})
	if err != nil || r.Hole == nil || math.Abs(*r.Hole-holes.Largest) > 1e-6 || math.Abs(*r.Uncovered-holes.Share) > 1e-6 || beliefs.Hole != nil {
		t.Errorf("run: %+v, want holes %+v, %v", r, holes, err)
	}
	solveJSON(t, strings.Replace(smallTiger, "--seed 3", "--seed 2", 1)+" --out "+filepath.Join(filepath.Dir(file), "again.bcp"))
	both := decode[wantCovering](t, succeed(t, "cover", "--run", filepath.Dir(file), "--json"))
	if again := readRun(t, filepath.Join(filepath.Dir(file), "again.bcp")); *both.Points != run.Samples.Len()+again.Samples.Len() || both.Hole != nil {
		t.Errorf("both runs: %+v", both)
	}
	if *r.Points != run.Samples.Len() || math.Abs(*r.Epsilon-run.Radius()) > 1e-12 || *r.Lower < 1 {
		t.Errorf("run: %+v", r)
	}
}

// TestCoverCurve expects falling distances whose bounds hold each other and rise.
func TestCoverCurve(t *testing.T) {
	type want struct {
		Points int `json:"points"`
		Curve  []struct {
			Epsilon      float64  `json:"epsilon"`
			Domination   wantEnds `json:"domination_bounds"`
			Independence wantEnds `json:"independence_bounds"`
		} `json:"curve"`
		Dimension    float64    `json:"dimension"`
		Smallest     [2]float64 `json:"dimension_domination"`
		Independence [2]float64 `json:"dimension_independence"`
		Complete     bool       `json:"complete"`
		Seconds      float64    `json:"seconds"`
	}
	for metric, points := range map[string]int{"l1": 600, "l2": 1250, "max": 600} {
		var b strings.Builder
		for i := range points {
			b.WriteString(number(math.Mod(float64(i)*0.6180339887, 1)).String() + "," + number(math.Mod(float64(i)*0.7548776662, 1)).String() + "\n")
		}
		x := decode[want](t, succeed(t, "cover", "--points", writeFile(t, b.String()), "--metric", metric, "--curve", "--json"))
		if len(x.Curve) != curveSizes || !x.Complete || x.Dimension < 1.5 || x.Dimension > 2.2 || !(x.Independence[0] < 2 && 1.5 < x.Independence[1]) || !(x.Smallest[0] < x.Smallest[1]) {
			t.Errorf("%s: %+v", metric, x)
		}
		for i, e := range x.Curve {
			if *e.Domination.Lower > *e.Domination.Upper || *e.Independence.Lower > *e.Independence.Upper || *e.Domination.Lower > *e.Independence.Upper {
				t.Errorf("%s: bounds %+v", metric, e)
			}
			if i > 0 && (e.Epsilon >= x.Curve[i-1].Epsilon || *e.Independence.Upper < *x.Curve[i-1].Independence.Lower) {
				t.Errorf("%s: %+v after %+v", metric, e, x.Curve[i-1])
			}
		}
	}
	if text := succeed(t, "cover", "--env", "tiger", "--curve"); !strings.Contains(text, "dimension") {
		t.Error(text)
	}
}

// TestCoverTimeout has too many points for the search and expects bounds.
func TestCoverTimeout(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		b.WriteString(number(math.Mod(float64(i)*0.6180339887, 1)).String() + "," + number(math.Mod(float64(i)*0.7548776662, 1)).String() + "\n")
	}
	x := decode[wantCovering](t, succeed(t, "cover", "--points", writeFile(t, b.String()), "--epsilon", "0.2", "--exact", "--timeout", "300ms", "--json"))
	if x.Exact != nil || *x.Lower > *x.Upper || *x.Seconds > 5 {
		t.Errorf("%+v", x)
	}
}

func TestCoverErrors(t *testing.T) {
	good := writeFile(t, "1,2\n")
	for args, want := range map[string]string{
		"cover --epsilon 1":                                       "give one of --points, --env, --model and --run",
		"cover --points " + good:                                  "--epsilon is missing",
		"cover --points " + good + " --env tiger --epsilon 1":     "give one of",
		"cover --points " + good + " --epsilon 1 --metric l3":     `unknown metric "l3"`,
		"cover --points " + good + " --epsilon 1 --depth 3":       "contradict",
		"cover --points " + good + " --curve --epsilon 1":         "contradict",
		"cover --run x.bcp --visited places":                      "--visited is",
		"cover --env tiger --visited states --epsilon 1":          "contradict",
		"cover --env tiger --metric l1 --epsilon 1":               "contradict",
		"cover --points " + good + " --epsilon one":               "want a number",
		"cover --points " + good + " --epsilon 1 --timeout 0s":    `"0s" for flag --timeout: want a time above 0`,
		"check --env tiger --timeout 0s":                          `"0s" for flag --timeout: want a time above 0`,
		"cover --run x.bcp --set a=b":                             "contradict",
		"lipschitz":                                               "give one of --env, --model and --run",
		"lipschitz --env tiger --run x.bcp":                       "give one of --env, --model and --run",
		"lipschitz --run x.bcp --set a=b":                         "contradict",
		"pac --epsilon 1":                                         "--delta is missing",
		"pac --epsilon 1 --delta 0.1 --gamma 0.9 --rmax 10":       "--cover is missing",
		"pac --epsilon 1 --delta 0.1 --gamma 0.9 --rmax 10 --k x": "want a whole number",
	} {
		expectFailure(t, args, exitUsage, want)
	}
	for args, want := range map[string]string{
		"cover --points " + good + " --epsilon -1":                          "--epsilon is -1, want",
		"cover --points " + good + " --epsilon NaN":                         "--epsilon is NaN, want",
		"cover --points " + good + " --epsilon Inf":                         "--epsilon is +Inf, want",
		"cover --points " + good + " --curve":                               "points in one place",
		"cover --points " + good + ".no --epsilon 1":                        "no such file",
		"cover --points " + filepath.Dir(good) + " --epsilon 1":             "is a directory",
		"cover --points " + writeFile(t, "") + " --epsilon 1":               "the list is empty",
		"cover --points " + writeFile(t, "x,y\n") + " --epsilon 1":          "the list is empty",
		"cover --points " + writeFile(t, "1,2\n3\n") + " --epsilon 1":       "line 2 is 1 fields long",
		"cover --points " + writeFile(t, "1,2\n3,NaN\n") + " --epsilon 1":   "field 2 of line 2",
		"cover --points " + writeFile(t, "1,2\n3,x\x00\n") + " --epsilon 1": "field 2 of line 2",
		"cover --env lion --epsilon 1":                                      `environment is "lion"`,
		"cover --env tiger --epsilon 1 --alpha 0":                           "--alpha is 0, want",
		"cover --env tiger --epsilon 1 --depth -1":                          "--depth is -1, want",
		"cover --run " + good:                                               "another kind of file",
		"cover --run " + filepath.Dir(good):                                 "a folder with files *.bcp",
		"lipschitz --env lion":                                              `environment is "lion"`,
		"lipschitz --env tiger --alpha -1":                                  "--alpha is -1, want",
		"lipschitz --run " + good:                                           "another kind of file",
		"pac --epsilon 0 --delta 0.1 --gamma 0.9 --rmax 10 --cover 5":       "--epsilon is 0, want",
		"pac --epsilon 1 --delta 1 --gamma 0.9 --rmax 10 --cover 5":         "--delta is 1, want",
		"pac --epsilon 1 --delta 0.1 --gamma NaN --rmax 10 --cover 5":       "--gamma is NaN, want",
		"pac --epsilon 1 --delta 0.1 --gamma 0.9 --rmax 1 --cover 5":        "--rmax is 1, want",
		"pac --epsilon 1 --delta 0.1 --gamma 0.9 --rmax 10 --cover 0.5":     "--cover is 0.5, want",
		"pac --epsilon 1 --delta 0.1 --gamma 0.9 --rmax 10 --cover 5 --k 0": "--k is 0, want",
	} {
		expectFailure(t, args, exitError, want)
		expectFailure(t, args+" --json", exitError, want)
	}
}

// expectFailure expects an exit code and one line of error, and nothing else but the
// usage where that was wrong.
func expectFailure(t *testing.T, args string, code int, want string) {
	t.Helper()
	got, stdout, stderr := call(t, line(args)...)
	lines := 1
	if code == exitUsage {
		lines = 2
	}
	if got != code || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != lines {
		t.Errorf("bcpace %s: exit code %d, stdout %q, stderr %q, want %d and %q", args, got, stdout, stderr, code, want)
	}
}
