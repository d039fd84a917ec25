package choose_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/envs"
)

var rewrite = flag.Bool("write", false, "write testdata/stages.txt")

// known are the models of all environments and files of the repository, in order; a file that holds no BAMDP has none.
func known(t *testing.T) (names []string, models map[string]bcpace.Model) {
	t.Helper()
	models = make(map[string]bcpace.Model)
	for _, e := range envs.List() {
		m, err := envs.New(e.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		names, models[e.Name] = append(names, e.Name), m
	}
	files, err := filepath.Glob("../../data/*.pomdp*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		tables, err := pomdpfile.ReadFile(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.OfTables(t.Context(), tables)
		if err != nil {
			t.Fatal(err)
		}
		name := "data/" + filepath.Base(file)
		names, models[name] = append(names, name), p.Model
	}
	return names, models
}

// TestStages: what is tried on every environment and file is what testdata/stages.txt says.
func TestStages(t *testing.T) {
	names, models := known(t)
	var b strings.Builder
	for _, name := range names {
		m := models[name]
		alone, why := choose.One(m, choose.Asked{File: strings.HasPrefix(name, "data/")})
		fmt.Fprintf(&b, "%s\n  alone %s: %s\n", name, alone, why)
		if m == nil {
			continue
		}
		for _, within := range []time.Duration{0, time.Minute} {
			x, err := choose.ScheduleOf(m, nil, "", within)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "  %s, with %s:\n", map[bool]string{false: "no deadline", true: "a deadline"}[within > 0], x.Kind)
			for _, part := range x.Parts {
				parameters, err := json.Marshal(part.Solver)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "    %.2f %s %s\n", part.Share, part.What, parameters)
			}
		}
	}
	file := filepath.Join("testdata", "stages.txt")
	if *rewrite {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i, line := range gotLines {
			if i >= len(wantLines) || line != wantLines[i] {
				t.Fatalf("line %d is %q; go test ./bcpace/choose -run TestStages -write writes %s anew", i+1, line, file)
			}
		}
		t.Fatalf("%d lines, want %d", len(gotLines), len(wantLines))
	}
}
