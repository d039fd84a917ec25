//go:build unix

package front

import "testing"

// A cell that ends with a value shows it; any other one stays as it is, to the letter.
//
//test:race
func TestShowLast(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"%%\ntiger":                              "%%\nnb.Show(tiger)",
		"import \"x\"\n%%\nx := 1\nx + 1 // sum": "import \"x\"\n%%\nx := 1\nnb.Show(x + 1) // sum",
		"%%\nrun().Value\n":                      "%%\nnb.Show(run().Value)\n",
		"%%\n!ls \\\n  -l\n%args a\nf[2]":        "%%\n!ls \\\n  -l\n%args a\nnb.Show(f[2])",
		"%main\nenvs.Tiger{\n\tAccuracy: 1,\n}":  "%main\nnb.Show(envs.Tiger{\n\tAccuracy: 1,\n})",
		"%%\nβ := 1; (β)":                        "%%\nβ := 1; nb.Show((β))",
		"%%\n\"a string\"":                       "%%\nnb.Show(\"a string\")",
		"//gonb:%%\nx":                           "//gonb:%%\nnb.Show(x)",
	} {
		if got, ok := showLast(cell); got != want || !ok {
			t.Errorf("%q: %v, %q, want %q", cell, ok, got, want)
		}
	}
	for _, cell := range []string{
		"", "tiger", "var x = 1", "%%", "%%\n", "%%\nf()", "%%\n(f())", "%%\n<-done", "%%\nx := 1", "%%\nx++", "%%\ntiger\nx := 1", "%%\nif x {\n\ty\n}",
		"%%\nx ==", "%%script bash\ntiger", "%%writefile a\n%%\nx", "%%\nx\n%%\ny", "%%\nx }\nfunc f() { y", "%%\n!ls", "%%\nfunc() {}()",
	} {
		if got, ok := showLast(cell); got != cell || ok {
			t.Errorf("%q: %v, %q", cell, ok, got)
		}
	}
}

// The value is shown where nb is among the imports, and the cell keeps its source in errors.
//
//test:race
func TestShowsLast(t *testing.T) {
	t.Parallel()
	k, c, _ := start(t, "")
	for _, x := range [][2]string{
		{"%%\n1 + 1", "%%\n1 + 1"}, // there is no nb yet
		{"import \"bayescpace/bcpace/nb\"\n%%\n1 + 1", "import \"bayescpace/bcpace/nb\"\n%%\nnb.Show(1 + 1)"},
		{"%%\n2 + 2", "%%\nnb.Show(2 + 2)"},
		{"%%\nf()", "%%\nf()"},
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
