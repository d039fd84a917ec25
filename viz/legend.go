package viz

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LegendEntry explains one sign of a figure. Parts that are zero are left out.
type LegendEntry struct {
	Text   string
	Line   draw.LineStyle  // drawn across the key
	Marker draw.GlyphStyle // drawn in the middle of the key
	Fill   color.Color     // fills the key
	// Ramp, if set, is a bar of colours from 0 to 1 instead of the key, with
	// Text at its left end and RampEnd at its right.
	Ramp    func(float64) color.Color
	RampEnd string
}

const (
	keyWidth, rampWidth = 28 * px, 100 * px
	rowHeight           = 19 * px
	entryGap, keyGap    = 18 * px, 6 * px
	maxRows             = 5
	// lift sets the middle of small letters on a line, where plot sets the
	// middle of ascender and descender.
	lift = 1.3 * px
)

// width returns the width of the entry once its texts are shortened to fit.
func (e *LegendEntry) width() vg.Length {
	if e.Ramp != nil {
		return labelStyle.Width(e.Text) + labelStyle.Width(e.RampEnd) + rampWidth + 2*keyGap
	}
	return keyWidth + keyGap + labelStyle.Width(e.Text)
}

// placed is a legend entry with its texts shortened and its place: its row, and
// the distance from the left edge.
type placed struct {
	LegendEntry
	x   vg.Length
	row int
}

// layoutLegend arranges the entries in rows of the given width, and returns
// the number of rows.
func (f *Figure) layoutLegend(width vg.Length) (entries []placed, rows int) {
	var x vg.Length
	row := 0
	for i, e := range f.Legend {
		most := max(width*0.6, min(width-keyWidth-keyGap, 360*px))
		if e.Ramp != nil {
			most = max(width*0.25, (width-rampWidth-2*keyGap)/2)
		}
		e.Text = fit(words(e.Text, maxWords), labelStyle, most)
		e.RampEnd = fit(words(e.RampEnd, maxWords), labelStyle, most)
		if x > 0 && x+e.width() > width {
			x, row = 0, row+1
			if row == maxRows {
				e = LegendEntry{Text: fmt.Sprintf("and %d more", len(f.Legend)-i)}
			}
		}
		entries = append(entries, placed{e, x, row})
		if row == maxRows {
			break
		}
		x += e.width() + entryGap
	}
	if len(entries) == 0 {
		return nil, 0
	}
	return entries, row + 1
}

// drawLegend draws the entries below each other's rows at the top of c, and
// returns the rest of c.
func (f *Figure) drawLegend(c draw.Canvas) draw.Canvas {
	entries, rows := f.layoutLegend(c.Max.X - c.Min.X)
	sty := labelStyle
	sty.YAlign = draw.YCenter
	for _, e := range entries {
		e.draw(c, vg.Point{X: c.Min.X + e.x, Y: c.Max.Y - rowHeight*(vg.Length(e.row)+0.5)}, sty)
	}
	c.Max.Y -= legendHeight(rows)
	return c
}

func legendHeight(rows int) vg.Length {
	if rows == 0 {
		return 0
	}
	return rowHeight*vg.Length(rows) + 8*px
}

// draw draws the entry with the middle of its left edge at the given point.
func (e *LegendEntry) draw(c draw.Canvas, at vg.Point, sty draw.TextStyle) {
	if e.Ramp != nil {
		c.FillText(sty, vg.Point{X: at.X, Y: at.Y + lift}, e.Text)
		x := at.X + sty.Width(e.Text) + keyGap
		drawRamp(c, e.Ramp, x, at.Y, rampWidth, 11*px)
		c.FillText(sty, vg.Point{X: x + rampWidth + keyGap, Y: at.Y + lift}, e.RampEnd)
		return
	}
	if e.Fill != nil {
		c.SetColor(e.Fill)
		c.Fill(vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - 5.5*px}, Max: vg.Point{X: at.X + keyWidth, Y: at.Y + 5.5*px}}.Path())
	}
	if e.Line.Width > 0 {
		c.StrokeLine2(e.Line, at.X, at.Y, at.X+keyWidth, at.Y)
	}
	if e.Marker.Shape != nil && e.Marker.Radius > 0 {
		e.Marker.Shape.DrawGlyph(&c, e.Marker, vg.Point{X: at.X + keyWidth/2, Y: at.Y})
	}
	c.FillText(sty, vg.Point{X: at.X + keyWidth + keyGap, Y: at.Y + lift}, e.Text)
}

// drawRamp draws a bar of colours with its left end at (x, y).
func drawRamp(c draw.Canvas, ramp func(float64) color.Color, x, y, width, height vg.Length) {
	const steps = 33
	for i := range steps {
		// Each step reaches under the next, so that no gap shows between them.
		left, right := x+width*vg.Length(i)/steps, x+width*min(vg.Length(i)+2, steps)/steps
		c.SetColor(ramp(float64(i) / (steps - 1)))
		c.Fill(vg.Rectangle{Min: vg.Point{X: left, Y: y - height/2}, Max: vg.Point{X: right, Y: y + height/2}}.Path())
	}
}
