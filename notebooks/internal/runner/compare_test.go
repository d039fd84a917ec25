package runner

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parseNotebook makes a notebook of code cells given as JSON.
func parseNotebook(t *testing.T, cells ...string) *Notebook {
	t.Helper()
	path := filepath.Join(t.TempDir(), "00_x.ipynb")
	data := `{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [` + strings.Join(cells, ",") + `]}`
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	nb, err := ReadNotebook(path)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// code is a code cell with these outputs.
func code(outputs string, tags ...string) string {
	list, _ := json.Marshal(append([]string{}, tags...))
	return `{"cell_type": "code", "execution_count": 1, "metadata": {"tags": ` + string(list) + `}, "source": "%%\nf()", "outputs": [` + outputs + `]}`
}

func stdout(s string) string {
	v, _ := json.Marshal(s)
	return `{"output_type": "stream", "name": "stdout", "text": ` + string(v) + `}`
}

func show(data string) string {
	return `{"output_type": "display_data", "metadata": {}, "data": {` + data + `}}`
}

const failed = `{"output_type": "error", "ename": "ERROR", "evalue": "exit status 1", "traceback": ["at one place"]}`

func picture(t *testing.T, w, h, spots int, shade uint8) string {
	t.Helper()
	return showPNG(dots(t, w, h, spots, shade))
}

// dots is a black picture whose first pixels have the shade.
func dots(t *testing.T, w, h, spots int, shade uint8) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range spots {
		m.SetGray(i%w, i/w, color.Gray{Y: shade})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func showPNG(data []byte) string {
	return show(`"image/png": "` + base64.StdEncoding.EncodeToString(data) + `"`)
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name      string
		want, got string
		says      string // "" for equal
	}{
		{"equal", code(stdout("a\nb\n")), code(stdout("a\nb\n")), ""},
		{"text as lines", code(`{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}`), code(stdout("a\nb\n")), ""},
		{"text", code(stdout("a\nb 1\nc")), code(stdout("a\nb 2\nc")), "line 2\n    - b 1\n    + b 2"},
		{"text ends early", code(stdout("a\nb")), code(stdout("a")), "- b"},
		{"table", code(show(`"text/html": "<td>1</td>"`)), code(show(`"text/html": "<td>2</td>"`)), "text/html differs"},
		{"alt text", code(show(`"text/plain": "one"`)), code(show(`"text/plain": "two"`)), "text/plain differs"},
		{"order of streams and displays", code(stdout("a") + "," + show(`"text/plain": "b"`)), code(show(`"text/plain": "b"`) + "," + stdout("a")), ""},
		{"another display", code(show(`"text/plain": "a"`) + "," + show(`"text/plain": "b"`)), code(show(`"text/plain": "b"`) + "," + show(`"text/plain": "b"`)), "- a"},
		{"lost display", code(show(`"text/html": "a"`)), code(""), "1 displays are committed, 0 came: [text/html] against []"},
		{"other kind", code(show(`"text/html": "a"`)), code(show(`"text/plain": "a"`)), "[text/html] is committed, [text/plain] came"},
		{"stderr", code(""), code(`{"output_type": "stream", "name": "stderr", "text": "oh"}`), "stderr differs"},
		{"timing", code(stdout("1 s"), "timing"), code(stdout("2 s"), "timing"), ""},
		{"error", code(failed), code(strings.Replace(failed, "status 1", "status 2", 1)), "evalue differs"},
		{"where an error arose", code(failed), code(strings.Replace(failed, "one place", "another", 1)), ""},
		{"error and display", code(failed), code(show(`"text/plain": "a"`)), "[error] is committed, [text/plain] came"},
		{"json", code(show(`"application/json": {"a": 1}`)), code(show(`"application/json": {"a": 2}`)), "application/json differs"},
		{"svg, rounding", code(show(`"image/svg+xml": "<path d='M 1.001,2'/>"`)), code(show(`"image/svg+xml": "<path d='M 1.002,2'/>"`)), ""},
		{"svg", code(show(`"image/svg+xml": "<path d='M 1.1,2'/>"`)), code(show(`"image/svg+xml": "<path d='M 1.2,2'/>"`)), "svg+xml differs"},
		{"picture, a shade", code(picture(t, 50, 40, 2000, 100)), code(picture(t, 50, 40, 2000, 104)), ""},
		{"picture, two pixels", code(picture(t, 50, 40, 0, 0)), code(picture(t, 50, 40, 2, 255)), ""},
		{"picture, many pixels", code(picture(t, 50, 40, 0, 0)), code(picture(t, 50, 40, 20, 255)), "1.00 % of the pixels differ"},
		{"picture, size", code(picture(t, 50, 40, 0, 0)), code(picture(t, 40, 50, 0, 0)), "(50,40), the new one (40,50)"},
		{"picture, broken", code(show(`"image/png": "AAAA"`)), code(picture(t, 5, 4, 0, 0)), "cannot be read"},
		{"never executed", strings.Replace(code(""), `"execution_count": 1`, `"execution_count": null`, 1), code(""), "never executed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			diffs := compare(parseNotebook(t, c.want), parseNotebook(t, c.got))
			switch {
			case c.says == "" && len(diffs) > 0:
				t.Errorf("differ: %v", diffs)
			case c.says != "" && (len(diffs) != 1 || diffs[0].cell != 1 || !strings.Contains(diffs[0].what, c.says)):
				t.Errorf("got %v; want one difference with %q", diffs, c.says)
			}
		})
	}
}

func TestCompareNumbersCells(t *testing.T) {
	markdown := `{"cell_type": "markdown", "metadata": {}, "source": "text"}`
	want := parseNotebook(t, code(stdout("a")), markdown, code(stdout("b")))
	got := parseNotebook(t, code(stdout("a")), markdown, code(stdout("c")))
	if diffs := compare(want, got); len(diffs) != 1 || diffs[0].cell != 2 {
		t.Errorf("got %v; want the second code cell", diffs)
	}
}

func TestSameNumbers(t *testing.T) {
	tol := tolerance{absolute: 1e-9, relative: 1e-3}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"v = 19.3713", "v = 19.3714", true},
		{"v = 19.3", "v = 19.4", false},
		{"1e-12", "-3e-11", true},
		{"a 1", "b 1", false},
		{"1 2", "1", false},
	} {
		if got := sameNumbers(c.a, c.b, tol); got != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

func TestDiffIsShort(t *testing.T) {
	long := strings.Repeat("x", 5000)
	d := compareText("text/html", long+"1"+long+strings.Repeat("\na", 9), long+"2"+long+strings.Repeat("\nb", 9), tolerance{})
	if len(d) > 1000 || !strings.Contains(d, "x1x") || !strings.Contains(d, "x2x") || !strings.Contains(d, "and 7 more lines") {
		t.Errorf("%d bytes: %s", len(d), d)
	}
}
