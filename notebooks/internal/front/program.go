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
	"strconv"
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
}

// list runs go list, and returns what it prints: nothing where it fails, as GoNB will say why.
func (p *program) list(ctx context.Context, args ...string) string {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: p.group}
	out, _ := cmd.Output()
	return string(out)
}

// pathsOf returns the paths that a file imports.
func pathsOf(file *ast.File) (paths []string) {
	for _, s := range file.Imports {
		paths = append(paths, strings.Trim(s.Path.Value, "\"`"))
	}
	return paths
}

// lacks says which import of a cell no package has, or "".
func (p *program) lacks(ctx context.Context, cell source) string {
	file, _ := parseCells(cell.sent)
	if file == nil || len(file.Imports) == 0 {
		return ""
	}
	missing := strings.Fields(p.list(ctx, append([]string{"-find", "-f", "{{if .Error}}{{.ImportPath}}{{end}}"}, pathsOf(file)...)...))
	if len(missing) == 0 {
		return ""
	}
	path, lines := missing[0], strings.Split(cell.text, "\n")
	at := max(0, slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, strconv.Quote(path)) }))
	help := p.meant(ctx, path)
	if first, _, _ := strings.Cut(path, "/"); help == "" && strings.Contains(first, ".") || ownModule(".", path) != "" {
		help = advice("no required module provides package " + path)
	}
	return marked(at+1, "no package has the path "+path, lines) + help
}

// meant says which package was meant by a path: one that ends in the same word or, without one, one that is near. It looks
// among those of the same module, if the path says which one, and else in the module of the cells and in the standard library.
func (p *program) meant(ctx context.Context, path string) string {
	module, _ := moduleOf(p.root)
	all := []string{"std", module + "/..."}
	base := strings.LastIndex(path, "/") + 1
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		all = []string{path[:base] + "..."}
	}
	all = slices.DeleteFunc(strings.Fields(p.list(ctx, all...)), inner)
	slices.SortStableFunc(all, func(a, b string) int { return numtext.Edits(path, a) - numtext.Edits(path, b) })
	if i := slices.IndexFunc(all, func(known string) bool { return strings.HasSuffix(known, "/"+path[base:]) }); i >= 0 {
		return fmt.Sprintf("\nDid you mean %q?", all[i])
	}
	return sentence(numtext.Meant(path, all))
}

// named are the packages that cells may use without an import, by their names.
func (p *program) named(ctx context.Context) map[string]string {
	if p.packages == nil {
		module, _ := moduleOf(p.root)
		p.packages = byName(p.list(ctx, "-f", nameAndPath, "std", module+"/..."))
	}
	return p.packages
}

// importer reads packages as they are compiled.
func (p *program) importer(ctx context.Context, set *token.FileSet, paths ...string) types.Importer {
	files := make(map[string]string)
	for line := range strings.Lines(p.list(ctx, append([]string{"-export", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// exports returns what a package exports, but for fields and methods.
func (p *program) exports(path string) []string {
	pkg, err := p.importer(context.Background(), token.NewFileSet(), path).Import(path)
	if err != nil { // no names, no guess
		return nil
	}
	return slices.DeleteFunc(pkg.Scope().Names(), func(n string) bool { return !ast.IsExported(n) })
}

// around returns what has to stand before the call that a cell ends with, for what it returns to be shown: "" where it
// returns nothing, or that cannot be told.
func (p *program) around(ctx context.Context, declared *cells, cell string) string {
	declared.packages = p.named(ctx)
	current, before, _ := declared.files(cell)
	set := token.NewFileSet()
	var files []*ast.File
	var paths []string
	for _, text := range []string{current, before} {
		file, _ := parser.ParseFile(set, "", text, parser.SkipObjectResolution) // both have been parsed before
		files = append(files, file)
		paths = append(paths, pathsOf(file)...)
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := types.Config{Importer: p.importer(ctx, set, paths...), Error: func(error) {}} // the compiler tells errors
	conf.Check("main", set, files, info)
	return aroundType(info.Types[lastOf(files[0])].Type)
}

// aroundType returns what has to stand before a call that returns that.
func aroundType(t types.Type) string {
	many, is := t.(*types.Tuple)
	switch {
	case t == nil, t == types.Typ[types.Invalid], is && many.Len() == 0:
		return ""
	case is, types.Identical(t, types.Universe.Lookup("error").Type()):
		return showsRow
	}
	return showsOne
}
