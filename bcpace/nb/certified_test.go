package nb

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

func TestCertifiedRunTable(t *testing.T) {
	r, err := runs.Explore(t.Context(), envs.Tiger{}, certified.Solver{Epsilon: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	rows := fmt.Sprint(runTable(r, r.Certificate).Rows)
	for _, want := range []string{"lower bound, attained by the policy 19.3", "upper bound of every policy 19.3", "stop certified"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is missing from %s", want, rows)
		}
	}
	if strings.Contains(rows, "L_Q") {
		t.Errorf("a certified run has no L_Q: %s", rows)
	}
}

func TestStatisticalRunTable(t *testing.T) {
	r, err := runs.Explore(t.Context(), envs.Chain{}, cpace.Solver{Epsilon: 10, MaxEpisodes: 3, CertificateEpisodes: 100, Delta: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	rows := fmt.Sprint(runTable(r, r.Certificate).Rows)
	for _, want := range []string{"value at the start (estimate)", "the policy is worth at least (90% sure)"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is missing from %s", want, rows)
		}
	}
}

// An interrupted cell with the certified algorithm says from where it will continue,
// and executed again makes the run that it would have made in one piece.
//
//test:race
func TestCertifiedCellGoesOn(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("BAYESCPACE_STORE", dir)
	m, o := envs.Chain{}, certified.Solver{Epsilon: 0.1}
	ctx, cancel := context.WithCancel(t.Context())
	cut := func(bcpace.Progress) {
		if left, _ := filepath.Glob(filepath.Join(dir, "part-*")); len(left) > 0 {
			cancel()
		}
		time.Sleep(30 * time.Millisecond) // until a checkpoint is due
	}
	var screen bytes.Buffer
	out := &output{screen: terminal{&screen}}
	if r, err := explore(ctx, out, m, o, bcpace.Control{Progress: cut}); err != nil || r.Stop != stop.Interrupted {
		t.Fatalf("%v: %q", err, screen.String())
	}
	kept := 0
	if _, after, found := strings.Cut(screen.String(), "to go on from "); !found {
		t.Fatalf("it says %q", screen.String())
	} else if _, err := fmt.Sscanf(after, "%d episodes", &kept); err != nil || kept == 0 {
		t.Fatalf("it goes on from %d episodes, %v: %q", kept, err, after)
	}
	first := 0
	got, err := explore(t.Context(), out, m, o, bcpace.Control{Progress: func(p bcpace.Progress) {
		if first == 0 {
			first = p.Episodes
		}
	}})
	if err != nil || first != kept+1 {
		t.Fatalf("it begins with episode %d: %v", first, err)
	}
	want, err := runs.Explore(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if _, err := got.WriteTo(&a); err != nil {
		t.Fatal(err)
	}
	if _, err := want.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the run differs from that in one piece")
	}
}
