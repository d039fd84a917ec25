package nb

import (
	"encoding/base64"
	"fmt"
	"html"
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

// choose shows the frame that the slider stands at.
const choose = `var at=this.value;this.closest('div').querySelectorAll('figure').forEach(function(f,i){f.style.display=i==at?'':'none'})`

// message renders all frames.
func (f Frames) message() (message, error) {
	n := len(f.Figures)
	switch {
	case n == 0:
		return message{}, fmt.Errorf("nb: Frames has no figure, want at least one")
	case f.Labels != nil && len(f.Labels) != n:
		return message{}, fmt.Errorf("nb: Frames has %d labels for %d figures, want one for each, or none", len(f.Labels), n)
	}
	along := html.EscapeString(cleanLines(f.Along))
	var page strings.Builder
	plain := make([]string, n)
	// MathJax is kept from taking two dollar signs for a formula, as in writeText.
	fmt.Fprintf(&page, `<div class="tex2jax_ignore mathjax_ignore" style="overflow-x:auto"><label>%s <input type="range" min="0" max="%d" value="%d" oninput="%s"></label>`,
		along, n-1, n-1, html.EscapeString(choose))
	for i, v := range f.Figures {
		figure, ok, err := figureOf(v)
		if err != nil {
			return message{}, err
		}
		if x := reflect.ValueOf(figure); !ok || x.Kind() == reflect.Pointer && x.IsNil() {
			return message{}, fmt.Errorf("nb: Frames.Figures[%d] is a %T, want a figure", i, v)
		}
		png, err := figure.PNG(scale)
		if err != nil {
			return message{}, err
		}
		label, display := fmt.Sprint(i+1), ` style="margin:0;display:none"`
		if f.Labels != nil {
			label = cleanLines(f.Labels[i])
		}
		if i == n-1 {
			display = ` style="margin:0"`
		}
		w, h := figure.Size()
		alt := altOf(figure)
		plain[i] = label + ": " + alt
		fmt.Fprintf(&page, `<figure%s><img alt="%s" width="%d" height="%d" src="data:image/png;base64,%s"><figcaption>%s: %s</figcaption></figure>`,
			display, html.EscapeString(alt), w, h, base64.StdEncoding.EncodeToString(png), along, html.EscapeString(label))
	}
	page.WriteString("</div>")
	return message{plain: strings.Join(plain, "\n"), html: page.String()}, nil
}
