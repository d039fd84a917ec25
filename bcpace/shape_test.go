package bcpace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// shape has the numbers of the day. They go down; one that goes up has its reason in a commit.
var shape = struct {
	files, exported int // of package bcpace
	documented      int // lines of go doc -all of package bcpace
	circle          int // the most files of one package that refer to one another in a circle
	lines           int // of code of one package, without comments and blank lines
	// large are packages with more lines, and why each is one package.
	large map[string]reasoned
}{
	files: 21, exported: 100, documented: 1400, circle: 8, lines: 3000,
	large: map[string]reasoned{
		"bcpace":                    {3800, "the vocabulary of all others: a second package would import the first or be imported by it at every word"},
		"bcpace/certified":          {3910, "two searches with one certificate, their files and their proofs"},
		"bcpace/cmd":                {4600, "the verbs of one command line"},
		"bcpace/pomdpfile":          {3520, "two formats with one model, read and written"},
		"envs":                      {4620, "environments, which do not know one another"},
		"notebooks/internal/runner": {3130, "the verbs of one command line"},
		"viz":                       {6200, "figures, which share what draws them"},
		"bcpace/proved":             {4050, "one theorem: the kernels by which it holds, the model that they make, both bounds of it, its policy and the file of that"},
	},
}

// reasoned is a limit with the reason for it.
type reasoned struct {
	lines int
	why   string
}

// TestShape keeps the packages such that a reader can take one file after the other: few files
// that all refer to one another, and a vocabulary of few words.
func TestShape(t *testing.T) {
	packages, exports := compiled(t)
	for _, p := range packages {
		name := p.ImportPath[len("bayescpace/"):]
		exported, circle := look(t, p, exports)
		if circle > shape.circle {
			t.Errorf("%s: %d files refer to one another in a circle, want %d at most", name, circle, shape.circle)
		}
		most := shape.lines
		if l, ok := shape.large[name]; ok {
			most = l.lines
		}
		if n := lines(t, p); n > most {
			t.Errorf("%s has %d lines of code, want %d at most, or a reason", name, n, most)
		}
		if name == "bcpace" && (len(p.GoFiles) > shape.files || exported > shape.exported) {
			t.Errorf("%s has %d files and exports %d names, want %d and %d at most: what belongs to a part stands in its package; a new word of the vocabulary raises the number, and the commit says why", name, len(p.GoFiles), exported, shape.files, shape.exported)
		}
	}
}

// TestDocumented keeps what a reader of package bcpace finds with go doc short enough to be read.
func TestDocumented(t *testing.T) {
	out, err := exec.Command("go", "doc", "-all", "bayescpace/bcpace").Output()
	if err != nil {
		t.Fatalf("go doc: %v", err)
	}
	if n := bytes.Count(out, []byte("\n")); n > shape.documented {
		t.Errorf("go doc -all of package bcpace has %d lines, want %d at most: say things once", n, shape.documented)
	}
}

// compiledPackage is what go list tells of a package.
type compiledPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// compiled lists the packages of the module, and where the export data of each package lies.
func compiled(t *testing.T) (own []compiledPackage, exports map[string]string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", "bayescpace/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports = make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p compiledPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return own, exports
		} else if err != nil {
			t.Fatal(err)
		}
		if exports[p.ImportPath] = p.Export; !p.DepOnly {
			own = append(own, p)
		}
	}
}

// look counts the exported names of a package, and the files of its largest circle.
func look(t *testing.T, p compiledPackage, exports map[string]string) (exported, circle int) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	checked, err := conf.Check(p.ImportPath, set, files, info)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range checked.Scope().Names() {
		if token.IsExported(name) {
			exported++
		}
	}
	number := make(map[*token.File]int64)
	arrows := simple.NewDirectedGraph()
	for i, f := range files {
		number[set.File(f.FileStart)] = int64(i)
		arrows.AddNode(simple.Node(i))
	}
	for id, x := range info.Uses {
		from := number[set.File(id.Pos())]
		if to, ok := number[set.File(x.Pos())]; x.Pkg() == checked && ok && from != to {
			arrows.SetEdge(arrows.NewEdge(simple.Node(from), simple.Node(to)))
		}
	}
	for _, c := range topo.TarjanSCC(arrows) {
		if len(c) > 1 {
			circle = max(circle, len(c))
		}
	}
	return exported, circle
}

// mostLines is the longest that a function may be, from func to its closing brace.
const mostLines = 80

// TestFunctionLength keeps functions, tests aside, short enough to be read without scrolling.
func TestFunctionLength(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f={{.Dir}}", "bayescpace").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	root, files := strings.TrimSpace(string(out)), 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return checkLengths(t, name, path)
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Errorf("there are no Go files in %s", root)
	}
}

// checkLengths fails for each function of a file that is too long. name is for the reader.
func checkLengths(t *testing.T, name, path string) error {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		function := "a function without a name"
		switch n := n.(type) {
		case *ast.FuncDecl:
			function = n.Name.Name
		case *ast.FuncLit:
		default:
			return true
		}
		from, to := set.PositionFor(n.Pos(), false), set.PositionFor(n.End(), false)
		lines := to.Line - from.Line + 1
		if lines > mostLines {
			t.Errorf("%s:%d: %s has %d lines, want %d at most: split it where it does another thing", name, from.Line, function, lines, mostLines)
		}
		return lines > mostLines // what is within is no longer than the whole
	})
	return nil
}

// lines counts the lines of code of a package, without comments and blank lines.
func lines(t *testing.T, p compiledPackage) (n int) {
	t.Helper()
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
	}
	return n
}
