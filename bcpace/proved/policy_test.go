package proved_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/proved"
	"bayescpace/envs"
)

// The policy of the finite model earns about as much as is possible, with a Box, with a list of controls and with a
// horizon: no more than the bound, and hardly less.
func TestPolicy(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	list, err := bcpace.Discretised(m, 9)
	if err != nil {
		t.Fatal(err)
	}
	cut := bcpace.KeepHorizon(bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Horizon = 8 }))
	for name, m := range map[string]bcpace.Model{"box": m, "list": list, "horizon": cut} {
		b, err := proved.Upper(t.Context(), m, proved.Options{Cell: 0.4, Tolerance: 1})
		if err != nil {
			t.Fatal(err)
		}
		e, err := eval.Rollouts(t.Context(), m, b.Policy(), eval.Options{Episodes: 2000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !(e.Mean <= b.Start+4*e.StdErr && e.Mean >= b.Start-0.15-4*e.StdErr) {
			t.Errorf("%s: the policy earns %v ± %v, want at most %v and hardly less", name, e.Mean, e.StdErr, b.Start)
		}
		again(t, m, b.Policy())
		if a := b.Policy().Act([]float64{0}, bcpace.Belief{1}, nil); a != -1 {
			t.Errorf("%s: action %d at a belief of another model, want -1", name, a)
		}
	}
}

// again writes a policy and reads it: it plays the same, and what is cut off or changed is refused or plays actions.
func again(t *testing.T, m bcpace.Model, p *proved.GridPolicy) {
	t.Helper()
	data, err := p.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	read, err := proved.ReadPolicy(m, data)
	if err != nil {
		t.Fatal(err)
	}
	if twice, _ := read.AppendBinary(nil); !bytes.Equal(twice, data) {
		t.Error("a policy that was read is written otherwise")
	}
	sim, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(1, 2))
	play := func(q bcpace.Policy, same bool) {
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		for step := 0; step < 30 && !sim.Done; step++ {
			a := q.Act(sim.State, sim.Belief, nil)
			if want := p.Act(sim.State, sim.Belief, nil); same && a != want {
				t.Fatalf("action %d at %v and %v, want %d", a, sim.State, sim.Belief, want)
			}
			if _, err := sim.Step(a, rng); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 20 {
		play(read, true)
	}
	for n := 0; n < len(data); n += 1 + len(data)/100 {
		if _, err := proved.ReadPolicy(m, data[:n]); err == nil {
			t.Errorf("%d of %d bytes are read as a policy", n, len(data))
		}
		other := slices.Clone(data)
		other[rng.IntN(64)%len(data)] ^= 1 << rng.IntN(8)
		if q, err := proved.ReadPolicy(m, other); err == nil {
			play(q, false)
		}
	}
}

// Any bytes are refused, or are those of a policy that acts.
func FuzzReadPolicy(f *testing.F) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		f.Fatal(err)
	}
	b, err := proved.Upper(f.Context(), m, proved.Options{Cell: 0.7, Tolerance: 1})
	if err != nil {
		f.Fatal(err)
	}
	data, err := b.Policy().AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	odd := slices.Clone(data) // says by another number than 1 that an axis tells of the latent
	odd[7] = 1
	f.Add(odd)
	sim := bcpace.NewSimulator(m)
	if err := sim.Reset(rand.New(rand.NewPCG(1, 2))); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := proved.ReadPolicy(m, data)
		if err != nil {
			return
		}
		if again, err := p.AppendBinary(nil); err != nil || !bytes.Equal(again, data) {
			t.Errorf("what was read is written otherwise: %v", err)
		}
		spec := m.Spec()
		if a := p.Act(sim.State, sim.Belief, nil); !spec.IsAction(a) {
			t.Errorf("action %d, which the model does not have", a)
		}
	})
}
