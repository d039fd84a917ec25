package cells

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// link links notebooks given by their cells.
func link(t *testing.T, notebooks map[string][]string) *Linked {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOWORK=", "GOFLAGS=")
	l, err := Link(t.Context(), Options{Module: root, Dir: t.TempDir(), Env: env}, notebooks)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(l.folder); err == nil {
			t.Errorf("%s is left", l.folder)
		}
	})
	return l
}

// text is outputs in short: streams as they are, displays by kind.
func text(outputs []Display) string {
	var b strings.Builder
	for _, o := range outputs {
		if o["output_type"] == "stream" {
			fmt.Fprintf(&b, "%s: %s", o["name"], o["text"])
		} else {
			fmt.Fprintf(&b, "%s: %v %v\n", o["output_type"], o["data"], o["metadata"])
		}
	}
	return b.String()
}

// A cell gives what it would give in the kernel: it finds the imports and declarations of the
// cells before it, starts with what these initialise, and shows what it displays.
func TestExecute(t *testing.T) {
	l := link(t, map[string][]string{"nb": {
		"import (\n\tup \"strings\"\n)\n\nvar word = up.ToUpper(\"x\")\n\nfunc init_word() { word += \"!\" }",
		"%%\nfmt.Println(word, up.Count(\"aa\", \"a\"))\nfmt.Fprint(os.Stderr, \"beside\")",
		"func init_later() { word = \"later\" }\n\ntype kind struct{}",
		"%%\nfmt.Printf(\"%s %T\\n\", word, kind{})",
		"import \"github.com/janpfeifer/gonb/gonbui\"\n\n%%\ngonbui.UpdateHTML(\"id\", \"first\")\ngonbui.DisplayMarkdown(\"*m*\")\ngonbui.UpdateHTML(\"id\", \"last\")\ngonbui.DisplayPng([]byte{1, 2})\ngonbui.Sync()",
		"%%\nos.Exit(3)",
		"%%\nfmt.Println(os.Getenv(\"MARK\"), os.Getenv(\"GONB_DIR\") != \"\")",
		"type dice struct{}\n\nfunc (dice) Intn(int) int { return 6 }\n\nvar rand dice",
		"%%\nfmt.Println(rand.Intn(2))", // not that of the standard library
	}})
	if f := l.Fault("nb"); f != nil {
		t.Fatal(f)
	}
	for cell, want := range []string{
		"", "stdout: X! 2\nstderr: beside", "", "stdout: later main.kind\n",
		"display_data: map[text/html:last] map[]\ndisplay_data: map[text/markdown:*m*] map[]\ndisplay_data: map[image/png:AQI=] map[]\n",
		"", "stdout: here true\n", "", "stdout: 6\n",
	} {
		outputs, err := l.Execute(t.Context(), "nb", cell+1, "MARK=here")
		if got := text(outputs); got != want {
			t.Errorf("cell %d gives %q, want %q", cell+1, got, want)
		}
		if failed := cell+1 == 6; (err != nil) != failed {
			t.Errorf("cell %d: %v", cell+1, err)
		}
	}
}

// What only the kernel can serve is told at once, and a cell without end ends with its context.
//
//test:race
func TestExecuteEnds(t *testing.T) {
	l := link(t, map[string][]string{"nb": {
		"import \"github.com/janpfeifer/gonb/gonbui/widgets\"\n\n%%\nwidgets.Button(\"press\").Done()",
		"%%\ntime.Sleep(time.Hour)",
	}})
	if _, err := l.Execute(t.Context(), "nb", 1); err == nil || !strings.Contains(err.Error(), "needs the kernel") {
		t.Errorf("a widget: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := l.Execute(ctx, "nb", 2); err == nil {
		t.Error("a cell without end has ended well")
	}
}

// A notebook with a mistake names the cell and its line, and the others are executed.
func TestFault(t *testing.T) {
	fine := "%%\nfmt.Println(1)"
	l := link(t, map[string][]string{
		"fine":       {fine},
		"typo":       {fine, "import \"strings\"\n\n%%\nfmt.Println(gone)\nstrings.Gone()"},
		"twice":      {"func f() {}", "func f() {}"},
		"syntax":     {fine, "%%\nfmt.Println(1"},
		"command":    {"!ls"},
		"magic":      {"%goflags -race"},
		"arguments":  {"%% -x"},
		"statements": {"%%\nfmt.Println(1)\n%%\nfmt.Println(2)"},
	})
	for name, want := range map[string]struct {
		cell int
		says string
	}{
		"typo":       {2, "cell 2, line 4: undefined: gone\ncell 2, line 5: undefined: strings.Gone"},
		"twice":      {2, "f redeclared in this block"},
		"syntax":     {2, "cell 2, line 2: missing ','"},
		"command":    {1, `the line "!ls" needs the kernel`},
		"magic":      {1, `the line "%goflags -race" needs the kernel`},
		"arguments":  {1, `the line "%% -x" needs the kernel`},
		"statements": {1, "a second line %%"},
	} {
		if f := l.Fault(name); f == nil || f.Cell != want.cell || !strings.Contains(f.Text, want.says) {
			t.Errorf("%s: %+v, want %+v", name, f, want)
		}
	}
	if outputs, err := l.Execute(t.Context(), "fine", 1); err != nil || text(outputs) != "stdout: 1\n" || l.Fault("fine") != nil {
		t.Errorf("%s, %v, %v", text(outputs), err, l.Fault("fine"))
	}
}

func TestImports(t *testing.T) {
	got := Imports([]string{"import (\n\t\"b/c\"\n\tx \"a\"\n)\n\nvar x = 1", "!ls", "import \"b/c\"\n\n%%\nx()", "not Go"})
	if want := []string{"a", "b/c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
