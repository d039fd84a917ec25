//go:build unix

package front

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
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
	// absent names what a package does not have.
	absent = regexp.MustCompile(`^undefined: (\w+)\.(\w+)`)
	// unused names a value that a statement has and does nothing with, or a variable that nothing reads.
	unused = regexp.MustCompile(`^(?:declared and not used: (\w+)|(\w[\w.]*)(?: \([^()]*(?:\([^()]*\)[^()]*)*\))? is not used)$`)
)

// meant says what somebody probably meant who wrote a name that there is not: what a package exports, or what a cell declares.
func (k known) meant(message string) string {
	if m := absent.FindStringSubmatch(message); m != nil {
		path := importOf(allOf(k.sources), m[1])
		if path == "" { // a package of the standard library needs no import
			path = m[1]
		}
		if exports := exportsOf(k.root, path); exports != nil {
			return sentence(numtext.Meant(m[2], exports))
		}
		return sentence(numtext.Meant(m[1], slices.Concat(slices.Collect(maps.Keys(k.declared.imports)), standard)))
	}
	m := undefined.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	name := m[1]
	local := regexp.MustCompile(`(?m)\b` + name + `\b[^=\n(]*:=`)
	if local.MatchString(k.sources[k.current].text) {
		return "\nA variable ends with the braces that it is declared in: declare " + name + " before them."
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(k.sources))) {
		switch text := k.sources[n].text; {
		case n == k.current:
		case local.MatchString(text):
			return fmt.Sprintf("\nThe variable %s of cell [%d] ended with that cell. For all cells to have it, declare it there above the statements: var %s = …", name, n, name)
		case regexp.MustCompile(`(?m)^(?:func|var|const|type|\t)\s*` + name + `\b`).MatchString(text):
			return fmt.Sprintf("\nCell [%d] declares %s, but has failed: execute it again.", n, name)
		}
	}
	var names []string
	for _, u := range k.declared.units {
		names = append(names, u.names...)
	}
	if guess := numtext.Meant(name, names); guess != "" {
		return sentence(guess)
	}
	return "\nNo cell that has been executed declares " + name + "."
}

// standard are packages of the standard library that cells use without an import.
var standard = []string{"errors", "fmt", "math", "os", "rand", "slices", "sort", "strconv", "strings", "time"}

// sentence makes a line of what numtext.Meant says, or nothing of nothing.
func sentence(guess string) string {
	if guess == "" {
		return ""
	}
	return "\nD" + strings.TrimPrefix(guess, "; d")
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

// exportsOf returns what a package exports, but for fields and methods. The go command finds it from the folder of the module.
func exportsOf(root, path string) (names []string) {
	cmd := exec.Command("go", "list", "-e", "-find", "-f", "{{.Dir}}", path)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off")
	out, _ := cmd.Output() // no folder, no guess
	dir := strings.TrimSpace(string(out))
	if dir == "" {
		return nil
	}
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
		if m[1] == "" {
			return "\nTo see it, write nb.Show(" + m[2] + ")."
		}
		return fmt.Sprintf("\nTo see it, end the cell with a line %[1]s. For later cells to have it, declare it above the statements: var %[1]s = …", m[1])
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
