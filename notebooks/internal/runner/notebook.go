package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Notebook is a Jupyter notebook (nbformat 4) as the JSON that it is, so that
// nothing that another tool keeps in it is lost.
type Notebook struct {
	path string
	root map[string]any
}

// Cell is one cell of a notebook.
type Cell map[string]any

// Output is one output of a code cell.
type Output map[string]any

// data are the representations of a display, by MIME type.
func (o Output) data() map[string]any {
	data, _ := o["data"].(map[string]any)
	return data
}

// ReadNotebook reads the notebook at path.
func ReadNotebook(path string) (*Notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a notebook: %w", err)
	}
	nb := &Notebook{path: path}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // numbers are written back as they were read
	if err := dec.Decode(&nb.root); err != nil {
		return nil, fmt.Errorf("%s is not a notebook: %w", path, err)
	}
	if version := fmt.Sprint(nb.root["nbformat"]); version != "4" {
		return nil, fmt.Errorf("%s has nbformat %s; only version 4 is supported", path, version)
	}
	if _, ok := nb.root["cells"].([]any); !ok {
		return nil, fmt.Errorf("%s has no list of cells", path)
	}
	return nb, nil
}

// Bytes is the notebook's file: like Jupyter's own, with keys sorted.
func (nb *Notebook) Bytes() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(nb.root); err != nil {
		return nil, fmt.Errorf("writing %s: %w", nb.path, err)
	}
	return b.Bytes(), nil
}

// Write saves the notebook at path.
func (nb *Notebook) Write(path string) error {
	data, err := nb.Bytes()
	if err != nil {
		return err
	}
	return writeFile(path, data)
}

// objects returns those in a list of JSON.
func objects[T ~map[string]any](v any) (all []T) {
	list, _ := v.([]any)
	for _, o := range list {
		if o, ok := o.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

// Cells returns all cells.
func (nb *Notebook) Cells() []Cell { return objects[Cell](nb.root["cells"]) }

// CodeCells returns the code cells: the one numbered k is at k-1.
func (nb *Notebook) CodeCells() []Cell {
	return slices.DeleteFunc(nb.Cells(), func(c Cell) bool { return c["cell_type"] != "code" })
}

func (c Cell) Source() string { return Text(c["source"]) }

func (c Cell) tagged(tag string) bool {
	metadata, _ := c["metadata"].(map[string]any)
	tags, _ := metadata["tags"].([]any)
	return slices.Contains(tags, any(tag))
}

func (c Cell) outputs() []Output { return objects[Output](c["outputs"]) }

// Stream is all that the cell wrote to stdout or stderr.
func (c Cell) Stream(name string) string {
	var b strings.Builder
	for _, o := range c.outputs() {
		if o["output_type"] == "stream" && o["name"] == name {
			b.WriteString(Text(o["text"]))
		}
	}
	return b.String()
}

// Text joins what a notebook keeps as one string or as a list of lines.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, line := range v {
			b.WriteString(Text(line))
		}
		return b.String()
	}
	return ""
}

// sources are those of all cells of a notebook.
func (nb *Notebook) sources() (texts []string) {
	for _, c := range nb.Cells() {
		texts = append(texts, Text(c["cell_type"]), c.Source())
	}
	return texts
}

// sourcesOf are those of code cells.
func sourcesOf(list []Cell) []string {
	var sources []string
	for _, c := range list {
		sources = append(sources, c.Source())
	}
	return sources
}

// Executed is the result of executing one notebook.
type Executed struct {
	Path     string
	Notebook *Notebook // as far as it was executed; nil when it could not be at all
	failure  *failure  // nil when every cell passed
}

// failure is why a notebook's execution stopped.
type failure struct {
	Cell int    // code cells counted from 1, as the numbers in brackets beside them
	Kind string // error, command, timeout, dead or broken
	Text string
}

func (f *failure) Error() string { return f.Text }

// longestFirst orders notebooks by their number of code cells, where one with the tag long is as
// many as four, so that no long one is left when all others are done. One that cannot be read comes last.
func longestFirst(paths []string) []string {
	count := make(map[string]int)
	for _, path := range paths {
		if nb, err := ReadNotebook(path); err == nil {
			long := slices.DeleteFunc(nb.CodeCells(), func(c Cell) bool { return !c.tagged(tagLong) })
			count[path] = len(nb.CodeCells()) + 3*len(long)
		}
	}
	return slices.SortedStableFunc(slices.Values(paths), func(a, b string) int { return count[b] - count[a] })
}

// Normalise takes out of an executed notebook what differs between two
// executions, or between two machines, without meaning anything to a reader.
// clean is applied to every text in the outputs.
func (nb *Notebook) Normalise(clean func(string) string) {
	nb.root["nbformat"], nb.root["nbformat_minor"] = json.Number("4"), json.Number("5")
	metadata, _ := nb.root["metadata"].(map[string]any)
	if metadata == nil {
		metadata = make(map[string]any)
	}
	nb.root["metadata"] = metadata
	metadata["kernelspec"] = map[string]any{"display_name": kernelDisplay, "language": "go", "name": kernelName}
	// As the kernel answers, less its version, and with the name by which an
	// export colours the code.
	metadata["language_info"] = map[string]any{
		"codemirror_mode": "", "file_extension": ".go", "mimetype": "text/x-go", "name": "go", "nbconvert_exporter": "", "pygments_lexer": "go",
	}
	delete(metadata, "widgets")

	count := 0
	seen := make(map[any]bool)
	for i, c := range nb.Cells() {
		if id, ok := c["id"].(string); !ok || seen[id] {
			c["id"] = fmt.Sprintf("cell-%02d", i+1)
		}
		seen[c["id"]] = true
		if m, ok := c["metadata"].(map[string]any); ok {
			// What a front end remembers about its own view and clock.
			for _, name := range []string{"execution", "ExecuteTime", "collapsed", "scrolled", "vscode"} {
				delete(m, name)
			}
		} else {
			c["metadata"] = map[string]any{}
		}
		if c["cell_type"] != "code" {
			continue
		}
		if strings.TrimSpace(c.Source()) == "" {
			c["execution_count"], c["outputs"] = nil, []any{}
			continue
		}
		count++
		if c["execution_count"] != nil {
			c["execution_count"] = json.Number(fmt.Sprint(count))
		}
		if list, ok := c["outputs"].([]any); ok {
			c["outputs"] = slices.DeleteFunc(list, empty)
		}
		for _, o := range c.outputs() {
			if _, ok := o["execution_count"]; ok {
				o["execution_count"] = c["execution_count"]
			}
			delete(o, "transient")
			for _, name := range []string{"text", "traceback", "evalue"} {
				if v, ok := o[name]; ok {
					o[name] = cleanAll(v, clean)
				}
			}
			for mime, v := range o.data() {
				if strings.HasPrefix(mime, "text/") {
					o.data()[mime] = cleanAll(v, clean)
				}
			}
		}
	}
}

// empty tells of a display that shows nothing: what is left of a progress
// display that nothing has followed. Whether there was one is a matter of time.
func empty(output any) bool {
	o, _ := output.(map[string]any)
	data, ok := o["data"].(map[string]any)
	for _, v := range data {
		switch v.(type) {
		case string, []any:
			ok = ok && strings.TrimSpace(Text(v)) == ""
		default:
			return false
		}
	}
	return ok
}

func cleanAll(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = cleanAll(v[i], clean)
		}
	}
	return v
}

// kernelFolder is the kernel's working folder and its name for the module of
// the cells: another one for every kernel.
var kernelFolder = regexp.MustCompile(`(/[^\s:"']*/)?gonb_[0-9a-f]{8}\b/?`)

// cleaner returns a function that takes this machine's and this execution's
// folders out of a text.
func cleaner(root string, folders ...string) func(string) string {
	replace := []string{root + "/", "", root, "."}
	for _, f := range folders {
		replace = append(replace, f+"/", "", f, ".")
	}
	r := strings.NewReplacer(replace...)
	return func(s string) string {
		return kernelFolder.ReplaceAllString(r.Replace(s), "")
	}
}
