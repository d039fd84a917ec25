package pomdpfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

// A file without content is of the format that its name says.
func TestReadEmpty(t *testing.T) {
	for name, want := range map[string]string{
		"x.pomdpx": "<pomdpx>", "X.POMDPX": "<pomdpx>", "x.pomdp": `"discount:"`, "x": `"discount:"`,
	} {
		for _, text := range []string{"", " \n\t", byteOrderMark} {
			_, err := Read(t.Context(), strings.NewReader(text), name)
			if e := (*Error)(nil); !errors.As(err, &e) || e.File != name || !strings.Contains(e.Want, want) {
				t.Errorf("%q in %s: error %v, want one of a missing %s", text, name, err, want)
			}
		}
	}
}

// compressed is what gzip makes of a text.
func compressed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadCompressed(t *testing.T) {
	for name, text := range map[string]string{"dir/small.POMDP.gz": every, "small.pomdpx.GZ": rover, "small.mdp": every} {
		m, err := Read(t.Context(), strings.NewReader(compressed(t, text)), name)
		if err != nil {
			t.Fatal(err)
		}
		if err := compare(read(t, text), m, 0); err != nil || m.Name != "small" {
			t.Errorf("%s: model %q: %v", name, m.Name, err)
		}
	}
}

// Errors of a compressed file are about its text, or say that it is cut short or is
// changed.
func TestReadCompressedErrors(t *testing.T) {
	whole := compressed(t, every)
	for _, c := range []struct{ data, where, part string }{
		{compressed(t, "discount: 0.5\nvalues: profit"), "f.gz:2:9", `want "reward" or "cost"`},
		{compressed(t, ""), "f.gz:1:1", `a section "discount:"`},
		{whole[:5], "f.gz:1", "unexpected EOF"},
		{whole[:len(whole)-9], "f.gz:", "unexpected EOF"},
		{whole[:len(whole)-8] + "12345678", "f.gz:", "invalid checksum"},
	} {
		_, err := Read(t.Context(), strings.NewReader(c.data), "f.gz")
		if e := (*Error)(nil); !errors.As(err, &e) || !strings.HasPrefix(e.Error(), c.where) || !strings.Contains(e.Error(), c.part) {
			t.Errorf("%.20q: error %v, want %s: …%s…", c.data, err, c.where, c.part)
		}
	}
}
