package cmd

import (
	"fmt"
	"io"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

var verifyVerb = verb{
	name: "verify", doc: "check the certificate of a saved run, or what was said of a saved policy",
	usage: "(--run FILE | --policy FILE [--model FILE]) [--process COMMAND] [--json]",
	examples: []string{
		"verify --run chain.bcp",
		"verify --policy careful.json",
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

	Samples int `json:"samples"`
	// Played is the number of episodes from which a policy's interval is; of a run there is no such key.
	Played int `json:"episodes,omitempty"`
	// Question is what a policy is the best for, in whose units the bounds are; of a run, and of the largest mean, there is no such key.
	Question string `json:"question,omitempty"`
	Seconds  number `json:"seconds"`
}

// verifyArgs are the flags of verify.
type verifyArgs struct {
	saved savedArgs
	json  bool
}

func (a *verifyArgs) flags() *flags {
	f := newFlags()
	f.section("verification")
	a.saved.flags(f, fmt.Sprintf(". Of a policy, %d episodes are played, which may contradict what was said that it earns", verifyEpisodes))
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
	if err := f.parse(args); err != nil {
		return err
	}
	s, err := a.saved.open(p, f)
	if err != nil {
		return err
	}
	begin := time.Now()
	r := s.run
	if r == nil {
		v, err := s.verifyPolicy(p.ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", a.saved.file(), interrupted(err))
		}
		v.Seconds = number(time.Since(begin).Seconds())
		return v.print(p.stdout, a.json)
	}
	c, err := runs.Verify(p.ctx, r)
	if err != nil {
		return fmt.Errorf("%s: %w", a.saved.file(), err)
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
			if v.Question != "" {
				row("bounds of", v.Question)
			}
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
			if v.Played > 0 {
				row("episodes", v.Played)
			} else {
				row("samples", v.Samples)
			}
			row("seconds", v.Seconds.seconds())
		})
	})
}
