package sarsop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// published reads a published model. The files belong to others, are not part of
// the project and may be absent, in CI as anywhere; the tests that want them are then
// skipped. What they have in numbers of states, sarsop_test.go has in kinds: models of
// known optima (TestOptima), drawn ones against exact values (TestRandom), and one
// model with its states seen and hidden (TestFlattened).
func published(t testing.TB, name string) *pomdp.Model {
	t.Helper()
	path := filepath.Join("../../../../shared/models/gpl", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("a published model, which the project does not have, is looked for at %s: %v", path, err)
	}
	m, err := pomdpfile.ReadFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// appl are bounds that APPL 0.96 had reached after so many seconds.
var appl = []struct {
	file         string
	seconds      int
	lower, upper float64
}{
	{"Hallway.pomdp", 1, .923, 1.223},
	{"Hallway.pomdp", 10, .981, 1.212},
	{"Hallway.pomdp", 30, .992, 1.208},
	{"Hallway2.pomdpx", 1, .216, .944},
	{"Hallway2.pomdpx", 30, .349, .907},
	{"TagAvoid.pomdpx", 1, -6.00, -1.63},
	{"TagAvoid.pomdpx", 30, -5.96, -2.80},
	{"RockSample_7_8.pomdpx", 1, 19.97, 25.67},
	{"RockSample_7_8.pomdpx", 10, 21.03, 24.95},
	{"RockSample_7_8.pomdpx", 30, 21.10, 24.68},
	{"RockSample_11_11.pomdpx", 5, 19.14, 28.94},
	{"RockSample_11_11.pomdpx", 30, 20.76, 28.26},
}

// TestAPPL: on published models the bounds contain what APPL's bounds and ours
// agree on, so far as trials of a second or so go.
func TestAPPL(t *testing.T) {
	trials := map[string]int{"Hallway.pomdp": 15, "Hallway2.pomdpx": 5, "TagAvoid.pomdpx": 60, "RockSample_7_8.pomdpx": 20}
	for name, n := range trials {
		t.Run(name, func(t *testing.T) {
			r := solve(t, published(t, name), sarsop.Solver{MaxTrials: n})
			for _, p := range appl {
				// Half a unit of the last digit on either side.
				if p.file == name && (r.Lower > p.upper+.005 || r.Upper < p.lower-.005) {
					t.Errorf("[%v, %v] and APPL's [%v, %v] are apart", r.Lower, r.Upper, p.lower, p.upper)
				}
			}
			if first := r.Trace[0]; r.Lower <= first.Value-first.Gap || r.Upper >= first.Value {
				t.Errorf("[%v, %v] after %d trials, %+v at the start", r.Lower, r.Upper, n, first)
			}
		})
	}
}

// TestForms: Tag and Hallway2 have the same value in either format, Tag with the
// robot's place hidden or seen.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		names  [2]string
		trials int
	}{{[2]string{"TagAvoid.pomdp", "TagAvoid.pomdpx"}, 20}, {[2]string{"Hallway2.pomdp", "Hallway2.pomdpx"}, 3}} {
		a := solve(t, published(t, c.names[0]), sarsop.Solver{MaxTrials: c.trials})
		b := solve(t, published(t, c.names[1]), sarsop.Solver{MaxTrials: c.trials})
		if a.Lower > b.Upper || b.Lower > a.Upper {
			t.Errorf("%s: [%v, %v], %s: [%v, %v]", c.names[0], a.Lower, a.Upper, c.names[1], b.Lower, b.Upper)
		}
	}
}

// BenchmarkTrials is a fixed amount of work.
func BenchmarkTrials(b *testing.B) {
	m := published(b, "RockSample_7_8.pomdpx")
	for b.Loop() {
		solve(b, m, sarsop.Solver{MaxTrials: 60})
	}
}

// BenchmarkSolve reports the bounds after the times at which APPL's are known,
// counted from a model in memory. Run it with -benchtime=1x.
func BenchmarkSolve(b *testing.B) {
	for _, p := range appl {
		b.Run(fmt.Sprintf("%s/%ds", p.file, p.seconds), func(b *testing.B) {
			m := published(b, p.file)
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(p.seconds)*time.Second)
				r, err := within(ctx, m, sarsop.Solver{}, bcpace.Control{})
				cancel()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.Lower, "lower")
				b.ReportMetric(r.Upper, "upper")
				b.ReportMetric(p.lower, "APPL-lower")
				b.ReportMetric(p.upper, "APPL-upper")
			}
		})
	}
}
