package runner

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // figures come as either
	"image/png"
	"maps"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// tagTiming marks cells whose outputs tell times of this machine: they are
// executed but not compared.
const tagTiming = "timing"

// tagLong marks cells that compute for about a second of processor time or more: those
// that Options.SkipLong leaves out.
const tagLong = "long"

// tagRaises marks cells that are to fail, after which the kernel goes on.
const tagRaises = "raises-exception"

// difference is one place where an execution gave something else than what is
// committed.
type difference struct {
	cell int    // code cells counted from 1
	what string // one line, or a short diff below it
}

// compare returns where the outputs of got differ from those of want, the
// committed notebook of the same cells.
func compare(want, got *Notebook) []difference {
	var diffs []difference
	wants, gots := want.CodeCells(), got.CodeCells()
	if len(wants) != len(gots) {
		return []difference{{1, fmt.Sprintf("the committed notebook has %d code cells, the executed one %d", len(wants), len(gots))}}
	}
	for i := range wants {
		w, g := wants[i], gots[i]
		if w["execution_count"] == nil && g["execution_count"] != nil {
			diffs = append(diffs, difference{i + 1, "was never executed in the committed notebook"})
			continue
		}
		if w.tagged(tagTiming) {
			continue
		}
		for _, what := range CompareOutputs(w, g) {
			diffs = append(diffs, difference{i + 1, what})
		}
	}
	return diffs
}

// CompareOutputs returns in what the outputs of one cell differ. Text and displays reach
// Jupyter by separate pipes, so their order among each other means nothing.
func CompareOutputs(want, got Cell) []string {
	var diffs []string
	for _, name := range []string{"stdout", "stderr"} {
		if d := compareText(name, want.Stream(name), got.Stream(name), textTolerance()); d != "" {
			diffs = append(diffs, d)
		}
	}
	wants, gots := want.Displays(), got.Displays()
	if len(wants) != len(gots) {
		return append(diffs, fmt.Sprintf("%d displays are committed, %d came: %s against %s", len(wants), len(gots), kinds(wants...), kinds(gots...)))
	}
	for i := range wants {
		diffs = append(diffs, compareDisplay(wants[i], gots[i])...)
	}
	return diffs
}

// Displays are the outputs other than streams.
func (c Cell) Displays() []Output {
	return slices.DeleteFunc(c.outputs(), func(o Output) bool { return o["output_type"] == "stream" })
}

// kinds names the MIME types of displays, for a message.
func kinds(displays ...Output) string {
	var names []string
	for _, o := range displays {
		if o["output_type"] == "error" {
			names = append(names, "error")
		} else {
			names = append(names, strings.Join(slices.Sorted(maps.Keys(o.data())), "+"))
		}
	}
	return "[" + strings.Join(names, ", ") + "]"
}

func compareDisplay(want, got Output) (diffs []string) {
	if w, g := kinds(want), kinds(got); w != g {
		return []string{fmt.Sprintf("%s is committed, %s came", w, g)}
	}
	if want["output_type"] == "error" {
		for _, name := range []string{"ename", "evalue"} {
			diffs = append(diffs, compareText(name, Text(want[name]), Text(got[name]), textTolerance()))
		}
	}
	for _, mime := range slices.Sorted(maps.Keys(want.data())) {
		diffs = append(diffs, compareData(mime, want.data()[mime], got.data()[mime]))
	}
	return slices.DeleteFunc(diffs, func(d string) bool { return d == "" })
}

// compareData compares one representation of a display.
func compareData(mime string, want, got any) string {
	switch {
	case mime == "image/svg+xml":
		return compareText(mime, Text(want), Text(got), tolerance{absolute: 0.01}) // hundredths of a point
	case strings.HasPrefix(mime, "image/"):
		w, errW := decodeBase64(Text(want))
		g, errG := decodeBase64(Text(got))
		if errW != nil || errG != nil {
			return mime + ": is not base64"
		}
		if d := compareImages(w, g); d != "" {
			return mime + ": " + d
		}
		return ""
	case Text(want) != "" || Text(got) != "":
		// Images within a page are described there, and the description is compared.
		// Ranks by which tables are sorted follow from values that may differ in the
		// last digits.
		bare := func(x any) string { return rank.ReplaceAllString(embedded.ReplaceAllString(Text(x), "data:"), "") }
		return compareText(mime, bare(want), bare(got), textTolerance())
	default: // JSON
		w, _ := json.MarshalIndent(want, "", " ")
		g, _ := json.MarshalIndent(got, "", " ")
		return compareText(mime, string(w), string(g), textTolerance())
	}
}

// embedded is an image in a page, rank the place of a table's cell in its column.
var (
	embedded = regexp.MustCompile(`data:image/png;base64,[A-Za-z0-9+/=]*`)
	rank     = regexp.MustCompile(` data-v="[^"]*"`)
)

func decodeBase64(s string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
}

// tolerance is how far two numbers in otherwise equal texts may lie apart.
type tolerance struct{ absolute, relative float64 }

// textTolerance is zero on amd64, where the committed outputs were made: the
// same seed gives the same bits there. Other architectures fuse multiplications
// and additions, so that last digits differ.
func textTolerance() tolerance {
	if runtime.GOARCH == "amd64" {
		return tolerance{}
	}
	return tolerance{absolute: 1e-6, relative: 1e-3}
}

// longest is what a diff shows of a line, and mostLines how many lines.
const (
	longest   = 160
	mostLines = 3
)

// compareText returns "" for texts that are equal within the tolerance, and
// otherwise a short diff under the name.
func compareText(name, want, got string, tol tolerance) string {
	if want == got || tol != (tolerance{}) && sameNumbers(want, got, tol) {
		return ""
	}
	ws, gs := strings.Split(want, "\n"), strings.Split(got, "\n")
	lines := max(len(ws), len(gs))
	ws, gs = append(ws, make([]string, lines-len(ws))...), append(gs, make([]string, lines-len(gs))...)
	var b strings.Builder
	differ := 0
	for i := range lines {
		if ws[i] == gs[i] {
			continue
		}
		if differ++; differ <= mostLines {
			w, g := around(ws[i], gs[i])
			fmt.Fprintf(&b, "\n  line %d\n    - %s\n    + %s", i+1, w, g)
		}
	}
	if differ > mostLines {
		fmt.Fprintf(&b, "\n  and %d more lines", differ-mostLines)
	}
	return fmt.Sprintf("%s differs (- committed, + now)%s", name, b.String())
}

// around cuts two long lines to where they first differ.
func around(w, g string) (string, string) {
	a, b := []rune(w), []rune(g)
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	from := 0
	if max(len(a), len(b)) > longest {
		from = max(0, same-longest/4)
	}
	cut := func(r []rune) string {
		to := min(len(r), from+longest)
		s := string(r[min(from, to):to])
		if from > 0 {
			s = "…" + s
		}
		if to < len(r) {
			s += "…"
		}
		return s
	}
	return cut(a), cut(b)
}

var number = regexp.MustCompile(`[-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?`)

// sameNumbers reports whether two texts are equal but for numbers within tol.
func sameNumbers(want, got string, tol tolerance) bool {
	ws, gs := number.FindAllString(want, -1), number.FindAllString(got, -1)
	if len(ws) != len(gs) || number.ReplaceAllString(want, "#") != number.ReplaceAllString(got, "#") {
		return false
	}
	for i := range ws {
		w, errW := strconv.ParseFloat(ws[i], 64)
		g, errG := strconv.ParseFloat(gs[i], 64)
		if errW != nil || errG != nil || math.Abs(w-g) > tol.absolute+tol.relative*math.Abs(w) {
			return false
		}
	}
	return true
}

// Two pictures of one figure may differ where rounding moved an edge by a
// hair: by a shade that no reader sees, or in a few pixels.
const (
	shade  = 8 << 8 // of a channel's 16 bits: 8 of 255
	pixels = 1e-3   // the share of pixels that may differ by more than a shade
)

// compareImages returns "" for pictures that show the same, and otherwise how
// they differ.
func compareImages(want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	w, _, err := image.Decode(bytes.NewReader(want))
	if err != nil {
		return fmt.Sprintf("the committed picture cannot be read: %v", err)
	}
	g, _, err := image.Decode(bytes.NewReader(got))
	if err != nil {
		return fmt.Sprintf("the new picture cannot be read: %v", err)
	}
	if w.Bounds() != g.Bounds() {
		return fmt.Sprintf("the committed picture is %v, the new one %v pixels", w.Bounds().Size(), g.Bounds().Size())
	}
	differ := 0
	r := w.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			r1, g1, b1, a1 := w.At(x, y).RGBA()
			r2, g2, b2, a2 := g.At(x, y).RGBA()
			if max(apart(r1, r2), apart(g1, g2), apart(b1, b2), apart(a1, a2)) > shade {
				differ++
			}
		}
	}
	if share := float64(differ) / float64(r.Dx()*r.Dy()); share > pixels {
		return fmt.Sprintf("%.2f %% of the pixels differ (up to %.2f %% may)", 100*share, 100*pixels)
	}
	return ""
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// pictures returns what each picture in the outputs of a cell shows, in their order.
func pictures(c Cell) (all []string) {
	for _, o := range c.Displays() {
		for _, mime := range slices.Sorted(maps.Keys(o.data())) {
			content := Text(o.data()[mime])
			if strings.HasPrefix(mime, "image/") {
				all = append(all, colours(content))
				continue
			}
			for _, url := range embedded.FindAllString(content, -1) {
				all = append(all, colours(url[strings.Index(url, ",")+1:]))
			}
		}
	}
	return all
}

// colours are the size of a picture and the colours of its pixels. A picture that cannot be read,
// or that is written as text (SVG), shows its data.
func colours(content string) string {
	data, err := decodeBase64(content)
	if err != nil {
		return content
	}
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return content
	}
	all := image.NewNRGBA64(m.Bounds())
	draw.Draw(all, all.Rect, m, all.Rect.Min, draw.Src)
	return all.Rect.String() + string(all.Pix)
}

// smallest returns a PNG image with the same pixels in fewer bytes, if there is one: with the
// best compression, and without the SVG that a figure carries for a button.
func smallest(data []byte) []byte {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return data
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, img); err != nil || b.Len() >= len(data) {
		return data
	}
	return b.Bytes()
}
