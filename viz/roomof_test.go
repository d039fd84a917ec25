package viz

import (
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

var _ RoomModel = envs.LightDarkTiger{}

func TestRoomOf(t *testing.T) {
	for _, m := range []envs.LightDarkTiger{{}, {Width: 7, Height: 4, Sigma: 0.1}, {Width: 2, Height: 2, Sigma: 1, StartAt: []float64{0, 0.5}}} {
		list, err := eval.RecordEachLatent(m, bcpace.RandomPolicy(m), eval.Options{Horizon: 30, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		r := RoomOf(m, list...)
		f, err := r.Figure()
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		checkMargins(t, r.Title, f)
		if !strings.Contains(r.Subtitle, "σ") {
			t.Errorf("subtitle %q, want the parameters", r.Subtitle)
		}
		if len(r.Paths) != 2 || r.Paths[1].Label != "if tiger bottom" || r.Latents[0] != "tiger top" || r.Latents[1] != "tiger bottom" || r.Plan.Cells != (m.Sigma == 0) {
			t.Errorf("%v: room %+v", m, r)
		}
		for i, p := range r.Paths {
			if n := list[i].Len(); len(p.X) != n+1 || p.X[n] != list[i].State(n)[0] || p.Y[n] != list[i].State(n)[1] || p.Belief[n][0] != list[i].Belief(n)[0] {
				t.Errorf("%v: path %d does not end where its episode does", m, i)
			}
		}
	}
	// Without episodes there is nothing to draw, which Figure says.
	if _, err := RoomOf(envs.LightDarkTiger{}).Figure(); err == nil {
		t.Error("a room without paths is no error")
	}
}
