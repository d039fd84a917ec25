package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlides makes the deck of the notebooks as they are: each figure that it asks for is there.
func TestSlides(t *testing.T) {
	page, err := slides(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	html := string(page)
	if n, figures := strings.Count(html, "<section>"), strings.Count(html, `<figure><img src="data:image/png;base64,iVBOR`); n != 15 || figures != n {
		t.Errorf("%d slides with %d figures, want 15 with a figure each", n, figures)
	}
	if strings.Contains(html, `src="http`) || strings.Contains(html, `href="http`) {
		t.Error("the page needs the network")
	}
}

func TestPageWithoutFigure(t *testing.T) {
	dir := t.TempDir()
	if _, err := slides(dir); err == nil || !strings.Contains(err.Error(), "05_light_dark_tiger") {
		t.Errorf("without notebooks: error %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "05_light_dark_tiger.ipynb"), []byte(`{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [{"data": {"image/png": "aGk=", "text/plain": ["another ", "one"]}}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := slides(dir); err == nil || !strings.Contains(err.Error(), "no figure") {
		t.Errorf("with another figure: error %v", err)
	}
}
