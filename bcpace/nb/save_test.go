package nb

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	dataframes "bayescpace/bcpace/frame"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// printed is a figure that can be saved.
type printed struct {
	*square
	err error
}

func (p printed) Paper(format string, width float64) ([]byte, float64, error) {
	return fmt.Appendf(nil, "%s of %v mm", format, width), width / 2, p.err
}

func TestSave(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, want := range map[string]string{"a.pdf": "pdf of 84 mm", "b.SVG": "svg of 84 mm", "c.png": "png of 84 mm"} {
		for range 2 { // the second one replaces the file
			m, err := save(printed{square: red}, file, nil)
			if err != nil || m.plain != "saved "+file+", 84 × 42 mm" {
				t.Errorf("%s: %q, %v", file, m.plain, err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v, want %q", file, got, err, want)
		}
	}
	if m, err := save(printed{square: red}, "d.pdf", []float64{TwoColumns}); err != nil || m.plain != "saved d.pdf, 174 × 87 mm" {
		t.Errorf("%q, %v", m.plain, err)
	}
	if files, _ := filepath.Glob("*"); len(files) != 4 {
		t.Errorf("files are %q, want four", files)
	}
}

// TestSaveFrame: a DataFrame is written with all digits, byte for byte as package frame writes it, and comes back the same.
func TestSaveFrame(t *testing.T) {
	t.Chdir(t.TempDir())
	x := []float64{3.042e-5, -1.0 / 3, 5e-324, 2, math.NaN(), math.Inf(-1), math.MaxFloat64}
	df := dataframe.New(
		series.New(x, series.Float, "b(left)"),
		series.New([]any{1, nil, -3, math.MaxInt64, 5, 6, 7}, series.Int, "n"),
		series.New([]any{true, nil, false, true, true, true, true}, series.Bool, "done"),
		series.New([]string{"listen", "1", "a,b", "NaN", "", "true", "<b>"}, series.String, "action"),
	)
	for _, v := range []any{df, &df} {
		if m, err := save(v, "samples.csv", nil); err != nil || m.plain != "saved samples.csv, 7 rows × 4 columns" {
			t.Fatalf("%q, %v", m.plain, err)
		}
		got, err := os.ReadFile("samples.csv")
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := dataframes.WriteCSV(&want, df); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) || !strings.HasPrefix(want.String(), "b(left),n,done,action\n3.042e-05,1,true,listen\n") {
			t.Errorf("the file holds\n%s\nwant\n%s", got, &want)
		}
		back, err := dataframes.ReadCSV(bytes.NewReader(got))
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range x {
			if g := back.Elem(i, 0).Float(); g != w && !math.IsNaN(w) {
				t.Errorf("%v comes back as %v", w, g)
			}
		}
	}
}

func TestSaveErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("there.pdf", 0o755), os.WriteFile("file", nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	good := printed{square: red}
	table := dataframe.New(series.New([]float64{1}, series.Float, "x"))
	for _, c := range []struct {
		figure any
		file   string
		widths []float64
		want   string
	}{
		{good, "a.eps", nil, `nb.Save: the file of a figure is "a.eps", want a name that ends in .pdf, .svg or .png`},
		{good, "a", nil, `nb.Save: the file of a figure is "a", want`},
		{good, ".pdf", nil, `nb.Save: the file is ".pdf", want a name before the .pdf, such as "values.pdf"`},
		{good, "there.pdf/.svg", nil, `nb.Save: the file is "there.pdf/.svg", want a name before the .svg`},
		{good, "", nil, `nb.Save: the file of a figure is "", want`},
		{good, "none/a.pdf", nil, `nb.Save: none/a.pdf cannot be written: folder none: no such file or directory`},
		{good, "file/a.pdf", nil, `nb.Save: "file/a.pdf" cannot be written: not a directory`},
		{good, "there.pdf", nil, `nb.Save: "there.pdf" cannot be written: it is a folder`},
		{good, "a.pdf", []float64{84, 174}, "nb.Save: the width is 2 numbers, want one, in millimetres"},
		{red, "a.pdf", nil, "nb.Save: the figure is of type *nb.square, want a figure or a chart of package viz, or a DataFrame"},
		{good, "a.csv", nil, `nb.Save: the file of a figure is "a.csv", want a name that ends in .pdf, .svg or .png; .csv is for a DataFrame`},
		{table, "a.parquet", nil, `nb.Save: the file of a DataFrame is "a.parquet", want a name that ends in .csv; parquet.WriteFile of package bayescpace/bcpace/frame/parquet writes .parquet`},
		{table, "a.csv", []float64{84}, "nb.Save: the width is [84], want none"},
		{table.Select("no such column"), "a.csv", nil, "nb.Save: data frame: "},
		{dataframe.New(), "a.csv", nil, "nb.Save: "},
		{7, "a.pdf", nil, "nb.Save: the figure is of type int, want"},
		{nil, "a.pdf", nil, "nb.Save: the figure is of type <nil>, want"},
		{chart{&square{Err: errors.New("no data")}}, "a.pdf", nil, "no data"},
		{printed{square: red, err: errors.New("too narrow")}, "a.pdf", nil, "too narrow"},
	} {
		if _, err := save(c.figure, c.file, c.widths); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %q: error %v, want %q", c.figure, c.file, err, c.want)
		}
	}
	if files, _ := filepath.Glob("*"); len(files) != 2 {
		t.Errorf("files are %q, want none that is new", files)
	}
}
