//go:build unix

package front

import (
	"go/types"
	"testing"
)

// A cell that ends with values shows them; any other one stays as it is, to the letter.
//
//test:race
func TestEndOf(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"%%\ntiger":                                 "%%\nnb.Show(tiger)",
		"import \"x\"\n%%\nx := 1\nx + 1 // sum":    "import \"x\"\n%%\nx := 1\nnb.Show(x + 1) // sum",
		"%%\nrun().Value\n":                         "%%\nnb.Show(run().Value)\n",
		"%%\n!ls \\\n  -l\n%args a\nf[2]":           "%%\n!ls \\\n  -l\n%args a\nnb.Show(f[2])",
		"%main\nenvs.Tiger{\n\tAccuracy: 1,\n}":     "%main\nnb.Show(envs.Tiger{\n\tAccuracy: 1,\n})",
		"%%\nβ := 1; (β)":                           "%%\nβ := 1; nb.Show((β))",
		"%%\n\"a string\"":                          "%%\nnb.Show(\"a string\")",
		"//gonb:%%\nx":                              "//gonb:%%\nnb.Show(x)",
		"%%\n\"a\", 1":                              "%%\nnb.Row(\"a\", 1)",
		"%%\nif x {\n\ty()\n}\n\ta, f(\n1, 2), c\n": "%%\nif x {\n\ty()\n}\n\tnb.Row(a, f(\n1, 2), c)\n",
	} {
		e, ok := endOf(cell)
		if !ok || e.around == "" || e.in(cell) != want {
			t.Errorf("%q: %v, %+v, want %q", cell, ok, e, want)
		}
	}
	for cell, want := range map[string]string{
		"%%\nf()": "%%\nnb.Row(f())", "%%\nx := 1; (f(\n2)) // so": "%%\nx := 1; nb.Row((f(\n2))) // so", "%%\nfunc() {}()": "%%\nnb.Row(func() {}())",
	} {
		e, ok := endOf(cell)
		if !ok || e.around != "" {
			t.Errorf("a call, %q: %v, %+v", cell, ok, e)
		}
		if e.around = showsRow; e.in(cell) != want {
			t.Errorf("%q: %+v, want %q", cell, e, want)
		}
	}
	for _, cell := range []string{
		"", "var x = 1", "%%", "%%\n", "%%\n<-done", "%%\nx := 1", "%%\nx++", "%%\ntiger\nx := 1", "%%\nif x {\n\ty\n}",
		"%%\nx ==", "%%script bash\ntiger", "%%writefile a\n%%\nx", "%%\nx\n%%\ny", "%%\nx }\nfunc f() { y", "%%\n!ls",
		"%%\nnb.Show(tiger)", "%%\nfmt.Println(1)", "%%\nfmt.Fprintln(w, 1)", "%%\nx = 1, 2", "%%\nf(x=1)",
	} {
		if e, ok := endOf(cell); ok {
			t.Errorf("%q: %+v", cell, e)
		}
	}
}

// What a call returns says how it is shown.
//
//test:race
func TestAroundType(t *testing.T) {
	t.Parallel()
	fault, number := types.Universe.Lookup("error").Type(), types.Typ[types.Int]
	tuple := func(all ...types.Type) types.Type {
		var vars []*types.Var
		for _, x := range all {
			vars = append(vars, types.NewParam(0, nil, "", x))
		}
		return types.NewTuple(vars...)
	}
	for _, c := range []struct {
		of   types.Type
		want string
	}{
		{nil, ""}, {types.Typ[types.Invalid], ""}, {tuple(), ""}, {number, showsOne}, {fault, showsRow},
		{tuple(number, fault), showsRow}, {tuple(number, number), showsRow},
	} {
		if got := aroundType(c.of); got != c.want {
			t.Errorf("%v: %q, want %q", c.of, got, c.want)
		}
	}
}

// GoNB gets a cell with what it lacks, and the cell keeps its source in errors.
//
//test:race
func TestSent(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	for _, x := range [][2]string{
		{"%%\n1 + 1", "%%\nnb.Show(1 + 1)"},
		{"2 + 2", "%%\nnb.Show(2 + 2)"},
		{"// so\nvar x = 1\n\nx++\nx", "// so\nvar x = 1\n\n%%\nx++\nnb.Show(x)"},
		{"%rm x\nfor i := range 3 {\n}", "%rm x\n%%\nfor i := range 3 {\n}"},
		{"%%\nf()", "%%\nf()"}, // what it returns is not known here
		{"var x = 1", "var x = 1"},
		{"func f() {\n\tx = = 1\n}", "func f() {\n\tx = = 1\n}"},
		{"%%bash\nls", "%%bash\nls"},
		{"import \"mine/nb\"", "import \"mine/nb\""},
		{"%%\n3", "%%\n3"}, // there is another nb
	} {
		asked := c.cell(x[0])
		m := k.next()
		if got := m.says().Code; got != x[1] {
			t.Errorf("GoNB got %q, want %q", got, x[1])
		}
		k.finish(m, "ok")
		wait(t, c.replies, "execute_reply", asked)
	}
}

// What a cell prints is cut, once, with a sentence.
//
//test:race
func TestCut(t *testing.T) {
	t.Parallel()
	var so printed
	said := ""
	for range 8 {
		m := &message{content: so.cut(marshal(map[string]any{"name": "stdout", "text": string(make([]byte, 10_000))}))}
		said += m.says().Text
	}
	const sentence = "\n… A cell shows the first 50,000 characters of what it prints; the others are left out.\n"
	if got := said[mostText:]; got != sentence {
		t.Errorf("behind the first %d characters stands %q", mostText, got)
	}
}
