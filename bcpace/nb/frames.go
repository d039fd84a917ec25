package nb

import (
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"reflect"
	"strings"
)

// Frames are figures of which one is seen at a time, the last one at first, with
// a slider to choose. They need no kernel, so that the slider works in exported
// pages too; a code host, which shows no scripts, shows their descriptions.
type Frames struct {
	// Along says what the slider goes along, such as "samples".
	Along string
	// Labels name the frames; nil counts them from 1.
	Labels []string
	// Figures are figures or charts of package viz, at least one.
	Figures []any
}

// maxStrip is the width of an image in pixels that every browser draws.
const maxStrip = 1 << 14

// showFrame shows the frame that the slider stands at: its description, and its
// place on its strip.
const showFrame = `var box=this.closest('div'),all=box.querySelectorAll('p'),strips=box.querySelectorAll('img'),at=+this.value,n=Math.ceil(all.length/strips.length);` +
	`all.forEach(function(p,i){p.style.display=i==at?'':'none'});` +
	`strips.forEach(function(s,i){var here=i==Math.floor(at/n);s.style.display=here?'block':'none';` +
	`if(here){s.style.marginLeft=-100*(at-i*n)+'%';s.alt=all[at].textContent}});` +
	`this.setAttribute('aria-valuetext',all[at].firstChild.textContent)`

// message renders all frames.
func (f Frames) message() (message, error) {
	n := len(f.Figures)
	switch {
	case n == 0:
		return message{}, fmt.Errorf("nb: Frames has no figure, want at least one")
	case f.Labels != nil && len(f.Labels) != n:
		return message{}, fmt.Errorf("nb: Frames has %d labels for %d figures, want one for each, or none", len(f.Labels), n)
	}
	figs := make([]Figure, n)
	width, height := 0, 0
	for i, v := range f.Figures {
		figure, ok, err := figureOf(v)
		if err != nil {
			return message{}, err
		}
		if x := reflect.ValueOf(figure); !ok || x.Kind() == reflect.Pointer && x.IsNil() {
			return message{}, fmt.Errorf("nb: Frames.Figures[%d] is a %T, want a figure", i, v)
		}
		figs[i] = figure
		w, h := figure.Size()
		width, height = max(width, w), max(height, h)
	}
	if float64(width)*float64(height)*float64(n)*scale*scale > maxImage {
		return message{}, fmt.Errorf("nb: Frames are %d figures of %d × %d pixels, want fewer or smaller ones", n, width, height)
	}

	plain, captions := make([]string, n), make([]string, n)
	along := cleanLines(f.Along)
	for i, figure := range figs {
		label := fmt.Sprint(i + 1)
		if f.Labels != nil {
			label = cleanLines(f.Labels[i])
		}
		plain[i] = label + ": " + altOf(figure)
		captions[i] = strings.TrimPrefix(along+": "+label, ": ")
	}
	// MathJax is kept from taking two dollar signs for a formula, as in writeText,
	// and JupyterLab from taking the keys that move the slider.
	var page strings.Builder
	fmt.Fprintf(&page, `<div class="tex2jax_ignore mathjax_ignore"><label>%s <input type="range" style="vertical-align:middle" min="0" max="%d" value="%d" aria-valuetext="%s" data-lm-suppress-shortcuts="true" oninput="%s"></label>`,
		html.EscapeString(along), n-1, n-1, html.EscapeString(captions[n-1]), inAttribute(showFrame))
	// A card as card makes it.
	fmt.Fprintf(&page, "\n"+`<div style="width:%dpx;max-width:100%%;overflow:hidden;background:#ffffff;border-radius:%dpx;margin:0.3em 0">`, width, corner)
	if err := strips(&page, figs, width, height, captions[n-1]+". "+altOf(figs[n-1])); err != nil {
		return message{}, err
	}
	page.WriteString("</div>")
	for i := range figs {
		display := "none"
		if i == n-1 {
			display = "block"
		}
		fmt.Fprintf(&page, "\n"+`<p style="margin:0;display:%s">%s<span style="display:none">. %s</span></p>`, display, html.EscapeString(captions[i]), html.EscapeString(altOf(figs[i])))
	}
	page.WriteString("</div>")
	return message{plain: strings.Join(plain, "\n"), html: page.String()}, nil
}

// strips writes the frames side by side as one image, of which a window shows
// one: what a frame has in common with the one before it, most of it often, then
// takes hardly a byte. There are several strips where one would be too wide. The
// last frame, whose description is given, is the one seen at first.
func strips(page *strings.Builder, figs []Figure, width, height int, last string) error {
	n := len(figs)
	most := max(1, maxStrip/max(1, scale*width))
	count := (n + most - 1) / most
	most = (n + count - 1) / count // evenly, as showFrame has it
	for from := 0; from < n; from += most {
		shown := figs[from:min(from+most, n)]
		imgs := make([]image.Image, len(shown))
		places := make([]image.Point, len(shown))
		for i, figure := range shown {
			var err error
			if imgs[i], err = draw1(figure); err != nil {
				return err
			}
			places[i].X = i * width
		}
		data, err := encode(reduce(join(imgs, places, len(shown)*width, height), 256))
		if err != nil {
			return err
		}
		display, at, alt := "none", 0, ""
		if from+most >= n {
			display, at, alt = "block", len(shown)-1, last
		}
		fmt.Fprintf(page, `<img alt="%s" style="display:%s;width:%d%%;max-width:none;height:auto;margin:0;margin-left:%d%%" src="data:image/png;base64,%s">`,
			html.EscapeString(alt), display, 100*len(shown), -100*at, base64.StdEncoding.EncodeToString(data))
	}
	return nil
}
