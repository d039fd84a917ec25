package pomdpfile

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"bayescpace/bcpace/pomdp"
)

// preamble of the small models below: states x y z, actions a b, observations
// l r.
const preamble = `discount: 0.5
values: reward
states: x y z
actions: a b
observations: l r
`

// every is a text that uses every construct of the grammar.
const every = `# Comments may stand anywhere.
values : cost
discount:0.9 # even here
observations: l r
actions: 2
states: x y z
start exclude: z
T: * identity
T: 1
uniform
T: 1 : x
0.5 0.25 0.25
T: 1 : y reset
T:1:z:* 0
T: 1 : z : y 0.5
T: 1 : z : 0 .5
O: * uniform
O: 0
1.0 0.0
0 1
2.5e-1 7.5E-1
O: 1 : *
0 1.0
O: 1 : x : l 1
O: 1 : x : r 0.0
R: * : * : * : * - 1
R: 0 : x : * : * +2.5
R: 0 : y : x
1 2
R: 0 : z
1 2 3 4 5 6
R: 1 : z : y : r -100
`

func read(t *testing.T, text string) *pomdp.Model {
	t.Helper()
	m, err := Read(t.Context(), strings.NewReader(text), "dir/small.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// full returns a matrix as rows.
func full(m *pomdp.Matrix, columns int) [][]float64 {
	var rows [][]float64
	for i := range m.Len() {
		rows = append(rows, dense(m, i, columns))
	}
	return rows
}

func wantRows(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range want {
		if err := differ(what, got[i], want[i], 1e-15); err != nil {
			t.Fatalf("%s row %d: %v, want %v", what, i, got[i], want[i])
		}
	}
}

// The tables were worked out by hand from the grammar.
func TestReadPOMDP(t *testing.T) {
	m := read(t, every)
	if m.Name != "small" || m.Discount != 0.9 || m.NumVisible() != 1 || m.NumHidden() != 3 {
		t.Fatalf("%+v", m)
	}
	if !slices.Equal(m.Actions, []string{"0", "1"}) || !slices.Equal(m.Observations, []string{"l", "r"}) ||
		!slices.Equal(m.Hidden[0].Values, []string{"x", "y", "z"}) {
		t.Fatalf("%+v", m)
	}
	wantRows(t, "start", [][]float64{belief(m)}, [][]float64{{0.5, 0.5, 0}})
	wantRows(t, "T 0", full(m.Move[0], 3), [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
	wantRows(t, "T 1", full(m.Move[1], 3), [][]float64{{0.5, 0.25, 0.25}, {0.5, 0.5, 0}, {0.5, 0.5, 0}})
	wantRows(t, "O 0", full(m.Sense[0], 2), [][]float64{{1, 0}, {0, 1}, {0.25, 0.75}})
	wantRows(t, "O 1", full(m.Sense[1], 2), [][]float64{{1, 0}, {0, 1}, {0, 1}})
	// Costs: R(0,x) = −2.5; R(0,y) stays in y, where it costs −1; R(0,z) stays in
	// z: 5·¼ + 6·¾. R(1,z) = ½·(−1) + ½·(O(r|y) = 1)·(−100).
	wantRows(t, "R 0", [][]float64{m.Reward[0]}, [][]float64{{-2.5, 1, -5.75}})
	wantRows(t, "R 1", [][]float64{m.Reward[1]}, [][]float64{{1, 1, 0.5 + 50}})
}

func TestReadPOMDPStart(t *testing.T) {
	body := "T: * identity\nO: * uniform\n"
	for _, c := range []struct {
		start string
		want  []float64
	}{
		{"", []float64{1. / 3, 1. / 3, 1. / 3}},
		{"start: uniform", []float64{1. / 3, 1. / 3, 1. / 3}},
		{"start: 0.2 0.3 0.5", []float64{0.2, 0.3, 0.5}},
		{"start:\n0 0\n1", []float64{0, 0, 1}},
		{"start: y", []float64{0, 1, 0}},
		{"start: 2", []float64{0, 0, 1}},
		{"start include: x z", []float64{0.5, 0, 0.5}},
		{"start include : 1", []float64{0, 1, 0}},
		{"start exclude: x 2", []float64{0, 1, 0}},
		{"start: x z", []float64{0.5, 0, 0.5}},
		{"start: x\nz 1", []float64{1. / 3, 1. / 3, 1. / 3}},
		{"start: 0.333333 0.333333 0.333333", []float64{1. / 3, 1. / 3, 1. / 3}},
	} {
		m := read(t, preamble+c.start+"\n"+body)
		if err := differ(c.start, belief(m), c.want, 1e-15); err != nil {
			t.Error(err)
		}
	}
}

// A keyword is a name where the grammar leaves no doubt.
func TestReadPOMDPKeywordNames(t *testing.T) {
	m := read(t, "discount: 0\nvalues: reward\nstates: start T goal\nactions: R\nobservations: O\n"+
		"start: start\nT: R identity\nT: R : T : goal 1\nT: R : T : T 0\nO: R uniform\nR: R : goal : * : O 3\n")
	both := read(t, "discount: 0\nvalues: reward\nstates: start T goal\nactions: R\nobservations: O\nstart include: T start\nT: R identity\nO: R uniform\n")
	wantRows(t, "start", [][]float64{belief(both)}, [][]float64{{0.5, 0.5, 0}})
	if want := []string{"start", "T", "goal"}; !slices.Equal(m.Hidden[0].Values, want) {
		t.Fatal(m.Hidden[0].Values)
	}
	wantRows(t, "T", full(m.Move[0], 3), [][]float64{{1, 0, 0}, {0, 0, 1}, {0, 0, 1}})
	wantRows(t, "R", [][]float64{m.Reward[0]}, [][]float64{{0, 0, 3}})
	wantRows(t, "start", [][]float64{belief(m)}, [][]float64{{1, 0, 0}})
}

func TestReadMDP(t *testing.T) {
	m := read(t, "discount: 0.5\nvalues: reward\nstates: 2\nactions: go\nstart: 1\n"+
		"T: go\n0.5 0.5\n0 1\nR: go : 0 : * 3\nR: go : 1 : 1 4\nR: go : 0\n2 6\n")
	if m.NumVisible() != 2 || m.NumHidden() != 1 || len(m.Observations) != 1 {
		t.Fatalf("%+v", m)
	}
	wantRows(t, "start", [][]float64{belief(m)}, [][]float64{{0, 1}})
	wantRows(t, "T", full(m.Move[0], 2), [][]float64{{0.5, 0.5}, {0, 1}})
	wantRows(t, "R", [][]float64{m.Reward[0]}, [][]float64{{4, 4}})
}

// Words of files in the wild that the grammar spells otherwise.
func TestReadPOMDPPlurals(t *testing.T) {
	body := "T: * identity\nO: * uniform\nR: a : * : * : * 2\n"
	for word, want := range map[string]float64{"reward": 2, "rewards": 2, "cost": -2, "costs": -2} {
		if m := read(t, strings.Replace(preamble, "reward", word, 1)+body); m.Reward[0][0] != want {
			t.Errorf("%s: %v", word, m.Reward[0])
		}
	}
}

// A colon before a value, and in rewards of an MDP a star before it, mean nothing.
func TestReadPOMDPBeforeValues(t *testing.T) {
	for plain, other := range map[string]string{
		preamble + "T: * identity\nT: a : x : x 0\nT: a : x : y 1\nO: * uniform\nO: b : z : r 0.5\nR: a : x : * : * -3\n": preamble +
			"T: * identity\nT: a : x : x : 0\nT: a : x : y : 1\nO: * uniform\nO: b : z : r : 0.5\nR: a : x : * : * : -3\n",
		"discount: 0.5\nvalues: reward\nstates: 2\nactions: 1\nT: 0 uniform\nR: 0 : 1 : 0 2\nR: 0 : 0 : * 4": "discount: 0.5\nvalues: reward\n" +
			"states: 2\nactions: 1\nT: 0 uniform\nR: 0 : 1 : 0 : * 2\nR: 0 : 0 : * : * 4",
	} {
		if err := compare(read(t, plain), read(t, other), 0); err != nil {
			t.Errorf("%v\n%s", err, other)
		}
	}
}

// Rounded distributions are divided by their sum; exact ones are left alone.
func TestReadPOMDPRounded(t *testing.T) {
	m := read(t, preamble+"T: * : *\n0.333333 0.333333 0.333333\nO: * : *\n0.3 0.7\n")
	wantRows(t, "T", full(m.Move[0], 3)[:1], [][]float64{{1. / 3, 1. / 3, 1. / 3}})
	if row := dense(m.Sense[1], 2, 2); row[0] != 0.3 || row[1] != 0.7 {
		t.Error(row)
	}
	if m.Move[0] != m.Move[1] || m.Sense[0] != m.Sense[1] {
		t.Error("tables of two actions that are the same are not shared")
	}
}

func TestReadPOMDPErrors(t *testing.T) {
	const tables = "T: * identity\nO: * uniform\n"
	for _, c := range []struct{ text, where, part string }{
		{"", "f:1:1", `found the end of the file, want a section "discount:" before it`},
		{"discont: 0.5", "f:1:1", `; did you mean "discount"?`},
		{"discount 0.5", "f:1:10", `found "0.5", want ":"`},
		{"discount: 1.5", "f:1:11", "found 1.5, want a discount factor in [0, 1]"},
		{"discount: NaN", "f:1:11", `found "NaN"`},
		{"discount: 1e999", "f:1:11", `found "1e999"`},
		{"discount: 0.5\ndiscount: 0.5", "f:2:1", "it is in line 1 already"},
		{"values: profit", "f:1:9", `want "reward" or "cost"`},
		{"states: 0", "f:1:9", "a number of states from 1"},
		{"states: 99999999", "f:1:9", "limit MaxStates"},
		{"states: a b a", "f:1:13", `found "a", want a name that is new; number 0 has it`},
		{"states: a b\ncosts: 1 2", "f:2:1", `found "costs", want one of discount`},
		{"actions: go\ndiscont: 0.5", "f:2:1", `; did you mean "discount"?`},
		{"states: -1", "f:1:9", `found "-1", want a name that is no number`},
		{"states: +2", "f:1:9", `found "+2"`},
		{"states: -", "f:1:9", `found "-"`},
		{"states: 3.5", "f:1:9", `found "3.5", want a number of states from 1`},
		{"states: 7 8 9\n", "f:1:11", `found "8" after the number 7, want the number of states alone, or names that are no numbers: a number stands for a place, counted from 0`},
		{"actions: 0 1\n", "f:1:12", `found "1" after the number 0, want the number of actions alone`},
		{"observations: 2 loud still\n", "f:1:17", `found "loud" after the number 2`},
		{"states: 2\nactoins: 2\n", "f:2:1", `; did you mean "actions"?`},
		{"states: dry 2nd 3", "f:1:17", `found "3", want a name that is no number`},
		{"states: [ dry wet ]", "f:1:9", `found "[", want names with nothing but white space between and around them`},
		{"states: [dry wet]", "f:1:9", `found "[dry"`},
		{"states: {dry, wet}", "f:1:9", `found "{dry,"`},
		{"states: [dry]", "f:1", `found "[dry]"`},
		{"actions: dry, wet", "f:1:10", `found "dry,"`},
		{"actions: dry ; wet", "f:1:14", `found ";"`},
		{"discount: 1/2", "f:1:11", `found "1/2", which is no number, want decimals, as in 0.5`},
		{"discount: 95%", "f:1:11", `found "95%", which is no number, want decimals, as in 0.95`},
		{preamble + "T: a : x : y 0,25", "f:6:14", `found "0,25", which is no number, want decimals, as in 0.25`},
		{preamble + "start: 2/3 1/3 0", "f:6:8", `found "2/3"`},
		{preamble + tables + "R: a : x : * : * 2/3", "f:8:18", `found "2/3", which is no number, want decimals, as in 0.6666666666666666`},
		{preamble + tables + "R: a : x : * : * -2/3", "f:8:18", "decimals, as in -0.6666666666666666"},
		{preamble + tables + "R: a : x : * : * 1/0", "f:8:18", `found "1/0", want a reward`},
		{"discount: 0.5\nvalues: reward\nstates: 2\nactions: 1\nT: * identity\nobservations: 2\nO: * uniform", "f:6:1", `found "observations:" after "T:" in line 5, want it before all of T, O and R`},
		{"discount: 0.5\nvalues: reward\nstates: 2\nactions: 1\nR: * : * : * 3\nobservations: 2\n", "f:6:1", `found "observations:" after "R:" in line 5`},
		{"discount: 0.5\nvalues: reward\nstates: x\nactions: y\nT: * identity\nobservations: x\n", "f:6:1", `found "observations:" after "T:"`},
		{strings.Replace(preamble, "values: reward\n", "", 1) + tables + "R: a : x : * : * 2\nR: b : x : * : * 3\nvalues: cost\n", "f:9:9", `found costs, after the rewards in line 7, want "values: cost" before the first "R:"`},
		{"states: .5", "f:1:9", `found ".5"`},
		{"states: NaN", "f:1:9", `found "NaN"`},
		{"actions: go -inf", "f:1:13", `found "-inf"`},
		{"observations: low hi\x1b[2Jgh", "f:1:19", `found "hi\x1b[2Jgh", want a name that is no number and holds no control character`},
		{"states: a \u009bb", "f:1:11", "holds no control character"},
		{preamble + tables + "R: a : x : * : * 1_0", "f:8:18", "found \"1_0\", which is no number in decimals, want a reward"},
		{preamble + tables + "R: a : x : * : * 1e308", "f:8:18", "found 1e+308, want a reward of size 5e149 at most"},
		{preamble + tables + "R: a : x : * : * -1e150", "f:8:18", "found -1e+150, want a reward of size 5e149 at most"},
		{preamble + tables + "R: a : x : * : * 4e149", "f:8", `a reward of 4e+149 for action "a" in state "x", want rewards of size 2.5e+149 at most with a discount of 0.5`},
		{"states: a b\nactions:\nobservations: o", "f:3:13", "a number or a list of names"},
		{"T: a identity", "f:1:4", `want "states:" before them`},
		{preamble + "T: c identity", "f:6:4", `found "c", want the name of an action`},
		{preamble + "T: a : xx : y 1", "f:6:8", `; did you mean "x"?`},
		{preamble + "T: a : 3 : y 1", "f:6:8", "a number of a state from 0 to 2"},
		{preamble + "T: a : x : y 1.5", "f:6:14", "found 1.5, want a probability in [0, 1]"},
		{preamble + "T: a : x : y -1", "f:6:14", "found -1, want a probability"},
		{preamble + "T: a : x : y Inf", "f:6:14", `found "Inf"`},
		{preamble + "T: a : x : y : * 1", "f:6:16", `found "*", want a probability`},
		{preamble + "T: a : x : y :: 1", "f:6:15", `found ":", want a probability`},
		{preamble + tables + "R: a : x : y : l : * 1", "f:8:20", `found "*", want a reward`},
		{preamble + "T: a : x\n0.5 0.5\nO: a uniform", "f:8:1", `found "O", want a probability`},
		{preamble + "T: a : x identity", "f:6:10", "identity for a whole square matrix only"},
		{preamble + "O: a reset", "f:6:6", "reset in transitions only"},
		{preamble + tables + "T: a : x\n0.5 0.4 0\n", "f:9", `probabilities of the next state that add up to 0.9, after action "a" in state "x", want a sum of 1`},
		{preamble + "O: * uniform\nT: a identity\nT: b : x : x 1", "f:8", `add up to 0, after action "b" in state "y"`},
		{preamble + tables + "O: b : z : r 0.4", "f:8", `probabilities of the observation that add up to 0.9, after action "b" in state "z"`},
		{preamble + tables + "R: a : x : y : r lots", "f:8:18", `found "lots", want a reward`},
		{preamble + tables + "R: a : x : y : up 1", "f:8:16", "the name of an observation"},
		{preamble + "start: 0.5 0.4 0\n", "f:6", "probabilities of the start that add up to 0.9"},
		{preamble + "start: 0.5 0.5\nT: a uniform", "f:7:1", "3 probabilities of the start, after 2"},
		{preamble + "start: q\n", "f:6:8", "the name of a state"},
		{preamble + "start exclude: x y z\n", "f:7:1", "a start that leaves no state"},
		{preamble + "T: a : x reset\nstart: x\n", "f:7:6", "before the reset in line 6"},
		{"start: x", "f:1:6", `"states:" before it`},
		{preamble + tables + "what: 1", "f:8:1", "want one of discount, values"},
		{"discount: 0.5\nvalues: reward\nstates: 2\nactions: 1\nT: * identity\nO: * uniform", "f:6:4", `"observations:" before them`},
		{"states: " + strings.Repeat("x", 1<<17), "f:1:9", "a word of more than 65536 bytes"},
	} {
		_, err := ReadPOMDP(t.Context(), strings.NewReader(c.text), "f")
		if err == nil {
			t.Errorf("%.80q: no error", c.text)
			continue
		}
		if got := err.Error(); !strings.HasPrefix(got, c.where+": ") || !strings.Contains(got, c.part) {
			t.Errorf("%.200q:\n%s\nwant %s: …%s…", c.text, got, c.where, c.part)
		}
	}
}

func ExampleRead() {
	tiger := `discount: 0.95
values: reward
states: tiger-left tiger-right
actions: listen open-left open-right
observations: hear-left hear-right
T: * uniform
T: listen identity
O: * uniform
O: listen
0.85 0.15
0.15 0.85
R: listen : * : * : * -1
R: open-left : tiger-left : * : * -100
R: open-left : tiger-right : * : * 10
R: open-right : tiger-left : * : * 10
R: open-right : tiger-right : * : * -100
`
	m, err := Read(context.Background(), strings.NewReader(tiger), "tiger.pomdp")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, prob := m.Sense[0].At(0)
	fmt.Println(m.Name, m.NumStates(), m.Actions, prob, m.Reward[1])
	_, err = Read(context.Background(), strings.NewReader(strings.Replace(tiger, "0.15 0.85", "0.15 0.8", 1)), "tiger.pomdp")
	fmt.Println(err)
	// Output:
	// tiger 2 [listen open-left open-right] [0.85 0.15] [-100 10]
	// tiger.pomdp:11: found probabilities of the observation that add up to 0.95, after action "listen" in state "tiger-right", want a sum of 1 within 1e-05
}

func TestParseNumber(t *testing.T) {
	for word, want := range map[string]float64{
		"0": 0, "1": 1, "-1.5": -1.5, "+.5": 0.5, "5.": 5, "0.1": 0.1, "123456789012345": 123456789012345,
		"1234567890123456789": 1234567890123456789, "0.3333333333333333": 0.3333333333333333, "1e-5": 1e-5, "2.5E+3": 2500,
		"0.000000000000001": 1e-15, "4.9e-324": 4.9e-324,
	} {
		if got, ok := parseNumber([]byte(word)); !ok || got != want {
			t.Errorf("%s: %v %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "-", "+", ".", "1.2.3", "e5", "1e", "nan", "inf", "0x10", "1_0", "--1", "1e999"} {
		if got, ok := parseNumber([]byte(word)); ok || math.IsNaN(got) {
			t.Errorf("%s: %v", word, got)
		}
	}
}

// Line ends of any kind, and a byte order mark, mean nothing.
func TestReadEncodings(t *testing.T) {
	for _, text := range []string{every, rover} {
		want := read(t, text)
		for name, other := range map[string]string{
			"CR":   strings.ReplaceAll(text, "\n", "\r"),
			"CRLF": strings.ReplaceAll(text, "\n", "\r\n"),
			"mark": byteOrderMark + text,
			"tabs": strings.ReplaceAll(text, " ", "\t"),
		} {
			if err := compare(want, read(t, other), 0); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A line has one number, whatever ends it.
func TestReadLines(t *testing.T) {
	text := "discount: 0.5\n# a comment\n\nvalues: reward\nstates: 1\nactions: 1\nobservations: 1\nT: 0 uniform\nO: 0 uniform\nR: 0 : 0 : 0 : 0 ten\n"
	for _, end := range []string{"\n", "\r", "\r\n"} {
		for _, file := range []io.Reader{strings.NewReader(strings.ReplaceAll(text, "\n", end)), iotest.OneByteReader(strings.NewReader(strings.ReplaceAll(text, "\n", end)))} {
			if _, err := Read(t.Context(), file, "f"); err == nil || !strings.HasPrefix(err.Error(), "f:10:18: ") {
				t.Errorf("%q: %v", end, err)
			}
		}
	}
}

// A name may begin with a digit, have brackets that belong together, and commas within. Costs may be said after all but rewards.
func TestReadPOMDPOddNames(t *testing.T) {
	m := read(t, "discount: 0.5\nstates: 1st 2nd 0x1 (0,3) [4]\nactions: 1go 2go\nobservations: 3m 30m\nstart: 2nd\n"+
		"T: 1go identity\nT: 2go : 2nd : 1st 1\nT: 2go : 0 : (0,3) 1\nT: 2go : 0x1 : [4] 1\nT: 2go : 3 : 3 1\nT: 2go : [4] : [4] 1\nO: * : * : 30m 1\nvalues: cost\nR: 2go : 2nd : * : 30m 3\n")
	if want := []string{"1st", "2nd", "0x1", "(0,3)", "[4]"}; !slices.Equal(m.Hidden[0].Values, want) || !slices.Equal(m.Observations, []string{"3m", "30m"}) {
		t.Error(m.Hidden[0].Values, m.Observations)
	}
	wantRows(t, "T", full(m.Move[1], 5), [][]float64{{0, 0, 0, 1, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}})
	wantRows(t, "R", [][]float64{m.Reward[1], belief(m)}, [][]float64{{0, -3, 0, 0, 0}, {0, 1, 0, 0, 0}})
}

// Probabilities with six decimals are off one by up to half a unit of the last for each: such rows are divided by their sums, with a note.
// What is further off is refused.
func TestReadSixDecimals(t *testing.T) {
	const n = 70 // 70 times 0.014286 are 1.00002
	row := strings.Repeat("0.014286 ", n)
	text := fmt.Sprintf("discount: 0.5\nvalues: reward\nstates: %d\nactions: 2\nobservations: 1\nT: 0 identity\nT: 1\n", n) + strings.Repeat(row+"\n", n) + "O: * uniform\nstart: "
	m := read(t, text+row+"\n")
	if _, prob := m.Move[1].At(5); len(prob) != n || math.Abs(prob[3]-1./n) > 1e-15 || math.Abs(m.Start[n-1].Value-1./n) > 1e-15 {
		t.Errorf("%v, %v", prob, m.Start)
	}
	if want := "dir/small.pomdp:79: probabilities of the start that add up to 1.00002; 71 such distributions, off 1 by up to 2e-05, as rounding to six decimals leaves of so many probabilities: divided by their sums"; len(m.Notes) != 1 || m.Notes[0] != want {
		t.Errorf("%q, want %q", m.Notes, want)
	}
	if m := read(t, text+"uniform"); len(m.Notes) != 1 || !strings.HasPrefix(m.Notes[0], `dir/small.pomdp:8: probabilities of the next state that add up to 1.00002, after action "1" in state "0"; 70 such`) {
		t.Errorf("%q", m.Notes)
	}
	if m := read(t, every); m.Notes != nil {
		t.Errorf("%q of a file without any rounding", m.Notes)
	}
	for name, text := range map[string]string{
		"half of them":     text + strings.Repeat("0.014286 ", n/2) + strings.Repeat("0 ", n/2),
		"one is too large": text + strings.Replace(row, "0.014286", "0.014306", 1),
		"three thirds":     preamble + "T: a identity\nT: b : *\n0.3333 0.3333 0.3333\nO: * uniform",
	} {
		if _, err := Read(t.Context(), strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), "want a sum of 1 within ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A reader that gives one byte at a time is read the same.
func TestReadInPieces(t *testing.T) {
	for _, text := range []string{every, rover, roverDD, minimal} {
		m, err := Read(t.Context(), iotest.OneByteReader(strings.NewReader(text)), "small")
		if err != nil {
			t.Fatal(err)
		}
		if err := compare(read(t, text), m, 0); err != nil {
			t.Error(err)
		}
	}
}
