package nb

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A table of data of some length can be sorted; a list of properties, whose
// order means something, and a table taken in at a glance cannot.
func TestSortable(t *testing.T) {
	rows := func(n int) [][]any {
		out := make([][]any, n)
		for i := range out {
			out[i] = []any{i, "x"}
		}
		return out
	}
	for name, c := range map[string]struct {
		v     any
		limit any
		want  int // buttons
	}{
		"data":            {Table{Header: []string{"a", "b"}, Rows: rows(sortFrom)}, Limit(0, 0), 2},
		"few rows":        {Table{Header: []string{"a", "b"}, Rows: rows(sortFrom - 1)}, Limit(0, 0), 0},
		"few rows shown":  {Table{Header: []string{"a", "b"}, Rows: rows(100)}, Limit(sortFrom-1, 0), 0},
		"no name":         {Table{Header: []string{"", "b"}, Rows: rows(sortFrom)}, Limit(0, 0), 1},
		"properties":      {Table{Rows: rows(10)}, Limit(0, 0), 0},
		"map":             {map[int]string{1: "a", 2: "b", 3: "c", 4: "d", 5: "e"}, Limit(0, 0), 0},
		"slice of struct": {make([]point, 6), Limit(0, 0), 3},
		"no rows":         {Table{Header: []string{"a", "b"}}, Limit(0, 0), 0},
	} {
		if got := strings.Count(render1(c.v, c.limit.(limits)).html, `role="button"`); got != c.want {
			t.Errorf("%s: %d names sort, want %d", name, got, c.want)
		}
	}
}

// A table says which rows it sorts.
func TestSortsWhatIsShown(t *testing.T) {
	long := Table{Header: []string{"a"}, Rows: make([][]any, 1020)}
	m := render1(long, limits{})
	for _, want := range []string{`onmouseover="this.title='sort these 20 rows, not the 1,000 left out';`, `… 1,000 more rows<span data-rest=""></span>`} {
		if !strings.Contains(m.html, want) {
			t.Errorf("html has no %s", want)
		}
	}
	m = render1(Table{Header: []string{"a"}, Rows: make([][]any, 20)}, limits{})
	if !strings.Contains(m.html, `onmouseover="this.title='sort';`) || strings.Contains(m.html, ` data-rest="`) {
		t.Error("a table with all its rows says that some are not sorted")
	}
}

// numbers are hard to tell apart by what is shown of them.
var numbers = []any{
	0, 1, -1, 1000, 999999, int64(math.MaxInt64), int64(math.MaxInt64 - 1), int64(math.MinInt64), uint64(math.MaxUint64), int64(1<<53 + 1), int64(1 << 53), float64(1 << 53),
	0.1, 0.10001, 0.1 + 1e-17, math.Nextafter(0.1, 1), 1000.1, 1000.04, 12345.6, 1e-300, 1e300, math.Copysign(0, -1), float32(0.1), math.Inf(1), math.Inf(-1), math.NaN(), nil, uint8(7),
	math.SmallestNonzeroFloat64, math.MaxFloat64,
}

// TestRanks: what the page sorts a column by, its ranks or the numbers shown,
// has the order of the exact values.
func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(numbers), rapid.Custom(func(t *rapid.T) any { return rapid.Float64().Draw(t, "x") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Int64().Draw(t, "n") })), sortFrom, 20).Draw(t, "values")
		if rapid.Bool().Draw(t, "mixed") {
			values[0] = "text"
		}
		table := Table{Header: []string{"x"}}
		for _, v := range values {
			table.Rows = append(table.Rows, []any{v})
		}
		g := layout(table.source(), limits{})
		if !g.right[0] && g.ranks[0] == nil && slices.ContainsFunc(values, func(v any) bool { return exactly(v) != nil }) {
			t.Fatal("numbers among text have no rank")
		}
		key := func(i int) float64 {
			if g.ranks[0] != nil {
				return float64(g.ranks[0][i])
			}
			return shownNumber(g.rows[i][0])
		}
		for i, v := range values {
			for j, w := range values {
				a, b := exactly(v), exactly(w)
				if a == nil || b == nil {
					if g.ranks[0] != nil && a == nil && g.ranks[0][i] != 0 {
						t.Fatalf("%v has rank %d, want none", v, g.ranks[0][i])
					}
					continue
				}
				if want, x, y := a.Cmp(b), key(i), key(j); want < 0 != (x < y) || want == 0 != (x == y) {
					t.Fatalf("%v and %v are sorted as %v and %v", v, w, x, y)
				}
			}
		}
	})
}

// exactly is the value of a number, with more bits than any has, or nil.
func exactly(v any) *big.Float {
	x := new(big.Float).SetPrec(200)
	switch v := v.(type) {
	case int:
		return x.SetInt64(int64(v))
	case int64:
		return x.SetInt64(v)
	case uint64:
		return x.SetUint64(v)
	case uint8:
		return x.SetInt64(int64(v))
	case float32:
		return x.SetFloat64(float64(v))
	case float64:
		if !math.IsNaN(v) {
			return x.SetFloat64(v)
		}
	}
	return nil
}

// Ranks are written only where the texts do not tell the order.
func TestRanksAreFew(t *testing.T) {
	for name, c := range map[string]struct {
		column []any
		want   []int
	}{
		"integers":    {[]any{3, 1000, -5, 7, 0}, nil},
		"floats":      {[]any{0.5, 0.25, -1.5, 1e-9, math.Inf(1)}, nil},
		"equal":       {[]any{0.5, 0.5, 0.25, math.NaN(), nil}, nil},
		"close":       {[]any{0.5, 0.500001, 0.25, 0.5, math.NaN()}, []int{2, 3, 1, 2, 0}},
		"mixed":       {[]any{"a", 2, 1.5, "b", 2.0}, []int{0, 2, 1, 0, 2}},
		"text":        {[]any{"a", "2", "1.5", "b", "c"}, nil},
		"big":         {[]any{int64(1<<62 + 1), int64(1 << 62), 0, 1, 2}, []int{5, 4, 1, 2, 3}},
		"zeros":       {[]any{0.0, math.Copysign(0, -1), 0, 1, 2}, nil},
		"durations":   {[]any{time.Minute, 3 * time.Second, 10 * time.Second, time.Hour, 3 * time.Second}, []int{3, 1, 2, 4, 1}},
		"tiny floats": {[]any{0.12344, 0.12343, 0.5, 0.6, 0.7}, []int{2, 1, 3, 4, 5}},
	} {
		table := Table{Header: []string{"x"}}
		for _, v := range c.column {
			table.Rows = append(table.Rows, []any{v})
		}
		if got := layout(table.source(), limits{}).ranks[0]; !slices.Equal(got, c.want) {
			t.Errorf("%s: ranks are %v, want %v", name, got, c.want)
		}
	}
}
