package viz

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// pdfStreams returns the streams of a PDF document, unpacked.
func pdfStreams(t *testing.T, doc []byte) (streams [][]byte) {
	t.Helper()
	for _, part := range bytes.Split(doc, []byte("\nstream\n"))[1:] {
		data, _, ok := bytes.Cut(part, []byte("\nendstream"))
		if !ok {
			t.Fatal("a stream without an end")
		}
		if r, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
			if data, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		streams = append(streams, data)
	}
	return streams
}

// Every figure is a page of the width asked for, that holds its fonts and no other text
// than theirs.
func TestPaperPDF(t *testing.T) {
	for name, chart := range goldens() {
		f := must(chart.Figure())
		const width = 84.0
		doc, height, err := f.Paper("pdf", width)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, _, err := f.Paper("pdf", width)
		if err != nil || !bytes.Equal(doc, again) {
			t.Errorf("%s: a second document differs, %v", name, err)
		}
		box := regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]`).FindSubmatch(doc)
		if box == nil {
			t.Fatalf("%s: a page without a size", name)
		}
		for i, want := range []float64{width, height} {
			if got, _ := strconv.ParseFloat(string(box[i+1]), 64); math.Abs(got-want/25.4*72) > 0.01 {
				t.Errorf("%s: side %d of the page is %v points, want %v", name, i, got, want/25.4*72)
			}
		}
		fonts, files := bytes.Count(doc, []byte("/Type /Font\n/Subtype /Type0")), bytes.Count(doc, []byte("/FontFile2"))
		if fonts == 0 || fonts != files || bytes.Contains(doc, []byte("/Subtype /Type1")) {
			t.Errorf("%s: %d fonts and %d of them in the document, want all and no other", name, fonts, files)
		}
		// The sizes of letters: 7 points or more, scripts 0.7 times as many.
		page := pdfStreams(t, doc)[0]
		ops := regexp.MustCompile(`BT /F\w+ ([\d.]+) Tf ET|Tj ET|([-\d.]+) ([-\d.]+) [-\d. ]+cm`).FindAllSubmatch(page, -1)
		size, letters := 0.0, 0
		for _, op := range ops {
			switch {
			case op[1] != nil:
				size, _ = strconv.ParseFloat(string(op[1]), 64)
			case op[2] != nil:
				a, _ := strconv.ParseFloat(string(op[2]), 64)
				b, _ := strconv.ParseFloat(string(op[3]), 64)
				if math.Abs(math.Hypot(a, b)-1) > 1e-5 {
					t.Errorf("%s: a matrix that scales by %v, want the sizes of the fonts alone", name, math.Hypot(a, b))
				}
			default:
				if size < 7*scriptSize-0.02 {
					t.Errorf("%s: a letter of %.2f points", name, size)
				}
				letters++
			}
		}
		if letters == 0 {
			t.Errorf("%s: no text", name)
		}
	}
}

func TestPDFHasTheSizeOfTheFigure(t *testing.T) {
	f := must(threeLines().Figure())
	doc, err := f.PDF()
	if err != nil {
		t.Fatal(err)
	}
	w, h := f.Size()
	if want := fmt.Sprintf("/MediaBox [0 0 %.2f %.2f]", float64(w)*0.75, float64(h)*0.75); !bytes.Contains(doc, []byte(want)) {
		t.Errorf("no %s in the document", want)
	}
}

func TestPaperSVGNeedsNoFont(t *testing.T) {
	f := must(threeLines().Figure())
	doc, height, err := f.Paper("svg", 84)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<text", "font-family", "href", "url("} {
		if bytes.Contains(doc, []byte(bad)) {
			t.Errorf("the SVG has %q in it", bad)
		}
	}
	if want := fmt.Sprintf(`width="84mm" height="%.4gmm"`, height); !bytes.Contains(doc, []byte(want)) {
		t.Errorf("no %s in %.200s", want, doc)
	}
	wellFormed(t, doc)
}

// wellFormed reads an XML document and returns its first element. The decoder of the
// standard library accepts an attribute that stands twice, which XML forbids.
func wellFormed(t *testing.T, doc []byte) (first xml.StartElement) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(doc)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return first
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if first.Name.Local == "" {
			first = e.Copy()
		}
		seen := map[xml.Name]bool{}
		for _, a := range e.Attr {
			if seen[a.Name] {
				t.Errorf("the element %s has the attribute %v twice", e.Name.Local, a.Name)
			}
			seen[a.Name] = true
		}
	}
}

func TestPaperPNG(t *testing.T) {
	f := must(threeLines().Figure())
	data, height, err := f.Paper("png", 84)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for i, mm := range []float64{84, height} {
		if got, want := []int{img.Bounds().Dx(), img.Bounds().Dy()}[i], mm/25.4*paperDPI; math.Abs(float64(got)-want) > 0.005*want {
			t.Errorf("side %d has %d pixels, want %v", i, got, want)
		}
	}
	if !bytes.Equal(data[33:41], []byte("\x00\x00\x00\x09pHYs")) {
		t.Errorf("the second chunk is %q, want the resolution", data[33:41])
	}
	if unit := data[49]; unit != 1 {
		t.Errorf("the unit of the resolution is %d, want 1, the metre", unit)
	}
	for i, mm := range []float64{84, height} {
		perMetre := binary.BigEndian.Uint32(data[41+4*i:])
		if got := 1000 * float64([]int{img.Bounds().Dx(), img.Bounds().Dy()}[i]) / float64(perMetre); math.Abs(got-mm) > 0.005*mm {
			t.Errorf("side %d is %v mm long by its resolution, want %v", i, got, mm)
		}
	}
}

// Labels that do not fit side by side are left out, evenly.
func TestPaperTicksDoNotTouch(t *testing.T) {
	p := newPanel("", "")
	p.X.Min, p.X.Max = 0, 100_000
	for _, width := range []float64{20, 60, 150, 400} {
		var ends []float64
		for _, k := range (roomyTicks{niceTicks{about: 10}, p, px * vg.Length(width)}).Ticks(0, 100_000) {
			if k.Label != "" {
				half := float64(tickStyle.Width(k.Label)/px) / 2
				ends = append(ends, k.Value/100_000*width-half, k.Value/100_000*width+half)
			}
		}
		for i := 2; i < len(ends); i += 2 {
			if ends[i] < ends[i-1] {
				t.Errorf("labels touch on %v pixels: %v", width, ends)
			}
		}
		if len(ends) == 0 {
			t.Errorf("no label on %v pixels", width)
		}
	}
}

func TestPaperThatCannotBe(t *testing.T) {
	f := must(threeLines().Figure())
	for _, width := range []float64{0, 59, 301, math.NaN(), math.Inf(1)} {
		if _, _, err := f.Paper("pdf", width); err == nil || !strings.Contains(err.Error(), "want 60 to 300") {
			t.Errorf("width %v: %v", width, err)
		}
	}
	if _, _, err := f.Paper("eps", 84); err == nil || !strings.Contains(err.Error(), `"eps", want pdf, svg or png`) {
		t.Error(err)
	}
	if _, _, err := new(Figure).Paper("pdf", 84); err == nil {
		t.Error("a figure without panels is no error")
	}
	f.least = 500 * px
	if _, _, err := f.Paper("pdf", 84); err == nil || !strings.Contains(err.Error(), "at least") {
		t.Error(err)
	}
}
