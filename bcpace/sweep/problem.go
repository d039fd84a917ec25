package sweep

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/envs"
)

// problem makes the model. Content has that of a file.
func (t Trial) problem(ctx context.Context, content []byte) (p problem.Problem, err error) {
	if t.Model == "" {
		p.Model, err = problem.Environment(t.Env, t.Set.params(), t.Samples, t.Seed)
		return p, err
	}
	m, err := pomdpfile.Read(ctx, bytes.NewReader(content), filepath.Base(t.Model))
	if err != nil {
		return p, err
	}
	steps := 0
	if t.Eval != nil {
		steps = t.Eval.Horizon
	}
	problem.LimitSteps(m, steps)
	return problem.OfTables(ctx, m)
}

// fingerprint stands for a model of the user's own, whose code the version does not know; ""
// for one of this module.
func (t Trial) fingerprint(p problem.Problem) (string, error) {
	if t.Model != "" || !envs.Registered(t.Env) {
		return "", nil
	}
	print, err := fingerprint.Of(p.Model, nil)
	if err != nil {
		return "", fmt.Errorf("environment %s: %w", t.Env, err)
	}
	return print, nil
}
