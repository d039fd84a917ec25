package cmd

import (
	"strings"
	"testing"

	"bayescpace/bcpace/solvers"
)

// TestHiddenVectors: every planner plays an environment with a hidden vector, and twice the same.
func TestHiddenVectors(t *testing.T) {
	for _, name := range solvers.PlannerNames() {
		args := "eval --env light-dark-1d --algorithm " + name + " --episodes 3 --horizon 4 --particles 50 --json"
		if name != "thompson" {
			args += " --budget 10"
		}
		var means [2]float64
		for i := range means {
			x := decode[struct {
				wantEvaluation
				Surprises *int `json:"surprises"`
			}](t, succeed(t, line(args)...))
			if x.Surprises == nil || *x.Episodes != 3 || *x.Horizon != 4 {
				t.Fatalf("%s gives %+v", args, x)
			}
			means[i] = *x.Mean
		}
		if means[0] != means[1] {
			t.Errorf("%s gives %v and then %v", args, means[0], means[1])
		}
	}
}

// TestHiddenErrors: what does not go with a hidden vector is refused.
func TestHiddenErrors(t *testing.T) {
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"eval --env light-dark-1d --algorithm qmdp", "want one of pomcpow, pomcp, pft, sparse-pft, adaops, despot, thompson", exitUsage},
		{"solve --env light-dark-1d --robust all", "--robust needs a Bayes-adaptive MDP: light-dark-1d has a hidden vector", exitError},
		{"eval --env tiger --algorithm qmdp --particles 5", "--particles is for an environment with a hidden vector", exitUsage},
		{"eval --env tiger --algorithm pft --budget 5", "pft", exitUsage},
		{"eval --env light-dark-1d --algorithm pft --scenarios 4", "leave out --scenarios", exitUsage},
		{"eval --env light-dark-1d --algorithm thompson --samples 4", "leave out samples", exitUsage},
		{"eval --env light-dark-1d --algorithm pft --particles 0", "--particles is 0, want 1 particle or more", exitError},
		{"eval --env light-dark-1d --algorithm adaops --most-particles 0", "want 1 particle or more", exitError},
		{"eval --env lasertag-hidden --algorithm despot --delta 1", "leave out --delta, or take adaops", exitUsage},
		{"eval --env lasertag-hidden --algorithm despot --budget 1 --particles 100000000000", "--particles is 100000000000, want a number of particles up to", exitError},
		{"eval --env light-dark-1d --algorithm adaops --least-particles 50 --most-particles 10", "--most-particles is 10, want a number of particles from the least one, 50, to", exitError},
		{"eval --env light-dark-1d --algorithm adaop", "no algorithm \"adaop\"", exitUsage},
		{"eval --env light-dark-1d --set light=100 --algorithm pft", "want a place from -60 to 60", exitError},
		{"eval --env vdp-tag --algorithm despot", "it needs a list of actions", exitError},
		{"solve --env mars --algorithm qmdp", `no algorithm "qmdp"`, exitUsage},
		{"lipschitz --env mars", "mars has a hidden vector", exitError},
	} {
		code, stdout, stderr := call(t, line(c.args)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("bcpace %s: exit code %d, stderr %q, want %d and %q", c.args, code, stderr, c.code, c.want)
		}
	}
}
