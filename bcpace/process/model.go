package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/estimated"
	"bayescpace/bcpace/internal/ends"
	"bayescpace/bcpace/internal/num"
)

// Program is a simulator as a program that speaks the protocol.
type Program struct {
	// Command is the program and its arguments, such as "python3", "cartpole.py".
	Command []string
	// Processes is how many run side by side, at most: they are started as they are needed. 0 is one for each processor.
	Processes int
	// Timeout is how long one answer may take, to a request for up to 256 steps. 0 is a minute. A process has a minute at
	// least to begin.
	Timeout time.Duration
}

// text returns the command for messages.
func (p Program) text() string { return strings.Join(p.Command, " ") }

// check returns p with its defaults, or an *bcpace.InputError.
func (p Program) check() (Program, error) {
	in := bcpace.In("simulator " + p.text())
	if err := cmp.Or(
		bcpace.In("a simulator").Need(len(p.Command) != 0 && p.Command[0] != "", "Command", fmt.Sprintf("%q", p.Command), "a program and its arguments"),
		in.Need(p.Processes >= 0 && p.Processes <= num.MaxWorkers, "Processes", p.Processes, num.WantWorkers("processes")),
		in.Need(p.Timeout >= 0, "Timeout", p.Timeout, "a time above 0, or 0 for a minute")); err != nil {
		return p, err
	}
	p.Processes = cmp.Or(p.Processes, runtime.GOMAXPROCS(0))
	p.Timeout = cmp.Or(p.Timeout, time.Minute)
	p.Command = slices.Clone(p.Command)
	return p, nil
}

// Model is the model of a simulator in other processes. Many goroutines may ask it: what they ask for
// at the same time goes into one request, so that many workers (bcpace.Control) make steps cheap.
//
// Within, Err and Deaths of a nil Model are those of one that nobody asks.
//
// A method panics with an error where the simulator has none of the answers that it should have, which
// solvers return as a *bcpace.ConformanceError.
type Model struct {
	pool  *pool
	spec  bcpace.Spec
	prior bcpace.Belief
	seen  *num.Recent[[]float64] // log likelihoods of all latents: a belief is updated with those of one after the other

	tried sync.Once // what findHiddenEnd looks for, and has found
	fault error
}

// Start starts a simulator and asks it for its model. The end of ctx ends that alone: Close ends the
// processes.
func Start(ctx context.Context, program Program) (*Model, error) {
	program, err := program.check()
	if err != nil {
		return nil, err
	}
	p := &pool{program: program}
	p.more = sync.NewCond(&p.mu)
	c, err := p.connect(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, p.wrong(fmt.Errorf("it was out of time before it had answered hello; give more time (%w)", err))
	case errors.Is(err, context.Canceled):
		return nil, p.wrong(fmt.Errorf("interrupted before it had answered hello (%w)", err))
	case err != nil:
		return nil, p.wrong(err)
	}
	m := &Model{pool: p, spec: p.about.spec(), prior: p.about.prior(), seen: num.NewRecent[[]float64](1 << 12)}
	if err := m.describes(); err != nil {
		p.kill(c)
		return nil, p.wrong(err)
	}
	p.spec = m.spec
	p.add(c)
	return m, nil
}

// Open starts the simulator of a command line (Words), and returns it twice: as it is, and as a model that has likelihoods, which are
// estimated from so many draws, or its own where draws is 0.
func Open(ctx context.Context, line string, draws int) (*Model, bcpace.Model, error) {
	words, err := Words(line)
	if err != nil {
		return nil, nil, err
	}
	m, err := Start(ctx, Program{Command: words})
	if err != nil || draws == 0 {
		return m, m, err
	}
	if err = bcpace.In("a simulator").Bad("the number of draws", draws, "none: the simulator knows its likelihoods"); !m.Likelihoods() {
		var guessed bcpace.Model
		if guessed, err = estimated.Likelihoods(m, estimated.Options{Draws: draws}); err == nil {
			return m, guessed, nil
		}
	}
	m.Close()
	return nil, nil, err
}

// describes returns an error unless the description is that of a model.
func (m *Model) describes() error {
	if err := m.spec.Validate(); err != nil {
		return err
	}
	for i, a := range m.spec.Axes {
		if slices.ContainsFunc(m.spec.Axes[:i], func(b bcpace.Axis) bool { return a.Name == b.Name }) {
			return bcpace.In("model "+m.spec.Name).Bad("axes", strconv.Quote(a.Name)+" twice", "a name of its own for each axis")
		}
	}
	if len(m.prior) != len(m.spec.Latents) {
		return bcpace.In("model "+m.spec.Name).Bad("prior", []float64(m.prior), fmt.Sprintf("%d probabilities, one for each latent", len(m.spec.Latents)))
	}
	return m.prior.Validate()
}

// Within has what is asked of the model end with ctx: a request that is not answered a second after that is cut, and from then on all that
// is asked fails, with an error that wraps that of ctx. Where leave is called before, nothing is cut. After it, a simulator that was cut as it
// is slow answers again, as what was found may have to be kept; one that was silent does not.
func (m *Model) Within(ctx context.Context) (leave func()) {
	if m == nil {
		return func() {}
	}
	left := make(chan struct{})
	stay := context.AfterFunc(ctx, func() {
		select {
		case <-left:
		case <-time.After(graceTime):
			m.pool.cut(ctx.Err())
		}
	})
	return sync.OnceFunc(func() {
		stay()
		close(left)
		m.pool.revive()
	})
}

// Err returns the error with which all that is asked fails, as of a simulator of no use or of Within; nil while the simulator answers.
func (m *Model) Err() error {
	if m == nil {
		return nil
	}
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	return m.pool.err
}

// Deaths says how often a process of the simulator has died before it had answered, and how; "" where none has.
func (m *Model) Deaths() string {
	if m == nil {
		return ""
	}
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	if m.pool.deaths == 0 {
		return ""
	}
	return fmt.Sprintf("the simulator ended %d times in %d requests, and was started anew: the last time, %s", m.pool.deaths, m.pool.asked, m.pool.death)
}

// Close ends the processes and waits until they have ended. What is asked afterwards fails.
func (m *Model) Close() { m.pool.close() }

// Likelihoods reports whether the simulator knows its likelihoods.
func (m *Model) Likelihoods() bool { return m.pool.about.Likelihood }

// Validate implements bcpace.Validator. The error wraps estimated.ErrNone where the simulator knows no likelihoods. It is a
// *bcpace.ConformanceError where a short look, at the first call, finds that whether a step ends the episode tells of the latent what the
// next state does not.
func (m *Model) Validate() error {
	m.tried.Do(func() { m.fault = m.findHiddenEnd() })
	if m.fault != nil || m.Likelihoods() {
		return m.fault
	}
	return m.pool.wrong(fmt.Errorf("%w, of which beliefs are computed: have it answer \"likelihood\", or estimate them from its draws (estimated.Likelihoods, --likelihood-draws)", estimated.ErrNone))
}

// ShowsEnds is that of bcpace.Abilities: Validate looks.
func (m *Model) ShowsEnds() bool { return true }

// findHiddenEnd plays some episodes side by side.
func (m *Model) findHiddenEnd() error {
	w := bcpace.AbilitiesOf(m).Ends()
	if !m.Likelihoods() {
		w.Log = nil
	}
	effort := ends.Short
	effort.Workers = effort.Episodes // which go into one request
	if c, _ := ends.Find(w, effort); c != nil {
		return m.spec.Fault(c.State, c.Action, -1, "%s", c.Text(m.spec.Latents))
	}
	if c := ends.FindStart(w, 0, effort); c != nil {
		return m.spec.Fault(nil, -1, -1, "%s", c.Text(m.spec.Latents, m.spec.Axes[c.Axis].Name))
	}
	return nil
}

// Check has the simulator check itself, where it can, and returns the notes of a report with those of it: what may be meant,
// and is a mistake more often than not. The error is what it finds wrong.
func (m *Model) Check(notes []string) ([]string, error) {
	if !m.pool.about.Check {
		return notes, nil
	}
	c := call{kind: itself}
	err := m.pool.ask(&c)
	return append(notes, c.notes...), err
}

// Spec implements bcpace.Model.
func (m *Model) Spec() bcpace.Spec { return m.spec }

// Prior implements bcpace.Model.
func (m *Model) Prior(b bcpace.Belief) { copy(b, m.prior) }

// ask returns a call answered, or panics with the fault of the model. That says itself what was asked: it may have been another call.
func (m *Model) ask(c call) *call {
	if err := m.pool.ask(&c); err != nil {
		fault := m.spec.Fault(nil, -1, -1, "%v", err)
		fault.Err = err
		panic(fault)
	}
	return &c
}

// seed draws a seed, which every language reads exactly.
func seed(rng *rand.Rand) uint64 { return rng.Uint64() >> 11 }

// Start implements bcpace.Model.
func (m *Model) Start(s []float64, latent int, rng *rand.Rand) {
	copy(s, m.ask(call{kind: start, latent: latent, seed: seed(rng), next: make([]float64, len(s))}).next)
}

// Step implements bcpace.Model.
func (m *Model) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	index, u := m.spec.Control(nil, action)
	c := m.ask(call{kind: step, state: s, latent: latent, action: index, control: u, seed: seed(rng), next: make([]float64, len(next))})
	copy(next, c.next)
	return bcpace.Outcome{Reward: c.reward, Done: c.ends}
}

// LogLikelihood implements bcpace.Model. One request has the answer for all latents.
func (m *Model) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	if !m.Likelihoods() {
		panic(m.Validate())
	}
	return m.seen.At(s, action, next, func() []float64 {
		index, u := m.spec.Control(nil, action)
		return m.ask(call{kind: likelihood, state: s, action: index, control: u, next: next}).log
	})[latent]
}

// StartLogLikelihood implements bcpace.StartLikelihood.
func (m *Model) StartLogLikelihood(s []float64, latent int) float64 {
	if !m.pool.about.StartLikelihood {
		return 0
	}
	const noAction = -1
	return m.seen.At(s, noAction, nil, func() []float64 { return m.ask(call{kind: startLikelihood, state: s}).log })[latent]
}

var (
	word  = regexp.MustCompile(`(?:[^ \t\r\n'"]|'[^']*'|"[^"]*")+`)
	quote = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
)

// Words returns the words of a command line, which spaces separate. Between two single or double quotes, spaces belong to
// the word: python3 'my walk.py'. Nothing else has a meaning, so that a path may have backslashes. The error is a
// *bcpace.InputError for a quote without its end, and for no words.
func Words(line string) ([]string, error) {
	in, words := bcpace.In("a simulator"), word.FindAllString(line, -1)
	if err := cmp.Or(
		in.Need(!strings.ContainsAny(word.ReplaceAllString(line, ""), `'"`), "the command", line, "one in which every quote has its end"),
		in.Need(len(words) != 0, "the command", "no words", "a program and its arguments")); err != nil {
		return nil, err
	}
	for i, w := range words {
		words[i] = quote.ReplaceAllString(w, "$1$2")
	}
	return words, nil
}
