package methods

import (
	"regexp"
	"strings"
)

// family is the family of an author, or the name of a group, as text.
func family(author string) string {
	depth, escaped := 0, false
	for i, c := range author {
		switch {
		case escaped:
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			return unLaTeX(author[:i])
		}
		escaped = c == '\\' && !escaped
	}
	return unLaTeX(author)
}

// unLaTeX writes LaTeX of names as text: letters with accents, letters that have a command,
// escaped characters, ties, and braces, which show nothing. Other commands stay.
func unLaTeX(text string) string {
	text = accented.ReplaceAllStringFunc(text, func(found string) string {
		part := accented.FindStringSubmatch(found)
		letter := strings.Trim(part[2], `\{} `)
		accent := accents[part[1]]
		if i := strings.Index(accent.below, letter); i >= 0 {
			return string([]rune(accent.with)[i])
		}
		return letter + accent.mark
	})
	text = command.ReplaceAllStringFunc(text, func(found string) string {
		if letter, ok := letters[strings.TrimRight(found, "{} ")]; ok {
			return letter
		}
		return found
	})
	return plain.Replace(text)
}

var (
	// accented is an accent and the letter below it: \"o, \"{o}, \H o, \c{c}, \'\i.
	accented = regexp.MustCompile("\\\\([\"'`^~=.]|[cvuHkr]\\b) *" + `(\{ *\\?[A-Za-z] *\}|\\[ij]\b *|[A-Za-z])`)
	// command is a command of letters with the spaces or empty braces that end it.
	command = regexp.MustCompile(`\\[A-Za-z]+(?:\{\}| *)`)

	// accents have letters below them, the same letters with the accent, and the mark that
	// stands behind a letter that has no character with the accent.
	accents = map[string]struct{ below, with, mark string }{
		"'": {"aeiouycnszrlAEIOUYCNSZRL", "áéíóúýćńśźŕĺÁÉÍÓÚÝĆŃŚŹŔĹ", "\u0301"},
		"`": {"aeiouAEIOU", "àèìòùÀÈÌÒÙ", "\u0300"},
		"^": {"aeioucghjswyAEIOUCGHJSWY", "âêîôûĉĝĥĵŝŵŷÂÊÎÔÛĈĜĤĴŜŴŶ", "\u0302"},
		`"`: {"aeiouyAEIOUY", "äëïöüÿÄËÏÖÜŸ", "\u0308"},
		"~": {"anoiuANOIU", "ãñõĩũÃÑÕĨŨ", "\u0303"},
		"=": {"aeiouAEIOU", "āēīōūĀĒĪŌŪ", "\u0304"},
		".": {"zecgZECGI", "żėċġŻĖĊĠİ", "\u0307"},
		"c": {"cstglnkrCSTGLNKR", "çşţģļņķŗÇŞŢĢĻŅĶŖ", "\u0327"},
		"v": {"cszerndtlCSZERNDTL", "čšžěřňďťľČŠŽĚŘŇĎŤĽ", "\u030c"},
		"u": {"agueioAGUEIO", "ăğŭĕĭŏĂĞŬĔĬŎ", "\u0306"},
		"H": {"ouOU", "őűŐŰ", "\u030b"},
		"k": {"aeiuAEIU", "ąęįųĄĘĮŲ", "\u0328"},
		"r": {"auAU", "åůÅŮ", "\u030a"},
	}
	letters = map[string]string{
		`\ss`: "ß", `\o`: "ø", `\O`: "Ø", `\l`: "ł", `\L`: "Ł", `\aa`: "å", `\AA`: "Å", `\ae`: "æ", `\AE`: "Æ", `\oe`: "œ", `\OE`: "Œ",
		`\dj`: "đ", `\DJ`: "Đ", `\dh`: "ð", `\DH`: "Ð", `\th`: "þ", `\TH`: "Þ", `\i`: "ı", `\j`: "ȷ",
	}
	plain = strings.NewReplacer(`\&`, "&", `\%`, "%", `\$`, "$", `\#`, "#", `\_`, "_", `\{`, "{", `\}`, "}", "{", "", "}", "", "~", " ", "---", "—", "--", "–")
)
