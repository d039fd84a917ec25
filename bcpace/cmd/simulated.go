package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/process"
	"bayescpace/bcpace/runs"
)

// processParam and drawsParam are the parameters of a model of a simulator: its command, and the draws from
// which its likelihoods are estimated.
const (
	processParam = "process"
	drawsParam   = "likelihood-draws"
)

// sideBySide is the number of workers where a simulator answers: their steps go into one request.
const sideBySide = 64

// simulator is a model that another program simulates, given by --process.
type simulator struct {
	command string
	draws   int
	model   bcpace.Model // once it is started
	asked   *process.Model
	err     error // of the start
}

// flags adds the flags of a simulator to those of an environment, in whose place it stands.
func (s *simulator) flags(f *flags) {
	f.value(processParam, "COMMAND", "in place of --env, a program that simulates the model by lines of JSON, such as \"python3 walk.py\"; its words are separated by spaces, and quotes keep the spaces of a word (\"python3 'my walk.py'\") "+
		"(bcpace/process/README.md describes the protocol)", func(words string) error {
		if f.given["env"] {
			return errors.New("--env is given, too: give one of the two")
		}
		if _, err := process.Words(words); err != nil {
			return err
		}
		f.given["env"] = true
		return text(&s.command)(words)
	})
	f.value(drawsParam, "N", "with --process, estimate likelihoods from N draws, for a simulator that does not know them", whole(&s.draws))
}

// params are those of the model.
func (s *simulator) params() []bcpace.Param {
	list := []bcpace.Param{{Key: processParam, Value: s.command}}
	if s.draws != 0 {
		list = append(list, bcpace.Param{Key: drawsParam, Value: strconv.Itoa(s.draws)})
	}
	return list
}

// start starts the simulator, unless it was started before. It ends with this program, which
// is the end of its input. ctx is for the start alone, which is not tried twice.
func (s *simulator) start(ctx context.Context) (bcpace.Model, error) {
	if s.model != nil || s.err != nil {
		return s.model, s.err
	}
	var m bcpace.Model
	if s.asked, m, s.err = process.Open(ctx, s.command, s.draws); s.err != nil {
		return nil, s.err
	}
	s.model = bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Params = s.params() })
	return s.model, nil
}

// finder returns what makes the model of what was saved: the simulator, if one is given.
func (s *simulator) finder(ctx context.Context) runs.ModelFinder {
	if s.command == "" {
		return modelFinder(ctx)
	}
	return func(name string, params []bcpace.Param) (bcpace.Model, error) {
		m, err := s.start(ctx)
		if err != nil {
			return nil, err
		}
		if len(params) == 0 || params[0].Key != processParam {
			return nil, misuse("--%s is for what was saved of a simulator, and this is of %s: leave it out", processParam, name)
		}
		return m, nil
	}
}

// declared says where a simulator has its horizon from.
const declared = "the horizon of a simulator is what its program says in the answer to hello (\"horizon\": 200)"

// needEnd adds to the error of a solver for a simulator that has neither a horizon nor a discount below 1 what gives it one.
func (s *simulator) needEnd(err error) error {
	if s.model == nil || !s.model.Spec().Goal || !errors.As(err, new(*bcpace.UnsupportedError)) {
		return err
	}
	return fmt.Errorf("%w: %s, and then policy-search takes it", err, declared)
}
