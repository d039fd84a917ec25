package explicit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// ReadFile reads a .drn or .umb file, see Read. The file may be a pipe, whose opening and reading end with ctx.
func ReadFile(ctx context.Context, path string) (*Model, error) {
	file, err := disk.OpenAny(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(ctx, file, path)
}

// Read reads a chain, an MDP or a POMDP in Storm's .drn format, with decimals or fractions, also where it is compressed:
// by gzip, or as the archive of one file in gzip that Storm writes. An archive that begins with index.json is in the UMB
// format, whatever its name, and is read as ReadUMB reads it. Name is the file's name for errors; its base without
// extensions is the model's name.
//
// It refuses what Storm takes for something else without a word: probabilities that are negative or do not add up to one,
// observations that are no number, and fewer states than the file says it has. Probabilities whose sum is within
// pomdpfile.Tolerance of one are divided by it. Models with parameters or intervals are refused too.
//
// Errors about the content of a .drn file are of type *pomdpfile.Error; where ctx has ended, it wraps the context's.
func Read(ctx context.Context, r io.Reader, name string) (m *Model, err error) {
	text, files, err := unpack(disk.Within(ctx, r))
	if err != nil {
		return nil, &pomdpfile.Error{File: name, Line: 1, Err: err}
	} else if files != nil {
		return readUMB(name, text, files, nil)
	}
	d := &drnReader{file: name, left: memory(), states: -1, choices: -1, action: map[string]int32{}, label: map[string]int{}, placeholder: map[string]float64{}}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *pomdpfile.Error:
			m, err = nil, p
		default:
			panic(p)
		}
	}()
	base, _, _ := strings.Cut(filepath.Base(name), ".drn")
	d.m = &Model{Name: base, Initial: -1}
	d.lines = bufio.NewScanner(text)
	d.lines.Buffer(nil, longestLine)
	d.header()
	d.body()
	d.finish()
	return d.m, nil
}

// longestLine bounds a line of a file, in bytes.
const longestLine = 1 << 24

// drnReader reads a .drn file line by line. It stops by a panic with a *pomdpfile.Error.
type drnReader struct {
	lines *bufio.Scanner
	file  string
	at    int  // the number of the line, from 1
	again bool // it is to be read once more
	left  int  // bytes that the model may still take

	m               *Model
	kind            string
	states, choices int // as the header says, −1 where it does not
	action          map[string]int32
	label           map[string]int // of states, their place in Labels
	placeholder     map[string]float64
	order           []pomdp.Entry // the branches of a choice, for closeChoice
}

// failed stops the reading if the reader underneath has failed.
func (d *drnReader) failed(err error) {
	if err != nil {
		panic(&pomdpfile.Error{File: d.file, Line: d.at, Err: err})
	}
}

// want stops the reading at the present line, with what is found there.
func (d *drnReader) want(found, want string) {
	panic(&pomdpfile.Error{File: d.file, Line: d.at, Found: found, Want: want})
}

// line passes to the next line, and returns it without white space around it, and whether there is one. It is valid until the next call.
func (d *drnReader) line() (line []byte, ok bool) {
	if d.again {
		d.again = false
		return bytes.TrimSpace(d.lines.Bytes()), true
	}
	d.at++
	if ok = d.lines.Scan(); ok {
		return bytes.TrimSpace(d.lines.Bytes()), true
	}
	if err := d.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		d.want(fmt.Sprintf("a line of more than %d bytes", longestLine), "a shorter one")
	} else {
		d.failed(err)
	}
	return nil, false
}

// next is line, of those that are neither blank nor a comment.
func (d *drnReader) next() (line []byte, ok bool) {
	for line, ok = d.line(); ok && (len(line) == 0 || bytes.HasPrefix(line, []byte("//"))); line, ok = d.line() {
	}
	return line, ok
}

// take counts bytes before they are taken.
func (d *drnReader) take(bytes int) {
	if d.left -= bytes; d.left < 0 {
		d.want("a model that takes more memory than it may", within())
	}
}

// shown is a line, or a part of it, as an error shows it.
func shown(text []byte) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}

// header reads all before the first state.
func (d *drnReader) header() {
	for {
		line, ok := d.next()
		if !ok {
			d.want("the end of the file", "@model, and the states behind it")
		}
		key, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "@type":
			if d.kind = value; value != "DTMC" && value != "MDP" && value != "POMDP" {
				d.want("the type "+strconv.Quote(value), "DTMC, MDP or POMDP")
			}
		case "@value_type":
			if value != "double" && value != "rational" {
				d.want("values of type "+strconv.Quote(value), "double or rational: numbers in the place of parameters and intervals")
			}
		case "@parameters":
			if line, _ := d.line(); len(line) > 0 {
				d.want("the parameters "+shown(line), "an empty line: numbers in the place of parameters")
			}
		case "@placeholders":
			d.placeholders()
		case "@reward_models":
			d.rewards()
		case "@nr_states":
			d.states = d.count()
		case "@nr_choices":
			d.choices = d.count()
		case "@model":
			if d.kind == "" {
				d.want("@model", "@type: POMDP, MDP or DTMC before it")
			}
			return
		default:
			d.want(shown(line), "a line of the header of a .drn file, such as @type: POMDP, up to @model")
		}
	}
}

// count reads the number in the next line.
func (d *drnReader) count() int {
	line, _ := d.next()
	n, err := strconv.ParseUint(string(line), 10, 31)
	if err != nil {
		d.want(shown(line), "a whole number below 2³¹")
	}
	return int(n)
}

// rewards reads the names of the reward models.
func (d *drnReader) rewards() {
	line, _ := d.line()
	for _, name := range strings.Fields(string(line)) {
		if slices.ContainsFunc(d.m.Rewards, func(r Reward) bool { return r.Name == name }) {
			d.want("the reward model "+strconv.Quote(name)+" twice", "a name of its own for each")
		}
		d.m.Rewards = append(d.m.Rewards, Reward{Name: name})
	}
}

// placeholders reads names of numbers, such as "$0 : 0.5".
func (d *drnReader) placeholders() {
	for line, ok := d.next(); ok; line, ok = d.next() {
		name, value, named := bytes.Cut(line, []byte(":"))
		if !named || line[0] != '$' {
			d.again = true
			return
		}
		d.take(len(line) + 64)
		key := string(bytes.TrimSpace(name))
		d.placeholder[key] = d.number(bytes.TrimSpace(value))
	}
}

// number is a decimal, a fraction, or what a placeholder stands for.
func (d *drnReader) number(text []byte) float64 {
	if len(text) > 0 && text[0] == '$' {
		v, ok := d.placeholder[string(text)]
		if !ok {
			d.want("the placeholder "+shown(text), "one that the header has under @placeholders")
		}
		return v
	}
	over, under, fraction := bytes.Cut(text, []byte("/"))
	v, err := numtext.Float(string(over))
	if fraction && err == nil {
		var below float64
		below, err = numtext.Float(string(under))
		v /= below
	}
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		d.want(shown(text), "a finite number, such as 0.25 or 1/4")
	}
	return v
}

// bracketed returns what is within the brackets at the end of a text, and what is before them.
func bracketed(text []byte) (before, within []byte, ok bool) {
	if !bytes.HasSuffix(text, []byte("]")) {
		return text, nil, false
	}
	i := bytes.LastIndexByte(text, '[')
	if i < 0 {
		return text, nil, false
	}
	return bytes.TrimSpace(text[:i]), text[i+1 : len(text)-1], true
}

// paid reads the rewards of a state or a choice, "0, 1.5", into the list that at gives, whose next entry they are.
func (d *drnReader) paid(text []byte, n int, at func(*Reward) *[]float64) {
	for i := 0; ; i++ {
		value, rest, more := bytes.Cut(text, []byte(","))
		if i >= len(d.m.Rewards) {
			d.want(fmt.Sprintf("%d rewards or more", i+1), fmt.Sprintf("%d, one for each name under @reward_models", len(d.m.Rewards)))
		}
		if v := d.number(bytes.TrimSpace(value)); v != 0 {
			list := at(&d.m.Rewards[i])
			d.take(8 * (n - len(*list)))
			*list = append(append(*list, make([]float64, n-1-len(*list))...), v)
		}
		if text = rest; !more {
			return
		}
	}
}
