package frame

import (
	"fmt"
	"reflect"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"bayescpace/bcpace"
)

// Of returns a frame of columns: a name for each, and its values, a []int, []float64, []string or
// []bool of the same length as the others. A name that occurs twice gets a number after it. The
// Err of the frame is an *bcpace.InputError for anything else.
func Of(names []string, values []any) dataframe.DataFrame {
	bad := func(what, got, want string) dataframe.DataFrame {
		return dataframe.DataFrame{Err: bcpace.In("columns").Bad(what, got, want)}
	}
	if len(names) == 0 || len(names) != len(values) {
		return bad("their number", fmt.Sprintf("%d with %d names", len(values), len(names)), "at least one, and a name for each")
	}
	var t table
	rows := -1
	for i, x := range values {
		kind, ok := map[reflect.Type]series.Type{
			reflect.TypeFor[[]int](): series.Int, reflect.TypeFor[[]float64](): series.Float,
			reflect.TypeFor[[]string](): series.String, reflect.TypeFor[[]bool](): series.Bool,
		}[reflect.TypeOf(x)]
		if !ok {
			return bad(names[i], fmt.Sprintf("a %T", x), "a []int, []float64, []string or []bool")
		}
		n := reflect.ValueOf(x).Len()
		if rows < 0 {
			rows = n
		}
		if n != rows {
			return bad(names[i], fmt.Sprintf("%d values", n), fmt.Sprintf("%d, as of %s", rows, names[0]))
		}
		t.add(names[i], x, kind)
	}
	return t.frame()
}
