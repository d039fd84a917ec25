package process_test

import (
	"errors"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/process"
)

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"python3 walk.py":               {"python3", "walk.py"},
		"  python3\t'my walk.py' ":      {"python3", "my walk.py"},
		`"a dir/python3" walk.py --x=1`: {"a dir/python3", "walk.py", "--x=1"},
		`'it'"'"'s.py' ''`:              {"it's.py", ""},
		`C:\python\python.exe x.py`:     {`C:\python\python.exe`, "x.py"},
		`--name="two words"`:            {"--name=two words"},
	} {
		if got, err := process.Words(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"", " \t", "python3 'walk.py", `"`} {
		if got, err := process.Words(line); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%q: %q, %v, want an InputError", line, got, err)
		}
	}
}
