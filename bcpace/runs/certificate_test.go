package runs_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// A run says what its bounds rest on, a file cannot say more, and one that is older
// than the words is given them.
func TestCertificatesSayWhatTheyRestOn(t *testing.T) {
	explore := func(m bcpace.Model, o runs.Explorer) *runs.Run {
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	continuous := certified.Solver{Epsilon: 0.5, MaxSamples: 50, CertificateEpisodes: 50}
	given := continuous
	given.LipState = 2
	noisy := runtest.NewLine(rand.New(rand.NewPCG(1, 7)), false)
	proved, simulated := bcpace.ByProof, bcpace.BySimulation
	for what, x := range map[string]struct {
		run                 *runs.Run
		lower, upper, earns bcpace.Basis
		assumes             string
	}{
		"exact":           {explore(envs.Chain{}, certified.Solver{Epsilon: 1}), proved, proved, proved, ""},
		"finite":          {small(t, envs.LightDarkTiger{}, nil), simulated, proved, simulated, ""},
		"not simulated":   {small(t, envs.LightDarkTiger{}, func(o *cpace.Solver) { o.CertificateEpisodes = -1 }), bcpace.ByRange, bcpace.ByRange, bcpace.ByRange, ""},
		"continuous":      {explore(noisy, continuous), simulated, bcpace.ByAssumption, simulated, "errs no more"},
		"constant given":  {explore(noisy, given), simulated, bcpace.ByAssumption, simulated, "errs no more"},
		"no latent value": {small(t, envs.LightDarkTiger{Sigma: 0.1}, func(o *cpace.Solver) { o.MaxEpisodes = 3 }), simulated, bcpace.ByRange, simulated, ""},
	} {
		c := x.run.Certificate
		if c.LowerBy != x.lower || c.UpperBy != x.upper || c.PolicyEarns != x.earns || !strings.Contains(c.Assumes, x.assumes) || (c.Assumes == "") != (x.assumes == "") {
			t.Errorf("%s: %+v", what, c)
		}
		read := func(change func(*bcpace.Certificate)) (*runs.Run, error) {
			r := *x.run
			change(&r.Certificate)
			return runs.Read(bytes.NewReader(runtest.Bytes(t, &r)), runs.FixedModel(r.Model()), nil)
		}
		if again, err := read(func(*bcpace.Certificate) {}); err != nil || again.Certificate != c {
			t.Errorf("%s: read back as %+v, %v, want %+v", what, again.Certificate, err, c)
		}
		again, err := read(func(c *bcpace.Certificate) { c.LowerBy, c.UpperBy, c.PolicyEarns, c.Assumes = "", "", "", "" })
		if old := c.UpperBy == bcpace.ByAssumption; err == nil && old && strings.Contains(again.Certificate.Assumes, "L_S") {
			again.Certificate.Assumes = c.Assumes // its bound rested on that
		}
		if err != nil || again.Certificate != c {
			t.Errorf("%s: an older file is read as %+v, %v, want %+v", what, again.Certificate, err, c)
		}
		if x.upper != proved {
			if _, err := read(func(c *bcpace.Certificate) { c.UpperBy = proved }); !errors.Is(err, runs.ErrFormat) {
				t.Errorf("%s: a file that claims a proof is read: %v", what, err)
			}
		}
	}
}
