package frame_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame"
)

func ExampleOf() {
	df := frame.Of([]string{"k", "value", "stop"}, []any{[]int{1, 5}, []float64{18.5, 19.25}, []string{"converged", "out of time"}})
	if err := frame.WriteCSV(os.Stdout, df); err != nil {
		fmt.Println(err)
	}
	// Output:
	// k,value,stop
	// 1,18.5,converged
	// 5,19.25,out of time
}

// TestOf expects every kind of column back from CSV, and errors for columns that make no frame.
func TestOf(t *testing.T) {
	names := []string{"n", "x", "x", "yes", ""}
	values := []any{[]int{3, -1 << 60}, []float64{math.NaN(), 0.1}, []float64{math.Inf(1), math.Nextafter(1, 2)}, []bool{true, false}, []string{"", "a,b"}}
	df := frame.Of(names, values)
	var csv, again bytes.Buffer
	if err := frame.WriteCSV(&csv, df); err != nil {
		t.Fatal(err)
	}
	const want = "n,x,x (2),yes,column\n3,NaN,Inf,true,\"\"\n-1152921504606846976,0.1,1.0000000000000002,false,\"a,b\"\n"
	if csv.String() != want {
		t.Errorf("got\n%swant\n%s", csv.String(), want)
	}
	back, err := frame.ReadCSV(&csv)
	if err != nil {
		t.Fatal(err)
	}
	if err := frame.WriteCSV(&again, back); err != nil || again.String() != want {
		t.Errorf("read back as\n%s%v", again.String(), err)
	}

	for want, df := range map[string]error{
		"0 with 0 names":         frame.Of(nil, nil).Err,
		"1 with 2 names":         frame.Of([]string{"a", "b"}, []any{[]int{1}}).Err,
		"a is a []int32, want a": frame.Of([]string{"a"}, []any{[]int32{1}}).Err,
		"b is 2 values, want 1":  frame.Of([]string{"a", "b"}, []any{[]int{1}, []bool{true, true}}).Err,
	} {
		if input := (*bcpace.InputError)(nil); !errors.As(df, &input) || !strings.Contains(df.Error(), want) {
			t.Errorf("the error is %v, want an *InputError that says %q", df, want)
		}
	}
	if err := frame.WriteCSV(&again, frame.Of(nil, nil)); err == nil {
		t.Error("a frame with an error was written")
	}
}
