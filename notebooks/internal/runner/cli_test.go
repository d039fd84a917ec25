package runner

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// call runs a command line and returns its exit status and what it printed.
func call(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Run(ctx, args, &out, &err)
	return code, out.String(), err.String()
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string // on stderr, or on stdout for status 0
	}{
		{nil, 2, "a verb is missing"},
		{[]string{"help"}, 0, "run all"},
		{[]string{"run", "--help"}, 0, "run all"},
		{[]string{"dance"}, 2, `unknown verb "dance"`},
		{[]string{"run", "--dance"}, 2, "-dance"},
		{[]string{"run", "--timeout", "soon"}, 2, "timeout"},
		{[]string{"run", "--timeout", "1ms"}, 2, "at least one second"},
		{[]string{"check", "--write"}, 2, "write"},
		{[]string{"check", "--gallery"}, 2, "gallery"},
		{[]string{"run", "--lab"}, 2, "lab"},
		{[]string{"lab", "here", "there"}, 2, "takes one folder"},
		{[]string{"lab", "here", "--dir", "there"}, 2, "takes one folder"},
		{[]string{"lab", "nosuch"}, 1, "finding the folder to open"},
		{[]string{"lab", "cli_test.go"}, 1, "is a file; give the folder"},
		{[]string{"nbgrader", "lab", "00_tour"}, 2, "takes no names"},
		{[]string{"key"}, 2, `unknown verb "key"`},
		{[]string{"key", "close"}, 2, `unknown verb "key close"`},
		{[]string{"key", "open", "tiger"}, 2, "takes no names"},
		{[]string{"lab", "--port", "99999"}, 2, "from 1 to 65535"},
		{[]string{"lab", "--port", "-1"}, 2, "from 1 to 65535"},
		{[]string{"setup", "--kernel", "all"}, 2, "give user, or none"},
		{[]string{"live", "tiger"}, 2, "takes no names"},
		{[]string{"slides", "tiger"}, 2, "takes no names"},
		{[]string{"setup", "now"}, 2, "takes no names"},
		{[]string{"run", "--dir", "../../testdata/failing", "00", "99", "nosuch"}, 2, `no notebook "99", "nosuch"; the notebooks are: 00_error, `},
		{[]string{"run", "--dir", "../../testdata/nosuch"}, 1, "listing the notebooks"},
	} {
		code, stdout, stderr := call(t.Context(), c.args...)
		said := stderr
		if c.code == 0 {
			said = stdout
		}
		if code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%q: status %d, want %d saying %q; stdout %q, stderr %q", c.args, code, c.code, c.says, stdout, stderr)
		}
	}
}

func TestFlagsStandAnywhere(t *testing.T) {
	code, _, stderr := call(t.Context(), "run", "nosuch", "--dir", "../../testdata/failing", "neither")
	if code != 2 || !strings.Contains(stderr, `"nosuch", "neither"`) {
		t.Errorf("status %d, stderr %q; want 2 and both names", code, stderr)
	}
}
