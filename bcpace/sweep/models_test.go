package sweep

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// odd registers an environment whose model may not be made.
var odd = sync.OnceFunc(func() {
	mode := envs.ParamInfo{Key: "mode", Default: "ok", Want: "ok, panic, hang or wrong", Doc: "what happens"}
	envs.Register(envs.Info{Name: "odd", Doc: "A model that may not be made.", Params: []envs.ParamInfo{mode}}, func(v *envs.Values) (bcpace.Model, error) {
		switch v.Text("mode") {
		case "panic":
			panic("no model")
		case "hang":
			time.Sleep(time.Hour)
		case "wrong":
			return nil, &bcpace.ConformanceError{Model: "odd", What: "it contradicts itself"}
		}
		return oddly{envs.Tiger{}, bcpace.Spec{Name: v.Name(), Params: v.Params()}}, nil
	})
})

// oddly is Tiger under another name.
type oddly struct {
	envs.Tiger
	by bcpace.Spec
}

func (m oddly) Spec() bcpace.Spec {
	s := m.Tiger.Spec()
	s.Name, s.Params = m.by.Name, m.by.Params
	return s
}

// TestModelsThatCannotBeMade: a model that panics, hangs or contradicts itself is a row, and the
// others go on; Ctrl-C ends the wait.
//
//test:race
func TestModelsThatCannotBeMade(t *testing.T) {
	odd()
	s := Spec{Base: Trial{Env: "odd", Algorithm: "qmdp"}, Grid: []Axis{{Key: "set.mode", Values: []any{"ok", "panic", "wrong", "hang"}}}, GiveUp: Duration(time.Second)}
	folder := t.TempDir()
	for range 2 {
		var last SweepProgress
		r, err := Run(t.Context(), s, Options{Folder: folder, Progress: func(p SweepProgress) { last = p }})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"", "it panicked", "contradicts itself", "not made within 1s"} {
			if row := r.Rows[i]; (row.Fault == "") != (want == "") || !strings.Contains(row.Fault, want) || row.Computed() != (want == "") {
				t.Errorf("row %d: computed %v, fault %q, want %q", i, row.Computed(), row.Fault, want)
			}
		}
		if last.Done != 4 || last.Failed != 3 {
			t.Errorf("progress %+v", last)
		}
	}
	s.GiveUp = 0
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, s, Options{Folder: folder, Progress: func(p SweepProgress) {
		if p.Note == "making the models" {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
