package pomdpfile

import (
	"bufio"
	"io"
	"strconv"

	"bayescpace/bcpace/pomdp"
)

// checkModel refuses a model that a file without a horizon would not hold.
func checkModel(m *pomdp.Model, writer string) error {
	if err := m.Validate(); err != nil || m.Horizon == 0 {
		return err
	}
	return m.CheckStationary("pomdpfile." + writer)
}

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

// dense writes n numbers, of which row has those that are not zero.
func (p *printer) dense(n int, row []pomdp.Entry) {
	i := 0
	for k := range n {
		if k > 0 {
			p.text(" ")
		}
		if i < len(row) && int(row[i].At) == k {
			p.number(row[i].Value)
			i++
			continue
		}
		p.text("0")
	}
}

// distinct reports whether all names differ and each is usable.
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
