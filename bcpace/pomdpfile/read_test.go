package pomdpfile

import (
	"errors"
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
