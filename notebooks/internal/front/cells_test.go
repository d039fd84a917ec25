//go:build unix

package front

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cells declared is there for the next one, unless that declares it itself.
//
//test:race
func TestCells(t *testing.T) {
	t.Parallel()
	var c cells
	c.add("import (\n\t\"fmt\"\n\tv \"example.org/viz/v2\"\n)\n\n// tiger is a model.\nvar tiger, n = 1, 2\n\ntype T struct{ A int }\n\nfunc (t *T) M() {}\n\nfunc run() int { return n }\nconst (\n\tx = iota\n\ty\n)\n%%\nfmt.Println(tiger)")
	c.add("%%script bash\nfunc no() {}")
	c.add("!*ls \\\n  func\nvar late = 3\n%%\nlate++")
	current, before, ok := c.files("import \"fmt\"\n\nfunc run() float64 { return 2 }\n%%\nx := run(")
	if want := "package main; import (v \"example.org/viz/v2\")\nimport \"fmt\"\n\nfunc run() float64 { return 2 }\nfunc main() {\nx := run(\n}\n"; !ok || current != want {
		t.Errorf("%v:\n%s\nwant\n%s", ok, current, want)
	}
	for _, want := range []string{"// tiger is a model.\nvar tiger, n = 1, 2", "type T struct{ A int }", "func (t *T) M() {}", "const (\n\tx = iota\n\ty\n)", "var late = 3", `"fmt"; v "example.org/viz/v2"`} {
		if !strings.Contains(before, want) {
			t.Errorf("%q is not in\n%s", want, before)
		}
	}
	for _, not := range []string{"func run", "func main", "func no", "ls"} {
		if strings.Contains(before, not) {
			t.Errorf("%q is in\n%s", not, before)
		}
	}
	if _, _, ok := c.files("%%writefile a\nx"); ok {
		t.Error("a cell for a file is taken for Go")
	}
	c.packages = map[string]string{"fmt": `"fmt"`, "os": `"os"`, "tiger": `"zoo/tiger"`}
	if current, _, _ = c.files("%%\nfmt.Println(tiger.A, os."); !strings.HasPrefix(current, `package main; import ("fmt"; "os"; v "example.org/viz/v2")`+"\n") {
		t.Errorf("packages without an import:\n%s", current)
	}
	c.add("%rm tiger T")
	if _, before, _ = c.files(""); strings.Contains(before, "tiger") || strings.Contains(before, "type T") {
		t.Errorf("after %%rm:\n%s", before)
	}
	c.add("%reset\nvar only = 1")
	if _, before, _ = c.files(""); !strings.Contains(before, "only") || strings.Contains(before, "late") {
		t.Errorf("after %%reset:\n%s", before)
	}
}

// Statements get a line %% where there is none, and places in the cell stay what they are.
//
//test:race
func TestOpened(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"%%\nx":                           "%%\nx",
		"nb.Sh":                           "%%\nnb.Sh",
		"import \"a\" // so\nx := 1":      "import \"a\" // so\n%%\nx := 1",
		"var x = 1\n\nx\ny":               "var x = 1\n\n%%\nx\ny",
		"%rm a\n!*ls \\\n x\nfor {":       "%rm a\n!*ls \\\n x\n%%\nfor {",
		"func f() {\n\tx = = 1\n}\nvar y": "func f() {\n\tx = = 1\n}\nvar y",
		"%exec f\nx":                      "%exec f\nx", "%%bash\nls": "%%bash\nls", "var x = 1": "var x = 1", "!ls": "!ls",
	} {
		got := opened(cell)
		if got.text != cell || got.sent != want {
			t.Errorf("%q is %+v, want %q", cell, got, want)
		}
		lines := strings.Split(got.sent, "\n")
		for i, line := range lines {
			if own := strings.Split(cell, "\n")[got.own(i+1)-1]; own != line && i+1 != got.opened {
				t.Errorf("%q: line %d is %q, not %q", cell, i+1, own, line)
			}
		}
	}
}

// Help has no link to where no page can be: to a folder of this machine, or to a module that is here alone.
//
//test:race
func TestNoBrokenLinks(t *testing.T) {
	t.Parallel()
	h := Helper{Root: t.TempDir(), Folder: "/tmp/gonb-front-1/cells"}
	if err := os.WriteFile(filepath.Join(h.Root, "go.mod"), []byte("module bayescpace\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"bayescpace", "bayescpace/viz?GOOS=linux#Show", "cells", "/home/ada/own#Coin", strings.TrimPrefix(h.Root, "/") + "/viz", "example.org" + h.Root, "tmp/gonb-front-1/cells#f", "bayescpace@v0.0.0/viz"} {
		in := "Show, see [T](https://pkg.go.dev/" + address + "), shows.\n\n---\n\n[`T` on pkg.go.dev](https://pkg.go.dev/" + address + ")"
		if got := h.clean(in); got != "Show, see T, shows." {
			t.Errorf("%s: %q", address, got)
		}
	}
	if got := h.clean("see [a](file:///home/ada/a.go#1) b"); got != "see a b" {
		t.Errorf("a file: %q", got)
	}
	for _, there := range []string{"[`fmt.Println` on pkg.go.dev](https://pkg.go.dev/fmt#Println)", "[x](https://pkg.go.dev/example.org/cells#T)", "[x](https://pkg.go.dev/cellsofothers#T)"} {
		if got := h.clean(there); got != there {
			t.Errorf("%s: %q", there, got)
		}
	}
}

//test:race
func TestPlace(t *testing.T) {
	t.Parallel()
	text := "a\nβ𝔼 := x\n"
	for i := range len([]rune(text)) + 1 {
		p, ok := cursorPlace(text, i)
		p.Line++
		if back := offset(text, p); !ok || back != i {
			t.Errorf("character %d is at %v, which is character %d", i, p, back)
		}
	}
	if p, _ := cursorPlace(text, 4); p != (position{1, 3}) {
		t.Errorf("behind 𝔼 is %v", p)
	}
	for _, bad := range []int{-1, 11} {
		if _, ok := cursorPlace(text, bad); ok {
			t.Errorf("%d is a place", bad)
		}
	}
}

//test:race
func TestClean(t *testing.T) {
	t.Parallel()
	h := &Helper{Root: "../../.."}
	in := "```go\nfunc nb.Show(values ...any)\n```\n\n---\n\nShow shows a [runs.Run](https://pkg.go.dev/bayescpace/bcpace#Run), see [fmt.Println](https://pkg.go.dev/fmt#Println).\n\n---\n\n[`nb.Show` on pkg.go.dev](https://pkg.go.dev/bayescpace/bcpace/nb#Show)"
	want := "```go\nfunc nb.Show(values ...any)\n```\n\n---\n\nShow shows a runs.Run, see [fmt.Println](https://pkg.go.dev/fmt#Println)."
	for _, in := range []string{in, in + "  \n", strings.ReplaceAll(in, "dev/bayescpace", "dev//a/b@/bcpace"), strings.ReplaceAll(in, "---\n\n[`", "---\n\n\t[`")} {
		if got := h.clean(in); got != want {
			t.Errorf("%q gives\n%s\nwant\n%s", in, got, want)
		}
	}
	declared := "```go\ntype Coin struct{}\n```\n\n---\n\n[`main.Coin` on pkg.go.dev](https://pkg.go.dev/cells#Coin)"
	if got, want := h.clean(declared), "```go\ntype Coin struct{}\n```"; got != want {
		t.Errorf("of a cell's own type: %q, want %q", got, want)
	}
}

// The literal that holds the cursor, marked by |, has the type whose last letter is marked by ‸.
func TestLiteralType(t *testing.T) {
	for _, c := range []string{"viz.Hea‸t{|", "viz.Hea‸t{Run: run(), |", "x := []viz.Hea‸t{|}", "f(viz.Heat{Run: run(|", "func main() {\n\tx|", "viz.Heat{}|", "|", "x|"} {
		cell, cursor, want := []rune{}, 0, -1
		for _, r := range c {
			switch r {
			case '‸':
				want = len(cell)
			case '|':
				cursor = len(cell)
			default:
				cell = append(cell, r)
			}
		}
		if got := literalType(cell, cursor); got != want {
			t.Errorf("%q: %d, want %d", c, got, want)
		}
	}
}
