package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
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
			if line, ok := line.(string); ok {
				b.WriteString(line)
			}
		}
		return b.String()
	default:
		return ""
	}
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
	Kind string // error, command, timeout or dead
	Text string
}

// longestFirst orders notebooks by their number of code cells, so that no long one is left
// when all others are done. One that cannot be read comes last.
func longestFirst(paths []string) []string {
	count := make(map[string]int)
	for _, path := range paths {
		if nb, err := ReadNotebook(path); err == nil {
			count[path] = len(nb.CodeCells())
		}
	}
	ordered := slices.Clone(paths)
	slices.SortStableFunc(ordered, func(a, b string) int { return count[b] - count[a] })
	return ordered
}
