package bcpace_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// Every exported type of this package and of those beside it that make up its core, and every figure of viz, has an Example whose
// output is compared.
func TestExamples(t *testing.T) {
	all := func(*doc.Type) bool { return true }
	for _, c := range []struct {
		folder, path string
		needs        func(*doc.Type) bool
	}{
		{".", "bayescpace/bcpace", all},
		{"cpace", "bayescpace/bcpace/cpace", all},
		{"dp", "bayescpace/bcpace/dp", all},
		{"runs", "bayescpace/bcpace/runs", all},
		{"../viz", "bayescpace/viz", func(x *doc.Type) bool {
			return slices.ContainsFunc(x.Methods, func(f *doc.Func) bool { return f.Name == "Figure" })
		}},
	} {
		names, err := filepath.Glob(filepath.Join(c.folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		var files []*ast.File
		for _, name := range names {
			f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		p, err := doc.NewFromFiles(set, files, c.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range p.Types {
			if c.needs(x) && !slices.ContainsFunc(x.Examples, func(e *doc.Example) bool { return e.Output != "" }) {
				t.Errorf("%s.%s has no Example with an output: want func Example%s() in a test file of %s", p.Name, x.Name, x.Name, c.folder)
			}
		}
	}
}
