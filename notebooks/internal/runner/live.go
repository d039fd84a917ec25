package runner

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// livePageNames are the names of the live pages, in the order of the index. Each has its
// text in notebooks/live/pages/NAME.html and its script in NAME.js.
var livePageNames = []string{"tiger", "room", "simplex", "algorithm", "covers"}

// liveVerb is the verb live.
func (s *Session) liveVerb(ctx context.Context, c command) error {
	out, err := s.outFolder(c.opt)
	if err == nil {
		err = s.writeLive(ctx, out)
	}
	return err
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
	exec, failed := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	worker, err := os.ReadFile(filepath.Join(s.liveSource(), "pages", "worker.js"))
	if err = cmp.Or(failed, err); err != nil {
		return nil, fmt.Errorf("the worker of the live pages: %w", err)
	}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that there is
	z.Write(wasm)                                              // to memory, without an error
	z.Close()
	program64 := base64.StdEncoding.EncodeToString(packed.Bytes())
	script, err := json.Marshal(map[string]string{"worker": string(exec) + string(worker), "program": program64})
	return fmt.Appendf(nil, "const solver = %s;\n", script), err
}

// livePages returns the pages by file name, with links to the pages of notebooks that are
// in out.
func (s *Session) livePages(out string) (map[string][]byte, error) {
	source := func(name string) string { return filepath.Join(s.liveSource(), "pages", name) }
	read := func(name string) (string, error) {
		text, err := os.ReadFile(source(name))
		return strings.ReplaceAll(string(text), "\r\n", "\n"), err // as a browser reads it
	}
	style, failed := read("style.css")
	common, err := read("live.js")
	if err = cmp.Or(failed, err); err != nil {
		return nil, err
	}
	link := func(name string) string {
		page := name + ".html"
		if _, err := os.Stat(filepath.Join(out, page)); err != nil {
			return "<b>" + name + "</b>"
		}
		return fmt.Sprintf(`<a href="../%s">%s</a>`, page, name)
	}
	files := make(map[string][]byte)
	var list []map[string]string // of the pages, for the index
	for _, name := range append(slices.Clone(livePageNames), "index") {
		t, err := template.New("page.html").Funcs(template.FuncMap{"notebook": link}).ParseFiles(source("page.html"), source(name+".html"))
		if err != nil {
			return nil, err
		}
		script := ""
		if name != "index" {
			own, err := read(name + ".js")
			if err != nil {
				return nil, err
			}
			script = common + own
		}
		var page, title, sentence bytes.Buffer
		err = t.Execute(&page, map[string]any{"Style": style, "Policy": livePolicy(script), "Script": script, "Pages": list})
		if err == nil && name != "index" {
			err = cmp.Or(t.ExecuteTemplate(&title, "title", nil), t.ExecuteTemplate(&sentence, "sentence", nil))
		}
		if err != nil {
			return nil, err
		}
		files[name+".html"] = page.Bytes()
		list = append(list, map[string]string{"Name": name, "Title": title.String(), "Sentence": sentence.String()})
	}
	return files, nil
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
