package numtext

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// OneOf says what a word may be, and which of these it was probably meant to be, as the rest of a sentence that begins with "want".
func OneOf(word string, words []string) string {
	return "one of " + strings.Join(words, ", ") + Meant(word, words)
}

// Meant returns "; did you mean x?" for the word that is most like another one, or nothing where none is.
func Meant(word string, words []string) string {
	best, like := 1+max(1, utf8.RuneCountInString(word)/3), ""
	for _, w := range words {
		if d := Edits(word, w); d < best {
			best, like = d, w
		}
	}
	if like == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", like)
}

// Edits returns how many letters have to be put in, left out, replaced or swapped with the next one to make another word of a word,
// where no letter is touched twice and case does not matter.
func Edits(word, other string) int {
	a, b := []rune(strings.ToLower(word)), []rune(strings.ToLower(other))
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1) // by letters of b, for the letters of a so far
	for j := range now {
		now[j] = j
	}
	for i := range a {
		before, last, now = last, now, before
		now[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			now[j+1] = min(last[j]+cost, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
	}
	return now[len(b)]
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
