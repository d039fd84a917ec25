// Package answer computes what the live pages of notebooks/live show. A page asks a
// question in JSON and gets an answer in JSON. The pages run this package as WebAssembly
// in the reader's browser, and a test compares their answers with those of a native
// program.
package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"bayescpace/bcpace"
)

// pages has the function that answers the questions of each page, by the page's name.
var pages = map[string]func(question []byte) (any, error){
	"algorithm": of(Algorithm),
	"covers":    of(Covers),
	"room":      of(Room),
	"simplex":   of(Simplex),
	"tiger":     of(Tiger),
}

// To answers a question of a page, both in JSON. The error is an *bcpace.InputError for
// a page that there is not, and for a question that cannot be read or asks for what the
// page does not offer.
func To(page string, question []byte) ([]byte, error) {
	f, ok := pages[page]
	if !ok {
		return nil, bad("page", page, "one of "+strings.Join(slices.Sorted(maps.Keys(pages)), ", "))
	}
	answer, err := f(question)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// of makes a function of JSON from one of a page's question.
func of[Question, Answer any](f func(Question) (*Answer, error)) func([]byte) (any, error) {
	return func(question []byte) (any, error) {
		var q Question
		d := json.NewDecoder(bytes.NewReader(question))
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil {
			return nil, fmt.Errorf("reading the question %s: %w", question, err)
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, bad("the end", string(question), "one value of JSON and nothing after it")
		}
		return f(q)
	}
}

// bad returns the error for a part of a question that a page does not offer.
func bad(what, got, want string) error {
	return bcpace.In("the question of a live page").Bad(what, got, want)
}

// within returns an error unless the number called what is in [from, to].
func within(what string, x, from, to float64) error {
	if !(x >= from && x <= to) {
		return bad(what, fmt.Sprint(x), fmt.Sprintf("a number from %v to %v", from, to))
	}
	return nil
}
