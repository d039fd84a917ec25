//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakePython stands in for an interpreter: it answers the questions of
// set-up, makes virtual environments that hold itself, and writes what it was
// asked to do into calls.
const fakePython = `#!/bin/sh
version=%s venv=%s pip=%s calls=%s
case "$*" in
*ensurepip*) echo $version; echo $venv;;
*-m\ venv*) for dir; do :; done; echo venv >>"$calls"; mkdir -p "$dir/bin"; cp "$0" "$dir/bin/python";;
*-m\ pip*) echo pip >>"$calls"; eval "$pip";;
*sys.version*) echo $version;;
esac
`

// fakeGo makes empty tools.
const fakeGo = `#!/bin/sh
case "$1" in
install) echo "go $1 $2" >>%s; eval %s; touch "$GOBIN/gonb" "$GOBIN/goimports" "$GOBIN/kernel";;
esac
`

// never is a shell command that ends only when it is killed.
const never = "exec sleep 600"

// fakes is a PATH of fake programs and a private folder for them.
type fakes struct {
	t          *testing.T
	path       string
	calls      string
	where      Place
	pip, build string // shell commands of "pip install" and "go install"
}

func newFakes(t *testing.T) *fakes {
	where, err := FindPlace(".")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakes{t: t, path: t.TempDir(), where: where, pip: "true", build: "true"}
	f.where.Private = filepath.Join(t.TempDir(), "private")
	f.calls = filepath.Join(f.path, "calls")
	t.Setenv("PATH", f.path+":/usr/bin:/bin")
	return f
}

// install puts a fake on the PATH.
func (f *fakes) install(name, script string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.path, name), []byte(script), 0o755); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fakes) python(name, version, venv string) {
	f.install(name, fmt.Sprintf(fakePython, version, venv, quote(f.pip), f.calls))
}

func (f *fakes) golang() {
	f.install("go", fmt.Sprintf(fakeGo, f.calls, quote(f.build)))
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Setup runs set-up with the fakes, and returns what it printed.
func (f *fakes) setup(ctx context.Context) (string, error) {
	var out bytes.Buffer
	err := NewSession(f.where, &out).Setup(ctx, ProfileRun)
	return out.String(), err
}

// called returns how often each fake did its work.
func (f *fakes) called() string {
	calls, _ := os.ReadFile(f.calls)
	os.Remove(f.calls)
	return strings.Join(strings.Fields(string(calls)), " ")
}

// hideOthers makes all other Python names fail as a version manager's stubs do,
// as the machine may have real ones in /usr/bin.
func (f *fakes) hideOthers() {
	for _, name := range pythonNames {
		if _, err := os.Stat(filepath.Join(f.path, name)); err != nil {
			f.install(name, "#!/bin/sh\nexit 127\n")
		}
	}
}

func TestFindPython(t *testing.T) {
	for _, c := range []struct {
		name    string
		pythons [][3]string // name, version, venv or no-venv
		want    string      // the name chosen, or
		says    string      // a part of the error
	}{
		{"none", nil, "", "no Python is on PATH"},
		{"too old", [][3]string{{"python3", "3.9.18", "venv"}, {"python", "2.7.18", "no-venv"}}, "", "no Python 3.10 or newer is on PATH (/"},
		{"no venv", [][3]string{{"python3", "3.11.2", "no-venv"}}, "", "apt install python3-venv"},
		{"default", [][3]string{{"python3", "3.11.2", "venv"}, {"python3.12", "3.12.1", "venv"}}, "python3", ""},
		{"newer beside old", [][3]string{{"python3", "3.9.1", "venv"}, {"python3.12", "3.12.1", "venv"}}, "python3.12", ""},
		{"venv in another", [][3]string{{"python3", "3.13.1", "no-venv"}, {"python3.10", "3.10.1", "venv"}}, "python3.10", ""},
		{"only python", [][3]string{{"python", "3.14.0", "venv"}}, "python", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakes(t)
			for _, p := range c.pythons {
				f.python(p[0], p[1], p[2])
			}
			f.hideOthers()
			got, err := findPython(t.Context())
			if c.want != "" {
				if err != nil || got != filepath.Join(f.path, c.want) {
					t.Errorf("got %s, %v; want %s", got, err, c.want)
				}
			} else if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %s, %v; want an error with %q", got, err, c.says)
			}
		})
	}
}

func TestSetupTwice(t *testing.T) {
	f := newFakes(t)
	f.python("python3", "3.12.1", "venv")
	f.golang()
	out, err := f.setup(t.Context())
	if err != nil || !strings.Contains(out, "set up in") {
		t.Fatalf("%v\n%s", err, out)
	}
	if c := f.called(); strings.Count(c, "venv") != 1 || strings.Count(c, "pip") != 1 || strings.Count(c, "go install tool") != 1 {
		t.Errorf("the first set-up called %q", c)
	}
	if out, err := f.setup(t.Context()); err != nil || out != "" || f.called() != "" {
		t.Errorf("the second set-up did something: %v\n%s", err, out)
	}
}

// Whatever set-up made is made again when it is gone, broken, or for another place.
func TestSetupMends(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(f *fakes) error
		want  string // the calls, in order of the alphabet
	}{
		{"no venv", func(f *fakes) error { return os.RemoveAll(f.where.venv()) }, "pip venv"},
		{"broken venv", func(f *fakes) error { return os.WriteFile(f.where.python(), []byte("#!/nowhere\n"), 0o755) }, "pip venv"},
		{"upgraded Python", func(f *fakes) error {
			f.python("python3", "3.12.2", "venv")
			return os.WriteFile(f.where.python(), []byte("#!/bin/sh\necho 3.12.2\n"), 0o755)
		}, "pip venv"},
		{"no gonb", func(f *fakes) error { return os.Remove(filepath.Join(f.where.bin(), "gonb")) }, "go"},
		{"no spec", func(f *fakes) error { return os.RemoveAll(f.where.kernelspec()) }, "go"},
		{"no stamps", func(f *fakes) error { return os.RemoveAll(f.where.stamp("")) }, "go pip venv"},
		{"garbled stamp", func(f *fakes) error { return os.WriteFile(f.where.stamp("python"), []byte("garble"), 0o644) }, "pip venv"},
		{"moved", func(f *fakes) error {
			old := f.where.Private
			f.where.Private += "-moved"
			return os.Rename(old, f.where.Private)
		}, "go pip venv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakes(t)
			f.python("python3", "3.12.1", "venv")
			f.golang()
			if out, err := f.setup(t.Context()); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			f.called()
			if err := c.spoil(f); err != nil {
				t.Fatal(err)
			}
			if out, err := f.setup(t.Context()); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := f.called()
			for _, word := range []string{"venv", "pip", "go"} {
				if strings.Contains(got, word) != strings.Contains(c.want, word) {
					t.Errorf("called %q, want %q", got, c.want)
				}
			}
			if out, err := f.setup(t.Context()); err != nil || out != "" {
				t.Errorf("not mended: %v\n%s", err, out)
			}
		})
	}
}

func TestSetupErrors(t *testing.T) {
	const unreachable = `echo "WARNING: Retrying after NewConnectionError: Failed to establish a new connection: [Errno -3]"; echo "ERROR: No matching distribution found for attrs==26.1.0"; exit 1`
	for _, c := range []struct {
		name       string
		pip, build string
		says       []string
	}{
		{"pip offline", unreachable, never, []string{"pip could not reach the package index", "check the network", filepath.Join("logs", "python.log")}},
		{"pip fails", `echo "ERROR: No space left on device"; exit 1`, never, []string{"pip failed: No space left on device", "python.log"}},
		{"pip's file is another", `printf "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. Examine them.\n    attrs==26.1.0 from somewhere\n        Expected sha256 00\n"; exit 1`, never, []string{"pip got another file for attrs==26.1.0 than", "requirements*.txt", "python.log"}},
		{"go offline", never, `echo "dial tcp: lookup host: no such host" >&2; exit 1`, []string{"could not reach the module proxy", "kernel.log"}},
		{"go fails", never, `echo "internal compiler error" >&2; exit 2`, []string{"go install tool failed", "internal compiler error", "kernel.log"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakes(t)
			f.pip, f.build = c.pip, c.build
			f.python("python3", "3.12.1", "venv")
			f.golang()
			_, err := f.setup(t.Context()) // does not wait for the other chain
			if err == nil {
				t.Fatal("no error")
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			for _, words := range c.says {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q does not say %q", err, words)
				}
			}
			// What failed is done again, and then it is done.
			f.pip, f.build = "true", "true"
			f.python("python3", "3.12.1", "venv")
			f.golang()
			if out, err := f.setup(t.Context()); err != nil || out == "" {
				t.Errorf("after the failure: %v\n%s", err, out)
			}
		})
	}
}

// Python itself tells what is wrong with the place, such as a colon in its name.
func TestSetupVenvFails(t *testing.T) {
	f := newFakes(t)
	f.build = never
	f.golang()
	f.install("python3", "#!/bin/sh\ncase \"$*\" in\n*ensurepip*) echo 3.12.1; echo venv;;\n*) echo 'Error: Refusing to create a venv'; exit 1;;\nesac\n")
	if _, err := f.setup(t.Context()); err == nil || !strings.Contains(err.Error(), "-m venv failed: exit status 1: Error: Refusing to create a venv (") {
		t.Errorf("got %v", err)
	}
}

func TestSetupWhereNothingCanBeWritten(t *testing.T) {
	f := newFakes(t)
	file := filepath.Join(t.TempDir(), "file") // not even root makes a folder below a file
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f.where.Private = filepath.Join(file, ".bayescpace")
	if _, err := f.setup(t.Context()); err == nil || !strings.Contains(err.Error(), f.where.Private) || !strings.Contains(err.Error(), "clone to a folder of your own") {
		t.Errorf("got %v", err)
	}
}

func TestSetupWithoutGo(t *testing.T) {
	f := newFakes(t)
	f.python("python3", "3.12.1", "venv")
	t.Setenv("PATH", f.path)
	if _, err := f.setup(t.Context()); err == nil || !strings.Contains(err.Error(), "go command is not on PATH") {
		t.Errorf("got %v", err)
	}
}

// A set-up that was cut short has no stamp for the step that it was in.
//
//test:race
func TestSetupInterrupted(t *testing.T) {
	f := newFakes(t)
	f.pip = never
	f.python("python3", "3.12.1", "venv")
	f.golang()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // once pip is at work and the other chain is done
		for ctx.Err() == nil {
			calls, _ := os.ReadFile(f.calls)
			if strings.Contains(string(calls), "pip") && stampOf(f.where, "warm-first") != "" {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if _, err := f.setup(ctx); !errors.Is(err, context.Canceled) { // does not wait for pip
		t.Errorf("got %v", err)
	}
	if python, kernel := stampOf(f.where, "python"), stampOf(f.where, "kernel"); python != "" || kernel == "" {
		t.Errorf("stamps %q of python and %q of the kernel; want one for the kernel alone", python, kernel)
	}
	f.called()
	f.pip = "true"
	f.python("python3", "3.12.1", "venv")
	if out, err := f.setup(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if c := f.called(); strings.Contains(c, "go install") || !strings.Contains(c, "venv") {
		t.Errorf("called %q; want python's steps only", c)
	}
}

// onWaiting calls itself when it is told that a runner waits.
type onWaiting func()

func (f onWaiting) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "waiting for ") {
		f()
	}
	return len(p), nil
}

// Two runners that start together do each step once, and the second says that it waits.
//
//test:race
func TestSetupTogether(t *testing.T) {
	f := newFakes(t)
	waits := filepath.Join(t.TempDir(), "waits")
	f.pip = "until [ -e " + waits + " ]; do sleep 0.01; done"
	f.python("python3", "3.12.1", "venv")
	f.golang()
	outs := make([]string, 2)
	var both sync.WaitGroup
	for i := range outs {
		both.Add(1)
		go func() {
			defer both.Done()
			var out bytes.Buffer
			waiting := onWaiting(func() {
				if err := os.WriteFile(waits, nil, 0o644); err != nil {
					t.Error(err)
				}
			})
			if err := NewSession(f.where, io.MultiWriter(&out, waiting)).Setup(t.Context(), ProfileRun); err != nil {
				t.Errorf("runner %d: %v", i, err)
			}
			outs[i] = out.String()
		}()
	}
	both.Wait()
	if all := outs[0] + outs[1]; strings.Count(all, "waiting for another run of go run ./notebooks") != 1 || strings.Count(all, "set up in") != 1 {
		t.Errorf("printed %q", outs)
	}
	if c := f.called(); strings.Count(c, "venv") != 1 || strings.Count(c, "go install tool") != 1 {
		t.Errorf("called %q", c)
	}
}

// Making the virtual environment anew takes JupyterLab with it.
func TestStepsUndo(t *testing.T) {
	s := NewSession(Place{Private: t.TempDir()}, io.Discard)
	if err := s.makePrivate(); err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{"lab": "1", "python": "old", "kernel": "1"} {
		if err := writeFile(s.stamp(name), []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	st := step{
		name: "python", what: "python", undoes: []string{"lab"},
		key: func(context.Context) (string, error) { return "new", nil },
		run: func(context.Context, io.Writer) error { return nil },
	}
	if err := s.runChains(t.Context(), [][]step{{st}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"lab": "", "python": "new", "kernel": "1"} {
		if got := stampOf(s.Place, name); got != want {
			t.Errorf("the stamp of %s is %q, want %q", name, got, want)
		}
	}
}

// stampOf is what is in the stamp of a step, "" where it has none.
func stampOf(p Place, step string) string {
	text, _ := os.ReadFile(p.stamp(step))
	return string(text)
}

// JupyterLab opens as soon as there is a kernel; the rest is left to a low priority.
func TestWhatLabWaitsFor(t *testing.T) {
	s := NewSession(Place{Root: t.TempDir(), Private: t.TempDir()}, io.Discard)
	for later, want := range map[bool]string{false: "python lab kernel", true: "warm gopls"} {
		var names []string
		for _, chain := range parts(s.chains(ProfileLab), later) {
			for _, st := range chain {
				names = append(names, st.name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("later %v: %s, want %s", later, got, want)
		}
	}
	usual, err := s.command(t.Context(), io.Discard, "nice")
	if err != nil {
		t.Fatal(err)
	}
	s.behind = true
	if got, err := s.command(t.Context(), io.Discard, "nice"); err != nil || got == usual {
		t.Errorf("behind JupyterLab a command has the priority %q, %v", got, err)
	}
}

// Grading waits for nothing that only an editor needs.
func TestGradingDoesNotWaitForGopls(t *testing.T) {
	s := NewSession(Place{Root: t.TempDir(), Private: t.TempDir()}, io.Discard)
	var names []string
	for _, chain := range s.chains(ProfileGrader) {
		for _, st := range chain {
			names = append(names, st.name)
		}
	}
	if got, want := strings.Join(names, " "), "python lab nbgrader kernel warm"; got != want {
		t.Errorf("grading waits for %s, want %s", got, want)
	}
}

// A kernel is built again when a source of any package in it changes.
func TestKernelSources(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", "bayescpace/notebooks/kernel")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, path := range strings.Fields(string(out)) {
		folders = append(folders, strings.TrimPrefix(path, "bayescpace/"))
	}
	slices.Sort(folders)
	if !slices.Equal(kernelSources, folders) {
		t.Errorf("the kernel is built of %q, want %q", folders, kernelSources)
	}
}

// The user's own Jupyter knows the kernel by a link, which set-up makes and takes away.
func TestRegisterKernel(t *testing.T) {
	home := t.TempDir()
	var out bytes.Buffer
	s := NewSession(Place{Private: t.TempDir()}, &out)
	if err := writeFile(s.python(), []byte("#!/bin/sh\necho "+quote(home)+"\n")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.python(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(s.kernelspec(), "kernel.json"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(home, "kernels", kernelName)
	for _, where := range []string{kernelNone, kernelUser, kernelUser, kernelNone, kernelUser} {
		if err := s.registerKernel(t.Context(), where); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		if _, err := os.Stat(filepath.Join(link, "kernel.json")); (err == nil) != (where == kernelUser) {
			t.Errorf("after %s: %v", where, err)
		}
	}
	if !strings.Contains(out.String(), link) {
		t.Errorf("it says %q and does not name %s", &out, link)
	}
	// A link to a clone that is gone is none; a folder is somebody else's.
	for _, spoil := range []func() error{
		func() error { return os.Symlink("/nowhere/"+kernelName, link) },
		func() error { return os.MkdirAll(link, 0o755) },
	} {
		if err := os.RemoveAll(link); err != nil {
			t.Fatal(err)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		err := s.registerKernel(t.Context(), kernelUser)
		_, read := os.Readlink(link)
		if (err == nil) != (read == nil) || err != nil && !strings.Contains(err.Error(), link) {
			t.Errorf("got %v; the link: %v", err, read)
		}
	}
}
