package certified_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// drawCertified draws a small model and options of the certified algorithm that have
// beliefs next to one another: sharp rows, and starts at and next to the corners.
func drawCertified(seed uint64) (bcpace.Finite, certified.Solver) {
	rng := rand.New(rand.NewPCG(seed, 77))
	of := randmodel.Varied(rng)
	of.Sharp = rng.IntN(4) > 0
	m := randmodel.New(rng, of)
	o := certified.Solver{Epsilon: []float64{1e-13, 1e-3, 0.1, 1}[rng.IntN(4)],
		MaxEpisodes: 1 + rng.IntN(40), MaxSamples: 1 + rng.IntN(120), Batch: max(0, rng.IntN(8)-4),
		Bound: []cpace.Bound{"", cpace.BoundConstant, cpace.BoundQMDP, cpace.BoundBestCase}[rng.IntN(4)]}
	n := len(m.Spec().Latents)
	for s := 0; s < m.NumStates() && rng.IntN(4) > 0; s++ {
		for φ := range n {
			state := make([]float64, len(m.Spec().Axes))
			m.StateAt(state, s)
			b := bcpace.OneHot(n, φ)
			if e := []float64{0, 0, 1e-10, 5e-10, 2e-9}[rng.IntN(5)]; n > 1 {
				b[φ], b[(φ+1)%n] = 1-e, e
			}
			o.Starts = append(o.Starts, bcpace.StartPoint{State: state, Belief: b})
		}
	}
	return m, o
}

// checkpointed explores, and returns the bytes of a checkpoint too, nil where the
// exploration ended before it.
func checkpointed(t *testing.T, m bcpace.Model, o runs.Explorer, after int) (r *runs.Run, saved []byte) {
	t.Helper()
	r, err := o.Explore(t.Context(), m, bcpace.Control{Workers: 1, Checkpoint: func(p bcpace.Progress, soFar io.WriterTo) {
		if p.Episodes == after {
			var b bytes.Buffer
			if _, err := soFar.WriteTo(&b); err != nil {
				t.Error(err)
			}
			saved = b.Bytes()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, saved
}

// A run that a search has made can be read, is verified with the certificate that it
// has, and is saved as it was; so is its checkpoint, from which Resume makes the run.
func TestEveryRunIsReadAndVerified(t *testing.T) {
	for seed := range uint64(400) {
		m, o := drawCertified(seed)
		r, saved := checkpointed(t, m, o, 1+int(seed%7))
		want := runtest.Bytes(t, r)
		for what, file := range map[string][]byte{"run": want, "checkpoint": saved} {
			if file == nil {
				continue
			}
			again, err := runs.Read(bytes.NewReader(file), runs.FixedModel(m), nil)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, what, err)
			}
			if c, err := runs.Verify(t.Context(), again); err != nil || c != again.Certificate {
				t.Errorf("seed %d: %s: %v, found %+v, was %+v", seed, what, err, c, again.Certificate)
			}
			if !bytes.Equal(runtest.Bytes(t, again), file) {
				t.Errorf("seed %d: %s: read and saved again, the file differs", seed, what)
			}
			if what == "run" {
				continue
			}
			if again, err = runs.Resume(t.Context(), again, o); err != nil || !bytes.Equal(runtest.Bytes(t, again), want) {
				t.Errorf("seed %d: resumed: %v, or another run", seed, err)
			}
		}
	}
}

// The model with which the order of the starts decides which beliefs share a node.
func TestVerifyBeginsAsTheSearchDid(t *testing.T) {
	m, err := bcpace.FromTables(bcpace.Tables{Discount: .9,
		P: [][][][]float64{{{{.0007, .9993}, {.02, .98}}, {{9e-06, .999991}, {.92, .08}}}, {{{0, 1}, {1, 0}}, {{.4, .6}, {.9994, .0006}}}},
		R: [][][]float64{{{4, 5}, {3, -3}}, {{-5, -1}, {-4, -5}}}})
	if err != nil {
		t.Fatal(err)
	}
	o := certified.Solver{Epsilon: 1e-3}
	for s := range 2 {
		for φ := range 2 {
			o.Starts = append(o.Starts, bcpace.StartPoint{State: []float64{float64(s)}, Belief: bcpace.OneHot(2, φ)})
		}
	}
	r, err := runs.Explore(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := runs.Verify(t.Context(), again); err != nil || c != r.Certificate {
		t.Errorf("%v: found %+v, was %+v", err, c, r.Certificate)
	}
}

// altered returns the run file with one thing changed: a number, a bit, or a field of
// the header.
func altered(rng *rand.Rand, file []byte) []byte {
	out := bytes.Clone(file)
	const frame = 8 + 4 + 4
	head := frame + int(uint32(out[12])|uint32(out[13])<<8|uint32(out[14])<<16)
	switch rng.IntN(3) {
	case 0: // a bit of what is behind the header
		at := head + rng.IntN(len(out)-32-head)
		out[at] ^= 1 << rng.IntN(8)
	case 1: // a byte
		at := head + rng.IntN(len(out)-32-head)
		out[at] = byte(rng.IntN(256))
	case 2: // a field
		var h map[string]any
		if json.Unmarshal(out[frame:head], &h) != nil {
			panic("the header is no JSON")
		}
		proof := h["Proof"].(map[string]any)
		change := func(x any) any {
			v, ok := x.(float64)
			if !ok {
				return []any{"exact", "statistical", "none", "certified", "rounding", "converged", ""}[rng.IntN(7)]
			}
			return []any{v + 1, v - 1, v * (1 + 1e-6), v * (1 - 1e-6), -v, 0.0}[rng.IntN(6)]
		}
		fields := []string{"Stop", "Value", "Steps"}
		if rng.IntN(2) == 0 {
			h, fields = proof, []string{"Lower", "Upper", "Kind", "Delta", "Episodes", "Horizon"}
		}
		f := fields[rng.IntN(len(fields))]
		if f == "Delta" && h[f] == nil {
			h[f] = 0.05
		} else if x := h[f]; x == nil {
			h[f] = 1
		} else {
			h[f] = change(x)
		}
		return runtest.WithHeader(file, func(whole map[string]any) {
			for k, v := range h {
				if _, top := whole[k]; top {
					whole[k] = v
				}
			}
			if len(fields) > 3 {
				whole["Proof"] = h
			}
		})
	}
	return runtest.Reseal(out)
}

// What is altered in a run file is found out, unless what the run claims is true all
// the same: bounds that hold the optimal value, and a policy that earns the lower one.
func TestNoFalseClaimIsVerified(t *testing.T) {
	refused, passed := 0, 0
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m, o := drawCertified(seed)
		exact, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Tolerance: 1e-3})
		if err != nil {
			continue // too many beliefs
		}
		run, saved := checkpointed(t, m, o, 2)
		for _, file := range [][]byte{runtest.Bytes(t, run), saved} {
			for i := 0; i < 60 && file != nil; i++ {
				forged := altered(rng, file)
				r, err := runs.Read(bytes.NewReader(forged), runs.FixedModel(m), nil)
				if err != nil || bytes.Equal(forged, file) {
					continue
				}
				check := func(what string, c bcpace.Certificate) {
					slack := exact.Error + 1e-7*(1+math.Abs(exact.Value))
					if c.Kind == bcpace.ExactCertificate && (c.Lower > c.Upper || c.Lower > exact.Value+slack || c.Upper < exact.Value-slack) {
						t.Errorf("seed %d, alteration %d: %s with [%v, %v], the optimum is %v", seed, i, what, c.Lower, c.Upper, exact.Value)
					}
				}
				if _, err := runs.Verify(t.Context(), r); err != nil {
					refused++
				} else {
					passed++
					check("verified", r.Certificate)
					if r.Certificate.Kind != run.Certificate.Kind || (r.Stop == stop.Certified && r.Certificate.Gap() > o.Epsilon) {
						t.Errorf("seed %d, alteration %d: verified with %+v, stop %q", seed, i, r.Certificate, r.Stop)
					}
				}
				if on, err := runs.Resume(t.Context(), r, o); err == nil {
					check("resumed", on.Certificate)
				}
			}
		}
	}
	if refused < 3*passed || refused < 300 {
		t.Errorf("%d altered runs refused, %d verified", refused, passed)
	}
}

// What a statistical certificate claims is checked, field by field.
func TestVerifyChecksAllThatAStatisticalRunClaims(t *testing.T) {
	line := runtest.NewLine(rand.New(rand.NewPCG(1, 7)), true)
	for _, c := range []struct {
		m bcpace.Model
		o runs.Explorer
	}{
		{envs.LightDarkTiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 20, Batch: 20, MaxEpisodes: 40, CertificateEpisodes: 150}},
		{line, certified.Solver{Epsilon: 0.8, MaxEpisodes: 15, CertificateEpisodes: 150}},
	} {
		r, err := runs.Explore(t.Context(), c.m, c.o)
		if err != nil {
			t.Fatal(err)
		}
		file := runtest.Bytes(t, r)
		read := func(change func(r *runs.Run)) error {
			r, err := runs.Read(bytes.NewReader(file), runs.FixedModel(c.m), nil)
			if err != nil {
				t.Fatal(err)
			}
			change(r)
			_, err = runs.Verify(t.Context(), r)
			return err
		}
		if err := read(func(*runs.Run) {}); err != nil {
			t.Errorf("%s: %v", r.Spec.Name, err)
		}
		width := r.Certificate.Gap()
		for what, change := range map[string]func(r *runs.Run){
			"lower":    func(r *runs.Run) { r.Certificate.Lower += width / 1e4 },
			"upper":    func(r *runs.Run) { r.Certificate.Upper -= width / 1e4 },
			"δ":        func(r *runs.Run) { r.Certificate.Delta /= 100 },
			"episodes": func(r *runs.Run) { r.Certificate.Episodes *= 100 },
			"fewer":    func(r *runs.Run) { r.Certificate.Episodes /= 2 },
			"horizon":  func(r *runs.Run) { r.Certificate.Horizon++ },
			"exact":    func(r *runs.Run) { r.Certificate.Kind = bcpace.ExactCertificate },
			"unknown":  func(r *runs.Run) { r.Certificate.Kind = "proved" },
			"proved":   func(r *runs.Run) { r.Certificate.LowerBy = bcpace.ByProof },
			"value":    func(r *runs.Run) { r.Value += width / 1e4 },
			"steps":    func(r *runs.Run) { r.Steps-- },
			"stop":     func(r *runs.Run) { r.Stop = stop.Samples },
			"no stop":  func(r *runs.Run) { r.Stop = "done" },
			"trace":    func(r *runs.Run) { r.Trace[0].Added++ },
			"last":     func(r *runs.Run) { r.Trace[len(r.Trace)-1].Value++ },
			"episode":  func(r *runs.Run) { r.Samples.Episode[0]++ },
			"options": func(r *runs.Run) {
				r.Solver = runtest.With(r.Solver, func(o *cpace.Solver) { o.Delta = 0.5 }, func(s *certified.Solver) { s.Delta = 0.5 })
			},
			"ε": func(r *runs.Run) {
				r.Solver = runtest.With(r.Solver, func(o *cpace.Solver) { o.Epsilon *= 1000 }, func(s *certified.Solver) { s.Epsilon *= 1000 })
			},
		} {
			if err := read(change); err == nil {
				t.Errorf("%s: another %s is verified", r.Spec.Name, what)
			}
		}
	}
}

// An exact run is not taken for a simulated one, nor with another value or stop.
func TestVerifyChecksAllThatAnExactRunClaims(t *testing.T) {
	for what, change := range map[string]func(r *runs.Run){
		"statistical": func(r *runs.Run) {
			c := &r.Certificate
			c.Kind, c.Delta, c.Episodes, c.Horizon = bcpace.StatisticalCertificate, 0.05, 20_000, r.Spec.DefaultHorizon()
			c.LowerBy, c.PolicyEarns = bcpace.BySimulation, bcpace.BySimulation
		},
		"δ":     func(r *runs.Run) { r.Certificate.Delta = 0.05 },
		"value": func(r *runs.Run) { r.Value -= 1e-6; r.Trace[len(r.Trace)-1].Value = r.Value },
		"gap":   func(r *runs.Run) { r.Trace[len(r.Trace)-1].Gap /= 2 },
		"certified": func(r *runs.Run) {
			r.Solver = runtest.With(r.Solver, nil, func(s *certified.Solver) { s.Epsilon /= 1e6 })
		},
		"rewards":   func(r *runs.Run) { r.Samples.Reward[2]++ },
		"successor": func(r *runs.Run) { r.Samples.NextBelief[2], r.Samples.NextBelief[3] = 0.5, 0.5 },
		"time":      func(r *runs.Run) { r.Samples.Time[1] = 1 },
		"none":      func(r *runs.Run) { r.Certificate.Kind = bcpace.NoCertificate },
	} {
		r := solve(t, envs.Tiger{}, 0.01)
		change(r)
		if _, err := runs.Verify(t.Context(), r); err == nil {
			t.Errorf("another %s is verified", what)
		}
	}
}

// A checkpoint whose α-vectors promise too much is not gone on from, and no run is
// saved or read whose lower bound exceeds the upper one.
//
//test:race
func TestForgedRunsAreNotGoneOnFrom(t *testing.T) {
	o := certified.Solver{Epsilon: 1e-3}
	_, saved := checkpointed(t, envs.Tiger{}, o, 10)
	honest, err := runs.Read(bytes.NewReader(saved), envs.New, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(r *runs.Run){
		"vector": func(r *runs.Run) { certified.RaiseVector(r, 100) },
		"value":  nil,
	} {
		file := saved
		if change == nil {
			file = runtest.WithState(saved, func(s []byte) []byte { return certified.LowerState(s, honest, 100) })
		}
		r, err := runs.Read(bytes.NewReader(file), envs.New, nil)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(r)
		}
		if reflect.DeepEqual(runtest.Bytes(t, r), saved) {
			t.Fatalf("%s: nothing was changed", what)
		}
		if on, err := runs.Resume(t.Context(), r, o); err == nil {
			t.Errorf("another %s: resumed to %+v", what, on.Certificate)
		} else if !strings.Contains(err.Error(), "backup") {
			t.Errorf("another %s: %v", what, err)
		}
	}
	honest.Certificate.Lower, honest.Certificate.Upper = 117.5, 48.24
	if _, err := honest.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), "117.5") {
		t.Errorf("a lower bound above the upper one is saved: %v", err)
	}
	crossed := runtest.WithHeader(saved, func(h map[string]any) {
		h["Proof"].(map[string]any)["Lower"] = 117.5
		h["Proof"].(map[string]any)["Upper"] = 48.24
	})
	if _, err := runs.Read(bytes.NewReader(crossed), envs.New, nil); err == nil || !strings.Contains(fmt.Sprint(err), "117.5") {
		t.Errorf("a lower bound above the upper one is read: %v", err)
	}
}

// Where the constant L_S is too small, the bounds of a search on continuous states
// may cross. Its certificate does not use them, and is verified.
func TestCrossedSearchBoundsAreVerified(t *testing.T) {
	m := runtest.NewLine(rand.New(rand.NewPCG(66, 1)), false)
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.1, LipState: 1e-6, CertificateEpisodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	if gap := r.Trace[len(r.Trace)-1].Gap; gap >= 0 {
		t.Fatalf("the bounds of the search are %v apart, want them crossed", gap)
	}
	if _, err := runs.Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
}
