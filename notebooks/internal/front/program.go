//go:build unix

package front

import (
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"bayescpace/bcpace/numtext"
)

// program finds out about the program that GoNB is about to make of a cell: whether there are the packages that it imports,
// and what the call returns that it ends with. It is used by one goroutine at a time.
type program struct {
	root  string   // the folder of the module that cells may import
	dir   string   // where GoNB compiles
	env   []string // GoNB's
	group int      // GoNB's process group, which what is started here joins

	packages map[string]string // see cells
	found    map[string]bool   // import paths that there are
}

// list runs go list, and returns what it prints: nothing where it fails, as GoNB will say why.
func (p *program) list(ctx context.Context, args ...string) string {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: p.group}
	out, _ := cmd.Output()
	return string(out)
}

// cellImports are the paths that a cell imports.
func cellImports(cell string) []string {
	file, _ := parseCells(cell)
	if file == nil {
		return nil
	}
	return pathsOf(file)
}

func pathsOf(file *ast.File) (paths []string) {
	for _, s := range file.Imports {
		paths = append(paths, strings.Trim(s.Path.Value, "\"`"))
	}
	return paths
}

// lacks says which import of a cell no package has, or "".
func (p *program) lacks(ctx context.Context, cell string) string {
	paths := slices.DeleteFunc(cellImports(cell), func(path string) bool { return p.found[path] })
	if len(paths) == 0 {
		return ""
	}
	if p.found == nil {
		p.found = make(map[string]bool)
	}
	missing := strings.Fields(p.list(ctx, append([]string{"-find", "-f", "{{if .Error}}{{.ImportPath}}{{end}}"}, paths...)...))
	for _, path := range paths {
		if !slices.Contains(missing, path) {
			p.found[path] = true
			continue
		}
		lines := strings.Split(cell, "\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, path) })
		help := p.meant(ctx, path)
		if first, _, _ := strings.Cut(path, "/"); help == "" && strings.Contains(first, ".") || ownModule(".", path) != "" {
			help = advice("no required module provides package " + path)
		}
		return marked(at+1, "no package has the path "+path, lines) + help
	}
	return ""
}

// meant says which package was meant by a path: one that ends in the same word or, without one, one that is near. It looks
// among those of the same module, if the path says which one, and else in the module of the cells and in the standard library.
func (p *program) meant(ctx context.Context, path string) string {
	all := []string{"std"}
	if module, err := moduleOf(p.root); err == nil {
		all = append(all, module+"/...")
	}
	base := strings.LastIndex(path, "/") + 1
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		all = []string{path[:base] + "..."}
	}
	all = slices.DeleteFunc(strings.Fields(p.list(ctx, all...)), func(known string) bool {
		return strings.HasPrefix(known, "vendor/") || slices.Contains(strings.Split(known, "/"), "internal")
	})
	same := slices.DeleteFunc(slices.Clone(all), func(known string) bool { return !strings.HasSuffix(known, "/"+path[base:]) })
	if len(same) == 0 {
		return sentence(numtext.Meant(path, all))
	}
	nearest := slices.MinFunc(same, func(a, b string) int { return numtext.Edits(path, a) - numtext.Edits(path, b) })
	return fmt.Sprintf("\nDid you mean %q?", nearest)
}

// around returns what has to stand before the call that a cell ends with, for what it returns to be shown: "" where it
// returns nothing, or that cannot be told.
func (p *program) around(ctx context.Context, declared *cells, cell string) string {
	if p.packages == nil {
		module, _ := moduleOf(p.root)
		p.packages = byName(p.list(ctx, "-f", nameAndPath, "std", module+"/..."))
	}
	declared.packages = p.packages
	current, before, ok := declared.files(cell)
	if !ok {
		return ""
	}
	set := token.NewFileSet()
	var files []*ast.File
	var paths []string
	for _, text := range []string{current, before} {
		file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
		if err != nil {
			return ""
		}
		files = append(files, file)
		paths = append(paths, pathsOf(file)...)
	}
	exports := make(map[string]string)
	for line := range strings.Lines(p.list(ctx, append([]string{"-export", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	last := lastOf(files[0])
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := types.Config{
		Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }),
		Error:    func(error) {}, // the compiler tells it
	}
	conf.Check("main", set, files, info)
	if last == nil {
		return ""
	}
	return aroundType(info.Types[last.X].Type)
}

// aroundType returns what has to stand before a call that returns that.
func aroundType(t types.Type) string {
	isError := func(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
	many, is := t.(*types.Tuple)
	switch {
	case t == nil, t == types.Typ[types.Invalid], is && many.Len() == 0:
		return ""
	case is && many.Len() == 2 && isError(many.At(1).Type()):
		return showsMust
	case is:
		return showsRow
	case isError(t):
		return checks
	}
	return showsOne
}
