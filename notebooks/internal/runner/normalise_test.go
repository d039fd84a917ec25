package runner

import (
	"bytes"
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

// Outputs that say the same as the committed ones leave the file as it was.
func TestKeepEqual(t *testing.T) {
	committed := parseNotebook(t,
		code(picture(t, 50, 40, 2000, 100)),
		code(stdout("took 1.2 s"), "timing"),
		code(stdout("old")),
		code(stdout("fast: 1"), "timing"),
	)
	now := parseNotebook(t,
		code(picture(t, 50, 40, 2000, 101)),
		code(stdout("took 3.4 s"), "timing"),
		code(stdout("new")),
		code(stdout("slow: 1"), "timing"),
	)
	keepEqual(committed, now)
	olds, news := committed.CodeCells(), now.CodeCells()
	for i, kept := range []bool{true, true, false, false} {
		old, _ := (&Notebook{root: map[string]any{"o": olds[i]["outputs"]}}).Bytes()
		got, _ := (&Notebook{root: map[string]any{"o": news[i]["outputs"]}}).Bytes()
		if bytes.Equal(old, got) != kept {
			t.Errorf("cell %d: kept %v, want %v", i+1, !kept, kept)
		}
	}
}
