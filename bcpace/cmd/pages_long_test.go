//go:build long

package cmd

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace/process"
)

// unrun are words of commands that write into other programs, or end by Ctrl-C alone.
var unrun = []string{">", "--watch"}

// TestCommandsOfPages runs every command of this program that stands in a page, in the order of the page and with little time, and expects
// that it succeeds or says that its time was up.
func TestCommandsOfPages(t *testing.T) {
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, folder := range []string{"data", "bcpace"} {
		if err := os.Symlink(filepath.Join(top, folder), filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	ran := 0
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != top && strings.HasPrefix(d.Name(), ".") && d.Name() != ".github":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		n, err := runPage(t, path)
		ran += n
		return err
	})
	if err != nil || ran < 50 {
		t.Errorf("%d commands, %v", ran, err)
	}
}

var command = regexp.MustCompile(`^(?:go run \./bcpace/cmd/)?bcpace ([^#]*)`)

var seeds = regexp.MustCompile(`"seeds": \d+`)

// runPage runs the commands of a page, and writes the sweep that it shows, with few seeds.
func runPage(t *testing.T, path string) (ran int, err error) {
	text, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
	block := ""
	for lines := bufio.NewScanner(text); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "```") {
			if strings.Contains(block, `"seeds"`) {
				few := seeds.ReplaceAllString(block, `"seeds": 2`)
				if err := os.WriteFile("neighbours.json", []byte(few), 0o600); err != nil {
					return ran, err
				}
			}
			block = ""
			continue
		}
		block += lines.Text() + "\n"
		found := command.FindStringSubmatch(lines.Text())
		if found == nil || slices.ContainsFunc(unrun, func(x string) bool { return strings.Contains(found[1], x) }) {
			continue
		}
		args, err := process.Words(strings.ReplaceAll(found[1], "python3 walk.py", "python3 bcpace/process/testdata/walk.py"))
		if err != nil {
			return ran, err
		}
		if slices.Contains([]string{"solve", "eval", "check", "cover"}, args[0]) && !slices.Contains(args, "--run") && !slices.Contains(args, "--policy") {
			if i := slices.Index(args, "--timeout"); i >= 0 {
				args = slices.Delete(args, i, i+2)
			}
			args = append(args, "--timeout", "1s")
		}
		if args[0] == "leaderboard" {
			handIn(t, args)
		}
		ran++
		code, stdout, stderr := call(t, args...)
		if code != exitOK && !strings.Contains(stderr, "out of time") {
			t.Errorf("%s: bcpace %s: exit code %d, %s, %s", name, strings.Join(args, " "), code, stdout, stderr)
		}
	}
	return ran, nil
}

// handIn hands in the run of chain that the page has made before, or one that is made here.
func handIn(t *testing.T, args []string) {
	if _, err := os.Stat("chain.bcp"); err != nil {
		succeed(t, line("solve --env chain --out chain.bcp")...)
	}
	data, err := os.ReadFile("chain.bcp")
	if err != nil {
		t.Fatal(err)
	}
	folder := args[slices.Index(args, "--folder")+1]
	_ = os.Mkdir(folder, 0o700)
	if err := os.WriteFile(filepath.Join(folder, "one.bcp"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove("board.html")
}
