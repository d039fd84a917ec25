//go:build unix

package front

import (
	"encoding/json"
	"strings"
	"testing"
)

//test:race
func TestExplain(t *testing.T) {
	t.Parallel()
	sources := make(map[int]source)
	for i, cell := range []string{
		"func early() int {\n\treturn wrong\n}",
		"var a = 1\nvar b = nothing\n\n%%\nfmt.Println(a)\nif a == 1 {\n\tx := 5; fmt.Println(gone)\n}",
		"x := 5",
	} {
		sources[i+1] = opened(cell)
	}
	for name, c := range map[string]struct {
		current int
		parts   []string
		want    string
	}{
		"in a block, below a tab": {
			2, []string{"# gonb_1", "Cell[2]: Line 7\nfunc main() {\n\tif a == 1 {\n\t\tx := 5; fmt.Println(gone)\n                      ^\n\t}\n\nundefined: gone", ""},
			"line 7: undefined: gone\n    x := 5; fmt.Println(gone)\n                        ^\nNo cell that has been executed declares gone.",
		},
		"a declaration that GoNB has split, coloured": {
			2, []string{"Cell[2]: Line 2\nvar (\n\tb = nothing\n     ^\n)\n\n\x1b[31mundefined: nothing\x1b[0m"},
			"line 2: undefined: nothing\n    var b = nothing\n            ^\nNo cell that has been executed declares nothing.",
		},
		"in an earlier cell": {
			2, []string{"Cell[1]: Line 2\nfunc early() int {\n\treturn wrong\n        ^\n}\n\nundefined: wrong"},
			"cell [1], line 2: undefined: wrong\n    return wrong\n           ^\nNo cell that has been executed declares wrong.",
		},
		"below a line %% that the cell has not": {
			3, []string{"Cell[3]: Line 2\nfunc main() {\n\tx := 5\n ^\n}\n\nno new variables on left side of :="},
			"line 1: no new variables on left side of :=\n    x := 5\n    ^\nThe variable is there already: write = in place of :=",
		},
		"a variable that is not used, beside another error": {
			3, []string{"Cell[3]: Line 2\nfunc main() {\n\tx := 5\n ^\n}\n\ndeclared and not used: x", "Cell[3]: Line 2\nfunc main() {\n\tx := 5\n ^\n}\n\nfirst"},
			"line 1: first\n    x := 5\n    ^",
		},
		"a line that is not the cell's": {
			3, []string{"Cell Line 1\nfunc main() { flag.Parse() }\n   ^\n\nodd"},
			"line 1: odd",
		},
		"a package that no module has": {
			3, []string{"Cell[3]: Line 1\nimport \"example.org/x\"\n       ^\n\nno required module provides package example.org/x; to add it:", "\tgo get example.org/x"},
			"line 1: no required module provides package example.org/x\nTo fetch it, run a cell with: !*go get example.org/x",
		},
		"several, and one without a line": {
			2, []string{"Cell[2]: Line 5\n\tfmt.Println(a)\n ^\n\nfirst", "main.go:1:1: second", "too many errors"},
			"line 5: first\n    fmt.Println(a)\n    ^\nsecond\ntoo many errors",
		},
	} {
		content := marshal(map[string]any{"status": "error", "ename": "ERROR", "evalue": "raw", "traceback": c.parts})
		var got struct {
			Status, EName, EValue string
			Traceback             []string
		}
		if err := json.Unmarshal(known{sources: sources, current: c.current}.explain(content), &got); err != nil {
			t.Fatal(err)
		}
		if got.EValue != c.want || got.EName != "compile error" || got.Status != "error" {
			t.Errorf("%s: %s %s:\n%s\nwant\n%s", name, got.Status, got.EName, got.EValue, c.want)
		}
		if text := ansi.ReplaceAllString(strings.Join(got.Traceback, "\n"), ""); text != c.want {
			t.Errorf("%s: the traceback is\n%s", name, text)
		}
	}
	for _, other := range []string{
		`{"status":"error","ename":"ERROR","evalue":"exit status 2","traceback":["exit status 2"]}`,
		`{"status":"ok","execution_count":1}`, `3`, ``,
	} {
		if got := string(known{sources: sources}.explain(json.RawMessage(other))); got != other {
			t.Errorf("%s became %s", other, got)
		}
	}
}

func TestExits(t *testing.T) {
	for content, want := range map[string]bool{
		`{"name":"stderr","text":"exit status 1\n"}`:       true,
		`{"name":"stdout","text":"exit status 1\n"}`:       false,
		`{"name":"stderr","text":"exit status 1"}`:         false,
		`{"name":"stderr","text":"^C\nexit status 1\n"}`:   false,
		`{"name":"stderr","text":"so: exit status 1\n"}`:   false,
		`{"name":"stderr","text":"exit status 1\nmore\n"}`: false,
		`3`: false, ``: false,
	} {
		if got := exits(json.RawMessage(content)); got != want {
			t.Errorf("%s: %v, want %v", content, got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	const told = "undefined: fmt.Printn (nothing imports or declares fmt, or fmt has no Printn)"
	for _, c := range []struct{ message, code, want string }{
		{"undefined: fmt", "\n    fmt.Printn(1)\n    ^", told},
		{"undefined: fmt", "\n    f(fmt.Printn(1))\n      ^", told},
		{"undefined: fmt", "\n    f(fmt)\n      ^", "undefined: fmt"},
		{"undefined: fmt", "\n    xfmt.Printn(fmt)\n      ^", "undefined: fmt"},
		{"undefined: fmt", "\n    x.fmt.Printn(fmt)\n      ^", "undefined: fmt"},
		{"undefined: fmt", "", "undefined: fmt"},
		{"undefined: fmt.Printn", "\n    fmt.Printn(1)\n    ^", "undefined: fmt.Printn"},
	} {
		if got := named(c.message, c.code); got != c.want {
			t.Errorf("%q at %q: %q, want %q", c.message, c.code, got, c.want)
		}
	}
}
