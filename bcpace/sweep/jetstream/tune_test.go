package jetstream

import (
	"reflect"
	"testing"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/tune"
)

// TestTuneInProcesses: a tuning whose rungs worker processes compute finds what one process finds, bit for bit.
//
//test:race
func TestTuneInProcesses(t *testing.T) {
	e := embed(t, Embedded{Workers: 2})
	for _, eta := range []int{0, 2} {
		s := tune.Tuning{Eta: eta, Budget: sweep.Axis{Key: "params.max-episodes", Values: []any{40, 100}}, Sweep: sweep.Spec{
			Base: sweep.Trial{Env: "tiger", Set: sweep.Values{"discount": 0.5}, Algorithm: "bayes-cpace", Params: sweep.Values{"epsilon": 1, "certificate-episodes": -1},
				Eval: &sweep.Eval{Exact: true, Horizon: 10}},
			Grid: []sweep.Axis{{Key: "params.k", Values: []any{1, 5}}, {Key: "params.lipschitz", Values: []any{10, 60}}}, Seeds: 8}}
		s.Folder = t.TempDir()
		here, err := s.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Engine, s.Folder = e, t.TempDir()
		there, err := s.Run(t.Context(), nil)
		if err != nil || !reflect.DeepEqual(here, there) {
			t.Errorf("Eta %d: %+v, error %v, want %+v", eta, there, err, here)
		}
	}
}
