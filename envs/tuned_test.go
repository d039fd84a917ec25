package envs

import (
	"testing"

	"bayescpace/bcpace"
)

// TestTunedByName: the settings of an environment are not those of a model from a file or a program that has its name.
func TestTunedByName(t *testing.T) {
	for _, name := range []string{tigerName, chainName, lightDarkTigerName, dualControlName, batteryName, wearName, patrolName, treatmentName} {
		m, err := New(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s := Tuned(m); s.LipQ == 0 {
			t.Errorf("%s: %+v is not tuned", name, s)
		}
		for _, params := range [][]bcpace.Param{nil, {{Key: "file", Value: name + ".pomdp"}}, {{Key: "process", Value: "python3 " + name + ".py"}}} {
			other := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Params = params })
			if s := Tuned(other); s.LipQ != 0 {
				t.Errorf("%s with parameters %v has the settings of the environment: %+v", name, params, s)
			}
		}
	}
}
