package process

import (
	"strings"

	"bayescpace/bcpace"
)

// Words returns the words of a command line, which spaces separate. Between two single or double quotes, spaces belong to
// the word: python3 'my walk.py'. Nothing else has a meaning, so that a path may have backslashes. The error is a
// *bcpace.InputError for a quote without its end, and for no words.
func Words(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			begun, quote = true, r
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			if begun {
				words = append(words, word.String())
			}
			begun = false
			word.Reset()
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	bad := bcpace.In("a simulator").Bad
	switch {
	case quote != 0:
		return nil, bad("the command", line, "one in which every quote has its end")
	case begun:
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, bad("the command", "no words", "a program and its arguments")
	}
	return words, nil
}
