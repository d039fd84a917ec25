package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// notebook is a Jupyter notebook (nbformat 4) as the JSON that it is, so that
// nothing that another tool keeps in it is lost.
type notebook struct {
	path string
	root map[string]any
}

// cell is one cell of a notebook.
type cell map[string]any

// output is one output of a code cell.
type output map[string]any

// readNotebook reads the notebook at path.
func readNotebook(path string) (*notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a notebook: %w", err)
	}
	nb := &notebook{path: path}
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

// bytes is the notebook's file: like Jupyter's own, with keys sorted.
func (nb *notebook) bytes() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(nb.root); err != nil {
		return nil, fmt.Errorf("writing %s: %w", nb.path, err)
	}
	return b.Bytes(), nil
}

// write saves the notebook at path.
func (nb *notebook) write(path string) error {
	data, err := nb.bytes()
	if err != nil {
		return err
	}
	return writeFile(path, data)
}

// cells returns all cells.
func (nb *notebook) cells() []cell {
	var cells []cell
	for _, c := range nb.root["cells"].([]any) {
		if c, ok := c.(map[string]any); ok {
			cells = append(cells, c)
		}
	}
	return cells
}

// codeCells returns the code cells: the one numbered k is at k-1.
func (nb *notebook) codeCells() []cell {
	return slices.DeleteFunc(nb.cells(), func(c cell) bool { return c["cell_type"] != "code" })
}

func (c cell) source() string { return text(c["source"]) }

func (c cell) tagged(tag string) bool {
	metadata, _ := c["metadata"].(map[string]any)
	tags, _ := metadata["tags"].([]any)
	return slices.Contains(tags, any(tag))
}

func (c cell) outputs() []output {
	list, _ := c["outputs"].([]any)
	var outputs []output
	for _, o := range list {
		if o, ok := o.(map[string]any); ok {
			outputs = append(outputs, o)
		}
	}
	return outputs
}

// stream is all that the cell wrote to stdout or stderr.
func (c cell) stream(name string) string {
	var b strings.Builder
	for _, o := range c.outputs() {
		if o["output_type"] == "stream" && o["name"] == name {
			b.WriteString(text(o["text"]))
		}
	}
	return b.String()
}

// text joins what a notebook keeps as one string or as a list of lines.
func text(v any) string {
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
