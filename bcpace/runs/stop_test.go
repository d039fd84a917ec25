package runs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

// Verify knows every reason to stop that the source declares.
func TestVerifyKnowsEveryReasonToStop(t *testing.T) {
	files, err := filepath.Glob("../stop/*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				if kind, ok := v.Type.(*ast.Ident); ok && kind.Name == "Reason" {
					for _, x := range v.Values {
						if text, ok := x.(*ast.BasicLit); ok {
							declared[strings.Trim(text.Value, `"`)] = true
						}
					}
				}
			}
			return true
		})
	}
	if len(declared) < 8 {
		t.Fatalf("found %v", declared)
	}
	for s := range declared {
		if !runs.KnownReason(stop.Reason(s)) {
			t.Errorf("Verify does not know the reason to stop %q", s)
		}
	}
}
