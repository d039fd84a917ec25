package explicit

import (
	"archive/tar"
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// umbIndexName is the file of an archive that says what the others hold.
const umbIndexName = "index.json"

// noLabel is how .drn files name a choice without a label, which is empty in UMB.
const noLabel = "__NOLABEL__"

// umbIndex is what is read and written of the index.
type umbIndex struct {
	Version  int `json:"format-version"`
	Revision int `json:"format-revision"`
	System   struct {
		Time                   string  `json:"time"`
		Players                int     `json:"#players"`
		States                 int     `json:"#states"`
		Initial                int     `json:"#initial-states"`
		Choices                int     `json:"#choices"`
		Actions                int     `json:"#choice-actions"`
		Branches               int     `json:"#branches"`
		BranchActions          int     `json:"#branch-actions"`
		Observations           int     `json:"#observations"`
		ObservationsOf         string  `json:"observations-apply-to,omitempty"`
		Probability            umbType `json:"branch-probability-type"`
		ObservationProbability umbType `json:"observation-probability-type,omitzero"`
	} `json:"transition-system"`
	Annotations struct {
		Labels  map[string]umbAnnotation `json:"aps,omitempty"`
		Rewards map[string]umbAnnotation `json:"rewards,omitempty"`
	} `json:"annotations"`
}

// umbType is a type of values. Those of a Model have one size each, in bits.
type umbType struct {
	Type string `json:"type"`
	Size int    `json:"size,omitempty"`
}

// umbAnnotation is a label or a reward model. Its name is Alias, or else its key in the index.
type umbAnnotation struct {
	Alias       string   `json:"alias,omitempty"`
	AppliesTo   []string `json:"applies-to"`
	Type        umbType  `json:"type"`
	Probability umbType  `json:"probability-type,omitzero"`
}

// unpack returns what is in a file, decompressed: a text, which may be the first file of an archive, or, with the files behind its index, an
// archive of the UMB format.
func unpack(r io.Reader) (text io.Reader, files *tar.Reader, err error) {
	const zip, xz, at, mark = "\x1f\x8b", "\xfd7zXZ\x00", 257, "ustar" // the last two are of the header of an archive
	b := bufio.NewReader(r)
	if first, _ := b.Peek(len(xz)); string(first) == xz {
		return nil, nil, errors.New("compressed by xz, where gzip or no compression is read")
	} else if strings.HasPrefix(string(first), zip) {
		plain, err := gzip.NewReader(b)
		if err != nil {
			return nil, nil, err
		}
		b = bufio.NewReader(plain)
	}
	if first, _ := b.Peek(at + len(mark)); len(first) < at || string(first[at:]) != mark {
		return b, nil, nil
	}
	for files = tar.NewReader(b); ; {
		switch h, err := files.Next(); {
		case err != nil:
			return nil, nil, err
		case path.Clean(h.Name) == umbIndexName:
			return b, files, nil
		case h.Typeflag != tar.TypeDir:
			return files, nil, nil
		}
	}
}

// IsUMB says that r is an archive of the UMB format, by its beginning.
func IsUMB(r io.Reader) bool {
	_, files, err := unpack(r)
	return err == nil && files != nil
}

// ReadUMB reads a chain, an MDP or a POMDP in the UMB format, a tar that is bare or in gzip. Name is the file's name for errors; its
// base without extensions is the model's name.
//
// Numbers are doubles, and probabilities are taken as Read takes them. Observations are of states, and rewards of states and
// choices. Where actions have no labels, they are named by their numbers, and where there are no actions, by the place of the choice in
// its state. What else the format knows is refused where it changes the model, such as continuous time, and passed over where it does not,
// such as the values of variables.
//
// Errors about the content are of type *bcpace.InputError; where ctx has ended, it wraps the context's.
func ReadUMB(ctx context.Context, r io.Reader, name string) (*Model, error) {
	text, files, err := unpack(disk.Within(ctx, r))
	if files == nil && err == nil {
		_, err = text.Read(make([]byte, 1))
		err = cmp.Or(err, errors.New("none"))
	}
	return readUMB(name, text, files, err)
}

// umbReader reads an archive. It stops by a panic with a *bcpace.InputError.
type umbReader struct {
	in    string // the name of the archive
	at    string // the file within it
	left  int    // bytes that the model may still take
	files map[string][]byte
	index umbIndex
	m     *Model
}

// readUMB reads the files behind the index of an archive. Text is the archive, decompressed, and err why there is none.
func readUMB(name string, text io.Reader, files *tar.Reader, err error) (m *Model, failed error) {
	base, _, _ := strings.Cut(filepath.Base(name), ".umb")
	u := &umbReader{in: name, at: umbIndexName, left: memory(), files: map[string][]byte{}, m: &Model{Name: base}}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *bcpace.InputError:
			m, failed = nil, p
		default:
			panic(p)
		}
	}()
	u.failed(err)
	u.readIndex(files)
	for h, err := files.Next(); err != io.EOF; h, err = files.Next() {
		u.failed(err)
		if u.at = path.Clean(h.Name); strings.HasPrefix(u.at, "valuations/") || h.Typeflag == tar.TypeDir {
			continue
		}
		u.need(u.files[u.at] == nil, "the file", "there twice", "one of its name")
		u.take(bytesPerName+int(h.Size), 3)
		u.files[u.at], err = io.ReadAll(files)
		u.failed(err)
	}
	_, err = io.Copy(io.Discard, text) // up to the checksum of gzip
	u.failed(err)
	u.model()
	return u.m, nil
}

// need stops the reading if what is found is wrong.
func (u *umbReader) need(ok bool, what string, got any, want string) {
	if !ok {
		panic(bcpace.In(u.in+": "+u.at).Bad(what, got, want))
	}
}

// failed stops the reading if the reader underneath has failed.
func (u *umbReader) failed(err error) {
	if err != nil {
		panic(&bcpace.InputError{Where: u.in + ": " + u.at, What: "the archive", Got: err.Error(), Want: "a whole tar, bare or in gzip, whose first file is " + umbIndexName, Err: err})
	}
}

// take counts the memory of n items before it is taken.
func (u *umbReader) take(n, bytes int) {
	u.need(n >= 0 && n <= u.left/bytes, "memory of the model", "more than it may take", within())
	u.left -= n * bytes
}

// readIndex reads the index, and refuses what a Model does not hold.
func (u *umbReader) readIndex(files io.Reader) {
	text, err := io.ReadAll(io.LimitReader(files, longestLine))
	u.failed(err)
	u.take(len(text), bytesPerName) // an annotation takes few bytes in it
	u.index.Version = -1
	err = json.Unmarshal(text, &u.index)
	u.need(err == nil, "the text", err, "JSON as the specification of UMB has it")
	s := &u.index.System
	number := func(what string, n, least, most int) {
		u.need(n >= least && n <= most, what, n, fmt.Sprintf("a number from %d to %d", least, most))
	}
	word := func(what, got, want string) { u.need(got == want, what, strconv.Quote(got), strconv.Quote(want)) }
	number("format-version", u.index.Version, 0, 1) // umbi 0.2.5 writes 0
	word("time", s.Time, "discrete")
	number("#players", s.Players, 0, 1)
	number("#initial-states", s.Initial, 1, 1)
	number("#states", s.States, 1, math.MaxInt32)
	number("#choices", s.Choices, s.States, cmp.Or(s.Players*math.MaxInt32, s.States))
	number("#branches", s.Branches, s.Choices, math.MaxInt32)
	number("#choice-actions", s.Actions, 0, math.MaxInt32)
	number("#observations", s.Observations, 0, math.MaxInt32)
	word("branch-probability-type", s.Probability.Type, "double")
	word("observation-probability-type", s.ObservationProbability.Type, "")
	u.need(s.Observations == 0 || s.ObservationsOf == "states", "observations-apply-to", strconv.Quote(s.ObservationsOf), `"states"`)
	u.take(s.States, bytesPerState)
	u.take(s.Choices, bytesPerChoice)
	u.take(s.Branches, bytesPerBranch)
}

// each passes on the n numbers of a file, which have so many bytes. Without such a file they are 0.
func (u *umbReader) each(name string, n, bytes int, put func(i int, v uint64)) {
	u.at = name
	b, ok := u.files[name]
	u.need(!ok || len(b) == n*bytes, "its length", fmt.Sprintf("%d bytes", len(b)), fmt.Sprintf("%d, by the numbers in %s", n*bytes, umbIndexName))
	for i := range n {
		var word [8]byte
		if ok {
			copy(word[:], b[i*bytes:(i+1)*bytes])
		}
		put(i, binary.LittleEndian.Uint64(word[:]))
	}
	delete(u.files, name)
}

// numbers are whole numbers up to most.
func numbers[T int | int32](u *umbReader, name string, n, bytes, most int) (list []T) {
	u.each(name, n, bytes, func(i int, v uint64) {
		if v > uint64(most) {
			u.need(false, fmt.Sprintf("number %d", i), v, fmt.Sprintf("one from 0 to %d", most))
		}
		list = append(list, T(v))
	})
	return list
}

// parts are where n parts of a list begin, one behind the other, and where the last one ends. Without such a file each has one item.
func (u *umbReader) parts(name string, n, items int) []int {
	_, ok := u.files[name]
	list := numbers[int](u, name, n+1, 8, items)
	for i := range list {
		if !ok {
			list[i] = i
		}
	}
	u.need(list[0] == 0 && list[n] == items && slices.IsSorted(list), "the list", fmt.Sprintf("%d, …, %d", list[0], list[n]), fmt.Sprintf("0, …, %d in their order", items))
	return list
}

// doubles are finite numbers, of which none is less, and nil where all are 0.
func (u *umbReader) doubles(name string, n int, least float64) (list []float64) {
	u.take(n, 2*8)
	u.each(name, n, 8, func(i int, bits uint64) {
		v := math.Float64frombits(bits)
		if !(v >= least && v <= math.MaxFloat64) {
			u.need(false, fmt.Sprintf("number %d", i), v, "a finite one, and 0 or more for a probability")
		}
		list = append(list, v)
	})
	if !slices.ContainsFunc(list, func(v float64) bool { return v != 0 }) {
		return nil
	}
	return list
}

// bits are a bit for each state.
func (u *umbReader) bits(name string) (list []bool) {
	n := u.index.System.States
	u.take(n, 2)
	u.each(name, (n+63)/64, 8, func(_ int, word uint64) {
		for k := range 64 {
			list = append(list, word>>k&1 == 1)
		}
	})
	u.need(!slices.Contains(list[n:], true), "a bit behind the last state", 1, "0")
	return list[:n:n]
}

// model makes the model of the files.
func (u *umbReader) model() {
	m, s, known := u.m, &u.index.System, map[string]bool{}
	initial := u.bits("state-is-initial.bin")
	m.Initial = slices.Index(initial, true)
	u.need(m.Initial >= 0 && !slices.Contains(initial[m.Initial+1:], true), "the initial states", "none or several", "one")
	m.Choice = u.parts("state-to-choices.bin", s.States, s.Choices)
	m.Branch = u.parts("choice-to-branches.bin", s.Choices, s.Branches)
	m.Target = numbers[int32](u, "branch-to-target.bin", s.Branches, 8, s.States-1)
	m.Probability = u.doubles("branch-to-probability.bin", s.Branches, 0)
	u.need(m.Probability != nil, "the file", "missing, or 0 everywhere", "a probability for each branch")
	if s.Observations > 0 {
		m.Observation = numbers[int32](u, "observations/states/values.bin", s.States, 8, s.Observations-1)
	}
	for _, id := range slices.Sorted(maps.Keys(u.index.Annotations.Labels)) {
		name := u.called(id, u.index.Annotations.Labels[id], known, "bool", "states")
		m.Labels = append(m.Labels, Label{name, u.bits("annotations/aps/" + id + "/states/values.bin")})
	}
	for _, id := range slices.Sorted(maps.Keys(u.index.Annotations.Rewards)) {
		name := u.called(id, u.index.Annotations.Rewards[id], known, "double", "states", "choices")
		paid := func(of string, n int) []float64 {
			return u.doubles("annotations/rewards/"+id+"/"+of+"/values.bin", n, -math.MaxFloat64)
		}
		m.Rewards = append(m.Rewards, Reward{name, paid("states", s.States), paid("choices", s.Choices)})
	}
	u.settle()
	u.actions()
}

// called returns the name of an annotation, which is of one type, and of nothing else than some things.
func (u *umbReader) called(id string, a umbAnnotation, known map[string]bool, kind string, of ...string) string {
	name := cmp.Or(a.Alias, id)
	what := strconv.Quote(name) + " of type " + kind
	u.at = umbIndexName
	u.need(a.Type.Type == kind && a.Probability.Type == "", what, strings.TrimSpace(a.Type.Type+" "+a.Probability.Type), kind)
	u.need(!slices.ContainsFunc(a.AppliesTo, func(x string) bool { return !slices.Contains(of, x) }), what, "of "+strings.Join(a.AppliesTo, ", "), "one of "+strings.Join(of, " and "))
	u.need(!known[what], what, "there twice", "a name of its own for each")
	known[what] = true
	return name
}

// settle puts the branches of each choice in order.
func (u *umbReader) settle() {
	var room []pomdp.Entry
	m, end := u.m, 0
	for s := range m.States() {
		u.at = "state-to-choices.bin"
		u.need(m.Choice[s] < m.Choice[s+1], "a state", "without a choice", "one or more for each, such as a loop")
		for c := m.Choice[s]; c < m.Choice[s+1]; c++ {
			from, to := m.Branch[c], m.Branch[c+1]
			n, total := settle(&room, m.Target[from:to], m.Probability[from:to])
			if math.Abs(total-1) > pomdpfile.Tolerance {
				u.at = "branch-to-probability.bin"
				u.need(false, fmt.Sprintf("the sum of choice %d, of state %d", c, s), total, "1")
			}
			copy(m.Target[end:], m.Target[from:from+n])
			copy(m.Probability[end:], m.Probability[from:from+n])
			m.Branch[c] = end
			end += n
		}
	}
	m.Branch[len(m.Branch)-1], m.Target, m.Probability = end, m.Target[:end], m.Probability[:end]
}

// actions lists the labels of choices in the order in which they come.
func (u *umbReader) actions() {
	m, n := u.m, u.index.System.Actions
	label := func(a int32) string { return strconv.Itoa(int(a)) }
	if n > 0 {
		m.Action = numbers[int32](u, "actions/choices/values.bin", len(m.Branch)-1, 4, n-1)
	} else {
		for s := range m.States() {
			for c := range m.Choice[s+1] - m.Choice[s] {
				m.Action = append(m.Action, int32(c))
			}
		}
	}
	if text := u.files["actions/choices/strings.bin"]; n > 0 && u.files["actions/choices/string-mapping.bin"] != nil {
		u.take(n, 2*8)
		ends := u.parts("actions/choices/string-mapping.bin", n, len(text))
		label = func(a int32) string { return cmp.Or(string(text[ends[a]:ends[a+1]]), noLabel) }
	}
	known, place := map[int32]int32{}, map[string]int32{} // by number, by label
	for c, number := range m.Action {
		a, ok := known[number]
		if !ok {
			u.take(1, 2*bytesPerName)
			name := label(number)
			if a, ok = place[name]; !ok {
				a = int32(len(m.Actions))
				m.Actions = append(m.Actions, name)
			}
			known[number], place[name] = a, a
		}
		m.Action[c] = a
	}
}

// umbWriter writes an archive. It keeps its first error.
type umbWriter struct {
	files *tar.Writer
	err   error
}

// add writes a file of n numbers, of so many bytes each.
func (u *umbWriter) add(name string, n, bytes int, number func(i int) uint64) {
	var b []byte
	u.err = cmp.Or(u.err, u.files.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(n * bytes)}))
	for i := range n {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], number(i))
		if b = append(b, word[:bytes]...); len(b) > 1<<14 || i == n-1 {
			_, err := u.files.Write(b)
			u.err = cmp.Or(u.err, err)
			b = b[:0]
		}
	}
}

// bits writes a bit for each state.
func (u *umbWriter) bits(name string, is []bool) {
	u.add(name, (len(is)+63)/64, 8, func(i int) (word uint64) {
		for k, bit := range is[64*i : min(64*i+64, len(is))] {
			if bit {
				word |= 1 << k
			}
		}
		return word
	})
}

// doubles writes numbers, which are 0 where there is no list.
func (u *umbWriter) doubles(name string, n int, list []float64, at func(i int) int) {
	u.add(name, n, 8, func(i int) uint64 {
		if list == nil {
			return 0
		}
		return math.Float64bits(list[at(i)])
	})
}

// WriteUMB writes m in the UMB format, as a tar in gzip. Numbers read back as the same ones. The choices of each state of a POMDP are
// written in the order of their labels, so that they stand in one order in all states of an observation. The error is that of w, or
// a *bcpace.InputError for a name that is not UTF-8.
func (m *Model) WriteUMB(w io.Writer) error {
	choices, branches, ends := make([]int, len(m.Action)), []int{}, []int{0} // places in m, in the order of the file
	for c := range choices {
		choices[c] = c
	}
	for s := 0; m.Observation != nil && s < m.States(); s++ {
		slices.SortFunc(choices[m.Choice[s]:m.Choice[s+1]], func(c, d int) int { return cmp.Compare(m.Actions[m.Action[c]], m.Actions[m.Action[d]]) })
	}
	for _, c := range choices {
		for i := m.Branch[c]; i < m.Branch[c+1]; i++ {
			branches = append(branches, i)
		}
		ends = append(ends, len(branches))
	}
	text, textEnds := []byte{}, []int{0}
	for _, a := range m.Actions {
		if a != noLabel {
			text = append(text, a...)
		}
		textEnds = append(textEnds, len(text))
	}
	index, err := m.umbIndex()
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	u := umbWriter{files: tar.NewWriter(z)}
	u.add(umbIndexName, len(index), 1, func(i int) uint64 { return uint64(index[i]) })
	if m.kind() != "DTMC" {
		u.add("state-to-choices.bin", len(m.Choice), 8, func(i int) uint64 { return uint64(m.Choice[i]) })
	}
	initial := make([]bool, m.States())
	initial[m.Initial] = true
	u.bits("state-is-initial.bin", initial)
	u.add("choice-to-branches.bin", len(ends), 8, func(i int) uint64 { return uint64(ends[i]) })
	u.add("branch-to-target.bin", len(branches), 8, func(i int) uint64 { return uint64(m.Target[branches[i]]) })
	u.doubles("branch-to-probability.bin", len(branches), m.Probability, func(i int) int { return branches[i] })
	u.add("actions/choices/values.bin", len(choices), 4, func(i int) uint64 { return uint64(m.Action[choices[i]]) })
	u.add("actions/choices/string-mapping.bin", len(textEnds), 8, func(i int) uint64 { return uint64(textEnds[i]) })
	u.add("actions/choices/strings.bin", len(text), 1, func(i int) uint64 { return uint64(text[i]) })
	if m.Observation != nil {
		u.add("observations/states/values.bin", m.States(), 8, func(i int) uint64 { return uint64(m.Observation[i]) })
	}
	for i, l := range m.Labels {
		u.bits(fmt.Sprintf("annotations/aps/%d/states/values.bin", i), l.States)
	}
	for i, r := range m.Rewards {
		u.doubles(fmt.Sprintf("annotations/rewards/%d/states/values.bin", i), m.States(), r.State, func(s int) int { return s })
		u.doubles(fmt.Sprintf("annotations/rewards/%d/choices/values.bin", i), len(choices), r.Choice, func(i int) int { return choices[i] })
	}
	return cmp.Or(u.err, u.files.Close(), z.Close())
}

// umbIndex is the index of m. Labels and rewards are numbered in it, as their names may be no keys.
func (m *Model) umbIndex() ([]byte, error) {
	x := umbIndex{Version: 1}
	s, list := &x.System, &x.Annotations
	s.Time, s.States, s.Initial, s.Choices, s.Actions, s.Branches, s.Probability = "discrete", m.States(), 1, len(m.Action), len(m.Actions), len(m.Target), umbType{"double", 64}
	if m.kind() != "DTMC" {
		s.Players = 1
	}
	if m.Observation != nil {
		s.Observations, s.ObservationsOf = 1+int(slices.Max(m.Observation)), "states"
	}
	names := slices.Clone(m.Actions)
	list.Labels, list.Rewards = map[string]umbAnnotation{}, map[string]umbAnnotation{}
	for i, l := range m.Labels {
		list.Labels[strconv.Itoa(i)] = umbAnnotation{Alias: l.Name, AppliesTo: []string{"states"}, Type: umbType{"bool", 1}}
		names = append(names, l.Name)
	}
	for i, r := range m.Rewards {
		list.Rewards[strconv.Itoa(i)] = umbAnnotation{Alias: r.Name, AppliesTo: []string{"states", "choices"}, Type: umbType{"double", 64}}
		names = append(names, r.Name)
	}
	if i := slices.IndexFunc(names, func(name string) bool { return !utf8.ValidString(name) }); i >= 0 {
		return nil, bcpace.In("WriteUMB of model "+strconv.Quote(m.Name)).Bad("a name", strconv.Quote(names[i]), "one in UTF-8")
	}
	return json.MarshalIndent(x, "", "  ")
}
