package numtext_test

import (
	"strings"
	"testing"

	"bayescpace/bcpace/numtext"
)

func TestOneOf(t *testing.T) {
	list := []string{"tiger", "chain", "cart-pole"}
	for word, want := range map[string]string{
		"tigr":     `one of tiger, chain, cart-pole; did you mean "tiger"?`,
		"itger":    `one of tiger, chain, cart-pole; did you mean "tiger"?`,
		"Chain":    `one of tiger, chain, cart-pole; did you mean "chain"?`,
		"cartpole": `one of tiger, chain, cart-pole; did you mean "cart-pole"?`,
		"xyz":      "one of tiger, chain, cart-pole",
		"":         "one of tiger, chain, cart-pole",
	} {
		if got := numtext.OneOf(word, list); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	const text = "ψ holds the belief, and a verylongwordthatdoesnotfit stays whole"
	got := numtext.Wrap(text, 12)
	if strings.ReplaceAll(got, "\n", " ") != text {
		t.Errorf("%q", got)
	}
	for line := range strings.SplitSeq(got, "\n") {
		if len([]rune(line)) > 12 && strings.Contains(line, " ") {
			t.Errorf("%q is too long", line)
		}
	}
}
