package cmd

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantConverted is the contract of convert --json, written down a second time.
type wantConverted struct {
	Model        string `json:"model"`
	Visible      int    `json:"visible"`
	Hidden       int    `json:"hidden"`
	Actions      int    `json:"actions"`
	Observations int    `json:"observations"`
}

// TestConvert: the file of an environment, in either format and by way of either, has the value that
// QMDP finds for the environment.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	value := func(problem string) float64 {
		var found struct{ Value float64 }
		if err := json.Unmarshal([]byte(succeed(t, line("solve "+problem+" --algorithm qmdp --json")...)), &found); err != nil {
			t.Fatal(err)
		}
		return found.Value
	}
	for _, env := range []string{"tiger", "chain", "light-dark-tiger --set width=3 --set height=4", "battery"} {
		name, want := strings.Fields(env)[0], value("--env "+env)
		for _, ext := range []string{".pomdpx", ".pomdp"} {
			file, other := filepath.Join(dir, name+ext), filepath.Join(dir, "other-"+name+map[string]string{".pomdp": ".pomdpx", ".pomdpx": ".pomdp"}[ext])
			c := decode[wantConverted](t, succeed(t, line("convert --env "+env+" --out "+file+" --json")...))
			if c.Model != name || c.Visible < 2 || c.Hidden < 2 || c.Actions < 2 || c.Observations != 1 {
				t.Errorf("%+v", c)
			}
			succeed(t, "convert", "--model", file, "--out", other)
			for _, f := range []string{file, other} {
				if got := value("--model " + f); math.Abs(got-want) > 1e-9*math.Abs(want) {
					t.Errorf("%s has value %v, want %v", f, got, want)
				}
			}
		}
	}
}

// TestConvertRefuses: what cannot be converted, and files that must not be lost.
func TestConvertRefuses(t *testing.T) {
	dir := t.TempDir()
	kept, out := filepath.Join(dir, "kept.pomdp"), filepath.Join(dir, "x.pomdpx")
	if err := os.WriteFile(kept, []byte("a letter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tiger := dataFolder + "tiger.pomdp"
	for args, want := range map[string]string{
		"--out " + out: "give one of --env and --model",
		"--env tiger --model " + tiger + " --out " + out: "give one of --env and --model",
		"--env tiger":                                         "--out is missing",
		"--env tiger --out x.txt":                             `"x.txt" is no name of a model file`,
		"--model " + tiger + " --out " + tiger:                "--model and --out name the same file",
		"--model " + tiger + " --seed 1 --out " + out:         "--model",
		"--env tiger --out " + kept:                           "which is not a model",
		"--env dual-control --out " + out:                     "a list of actions",
		"--model " + kept + " --out " + out:                   "kept.pomdp",
		"--env tiger --out " + filepath.Join(kept, "x.pomdp"): "kept.pomdp",
	} {
		if code, stdout, stderr := call(t, line("convert "+args)...); code == exitOK || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("convert %s: exit code %d, %q, %q, want %q", args, code, stdout, stderr, want)
		}
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != "a letter\n" {
		t.Errorf("%q, %v", text, err)
	}
	succeed(t, "convert", "--env", "tiger", "--out", kept, "--force")
	succeed(t, "convert", "--env", "tiger", "--out", kept) // a model
}

// TestConvertExplicit: the files of model checkers have the value of the environment, and are replaced by their like. Other archives are not.
func TestConvertExplicit(t *testing.T) {
	dir := t.TempDir()
	value := func(problem string) float64 {
		var found struct{ Value float64 }
		if err := json.Unmarshal([]byte(succeed(t, append(line("solve --algorithm sarsop --epsilon 0.01 --json "+problem), "--property", `R{"reward"}max=? [F "goal"]`)...)), &found); err != nil {
			t.Fatal(err)
		}
		return found.Value
	}
	drn, umb := filepath.Join(dir, "tiger.drn"), filepath.Join(dir, "tiger.umb")
	for _, file := range []string{drn, umb, umb} {
		if code, out, stderr := call(t, "convert", "--model", dataFolder+"tiger.pomdp", "--out", file); code != exitOK || !strings.Contains(out, `R{"reward"}max=? [F "goal"]`) {
			t.Errorf("%s: exit code %d, %s, %s", file, code, out, stderr)
		}
	}
	if a, b := value("--model "+drn), value("--model "+umb); math.Abs(a-19.37) > 0.02 || math.Abs(b-a) > 0.02 {
		t.Errorf("%v and %v, want 19.37", a, b)
	}
	content, err := os.ReadFile(umb)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	bare, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		is      bool
	}{"bare.umb": {bare, true}, "cut.umb": {content[:40], false}, "other.umb": {bytes.Replace(bare, []byte("index"), []byte("other"), 1), false}} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, c.content, 0o666); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := call(t, "convert", "--model", dataFolder+"tiger.pomdp", "--out", file); (code == exitOK) != c.is || !c.is && !strings.Contains(stderr, "which is not a model") {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
}
