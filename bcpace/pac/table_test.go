package pac_test

import (
	"context"
	"math"
	"testing"

	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/pac"
	"bayescpace/envs"
)

func TestTable(t *testing.T) {
	var audits []*pac.Audit
	for _, epsilon := range []float64{4, 8} {
		a, err := pac.NewAudit(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: epsilon, LipQ: 60, K: 5, Batch: 10}, pac.AuditOptions{})
		if err != nil {
			t.Fatal(err)
		}
		audits = append(audits, a)
	}
	header, rows := pac.Table(audits...)
	if len(header) != 3 || header[1] != "ε = 4" || header[2] != "ε = 8" {
		t.Fatalf("header %q", header)
	}
	want := map[string]any{
		"steps below it: promised, m":     int64(math.Round(10 * audits[1].Analysis.M)), // a batch has 10 rollouts
		"steps that may escape: promised": int64(math.Round(10 * audits[1].Analysis.EscapeSteps)),
		"steps below it: measured":        audits[1].BelowGuarantee,
		"samples: measured":               audits[1].Run.Samples.Len(),
		"steps taken":                     audits[1].Run.Steps,
	}
	for _, r := range rows {
		if len(r) != 3 {
			t.Errorf("row %v", r)
		}
		if w, ok := want[r[0].(string)]; ok {
			if r[2] != w {
				t.Errorf("%v: %v, want %v", r[0], r[2], w)
			}
			delete(want, r[0].(string))
		}
	}
	if len(want) > 0 {
		t.Errorf("no rows %v", want)
	}
}
