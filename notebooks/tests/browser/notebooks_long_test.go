//go:build unix && long

package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runner"
)

// copyTo writes notebooks without their outputs into a folder, by their file names.
func copyTo(t *testing.T, dir string, notebooks map[string]*runner.Notebook) {
	t.Helper()
	for name, nb := range notebooks {
		for _, c := range nb.CodeCells() {
			c["outputs"], c["execution_count"] = []any{}, nil
		}
		if err := nb.Write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// notebookOf makes a notebook of cells given as JSON.
func notebookOf(t *testing.T, cells ...string) *runner.Notebook {
	t.Helper()
	path := filepath.Join(t.TempDir(), "00_x.ipynb")
	data := `{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [` + strings.Join(cells, ",") + `]}`
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	nb, err := runner.ReadNotebook(path)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// cellsOf makes a notebook of code cells.
func cellsOf(t *testing.T, sources ...string) *runner.Notebook {
	t.Helper()
	cells := make([]string, len(sources))
	for i, source := range sources {
		text, _ := json.Marshal(source)
		cells[i] = `{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ` + string(text) + `}`
	}
	nb := notebookOf(t, cells...)
	nb.Normalise(func(s string) string { return s })
	return nb
}
