//go:build unix

package front

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
)

// Helper completes and explains cells. The zero value of its other fields is ready.
type Helper struct {
	Program string // gopls; it may not be there yet
	Root    string // the folder of the module that cells may import
	Folder  string // a folder that is the helper's own

	mu      sync.Mutex // one question at a time
	server  *server
	sent    map[string]string // files as gopls knows them, by their names
	version int               // of the latest
	warming sync.Once

	memory sync.Mutex // guards cells
	cells  cells
}

// ErrAbsent tells that gopls is not installed (yet).
var ErrAbsent = errors.New("gopls is not installed")

// Ran notes a cell that was compiled.
func (h *Helper) Ran(cell string) {
	h.memory.Lock()
	defer h.memory.Unlock()
	h.cells.add(cell)
}

// firstCell imports what cells use most, for gopls to have read it before the first
// question.
const firstCell = `import (
	"%[1]s/bcpace"
	"%[1]s/bcpace/nb"
	"%[1]s/envs"
	"%[1]s/viz"
)
%%%%
nb.
`

// Warm has gopls read what the first question will be about, once.
func (h *Helper) Warm(ctx context.Context) {
	h.warming.Do(func() {
		if module, err := moduleOf(h.Root); err == nil {
			cell := fmt.Sprintf(firstCell, module)
			h.Complete(ctx, cell, len(cell)-1) // a helper that fails now will say so later
		}
	})
}

// End ends gopls.
func (h *Helper) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != nil {
		h.server.end()
	}
}

// Match is one way to go on.
type Match struct {
	Text string // takes the place of the text from Start to End
	Kind string // as JupyterLab names them: function, module, class …
	Type string // its Go type or signature
}

// Completions are ways to go on at a place in a cell.
type Completions struct {
	Start, End int // in characters of the cell
	Matches    []Match
}

// position is a place in a file as the protocol counts: from 0, and columns in
// UTF-16.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Complete returns what could stand at the cursor, which is counted in characters.
func (h *Helper) Complete(ctx context.Context, cell string, cursor int) (c Completions, err error) {
	c.Start, c.End = cursor, cursor
	var list struct {
		Items []struct {
			Label, Detail string
			Kind          int
			TextEdit      struct { // gopls has one for each
				Range   struct{ Start, End position }
				NewText string
			}
		}
	}
	if ok, err := h.ask(ctx, "textDocument/completion", cell, cursor, &list); err != nil || !ok {
		return c, err
	}
	sent := opened(cell)
	for _, item := range list.Items {
		from, to := item.TextEdit.Range.Start, item.TextEdit.Range.End
		from.Line, to.Line = sent.own(from.Line), sent.own(to.Line)
		start, end := offset(cell, from), offset(cell, to)
		if len(c.Matches) == 0 {
			c.Start, c.End = start, end
		}
		if start == c.Start && end == c.End { // Jupyter replaces one piece of text
			c.Matches = append(c.Matches, Match{item.TextEdit.NewText, kinds[item.Kind], item.Detail})
		}
	}
	return c, nil
}

// kinds are the protocol's kinds of completions as JupyterLab names them.
var kinds = map[int]string{
	2: "function", 3: "function", 4: "function", 5: "instance", 6: "instance", 7: "class", 8: "interface",
	9: "module", 10: "property", 14: "keyword", 21: "const", 22: "class", 25: "class",
}

// Inspect returns help in Markdown on what stands at the cursor or, within a composite
// literal or a call, on its type or the function that is called; "" where there is nothing
// to say.
func (h *Helper) Inspect(ctx context.Context, cell string, cursor int) (string, error) {
	runes := []rune(cell)
	for _, at := range []int{cursor, cursor - 1, literalType(runes, cursor)} { // a cursor behind a name means the name
		if at < 0 || at >= len(runes) || runes[at] != '_' && !unicode.IsLetter(runes[at]) && !unicode.IsDigit(runes[at]) {
			continue
		}
		var hover struct{ Contents struct{ Value string } }
		if ok, err := h.ask(ctx, "textDocument/hover", cell, at, &hover); err != nil || !ok {
			return "", err
		}
		if hover.Contents.Value != "" {
			return h.clean(hover.Contents.Value), nil
		}
	}
	var help struct {
		Signatures []struct {
			Label         string
			Documentation struct{ Value string }
		}
		ActiveSignature int
	}
	ok, err := h.ask(ctx, "textDocument/signatureHelp", cell, cursor, &help)
	if err != nil || !ok || help.ActiveSignature >= len(help.Signatures) {
		return "", err
	}
	s := help.Signatures[help.ActiveSignature]
	return h.clean("```go\nfunc " + s.Label + "\n```\n\n" + s.Documentation.Value), nil
}

// literalType returns the place of the last letter of the type of the composite literal
// that the cursor is in, and -1 where it is in none.
func literalType(runes []rune, cursor int) int {
	open := 0
	for i := min(cursor, len(runes)) - 1; i > 0; i-- {
		switch runes[i] {
		case ')', ']', '}':
			open++
		case '(', '[', '{':
			if open > 0 {
				open--
				continue
			}
			if runes[i] == '{' && !unicode.IsSpace(runes[i-1]) { // gofmt has a space before a block
				return i - 1
			}
			return -1
		}
	}
	return -1
}

// clean takes out links to where neither the module nor what cells declare can be.
func (h *Helper) clean(markdown string) string {
	module, err := moduleOf(h.Root)
	if err != nil {
		return markdown
	}
	// By a folder, or by the name of a module that no other machine has.
	target := `\]\((?:https://pkg\.go\.dev/(?:/[^)\s]*|(?:` + regexp.QuoteMeta(module) + `|` + cellsModule + `)(?:[/@#?][^)\s]*)?`
	for _, folder := range []string{h.Root, h.Folder} {
		if path := strings.TrimPrefix(filepath.ToSlash(folder), "/"); path != "" {
			target += `|[^)\s]*` + regexp.QuoteMeta(path) + `[^)\s]*`
		}
	}
	target += `)|file:[^)\s]*)\)`
	markdown = regexp.MustCompile(`\[[^\]\n]* on pkg\.go\.dev`+target).ReplaceAllString(markdown, "")
	markdown = regexp.MustCompile(`\[([^\]\n]*)`+target).ReplaceAllString(markdown, "$1")
	return strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(markdown), "---"), " \n")
}

// ask asks about a place in a cell; ok is false where there is no Go.
func (h *Helper) ask(ctx context.Context, method, cell string, cursor int, result any) (ok bool, err error) {
	at, ok := cursorPlace(cell, cursor)
	if !ok {
		return false, nil
	}
	lines := strings.Split(cell, "\n")
	if _, is := command(lines[at.Line]); is {
		return false, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.running(ctx); err != nil {
		return false, err
	}
	h.memory.Lock()
	sent := opened(cell)
	current, before, ok := h.cells.files(sent.sent)
	h.memory.Unlock()
	if !ok {
		return false, nil
	}
	for name, text := range map[string]string{"cell.go": current, "before.go": before} {
		if err := h.send(ctx, name, text); err != nil {
			return false, err
		}
	}
	at.Line++ // of the header
	if sent.opened > 0 && at.Line >= sent.opened {
		at.Line++
	}
	return true, h.server.call(ctx, method, map[string]any{
		"textDocument": map[string]any{"uri": h.uri("cell.go")}, "position": at,
	}, result)
}

// send tells gopls what a file holds.
func (h *Helper) send(ctx context.Context, name, text string) error {
	old, known := h.sent[name]
	if known && old == text {
		return nil
	}
	h.sent[name] = text
	h.version++
	file := map[string]any{"uri": h.uri(name), "version": h.version}
	if known {
		whole := []any{map[string]any{"text": text}}
		return h.server.notify(ctx, "textDocument/didChange", map[string]any{"textDocument": file, "contentChanges": whole})
	}
	file["languageId"], file["text"] = "go", text
	return h.server.notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": file})
}

func (h *Helper) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(h.Folder, name))}).String()
}

// settings keep gopls to what is asked: no errors, which the compiler tells, no tests of the
// packages that cells import, and names that go on as they begin.
var settings = map[string]any{
	"matcher":            "CaseInsensitive",
	"diagnosticsTrigger": "Save",
	"hoverKind":          "FullDocumentation",
	"analyses":           map[string]bool{},
	"vulncheck":          "Off",
}

// environment is for gopls and the go command. A GOWORK of the kernel's would hide the
// helper's module, memory is collected before it is taken, and what they leave when
// they are killed goes with the helper's folder.
func (h *Helper) environment() []string {
	return append(os.Environ(), "GOWORK=off", "GO111MODULE=on", "GOFLAGS=-mod=mod", "GOGC=50", "GOMEMLIMIT=400MiB", "TMPDIR="+h.temporary())
}

// temporary is a folder of its own: the go command passes over a go.mod at the root of
// temporary files.
func (h *Helper) temporary() string { return filepath.Join(h.Folder, "_tmp") }

// running starts gopls unless it runs.
func (h *Helper) running(ctx context.Context) error {
	if h.server != nil && h.server.life.Err() == nil {
		return nil
	}
	if _, err := os.Stat(h.Program); err != nil {
		return ErrAbsent
	}
	if err := h.makeModule(); err != nil {
		return fmt.Errorf("making a module for gopls: %w", err)
	}
	s, err := startServer(h.Program, h.Folder, h.environment())
	if err != nil {
		return err
	}
	h.server, h.sent = s, make(map[string]string)
	h.list(ctx)
	var ignored any
	err = s.call(ctx, "initialize", map[string]any{
		"processId": os.Getpid(),
		"rootUri":   h.uri(""),
		"capabilities": map[string]any{"textDocument": map[string]any{
			"hover":         map[string]any{"contentFormat": []string{"markdown"}},
			"signatureHelp": map[string]any{"signatureInformation": map[string]any{"documentationFormat": []string{"markdown"}}},
		}},
		"initializationOptions": settings,
		"workspaceFolders":      []any{map[string]any{"uri": h.uri(""), "name": "cells"}},
	}, &ignored)
	if err == nil {
		err = s.notify(ctx, "initialized", map[string]any{})
	}
	if err != nil {
		s.end()
	}
	return err
}

// moduleOf is the name of the module in a folder.
func moduleOf(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("reading the module: %w", err)
	}
	return modfile.ModulePath(data), nil
}

// cellsModule is the name of the module of what cells declare.
const cellsModule = "cells"

// makeModule makes a module of the folder that has all that the module of the cells
// has, at the same versions, and that one itself from its folder.
func (h *Helper) makeModule() error {
	data, err := os.ReadFile(filepath.Join(h.Root, "go.mod"))
	if err != nil {
		return err
	}
	file, err := modfile.Parse(filepath.Join(h.Root, "go.mod"), data, nil)
	if err != nil {
		return err
	}
	module := file.Module.Mod.Path
	for _, r := range slices.Clone(file.Replace) {
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			err = errors.Join(err, file.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(h.Root, r.New.Path), ""))
		}
	}
	for _, t := range slices.Clone(file.Tool) {
		err = errors.Join(err, file.DropTool(t.Path))
	}
	err = errors.Join(err, file.AddModuleStmt(cellsModule), file.AddRequire(module, "v0.0.0"), file.AddReplace(module, "", h.Root, ""))
	if err != nil {
		return err
	}
	file.Cleanup()
	if data, err = file.Format(); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(h.Root, "go.sum"))
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = os.MkdirAll(h.temporary(), 0o700)
	}
	for name, data := range map[string][]byte{"go.mod": data, "go.sum": sums, "cell.go": []byte(cellsHeader + "\n"), "before.go": []byte(cellsHeader + "\n")} {
		err = errors.Join(err, os.WriteFile(filepath.Join(h.Folder, name), data, 0o600))
	}
	return err
}

// list finds the packages that cells may use without an import: those of Go and of
// the module. Without the list there is no help on such.
func (h *Helper) list(ctx context.Context) {
	module, err := moduleOf(h.Root)
	if err != nil {
		return
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-f", nameAndPath, "std", module+"/...")
	cmd.Dir, cmd.Env = h.Folder, h.environment()
	out, err := cmd.Output()
	if err != nil {
		return
	}
	packages := byName(string(out))
	h.memory.Lock()
	h.cells.packages = packages
	h.memory.Unlock()
}

// nameAndPath is what byName reads a line of, for go list.
const nameAndPath = "{{.Name}} {{.ImportPath}}"

// byName returns the paths of packages by their names: of several with one name, the shortest.
func byName(list string) map[string]string {
	packages := make(map[string]string)
	for line := range strings.Lines(list) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if old := packages[name]; name != "main" && !inner(path) && (old == "" || len(path)+2 < len(old)) {
			packages[name] = strconv.Quote(path)
		}
	}
	return packages
}

// inner tells whether no cell may import a package.
func inner(path string) bool {
	return strings.HasPrefix(path, "vendor/") || slices.Contains(strings.Split(path, "/"), "internal")
}

// cursorPlace finds a character of a text.
func cursorPlace(text string, cursor int) (p position, ok bool) {
	runes := []rune(text)
	if cursor < 0 || cursor > len(runes) {
		return p, false
	}
	before := string(runes[:cursor])
	at := strings.LastIndexByte(before, '\n')
	return position{strings.Count(before, "\n"), len(utf16.Encode([]rune(before[at+1:])))}, true
}

// offset is the number of characters before a place that gopls gave, which counts
// the header's line.
func offset(text string, p position) int {
	lines := strings.SplitAfter(text, "\n")
	if p.Line < 1 || p.Line > len(lines) {
		return utf8.RuneCountInString(text)
	}
	line := utf16.Encode([]rune(lines[p.Line-1]))
	before := utf8.RuneCountInString(strings.Join(lines[:p.Line-1], ""))
	return before + len(utf16.Decode(line[:min(p.Character, len(line))]))
}
