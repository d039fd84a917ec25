package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/envs"
)

// problem is the model of a trial: a BAMDP, a POMDP from a file, or both.
type problem struct {
	model  bcpace.Model // nil where the file holds no BAMDP
	tables *pomdp.Model // nil without a file
	none   error        // why there is no model
}

// problem makes the model. Content has that of a file.
func (t Trial) problem(ctx context.Context, content []byte) (p problem, err error) {
	if t.Model == "" {
		p.model, err = Environment(t.Env, t.Set.params(), t.Samples, t.Seed)
		return p, err
	}
	read := pomdpfile.ReadPOMDP
	if strings.EqualFold(filepath.Ext(t.Model), ".pomdpx") {
		read = pomdpfile.ReadPOMDPX
	}
	if p.tables, err = read(ctx, bytes.NewReader(content), filepath.Base(t.Model)); err != nil {
		return p, err
	}
	if p.tables.Discount == 1 && p.tables.Horizon == 0 {
		if t.Eval == nil || t.Eval.Horizon == 0 {
			return p, &bcpace.InputError{Where: whereTrial, What: "the discount of " + t.Model, Got: "1", Want: "eval.horizon beside it, the number of steps of an episode: without an end, values are infinite"}
		}
		p.tables.Horizon = t.Eval.Horizon
	}
	p.model, p.none = pomdp.AsBAMDP(ctx, p.tables)
	if dependence := (*pomdp.DependenceError)(nil); errors.As(p.none, &dependence) {
		if revealed, err := pomdp.Reveal(ctx, p.tables); err == nil {
			if m, err := pomdp.AsBAMDP(ctx, revealed); err == nil {
				p.model, p.none = m, nil
			}
		}
	}
	if p.none != nil {
		p.model = nil
	}
	return p, ctx.Err()
}

// described is a model of which nothing but the description is asked for.
type described struct {
	bcpace.Model
	spec bcpace.Spec
}

// Spec implements bcpace.Model.
func (d described) Spec() bcpace.Spec { return d.spec }

// tunedFor returns the model for which settings are tuned.
func (p problem) tunedFor() bcpace.Model {
	if p.model == nil {
		return described{spec: p.tables.Spec()}
	}
	return p.model
}

// fingerprint stands for a model of the user's own, whose code the version does not know; ""
// for one of this module.
func (t Trial) fingerprint(p problem) (string, error) {
	if t.Model != "" || !envs.Registered(t.Env) {
		return "", nil
	}
	print, err := fingerprint.Of(p.model, nil)
	if err != nil {
		return "", fmt.Errorf("environment %s: %w", t.Env, err)
	}
	return print, nil
}
