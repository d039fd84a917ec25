package methods

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// paragraph is a text under way, with citations. It has texts and, at each odd place, a list
// of keys.
type paragraph struct {
	parts  []string   // text, keys, text, keys, …, text
	cited  []string   // keys in the order of their first citation
	known  []Citation // that it may cite
	scale  float64    // the largest size of a return of the model, or of a reward where returns have no bound
	earned string     // what a return is
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
	before, rest, found := strings.Cut(text, " [@")
	p.say("%s", before)
	if found {
		keys, after, _ := strings.Cut(rest, "]")
		p.cite(strings.Split(keys, ",")...)
		p.template(after)
	}
}

// add takes the references of a solver of the user's own and returns their keys.
func (p *paragraph) add(all []Citation) (keys []string, err error) {
	for _, r := range all {
		if err := r.check(); err != nil {
			return nil, err
		}
		same := func(key string) bool { return strings.EqualFold(key, r.Key) }
		bad := func(whose string) error {
			return bcpace.In(fmt.Sprintf("reference %q", r.Key)).Bad("Key", "that of "+whose, "a key of its own; BibTeX does not tell capitals from small letters in it")
		}
		switch at := slices.IndexFunc(p.known, func(k Citation) bool { return same(k.Key) }); {
		case slices.ContainsFunc(keys, same):
			return nil, bad("another reference of the solver")
		case at < 0:
			p.known = append(p.known, r)
		case !reflect.DeepEqual(r, p.known[at]):
			return nil, bad(fmt.Sprintf("another reference, which the toolkit cites: %q", p.known[at].Title))
		}
		keys = append(keys, r.Key)
	}
	return keys, nil
}

// check returns an *bcpace.InputError if a text has a control character, such as a newline, or a citation has no reference.
func (p *paragraph) check() error {
	for _, key := range p.cited {
		if p.reference(key).Key == "" {
			return bcpace.In("methods paragraph").Bad("a citation of the solver", strconv.Quote(key), "the key of one of its References (methods.Cited), or of a paper that the toolkit cites")
		}
	}
	for i, part := range p.parts {
		at := strings.IndexFunc(part, isControl)
		if i%2 != 0 || at < 0 {
			continue
		}
		before, after := []rune(part[:at]), []rune(part[at:])
		near := string(before[max(len(before)-30, 0):]) + string(after[:min(len(after), 10)])
		return bcpace.In("methods paragraph").Bad("a text of the model, the solver or the study", fmt.Sprintf("%+q", near), "one without control characters such as newlines")
	}
	return nil
}

func hasControl(text string) bool { return strings.ContainsFunc(text, isControl) }

// isControl reports whether c has no place in a line of text.
func isControl(c rune) bool {
	return unicode.IsControl(c) || c == '\u2028' || c == '\u2029' || c == unicode.ReplacementChar
}

// reference returns the entry of a key; the zero value where there is none.
func (p *paragraph) reference(key string) (r Citation) {
	if i := slices.IndexFunc(p.known, func(k Citation) bool { return k.Key == key }); i >= 0 {
		r = p.known[i]
	}
	return r
}

// plain is the text with citations by author and year.
func (p *paragraph) plain() string {
	return p.written(func(text string) string { return text }, func(keys string) string {
		names := strings.Split(keys, ",")
		for i, k := range names {
			names[i] = p.reference(k).short()
		}
		return " (" + strings.Join(names, "; ") + ")"
	})
}

// latex is the text as LaTeX, in lines of some 90 bytes.
func (p *paragraph) latex() string {
	return numtext.Wrap(p.written(escape, func(keys string) string { return `~\cite{` + keys + "}" }), 90)
}

// written joins the texts and the lists of keys as they are to be written.
func (p *paragraph) written(text, cited func(string) string) string {
	var b strings.Builder
	for i, part := range p.parts {
		b.WriteString([]func(string) string{text, cited}[i%2](part))
	}
	return b.String()
}

// escape writes a text as LaTeX: characters that mean something there, straight quotes, and
// mathematical symbols. Letters of any script stay as they are.
func escape(text string) string {
	text = quoted(text)
	var b strings.Builder
	end := 0
	for _, at := range formulas.FindAllStringIndex(text, -1) {
		x := formulas.FindStringSubmatch(text[at[0]:at[1]])
		b.WriteString(escaper.Replace(text[end:at[0]]) + formula(x[1], x[2], x[3], x[4], x[5]))
		end = at[1]
	}
	return b.String() + escaper.Replace(text[end:])
}

// formulas finds what belongs into one formula: a number below zero or with a power of ten,
// superscripts, and subscripts. Its groups are a number below zero, the exponent of ten behind
// that number, a power of ten, superscripts and subscripts.
var formulas = regexp.MustCompile(`(−[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)((?:(?:·10)?[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|e[+-]?[0-9]+)?)` +
	`|((?:[0-9]+(?:\.[0-9]+)?·)?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+)|([₀₁₂₃₄₅₆₇₈₉]+)`)

func formula(negative, exponent, power, super, sub string) string {
	if strings.HasPrefix(exponent, "e") {
		n, err := strconv.Atoi(exponent[1:])
		if err != nil { // more digits than an exponent has
			return formula(negative, "", "", "", "") + exponent
		}
		negative, exponent = numtext.TimesPower(negative, n), ""
	}
	switch {
	case super != "":
		return "$^" + braced(super) + "$"
	case sub != "":
		return "$_" + braced(sub) + "$"
	}
	number := strings.NewReplacer("−", "-", ",", "{,}", "·", `\cdot `).Replace(negative + exponent + power)
	return "$" + superscripts.ReplaceAllStringFunc(number, func(s string) string { return "^" + braced(s) }) + "$"
}

var superscripts = regexp.MustCompile(`[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+`)

// braced writes superscripts or subscripts as the argument of ^ or _.
func braced(text string) string {
	if text = level.Replace(text); len(text) > 1 {
		return "{" + text + "}"
	}
	return text
}

// quoted makes straight quotes open at the beginning of a word and close elsewhere.
func quoted(text string) string {
	var b strings.Builder
	last := ' '
	for _, c := range text {
		switch {
		case c != '"':
			b.WriteRune(c)
		case unicode.IsSpace(last) || strings.ContainsRune("([{=:,;/–—“", last):
			b.WriteRune('“')
		default:
			b.WriteRune('”')
		}
		last = c
	}
	return b.String()
}

var escaper = strings.NewReplacer(
	"L_Q", "$L_Q$", "|Φ|", `$|\Phi|$`, "V*", "$V^*$", "Q̃", `$\tilde Q$`,
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", "$<$", ">", "$>$", "|", "$|$",
	"α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`, "δ", `$\delta$`, "ε", `$\varepsilon$`, "ϵ", `$\epsilon$`, "ζ", `$\zeta$`,
	"η", `$\eta$`, "θ", `$\theta$`, "ϑ", `$\vartheta$`, "ι", `$\iota$`, "κ", `$\kappa$`, "λ", `$\lambda$`, "μ", `$\mu$`, "µ", `$\mu$`,
	"ν", `$\nu$`, "ξ", `$\xi$`, "π", `$\pi$`, "ρ", `$\rho$`, "σ", `$\sigma$`, "τ", `$\tau$`, "υ", `$\upsilon$`,
	"φ", `$\varphi$`, "ϕ", `$\phi$`, "χ", `$\chi$`, "ψ", `$\psi$`, "ω", `$\omega$`,
	"Γ", `$\Gamma$`, "Δ", `$\Delta$`, "Θ", `$\Theta$`, "Λ", `$\Lambda$`, "Ξ", `$\Xi$`, "Π", `$\Pi$`, "Σ", `$\Sigma$`,
	"Φ", `$\Phi$`, "Ψ", `$\Psi$`, "Ω", `$\Omega$`, "ℓ", `$\ell$`, "ℝ", `$\mathbf{R}$`, "ℕ", `$\mathbf{N}$`, "ℤ", `$\mathbf{Z}$`,
	"−", "$-$", "±", `$\pm$`, "×", `$\times$`, "·", `$\cdot$`, "⋅", `$\cdot$`, "÷", `$\div$`, "∘", `$\circ$`, "°", `$^\circ$`, "√", `$\surd$`,
	"≤", `$\le$`, "≥", `$\ge$`, "≠", `$\ne$`, "≈", `$\approx$`, "≡", `$\equiv$`, "∼", `$\sim$`, "∝", `$\propto$`, "≪", `$\ll$`, "≫", `$\gg$`,
	"∈", `$\in$`, "∉", `$\notin$`, "⊂", `$\subset$`, "⊆", `$\subseteq$`, "∪", `$\cup$`, "∩", `$\cap$`, "∅", `$\emptyset$`, "∖", `$\setminus$`,
	"∀", `$\forall$`, "∃", `$\exists$`, "¬", `$\neg$`, "∧", `$\wedge$`, "∨", `$\vee$`, "‖", `$\|$`, "⟨", `$\langle$`, "⟩", `$\rangle$`,
	"→", `$\to$`, "←", `$\leftarrow$`, "↔", `$\leftrightarrow$`, "↦", `$\mapsto$`, "⇒", `$\Rightarrow$`, "⇔", `$\Leftrightarrow$`, "↑", `$\uparrow$`, "↓", `$\downarrow$`,
	"∑", `$\sum$`, "∏", `$\prod$`, "∫", `$\int$`, "∂", `$\partial$`, "∇", `$\nabla$`, "∞", `$\infty$`,
	"½", `$\frac12$`, "¼", `$\frac14$`, "¾", `$\frac34$`, "′", "$'$", "…", `\ldots{}`,
	"–", "--", "—", "---", "“", "``", "”", "''", "‘", "`", "’", "'", "\u00a0", "~", "\u202f", `\,`, "\u2009", `\,`,
	"\u00ad", `\-`, "\u200b", "", "\u2060", "", "\ufeff", "",
)
