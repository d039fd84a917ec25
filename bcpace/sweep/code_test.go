package sweep

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVersionCoversCode holds that every package of this module that a trial may run is part
// of the version's code: a change of it must compute again.
func TestVersionCoversCode(t *testing.T) {
	text, err := os.ReadFile("code.go")
	if err != nil {
		t.Fatal(err)
	}
	deps, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{.Dir}}", "bayescpace/bcpace/sweep").Output()
	if err != nil {
		t.Fatal(err)
	}
	patterns := regexp.MustCompile(`(?m)^//go:embed (.*)$`)
	// embedded reports whether the package in dir is embedded by one of those above it whose
	// hash is part of the version.
	embedded := func(dir string) bool {
		below := "*.go"
		for above := dir; len(above) > len("/bcpace"); above = filepath.Dir(above) {
			files, _ := filepath.Glob(filepath.Join(above, "code*.go"))
			for _, file := range files {
				code, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				found := patterns.FindSubmatch(code)
				name := path.Base(filepath.ToSlash(above))
				if found == nil || name != "sweep" && !strings.Contains(string(text), name+".Sources") {
					continue
				}
				for pattern := range strings.FieldsSeq(string(found[1])) {
					if ok, _ := path.Match(pattern, strings.Replace(below, "*.go", "x.go", 1)); ok {
						return true
					}
				}
			}
			below = path.Join(filepath.Base(above), below)
		}
		return false
	}
	for line := range strings.Lines(string(deps)) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		// frame and store keep what others have computed, and check is for authors of models.
		switch pkg {
		case "bayescpace/bcpace/store", "bayescpace/bcpace/check":
			continue
		}
		if strings.HasPrefix(pkg, "bayescpace/") && !embedded(dir) {
			t.Errorf("package %s is not part of the version: embed its files, and add the hash to code.go", pkg)
		}
	}
}
