package nb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestSaveErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("there.pdf", 0o755), os.WriteFile("file", nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	good := printed{square: red}
	for _, c := range []struct {
		figure any
		file   string
		widths []float64
		want   string
	}{
		{good, "a.eps", nil, `nb.Save: the file is "a.eps", want a name that ends in .pdf, .svg or .png`},
		{good, "a", nil, `nb.Save: the file is "a", want`},
		{good, ".pdf", nil, `nb.Save: the file is ".pdf", want a name before the .pdf, such as "values.pdf"`},
		{good, "there.pdf/.svg", nil, `nb.Save: the file is "there.pdf/.svg", want a name before the .svg`},
		{good, "", nil, `nb.Save: the file is "", want`},
		{good, "none/a.pdf", nil, `nb.Save: the folder of "none/a.pdf" is missing, want one that exists`},
		{good, "file/a.pdf", nil, `nb.Save: the folder of "file/a.pdf" is a file, want a folder`},
		{good, "there.pdf", nil, `nb.Save: "there.pdf" cannot be written: it is a folder`},
		{good, "a.pdf", []float64{84, 174}, "nb.Save: the width is 2 numbers, want one, in millimetres"},
		{red, "a.pdf", nil, "nb.Save: the figure is of type *nb.square, want a figure or a chart of package viz"},
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
