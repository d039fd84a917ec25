package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/envs"
)

// checker makes the jobs of trials, and looks at each model once.
type checker struct {
	read   func(file string) ([]byte, error) // a model file
	files  map[string][]byte                 // content by blob name
	giveUp time.Duration                     // for a model to be made; 0 for no limit
	report func()                            // called now and then while a model is made
	seen   map[string]seen                   // by what makes the model
}

// seen is what a job needs of a model that was looked at.
type seen struct {
	file, model string // of a job
	content     []byte // of the file
	problem     problem.Problem
	err         error
}

// job returns the job of a normal trial. The error is that of its model or its solver.
func (c *checker) job(ctx context.Context, t Trial) (job, error) {
	makes := Trial{Env: t.Env, Set: t.Set, Model: t.Model, Samples: t.Samples} // what makes the model
	if t.Samples != 0 {
		makes.Seed = t.Seed
	}
	if t.Model != "" && t.Eval != nil {
		makes.Eval = &Eval{Horizon: t.Eval.Horizon}
	}
	made := string(canonical(makes))
	s, ok := c.seen[made]
	if !ok {
		s = c.within(ctx, func(ctx context.Context) seen { return c.look(ctx, t) })
		c.seen = map[string]seen{made: s} // the last one alone: models may be large, and follow in order
		if s.file != "" {
			c.files[s.file] = s.content
		}
	}
	j := job{Trial: t, File: s.file, Model: s.model}
	if s.err != nil || t.Cover != nil {
		return j, s.err
	}
	_, err := t.solver(s.problem)
	return j, err
}

// maxModel bounds a model file, in bytes.
const maxModel = 1 << 30

// look reads the model file of a trial, if it has one, and makes its model.
func (c *checker) look(ctx context.Context, t Trial) (s seen) {
	if t.Model != "" {
		if s.content, s.err = c.read(t.Model); s.err != nil {
			return s
		}
		if len(s.content) > maxModel {
			s.err = fmt.Errorf("the model file %s is larger than %d bytes", t.Model, maxModel)
			return s
		}
		s.file = blobName(s.content)
	}
	if s.problem, s.err = t.problem(ctx, s.content); s.err == nil {
		s.model, s.err = t.fingerprint(s.problem)
	}
	return s
}

// modelError says that a model could not be made: a trial has failed, and the sweep goes on.
type modelError struct{ what string }

func (e *modelError) Error() string { return e.what }

// ofModel reports whether an error is of a model itself and not of how a trial is written.
func ofModel(err error) bool {
	return errors.As(err, new(*modelError)) || errors.As(err, new(*bcpace.ConformanceError)) || errors.As(err, new(*bcpace.UnsupportedError))
}

// within calls look, whose code may be the user's own, and returns without it if ctx ends or
// it takes too long.
func (c *checker) within(ctx context.Context, look func(context.Context) seen) seen {
	ended := make(chan seen, 1) // also for one that nobody waits for any more
	go func() {
		var s seen
		_, fault := guarded(ctx, func(ctx context.Context) ([]byte, error) {
			s = look(ctx)
			return nil, nil
		})
		if fault != "" {
			s.err = &modelError{"its model: " + fault}
		}
		ended <- s
	}()
	began := time.Now()
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	for {
		select {
		case s := <-ended:
			return s
		case <-ctx.Done():
			return seen{err: ctx.Err()}
		case <-tick.C:
			c.report()
			if c.giveUp > 0 && time.Since(began) > c.giveUp {
				return seen{err: &modelError{fmt.Sprintf("its model was not made within %v", c.giveUp)}}
			}
		}
	}
}

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
	problem.LimitSteps(m, cmp.Or(t.Eval, new(Eval)).Horizon)
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
