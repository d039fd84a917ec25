package cmd

import (
	"fmt"
	"io"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

var verifyVerb = verb{
	name: "verify", doc: "check the certificate of a saved run",
	usage: "--run FILE [--json]",
	examples: []string{
		"verify --run chain.bcp",
	},
	flags: func() *flags { return new(verifyArgs).flags() },
	run:   verify,
}

// verification is the JSON of the verb verify. A change of a name or meaning
// breaks what reads it.
type verification struct {
	Model       string `json:"model"`
	Lower       number `json:"lower"`
	Upper       number `json:"upper"`
	Certificate string `json:"certificate"`
	grounds
	// What the file claims, beside what was found.
	ClaimedLower number `json:"claimed_lower"`
	ClaimedUpper number `json:"claimed_upper"`
	ClaimedStop  string `json:"claimed_stop"`

	Samples int    `json:"samples"`
	Seconds number `json:"seconds"`
}

// verifyArgs are the flags of verify.
type verifyArgs struct {
	run  string
	json bool
}

func (a *verifyArgs) flags() *flags {
	f := newFlags()
	f.section("verification")
	f.value("run", "FILE", "run saved by bcpace solve --out", text(&a.run))
	f.section("output")
	jsonFlag(f, &a.json)
	return f
}

// verify is the verb verify. It checks all that the file claims, and prints the
// claim beside what was found: the bounds of the optimal value that model and samples
// support or, for a statistical certificate, the interval of the policy's value from
// another simulation.
func verify(p program, args []string) error {
	var a verifyArgs
	f := a.flags()
	r, err := parseRun(p, f, args, &a.run)
	if err != nil {
		return err
	}
	begin := time.Now()
	c, err := runs.Verify(p.ctx, r)
	if err != nil {
		return fmt.Errorf("%s: %w", a.run, err)
	}
	return verification{Model: r.Spec.Name, Lower: number(c.Lower), Upper: number(c.Upper), Certificate: string(c.Kind), grounds: groundsOf(c),
		ClaimedLower: number(r.Certificate.Lower), ClaimedUpper: number(r.Certificate.Upper), ClaimedStop: string(r.Stop),
		Samples: r.Samples.Len(), Seconds: number(time.Since(begin).Seconds())}.print(p.stdout, a.json)
}

// print writes the verification as JSON or as a table.
func (v verification) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, v)
	}
	return write(w, func(w io.Writer) {
		table(w, func(row func(...any)) {
			row("model", v.Model)
			of := ""
			if v.Certificate == string(bcpace.PolicyInterval) {
				of = "policy "
			}
			row(of+"lower", v.Lower.atLeast())
			row(of+"upper", v.Upper.atMost())
			row("certificate", v.Certificate)
			v.rows(row)
			row("claimed lower", v.ClaimedLower.atLeast())
			row("claimed upper", v.ClaimedUpper.atMost())
			row("claimed stop", v.ClaimedStop)
			row("samples", v.Samples)
			row("seconds", v.Seconds.seconds())
		})
	})
}
