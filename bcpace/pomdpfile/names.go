package pomdpfile

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// isName reports whether a word may be a name: no number, nothing with a sign or a point before its
// digits, and without control characters.
func isName(word string) bool {
	unsigned := strings.TrimLeft(word, "+-.")
	if unsigned == "" || unsigned != word && unsigned[0] >= '0' && unsigned[0] <= '9' {
		return false
	}
	_, err := strconv.ParseFloat(word, 64) // knows NaN and Inf, too
	return err != nil && !errors.Is(err, strconv.ErrRange) && !hasControl(word)
}

// noListing is what is right in place of a list with brackets or commas, such as that of the format's description.
const noListing = "names with nothing but white space between and around them: no brackets, no commas"

// isListing reports whether a word has a bracket without its other half, or a comma at its end: it is a part of such a list.
func isListing(word string) bool {
	for _, pair := range []string{"[]", "()", "{}"} {
		if strings.Count(word, pair[:1]) != strings.Count(word, pair[1:]) {
			return true
		}
	}
	return strings.TrimRight(word, ",;") != word
}

// hasControl reports whether a name would break a line or move a cursor.
func hasControl(name string) bool { return strings.ContainsFunc(name, unicode.IsControl) }
