package viz

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// painted returns what paint draws, on white, 4 pixels a point.
func painted(paint func(vg.Canvas)) image.Image {
	c := vgimg.NewWith(vgimg.UseWH(100, 60), vgimg.UseDPI(4*72))
	c.SetColor(color.Black)
	paint(c)
	return c.Image()
}

// checkInk compares two images: of what either has black, the other has nearly all.
func checkInk(t *testing.T, what string, got, want image.Image) {
	t.Helper()
	black, apart := 0.0, 0.0
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			a, b := color.GrayModel.Convert(got.At(x, y)).(color.Gray), color.GrayModel.Convert(want.At(x, y)).(color.Gray)
			black += float64(255 - b.Y)
			apart += math.Abs(float64(a.Y) - float64(b.Y))
		}
	}
	if black == 0 || apart > 0.05*black {
		t.Errorf("%s: %.3g of %.3g black pixels differ, want 5 %% at most", what, apart/255, black/255)
	}
}

func faceOf(size vg.Length) font.Face {
	return labelStyle.Handler.Cache().Lookup(labelStyle.Font, size)
}

// The outlines of letters are the letters that the library draws.
func TestOutlinesAreTheLetters(t *testing.T) {
	for _, text := range []string{"LgF7", "Eéφ"} { // without kerning, which the image has not
		write := func(c vg.Canvas) { c.FillString(faceOf(30), vg.Point{X: 10, Y: 20}, text) }
		checkInk(t, text, painted(func(c vg.Canvas) { write(outlined{c}) }), painted(write))
	}
}

// An arc turns as its sign says, and a curve keeps its control points, in any place, turned
// and scaled: the page of a PDF document has the shape that the library draws.
func TestPDFShapes(t *testing.T) {
	at := vg.Point{X: 50, Y: 30}
	for name, add := range map[string]func(p *vg.Path){
		"arc to the left":  func(p *vg.Path) { p.Arc(at, 20, 0.3, 2) },
		"arc to the right": func(p *vg.Path) { p.Arc(at, 20, 0.3, -2) },
		"degree two": func(p *vg.Path) {
			p.Move(vg.Point{X: 5, Y: 10})
			p.QuadTo(vg.Point{X: 20, Y: 60}, vg.Point{X: 90, Y: 20})
		},
		"degree three": func(p *vg.Path) {
			p.Move(vg.Point{X: 5, Y: 10})
			p.CubeTo(vg.Point{X: 10, Y: 70}, vg.Point{X: 40, Y: 0}, vg.Point{X: 90, Y: 40})
		},
		"after an arc": func(p *vg.Path) {
			p.Move(vg.Point{X: 80, Y: 25})
			p.Arc(vg.Point{X: 50, Y: 25}, 30, 0, math.Pi/2)
			p.QuadTo(vg.Point{X: 5, Y: 30}, vg.Point{X: 30, Y: 5})
		},
	} {
		var p vg.Path
		add(&p)
		p.Close()
		draw := func(c vg.Canvas) {
			c.Push()
			c.Translate(vg.Point{X: 22, Y: -6})
			c.Rotate(0.3)
			c.Scale(0.8, 0.7)
			c.Fill(p)
			c.Pop()
		}
		doc := newPDFCanvas(100, 60, 1)
		draw(doc)
		checkInk(t, name, painted(func(c vg.Canvas) { fillPDF(t, c, page(t, doc)) }), painted(draw))
	}
}

// page returns the operators of the page of a document.
func page(t *testing.T, c *pdfCanvas) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.doc.Output(&b); err != nil {
		t.Fatal(err)
	}
	return string(pdfStreams(t, b.Bytes())[0])
}

// fillPDF fills the paths of a page, of the operators m, l, c, h, f, q, Q and cm.
func fillPDF(t *testing.T, c vg.Canvas, page string) {
	t.Helper()
	var numbers []vg.Length
	var p vg.Path
	point := func(i int) vg.Point { return vg.Point{X: numbers[2*i], Y: numbers[2*i+1]} }
	for _, word := range strings.Fields(page) {
		if x, err := strconv.ParseFloat(word, 64); err == nil {
			numbers = append(numbers, vg.Length(x))
			continue
		}
		switch word {
		case "m":
			p.Move(point(0))
		case "l":
			p.Line(point(0))
		case "c":
			p.CubeTo(point(0), point(1), point(2))
		case "h":
			p.Close()
		case "f":
			c.Fill(p)
			p = nil
		case "q":
			c.Push()
		case "Q":
			c.Pop()
		case "cm":
			c.Translate(point(2))
			c.Rotate(math.Atan2(float64(numbers[1]), float64(numbers[0])))
			c.Scale(math.Hypot(float64(numbers[0]), float64(numbers[1])), math.Hypot(float64(numbers[2]), float64(numbers[3])))
		}
		numbers = numbers[:0]
	}
}

// Letters of a PDF document stand upright on their baseline, and turn with the canvas.
func TestPDFLetters(t *testing.T) {
	for turn, want := range map[float64][6]float64{0: {1, 0, 0, 1, 55, 37}, math.Pi / 2: {0, 1, -1, 0, 43, 35}} {
		doc := newPDFCanvas(100, 60, 1)
		doc.Translate(vg.Point{X: 50, Y: 30})
		doc.Rotate(turn)
		doc.FillString(faceOf(12), vg.Point{X: 5, Y: 7}, "L")
		const number = `(-?[\d.]+) `
		found := regexp.MustCompile(strings.Repeat(number, 6) + `cm\s+` + strings.Repeat(number, 6) + `cm\s[^q]*BT ` + number + number + `Td`).FindStringSubmatch(page(t, doc))
		if found == nil {
			t.Fatalf("no letter behind two matrices in %s", page(t, doc))
		}
		var x [14]float64
		for i := range x {
			x[i], _ = strconv.ParseFloat(found[i+1], 64)
		}
		move, turned, at := x[:6], x[6:12], x[12:]
		got := append(slices.Clone(turned[:4]), move[4]+at[0]*turned[0]+at[1]*turned[2], move[5]+at[0]*turned[1]+at[1]*turned[3])
		for i, w := range want {
			if math.Abs(got[i]-w) > 0.01 {
				t.Errorf("turned by %.3g, the matrix of a letter is %v, want %v", turn, got, want)
				break
			}
		}
	}
}
