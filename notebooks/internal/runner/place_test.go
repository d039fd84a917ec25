package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestChoose(t *testing.T) {
	paths := []string{"/n/00_tour.ipynb", "/n/01_tiger.ipynb", "/n/10_light_dark.ipynb"}
	for _, c := range []struct {
		names string
		want  string
	}{
		{"", "00_tour 01_tiger 10_light_dark"},
		{"00", "00_tour"},
		{"tiger", "01_tiger"},
		{"10_light_dark 00_tour", "00_tour 10_light_dark"},
		{"notebooks/01_tiger.ipynb", "01_tiger"},
		{"light_dark 10", "10_light_dark"},
	} {
		got, err := choose(paths, strings.Fields(c.names))
		var titles []string
		for _, path := range got {
			titles = append(titles, Title(path))
		}
		if err != nil || strings.Join(titles, " ") != c.want {
			t.Errorf("%q: %v, %v; want %s", c.names, titles, err, c.want)
		}
	}
	for _, name := range []string{"0", "t", "dark", "01_tig", ""} {
		if got, err := choose(paths, []string{name}); err == nil {
			t.Errorf("%q means %v; want an error", name, got)
		}
	}
}

func TestListIsOrderedAndLeavesOthersOut(t *testing.T) {
	p := Place{Notebooks: t.TempDir()}
	for _, name := range []string{"10_b.ipynb", "02_a.ipynb", "02b_between.ipynb", "02bc_x.ipynb", "scratch.ipynb", "03_x.html", "1_short.ipynb"} {
		if err := os.WriteFile(filepath.Join(p.Notebooks, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := p.List()
	want := []string{filepath.Join(p.Notebooks, "02_a.ipynb"), filepath.Join(p.Notebooks, "02b_between.ipynb"), filepath.Join(p.Notebooks, "10_b.ipynb")}
	if err != nil || !slices.Equal(paths, want) {
		t.Errorf("got %v, %v; want %v", paths, err, want)
	}
}

func TestFindPlace(t *testing.T) {
	p, err := FindPlace("../../testdata")
	if err != nil || filepath.Base(p.Notebooks) != "notebooks" || !filepath.IsAbs(p.Private) {
		t.Errorf("from a nested folder: %+v, %v", p, err)
	}
	if _, err := FindPlace(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not inside a clone") {
		t.Errorf("outside of a clone: %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := FindPlace(other); err == nil {
		t.Error("another module was taken for this one")
	}
}

func TestLongestFirst(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	const plain, long = `{"cell_type": "code", "source": "x"},`, `{"cell_type": "code", "source": "x", "metadata": {"tags": ["long"]}},`
	for name, cells := range map[string]string{"00_short": plain, "01_long": plain + plain + plain, "02_text": "", "04_longest": long} {
		path := filepath.Join(dir, name+".ipynb")
		list := strings.TrimSuffix(cells, ",")
		if err := os.WriteFile(path, []byte(`{"nbformat": 4, "cells": [`+list+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	var titles []string
	for _, path := range longestFirst(append(paths, filepath.Join(dir, "03_gone.ipynb"))) {
		titles = append(titles, Title(path))
	}
	if want := []string{"04_longest", "01_long", "00_short", "02_text", "03_gone"}; !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
}

// The private folder that is there stays as it was, its time included.
func TestMakePrivateAgain(t *testing.T) {
	p := Place{Private: filepath.Join(t.TempDir(), "private")}
	if err := p.makePrivate(); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(p.Private, before, before); err != nil {
		t.Fatal(err)
	}
	if err := p.makePrivate(); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(p.Private); err != nil || !now.ModTime().Equal(before) {
		t.Errorf("the folder has changed: %v, %v", now, err)
	}
}
