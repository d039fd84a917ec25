package runner

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const glossary = "20_glossary"

// statements are all that the paper numbers, in its order.
var statements = []string{
	"Definition 2.1 Sample Complexity",
	"Definition 2.2 Covering Number",
	"Definition 2.3 PAC-Bayes",
	"Section 2.2 Comparison of PAC-Bayes",
	"Table 1 Comparison of BAMDP algorithms",
	"Figure 1 The Bayes-CPACE algorithm for BAMDPs",
	"Assumption 3.1 Lipschitz Continuous Reward and Transition Functions",
	"Assumption 3.2 Belief Contraction",
	"Lemma 3.1 Lipschitz Continuous Value Function",
	"Definition 3.1 Known Query",
	"Definition 3.2 Optimistic Value Estimate",
	"Definition 3.3 Best-Case Upper Bound",
	"Definition 3.4 Known Latent Initialization",
	"Algorithm 1 Bayes-CPACE",
	"Definition 3.5 Known Belief MDP",
	"Lemma 3.2 Generalized Induced Inequality",
	"Lemma 3.3 Full Coverage of Known Space",
	"Corollary 3.1 Bounded Escape Probability",
	"Lemma 3.4 Near-optimality of Approximate Greedy",
	"Corollary 3.2 Near-optimality on Known Belief MDP",
	"Theorem 3.1 Bayes-CPACE is PAC-Bayes",
	"Proposition 3.1 Known Latent Initialization",
	"Proposition 3.2 Approximate Value Iteration",
	"Proposition 3.3 Batch Sample Update",
	"Figure 2a Value approximation for Tiger",
	"Figure 2b One optimal path for Light-Dark Tiger",
	"Table 2 Benchmark results",
	"Supplementary Lemma 1 Bernoulli trials",
	"Supplementary Lemma 2 sufficient T",
}

// rowsBelow returns the rows of the first table below a heading of a notebook.
func rowsBelow(t *testing.T, name, heading string) (rows [][]string) {
	t.Helper()
	for _, line := range strings.Split(sections(t, name)[heading], "\n") {
		if line, ok := strings.CutPrefix(line, "| "); ok {
			cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
	}
	if len(rows) < 3 {
		t.Fatalf("%s has no table below %q", name, heading)
	}
	return rows[2:] // without the header and its rule
}

// sections returns the text of a notebook by its title and its headings of the second level,
// code and all.
func sections(t *testing.T, name string) map[string]string {
	t.Helper()
	nb, err := ReadNotebook(filepath.Join("..", "..", name+".ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	all, heading := map[string]string{}, ""
	for _, c := range nb.Cells() {
		for _, line := range strings.Split(c.Source(), "\n") {
			if h := sectionHeading.FindStringSubmatch(line); h != nil && c["cell_type"] == "markdown" {
				heading = h[1]
			}
			all[heading] += line + "\n"
		}
	}
	return all
}

var sectionHeading = regexp.MustCompile(`^##? (.+)$`)

var cellLink = regexp.MustCompile(`^\[(\d\d[a-z]?)\]\((\d\d[a-z]?_\w+)\.ipynb#([^)]+)\)$`)

var anyLink = regexp.MustCompile(`\[[^]]+\]\([^)]+\)`)

// howFar begins the last column of a statement.
var howFar = regexp.MustCompile(`^(stated|checked by number|proved|refuted by number|built|drawn|computed)\b`)

// linked returns the section to which a link of the glossary leads.
func linked(t *testing.T, link string) (text string) {
	t.Helper()
	m := cellLink.FindStringSubmatch(link)
	if m == nil || !strings.HasPrefix(m[2], m[1]+"_") {
		t.Fatalf("%q is no link to a section of a notebook", link)
	}
	for heading, text := range sections(t, m[2]) {
		if strings.ReplaceAll(heading, " ", "-") == m[3] { // as Jupyter and its pages name a heading
			return text
		}
	}
	t.Errorf("%s has no section %q", m[2], m[3])
	return ""
}

// TestGlossaryHasEveryStatement holds the table of the paper's statements to their list, and
// each link to a section that names the statement, by its name or by its number. The last column
// says how far the notebooks go, with links to sections.
func TestGlossaryHasEveryStatement(t *testing.T) {
	rows := rowsBelow(t, glossary, "Statements of the paper")
	for i, want := range statements {
		if i >= len(rows) || rows[i][0]+" "+rows[i][1] != want {
			t.Fatalf("row %d of the statements is not %q", i+1, want)
		}
		text := linked(t, rows[i][2])
		if text != "" && !strings.Contains(text, rows[i][0]) && !strings.Contains(strings.ToLower(text), strings.ToLower(rows[i][1])) {
			t.Errorf("%s %s: the section at %s names it nowhere", rows[i][0], rows[i][1], rows[i][2])
		}
		if len(rows[i]) != 4 || !howFar.MatchString(rows[i][3]) {
			t.Errorf("%s %s: %q, want a fourth column that says how far the notebooks go: stated, checked by number, proved …", rows[i][0], rows[i][1], rows[i][3:])
			continue
		}
		for _, link := range anyLink.FindAllString(rows[i][3], -1) {
			linked(t, link)
		}
	}
	if len(rows) > len(statements) {
		t.Errorf("the glossary has %d statements, the paper %d", len(rows), len(statements))
	}
}

// TestGlossaryHasEverySymbol holds the table of symbols to the code: every name in it exists,
// and every symbol in the documentation of packages bcpace, cpace and runs that names a part of
// them is there.
func TestGlossaryHasEverySymbol(t *testing.T) {
	rows := rowsBelow(t, glossary, "Symbols")
	named := map[string]bool{}
	for _, r := range rows {
		if len(r) != 5 {
			t.Fatalf("row %q has %d columns, want 5", r, len(r))
		}
		linked(t, r[4])
		for _, code := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(r[2], -1) {
			pkg, name, _ := strings.Cut(code[1], ".")
			if !exported(t, pkg)[name] {
				t.Errorf("%s: package %s has no %s", r[0], pkg, name)
			}
			named[code[1]] = true
		}
	}
	for _, pkg := range []string{"bcpace", "cpace", "runs"} {
		folder := ""
		if pkg != "bcpace" {
			folder = pkg
		}
		doc, err := os.ReadFile(filepath.Join("..", "..", "..", "bcpace", folder, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(doc), "\n") {
			if !strings.HasPrefix(line, "//\t") {
				continue
			}
			for _, code := range regexp.MustCompile(`\b(Solver|Run|Spec|Episode)\.[A-Z]\w*`).FindAllString(line, -1) {
				if code != "Solver.Explore" && code != "Run.WriteTo" && !named[pkg+"."+code] { // a symbol's part, not the algorithm itself or a file
					t.Errorf("the glossary has no symbol of %s.%s", pkg, code)
				}
			}
		}
	}
}

// exported returns what a package exports: functions, types, and their fields and methods.
func exported(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "bcpace")
	if pkg != "bcpace" {
		dir = filepath.Join(dir, pkg)
	}
	return exportedBy(t, dir)
}

// exportedBy returns what the package in a folder exports, as exported does.
func exportedBy(t *testing.T, dir string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s holds no package: %v", dir, err)
	}
	names := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names[receiver(n)+n.Name.Name] = true
				return false
			case *ast.TypeSpec:
				names[n.Name.Name] = true
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, name := range f.Names {
							names[n.Name.Name+"."+name.Name] = true
						}
					}
				}
			}
			return true
		})
	}
	return names
}

// receiver returns the type of a method, with a dot, and "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	x := f.Recv.List[0].Type
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	if id, ok := x.(*ast.Ident); ok {
		return id.Name + "."
	}
	return ""
}

// TestNotebookLinks opens what every link of the notebooks leads to. Those of the documents to
// notebooks are followed by TestPageLinks.
func TestNotebookLinks(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "*.ipynb"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no notebooks: %v", err)
	}
	link := regexp.MustCompile(`\]\(([^)\s:]+\.(?:ipynb|md|go))(#[^)\s]+)?\)`)
	for _, path := range paths {
		text := ""
		for _, section := range sections(t, Title(path)) {
			text += section
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(path), m[1])
			}
		}
	}
}
