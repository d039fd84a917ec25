//go:build unix

// Package python tests the Python package that stands in notebooks/python, and what Python reads of our tables.
package python

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/estimated"
	"bayescpace/bcpace/process"
)

// python returns Python 3, and has it find the module.
func python(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("python3", "-I", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skipf("there is no python3: %v", err)
	}
	folder, err := filepath.Abs("../../python")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", folder)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	return strings.TrimSpace(string(out))
}

// built is the folder with the command, once a test has asked for it.
var built string

// build builds the command.
var build = sync.OnceValue(func() error {
	var err error
	if built, err = os.MkdirTemp("", "bcpace-"); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", built, "bayescpace/bcpace/cmd/bcpace").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// command returns the path of the command.
func command(t *testing.T) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(built, "bcpace")
}

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(built) // nothing, where it was not built
	os.Exit(status)
}

func begin(t *testing.T, command ...string) *process.Model {
	t.Helper()
	m, err := process.Start(t.Context(), process.Program{Command: command, Processes: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func TestServe(t *testing.T) {
	m := begin(t, python(t), "testdata/walk.py")
	b := make(bcpace.Belief, 2)
	if m.Prior(b); b[1] != 0.75 {
		t.Errorf("prior %v", b)
	}
	if err := check.Model(m, check.Options{Transitions: 10, Draws: 200, Episodes: 3, Steps: 20}); err != nil {
		t.Error(err)
	}
}

// TestGymnasium: an environment in the form of Gymnasium becomes a simulator, with numbered actions and with a control.
func TestGymnasium(t *testing.T) {
	for _, control := range []string{"", "control"} {
		m := begin(t, python(t), "testdata/stub.py", control)
		spec := m.Spec()
		if len(spec.Axes) != 2 || spec.Axes[1].Max != 20 || spec.HasBox() != (control != "") || m.Likelihoods() {
			t.Fatalf("%+v", spec)
		}
		action := 1
		if control != "" {
			var err error
			if action, err = spec.ActionID(0, []float64{1}); err != nil {
				t.Fatal(err)
			}
		}
		// The force of 1 moves a mass of 1 by 0.1, that of 3 by a third of that, with a deviation of a tenth. The means of 400
		// are within six deviations, beyond which a normal number is once in 5e8.
		for φ, mass := range []float64{1, 3} {
			mean := 0.0
			rng := rand.New(rand.NewPCG(1, 2))
			for range 400 {
				next := make([]float64, 2)
				out := m.Step(next, []float64{0.5, 0}, φ, action, rng)
				if out.Done || out.Reward != 1 {
					t.Fatalf("%+v", out)
				}
				mean += (next[0] - 0.5) / 400
			}
			if want := 0.1 / mass; mean < want-6*0.01/mass/20 || mean > want+6*0.01/mass/20 {
				t.Errorf("a mass of %v moves by %v on average, want %v", mass, mean, want)
			}
		}
		guessed, err := estimated.Likelihoods(m, estimated.Options{Draws: 100})
		if err != nil {
			t.Fatal(err)
		}
		if l := func(φ int) float64 { return guessed.LogLikelihood([]float64{0.5, 0}, action, []float64{0.6, 1}, φ) }; l(0) < l(1)+5 {
			t.Errorf("log likelihoods %v and %v of what a light cart does", l(0), l(1))
		}
	}
}

// Where nothing is drawn, a step tells the latent, and the simulator conforms.
func TestCertainGymnasium(t *testing.T) {
	m := begin(t, python(t), "testdata/stub.py", "certain")
	if err := check.Model(m, check.Options{Transitions: 10, Draws: 50, Episodes: 3, Steps: 20}); err != nil {
		t.Error(err)
	}
	s, next, b := []float64{0, 0}, make([]float64, 2), bcpace.Uniform(2)
	m.Step(next, s, 1, 0, rand.New(rand.NewPCG(1, 1)))
	if err := bcpace.NewBayes(m).Update(b, b, s, 0, next); err != nil || b[1] != 1 {
		t.Errorf("%v, %v", b, err)
	}
}

func TestFaults(t *testing.T) {
	for mistake, want := range map[string]string{
		"raises":     `it answered with the error "KeyError: 'no such place' (faults.py, line 18)"`,
		"nan":        "a state, reward or likelihood is infinite or not a number",
		"off":        `whose entry "x" is 2`,
		"likelihood": "LogLikelihood",
	} {
		err := check.Model(begin(t, python(t), "testdata/faults.py", mistake), check.Options{Transitions: 10, Draws: 200, Episodes: 3, Steps: 20})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", mistake, err, want)
		}
	}
}

// TestAgent: a policy that was saved is played from Python, and what is wrong is said.
func TestAgent(t *testing.T) {
	path := python(t)
	folder := t.TempDir()
	t.Setenv("BCPACE", command(t))
	cmd := exec.Command(path, "-W", "error", "testdata/agent.py", filepath.Join(folder, "tiger.json"), "testdata/worlds.py")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %s%s", err, out, &stderr)
	}
	var got struct {
		Names, Errors []string
		Beliefs       []float64
		Bridge        []struct {
			Action int
			Belief []float64
			Over   bool
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if want := []string{"listen", "listen", "open right", "listen"}; !slices.Equal(got.Names, want) && got.Names[2] != "open left" || len(got.Names) != 4 {
		t.Errorf("it does %q, want %q", got.Names, want)
	}
	if b := got.Beliefs; len(b) != 3 || b[0] != 0.5 || b[1] == 0.5 {
		t.Errorf("it believes %v", b)
	}
	// Of a bridge that breaks under a heavy walker, and an episode of two steps that ends at its horizon.
	if b := got.Bridge; len(b) != 3 || b[0].Over || b[1].Over || !b[2].Over || b[2].Action != -1 || b[1].Belief[0] != 1 {
		t.Errorf("on the bridge it does %+v", b)
	}
	for i, want := range []string{"agent: the state is [9]", "action is \"sing\"", "something else than texts and finite numbers", "the reward is '1', want a number", "the action is True, want its name or its number", "want a number or a label", "cannot read", "--run or --policy is missing", "closed", "want a number or a label for each axis"} {
		if i >= len(got.Errors) || !strings.Contains(got.Errors[i], want) {
			t.Errorf("errors are %q, want %q as number %d", got.Errors, want, i)
		}
	}
}
