package pomdpfile

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/pomdp"
)

// Vector is an α-vector: what following some plan that begins with Action is
// worth in every hidden state y, where the visible state is x = Visible.
type Vector struct {
	Action  int       // its number in Model.Actions
	Visible int       // x, in [0, |X|); 0 for a plain POMDP
	Value   []float64 // by y, of length |Y|, in reward units
}

// check refuses a vector that is none of the model.
func check(m *pomdp.Model, where string, i int, v Vector) error {
	what := fmt.Sprintf("vector %d: ", i)
	return cmp.Or(
		bcpace.In(where).Need(v.Action >= 0 && v.Action < len(m.Actions), what+"Action", strconv.Itoa(v.Action), fmt.Sprintf("a number from 0 to %d", len(m.Actions)-1)),
		bcpace.In(where).Need(v.Visible >= 0 && v.Visible < m.NumVisible(), what+"Visible", strconv.Itoa(v.Visible), fmt.Sprintf("a number from 0 to %d", m.NumVisible()-1)),
		bcpace.In(where).Need(len(v.Value) == m.NumHidden(), what+"length of Value", strconv.Itoa(len(v.Value)), strconv.Itoa(m.NumHidden())))
}

func (p *printer) values(list []float64) {
	for y, x := range list {
		if y > 0 {
			p.text(" ")
		}
		p.number(x)
	}
}

// WritePolicy writes α-vectors in the .policy format of APPL, an XML file of
// Vector elements with attributes action and obsValue, the visible state.
func WritePolicy(w io.Writer, m *pomdp.Model, vectors []Vector) error {
	p := newPrinter(w)
	p.text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Policy version=\"0.1\" type=\"value\" model=\"", escape(m.Name),
		"\">\n<AlphaVector vectorLength=\"", strconv.Itoa(m.NumHidden()),
		"\" numObsValue=\"", strconv.Itoa(m.NumVisible()), "\" numVectors=\"", strconv.Itoa(len(vectors)), "\">\n")
	for i, v := range vectors {
		if err := check(m, "WritePolicy", i, v); err != nil {
			return err
		}
		p.text(`<Vector action="`, strconv.Itoa(v.Action), `" obsValue="`, strconv.Itoa(v.Visible), `">`)
		p.values(v.Value)
		p.text(" </Vector>\n")
	}
	p.text("</AlphaVector> </Policy>\n")
	return p.Flush()
}

// ReadAlpha reads the α-vectors of a model with a single visible value from a
// .alpha file of pomdp-solve: for each the number of its action, and then its values. For
// errors see Read.
func ReadAlpha(ctx context.Context, r io.Reader, name string, m *pomdp.Model) (vectors []Vector, err error) {
	if n := m.NumVisible(); n != 1 {
		return nil, bcpace.In(name).Bad("number of visible states", strconv.Itoa(n), "1 of the model, as a .alpha file knows no others")
	}
	defer caught(&err)
	s := newScanner(disk.Within(ctx, r), name)
	b := newBudget(ctx, s.source, standard())
	n := m.NumHidden()
	for s.kind != 0 {
		a, ok := parseCount(s.text)
		if !ok || a >= len(m.Actions) {
			s.want(fmt.Sprintf("the number of an action from 0 to %d", len(m.Actions)-1))
		}
		s.next()
		b.spendAll(n, bytesPerReward)
		v := Vector{Action: a, Value: make([]float64, n)}
		for y := range v.Value {
			v.Value[y] = s.number(fmt.Sprintf("%d values after the action", n))
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

// ReadPolicy reads the α-vectors of a model in the .policy format, of which APPL writes
// vectors with all their numbers, or with those that are not 0. For errors see Read.
func ReadPolicy(ctx context.Context, r io.Reader, name string, m *pomdp.Model) (vectors []Vector, err error) {
	defer caught(&err)
	x := newXMLScanner(disk.Within(ctx, r), name)
	b := newBudget(ctx, x.source, standard())
	x.root("Policy")
	for x.another("AlphaVector") {
		x.size("vectorLength", m.NumHidden())
		x.size("numObsValue", m.NumVisible())
		for name := x.child(); name != ""; name = x.child() {
			read := map[string]func([]float64){"Vector": x.dense, "SparseVector": x.sparse}[name]
			if read == nil {
				x.fail("<"+name+">", "<Vector> or <SparseVector>")
			}
			b.spendAll(m.NumHidden(), bytesPerReward)
			v := Vector{Action: x.count("action", len(m.Actions)), Visible: x.count("obsValue", m.NumVisible()), Value: make([]float64, m.NumHidden())}
			read(v.Value)
			vectors = append(vectors, v)
		}
	}
	return vectors, nil
}

// dense reads the numbers of a vector and ends it.
func (xs *xmlScanner) dense(list []float64) {
	n := 0
	for word := xs.word(); word != nil; word = xs.word() {
		value, ok := parseNumber(word)
		if n == len(list) {
			xs.fail(clip(word), fmt.Sprintf("%d finite numbers", n))
		}
		if !ok {
			xs.noNumber(word, fmt.Sprintf("%d finite numbers", len(list)))
		}
		list[n] = value
		n++
	}
	if n < len(list) {
		xs.fail(fmt.Sprintf("%d numbers", n), strconv.Itoa(len(list)))
	}
	xs.finish()
}

// sparse reads the entries of a vector, each the place and the value of a number that is not 0, and ends it.
func (xs *xmlScanner) sparse(list []float64) {
	given := make(map[int]bool)
	for xs.another("Entry") {
		word := xs.word()
		i, ok := parseCount(word)
		if !ok || i >= len(list) || given[i] {
			xs.fail(wordOr(word, "no number"), fmt.Sprintf("the number of a hidden state from 0 to %d, each once", len(list)-1))
		}
		given[i] = true
		word = xs.word()
		if list[i], ok = parseNumber(word); !ok {
			xs.noNumber(word, "a finite number")
		}
		xs.finish()
	}
}

// count returns an attribute that is a number below n.
func (xs *xmlScanner) count(key string, n int) int {
	k, ok := parseCount([]byte(xs.attr[key]))
	if !ok || k >= n {
		xs.fail(key+"="+clip(xs.attr[key]), fmt.Sprintf("a number from 0 to %d", n-1))
	}
	return k
}

// size refuses an attribute that is there and not n.
func (xs *xmlScanner) size(key string, n int) {
	if got, ok := xs.attr[key]; ok && got != strconv.Itoa(n) {
		xs.fail(key+"="+clip(got), strconv.Itoa(n)+" as in the model")
	}
}
