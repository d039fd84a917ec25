package sweep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
)

// Results are the rows of a sweep, in the order of its trials.
type Results struct {
	Name string
	// Keys are those that change from trial to trial, see Spec.Keys.
	Keys []string
	Rows []TrialRow
	// Sweep is the key of the whole sweep where the rows are those of a shard, as Merge takes it.
	Sweep string

	blob func(name string) ([]byte, error) // reads the runs; nil where none is kept
}

// TrialRow is a trial with its result.
type TrialRow struct {
	// Number is that of the trial, from 0 up, and Key what its result is kept under.
	Number int
	Trial  Trial
	Key    string
	// TrialOutcome is what the trial has found, and Fault why it has found nothing; "" for none.
	TrialOutcome
	Fault string
	// Seconds is what it took, and Memory the largest heap of the process meanwhile, in bytes; what runs beside it counts
	// too. Cached says that the result was there before. Where it is computed, Worker is "this process", and Tries is 1.
	Worker  string
	Tries   int
	Seconds float64
	Memory  int64
	Cached  bool

	done bool
}

// Computed reports whether the row has an outcome: the trial was computed and has not failed.
func (r *TrialRow) Computed() bool { return r.done }

// At returns the text of one of the trial's keys, such as "params.k"; "" where the trial does
// not have it.
func (r *TrialRow) At(key string) string { return r.Trial.at(key) }

// OpenRun returns the run of a row whose trial keeps it (Trial.KeepRun).
func (r *Results) OpenRun(ctx context.Context, row TrialRow) (*runs.Run, error) {
	if row.Run == "" || r.blob == nil {
		return nil, bcpace.In("results of a sweep").Bad(fmt.Sprintf("the run of trial %d", row.Number), "not kept", "keep_run in the trial")
	}
	data, err := r.blob(row.Run)
	if err != nil {
		return nil, err
	}
	var content []byte
	if row.Trial.Model != "" {
		if content, err = readFile(row.Trial.Model); err != nil {
			return nil, err
		}
	}
	p, err := row.Trial.problem(ctx, content)
	if err != nil {
		return nil, err
	}
	return runs.Read(bytes.NewReader(data), runs.FixedModel(p.Model), nil)
}

// Failed returns the rows with a Fault.
func (r *Results) Failed() []TrialRow {
	return r.those(func(row *TrialRow) bool { return row.Fault != "" })
}

// those returns the rows for which keep says so.
func (r *Results) those(keep func(*TrialRow) bool) (rows []TrialRow) {
	for i := range r.Rows {
		if row := &r.Rows[i]; keep(row) {
			rows = append(rows, *row)
		}
	}
	return rows
}

// Where returns the results of the trials that have the text of a value for a key, such as
// Where("cover.epsilon", "2").
func (r *Results) Where(key, value string) *Results {
	rows := r.those(func(row *TrialRow) bool { return row.At(key) == value })
	return &Results{Name: r.Name, Keys: r.Keys, Rows: rows, blob: r.blob}
}

// Columns returns the rows as columns, for frame.Of: trial, the keys, the measures that some
// trial has, certificate, return_by, stop, timed, run, fault, seconds, memory, worker, tries. Values are
// slices of int, float64, string and bool.
func (r *Results) Columns() (names []string, values []any) {
	add := func(name string, column any) {
		names, values = append(names, name), append(values, column)
	}
	add("trial", column(r.Rows, func(x *TrialRow) int { return x.Number }))
	for _, key := range r.Keys {
		add(key, valuesOf(column(r.Rows, func(x *TrialRow) string { return x.At(key) })))
	}
	for _, m := range measures {
		list := column(r.Rows, func(x *TrialRow) float64 { return m.of(x.TrialOutcome) })
		if slices.ContainsFunc(list, func(x float64) bool { return !math.IsNaN(x) }) {
			if m.counts {
				add(m.name, wholeOf(list))
			} else {
				add(m.name, list)
			}
		}
	}
	for _, t := range []struct {
		name string
		of   func(*TrialRow) string
	}{
		{"certificate", func(x *TrialRow) string { return x.Certificate }},
		{"return_by", func(x *TrialRow) string { return x.ReturnBy }},
		{"stop", func(x *TrialRow) string { return x.Stop }},
		{"run", func(x *TrialRow) string { return x.Run }},
		{"fault", func(x *TrialRow) string { return x.Fault }},
	} {
		if list := column(r.Rows, t.of); t.name == "fault" || slices.ContainsFunc(list, func(x string) bool { return x != "" }) {
			add(t.name, list)
		}
	}
	if list := column(r.Rows, func(x *TrialRow) bool { return x.Timed }); slices.Contains(list, true) {
		add("timed", list)
	}
	add("seconds", column(r.Rows, func(x *TrialRow) float64 { return x.Seconds }))
	add("memory", column(r.Rows, func(x *TrialRow) int { return int(x.Memory) }))
	add("worker", column(r.Rows, func(x *TrialRow) string { return x.Worker }))
	add("tries", column(r.Rows, func(x *TrialRow) int { return x.Tries }))
	return names, values
}

// valuesOf returns the numbers of texts if all are numbers: whole ones as such.
func valuesOf(texts []string) any {
	ints, floats := make([]int, len(texts)), make([]float64, len(texts))
	whole := true
	for i, text := range texts {
		var err error
		if floats[i], err = numtext.Float(text); err != nil {
			return texts
		}
		if ints[i], err = numtext.Whole(text); err != nil {
			whole = false
		}
	}
	if whole {
		return ints
	}
	return floats
}

// wholeOf returns whole numbers as such, if all are.
func wholeOf(list []float64) any {
	ints := make([]int, len(list))
	for i, x := range list {
		if ints[i] = int(x); float64(ints[i]) != x || math.Abs(x) >= 1<<53 {
			return list
		}
	}
	return ints
}

// WriteJSON writes one object: the sweep's name, its keys, and an object for each row, with
// what Columns has. A number that there is not is left out, an infinite one is a text.
func (r *Results) WriteJSON(w io.Writer) error {
	names, values := r.Columns()
	rows := make([]map[string]any, len(r.Rows))
	for i := range rows {
		rows[i] = make(map[string]any)
	}
	for c, name := range names {
		list := reflect.ValueOf(values[c])
		for i, row := range rows {
			x := list.Index(i).Interface()
			if number, ok := x.(float64); ok {
				x = jsonOf(number)
			}
			if x != nil && x != "" {
				row[name] = x
			}
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(struct {
		Name string           `json:"name"`
		Keys []string         `json:"keys"`
		Rows []map[string]any `json:"rows"`
	}{r.Name, r.Keys, rows}); err != nil {
		return fmt.Errorf("sweep: writing the results: %w", err)
	}
	return nil
}

// Group sums up the rows that have the same values of some keys.
type Group struct {
	// Values are those of the keys, in their order.
	Values []string
	// Interval is the mean over the rows with its 95% interval, by Student's t. Over seeds
	// it holds what learning and evaluation differ by.
	eval.Interval
	// Rows that were computed and have the measure; Failed of the others have a Fault.
	Rows, Failed int
}

// X returns the value of key number i as a number; NaN for a text.
func (g Group) X(i int) float64 {
	x, err := numtext.Float(g.Values[i])
	if err != nil {
		return math.NaN()
	}
	return x
}

// By averages a measure over all rows that share the values of keys, such as over seeds.
// Groups stand in the order of their first rows. The error names a measure or key that there
// is not.
func (r *Results) By(measure string, keys ...string) ([]Group, error) {
	names := column(measures, func(m *measurement) string { return m.name })
	m := slices.Index(names, measure)
	if m < 0 {
		return nil, bcpace.In("results of a sweep").Bad("the measure", strconv.Quote(measure), fmt.Sprintf("one of %q", names))
	}
	for _, key := range keys {
		if !slices.Contains(r.Keys, key) {
			return nil, bcpace.In("results of a sweep").Bad("the key", strconv.Quote(key), fmt.Sprintf("one of those that change, %q", r.Keys))
		}
	}
	var groups []Group
	var lists [][]float64
	number := make(map[string]int)
	for i := range r.Rows {
		row := &r.Rows[i]
		at := column(keys, func(key *string) string { return row.At(*key) })
		id := fmt.Sprintf("%q", at)
		g, ok := number[id]
		if !ok {
			g = len(groups)
			number[id] = g
			groups, lists = append(groups, Group{Values: at}), append(lists, nil)
		}
		if x := measures[m].of(row.TrialOutcome); row.Computed() && !math.IsNaN(x) {
			lists[g] = append(lists[g], x)
		} else if row.Fault != "" {
			groups[g].Failed++
		}
	}
	for g := range groups {
		groups[g].Interval, groups[g].Rows = eval.IntervalOf(lists[g]), len(lists[g])
	}
	return groups, nil
}

// MeasureCurve is a measure against a key whose values are numbers, averaged over the rest, such as
// seeds.
type MeasureCurve struct {
	// Label has the values of the other keys that the curve is for; "" without any.
	Label string
	// X are the values of the key in ascending order, and Y the means there with their 95%
	// intervals. A value all of whose trials have failed is left out.
	X []float64
	Y []eval.Interval
}

// Means returns the means of Y, for a figure whose axis is logarithmic: an interval may reach
// below 0.
func (c MeasureCurve) Means() []float64 {
	return column(c.Y, func(y *eval.Interval) float64 { return y.Mean })
}

// Curves returns a measure against a key, a curve for each combination of the values of the
// keys by. For errors see By.
func (r *Results) Curves(measure, key string, by ...string) ([]MeasureCurve, error) {
	groups, err := r.By(measure, append([]string{key}, by...)...)
	if err != nil {
		return nil, err
	}
	var curves []MeasureCurve
	number := make(map[string]int)
	for _, g := range groups {
		x := g.X(0)
		if math.IsNaN(x) {
			return nil, bcpace.In("curve of a sweep").Bad("a value of "+key, strconv.Quote(g.Values[0]), "a number")
		}
		if g.Rows == 0 {
			continue
		}
		var label []string
		for i, name := range by {
			label = append(label, short(name)+" = "+g.Values[i+1])
		}
		text := strings.Join(label, ", ")
		c, ok := number[text]
		if !ok {
			c = len(curves)
			number[text] = c
			curves = append(curves, MeasureCurve{Label: text})
		}
		at, _ := slices.BinarySearch(curves[c].X, x)
		curves[c].X, curves[c].Y = slices.Insert(curves[c].X, at, x), slices.Insert(curves[c].Y, at, g.Interval)
	}
	return curves, nil
}

// symbols are the keys whose parameters have a symbol. An underscore begins a subscript.
var symbols = map[string]string{
	"params.epsilon": "ε", "cover.epsilon": "ε", "params.lipschitz": "L_Q", "params.lip-state": "L_S",
	"params.alpha": "α", "params.beta": "β", "params.delta": "δ", "set.discount": "γ",
}

// short is how a reader knows the parameter of a key: its symbol, or its name without what it
// is a parameter of.
func short(key string) string {
	if symbol, ok := symbols[key]; ok {
		return symbol
	}
	if _, name, ok := strings.Cut(key, "."); ok {
		key = name
	}
	return strings.ReplaceAll(key, "-", " ")
}

// MeasureGrid is a measure over the values of two keys.
type MeasureGrid struct {
	// Columns and Rows are the values of the keys.
	Columns, Rows []string
	// Mean has the mean at each row and column, row by row; NaN where no trial has it.
	Mean []float64
}

// Grid returns the means of a measure over two keys. For errors see By.
func (r *Results) Grid(measure, columns, rows string) (MeasureGrid, error) {
	groups, err := r.By(measure, columns, rows)
	if err != nil {
		return MeasureGrid{}, err
	}
	var g MeasureGrid
	at := func(list *[]string, value string) int {
		if i := slices.Index(*list, value); i >= 0 {
			return i
		}
		*list = append(*list, value)
		return len(*list) - 1
	}
	for _, x := range groups {
		at(&g.Columns, x.Values[0])
		at(&g.Rows, x.Values[1])
	}
	byNumber(g.Columns)
	byNumber(g.Rows)
	g.Mean = make([]float64, len(g.Columns)*len(g.Rows))
	for i := range g.Mean {
		g.Mean[i] = math.NaN()
	}
	for _, x := range groups {
		g.Mean[at(&g.Rows, x.Values[1])*len(g.Columns)+at(&g.Columns, x.Values[0])] = x.Mean
	}
	return g, nil
}

// byNumber sorts texts that are all numbers; others stay in their order.
func byNumber(list []string) {
	numbers := make(map[string]float64)
	for _, text := range list {
		x, err := numtext.Float(text)
		if err != nil {
			return
		}
		numbers[text] = x
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
}
