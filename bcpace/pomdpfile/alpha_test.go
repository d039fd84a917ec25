package pomdpfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

func TestAlpha(t *testing.T) {
	m := read(t, every)
	want := []Vector{{Action: 1, Value: []float64{1, -2.5, 1e-9}}, {Action: 0, Value: []float64{0, 1. / 3, -1e21}}}
	got, err := ReadAlpha(t.Context(), strings.NewReader("1\n1 -2.5 1e-09\n\n0\n0 0.3333333333333333 -1e+21\n\n"), "f", m)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Error(got, err)
	}
	for text, part := range map[string]string{
		"2\n1 2 3":   `f:1:1: found "2", want the number of an action from 0 to 1`,
		"1\n1 2":     "f:2:4: found the end of the file, want 3 values",
		"1\n1 2 x":   `f:2:5: found "x"`,
		"1\n1 2 3 4": `f:2:7: found "4"`,
	} {
		if _, err := ReadAlpha(t.Context(), strings.NewReader(text), "f", m); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A .alpha file says nothing of visible states.
func TestAlphaVisible(t *testing.T) {
	var input *bcpace.InputError
	if _, err := ReadAlpha(t.Context(), strings.NewReader("1\n1 2"), "f", read(t, rover)); !errors.As(err, &input) {
		t.Errorf("error %v", err)
	}
}

func TestPolicy(t *testing.T) {
	m := read(t, rover)
	vectors := []Vector{{Action: 3, Visible: 2, Value: []float64{1, 0.1}}, {Action: 0, Visible: 0, Value: []float64{-3, 4}}}
	var file strings.Builder
	if err := WritePolicy(&file, m, vectors); err != nil {
		t.Fatal(err)
	}
	if want := `<AlphaVector vectorLength="2" numObsValue="3" numVectors="2">
<Vector action="3" obsValue="2">1 0.1 </Vector>
<Vector action="0" obsValue="0">-3 4 </Vector>
</AlphaVector> </Policy>
`; !strings.HasSuffix(file.String(), want) {
		t.Errorf("%s", file.String())
	}
	again, err := ReadPolicy(t.Context(), strings.NewReader(file.String()), "f", m)
	if err != nil || !reflect.DeepEqual(again, vectors) {
		t.Error(again, err)
	}
	for text, part := range map[string]string{
		"<Policy><AlphaVector vectorLength='3'>":                              `found vectorLength="3", want 2`,
		"<Policy><AlphaVector><Vector action='4' obsValue='0'>":               `found action="4", want a number from 0 to 3`,
		"<Policy><AlphaVector><Vector action='0' obsValue='0'>1 2 3":          `found "3", want 2 finite numbers`,
		"<Policy><AlphaVector><Vector action='0' obsValue='0'>1</Vector>":     "found 1 numbers, want 2",
		"<Policy><AlphaVector><Vector action='0' obsValue='0'>1 nan</Vector>": `found "nan"`,
		"<Policy><AlphaVector><Vector action='0' obsValue='0'>1 2</Vector>":   "found the end of the file",
		"<Policy><AlphaVector><Vectors/>":                                     "found <Vectors>, want <Vector> or <SparseVector>",
		"<Policy><AlphaVector><Vector action='0' obsValue='0'>1/3 2</Vector>": `found "1/3", which is no number, want decimals`,
		"<Policies/>": "want <Policy>",
		"":            "want <Policy>",
	} {
		if _, err := ReadPolicy(t.Context(), strings.NewReader(text), "f", m); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A sparse vector is the dense one whose zeros are left out.
func TestPolicySparse(t *testing.T) {
	m := read(t, every)
	file := func(vectors string) string {
		return `<Policy type="value"><AlphaVector vectorLength="3" numObsValue="1" numVectors="3">` + vectors + "</AlphaVector></Policy>"
	}
	got, err := ReadPolicy(t.Context(), strings.NewReader(file(`<SparseVector action="1" obsValue="0"><Entry>2 -4.5</Entry> <Entry>0 1e-3</Entry></SparseVector>`+
		`<Vector action="0" obsValue="0">0 2 0</Vector><SparseVector action="1" obsValue="0"/><SparseVector action="0" obsValue="0"></SparseVector>`)), "f", m)
	want := []Vector{{Action: 1, Value: []float64{1e-3, 0, -4.5}}, {Value: []float64{0, 2, 0}}, {Action: 1, Value: make([]float64, 3)}, {Value: make([]float64, 3)}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Error(got, err)
	}
	for entries, part := range map[string]string{
		"<Entry>3 1</Entry>":                   `found "3", want the number of a hidden state from 0 to 2, each once`,
		"<Entry>-1 1</Entry>":                  `found "-1", want the number of a hidden state`,
		"<Entry>1 1</Entry><Entry>1 2</Entry>": `found "1", want the number of a hidden state from 0 to 2, each once`,
		"<Entry>1</Entry>":                     "found no number, want a finite number",
		"<Entry></Entry>":                      "found no number, want the number of a hidden state",
		"<Entry>1 ten</Entry>":                 `found "ten", want a finite number`,
		"<Entry>1 2 3</Entry>":                 `found the text "3"`,
		"<Entries>1 2</Entries>":               "found <Entries>, want <Entry>",
		"1 2":                                  `found the text "1"`,
	} {
		text := file(`<SparseVector action="0" obsValue="0">` + entries + "</SparseVector>")
		if _, err := ReadPolicy(t.Context(), strings.NewReader(text), "f", m); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", entries, err, part)
		}
	}
}

func TestVectorErrors(t *testing.T) {
	plain, mixed := read(t, every), read(t, rover)
	good := make([]float64, 3)
	for _, c := range []struct {
		m *pomdp.Model
		v Vector
	}{
		{plain, Vector{Action: 2, Value: good}},
		{plain, Vector{Action: -1, Value: good}},
		{plain, Vector{Visible: 1, Value: good}},
		{plain, Vector{Value: good[:2]}},
		{mixed, Vector{Visible: 3, Value: good[:2]}},
	} {
		var bad *bcpace.InputError
		if err := WritePolicy(io.Discard, c.m, []Vector{c.v}); !errors.As(err, &bad) {
			t.Error(c.v, err)
		}
	}
}

func ExampleWritePolicy() {
	m, err := Read(context.Background(), strings.NewReader(preamble+"T: * identity\nO: * uniform\n"), "small.pomdp")
	if err != nil {
		fmt.Println(err)
		return
	}
	vectors := []Vector{{Action: 1, Value: []float64{2, 0.5, -1}}}
	if err := WritePolicy(os.Stdout, m, vectors); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <Policy version="0.1" type="value" model="small">
	// <AlphaVector vectorLength="3" numObsValue="1" numVectors="1">
	// <Vector action="1" obsValue="0">2 0.5 -1 </Vector>
	// </AlphaVector> </Policy>
}
