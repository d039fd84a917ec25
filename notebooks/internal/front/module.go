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
	if err != nil {
		return ""
	}
	for {
		if declares(dir, pkg) {
			return dir
		}
		if data, err := os.ReadFile(filepath.Join(dir, "go.work")); err == nil {
			if work, err := modfile.ParseWork("go.work", data, nil); err == nil {
				for _, use := range work.Use {
					member := use.Path
					if !filepath.IsAbs(member) {
						member = filepath.Join(dir, member)
					}
					if declares(member, pkg) {
						return member
					}
				}
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
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
