package methods

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// paragraph is a text under way, with citations. It has texts and, at each odd place, a list
// of keys.
type paragraph struct {
	parts  []string // text, keys, text, keys, …, text
	cited  []string // keys in the order of their first citation
	extras map[string]Reference
}

func newParagraph() *paragraph {
	return &paragraph{parts: []string{""}, extras: make(map[string]Reference)}
}

// say appends text as it is.
func (p *paragraph) say(format string, args ...any) {
	p.parts[len(p.parts)-1] += fmt.Sprintf(format, args...)
}

// cite appends a citation.
func (p *paragraph) cite(keys ...string) {
	for _, k := range keys {
		if !slices.Contains(p.cited, k) {
			p.cited = append(p.cited, k)
		}
	}
	p.parts = append(p.parts, strings.Join(keys, ","), "")
}

// template appends a text of this package in which [@a,b] cites a and b.
func (p *paragraph) template(text string) {
	for {
		before, rest, found := strings.Cut(text, " [@")
		p.say("%s", before)
		if !found {
			return
		}
		keys, after, _ := strings.Cut(rest, "]")
		p.cite(strings.Split(keys, ",")...)
		text = after
	}
}

// reference returns the entry of a key.
func (p *paragraph) reference(key string) Reference {
	if r, ok := p.extras[key]; ok {
		return r
	}
	return library[key]
}

// plain is the text with citations by author and year.
func (p *paragraph) plain() string {
	var b strings.Builder
	for i, part := range p.parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		var names []string
		for _, k := range strings.Split(part, ",") {
			names = append(names, p.reference(k).short())
		}
		b.WriteString(" (" + strings.Join(names, "; ") + ")")
	}
	return b.String()
}

// latex is the text as LaTeX, in lines of some 90 bytes.
func (p *paragraph) latex() string {
	var b strings.Builder
	for i, part := range p.parts {
		if i%2 == 0 {
			b.WriteString(escape(part))
		} else {
			b.WriteString(`~\cite{` + part + "}")
		}
	}
	return wrap(b.String(), 90)
}

// wrap breaks a text at spaces into lines of at most so many bytes, where a word is not longer.
func wrap(text string, width int) string {
	var b strings.Builder
	line := 0
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
		case line+1+len(word) > width:
			b.WriteByte('\n')
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += len(word)
	}
	return b.String()
}

// escape writes a text as LaTeX: characters that mean something there, and mathematical ones.
// Letters of any script stay as they are.
func escape(text string) string {
	var b strings.Builder
	end := 0
	for _, x := range negative.FindAllStringIndex(text, -1) {
		b.WriteString(escaper.Replace(text[end:x[0]]))
		number := strings.TrimPrefix(text[x[0]:x[1]], "−")
		b.WriteString("$-" + strings.ReplaceAll(number, ",", "{,}") + "$")
		end = x[1]
	}
	return b.String() + escaper.Replace(text[end:])
}

// negative is a number with its minus, which belong into one formula.
var negative = regexp.MustCompile(`−[0-9]+(,[0-9]{3})*(\.[0-9]+)?`)

var escaper = strings.NewReplacer(
	"L_Q", "$L_Q$", "|Φ|", `$|\Phi|$`, "V*", "$V^*$", "Q̃", `$\tilde Q$`,
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", "$<$", ">", "$>$", "|", "$|$", `"`, "''",
	"α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`, "δ", `$\delta$`, "ε", `$\varepsilon$`, "η", `$\eta$`, "θ", `$\theta$`,
	"κ", `$\kappa$`, "λ", `$\lambda$`, "μ", `$\mu$`, "π", `$\pi$`, "ρ", `$\rho$`, "σ", `$\sigma$`, "τ", `$\tau$`,
	"φ", `$\varphi$`, "ϕ", `$\phi$`, "ω", `$\omega$`, "Φ", `$\Phi$`, "Σ", `$\Sigma$`, "Ω", `$\Omega$`, "Δ", `$\Delta$`,
	"−", "$-$", "±", `$\pm$`, "×", `$\times$`, "·", `$\cdot$`, "≤", `$\le$`, "≥", `$\ge$`, "≈", `$\approx$`, "∞", `$\infty$`,
	"²", "$^2$", "³", "$^3$", "°", `$^\circ$`, "½", `$\frac12$`, "¼", `$\frac14$`, "¾", `$\frac34$`, "′", "$'$", "…", `\ldots{}`,
	"–", "--", "—", "---", "“", "``", "”", "''", "‘", "`", "’", "'", "\u00a0", "~",
)
