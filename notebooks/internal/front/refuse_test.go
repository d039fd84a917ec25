//go:build unix

package front

import (
	"strings"
	"testing"
)

func TestFault(t *testing.T) {
	for code, want := range map[string]string{
		"":                                      "",
		"var a = 1\n\n%%\nfmt.Println(a % 2)":   "",
		"%% -verbose\n%%%\n!ls\n%ls\n%%nothing": "",
		"%%bash\n%%\n% \n%%":                    "",
		"%%writefile main.go\n%%\n%%":           "",
		"%%script bash":                         "",
		"%":                                     "",
		"%%\nf(1)\n%%\nf(2)":                    "line 3: a second line %%, %main or %exec; the first is line 1\n    %%\n    ^\nPut",
		"//gonb:%%\n%main":                      "line 2: a second",
		"%exec f\n%%":                           "line 2: a second",
		"%%\nvar s = `\n%%\n`":                  "line 3: a second",
		"%%\n% ":                                "line 2: a line of nothing but %\n    %\n    ^\n",
		"!\t ":                                  "line 1: a line of nothing but !",
		"%%script ":                             "line 1: %%script without a program",
	} {
		if got := fault(code); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

// A cell that would end GoNB is answered with an error, with the same consequences as
// any other, and GoNB never sees it.
//
//test:race
func TestRefused(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	before := c.cell("1")
	refused, behind := c.cell("%%\n%%"), c.cell("2")
	wait(t, c.replies, "is_complete_reply", c.ask("is_complete_request", map[string]any{})) // the front has them all
	k.finish(k.next(), "ok")
	wait(t, c.replies, "execute_reply", before)
	reply := wait(t, c.replies, "execute_reply", refused)
	if field(t, reply, "status") != "error" || !strings.Contains(string(reply.content), `"execution_count":2`) {
		t.Errorf("the reply is %s", reply.content)
	}
	if reply := wait(t, c.replies, "execute_reply", behind); field(t, reply, "status") != "aborted" {
		t.Errorf("the cell behind: %s", reply.content)
	}
	if text := field(t, c.until("error", refused), "evalue"); !strings.HasPrefix(text, "line 2: a second line") {
		t.Errorf("the cell shows %q", text)
	}
	c.idle(refused)
	passes(t, k, c)
}
