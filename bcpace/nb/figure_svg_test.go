package nb

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// vectorSquare is a square that can be drawn as SVG.
type vectorSquare struct {
	*square
	inside string
	err    error
}

func (v vectorSquare) SVG() ([]byte, error) {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">%s</svg>`, v.W, v.H, v.inside), v.err
}

// carried returns the SVG image in a PNG image, "" where there is none.
func carried(t *testing.T, png []byte) string {
	t.Helper()
	for at := 8; at < len(png); {
		n := int(binary.BigEndian.Uint32(png[at:]))
		chunk := png[at+4 : at+8+n]
		if text, ok := bytes.CutPrefix(chunk, []byte("iTXtSVG\x00\x01\x00\x00\x00")); ok {
			z, err := zlib.NewReader(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			svg, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			return string(svg)
		}
		at += 12 + n
	}
	return ""
}

// An image of figures carries them as SVG, at the same places, and its pixels are
// what they were.
func TestFiguresCarrySVG(t *testing.T) {
	a, b := vectorSquare{square: red, inside: "<text>Q̃</text>"}, vectorSquare{square: blue}
	m, err := figures([]Drawable{a, b})
	if err != nil {
		t.Fatal(err)
	}
	svg := carried(t, m.png)
	for _, want := range []string{`width="416" height="200"`, `<g transform="translate(0,0)"><svg`, "Q̃", `<g transform="translate(316,0)"><svg`} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing from %s", want, svg)
		}
	}
	if err := xml.Unmarshal([]byte(svg), new(any)); err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("it is no XML: %v", err)
	}
	plain, err := figures([]Drawable{red, blue})
	if err != nil || carried(t, plain.png) != "" || !same(t, plain.png, m.png) {
		t.Errorf("without SVG: %v, %q, or another image", err, carried(t, plain.png))
	}
	if m, err := figures([]Drawable{a, blue}); err != nil || carried(t, m.png) != "" {
		t.Errorf("where one figure has none: %v, %q", err, carried(t, m.png))
	}
	if _, err := figures([]Drawable{vectorSquare{square: red, err: errors.New("no ink")}}); err == nil || err.Error() != "no ink" {
		t.Errorf("%v, want the figure's error", err)
	}
}

// A figure of very many marks stays what it is without them.
func TestLargeSVG(t *testing.T) {
	var marks strings.Builder
	for i := range 200_000 {
		fmt.Fprint(&marks, i*i*i%1_000_003, ",")
	}
	m, err := figures([]Drawable{vectorSquare{square: red, inside: marks.String()}})
	if err != nil || carried(t, m.png) != "" || len(m.png) > maxSVG {
		t.Errorf("%v, %d bytes", err, len(m.png))
	}
}
