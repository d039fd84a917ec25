package methods

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
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
		return norm.NFC.String(letter + marks[part[1]])
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

	// marks are the accents as the characters that combine with the letter before them.
	marks = map[string]string{
		"'": "\u0301", "`": "\u0300", "^": "\u0302", `"`: "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
		"c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a",
	}
	// letters are those that have a command of their own.
	letters = map[string]string{
		`\ss`: "ß", `\o`: "ø", `\O`: "Ø", `\l`: "ł", `\L`: "Ł", `\aa`: "å", `\AA`: "Å", `\ae`: "æ", `\AE`: "Æ", `\oe`: "œ", `\OE`: "Œ",
		`\dj`: "đ", `\DJ`: "Đ", `\dh`: "ð", `\DH`: "Ð", `\th`: "þ", `\TH`: "Þ", `\i`: "ı", `\j`: "ȷ",
	}
	plain = strings.NewReplacer(`\&`, "&", `\%`, "%", `\$`, "$", `\#`, "#", `\_`, "_", `\{`, "{", `\}`, "}", "{", "", "}", "", "~", " ", "---", "—", "--", "–")
)
