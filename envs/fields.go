package envs

import (
	"strconv"
	"strings"

	"bayescpace/bcpace/numtext"
)

// field says how the field of a parameter is filled in, written and read.
type field[E any] struct {
	fill func(e *E)                   // sets the default where the field stands for it
	text func(e *E) string            // of a field that is filled in
	read func(e *E, text string) bool // false for a text that is no value
}

// The functions below make fields from where they are. A value that stands for the default in a
// field is none that can be read.

// positive is a number above 0; 0 stands for def.
func positive[E any](at func(*E) *float64, def float64) field[E] {
	f := finite(at)
	f.fill = func(e *E) { *at(e) = or(*at(e), def) }
	read := f.read
	f.read = func(e *E, text string) bool { return read(e, text) && *at(e) > 0 }
	return f
}

// finite is a number, whose default is 0.
func finite[E any](at func(*E) *float64) field[E] {
	return field[E]{
		fill: func(*E) {},
		text: func(e *E) string { return numtext.Exact(*at(e)) },
		read: func(e *E, text string) (ok bool) {
			*at(e), ok = numtext.Finite(text)
			return ok
		},
	}
}

// pointed is a number for which 0 does not stand for def, but nil.
func pointed[E any](at func(*E) **float64, def float64) field[E] {
	return field[E]{
		fill: func(e *E) {
			if *at(e) == nil {
				*at(e) = &def
			}
		},
		text: func(e *E) string { return numtext.Exact(**at(e)) },
		read: func(e *E, text string) bool {
			x, ok := numtext.Finite(text)
			*at(e) = &x
			return ok
		},
	}
}

// counted is a whole number above 0; 0 stands for def.
func counted[E any](at func(*E) *int, def int) field[E] {
	return field[E]{
		fill: func(e *E) { *at(e) = or(*at(e), def) },
		text: func(e *E) string { return strconv.Itoa(*at(e)) },
		read: func(e *E, text string) bool {
			n, err := numtext.Whole(text)
			*at(e) = n
			return err == nil && n > 0
		},
	}
}

// listed is a list of numbers with commas between them; nil stands for def.
func listed[E any](at func(*E) *[]float64, def []float64) field[E] {
	return field[E]{
		fill: func(e *E) {
			if *at(e) == nil {
				*at(e) = def
			}
		},
		text: func(e *E) string { return numtext.ExactList(*at(e)) },
		read: func(e *E, text string) (ok bool) {
			*at(e), ok = readList(text, ",")
			return ok
		},
	}
}

// listedOr is a list of numbers with commas between them, or a word for nil.
func listedOr[E any](at func(*E) *[]float64, word string) field[E] {
	f := listed(at, nil)
	text, read := f.text, f.read
	f.text = func(e *E) string {
		if *at(e) == nil {
			return word
		}
		return text(e)
	}
	f.read = func(e *E, given string) bool { return given == word || read(e, given) }
	return f
}

// chosen is one of two words, of which the second stands for true.
func chosen[E any](at func(*E) *bool, first, second string) field[E] {
	return field[E]{
		fill: func(*E) {},
		text: func(e *E) string {
			if *at(e) {
				return second
			}
			return first
		},
		read: func(e *E, text string) bool {
			*at(e) = text == second
			return text == first || text == second
		},
	}
}

// discounted is the parameter γ; 0 stands for def.
func discounted[E any](at func(*E) *float64, def float64) parameter[E] {
	return parameter[E]{"discount", wantDiscount, "discount factor γ", positive(at, def)}
}

// readList reads finite numbers with a separator between them.
func readList(text, between string) (xs []float64, ok bool) {
	for part := range strings.SplitSeq(text, between) {
		x, ok := numtext.Finite(part)
		if !ok {
			return nil, false
		}
		xs = append(xs, x)
	}
	return xs, true
}
