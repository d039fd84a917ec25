package runner

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An executed notebook counts as long as nothing that it was made of has changed, and
// nobody else has written it.
func TestLastExecuted(t *testing.T) {
	root := t.TempDir()
	s := NewSession(Place{Root: root, Notebooks: filepath.Join(root, "notebooks"), Private: filepath.Join(root, ".bayescpace")}, io.Discard)
	path := filepath.Join(s.Notebooks, "00_x.ipynb")
	page, code := filepath.Join(s.out(), "00_x.html"), filepath.Join(root, "pkg", "x.go")
	const notebook = `{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "metadata": {}, "source": "x()", "outputs": []}]}`
	write := func(path, content string) {
		t.Helper()
		if err := writeFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range map[string]string{path: notebook, filepath.Join(s.out(), "00_x.ipynb"): notebook, page: "page", code: "package pkg"} {
		write(path, content)
	}
	if _, _, ok := s.LastExecuted(path); ok {
		t.Error("before anything was noted there is an executed notebook")
	}
	sources, err := s.sourcesKey()
	if err != nil {
		t.Fatal(err)
	}
	nb, err := ReadNotebook(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.note(Executed{Path: path, Notebook: nb}, "of other sources"); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.LastExecuted(path); ok {
		t.Error("a notebook counts whose sources changed while it was executed")
	}
	if err := s.note(Executed{Path: path, Notebook: nb}, sources); err != nil {
		t.Fatal(err)
	}
	if e, at, ok := s.LastExecuted(path); !ok || at != page || e.Path != path || len(e.Notebook.CodeCells()) != 1 {
		t.Errorf("the executed notebook is %+v with the page %s, %v", e, at, ok)
	}
	for _, c := range []struct {
		path, from, to string
		counts         bool
	}{
		{code, "pkg", "other", false},
		{path, "x()", "y()", false},
		{path, `"outputs": []`, `"outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}]`, true},
		{page, "page", "another page", false},
		{filepath.Join(s.out(), "00_x.ipynb"), "x()", "y()", false},
		{filepath.Join(root, "pkg", "x_test.go"), "", "package pkg", true},
		{filepath.Join(root, "pkg", "new.txt"), "", "embedded", false},
	} {
		before, err := os.ReadFile(c.path)
		write(c.path, strings.Replace(string(before), c.from, c.to, 1))
		if _, _, ok := s.LastExecuted(path); ok != c.counts {
			t.Errorf("with %q in place of %q in %s it counts: %v, want %v", c.to, c.from, c.path, ok, c.counts)
		}
		if err != nil {
			os.Remove(c.path)
		} else {
			write(c.path, string(before))
		}
	}
}
