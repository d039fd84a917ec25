package runner

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
)

// livePageNames are the names of the live pages, in the order of the index. Each has its
// text in notebooks/live/pages/NAME.html and its script in NAME.js.
var livePageNames = []string{"tiger", "room", "simplex", "algorithm", "covers"}

// liveVerb is the verb live.
func (s *Session) liveVerb(ctx context.Context, c command) error {
	out, err := s.outFolder(c.opt)
	if err != nil {
		return err
	}
	return s.writeLive(ctx, out)
}

// writeLive builds the live pages into the folder live below out. Pages of executed
// notebooks that are in out are linked to.
func (s *Session) writeLive(ctx context.Context, out string) error {
	solver, err := s.liveSolver(ctx)
	if err != nil {
		return err
	}
	dir := filepath.Join(out, "live")
	files, err := s.livePages(out)
	if err != nil {
		return fmt.Errorf("making the live pages: %w", err)
	}
	files["solver.js"] = solver
	size := 0
	for name, data := range files {
		if err := writeFile(filepath.Join(dir, name), data); err != nil {
			return err
		}
		size += len(data)
	}
	s.line("the live pages are %s (%.1f MB in %d files)", s.short(filepath.Join(dir, "index.html")), float64(size)/1e6, len(files))
	return nil
}

// liveSource is the folder of the sources of the live pages.
func (s *Session) liveSource() string { return filepath.Join(s.Root, "notebooks", "live") }

// liveSolver returns the script that all live pages share: the script of their worker, and
// the program for WebAssembly, gzipped and in base64. A page from disk may load scripts, and
// nothing else.
func (s *Session) liveSolver(ctx context.Context) ([]byte, error) {
	temp, err := os.MkdirTemp("", "bayescpace-live-")
	if err != nil {
		return nil, fmt.Errorf("building the solver of the live pages: %w", err)
	}
	defer os.RemoveAll(temp)
	program := filepath.Join(temp, "live.wasm")
	// The user's flags may be such as WebAssembly does not take (-race). An empty variable
	// would let those of "go env -w GOFLAGS" through.
	e := CurrentEnviron().With("GOOS", "js").With("GOARCH", "wasm").With("GOFLAGS", "-buildvcs=auto")
	if _, err := goCommand(ctx, s.Root, e, "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./notebooks/live"); err != nil {
		return nil, fmt.Errorf("building the solver of the live pages: %w", err)
	}
	root, err := goCommand(ctx, s.Root, e, "env", "GOROOT")
	if err != nil {
		return nil, fmt.Errorf("finding Go's wasm_exec.js: %w", err)
	}
	wasm, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var worker []byte
	for _, path := range []string{filepath.Join(root, "lib", "wasm", "wasm_exec.js"), filepath.Join(s.liveSource(), "pages", "worker.js")} {
		script, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("the worker of the live pages: %w", err)
		}
		worker = append(worker, script...)
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(wasm)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("packing the solver of the live pages: %w", err)
	}
	script, err := json.Marshal(map[string]string{"worker": string(worker), "program": base64.StdEncoding.EncodeToString(packed.Bytes())})
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "const solver = %s;\n", script), nil
}

// goCommand returns what a go command prints, without the end of its line.
func goCommand(ctx context.Context, dir string, e Environ, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, e.List()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := run(cmd); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

// liveIndex is a page as the index shows it.
type liveIndex struct{ Name, Title, Sentence string }

// livePages returns the pages by file name, with links to the pages of notebooks that are
// in out.
func (s *Session) livePages(out string) (map[string][]byte, error) {
	source := func(name string) string { return filepath.Join(s.liveSource(), "pages", name) }
	scripts := make(map[string]string)
	for _, name := range append([]string{"style.css", "live.js"}, livePageNames...) {
		file := name
		if filepath.Ext(name) == "" {
			file += ".js"
		}
		text, err := os.ReadFile(source(file))
		if err != nil {
			return nil, err
		}
		scripts[name] = strings.ReplaceAll(string(text), "\r\n", "\n") // as a browser reads it
	}
	parse := func(name string) (*template.Template, error) {
		return template.New("page.html").Funcs(template.FuncMap{"notebook": func(name string) string {
			page := name + ".html"
			if _, err := os.Stat(filepath.Join(out, page)); err != nil {
				return "<b>" + name + "</b>"
			}
			return fmt.Sprintf(`<a href="../%s">%s</a>`, page, name)
		}}).ParseFiles(source("page.html"), source(name+".html"))
	}
	files := make(map[string][]byte)
	write := func(name string, t *template.Template, data any) error {
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
			return err
		}
		files[name+".html"] = b.Bytes()
		return nil
	}
	var index []liveIndex
	for _, name := range livePageNames {
		t, err := parse(name)
		if err != nil {
			return nil, err
		}
		script := scripts["live.js"] + scripts[name]
		if err := write(name, t, map[string]any{"Style": scripts["style.css"], "Script": script, "Policy": livePolicy(script)}); err != nil {
			return nil, err
		}
		entry := liveIndex{Name: name}
		for block, into := range map[string]*string{"title": &entry.Title, "sentence": &entry.Sentence} {
			var b strings.Builder
			if err := t.ExecuteTemplate(&b, block, nil); err != nil {
				return nil, err
			}
			*into = b.String()
		}
		index = append(index, entry)
	}
	t, err := parse("index")
	if err != nil {
		return nil, err
	}
	return files, write("index", t, map[string]any{"Style": scripts["style.css"], "Pages": index, "Policy": livePolicy("")})
}

// livePolicy is the Content-Security-Policy of a page: it sends nothing anywhere. The script
// within a page runs by its hash. It loads solver.js, from a server ('self') or from disk,
// where a page has no origin (file:), and makes the worker of a blob, which compiles
// WebAssembly under the same policy.
func livePolicy(script string) string {
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data:"
	if script != "" {
		hash := sha256.Sum256([]byte(script))
		policy += "; script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "' 'self' file: 'wasm-unsafe-eval'; worker-src blob:"
	}
	return policy
}
