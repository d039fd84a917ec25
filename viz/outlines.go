package viz

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outlined is a canvas that draws the shapes of letters, so that they look the same where
// their font is missing.
type outlined struct{ vg.Canvas }

func (c outlined) FillString(face font.Face, at vg.Point, text string) {
	var buf sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	unit := face.Font.Size / vg.Length(em)
	var path vg.Path
	for _, run := range kerned(face, text) {
		x := at.X + run.at
		for _, r := range run.text {
			glyph, err := face.Face.GlyphIndex(&buf, r)
			if err != nil {
				continue
			}
			on := func(p fixed.Point26_6) vg.Point { // glyphs have their Y axis downward
				return vg.Point{X: x + vg.Length(p.X)*unit, Y: at.Y - vg.Length(p.Y)*unit}
			}
			segments, err := face.Face.LoadGlyph(&buf, glyph, em, nil)
			if err != nil {
				continue
			}
			for _, s := range segments {
				switch s.Op {
				case sfnt.SegmentOpMoveTo:
					path.Move(on(s.Args[0]))
				case sfnt.SegmentOpLineTo:
					path.Line(on(s.Args[0]))
				case sfnt.SegmentOpQuadTo:
					path.QuadTo(on(s.Args[0]), on(s.Args[1]))
				case sfnt.SegmentOpCubeTo:
					path.CubeTo(on(s.Args[0]), on(s.Args[1]), on(s.Args[2]))
				}
			}
			x += face.Width(string(r))
		}
	}
	if len(path) > 0 {
		c.Fill(path)
	}
}

// kernedRun is a part of a line without kerning, at a distance from its beginning.
type kernedRun struct {
	text string
	at   vg.Length
}

// kerned cuts a line where its font moves two letters closer or farther apart, as
// font.Face.Width counts it.
func kerned(face font.Face, line string) []kernedRun {
	runs := []kernedRun{{}}
	var at vg.Length
	last := ""
	for _, r := range line {
		letter := string(r)
		advance := face.Width(letter)
		if kern := face.Width(last+letter) - face.Width(last) - advance; last != "" && max(kern, -kern) > 1e-6*face.Font.Size {
			at += kern
			runs = append(runs, kernedRun{at: at})
		}
		runs[len(runs)-1].text += letter
		at += advance
		last = letter
	}
	return runs
}
