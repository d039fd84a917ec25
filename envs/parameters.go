package envs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// parameters are those of an environment E, in the order of Spec.Params: the one record from
// which follow the defaults, what Spec and List say, and how New reads values.
type parameters[E any] []parameter[E]

// parameter is a field of E with what ParamInfo says of it.
type parameter[E any] struct {
	key, want, doc string
	field[E]
}

// wants returns want, with the limits of the field where they belong.
func (p parameter[E]) wants() string {
	if strings.Contains(p.want, "%v") {
		return fmt.Sprintf(p.want, p.low, p.high)
	}
	return p.want
}

// sound returns e, an environment of that name, with its defaults, and an *InputError for the first value that it does not take.
func (ps parameters[E]) sound(env string, e E) (E, error) {
	e = ps.filled(e)
	for _, p := range ps {
		if p.takes != nil && !p.takes(&e) {
			return e, inputError(env, p.key, cmp.Or(p.text(&e), "empty"), p.wants())
		}
	}
	return e, nil
}

// filled returns e with the defaults of the fields that stand for them.
func (ps parameters[E]) filled(e E) E {
	for _, p := range ps {
		p.fill(&e)
	}
	return e
}

// of returns Spec.Params of e.
func (ps parameters[E]) of(e E) []bcpace.Param {
	e = ps.filled(e)
	return listOf(len(ps), func(i int) bcpace.Param { return bcpace.Param{Key: ps[i].key, Value: ps[i].text(&e)} })
}

// newEntry returns the entry of an environment, whose Info has no Params yet.
func newEntry[E, M any](info Info, ps parameters[E], model func(E) (M, error)) entry[M] {
	var zero E
	for i, p := range ps.of(zero) {
		info.Params = append(info.Params, ParamInfo{p.Key, p.Value, ps[i].wants(), ps[i].doc})
	}
	return entry[M]{info, func(v *Values) (M, error) {
		var e E
		for _, p := range ps {
			if !p.read(&e, v.Text(p.key)) {
				v.fail(p.key)
			}
		}
		return model(e)
	}}
}

// entryOf is newEntry for an environment of New.
func entryOf[E any, M bcpace.Model](info Info, ps parameters[E], model func(E) (M, error)) entry[bcpace.Model] {
	return newEntry(info, ps, func(e E) (bcpace.Model, error) {
		m, err := model(e)
		if err != nil {
			return nil, err
		}
		return m, nil
	})
}

// field says how the field of a parameter is filled in, written and read.
type field[E any] struct {
	fill func(e *E)                   // sets the default where the field stands for it
	text func(e *E) string            // of a field that is filled in
	read func(e *E, text string) bool // false for a text that is no value
	// takes reports whether a field that is filled in has a value that can be used, such as one from low to high; nil if all can.
	takes     func(e *E) bool
	low, high any
}

// The functions below make fields from where they are. A value that stands for the default in a
// field is none that can be read.

// positive is a number above 0 from low to high; 0 stands for def.
func positive[E any](at func(*E) *float64, def, low, high float64) field[E] {
	f := finite(at)
	f.fill = func(e *E) { *at(e) = cmp.Or(*at(e), def) }
	read := f.read
	f.read = func(e *E, text string) bool { return read(e, text) && *at(e) > 0 }
	f.takes, f.low, f.high = func(e *E) bool { return *at(e) > 0 && *at(e) >= low && *at(e) <= high }, low, high
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

// pointed is a number from low to high for which 0 does not stand for def, but nil.
func pointed[E any](at func(*E) **float64, def, low, high float64) field[E] {
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
		takes: func(e *E) bool { return **at(e) >= low && **at(e) <= high }, low: low, high: high,
	}
}

// counted is a whole number above 0 from low to high; 0 stands for def.
func counted[E any](at func(*E) *int, def, low, high int) field[E] {
	return field[E]{
		fill: func(e *E) { *at(e) = cmp.Or(*at(e), def) },
		text: func(e *E) string { return strconv.Itoa(*at(e)) },
		read: func(e *E, text string) (ok bool) {
			*at(e), ok = readCount(text)
			return ok
		},
		takes: func(e *E) bool { return *at(e) >= low && *at(e) <= high }, low: low, high: high,
	}
}

// listed is a list of numbers from low to high with commas between them; nil stands for def.
func listed[E any](at func(*E) *[]float64, def []float64, low, high float64) field[E] {
	return field[E]{
		fill: func(e *E) { *at(e) = orElse(*at(e), def) },
		text: func(e *E) string { return numtext.ExactList(*at(e)) },
		read: func(e *E, text string) (ok bool) {
			*at(e), ok = readList(text)
			return ok
		},
		takes: func(e *E) bool {
			return len(*at(e)) > 0 && !slices.ContainsFunc(*at(e), func(x float64) bool { return !(x >= low && x <= high) })
		},
		low: low, high: high,
	}
}

// listedOr is a list of any numbers with commas between them, or a word for nil.
func listedOr[E any](at func(*E) *[]float64, word string) field[E] {
	f := listed(at, nil, 0, 0)
	text, read := f.text, f.read
	f.takes = nil
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
		text: func(e *E) string { return pick(*at(e), second, first) },
		read: func(e *E, text string) bool {
			*at(e) = text == second
			return text == first || text == second
		},
	}
}

// discounted is the parameter γ; 0 stands for def.
func discounted[E any](at func(*E) *float64, def float64) parameter[E] {
	return parameter[E]{"discount", "a value in (0, 1)", "discount factor γ", positive(at, def, 0, math.Nextafter(1, 0))}
}

// readCount reads a whole number above 0.
func readCount(text string) (n int, ok bool) {
	n, err := numtext.Whole(text)
	return n, err == nil && n > 0
}

// readList reads finite numbers with commas between them.
func readList(text string) (xs []float64, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		x, ok := numtext.Finite(part)
		if !ok {
			return nil, false
		}
		xs = append(xs, x)
	}
	return xs, true
}

// wholeWithin returns x − from where x is a whole number in [from, to], or -1.
func wholeWithin(x float64, from, to int) int {
	if !(x >= float64(from) && x <= float64(to)) || x != math.Trunc(x) {
		return -1
	}
	return int(x) - from
}

const (
	wantProbability = "a probability in (0, 1]"
	wantNumber      = "a number from %v to %v"
	wantNumbers     = "numbers from %v to %v with commas between them"
)

// sureStart adds a start state in which episodes begin whatever the latent is, and returns it.
func sureStart(z *bcpace.Successors) []float64 {
	s, p, _ := z.Add(false)
	for φ := range p {
		p[φ] = 1
	}
	return s
}
