package pomdpfile

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

// printer writes text and keeps the first error for flush.
type printer struct {
	*bufio.Writer
	digits []byte
}

func newPrinter(w io.Writer) *printer { return &printer{Writer: bufio.NewWriterSize(w, bufferSize)} }

// text writes strings.
func (p *printer) text(parts ...string) {
	for _, s := range parts {
		p.WriteString(s) // a bufio.Writer keeps its error until Flush
	}
}

// number writes the shortest decimal that reads back as v.
func (p *printer) number(v float64) {
	p.digits = strconv.AppendFloat(p.digits[:0], v, 'g', -1, 64)
	p.Write(p.digits)
}

// fits refuses a model whose tables are not of its size.
func fits(m *pomdp.Model, where string) error {
	bad := func(what string, got, want int) error {
		return &bcpace.InputError{Where: where, What: what, Got: strconv.Itoa(got), Want: strconv.Itoa(want)}
	}
	n, numActions := m.NumStates(), len(m.Actions)
	switch {
	case n == 0 || numActions == 0 || len(m.Observations) == 0:
		return &bcpace.InputError{Where: where, What: "model", Got: fmt.Sprintf("of %d states, %d actions and %d observations", n, numActions, len(m.Observations)), Want: "at least one of each"}
	case len(m.Move) != numActions:
		return bad("number of matrices in Move", len(m.Move), numActions)
	case len(m.Sense) != numActions:
		return bad("number of matrices in Sense", len(m.Sense), numActions)
	case len(m.Reward) != numActions:
		return bad("number of tables in Reward", len(m.Reward), numActions)
	}
	for a := range m.Actions {
		switch {
		case m.Move[a].Len() != n:
			return bad("number of rows of Move for action "+strconv.Quote(m.Actions[a]), m.Move[a].Len(), n)
		case m.Sense[a].Len() != n:
			return bad("number of rows of Sense for action "+strconv.Quote(m.Actions[a]), m.Sense[a].Len(), n)
		case len(m.Reward[a]) != n:
			return bad("length of Reward for action "+strconv.Quote(m.Actions[a]), len(m.Reward[a]), n)
		}
	}
	return nil
}

// distinct says whether all names differ and each is usable.
func distinct(names []string, usable func(string) bool) bool {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if seen[n] || !usable(n) {
			return false
		}
		seen[n] = true
	}
	return true
}
