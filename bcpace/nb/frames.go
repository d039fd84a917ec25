package nb

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"time"

	"bayescpace/bcpace/numtext"
)

// Frames are figures, tables and texts of which one is seen at a time, the first one at
// first, with a slider above them to choose. They need no kernel, so that the slider works in
// exported pages too. Where scripts do not run, on a code host and in a notebook that
// JupyterLab does not trust, the last frame is seen as Show alone shows it.
//
// Slider makes frames along the values of a parameter.
type Frames struct {
	// Along says what the slider goes along, such as "samples".
	Along string
	// Labels name the frames; nil counts them from 1.
	Labels []string
	// Figures are the frames, at least one: each is a figure, a chart of package viz,
	// anything else that Show shows, or an []any of several of these.
	Figures []any
	// Every is the time of a frame when the frames are played, with a button beside the
	// slider: from 10 ms to a minute, rounded down to a millisecond. 0 means no button.
	Every time.Duration
}

// The least and the longest time of a frame.
const (
	leastTime   = 10 * time.Millisecond // most screens show no more than a frame in it
	longestTime = time.Minute
)

// maxStrip is the width of an image in pixels that every browser draws.
const maxStrip = 1 << 14

// sliderJS is a function of its script element and of slides, that shows them.
//
//go:embed slider.js
var sliderJS string

// slides are frames as sliderJS reads them.
type slides struct {
	Along   string    `json:"along"`
	Labels  []string  `json:"labels"`
	Frames  [][]slide `json:"frames"`
	Strips  []string  `json:"strips"`  // addresses of images, each of figures side by side
	Outputs int       `json:"outputs"` // before the slider, that show the last frame without it
	Every   int64     `json:"every"`   // milliseconds of a frame, or 0
}

// slide is a part of a frame: HTML, or a figure on a strip.
type slide struct {
	HTML  string `json:"html,omitempty"`
	Strip int    `json:"strip"`
	At    int    `json:"at"`              // its place on the strip, from 0
	Of    int    `json:"of,omitempty"`    // places on the strip
	Width int    `json:"width,omitempty"` // in CSS pixels
	Base  int    `json:"base,omitempty"`  // 1 and the number of the image below the strip; 0 for none
	Alt   string `json:"alt,omitempty"`
}

// messages are the last frame, and the slider that takes its place where it can.
func (f Frames) messages(limit limits) ([]message, error) {
	n := len(f.Figures)
	switch {
	case n == 0:
		return nil, fmt.Errorf("nb: Frames has no figure, want at least one")
	case f.Every != 0 && (f.Every < leastTime || f.Every > longestTime):
		return nil, fmt.Errorf("nb: Frames.Every is %v, want %v to %v, or 0 for no button", f.Every, leastTime, longestTime)
	case f.Labels != nil && len(f.Labels) != n:
		return nil, fmt.Errorf("nb: Frames has %d labels for %d figures, want one for each, or none", len(f.Labels), n)
	}
	s := slides{Along: cleanLines(f.Along), Labels: make([]string, n), Frames: make([][]slide, n), Strips: []string{}, Every: f.Every.Milliseconds()}
	plain := make([]string, n)
	var columns []column // of the figures that stand at the same place in their frames
	var last []part
	for i, v := range f.Figures {
		s.Labels[i] = fmt.Sprint(i + 1)
		if f.Labels != nil {
			s.Labels[i] = cleanLines(f.Labels[i])
		}
		values, ok := v.([]any)
		if !ok {
			values = []any{v}
		}
		parts, err := partsOf(values)
		if err != nil {
			return nil, fmt.Errorf("nb: Frames.Figures[%d]: %w", i, err)
		}
		last, s.Frames[i] = parts, make([]slide, len(parts))
		texts := make([]string, len(parts))
		for j, p := range parts {
			if _, ok := p.value.(Frames); ok {
				return nil, fmt.Errorf("nb: Frames.Figures[%d] has Frames in it, want figures, tables or texts", i)
			}
			if p.figures != nil {
				for len(columns) <= j {
					columns = append(columns, column{})
				}
				columns[j].add(abreast(p.figures), &s.Frames[i][j])
				texts[j] = altsOf(p.figures)
				s.Frames[i][j].Alt = texts[j]
				continue
			}
			m := render1(p.value, limit)
			texts[j] = m.plain
			if s.Frames[i][j].HTML = m.html; m.html == "" {
				s.Frames[i][j].HTML = `<pre style="margin:0">` + escape(m.plain) + "</pre>"
			}
		}
		plain[i] = s.Labels[i] + ": " + strings.Join(texts, "\n")
	}
	for _, c := range columns {
		if err := c.draw(&s.Strips); err != nil {
			return nil, err
		}
	}
	ms, err := messagesOf(last, limit)
	if err != nil {
		return nil, err
	}
	s.Outputs = len(ms)
	data, err := json.Marshal(s) // which keeps < from ending the script
	if err != nil {
		return nil, fmt.Errorf("nb: encode Frames: %w", err)
	}
	// MathJax is kept from taking two dollar signs for a formula, as in inHTML.
	page := fmt.Sprintf(`<div class="tex2jax_ignore mathjax_ignore"><p style="margin:0">%s (%d of %d; the slider is in the exported page, and here when the cell has run)</p><script>(%s)(document.currentScript, %s)</script></div>`,
		escape(strings.TrimPrefix(s.Along+": "+s.Labels[n-1], ": ")), n, n, sliderJS, data)
	return append(ms, message{plain: strings.Join(plain, "\n"), html: page}), nil
}

// column is the figures that stand at the same place in their frames.
type column struct {
	rows          [][]Drawable
	slides        []*slide
	width, height int
}

func (c *column) add(row []Drawable, s *slide) {
	_, w, h := arrange(row)
	c.rows, c.slides = append(c.rows, row), append(c.slides, s)
	c.width, c.height = max(c.width, w), max(c.height, h)
}

// draw draws the figures side by side on an image, of which the page shows one place.
// There are several such strips where one would be too wide.
func (c *column) draw(strips *[]string) error {
	n := len(c.rows)
	if each := float64(c.width) * float64(c.height) * scale * scale; each*float64(n) > maxImage {
		most := int(maxImage / each)
		want := when(most > 0, fmt.Sprintf("%d of this size at most, or ", most)) + "smaller ones"
		return fmt.Errorf("nb: Frames are %d figures of %d × %d pixels, want %s", n, c.width, c.height, want)
	}
	most := max(1, maxStrip/max(1, scale*c.width))
	count := (n + most - 1) / max(1, most)
	base, err := c.strip(n-1, n)
	if err != nil {
		return err
	}
	var whole, over [][]byte
	bytes := 0 // fewer where frames are drawn over the last one
	for k := range count {
		from, to := k*n/count, (k+1)*n/count
		img, err := c.strip(from, to)
		if err != nil {
			return err
		}
		data, err := encode(reduce(img, 256))
		if err != nil {
			return err
		}
		rest, err := encode(overlay(img, base))
		if err != nil {
			return err
		}
		whole, over, bytes = append(whole, data), append(over, rest), bytes+len(rest)-len(data)
		for i := from; i < to; i++ {
			s := c.slides[i]
			s.Strip, s.At, s.Of, s.Width = len(*strips)+k, i, to-from, c.width
		}
	}
	below, err := encode(reduce(base, 256))
	if err != nil {
		return err
	}
	if bytes+len(below) < 0 {
		whole = append(over, below)
		for _, s := range c.slides {
			s.Base = len(*strips) + len(whole)
		}
	}
	for _, data := range whole {
		*strips = append(*strips, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(data))
	}
	return nil
}

// strip draws the frames from … to−1 side by side.
func (c *column) strip(from, to int) (*image.RGBA, error) {
	var imgs []image.Image
	var places []image.Point
	for i, row := range c.rows[from:to] {
		at, _, _ := arrange(row)
		for j, f := range row {
			img, err := f.Image(scale)
			if err != nil {
				return nil, err
			}
			imgs, places = append(imgs, img), append(places, at[j].Add(image.Pt(i*c.width, 0)))
		}
	}
	return join(imgs, places, (to-from)*c.width, c.height), nil
}

// overlay is a strip that is transparent wherever a frame is as the base: of frames that
// have much in common hardly a byte is left. The strip comes back as it is where it has too
// many colours for a palette.
func overlay(strip, base *image.RGBA) image.Image {
	same := make([]bool, len(strip.Pix)/4)
	marked := image.NewRGBA(strip.Rect)
	copy(marked.Pix, strip.Pix)
	w, row := base.Rect.Dx(), strip.Rect.Dx()
	for i := range same {
		at := 4 * (i/row*w + i%row%w)
		same[i] = [4]uint8(strip.Pix[4*i:4*i+4]) == [4]uint8(base.Pix[at:at+4])
	}
	// A page that draws the images smaller blends the pixels at the edge of what is the same:
	// these must be as in the base.
	const edge = 2 * scale
	same = shrink(shrink(same, 1, row, edge), row, len(same), edge)
	for i, as := range same {
		if as {
			copy(marked.Pix[4*i:], []uint8{255, 255, 255, 255})
		}
	}
	img, ok := reduce(marked, 255).(*image.Paletted)
	if !ok {
		return strip
	}
	img.Palette = slices.Insert(img.Palette, 0, color.Color(color.NRGBA{}))
	for i := range img.Pix {
		if img.Pix[i]++; same[i] {
			img.Pix[i] = 0
		}
	}
	return img
}

// shrink returns the marks that have none missing within some steps on both sides. The marks
// are in lines of a length, from one to the next of which is a step.
func shrink(marks []bool, step, length, by int) []bool {
	out := slices.Clone(marks)
	for i, mark := range marks {
		if mark {
			continue
		}
		line := i / length * length
		for k := max(i-by*step, line+(i-line)%step); k <= min(i+by*step, line+length-1, len(marks)-1); k += step {
			out[k] = false
		}
	}
	return out
}

// frameTime is how long a frame of Animate is seen: long enough to read a line of text.
const frameTime = 700 * time.Millisecond

// Animate returns frames that are played with a button, and by hand with a slider, such as
// the steps of an episode. A frame is what Show shows, or an []any of several. The name of a
// frame is what its String method says, or without one its number, from 0.
//
//	nb.Show(nb.Animate("step", viz.Episode{Model: room, Trajectory: t}.Steps()...))
//
// The first frame is seen first, and playing begins again there from the last one. Frames need no kernel:
// they play in exported pages too. Frames.Every is the time of a frame. There may be as many
// figures as have 25 million pixels together, such as 100 figures of 640 × 390; the error of
// more says how many of their size may be shown.
func Animate(along string, frames ...any) Frames {
	f := Frames{Along: along, Labels: []string{}, Figures: frames, Every: frameTime}
	for i, v := range frames {
		label := fmt.Sprint(i)
		if s, ok := v.(fmt.Stringer); ok {
			label = s.String()
		}
		f.Labels = append(f.Labels, label)
	}
	return f
}

// Slider returns a slider along the values of a parameter. It calls show with each of
// them, and Show lets the reader move between what it has returned: a figure, a table,
// anything else that Show shows, or an []any of several.
//
//	nb.Show(nb.Slider("accuracy", []float64{0.6, 0.7, 0.8, 0.9}, func(a float64) any {
//		return viz.QOverBelief{Run: nb.Explore(envs.Tiger{Accuracy: a}, cpace.Solver{Epsilon: 1, K: 20})}
//	}))
//
// All of it is computed before the slider can be moved, with a progress display. A cell
// is a program that has ended when its outputs are read; and so the slider follows the
// hand at once, goes on without a kernel, and works in an exported page. Runs come from
// the store where they are in it, so that one more value costs no more than that value.
//
// After an interrupt the slider goes along the values up to then, and the cell says so.
func Slider[T any](along string, values []T, show func(T) any) Frames {
	labels := texts(values, func(v T) string { return text(v) })
	return interruptible(func(ctx context.Context, out *output) (Frames, error) {
		f := slider(ctx, out, startProgress(along, "", out), labels, func(i int) any { return show(values[i]) })
		f.Along = along
		return f, nil
	})
}

func slider(ctx context.Context, out *output, progress *ProgressBar, labels []string, frame func(i int) any) Frames {
	f := Frames{Labels: []string{}}
	within := func(display func(share float64, status string)) {
		out.mu.Lock()
		defer out.mu.Unlock()
		out.within = display
	}
	for i, label := range labels {
		name := fmt.Sprintf("%s, %d of %d", clean(label), i+1, len(labels))
		part := func(share float64, status string) {
			progress.set((float64(i)+max(0, share))/float64(len(labels)), labelled(name, status))
		}
		part(0, "")
		within(part)
		f.Figures, f.Labels = append(f.Figures, frame(i)), append(f.Labels, label)
		if ctx.Err() != nil {
			break
		}
	}
	within(nil)
	progress.Close()
	if n := len(f.Labels); ctx.Err() != nil {
		out.show(message{plain: fmt.Sprintf("interrupted: the slider goes along %d of %s; execute the cell again for all", n, numtext.Several(len(labels), "value"))})
	}
	return f
}
