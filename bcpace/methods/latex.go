package methods

import (
	"bayescpace/bcpace/numtext"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// escape writes a text as LaTeX: characters that mean something there, straight quotes, and
// mathematical symbols. Letters of any script stay as they are.
func escape(text string) string {
	text = quoted(text)
	var b strings.Builder
	end := 0
	for _, x := range formulas.FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string {
			if x[2*i] < 0 {
				return ""
			}
			return text[x[2*i]:x[2*i+1]]
		}
		b.WriteString(escaper.Replace(text[end:x[0]]))
		b.WriteString(formula(part(1), part(2), part(3), part(4), part(5)))
		end = x[1]
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
