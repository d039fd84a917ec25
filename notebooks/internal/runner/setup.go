package runner

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"bayescpace/notebooks/internal/cells"
	"bayescpace/notebooks/internal/host"
)

// setupVersion is part of every key: raise it when a step changes what it makes.
const setupVersion = "1"

// Profile is how much set-up a verb needs.
type Profile int

const (
	ProfileRun    Profile = iota // execute and export notebooks
	ProfileLab                   // and edit them in JupyterLab
	ProfileGrader                // and hand out and grade assignments
)

// step is one part of set-up.
type step struct {
	name string // in the stamps, the log's file name and, in messages, for people
	what string // what a person reads while it runs
	// key tells what the step's result depends on; an error means that the
	// result is not there, or broken.
	key    func(context.Context) (string, error)
	run    func(context.Context, io.Writer) error
	undoes []string // names steps whose results go when this one is done again
	later  bool     // JupyterLab opens without it
}

// prepare completes the environment once, and tells what it had to move.
func (s *Session) prepare(ctx context.Context) error {
	if s.prepared {
		return nil
	}
	if err := cmp.Or(s.makePrivate(), s.writeScripts()); err != nil {
		return err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("the go command is not on PATH, and every cell is compiled with it: add its folder to PATH, then run this again")
	}
	note, err := goSettings(ctx, s.Place, s.Env)
	if note != "" {
		s.line("note: %s", note)
	}
	s.prepared = err == nil
	return err
}

// Setup makes the private folder fit for the profile. When it is already, it
// does nothing, prints nothing and needs no network. Only one process sets up
// at a time; steps done before, by another process or by a set-up that was
// cut short, are kept.
func (s *Session) Setup(ctx context.Context, prof Profile) error { return s.setUp(ctx, s.chains(prof)) }

// use is Setup, and keeps others from setting up anew, below a running kernel, until unlock.
func (s *Session) use(ctx context.Context, prof Profile) (unlock func(), err error) {
	if err := s.Setup(ctx, prof); err != nil {
		return nil, err
	}
	return host.LockFolder(ctx, s.Private, "lock", false, func() { s.line("waiting for another run of go run ./notebooks to finish its set-up") })
}

// parts returns the steps that JupyterLab opens without, or the others.
func parts(chains [][]step, later bool) [][]step {
	for i := range chains {
		chains[i] = slices.DeleteFunc(chains[i], func(st step) bool { return st.later != later })
	}
	return chains
}

// setUp does the steps that are not done yet. Behind JupyterLab it waits for one that does the same, and for no other set-up.
func (s *Session) setUp(ctx context.Context, chains [][]step) error {
	if err := s.prepare(ctx); err != nil || !s.stale(ctx, chains) {
		return err
	}
	lock := "lock"
	if s.behind {
		lock = "later.lock"
	}
	unlock, err := host.LockFolder(ctx, s.Private, lock, true, func() {
		if !s.behind {
			s.line("waiting for another run of go run ./notebooks to finish, as it uses what is to be set up anew (it holds %s)", s.short(filepath.Join(s.Private, lock)))
		}
	})
	if err != nil {
		return err
	}
	defer unlock()
	if s.behind || !s.stale(ctx, chains) { // the other process may have done it meanwhile
		return s.runChains(ctx, chains)
	}
	begin := time.Now()
	s.line("setting up in %s; only the first time takes minutes and needs the network", s.short(s.Private))
	if err = s.runChains(ctx, chains); err == nil {
		s.line("set up in %s", seconds(time.Since(begin)))
	}
	return err
}

// chains returns the steps of a profile: the chains run side by side, and the
// steps of each one after the other.
func (s *Session) chains(prof Profile) [][]step {
	// One pip installs all that the profile needs; the steps behind it find it there.
	python := []step{{
		name: "python", what: "Python packages (" + []string{"nbclient, nbconvert", "JupyterLab", "JupyterLab, nbgrader"}[prof] + ")",
		key:    s.venvKey(ProfileRun),
		run:    func(ctx context.Context, log io.Writer) error { return s.makeVenv(ctx, log, prof) },
		undoes: []string{"lab", "nbgrader"},
	}}
	golang := []step{{name: "kernel", what: "the Go kernel (gonb, goimports)", key: s.kernelKey, run: s.makeKernel}}
	// Who executes the first notebook waits for what that imports alone.
	warm, what, first := "warm", "compiling what notebooks import", prof == ProfileRun
	if first {
		warm, what = "warm-first", "compiling what the first notebook imports"
	}
	golang = append(golang, step{
		name: warm, what: what, later: true,
		key: func(context.Context) (string, error) { return s.warmKey(first) },
		run: func(ctx context.Context, log io.Writer) error { return s.warm(ctx, log, first) },
	})
	if prof >= ProfileLab {
		python = append(python, step{
			name: "lab", what: "JupyterLab", run: s.addLab, undoes: []string{"nbgrader"},
			key: func(ctx context.Context) (string, error) {
				k, err := s.venvKey(ProfileLab)(ctx)
				return key(k, labOverrides, serverConfig, exportTemplate, exportTemplateSettings, labExtension()), err
			},
		})
	}
	if prof == ProfileLab { // grading completes nothing; JupyterLab with nbgrader's panels installs it while it runs
		golang = append(golang, step{
			name: "gopls", what: "gopls, for completion and help", later: true,
			key: func(context.Context) (string, error) {
				return key(setupVersion, goplsVersion, runtime.Version()), present(filepath.Join(s.labBin(), "gopls"))
			},
			run: func(ctx context.Context, log io.Writer) error {
				// Not where the kernel's programs are: GoNB would start it.
				return s.goInstall(ctx, log, s.labBin(), "golang.org/x/tools/gopls@"+goplsVersion)
			},
		})
	}
	if prof >= ProfileGrader {
		python = append(python, step{
			name: "nbgrader", what: "nbgrader", key: s.venvKey(ProfileGrader),
			run: func(ctx context.Context, log io.Writer) error { return s.pip(ctx, log, ProfileGrader) },
		})
	}
	return [][]step{python, golang}
}

// done reports whether a step's result is there, for what it depends on now.
func (s *Session) done(ctx context.Context, st step) bool {
	k, err := st.key(ctx)
	was, missing := os.ReadFile(s.stamp(st.name))
	return err == nil && missing == nil && string(was) == k
}

// stale reports whether any step has to be done.
func (s *Session) stale(ctx context.Context, chains [][]step) bool {
	return slices.ContainsFunc(slices.Concat(chains...), func(st step) bool { return !s.done(ctx, st) })
}

// runChains does the steps that are not done yet.
func (s *Session) runChains(ctx context.Context, chains [][]step) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !s.behind { // JupyterLab prints what it does there
		defer s.during()()
	}
	var all sync.WaitGroup
	for _, chain := range chains {
		all.Go(func() {
			for _, st := range chain {
				if s.done(ctx, st) {
					continue
				}
				if err := s.do(ctx, st); err != nil {
					cancel(err) // the first one is the cause that is told
					return
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// do does a step, and gives it a stamp.
func (s *Session) do(ctx context.Context, st step) error {
	for _, name := range append([]string{st.name}, st.undoes...) {
		if err := os.RemoveAll(s.stamp(name)); err != nil {
			return fmt.Errorf("removing the stamp of a step of set-up: %w", err)
		}
	}
	begin := time.Now()
	s.at(st.what, "")
	defer s.end(st.what)
	if s.behind {
		s.line("  while you work: %s", st.what)
	}
	if err := s.logged(ctx, st); err != nil {
		return err
	}
	k, err := st.key(ctx)
	if err != nil {
		return fmt.Errorf("set-up of %s ended without an error, but its result is not there: %w", st.what, err)
	}
	s.line("  %-60s %8s", st.what, seconds(time.Since(begin)))
	return writeFile(s.stamp(st.name), []byte(k))
}

// logged does a step with its output in a log file, and names that in its error.
func (s *Session) logged(ctx context.Context, st step) error {
	path := filepath.Join(s.logs(), st.name+".log")
	log, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("starting the log of %s: %w", st.what, err)
	}
	defer log.Close()
	if err := st.run(ctx, log); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("setting up %s: %w (the full log is %s)", st.what, err, s.short(path))
	}
	return nil
}

// venvKey depends on where the environment is, as it holds absolute paths, and
// on its Python, which may go or change when the system is upgraded.
func (s *Session) venvKey(prof Profile) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		version, err := exec.CommandContext(ctx, s.python(), "-I", "-S", "-c", "import sys; print(sys.version)").Output()
		content, missing := fileKey(s.requirements(prof)...)
		return key(setupVersion, s.Private, strings.TrimSpace(string(version)), content), cmp.Or(err, missing)
	}
}

// requirements are the lists of Python packages of a profile. Each installs those of the profiles before it too.
func (s *Session) requirements(prof Profile) (paths []string) {
	for _, name := range []string{"requirements.txt", "requirements-lab.txt", "requirements-nbgrader.txt"}[:prof+1] {
		paths = append(paths, filepath.Join(s.Root, "notebooks", name))
	}
	return paths
}

func (s *Session) makeVenv(ctx context.Context, log io.Writer, prof Profile) error {
	python, err := findPython(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(s.venv()); err != nil {
		return fmt.Errorf("removing the old virtual environment: %w", err)
	}
	if said, err := s.command(ctx, log, python, "-I", "-m", "venv", s.venv()); err != nil {
		return fmt.Errorf("%s -m venv failed: %w: %s", python, err, lastLine(said))
	}
	return s.pip(ctx, log, prof)
}

// labOverrides answers what JupyterLab asks at its first start. Pages in Markdown are shown as they are to be read, and the list of
// files has room for whole names.
// It gives up on completions after a second, and gopls may have to read packages first.
//
//go:embed overrides.json
var labOverrides string

// serverConfig is for every Jupyter of the environment, however it is started.
// JupyterLab would otherwise pass over the only message by which GoNB says that
// it is idle, take the kernel's state for unknown, and run no cell.
// What JupyterLab exports as HTML is as exportTemplate has it.
const serverConfig = `{"MappingKernelManager": {"default_kernel_name": "` + kernelName + `", "untracked_message_types": []},
"HTMLExporter": {"template_name": "bayescpace"}, "SlidesExporter": {"template_name": "reveal"}}
`

// exportTemplate is the usual template of a page but that images have what the kernel
// says of them in words as their description, as those of run have it.
//
//go:embed index.html.j2
var exportTemplate string

const exportTemplateSettings = `{"base_template": "lab", "mimetypes": {"text/html": true}}
`

// labExtensionPackage and labExtension are an extension of JupyterLab that describes and
// saves figures, see labextension.js.
const labExtensionPackage = `{"name": "bayescpace-figures", "version": "1.0.0", "jupyterlab": {"_build": {"load": "static/figures.js", "mimeExtension": "./mime"}}}
`

//go:embed labextension.js
var labExtensionJS string

func labExtension() string {
	figures, _ := scripts.ReadFile("figures.js") // which is built in
	return string(figures) + labExtensionJS
}

// addLab installs JupyterLab into the virtual environment and sets what its
// user would otherwise be asked at the first start.
func (s *Session) addLab(ctx context.Context, log io.Writer) error {
	if err := s.pip(ctx, log, ProfileLab); err != nil {
		return err
	}
	return writeFiles(s.venv(), map[string]string{
		"share/jupyter/lab/settings/overrides.json":                        labOverrides,
		"etc/jupyter/jupyter_server_config.json":                           serverConfig,
		"share/jupyter/nbconvert/templates/bayescpace/conf.json":           exportTemplateSettings,
		"share/jupyter/nbconvert/templates/bayescpace/index.html.j2":       exportTemplate,
		"share/jupyter/labextensions/bayescpace-figures/package.json":      labExtensionPackage,
		"share/jupyter/labextensions/bayescpace-figures/static/figures.js": labExtension(),
	})
}

func (s *Session) pip(ctx context.Context, log io.Writer, prof Profile) error {
	// The requirements are the whole closure, so that there is nothing to resolve;
	// pip would also refuse to take the pinned package for one with an extra.
	args := []string{s.python(), "-m", "pip", "install", "--no-deps", "--require-hashes", "--disable-pip-version-check", "--no-input", "--retries", "2"}
	for _, path := range s.requirements(prof) {
		args = append(args, "-r", path)
	}
	if said, err := s.command(ctx, log, args...); err != nil {
		return pipError(err, said)
	}
	return nil
}

// offline are words by which pip and go say that they reached no server.
var offline = []string{
	"Temporary failure in name resolution", "Name or service not known", "nodename nor servname", "Failed to establish a new connection",
	"NewConnectionError", "ProxyError", "Network is unreachable", "network is unreachable", "Connection refused", "connection refused",
	"no such host", "i/o timeout", "ConnectTimeout", "Read timed out", "Max retries exceeded", "module lookup disabled by GOPROXY=off",
}

func looksOffline(output string) bool {
	return slices.ContainsFunc(offline, func(words string) bool { return strings.Contains(output, words) })
}

// pipError makes one line of what pip printed.
func pipError(err error, output string) error {
	if looksOffline(output) {
		return errors.New("pip could not reach the package index: check the network, and PIP_INDEX_URL or the proxy where you use one, then run this again; only the first set-up needs the network")
	}
	lines := strings.Split(output, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES") && i+1 < len(lines) {
			name, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
			return fmt.Errorf("pip got another file for %s than the one whose hash notebooks/requirements*.txt has, and installed nothing of it: check the package index or proxy that pip uses, then run this again", name)
		}
		if strings.HasPrefix(line, "ERROR: ") {
			return fmt.Errorf("pip failed: %.200s", strings.TrimPrefix(line, "ERROR: "))
		}
	}
	return fmt.Errorf("pip failed: %w", err)
}

// kernelSources are the folders of the packages of the kernel that stands before gonb.
var kernelSources = []string{"bcpace/numtext", "notebooks/internal/front", "notebooks/internal/host", "notebooks/kernel"}

// kernelKey depends on go.mod and go.sum, which pin gonb and goimports, and on the
// sources of the kernel.
func (s *Session) kernelKey(context.Context) (string, error) {
	files := []string{filepath.Join(s.Root, "go.mod"), filepath.Join(s.Root, "go.sum")}
	for _, folder := range kernelSources {
		folder = filepath.Join(s.Root, filepath.FromSlash(folder))
		sources, _ := fs.Glob(os.DirFS(folder), "*.*") // with what they embed; of no folder, none
		for _, name := range sources {
			if !strings.HasSuffix(name, "_test.go") {
				files = append(files, filepath.Join(folder, name))
			}
		}
	}
	content, err := fileKey(files...)
	absent := present(filepath.Join(s.bin(), "kernel"), filepath.Join(s.bin(), "gonb"), filepath.Join(s.bin(), "goimports"), filepath.Join(s.kernelspec(), "kernel.json"))
	return key(setupVersion, s.Private, runtime.Version(), content), cmp.Or(err, absent)
}

// makeKernel installs the tools of go.mod and the kernel before them, and writes
// the kernel's spec.
func (s *Session) makeKernel(ctx context.Context, log io.Writer) error {
	for _, what := range []string{"tool", "./notebooks/kernel"} {
		if err := s.goInstall(ctx, log, s.bin(), what); err != nil {
			return err
		}
	}
	// The kernel needs nothing of the environment but a Go on PATH, so that any
	// Jupyter can start it.
	spec := map[string]any{
		"argv":           []string{filepath.Join(s.bin(), "kernel"), "--root", s.Root, "--gopls", filepath.Join(s.labBin(), "gopls"), "{connection_file}"},
		"display_name":   kernelDisplay,
		"language":       "go",
		"interrupt_mode": "message",
	}
	data, _ := json.MarshalIndent(spec, "", "  ") // plain data
	return writeFile(filepath.Join(s.kernelspec(), "kernel.json"), append(data, '\n'))
}

// goInstall installs a program, or all tools of go.mod, into a folder.
func (s *Session) goInstall(ctx context.Context, log io.Writer, folder, what string) error {
	// A kernel that looks for a program meanwhile finds a whole one or none.
	made, err := os.MkdirTemp(s.Private, "install-")
	defer os.RemoveAll(made) // of "", nothing
	if err = cmp.Or(err, os.MkdirAll(folder, 0o755)); err != nil {
		return fmt.Errorf("making the folder for programs: %w", err)
	}
	// The tools must run here, whatever the user cross-compiles to.
	said, err := s.command(ctx, log, "env", "GOBIN="+made, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "go", "install", what)
	if err != nil {
		if looksOffline(said) {
			return fmt.Errorf("go install %s could not reach the module proxy: check the network, and GOPROXY where you use one, then run this again; only the first set-up needs the network", what)
		}
		return fmt.Errorf("go install %s failed: %w: %s", what, err, lastLine(said))
	}
	programs, err := os.ReadDir(made)
	for _, p := range programs {
		if err == nil {
			err = os.Rename(filepath.Join(made, p.Name()), filepath.Join(folder, p.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("putting programs into place: %w", err)
	}
	return nil
}

// warmKey leaves the sources of packages out: they change all the time, and a cell compiles
// what has changed in a moment.
func (s *Session) warmKey(first bool) (string, error) {
	content, missing := fileKey(filepath.Join(s.Root, "go.mod"), filepath.Join(s.Root, "go.sum"))
	imports, err := s.imported(first)
	return key(append(imports, setupVersion, runtime.Version(), s.Env["GOCACHE"], content)...), cmp.Or(missing, err)
}

// imported are the packages that the notebooks and assignments of the clone import, or the
// first notebook alone.
func (s *Session) imported(first bool) ([]string, error) {
	released, err := s.released()
	if err != nil {
		return nil, err
	}
	var sources []string
	for _, name := range slices.Sorted(maps.Keys(released)) {
		nb, err := ReadNotebook(released[name])
		if err != nil { // is told when it is to be executed
			continue
		}
		sources = append(sources, sourcesOf(nb.CodeCells())...)
		if first {
			break
		}
	}
	return cells.Imports(sources), nil
}

// warm compiles what cells import into the build cache, as the first cell would otherwise
// take half a minute. A package that does not compile is for the cells that import it to
// complain about.
func (s *Session) warm(ctx context.Context, log io.Writer, first bool) error {
	imports, err := s.imported(first)
	if err != nil || len(imports) == 0 {
		return err
	}
	if _, err := s.command(ctx, log, append([]string{"go", "build"}, imports...)...); err != nil && ctx.Err() == nil {
		s.line("note: not every package compiles; cells that import those will fail (see the logs in %s)", s.short(s.logs()))
	}
	return ctx.Err()
}

// command runs a program with both its outputs in the log, and returns them. Behind JupyterLab it
// runs with a low priority.
func (s *Session) command(ctx context.Context, log io.Writer, args ...string) (said string, err error) {
	fmt.Fprintf(log, "+ %s\n", strings.Join(args, " "))
	if s.behind {
		args = append([]string{"nice", "-n", "10"}, args...)
	}
	var out strings.Builder
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = s.Root, s.Env.List()
	cmd.Stdout = io.MultiWriter(log, &out)
	cmd.Stderr = cmd.Stdout
	err = host.Run(cmd)
	return out.String(), err
}

// present returns an error naming the first of the files that is not there.
func present(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("looking for what set-up made: %w", err)
		}
	}
	return nil
}
