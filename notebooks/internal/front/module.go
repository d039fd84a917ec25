//go:build unix

package front

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

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
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	module := modfile.ModulePath(data)
	return module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/"))
}

// quoted is a path as a shell takes it in one piece.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
