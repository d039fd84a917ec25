package runner

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// documents returns the text of every Markdown file that git tracks, and what git tracks: files
// and the folders that hold them, by their paths from the root of the clone.
func documents(t *testing.T) (texts map[string]string, tracked map[string]bool) {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("git lists no files: %v", err)
		}
		t.Skipf("git lists no files: %v", err)
	}
	texts, tracked = map[string]string{}, map[string]bool{}
	for _, file := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		for p := file; p != "."; p = path.Dir(p) {
			tracked[p] = true
		}
		if path.Ext(file) != ".md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	if texts["README.md"] == "" {
		t.Fatal("git tracks no README.md")
	}
	return texts, tracked
}

var (
	fence      = regexp.MustCompile("(?ms)^```.*?^```")
	backticked = regexp.MustCompile("`([^`\n]+)`")
	inlineLink = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	attribute  = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	scheme     = regexp.MustCompile(`^[a-z]+:`)
	mdHeading  = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	reference  = regexp.MustCompile(`(?m)^ {0,3}\[[^\]]+\]:`)
)

// anchors returns the anchors that GitHub gives to the headings of a page.
func anchors(text string) []string {
	var all []string
	for _, m := range mdHeading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		heading := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1")
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, heading)
		name := anchor
		for n := 1; slices.Contains(all, name); n++ {
			name = anchor + "-" + strconv.Itoa(n)
		}
		all = append(all, name)
	}
	return all
}

func TestAnchors(t *testing.T) {
	got := anchors("# A *first* cell\n\n```\n# no heading\n```\n## `go run`: [links](a.md), too\n## A first cell\n")
	if want := []string{"a-first-cell", "go-run-links-too", "a-first-cell-1"}; !slices.Equal(got, want) {
		t.Errorf("the anchors are %q, want %q", got, want)
	}
}

// TestPageLinks follows every link and picture in the tracked Markdown files: what it leads to is
// tracked, so that a reader on GitHub finds it, and has the heading that the link names.
func TestPageLinks(t *testing.T) {
	texts, tracked := documents(t)
	for file, text := range texts {
		prose := backticked.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
		if reference.MatchString(prose) {
			t.Errorf("%s defines a link apart from its place, where this test does not look", file)
		}
		for _, m := range append(inlineLink.FindAllStringSubmatch(prose, -1), attribute.FindAllStringSubmatch(prose, -1)...) {
			if scheme.MatchString(m[1]) {
				continue
			}
			target, anchor, named := strings.Cut(m[1], "#")
			to := file
			if target != "" {
				to = path.Join(path.Dir(file), target)
			}
			switch {
			case !tracked[to]:
				t.Errorf("%s links to %s, which git does not track", file, m[1])
			case !named:
			case path.Ext(to) == ".md":
				if !slices.Contains(anchors(texts[to]), anchor) {
					t.Errorf("%s links to %s, but %s has the headings %q", file, m[1], to, anchors(texts[to]))
				}
			default:
				t.Errorf("%s links to %s: the headings of Markdown files alone are looked at", file, m[1])
			}
		}
	}
}

// TestPageNames expects every name of a package's part in the tracked Markdown files, such as
// nb.Show, to be one that the package exports.
func TestPageNames(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	folders := map[string]string{} // of the packages, by name
	for _, top := range []string{"bcpace", "envs", "viz", "data"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(p string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if name := d.Name(); name == "internal" || name == "testdata" {
				return filepath.SkipDir
			}
			if sources, _ := filepath.Glob(filepath.Join(p, "*.go")); len(sources) > 0 && p != filepath.Join(root, "bcpace", "cmd", "bcpace") {
				folders[d.Name()] = p
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	standard, err := exec.Command("go", "list", "-f", "{{.Dir}}", "fmt", "math").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range strings.Fields(string(standard)) {
		folders[filepath.Base(folder)] = folder
	}
	texts, _ := documents(t)
	exports := map[string]map[string]bool{}
	name := regexp.MustCompile(`^([a-z]\w+)\.([A-Z]\w*(?:\.[A-Z]\w*)?)(?:\(.*\))?$`) // one letter is a variable
	looked := 0
	for file, text := range texts {
		for _, m := range backticked.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			part := name.FindStringSubmatch(m[1])
			if part == nil {
				continue
			}
			pkg := part[1]
			if folders[pkg] == "" {
				t.Errorf("%s names %s, but there is no package %s", file, m[1], pkg)
				continue
			}
			if exports[pkg] == nil {
				exports[pkg] = exportedBy(t, folders[pkg])
			}
			if !exports[pkg][part[2]] {
				t.Errorf("%s names %s, which package %s does not export", file, m[1], pkg)
			}
			looked++
		}
	}
	if looked < 20 {
		t.Errorf("the pages name %d parts of packages, which is fewer than this test is for", looked)
	}
}

// TestFrontDoor keeps the README short, and expects it to lead to every other page, and the list
// of chapters to have every notebook.
func TestFrontDoor(t *testing.T) {
	texts, _ := documents(t)
	if lines := strings.Count(texts["README.md"], "\n"); lines > 120 {
		t.Errorf("README.md has %d lines, want 120 at most: it leads to pages that have the rest", lines)
	}
	for file := range texts {
		if file != "README.md" && !strings.Contains(texts["README.md"], "]("+file+")") {
			t.Errorf("README.md does not lead to %s", file)
		}
	}
	notebooks, err := filepath.Glob(filepath.Join("..", "..", "*.ipynb"))
	if err != nil || len(notebooks) == 0 {
		t.Fatalf("there are no notebooks: %v", err)
	}
	for _, p := range notebooks {
		if row := "| [" + Title(p) + "](" + filepath.Base(p) + ") | "; !strings.Contains(texts["notebooks/README.md"], row) {
			t.Errorf("notebooks/README.md has no row %q", row)
		}
	}
}
