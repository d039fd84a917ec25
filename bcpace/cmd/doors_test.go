package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"bayescpace/bcpace/act"
	"bayescpace/bcpace/methods"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

var update = flag.Bool("update", false, "write the golden files of the help anew")

// TestHelpWidths: no line of the help is longer than the terminal is wide but for words that are, and the help is as it was.
func TestHelpWidths(t *testing.T) {
	for _, width := range []int{80, 40} {
		t.Setenv("COLUMNS", fmt.Sprint(width))
		var all bytes.Buffer
		for _, v := range append([]verb{{}}, verbs...) {
			args := []string{"help"}
			if v.name != "" {
				args = append(args, strings.Fields(v.name)...)
			}
			out := succeed(t, args...)
			for line := range strings.Lines(out) {
				line = strings.TrimRight(line, "\n")
				if utf8.RuneCountInString(line) > width && len(strings.Fields(line)) > 1 && strings.TrimSuffix(strings.TrimSpace(line), ` \`) != strings.Fields(line)[0] {
					t.Errorf("%s at %d columns: %q", v.name, width, line)
				}
			}
			if v.name != "solve" && v.name != "eval" { // whose environments and solvers change often
				fmt.Fprintf(&all, "%s\n", out)
			}
		}
		golden := filepath.Join("testdata", fmt.Sprintf("help%d.txt", width))
		if *update {
			if err := os.WriteFile(golden, all.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || all.String() != string(want) {
			t.Errorf("the help differs from %s, %v; go test -run TestHelpWidths -update writes it", golden, err)
		}
	}
}

// TestTypos: a word with one wrong, missing or additional letter, or two swapped, is told what it was probably meant to be.
func TestTypos(t *testing.T) {
	lists := map[string][]string{"verb": words(""), "sweep": words("sweep"), "solver": solvers.Names(), "environment": append(namesOf(envs.List()), hiddenNames()...)}
	for _, v := range verbs {
		lists["flags of "+v.name] = v.flags().names()
	}
	for _, name := range namesOf(envs.List()) {
		lists["parameters of "+name] = keysOf(name)
	}
	for what, list := range lists {
		for _, word := range list {
			word = strings.TrimSuffix(word, "=")
			for i := range word {
				if i < 3 && strings.HasPrefix(word, "--") {
					continue
				}
				typos := []string{word[:i] + "q" + word[i:], word[:i] + word[i+1:], word[:i] + "q" + word[i+1:]}
				if i > 0 && (i > 3 || !strings.HasPrefix(word, "--")) {
					typos = append(typos, word[:i-1]+word[i:i+1]+word[i-1:i]+word[i+1:])
				}
				for _, typo := range typos {
					if len(word) < 4 || typo == word || contains(list, typo) {
						continue
					}
					var bare []string
					for _, x := range list {
						bare = append(bare, strings.TrimSuffix(x, "="))
					}
					meant := numtext.Meant(typo, bare)
					if meant == "" || !strings.Contains(meant, fmt.Sprintf("%q", word)) && !near(typo, meant) {
						t.Errorf("%s: %q makes %q of %q", what, meant, typo, word)
					}
				}
			}
		}
	}
	for args, want := range map[string]string{
		"slove --env tiger":                             `"solve"`,
		"solve --evn tiger":                             `"--env"`,
		"solve --env tigr":                              `"tiger"`,
		"solve --env tiger --set acuracy=0.9":           `"accuracy"`,
		"solve --env tiger --algorithm certifed":        `"certified"`,
		"eval --env light-dark-1d --algorithm pomcpoww": `"pomcpow"`,
		"sweep stauts x":                                `"status"`,
		"plot --run x --figure value":                   `"values"`,
		"completion bsah":                               `"bash"`,
	} {
		if code, _, stderr := call(t, strings.Fields(args)...); code == 0 || !strings.Contains(stderr, "did you mean "+want) {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
}

func contains(list []string, x string) bool {
	for _, y := range list {
		if strings.TrimSuffix(y, "=") == x {
			return true
		}
	}
	return false
}

// near reports whether another word of the list is as near to a typo, as "--alpha" may be to what was meant to be "--delta".
func near(typo, meant string) bool {
	_, word, _ := strings.Cut(meant, `"`)
	word, _, _ = strings.Cut(word, `"`)
	differ := 0
	for i := range min(len(word), len(typo)) {
		if word[i] != typo[i] {
			differ++
		}
	}
	return len(word) == len(typo) && differ <= 2 || len(word) != len(typo)
}

// savedRun solves Tiger and returns the file of the run.
func savedRun(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tiger.bcp")
	succeed(t, "solve", "--env", "tiger", "--epsilon", "0.5", "--out", name)
	return name
}

func TestAct(t *testing.T) {
	name := savedRun(t)
	var out, errs bytes.Buffer
	p := program{ctx: t.Context(), stdin: strings.NewReader("{\"state\":[0]}\n{\"reward\":-1,\"next\":[1]}\n{}\n"), stdout: &out, stderr: &errs}
	if err := dispatch(p, []string{"act", "--run", name}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var c act.Choice
	if len(lines) != 3 || json.Unmarshal([]byte(lines[1]), &c) != nil || c.Name != "listen" || c.Belief[0] < 0.84 || !strings.HasPrefix(lines[2], `{"error":`) {
		t.Errorf("%s", out.String())
	}
	if code, _, _ := call(t, "act", "--run", name+"x"); code != exitError {
		t.Errorf("no run: exit code %d", code)
	}
	for _, args := range []string{"act", "act --run", "act --run x --seed -1"} {
		if code, _, _ := call(t, strings.Fields(args)...); code != exitUsage {
			t.Errorf("%s: exit code %d", args, code)
		}
	}
}

func TestPlot(t *testing.T) {
	name := savedRun(t)
	if out := succeed(t, "plot", "--run", name, "--figure", "values"); !strings.Contains(out, "belief in tiger left") {
		t.Errorf("%s", out)
	}
	if out := succeed(t, "plot", "--run", name, "--figure", "values", "--out", "-"); strings.Count(out, "\n") < 15 || !strings.Contains(out, "⠀") || !strings.Contains(out, "belief in tiger left") {
		t.Errorf("the sketch is\n%s", out)
	}
	for ext, begin := range map[string]string{"png": "\x89PNG", "svg": "<", "pdf": "%PDF"} {
		file := filepath.Join(t.TempDir(), "f."+ext)
		for range 2 { // a figure is replaced
			succeed(t, "plot", "--run", name, "--figure", "bounds", "--out", file)
		}
		if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), begin) {
			t.Errorf("%s: %v, %.20q", ext, err, data)
		}
	}
	if code, _, stderr := call(t, "plot", "--run", name, "--out", filepath.Join(t.TempDir(), "x.gif")); code != exitUsage || !strings.Contains(stderr, ".png") {
		t.Errorf("%d, %s", code, stderr)
	}
	other := filepath.Join(t.TempDir(), "notes.svg")
	if err := os.WriteFile(other, []byte("my notes"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, "plot", "--run", name, "--out", other); code == 0 || !strings.Contains(stderr, "--force") {
		t.Errorf("%d, %s", code, stderr)
	}
	if code, _, stderr := call(t, "plot", "--run", name, "--figure", "room"); code != exitError || !strings.Contains(stderr, "fewer than two axes") {
		t.Errorf("%d, %s", code, stderr)
	}
}

func TestVersionVerb(t *testing.T) {
	var v methods.Software // whose fields have the names of the keys
	if err := json.Unmarshal([]byte(succeed(t, "version", "--json")), &v); err != nil || len(v.Code) != 64 || !strings.HasPrefix(v.Go, "go1") {
		t.Errorf("%+v, %v", v, err)
	}
	if out := succeed(t, "version"); !strings.Contains(out, v.Code) {
		t.Errorf("%s", out)
	}
}

func TestCompletion(t *testing.T) {
	for shell := range shells {
		if out := succeed(t, "completion", shell); !strings.Contains(out, completionWord) {
			t.Errorf("%s: %s", shell, out)
		}
	}
	for words, want := range map[string]string{
		"s":                         "solvers solve store sweep",
		"sweep s":                   "status script",
		"solve --env ti":            "tiger",
		"solve --env tiger --set a": "accuracy=",
		"solve --tim":               "--timeout",
		"eval --algorithm certif":   "certified",
		"plot --figure b":           "beliefs bounds",
		"completion z":              "zsh",
		"help sol":                  "solvers solve",
		"solve --out t":             "",
		"nothing x":                 "",
	} {
		if got := strings.Join(strings.Fields(succeed(t, append([]string{completionWord}, strings.Fields(words)...)...)), " "); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}
