//go:build unix

package front

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"bayescpace/bcpace/numtext"
)

var (
	// notInStd names a package that the go command looked for in the standard library, as its path has no dot.
	notInStd = regexp.MustCompile(`package ([^\s;:]+) is not in std`)
	// absent names what a package does not have.
	absent = regexp.MustCompile(`^undefined: (\w+)\.(\w+)`)
	// unused names a value that a statement has and does nothing with, or a variable that nothing reads.
	unused = regexp.MustCompile(`^(?:declared and not used: (\w+)|(\w[\w.]*)(?: \([^()]*(?:\([^()]*\)[^()]*)*\))? is not used)$`)
)

// meant says what somebody probably meant who wrote a name that there is not, in a cell with this source: a package of the module around the folder dir, or
// what such a package exports. It returns "" where nothing is near.
func meant(dir, message, source string) string {
	var name string
	var known []string
	if m := notInStd.FindStringSubmatch(message); m != nil {
		module, _, _ := strings.Cut(m[1], "/")
		if root := ownModule(dir, module); root != "" {
			name, known = m[1], packagesOf(root)
		}
	} else if m := absent.FindStringSubmatch(message); m != nil {
		path := importOf(source, m[1])
		_, below, _ := strings.Cut(path, "/")
		if root := ownModule(dir, path); root != "" {
			name, known = m[2], exportsOf(filepath.Join(root, filepath.FromSlash(below)))
		}
	}
	return strings.TrimPrefix(numtext.Meant(name, known), "; ")
}

// packagesOf returns the packages of a module in a folder, without those that are internal.
func packagesOf(root string) []string {
	cmd := exec.Command("go", "list", "-e", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off")
	out, _ := cmd.Output() // no list, no guess
	inner := func(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }
	return slices.DeleteFunc(strings.Fields(string(out)), inner)
}

// importOf returns the path of the package that a source imports under a name.
func importOf(source, name string) string {
	for _, m := range regexp.MustCompile(`(?m)(?:^|[\s;(])(?:(\w+)\s+)?"([\w./-]+)"`).FindAllStringSubmatch(source, -1) {
		if base := m[2][strings.LastIndex(m[2], "/")+1:]; m[1] == name || (m[1] == "" || m[1] == "import") && base == name {
			return m[2]
		}
	}
	return ""
}

// exportsOf returns what the package in a folder exports, but for fields and methods.
func exportsOf(dir string) (names []string) {
	files, _ := fs.Glob(os.DirFS(dir), "*.go")
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		names = append(names, declared(file)...)
	}
	return slices.DeleteFunc(names, func(n string) bool { return !ast.IsExported(n) || strings.Contains(n, ".") })
}

// shown says how a value is looked at that a cell does nothing with.
func shown(message string) string {
	if m := unused.FindStringSubmatch(message); m != nil {
		return "\nTo see it, write nb.Show(" + m[1] + m[2] + "), with \"bayescpace/bcpace/nb\" among the imports."
	}
	return ""
}

// ownModule is the folder of the module that has a package, by its path, if that
// module lies in the folder dir or around it, or in a workspace there. It is "" if not.
func ownModule(dir, pkg string) string {
	dir, err := filepath.Abs(dir)
	for below := ""; err == nil && dir != below; below, dir = dir, filepath.Dir(dir) {
		members := []string{dir}
		data, err := os.ReadFile(filepath.Join(dir, "go.work"))
		if work, broken := modfile.ParseWork("go.work", data, nil); err == nil && broken == nil {
			for _, use := range work.Use {
				members = append(members, use.Path)
			}
		}
		for _, member := range members {
			if !filepath.IsAbs(member) {
				member = filepath.Join(dir, member)
			}
			if declares(member, pkg) {
				return member
			}
		}
	}
	return ""
}

// declares tells whether the go.mod in a folder is of a module with such packages.
func declares(dir, pkg string) bool {
	module, _ := moduleOf(dir) // "" where there is no go.mod
	return module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/"))
}

// quoted is a path as a shell takes it in one piece.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
