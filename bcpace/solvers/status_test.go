package solvers_test

import (
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// packageStatus reads the table of bcpace/README.md: the status of each package.
func packageStatus(t *testing.T) map[string]solverkit.Status {
	t.Helper()
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	status := make(map[string]solverkit.Status)
	for _, s := range solverkit.Statuses() {
		_, row, ok := strings.Cut(string(page), "\n| "+string(s)+" | "+s.Promise()+" | ")
		if !ok {
			t.Fatalf("bcpace/README.md has no row for %q with its promise", s)
		}
		row, _, _ = strings.Cut(row, "\n")
		for _, name := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row, -1) {
			if was, twice := status[name[1]]; twice {
				t.Errorf("bcpace/README.md: %s has the status %s and %s", name[1], was, s)
			}
			status[name[1]] = s
		}
	}
	return status
}

// TestPackagesHaveAStatus: every package that others can import has a status, and none of the core stands on an experiment.
func TestPackagesHaveAStatus(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{len .GoFiles}} {{join .Imports \" \"}}", "bayescpace/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	status := packageStatus(t)
	unseen := make(map[string]bool)
	for name := range status {
		unseen[name] = true
	}
	lists := []string{"bcpace/solvers", "bcpace/cmd"}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[0], "bayescpace/")
		if words[1] == "0" || strings.Contains(name, "internal") || strings.HasPrefix(name, "notebooks/tests") ||
			slices.Contains([]string{"bcpace/cmd/bcpace", "bcpace/baseline", "notebooks/live"}, name) {
			continue
		}
		if status[name] == "" {
			t.Errorf("%s has no status: bcpace/README.md has a table of them", name)
		}
		delete(unseen, name)
		for _, imported := range words[2:] {
			imported = strings.TrimPrefix(imported, "bayescpace/")
			if status[name] == solverkit.Core && status[imported] == solverkit.Experiment && !slices.Contains(lists, name) {
				t.Errorf("%s is of the core and imports %s, an experiment", name, imported)
			}
		}
	}
	for name := range unseen {
		t.Errorf("bcpace/README.md has a status for %s, and there is no such package", name)
	}
}

// TestSolversHaveAStatus: every solver, planner and environment has a status, and no solver a better one than its package.
func TestSolversHaveAStatus(t *testing.T) {
	order, packages := solverkit.Statuses(), packageStatus(t)
	for _, info := range slices.Concat(solvers.List(), solvers.Questions()) {
		s, err := solvers.New(info.Name, envs.Tiger{})
		if err != nil {
			t.Fatal(err)
		}
		of := packages[strings.TrimPrefix(reflect.TypeOf(s).PkgPath(), "bayescpace/")]
		if i, least := slices.Index(order, info.Status), slices.Index(order, of); i < 0 || i < least {
			t.Errorf("solver %s has the status %q, and its package %q", info.Name, info.Status, of)
		}
	}
	for _, info := range solvers.ListPlanners() {
		if !slices.Contains(order, info.Status) {
			t.Errorf("planner %s has the status %q, want one of %q", info.Name, info.Status, order)
		}
	}
	for _, info := range slices.Concat(envs.List(), envs.ListHidden()) {
		if s := solvers.EnvironmentStatus(info.Name); !slices.Contains(order, s) {
			t.Errorf("environment %s has the status %q, want one of %q", info.Name, s, order)
		}
	}
}
