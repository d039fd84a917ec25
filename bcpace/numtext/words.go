package numtext

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// OneOf says what a word may be, and which of these it was probably meant to be, as the rest of a sentence that begins with "want".
func OneOf(word string, words []string) string {
	return "one of " + strings.Join(words, ", ") + Meant(word, words)
}

// Meant returns "; did you mean x?" for the word that is most like another one, or nothing where none is.
func Meant(word string, words []string) string {
	best, like := 1+max(1, utf8.RuneCountInString(word)/3), ""
	for _, w := range words {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), w); d < best {
			best, like = d, w
		}
	}
	if like == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", like)
}

// Wrap breaks a text at spaces into lines of at most so many characters, where no word is longer.
func Wrap(text string, width int) string {
	var b strings.Builder
	line := 0
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case line+1+n > width:
			b.WriteByte('\n')
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += n
	}
	return b.String()
}
