package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What its user has changed is never overwritten, whatever is released.
func TestLayOut(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	text := func(source, output string) string {
		return fmt.Sprintf(`{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "metadata": {}, "source": %q, "outputs": [{"output_type": "stream", "name": "stdout", "text": %q}]}]}`, source, output)
	}
	released := make(map[string]string)
	release := func(name, text string) {
		released[name] = filepath.Join(from, filepath.Base(name))
		if err := os.WriteFile(released[name], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// lays lays out, and wants these lines and, in the folder, these files.
	lays := func(when string, lines int, want map[string]string) {
		t.Helper()
		for again := range 2 {
			notes, err := layOut(dir, released, nil)
			if again == 1 {
				lines = 0
			}
			if err != nil || len(notes) != lines {
				t.Errorf("%s, time %d: %q, %v; want %d lines", when, again+1, notes, err, lines)
			}
		}
		files := 0
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			name, _ := filepath.Rel(dir, path)
			if err != nil || d.IsDir() || strings.HasPrefix(name, ".") {
				return err
			}
			files++
			if data, err := os.ReadFile(path); err != nil || string(data) != want[name] {
				t.Errorf("%s: %s is %q, %v; want %q", when, name, data, err, want[name])
			}
			return nil
		})
		if files != len(want) {
			t.Errorf("%s: %d files, want %d", when, files, len(want))
		}
	}
	const tour, task = "00_tour.ipynb", "assignments/task.ipynb"
	one, executed, two, three := text("one", "1"), text("one", "1.0"), text("two", "2"), text("three", "3")

	release(tour, one)
	release(task, one)
	lays("first", 0, map[string]string{tour: one, task: one})
	release(tour, two)
	lays("a newer release of what is not changed", 0, map[string]string{tour: two, task: one})
	edit(task, executed)
	lays("executed", 0, map[string]string{tour: two, task: executed})
	release(task, text("one", "one"))
	lays("a release with other outputs", 0, map[string]string{tour: two, task: executed})
	edit(tour, "mine")
	lays("changed", 0, map[string]string{tour: "mine", task: executed})
	release(tour, three)
	lays("a newer release of what is changed", 1, map[string]string{tour: "mine", "00_tour-new.ipynb": three, task: executed})
	release(tour, one)
	lays("a newer one yet", 1, map[string]string{tour: "mine", "00_tour-new.ipynb": one, task: executed})
	edit("00_tour-new.ipynb", "mine too")
	release(tour, two)
	lays("both changed", 1, map[string]string{tour: "mine", "00_tour-new.ipynb": "mine too", "00_tour-new-2.ipynb": two, task: executed})
	os.Remove(filepath.Join(dir, tour))
	os.Remove(filepath.Join(dir, "00_tour-new.ipynb"))
	os.Remove(filepath.Join(dir, "00_tour-new-2.ipynb"))
	lays("removed", 0, map[string]string{tour: two, task: executed})
	os.Remove(recordOf(dir))
	lays("without the record", 0, map[string]string{tour: two, task: executed})
	edit(tour, "mine")
	if err := os.WriteFile(recordOf(dir), []byte(`{"torn`), 0o644); err != nil {
		t.Fatal(err)
	}
	lays("with a torn record", 1, map[string]string{tour: "mine", "00_tour-new.ipynb": two, task: executed})
}

// Every notebook and every assignment is laid out, and what is laid out is no
// part of the clone.
func TestWorkFolder(t *testing.T) {
	p, err := FindPlace(".")
	if err != nil {
		t.Fatal(err)
	}
	released, err := p.released()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"00_tour.ipynb", "11_enhancements.ipynb", "assignments/beliefs.ipynb"} {
		if _, err := os.Stat(released[name]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !strings.Contains(readFile(t, ".gitignore"), "\n"+filepath.Base(p.work())+"/\n") {
		t.Error("git does not ignore the work folder")
	}
}

// The start page leads to what is in the work folder, and stays as its user has changed it.
//
//test:race
func TestStartPage(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	p := Place{Root: root, Notebooks: filepath.Join(root, "notebooks")}
	released, err := p.released()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := startFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(string(pages[startPage]), -1) {
		if _, page := pages[m[1]]; !page && released[filepath.FromSlash(m[1])] == "" {
			t.Errorf("%s leads to %s, which is not in the work folder", startPage, m[1])
		}
	}
	if !strings.Contains(string(pages[startPage]), languagePage) {
		t.Errorf("%s does not name %s", startPage, languagePage)
	}
	dir := t.TempDir()
	lay := func() {
		t.Helper()
		if _, err := layOut(dir, nil, pages); err != nil {
			t.Fatal(err)
		}
	}
	lay()
	file := filepath.Join(dir, startPage)
	if got, err := os.ReadFile(file); err != nil || string(got) != string(pages[startPage]) {
		t.Fatalf("%v, %.100s", err, got)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	lay()
	if got, err := os.ReadFile(file); err != nil || string(got) != "mine" {
		t.Errorf("a page that its user has changed is %q, %v", got, err)
	}
}
