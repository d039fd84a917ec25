//go:build long

package cmd

import (
	"path/filepath"
	"testing"
)

// The room of the paper, 5 × 5 cells, with noise that a proof soon covers: its optimum is 6.80879, by
// dynamic programming on a fine grid.
func TestSolveContinuous(t *testing.T) {
	file := filepath.Join(t.TempDir(), "room.bcp")
	r := solveJSON(t, "solve --env light-dark-tiger --set width=5 --set height=5 --set sigma=0.05 --epsilon 0.3 --out "+file)
	if r.Algorithm != "certified" || r.Certificate != "statistical" || r.Stop != "certified" || *r.Lower > 6.80879 || *r.Lower < 6.7 ||
		*r.Upper < 6.80879 || *r.Upper-*r.Value > 0.3+1e-9 || *r.Value < *r.Lower {
		t.Errorf("got %+v, value %v in [%v, %v]", r, *r.Value, *r.Lower, *r.Upper)
	}
	v := decode[wantVerification](t, succeed(t, "verify", "--run", file, "--json"))
	if v.Certificate != "policy interval" || *v.Lower > 6.80879 || *v.Lower < 6.7 {
		t.Errorf("verified %+v, lower %v, upper %v", v, *v.Lower, *v.Upper)
	}
}
