package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"

	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/store"
	"bayescpace/viz"
)

var plotVerb = newVerb[plotArgs]("plot", "draw a figure of a saved run as PNG, SVG or PDF, or sketch it in the terminal",
	"(--run FILE | --policy FILE [--model FILE [--property TEXT]]) [--process COMMAND] [--figure NAME] [--out FILE [--force]]",
	"plot --run tiger.bcp --figure values --out tiger.svg",
	"plot --run chain.bcp --figure bounds --out -")

// figures are what can be drawn of a run.
var figures = map[string]struct {
	doc  string
	draw func(r *runs.Run) viz.Chart
}{
	"bounds":  {"the bounds of a certified run against its samples", func(r *runs.Run) viz.Chart { return viz.Bounds{Runs: []viz.BoundsRun{{Run: r}}} }},
	"explore": {"samples and escapes against episodes", func(r *runs.Run) viz.Chart { return viz.Exploration{Run: r} }},
	"escapes": {"the escapes so far against episodes", func(r *runs.Run) viz.Chart { return viz.Escapes{Runs: []viz.EscapesRun{{Run: r}}} }},
	"returns": {"the returns while exploring", func(r *runs.Run) viz.Chart { return viz.Returns{Run: r} }},
	"values":  {"values against the belief in one of two latents", func(r *runs.Run) viz.Chart { return viz.QOverBelief{Run: r} }},
	"beliefs": {"actions over the beliefs in three latents", func(r *runs.Run) viz.Chart { return viz.BeliefSimplex{Run: r} }},
	"known":   {"known beliefs in three latents", func(r *runs.Run) viz.Chart { return viz.KnownBeliefs{Run: r} }},
	"states":  {"values and actions in a plane of the state", func(r *runs.Run) viz.Chart { return viz.StateMap{Run: r} }},
	"room":    {"known places of two axes of the state, such as a room", func(r *runs.Run) viz.Chart { return viz.KnownRoom{Run: r} }},
}

// policyFigure is what can be drawn of a policy that is no run.
const policyFigure = "states"

// sketched is --out for a sketch in the terminal.
const sketched = "-"

// defaultWidth is the width of a page's text in millimetres.
const defaultWidth = 165

// plotArgs are the flags of plot.
type plotArgs struct {
	saved       savedArgs
	figure, out string
	width       float64
}

func (a *plotArgs) flags(f *flags) {
	a.figure, a.width = "explore", defaultWidth
	f.section("figure")
	a.saved.flags(f, "")
	docs := each(slices.Sorted(maps.Keys(figures)), func(name string) string { return name + " (" + figures[name].doc + ")" })
	f.value("figure", "NAME", "what to draw: "+strings.Join(docs, ", ")+"; explore is the default, and of a policy states, without values", text(&a.figure))
	f.section("output")
	f.value("out", "FILE", "write a .png, .svg or .pdf file; - sketches the figure in the terminal above its description in words; without the flag the sketch is there in a terminal alone", text(&a.out))
	f.value("width", "MM", fmt.Sprintf("width of a .svg or .pdf in millimetres (default %d)", defaultWidth), float(&a.width))
	f.forceFlag()
}

// plot is the verb plot.
func (a *plotArgs) run(p program, f *flags) error {
	how, ok := figures[a.figure]
	if !ok {
		return misuse("unknown figure %q, want %s", a.figure, numtext.OneOf(a.figure, slices.Sorted(maps.Keys(figures))))
	}
	format := strings.TrimPrefix(extension(a.out), ".")
	if a.out != "" && a.out != sketched {
		if err := cmp.Or(
			need(slices.Contains([]string{"png", "svg", "pdf"}, format), "--out is %q, want a name that ends in .png, .svg or .pdf, or -", a.out),
			f.checkTarget("out", a.out, figureKind)); err != nil {
			return err
		}
	}
	s, err := a.saved.playable(p, f)
	if err != nil {
		return err
	}
	if s.run == nil && f.given["figure"] && a.figure != policyFigure {
		return misuse("--figure %s is of a run, and a policy has %s alone", a.figure, policyFigure)
	}
	chart := viz.Chart(viz.StateMap{Policy: s.policy, Model: s.model})
	if s.run != nil {
		chart = how.draw(s.run)
	}
	fig, err := chart.Figure()
	if err != nil && s.run == nil {
		return fmt.Errorf("the actions of a policy are drawn over two axes of states and beliefs, which the model may lack: %w", err)
	}
	if err != nil {
		return err
	}
	if page := newPage(p.stdout); a.out == "" || a.out == sketched {
		if a.out == sketched || page.rich {
			data, err := fig.PNG(1)
			if err != nil {
				return err
			}
			img, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				return fmt.Errorf("sketching the figure: %w", err)
			}
			fmt.Fprintln(p.stdout, braille(img, page.width))
		}
		page.text(fig.Alt, 0)
		return nil
	}
	var data []byte
	if format == "png" {
		data, err = fig.PNG(2)
	} else {
		data, _, err = fig.Paper(format, a.width)
	}
	if err == nil {
		err = store.WriteFile(a.out, bytes.NewBuffer(data))
	}
	return err
}

const (
	across, down = 2, 4
	blank        = '\u2800'
	// ink is which part of a dot's area must differ from the ground for the dot to be set, and differs how much a channel does then, of 65535.
	ink     = 0.2
	differs = 0x3000
)

// bits are those of the dots of a character, by row and column.
var bits = [down][across]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// braille returns img as lines of so many characters, 1 or more, for characters that are twice as high as wide. The colour of
// the upper left corner is the ground.
func braille(img image.Image, columns int) string {
	b := img.Bounds()
	if b.Empty() || columns < 1 {
		return ""
	}
	dots := columns * across
	size := float64(b.Dx()) / float64(dots)
	rows := max(1, int(float64(b.Dy())/size/down+0.5))
	high := float64(b.Dy()) / float64(rows*down)
	ground := img.At(b.Min.X, b.Min.Y)
	r0, g0, b0, _ := ground.RGBA()
	inked := func(x, y int) bool {
		r, g, b, _ := img.At(x, y).RGBA()
		return apart(r, r0) > differs || apart(g, g0) > differs || apart(b, b0) > differs
	}
	set := func(i, j int) bool {
		n, all := 0, 0
		for y := b.Min.Y + int(float64(j)*high); y < b.Min.Y+max(int(float64(j+1)*high), int(float64(j)*high)+1); y++ {
			for x := b.Min.X + int(float64(i)*size); x < b.Min.X+max(int(float64(i+1)*size), int(float64(i)*size)+1); x++ {
				if all++; inked(x, y) {
					n++
				}
			}
		}
		return float64(n) > ink*float64(all)
	}
	var out strings.Builder
	for row := range rows {
		var line strings.Builder
		for column := range columns {
			c := rune(blank)
			for j := range down {
				for i := range across {
					if set(column*across+i, row*down+j) {
						c |= bits[j][i]
					}
				}
			}
			line.WriteRune(c)
		}
		out.WriteString(strings.TrimRight(line.String(), string(blank)) + "\n")
	}
	return out.String()
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }
