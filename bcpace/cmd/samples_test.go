package cmd

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestSamples solves, evaluates and covers models of drawn latents.
func TestSamples(t *testing.T) {
	draws := func(args string) (n struct {
		Draws *int
		Value float64
	}) {
		if err := json.Unmarshal([]byte(succeed(t, append(line(args), "--json")...)), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, args := range []string{
		"solve --env chain --set slips=uniform:0.1:0.9 --samples 4 --algorithm qmdp --seed 3",
		"solve --env mountain-car --set power=gamma:100:100 --samples 4 --algorithm qmdp --control-points 2",
		"solve --env pendulum --set mass=lognormal:0:0.2 --samples 4 --algorithm qmdp --control-points 2",
		"solve --env dual-control --set gain=normal:0:1 --set sigma=1 --samples 4 --algorithm qmdp --control-points 3",
		"eval --env chain --set slips=uniform:0.1:0.9 --samples 4 --algorithm qmdp --episodes 2 --horizon 3",
		"cover --env chain --set slips=uniform:0.1:0.9 --samples 4 --depth 2 --epsilon 0.5",
		"lipschitz --env chain --set slips=uniform:0.1:0.9 --samples 4",
		"advise --env chain --set slips=beta:2:9 --samples 4 --algorithm qmdp",
	} {
		if got := draws(args).Draws; got == nil || *got != 4 {
			t.Errorf("bcpace %s: %v draws, want 4", args, got)
		}
	}
	if got := draws("solve --env chain --algorithm qmdp").Draws; got != nil {
		t.Errorf("%d draws without --samples", *got)
	}
	const few = "solve --env chain --set slips=uniform:0.1:0.9 --samples 3 --algorithm qmdp --seed "
	if a, b, c := draws(few+"1").Value, draws(few+"1").Value, draws(few+"2").Value; a != b || a == c {
		t.Errorf("values %v, %v with the same seed, and %v", a, b, c)
	}
}

// TestSamplesMisuse gives flags that do not go together.
func TestSamplesMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"solve --env chain --samples 3":                                                  "a number of samples needs a distribution, such as slips=uniform",
		"solve --env tiger --samples 3":                                                  "no parameter of tiger lists latents",
		"solve --env chain --set slip=uniform:0:1":                                       "needs a number of samples",
		"solve --env chain --set slip=uniform:0:1 --samples 0":                           "want a whole number above 0",
		"solve --env chain --set slip=uniform:0:1 --set slips=0.1":                       "needs a number of samples",
		"solve --env chain --set slip=uniform:0:1 --set slips=1 --samples 2":             "given twice",
		"solve --model ../../data/tiger.pomdpx --samples 2":                              "--samples and --model contradict",
		"solve --resume x.bcp --samples 2":                                               "--samples and --resume contradict",
		"eval --run x.bcp --samples 2":                                                   "--samples and --run contradict",
		"cover --run x.bcp --samples 2":                                                  "--samples and --points or --run contradict",
		"lipschitz --run x.bcp --samples 2":                                              "--samples and --run contradict",
		"solve --env chain --set slip=uniform:1:0 --samples 2":                           "uniform:a:b with two numbers, a < b",
		"solve --env chain --set slip=uniform:0 --samples 2":                             "uniform:a:b with two numbers",
		"solve --env chain --set slip=normal:0:-1 --samples 2":                           "σ > 0",
		"solve --env chain --set slip=beta:0:1 --samples 2":                              "α, β > 0",
		"solve --env chain --set slip=gamma:1:NaN --samples 2":                           "both > 0",
		"solve --env chain --set slip=cauchy:0:1 --samples 2":                            "or one of uniform:a:b, normal:μ:σ",
		"solve --env pendulum --set mass=uniform:0.0001:0.0002 --samples 2":              "want numbers from 0.01 to 100",
		"solve --env nowhere --set slip=uniform:0:1 --samples 2":                         "environment is \"nowhere\"",
		"solve --env chain --set length=uniform:2:5 --samples 2":                         "a number of samples needs a distribution",
		"solve --env chain --set slip=uniform:0:1 --samples 2 --samples 3":               "--samples is given twice",
		"solve --env chain --set slip=uniform:0:1 --samples 2 --algorithm qmdp --seed x": "want a whole number",
	} {
		if code, _, text := call(t, line(args)...); code == exitOK || !strings.Contains(text, want) || strings.Count(text, "\n") > 2 {
			t.Errorf("bcpace %s: exit code %d, %q, want %q", args, code, text, want)
		}
	}
}

// TestSamplesRun saves a run of drawn latents, which names them, and evaluates it.
func TestSamplesRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "chain.bcp")
	succeed(t, append(line("solve --env chain --set slip=uniform:0.1:0.9 --samples 2 --epsilon 5 --out"), name)...)
	succeed(t, "eval", "--run", name, "--episodes", "2", "--horizon", "3")
	succeed(t, "verify", "--run", name)
}
