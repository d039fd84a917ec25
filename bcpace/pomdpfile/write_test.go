package pomdpfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// drawRow draws a sparse distribution over n values.
func drawRow(t *rapid.T, n int) []pomdp.Entry {
	weight := rapid.SliceOfN(rapid.IntRange(-2, 5), n, n).Draw(t, "weights")
	weight[rapid.IntRange(0, n-1).Draw(t, "sure")] = 3
	sum := 0
	for _, w := range weight {
		sum += max(w, 0)
	}
	var row []pomdp.Entry
	for i, w := range weight {
		if w > 0 {
			row = append(row, pomdp.Entry{At: int32(i), Value: float64(w) / float64(sum)})
		}
	}
	return row
}

func drawMatrix(t *rapid.T, rows int, row func() []pomdp.Entry) *pomdp.Matrix {
	m := &pomdp.Matrix{Row: []int{0}}
	for range rows {
		for _, e := range row() {
			m.Col, m.Value = append(m.Col, e.At), append(m.Value, e.Value)
		}
		m.Row = append(m.Row, len(m.Col))
	}
	return m
}

func drawVariables(t *rapid.T, what string, most int) []pomdp.Variable {
	var list []pomdp.Variable
	for i := range rapid.IntRange(0, most).Draw(t, what) {
		v := pomdp.Variable{Name: fmt.Sprintf("%s%d_0", what, i)}
		for k := range rapid.IntRange(1, 3).Draw(t, "values") {
			v.Values = append(v.Values, fmt.Sprintf("%c%d", 'a'+i, k))
		}
		list = append(list, v)
	}
	return list
}

// drawModel draws a model. If it is a product, every variable moves by itself.
func drawModel(t *rapid.T, visible, hidden int) *pomdp.Model {
	m := &pomdp.Model{Name: "toy", Discount: rapid.OneOf(rapid.Float64Range(0, 1), envtest.Evenly(0, 1)).Draw(t, "discount"),
		Visible: drawVariables(t, "visible", visible), Hidden: drawVariables(t, "hidden", hidden)}
	variables := append(slices.Clone(m.Visible), m.Hidden...)
	product := rapid.Bool().Draw(t, "product")
	n := m.NumStates()
	joint := func() []pomdp.Entry {
		if !product {
			return drawRow(t, n)
		}
		row := []pomdp.Entry{{Value: 1}}
		for _, v := range variables {
			var next []pomdp.Entry
			factor := drawRow(t, len(v.Values))
			for _, e := range row {
				for _, f := range factor {
					next = append(next, pomdp.Entry{At: e.At*int32(len(v.Values)) + f.At, Value: e.Value * f.Value})
				}
			}
			row = next
		}
		return row
	}
	m.Start = joint()
	for a := range rapid.IntRange(1, 3).Draw(t, "actions") {
		m.Actions = append(m.Actions, fmt.Sprintf("act-%d", a))
	}
	for o := range rapid.IntRange(1, 3).Draw(t, "observations") {
		m.Observations = append(m.Observations, fmt.Sprintf("obs_%d", o))
	}
	for a := range m.Actions {
		if a > 0 && rapid.Bool().Draw(t, "shared") {
			m.Move, m.Sense = append(m.Move, m.Move[a-1]), append(m.Sense, m.Sense[a-1])
		} else {
			m.Move = append(m.Move, drawMatrix(t, n, joint))
			m.Sense = append(m.Sense, drawMatrix(t, n, func() []pomdp.Entry { return drawRow(t, len(m.Observations)) }))
		}
		m.Reward = append(m.Reward, rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), n, n).Draw(t, "reward"))
	}
	return m
}

// roundTrip writes a model and reads it again.
func roundTrip(t *rapid.T, m *pomdp.Model, write func(io.Writer, *pomdp.Model) error) *pomdp.Model {
	var file bytes.Buffer
	if err := write(&file, m); err != nil {
		t.Fatal(err)
	}
	again, err := Read(context.Background(), bytes.NewReader(file.Bytes()), "toy")
	if err != nil {
		t.Fatalf("%v\n%s", err, file.Bytes())
	}
	if err := again.Validate(); err != nil {
		t.Fatal(err)
	}
	return again
}

func TestRoundTripPOMDPX(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, 2, 2)
		again := roundTrip(t, m, WritePOMDPX)
		tolerance := 1e-12
		if len(m.Visible)+len(m.Hidden) == 1 {
			tolerance = 0 // single variables are exact
		}
		if err := compare(m, again, tolerance); err != nil {
			t.Fatal(err)
		}
		if len(m.Visible)+len(m.Hidden) > 0 && (fmt.Sprint(m.Visible) != fmt.Sprint(again.Visible) || fmt.Sprint(m.Hidden) != fmt.Sprint(again.Hidden)) ||
			!slices.Equal(m.Actions, again.Actions) || !slices.Equal(m.Observations, again.Observations) {
			t.Fatalf("%v\n%v", m, again)
		}
	})
}

// Small probabilities are kept too, and so is a dependence of theirs.
func TestRoundTripSmallProbabilities(t *testing.T) {
	for _, p := range []float64{1e-9, 1e-14, 1e-16, 1e-100} {
		for _, row := range [][]float64{{0.5, 0.9 * p, 0.5 - p, 0.1 * p}, {(1 - p) / 4, p / 4, 3 * (1 - p) / 4, 3 * p / 4}, {1 - p, 0, 0, p}} {
			m := pomdptest.New(2, 2, 1, 1, 0.5, row)
			pomdptest.Append(m, [][]float64{row, row, row, row}, [][]float64{{1}, {1}, {1}, {1}}, make([]float64, 4))
			var file bytes.Buffer
			if err := WritePOMDPX(&file, m); err != nil {
				t.Fatal(err)
			}
			again := read(t, file.String())
			for i, got := range dense(again.Move[0], 0, 4) {
				if !(math.Abs(got-row[i]) <= 3e-13*row[i]) || !(math.Abs(belief(again)[i]-row[i]) <= 3e-13*row[i]) {
					t.Errorf("p = %v: %v and at the start %v, want %v", p, dense(again.Move[0], 0, 4), belief(again), row)
					break
				}
			}
		}
	}
}

func TestRoundTripPOMDP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, 0, 2)
		again := roundTrip(t, m, WritePOMDP)
		if err := compare(m, again, 0); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Actions, again.Actions) || !slices.Equal(m.Observations, again.Observations) {
			t.Fatal(again.Actions, again.Observations)
		}
	})
}

// A model with visible variables becomes a plain POMDP that observes them.
func TestWritePOMDPFlattens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, 2, 1)
		if m.NumVisible() == 1 || m.NumHidden()*len(m.Observations) == 1 {
			return
		}
		// The start must not leave open what the agent sees at once.
		hidden := int32(m.NumHidden())
		x := m.Start[0].At / hidden
		m.Start = drawRow(t, int(hidden))
		for i := range m.Start {
			m.Start[i].At += x * hidden
		}
		again := roundTrip(t, m, WritePOMDP)
		if again.NumVisible() != 1 {
			t.Fatal(again.NumVisible())
		}
		number := map[string]int{}
		for i, name := range again.Observations {
			number[name] = i
		}
		for a := range m.Actions {
			for s := range m.NumStates() {
				want := make([]float64, len(again.Observations))
				seen, prob := m.Sense[a].At(s)
				for i, o := range seen {
					x := strings.ReplaceAll(label(m.Visible, s/m.NumHidden()), ",", "_")
					want[number[x+"_"+m.Observations[o]]] = prob[i]
				}
				if err := differ("sense", want, dense(again.Sense[a], s, len(want)), 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		again.Sense, again.Observations = m.Sense, m.Observations
		if err := compare(m, again, 0); err != nil {
			t.Fatal(err)
		}
	})
}

// An agent that sees x at the start and is paid for naming it earns 2, and without
// that sight 1: the format cannot hold the model, while it holds the same one as an MDP.
func TestWritePOMDPRefusesOpenStart(t *testing.T) {
	for hidden := 1; hidden <= 2; hidden++ {
		n := 2 * hidden
		start, stay, silent := make([]float64, n), make([][]float64, n), make([][]float64, n)
		left, right := make([]float64, n), make([]float64, n)
		for s := range n {
			start[s], stay[s], silent[s] = 1/float64(n), make([]float64, n), []float64{1}
			stay[s][s] = 1
			left[s] = 1 - 2*float64(s/hidden)
			right[s] = -left[s]
		}
		m := pomdptest.New(2, hidden, 2, 1, 0.5, start)
		m.Move, m.Sense = []*pomdp.Matrix{pomdptest.Matrix(stay...)}, []*pomdp.Matrix{pomdptest.Matrix(silent...)}
		m.Move, m.Sense = append(m.Move, m.Move[0]), append(m.Sense, m.Sense[0])
		m.Reward = [][]float64{left, right}
		var file bytes.Buffer
		err := WritePOMDP(&file, m)
		if hidden == 1 {
			if err != nil || read(t, file.String()).NumVisible() != 2 {
				t.Errorf("everything visible: error %v", err)
			}
			continue
		}
		if want := (*bcpace.InputError)(nil); !errors.As(err, &want) || file.Len() > 0 || !strings.Contains(err.Error(), `"x0" and "x1"`) {
			t.Errorf("error %v and %d bytes", err, file.Len())
		}
		if err := WritePOMDPX(&file, m); err != nil {
			t.Error(err)
		}
	}
}

// The formats have no horizon: states must keep it.
func TestWriteRefusesHorizon(t *testing.T) {
	m := pomdptest.Tiger()
	m.Horizon = 2
	clocked, err := pomdp.FiniteHorizon(m, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range []func(io.Writer, *pomdp.Model) error{WritePOMDP, WritePOMDPX} {
		var file bytes.Buffer
		if want := (*bcpace.UnsupportedError)(nil); !errors.As(write(&file, m), &want) || file.Len() > 0 {
			t.Errorf("%d bytes, want an error", file.Len())
		}
		if err := write(&file, clocked); err != nil {
			t.Error(err)
		}
	}
}

func TestWritePOMDPAsMDP(t *testing.T) {
	m := read(t, "discount: 0.5\nvalues: reward\nstates: 2\nactions: go\nstart: 1\nT: go\n0.5 0.5\n0 1\nR: go : 0 : * 3\n")
	var file strings.Builder
	if err := WritePOMDP(&file, m); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(file.String(), "O:") || strings.Contains(file.String(), "observations") {
		t.Error(file.String())
	}
	again := read(t, file.String())
	if err := compare(m, again, 0); err != nil || again.NumVisible() != 2 {
		t.Error(err, again.NumVisible())
	}
}

// Names that a format cannot hold give way to numbers.
func TestWriteNames(t *testing.T) {
	m := read(t, every)
	m.Hidden[0].Values = []string{"(0, 1)", "T", ""}
	m.Actions = []string{"a&b", "<b>"}
	m.Observations = []string{"1st", "2nd"}
	for name, write := range map[string]func(io.Writer, *pomdp.Model) error{"pomdp": WritePOMDP, "pomdpx": WritePOMDPX} {
		var file strings.Builder
		if err := write(&file, m); err != nil {
			t.Fatal(err)
		}
		again := read(t, file.String())
		if err := compare(m, again, 1e-15); err != nil {
			t.Error(name, err)
		}
		want := fmt.Sprint([]string{"0", "1", "2"}, []string{"0", "1"}, []string{"0", "1"})
		if name == "pomdpx" {
			want = fmt.Sprint([]string{"s0", "s1", "s2"}, m.Actions, m.Observations)
		}
		if got := fmt.Sprint(again.Hidden[0].Values, again.Actions, again.Observations); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A factored model is written in factors, not in joint states.
func TestWritePOMDPXFactors(t *testing.T) {
	m := shared(t, "gpl/RockSample_7_8.pomdpx")
	var file bytes.Buffer
	if err := WritePOMDPX(&file, m); err != nil {
		t.Fatal(err)
	}
	const most = 1 << 20 // the published file has 129 kB
	if file.Len() > most {
		t.Errorf("%d bytes", file.Len())
	}
	again, err := Read(t.Context(), &file, "again")
	if err != nil {
		t.Fatal(err)
	}
	for a := range m.Actions {
		if !slices.Equal(m.Move[a].Col, again.Move[a].Col) || !slices.Equal(m.Sense[a].Col, again.Sense[a].Col) ||
			differ("sense", m.Sense[a].Value, again.Sense[a].Value, 1e-12) != nil || !slices.Equal(m.Reward[a], again.Reward[a]) {
			t.Error(m.Actions[a])
		}
	}
}

// A file grows with the probabilities that are not zero, not with the square of the states.
func TestWritePOMDPXLeavesZerosOut(t *testing.T) {
	const states, follow, perEntry = 2000, 3, 100
	var text strings.Builder
	fmt.Fprintf(&text, "discount: 0.9\nvalues: reward\nstates: %d\nactions: 1\nobservations: 1\nO: * uniform\n", states)
	for s := range states {
		for k := range follow {
			fmt.Fprintf(&text, "T: 0 : %d : %d %g\n", s, (s*7+k*5)%states, []float64{0.5, 0.25, 0.25}[k])
		}
	}
	m := read(t, text.String())
	var b bytes.Buffer
	if err := WritePOMDPX(&b, m); err != nil {
		t.Fatal(err)
	}
	if b.Len() > states*follow*perEntry {
		t.Errorf("%d bytes for %d probabilities", b.Len(), states*follow)
	}
	if err := compare(m, read(t, b.String()), 0); err != nil {
		t.Error(err)
	}
}

// A full row takes one line, a single probability one of its own.
func TestWritePOMDPRows(t *testing.T) {
	m := read(t, preamble+"T: * uniform\nT: b : x\n0 1 0\nO: * uniform\nO: * : z : l 1\nO: * : z : r 0\n")
	var b bytes.Buffer
	if err := WritePOMDP(&b, m); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"T: b : x : y 1\n", "T: b : y\n0.3333333333333333 0.3333333333333333 0.3333333333333333\n",
		"O: * : x\n0.5 0.5\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if err := compare(m, read(t, b.String()), 0); err != nil {
		t.Error(err)
	}
}

func TestWriteErrors(t *testing.T) {
	m := read(t, every)
	full := errors.New("disk full")
	for _, write := range []func(io.Writer, *pomdp.Model) error{WritePOMDP, WritePOMDPX} {
		if err := write(failing{full}, m); !errors.Is(err, full) {
			t.Error(err)
		}
		var bad *bcpace.InputError
		for _, change := range []func(m *pomdp.Model){
			func(m *pomdp.Model) { m.Reward = m.Reward[1:] },
			func(m *pomdp.Model) { m.Move = m.Move[1:] },
			func(m *pomdp.Model) { m.Sense = nil },
			func(m *pomdp.Model) { m.Actions = nil },
			func(m *pomdp.Model) { m.Hidden = []pomdp.Variable{{Values: []string{"1"}}} },
			func(m *pomdp.Model) { m.Reward = [][]float64{{1}, {2}} },
		} {
			c := *m
			change(&c)
			if err := write(io.Discard, &c); !errors.As(err, &bad) {
				t.Error(err)
			}
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
func (f failing) Read([]byte) (int, error)  { return 0, f.err }

func TestReadFails(t *testing.T) {
	broken := errors.New("cable")
	for _, start := range []string{"", "discount: 0.5", "<pomdpx"} {
		_, err := Read(t.Context(), io.MultiReader(strings.NewReader(start), failing{broken}), "f")
		var located *Error
		if !errors.Is(err, broken) || !errors.As(err, &located) {
			t.Errorf("%q: %v", start, err)
		}
	}
	if _, err := ReadFile(t.Context(), "/nowhere/at.all"); err == nil {
		t.Error("no error")
	}
}
