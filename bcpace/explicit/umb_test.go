package explicit_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/explicit"
)

// listed says all that is in a model, with labels, rewards and the choices of a state in an order of their own. It prints numbers whole.
func listed(m *explicit.Model) string {
	text := fmt.Sprintln(m.States(), "states, first", m.Initial, m.Observation)
	for s := range m.States() {
		var lines []string
		for _, l := range m.Labels {
			if l.States[s] {
				lines = append(lines, fmt.Sprintf("label %q", l.Name))
			}
		}
		paid := func(list []float64, at int) any {
			if list == nil {
				return 0
			}
			return list[at]
		}
		for _, r := range m.Rewards {
			lines = append(lines, fmt.Sprintf("reward %q %v", r.Name, paid(r.State, s)))
		}
		for c := m.Choice[s]; c < m.Choice[s+1]; c++ {
			var rewards []string
			for _, r := range m.Rewards {
				rewards = append(rewards, fmt.Sprintf("%q %v", r.Name, paid(r.Choice, c)))
			}
			slices.Sort(rewards)
			from, to := m.Branch[c], m.Branch[c+1]
			lines = append(lines, fmt.Sprintf("choice %q %v %v %v", m.Actions[m.Action[c]], rewards, m.Target[from:to], m.Probability[from:to]))
		}
		slices.Sort(lines)
		text += fmt.Sprintf("state %d\n%s\n", s, strings.Join(lines, "\n"))
	}
	return text
}

func packed(t *testing.T, m *explicit.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.WriteUMB(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUMB: a model that is written is read as it was, to the last bit, and as the other format has it. The choices of all states of an observation
// stand in one order.
func TestUMB(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 300 {
		m := draw(rng, drawn{states: 3 + rng.IntN(70), observations: 1 + i%4, hidden: i%3 != 0, layers: i%2 == 0})
		m.Actions[2] = "__NOLABEL__"
		for k := range m.Action {
			m.Rewards[0].Choice[k] = rng.NormFloat64()
		}
		m.Labels = append(m.Labels, explicit.Label{Name: "(x = ö) & \"y\"", States: make([]bool, m.States())}, explicit.Label{Name: "Goal", States: make([]bool, m.States())})
		m.Labels[3].States[rng.IntN(m.States())] = true
		m.Rewards = append(m.Rewards, explicit.Reward{Name: "a b"}, explicit.Reward{Name: "time", State: slices.Repeat([]float64{0.1}, m.States())})
		m.Initial = rng.IntN(m.States())
		back, err := explicit.ReadUMB(t.Context(), bytes.NewReader(packed(t, m)), "a/drawn.umb")
		if err != nil {
			t.Fatal(err)
		}
		if listed(back) != listed(m) || back.Name != "drawn" {
			t.Fatalf("%s\n%s", listed(back), listed(m))
		}
		for s := range back.States() {
			labels := back.Action[back.Choice[s]:back.Choice[s+1]]
			name := func(a int32) string { return back.Actions[a] }
			if !slices.IsSortedFunc(labels, func(a, b int32) int { return strings.Compare(name(a), name(b)) }) && m.Observation != nil {
				t.Fatalf("the choices of state %d are not in the order of their labels", s)
			}
		}
		m.Labels, m.Rewards = slices.Delete(m.Labels, 2, 3), slices.Delete(m.Rewards, 1, 2)
		text, err := explicit.Read(t.Context(), strings.NewReader(written(t, m)), "drawn.drn")
		if err != nil {
			t.Fatal(err)
		}
		if back, err = explicit.Read(t.Context(), bytes.NewReader(packed(t, m)), "drawn.umb"); err != nil || listed(back) != listed(text) {
			t.Fatalf("%v\n%s\n%s", err, listed(back), listed(text))
		}
	}
	var refused *bcpace.InputError
	m := draw(rng, drawn{states: 3, observations: 2})
	m.Labels[0].Name = "\xff"
	if err := m.WriteUMB(io.Discard); !errors.As(err, &refused) || !strings.Contains(err.Error(), `"\xff", want one in UTF-8`) {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
}

// TestTwice: probabilities that are read are written and read as the same ones, also where rounding leaves their sum off one.
func TestTwice(t *testing.T) {
	m, err := read("@type: DTMC\n@model\nstate 0 init\naction a\n0 : 0.1\n1 : 0.1\n2 : 0.7\n3 : 0.1\n" +
		"state 1\naction a\n0 : 0.333333\n1 : 0.333333\n2 : 0.333333\nstate 2\naction a\n2 : 1\nstate 3\naction a\n3 : 1\n")
	if err != nil {
		t.Fatal(err)
	}
	if m.Probability[0] != .1 || m.Probability[4] != 1./3 {
		t.Errorf("%v", m.Probability)
	}
	text, err := read(written(t, m))
	if err != nil {
		t.Fatal(err)
	}
	binary, err := explicit.ReadUMB(t.Context(), bytes.NewReader(packed(t, m)), "coin.umb")
	if err != nil || listed(text) != listed(m) || listed(binary) != listed(m) {
		t.Errorf("%v\n%s\n%s\n%s", err, listed(m), listed(text), listed(binary))
	}
}

// member is a file of an archive.
type member struct {
	name string
	text []byte
}

// coinFiles are the files of a POMDP of three states.
func coinFiles() []member {
	numbers := func(list ...uint64) (b []byte) {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		return b
	}
	doubles := func(list ...float64) (b []byte) {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	return []member{
		{"index.json", []byte(`{"format-version": 1, "format-revision": 7, "model-data": {"name": "a coin"},
"transition-system": {"time": "discrete", "#players": 1, "#states": 3, "#initial-states": 1, "#choices": 4, "#choice-actions": 3, "#branches": 7, "#branch-actions": 0,
 "#observations": 2, "observations-apply-to": "states", "branch-probability-type": {"type": "double", "size": 64}},
"annotations": {"aps": {"done": {"applies-to": ["states"], "type": {"type": "bool"}}, "0x41": {"alias": "A", "applies-to": ["states"], "type": {"type": "bool", "size": 1}}},
 "rewards": {"r": {"alias": "cost", "applies-to": ["states", "choices"], "lower": 0, "type": {"type": "double", "size": 64}}, "none": {"applies-to": [], "type": {"type": "double"}}}, "colours": {"x": {}}},
"valuations": {"states": {"unique": false, "classes": []}}}`)},
		{"state-to-choices.bin", numbers(0, 2, 3, 4)},
		{"state-is-initial.bin", numbers(1)},
		{"choice-to-branches.bin", numbers(0, 3, 5, 6, 7)},
		{"branch-to-target.bin", numbers(2, 1, 2, 2, 1, 1, 2)},
		{"branch-to-probability.bin", doubles(.25, .5, .25, 1, 0, 1, .999999)},
		{"actions/choices/values.bin", []byte{1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}},
		{"actions/choices/strings.bin", []byte("goflip")},
		{"actions/choices/string-mapping.bin", numbers(0, 0, 2, 6)},
		{"observations/states/values.bin", numbers(0, 1, 1)},
		{"annotations/aps/done/states/values.bin", numbers(4)},
		{"annotations/rewards/r/states/values.bin", doubles(0, 0, 0)},
		{"annotations/rewards/r/choices/values.bin", doubles(1, 2.5, 0, 0)},
		{"valuations/states/valuations.bin", []byte("abc")},
	}
}

// archive makes a tar.
func archive(t testing.TB, files []member) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text))}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write(f.text)
	}
	w.Close()
	return b.Bytes()
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

// TestReadUMB: an archive of other programs is read, bare or compressed, in any order behind the index, and without files that have
// their default.
func TestReadUMB(t *testing.T) {
	want := &explicit.Model{Observation: []int32{0, 1, 1}, Choice: []int{0, 2, 3, 4}, Action: []int32{0, 1, 2, 1}, Actions: []string{"go", "flip", "__NOLABEL__"},
		Branch: []int{0, 2, 3, 4, 5}, Target: []int32{1, 2, 2, 1, 2}, Probability: []float64{.5, .5, 1, 1, 1},
		Labels:  []explicit.Label{{"A", []bool{false, false, false}}, {"done", []bool{false, false, true}}},
		Rewards: []explicit.Reward{{"none", nil, nil}, {"cost", nil, []float64{1, 2.5, 0, 0}}}}
	files := coinFiles()
	bare := archive(t, files)
	slices.Reverse(files[1:])
	for i := range files {
		files[i].name = "./" + files[i].name
	}
	for name, b := range map[string][]byte{"bare": bare, "gzip": zipped(bare), "other order": zipped(archive(t, append([]member{{"./", nil}}, files...)))} {
		for _, read := range []func(context.Context, io.Reader, string) (*explicit.Model, error){explicit.Read, explicit.ReadUMB} {
			if m, err := read(t.Context(), bytes.NewReader(b), "coin.umb.gz"); err != nil || listed(m) != listed(want) || m.Name != "coin" || !slices.Equal(m.Actions, want.Actions) {
				t.Errorf("%s: %v, %+v", name, err, m)
			}
		}
	}
	chain := func(s string) string {
		return strings.NewReplacer(`"#players": 1`, `"#players": 0`, `"#choices": 4`, `"#choices": 3`, `"#branches": 7`, `"#branches": 3`, `"#choice-actions": 3`, `"#choice-actions": 0`, `"#observations": 2`, `"#observations": 0`).Replace(s)
	}
	files = coinFiles()
	m, err := explicit.ReadUMB(t.Context(), bytes.NewReader(archive(t, []member{{"index.json", []byte(chain(string(files[0].text)))}, files[2],
		{"branch-to-probability.bin", bytes.Repeat(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1)), 3)}})), "chain.umb")
	if err != nil || !slices.Equal(m.Target, []int32{0, 0, 0}) || !slices.Equal(m.Actions, []string{"0"}) || m.Observation != nil || m.Rewards[1].Choice != nil {
		t.Errorf("%v, %+v", err, m)
	}
}

// TestReadUMBErrors: what is wrong is refused, with its file.
func TestReadUMBErrors(t *testing.T) {
	index := "index.json"
	for _, c := range []struct{ file, from, to, want string }{
		{index, `"format-version": 1`, `"format-version": 2`, `coin.umb: index.json: format-version is 2, want a number from 0 to 1`},
		{index, `"format-version": 1, `, ``, `format-version is -1`},
		{index, `"discrete"`, `"stochastic"`, `time is "stochastic", want "discrete"`},
		{index, `"#players": 1`, `"#players": 2`, `#players is 2, want a number from 0 to 1`},
		{index, `"#players": 1`, `"#players": 0`, `#choices is 4, want a number from 3 to 3`},
		{index, `"#initial-states": 1`, `"#initial-states": 2`, `#initial-states is 2`},
		{index, `"#states": 3`, `"#states": 0`, `#states is 0, want a number from 1 to`},
		{index, `"#states": 3`, `"#states": -3`, `#states is -3`},
		{index, `"#states": 3`, `"#states": 18446744073709551615`, `the text is json: cannot unmarshal number`},
		{index, `"#choices": 4`, `"#choices": 2`, `#choices is 2, want a number from 3`},
		{index, `"#branches": 7`, `"#branches": 2000000000`, `memory of the model is more than it may take, want one within`},
		{index, `"#branches": 7`, `"#branches": 6`, `choice-to-branches.bin: number 4 is 7, want one from 0 to 6`},
		{index, `"#choice-actions": 3`, `"#choice-actions": 2`, `coin.umb: actions/choices/values.bin: number 1 is 2, want one from 0 to 1`},
		{index, `"#choice-actions": 3`, `"#choice-actions": 2000000000`, `memory of the model is more than it may take`},
		{index, `"#observations": 2`, `"#observations": 1`, `coin.umb: observations/states/values.bin: number 1 is 1, want one from 0 to 0`},
		{index, `"observations-apply-to": "states"`, `"observations-apply-to": "branches"`, `observations-apply-to is "branches", want "states"`},
		{index, `"observations-apply-to"`, `"observation-probability-type": {"type": "double"}, "observations-apply-to"`, `observation-probability-type is "double", want ""`},
		{index, `{"type": "double", "size": 64}}`, `{"type": "rational", "size": 128}}`, `branch-probability-type is "rational", want "double"`},
		{index, `{"type": "double", "size": 64}}`, `{"type": "double-interval", "size": 128}}`, `branch-probability-type is "double-interval"`},
		{index, `"lower": 0, "type": {"type": "double"`, `"type": {"type": "rational"`, `"cost" of type double is rational, want double`},
		{index, `["states", "choices"]`, `["states", "branches"]`, `"cost" of type double is of states, branches, want one of states and choices`},
		{index, `"alias": "A"`, `"alias": "done"`, `"done" of type bool is there twice, want a name of its own`},
		{index, `{"format`, `{format`, `index.json: the text is invalid character`},
		{index, index, `nothing.json`, `coin.umb: index.json: the archive is none, want a whole tar, bare or in gzip, whose first file is index.json`},
		{"state-to-choices.bin", "\x02", "\x05", `state-to-choices.bin: number 1 is 5, want one from 0 to 4`},
		{"state-to-choices.bin", "\x02", "\x04", `state-to-choices.bin: the list is 0, …, 4, want 0, …, 4 in their order`},
		{"state-to-choices.bin", "\x04", "\x03", `state-to-choices.bin: the list is 0, …, 3, want 0, …, 4`},
		{"state-to-choices.bin", "\x03", "\x02", `state-to-choices.bin: a state is without a choice`},
		{"state-to-choices.bin", "\x00\x00\x00\x04", "\x04", `state-to-choices.bin: its length is 29 bytes, want 32`},
		{"state-to-choices.bin", "state", "a-state", `state-to-choices.bin: the list is 0, …, 3, want 0, …, 4`},
		{"state-is-initial.bin", "\x01", "\x03", `state-is-initial.bin: the initial states is none or several, want one`},
		{"state-is-initial.bin", "\x01", "\x08", `state-is-initial.bin: a bit behind the last state is 1, want 0`},
		{"state-is-initial.bin", "state", "a-state", `state-is-initial.bin: the initial states is none or several`},
		{"branch-to-target.bin", "\x02", "\x03", `branch-to-target.bin: number 0 is 3, want one from 0 to 2`},
		{"branch-to-target.bin", "\x02", "\xff", `branch-to-target.bin: number 0 is 255`},
		{"branch-to-probability.bin", "\x3f", "\xbf", `branch-to-probability.bin: number 0 is -0.25, want a finite one, and 0 or more`},
		{"branch-to-probability.bin", "\xd0\x3f", "\xf8\x7f", `branch-to-probability.bin: number 0 is NaN`},
		{"branch-to-probability.bin", "\xd0\x3f", "\xe0\x3f", `branch-to-probability.bin: the sum of choice 0, of state 0 is 1.25, want 1`},
		{"branch-to-probability.bin", "branch", "a-branch", `branch-to-probability.bin: the file is missing, or 0 everywhere`},
		{"actions/choices/string-mapping.bin", "\x06", "\x05", `string-mapping.bin: the list is 0, …, 5, want 0, …, 6`},
		{"actions/choices/strings.bin", "actions", "others", `string-mapping.bin: number 2 is 2, want one from 0 to 0`},
		{"annotations/rewards/r/choices/values.bin", "\xf0\x3f", "\xf0\x7f", `annotations/rewards/r/choices/values.bin: number 0 is +Inf`},
		{"annotations/aps/done/states/values.bin", "annotations/aps/done", "annotations/rewards/r", `annotations/rewards/r/states/values.bin: the file is there twice`},
	} {
		files := coinFiles()
		i := slices.IndexFunc(files, func(f member) bool { return f.name == c.file })
		name := strings.Replace(files[i].name, c.from, c.to, 1)
		text := strings.Replace(string(files[i].text), c.from, c.to, 1)
		if name == files[i].name && text == string(files[i].text) {
			t.Fatalf("%s has no %q", c.file, c.from)
		} else if name != files[i].name {
			text = string(files[i].text)
		}
		files[i] = member{name, []byte(text)}
		if _, err := explicit.ReadUMB(t.Context(), bytes.NewReader(archive(t, files)), "coin.umb"); !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q: %v, want %q", c.file, c.to, err, c.want)
		}
	}
}

// TestReadUMBPacking: a file that has no end, a wrong sum or another compression is refused, and what a header says is not taken for true.
func TestReadUMBPacking(t *testing.T) {
	bare := archive(t, coinFiles())
	packed := zipped(bare)
	broken := slices.Clone(packed)
	broken[len(broken)-6]++ // of the checksum
	var large bytes.Buffer
	w := tar.NewWriter(&large)
	w.WriteHeader(&tar.Header{Name: "index.json", Size: int64(len(coinFiles()[0].text))})
	w.Write(coinFiles()[0].text)
	w.Flush()
	sized := func(n int64) []byte {
		b := bytes.NewBuffer(slices.Clone(large.Bytes()))
		tar.NewWriter(b).WriteHeader(&tar.Header{Name: "branch-to-target.bin", Size: n})
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":     {nil, "the archive is EOF, want a whole tar"},
		"text":      {[]byte(coin), "the archive is none, want a whole tar"},
		"xz":        {[]byte("\xfd7zXZ\x00 and more"), "compressed by xz, where gzip or no compression is read"},
		"gzip":      {packed[:5], "unexpected EOF"},
		"truncated": {packed[:len(packed)-300], "unexpected EOF"},
		"end":       {packed[:len(packed)-1], "unexpected EOF"},
		"checksum":  {broken, "invalid checksum"},
		"bare":      {bare[:2000], "unexpected EOF"},
		"hostile":   {sized(1 << 62), "branch-to-target.bin: memory of the model is more than it may take"},
		"absent":    {sized(1 << 29), "branch-to-target.bin: the archive is unexpected EOF"},
	} {
		if _, err := explicit.ReadUMB(t.Context(), bytes.NewReader(c.file), "coin.umb"); !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := explicit.Read(t.Context(), strings.NewReader("\xfd7zXZ\x00 and more"), "coin.drn.xz"); err == nil || !strings.Contains(err.Error(), "coin.drn.xz:1: compressed by xz, where gzip") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := explicit.ReadUMB(ctx, bytes.NewReader(bare), "coin.umb"); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

func FuzzReadUMB(f *testing.F) {
	files := coinFiles()
	f.Add(archive(f, files))
	f.Add(zipped(archive(f, files)))
	f.Add(archive(f, files[:5]))
	before := debug.SetMemoryLimit(1 << 31)
	f.Cleanup(func() { debug.SetMemoryLimit(before) })
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := explicit.ReadUMB(t.Context(), bytes.NewReader(file), "coin.umb")
		if err != nil {
			if !errors.As(err, new(*bcpace.InputError)) {
				t.Fatal(err)
			}
			return
		}
		var b bytes.Buffer
		if err := m.WriteUMB(&b); err != nil {
			return // the label of an action is not UTF-8
		}
		back, err := explicit.ReadUMB(t.Context(), &b, "coin.umb")
		if err != nil || listed(back) != listed(m) {
			t.Fatalf("%v\n%s\n%s", err, listed(m), listed(back))
		}
	})
}
