package bcpace_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// pkg is what go list tells about a package.
type pkg struct {
	ImportPath    string
	Standard      bool
	Imports, Deps []string
}

// TestImports keeps the directions of the imports: every notebook cell is a
// compiled program, so what a package imports is what its user waits for.
func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", "bayescpace/...")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, stderr.String())
	}
	packages := make(map[string]pkg)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}

	const (
		core = "bayescpace/bcpace"
		plot = "gonum.org/v1/plot"
		gota = "github.com/go-gota/gota"
		gonb = "github.com/janpfeifer/gonb"
		parq = "github.com/parquet-go/parquet-go"
	)
	ours := strings.TrimSuffix(core, "/bcpace")
	within := func(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
	isSolver := func(path string) bool {
		for _, below := range []string{"/online/", "/baseline/"} {
			name, ok := strings.CutPrefix(path, core+below)
			if about, found := packages[path]; ok && found && !strings.Contains(name, "/") && slices.Contains(about.Imports, core+"/solverkit") && slices.Contains(packages[core+"/solvers"].Imports, path) {
				return true
			}
		}
		return false
	}
	forbid := func(from, to, why string) { t.Errorf("%s imports %s: %s", from, to, why) }

	for _, to := range packages[core].Deps {
		switch {
		case packages[to].Standard, within(to, core+"/internal"), to == core+"/alpha", to == core+"/stop":
		case within(to, "gonum.org/v1/gonum"):
			for _, heavy := range []string{"stat", "optimize", "graph", "mat"} {
				if within(to, "gonum.org/v1/gonum/"+heavy) {
					forbid(core, to, "the core takes small parts of gonum only")
				}
			}
		default:
			forbid(core, to, "the core imports the standard library and small parts of gonum")
		}
	}
	for path, p := range packages {
		if !within(path, ours) {
			continue
		}
		for _, to := range p.Imports {
			switch {
			case within(to, gota) && !within(path, core+"/frame"):
				forbid(path, to, "frame alone imports gota")
			case within(to, parq) && path != core+"/frame/parquet":
				forbid(path, to, "frame/parquet alone imports parquet-go")
			case to == core+"/frame/parquet" && path != core+"/cmd":
				forbid(path, to, "the command alone writes Parquet: no notebook waits for its library")
			case within(to, core+"/sweep") && !within(path, core+"/cmd") && !within(path, core+"/sweep") && !within(path, "bayescpace/notebooks"):
				forbid(path, to, "a program without sweeps waits for nothing of them")
			case to == core+"/solvers" && path != core+"/cmd" && path != core+"/choose" && path != core+"/internal/problem" && !within(path, core+"/sweep") && !within(path, core+"/solvertest"):
				forbid(path, to, "who names a solver imports that one alone")
			case to == core+"/internal/problem" && path != core+"/cmd" && path != core+"/sweep":
				forbid(path, to, "it links every solver: the command and sweeps alone take problems by their names")
			case isSolver(to) && !isSolver(path) && path != core+"/solvers" && path != core+"/choose" && !within(path, ours+"/notebooks") && !strings.HasPrefix(path, core+"/internal/"):
				forbid(path, to, "a solver says itself what it is: beside solvers, only their list and choose, which tries some, know it")
			case within(to, gonb) && path != core+"/nb" && path != "bayescpace/notebooks/internal/cells":
				forbid(path, to, "nb alone imports gonb, and what stands in for its kernel")
			case to == core+"/nb" && !within(path, "bayescpace/notebooks"):
				forbid(path, to, "only notebooks speak to a notebook")
			case to == "bayescpace/viz" && within(path, core) && path != core+"/cmd":
				forbid(path, to, "figures are made from values, by whoever shows them: notebooks and the command")
			case within(to, plot) && within(path, core):
				forbid(path, to, "viz alone draws")
			case within(path, "bayescpace/envs") && path != "bayescpace/envs/envtest" && within(to, ours) && to != core && to != core+"/hidden" && to != core+"/cpace" && to != core+"/runs" && to != core+"/numtext":
				forbid(path, to, "a model needs the core alone or, for a hidden vector, package hidden, and how numbers are written, and its tuned parameters those of Algorithm 1")
			case path == core+"/dp" && (to == core+"/runs" || to == core+"/cpace"), path == core+"/runs" && to == core+"/cpace":
				forbid(path, to, "tables know no runs, and runs no algorithm")
			}
		}
	}
	// Not even through another package: the cells that do without are quicker. nb links the solvers
	// that choose tries, as a cell may name none: a tenth of the half second that a cell takes to link.
	solvers := []string{core + "/baseline", core + "/certified", core + "/online", core + "/solvers", core + "/sweep"}
	for path, heavy := range map[string][]string{
		core + "/nb":      {plot, gota, "bayescpace/viz"},
		core + "/store":   append([]string{gonb, plot, gota}, solvers...),
		core + "/family":  append([]string{gonb, plot, gota}, solvers...),
		core + "/frame":   append([]string{gonb, plot}, solvers...),
		core + "/methods": append([]string{gonb, plot, gota}, solvers...),
		"bayescpace/viz":  append([]string{gonb, gota, core + "/nb"}, solvers...),
		core + "/choose":  {gonb, plot, gota, core + "/sweep"},
	} {
		for _, to := range packages[path].Deps {
			if slices.ContainsFunc(heavy, func(h string) bool { return within(to, h) }) {
				forbid(path, to, "directly or through another package")
			}
		}
	}
}
