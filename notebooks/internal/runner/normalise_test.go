package runner

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"os"
	"strings"
	"testing"
)

func TestNormalise(t *testing.T) {
	nb := parseNotebook(t,
		`{"cell_type": "markdown", "source": "<b>text & more</b>"}`,
		`{"cell_type": "code", "id": "mine", "execution_count": 17, "source": "a", "metadata": {"execution": {"iopub.status.busy": "2026"}, "scrolled": true, "nbgrader": {"points": 1}},
		  "outputs": [{"output_type": "execute_result", "execution_count": 17, "transient": {"display_id": "x"}, "metadata": {}, "data": {"text/plain": "/scratch/t/gonb_0a1b2c3d/main.go:3"}},
		              {"output_type": "display_data", "metadata": {}, "data": {"text/plain": [""]}},
		              {"output_type": "stream", "name": "stdout", "text": ["/clone/data/x.csv\n", "in /clone"]}]}`,
		`{"cell_type": "code", "id": "mine", "execution_count": 18, "source": "b", "metadata": {}, "outputs": []}`,
		`{"cell_type": "code", "execution_count": 3, "source": "  ", "metadata": {}, "outputs": []}`,
		`{"cell_type": "code", "execution_count": null, "source": "not reached", "metadata": {}, "outputs": []}`,
	)
	nb.root["metadata"] = map[string]any{"language_info": map[string]any{"version": "go1.99"}, "kernelspec": map[string]any{"name": "gonb"}, "title": "Tour", "widgets": map[string]any{}}
	nb.Normalise(cleaner("/clone", "/scratch/t"))
	first, err := nb.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"go1.99", "gonb", "iopub", "scrolled", "17", "18", "display_id", "display_data", "/clone", "/scratch", "widgets", `\u003c`} {
		if bytes.Contains(first, []byte(gone)) {
			t.Errorf("%q is still there", gone)
		}
	}
	for _, kept := range []string{`"title": "Tour"`, `"points": 1`, `<b>text & more</b>`, `"main.go:3"`, `"data/x.csv\n"`, `"in ."`, `"name": "bayescpace"`, `"id": "cell-01"`, `"id": "mine"`, `"id": "cell-03"`, `"execution_count": 2`, `"nbformat_minor": 5`} {
		if !bytes.Contains(first, []byte(kept)) {
			t.Errorf("%q is not there", kept)
		}
	}
	if n := bytes.Count(first, []byte(`"execution_count": null`)); n != 2 {
		t.Errorf("%d cells without a count, want the empty one and the one not reached", n)
	}
	nb.Normalise(cleaner("/clone", "/scratch/t"))
	if second, _ := nb.Bytes(); !bytes.Equal(first, second) {
		t.Error("normalising twice gives something else")
	}
	if t.Failed() {
		t.Logf("%s", first)
	}
}

func TestReadNotebookRefuses(t *testing.T) {
	path := t.TempDir() + "/x.ipynb"
	for content, says := range map[string]string{
		"":                             "is not a notebook",
		`{"nbformat": 4, "cells": [`:   "is not a notebook",
		`{"nbformat": 3, "cells": []}`: "only version 4",
		`{"nbformat": 4}`:              "no list of cells",
	} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadNotebook(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", content, err, says)
		}
	}
}

// Outputs that say the same as the committed ones leave the file as it was. A picture
// of which a single pixel has another shade does not say the same.
func TestKeepEqual(t *testing.T) {
	const w, h = 50, 40
	data := dots(t, w, h, 0, 0)
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var large bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&large, m); err != nil {
		t.Fatal(err)
	}
	page := func(png []byte) string {
		return show(`"text/html": "<img src='data:image/png;base64,` + base64.StdEncoding.EncodeToString(png) + `'> a figure"`)
	}
	black, spot, faint, same := showPNG(data), showPNG(dots(t, w, h, 1, 255)), showPNG(dots(t, w, h, 1, 1)), showPNG(large.Bytes())
	for _, c := range []struct {
		name           string
		committed, now string
		kept           bool
	}{
		{"text", code(stdout("old")), code(stdout("old")), true},
		{"another text", code(stdout("old")), code(stdout("new")), false},
		{"picture, other bytes", code(black), code(same), true},
		{"picture, a pixel", code(black), code(spot), false},
		{"picture, a shade of a pixel", code(black), code(faint), false},
		{"picture in a page, other bytes", code(page(data)), code(page(large.Bytes())), true},
		{"picture in a page, a pixel", code(page(data)), code(page(dots(t, w, h, 1, 255))), false},
		{"svg, rounding", code(show(`"image/svg+xml": "<path d='M 1.001,2'/>"`)), code(show(`"image/svg+xml": "<path d='M 1.002,2'/>"`)), false},
		{"times", code(stdout("took 1.2 s"), "timing"), code(stdout("took 3.4 s"), "timing"), true},
		{"times with other words", code(stdout("fast: 1"), "timing"), code(stdout("slow: 1"), "timing"), false},
		{"a picture of times, equal", code(stdout("1 s")+","+black, "timing"), code(stdout("2 s")+","+same, "timing"), true},
		{"a picture of times, a pixel", code(stdout("1 s")+","+black, "timing"), code(stdout("1 s")+","+spot, "timing"), false},
	} {
		committed, now := parseNotebook(t, c.committed), parseNotebook(t, c.now)
		bytesOf := func(nb *Notebook) string {
			data, err := nb.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		old, fresh := bytesOf(committed), bytesOf(now)
		keepEqual(committed, now)
		want := fresh
		if c.kept {
			want = old
		}
		if bytesOf(now) != want {
			t.Errorf("%s: kept %v, want %v", c.name, !c.kept, c.kept)
		}
	}
}
