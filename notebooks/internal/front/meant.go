//go:build unix

package front

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"bayescpace/bcpace/numtext"
)

// absent names what nothing declares, or what a package does not have.
var absent = regexp.MustCompile(`^undefined: (\w+)(?:\.(\w+))?`)

// meant says what somebody probably meant who wrote a name that there is not: what a package exports, or what a cell declares.
func (k known) meant(message, code string) string {
	m := absent.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	name, part := m[1], m[2]
	if regexp.MustCompile(`^\n    (?:\w+, *)*` + name + `(?:, *\w+)* *=[^=]`).MatchString(code) {
		return "\nA new variable begins with := here: " + name + " := …"
	}
	local := regexp.MustCompile(`(?m)\b` + name + `\b[^=\n(]*:=`)
	if local.MatchString(k.sources[k.current].text) {
		return "\nA variable ends with the braces that it is declared in: declare " + name + " before them."
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(k.sources))) {
		switch text := k.sources[n].text; {
		case local.MatchString(text):
			return fmt.Sprintf("\nThe variable %s of cell [%d] ended with that cell. For all cells to have it, declare it there above the statements: var %s = …", name, n, name)
		case regexp.MustCompile(`(?m)^(?:func|var|const|type) +` + name + `\b`).MatchString(text):
			return fmt.Sprintf("\nCell [%d] declares %s, but has failed: execute it again.", n, name)
		}
	}
	if part != "" && k.program != nil {
		named := k.program.named(context.Background()) // which need no import
		path := cmp.Or(importOf(allOf(k.sources), name), strings.Trim(named[name], `"`))
		if path == "" {
			return sentence(numtext.Meant(name, slices.Concat(slices.Sorted(maps.Keys(k.declared.imports)), slices.Sorted(maps.Keys(named)))))
		}
		return sentence(numtext.Meant(part, k.program.exports(path)))
	}
	var names []string
	for _, u := range k.declared.units {
		names = append(names, u.names...)
	}
	return cmp.Or(sentence(numtext.Meant(name, names)), "\nNo cell that has been executed declares "+name+".")
}

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
