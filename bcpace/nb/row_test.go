package nb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/envs"
)

// Row shows short values on one line, and what needs more as Show does.
func TestRow(t *testing.T) {
	for _, c := range []struct {
		values []any
		want   string
	}{
		{[]any{"a", 1}, "a  1\n"},
		{[]any{0.5, true, nil}, "0.5  true\n"},
		{[]any{1}, "1\n"},
		{[]any{nil}, ""},
		{nil, ""},
		{[]any{"two\nlines", 1}, "two\nlines\n1\n"},
		{[]any{"a", bcpace.Belief{0.85, 0.15}}, "a\nlatent     b\n     0  0.85\n     1  0.15\n"},
	} {
		if got := written(t, func() { Row(c.values...) }); got != c.want {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
}

// written is what f writes to standard output.
func written(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	old := os.Stdout
	defer func() { os.Stdout = old }()
	os.Stdout = file
	f()
	out, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// An error that comes last ends the cell.
func TestRowFails(t *testing.T) {
	code, stderr := 0, os.Stderr
	exit = func(c int) { code = c }
	os.Stderr, _ = os.Open(os.DevNull)
	defer func() { exit, os.Stderr = os.Exit, stderr }()
	for _, values := range [][]any{{1, errors.New("spilt")}, {errors.New("spilt")}} {
		code = 0
		if written(t, func() { Row(values...) }); code != 1 {
			t.Errorf("%v ends with %d", values, code)
		}
	}
}

// A field that is left at zero is shown as what is in force.
func TestInForce(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{envs.Tiger{}, "Accuracy  0.85\nDiscount  0.95\nEnds      false"},
		{&envs.Tiger{Accuracy: 0.7}, "Accuracy  0.7\nDiscount  0.95\nEnds      false"},
		{envs.Tiger{Accuracy: 7}, "Accuracy  7\nDiscount  0\nEnds      false"}, // a value that it does not take
		{cpace.Solver{Epsilon: 2}, "Epsilon              2\nK                    default\nLipQ                 default"},
		{struct{ A, B int }{1, 0}, "A  1\nB  0"},
	} {
		if got := render1(c.v, limits{}).plain; !strings.HasPrefix(got, c.want) {
			t.Errorf("%#v is shown as\n%s\nwant\n%s", c.v, got, c.want)
		}
	}
}

// What is long has a short text.
func TestShortTexts(t *testing.T) {
	run := Explore(twoDoors{}, cpace.Solver{Epsilon: 5, K: 2, LipQ: 20, CertificateEpisodes: -1})
	for _, v := range []any{run, run.Samples, Solve(twoDoors{}, cpace.Solver{Epsilon: 5, K: 2, LipQ: 20, CertificateEpisodes: -1})} {
		if got := fmt.Sprint(v); len(got) > 150 || strings.Contains(got, "\n") || !strings.Contains(got, "two doors") && !strings.Contains(got, " samples") {
			t.Errorf("a %T is %.300s", v, got)
		}
	}
	if got := textual(&struct{ a, b *int }{new(int), nil}); got != "*struct { a *int; b *int }" {
		t.Errorf("a value with addresses is %q", got)
	}
	if got := textual(struct{ code string }{"0x1f"}); got != "{code:0x1f}" {
		t.Errorf("a value without addresses is %q", got)
	}
	for _, v := range []any{strings.Repeat("é", 2*maxText), struct{ text string }{strings.Repeat("é", 2*maxText)}} {
		if got := render1(v, limits{}).plain; !strings.HasSuffix(got, fmt.Sprintf("é…\nThe text of this %T is cut after 20,000 characters.", v)) {
			t.Errorf("a long %T ends with %q", v, got[len(got)-100:])
		}
	}
}
