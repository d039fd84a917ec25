// Package scoreboard plays solvers on every environment, a double integrator and random models of
// continuous states, and compares what they earn with what they earned before. A change of a
// solver, a grid or a default is judged by all of it:
//
//	go test -v -timeout 0 ./bcpace/internal/scoreboard -play [-only TEXT] [-write] [-board FILE]
//
// It prints a line for each trial that is worse or better than FILE says, which is
// scoreboard.csv of this folder by default, by more than their intervals explain, and fails
// if any is worse. With -write it then writes the file anew. Budgets are numbers of
// samples, never times, so that the same code gives the same numbers on every machine. What was
// computed before with this very code is not computed again.
package scoreboard

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/sweep"
	"bayescpace/envs"
)

var (
	play  = flag.Bool("play", false, "play the trials, in place of the tests")
	only  = flag.String("only", "", "play the trials alone whose name has this in it, such as jumps or tiger,qmdp")
	write = flag.Bool("write", false, "write the file anew")
	file  = flag.String("board", "scoreboard.csv", "the `file` of what was earned before")
)

// TestMain registers the models, and plays the trials where they are asked for.
func TestMain(m *testing.M) {
	flag.Parse()
	register()
	if !*play {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	worse, err := run(ctx, *file, *only, *write)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if worse > 0 {
		os.Exit(1)
	}
}

// register makes the models known that are none of package envs.
func register() {
	envs.Register(integratorInfo, newIntegrator)
	envs.Register(jumpsInfo, newJumps)
}

// run plays the trials, prints what has changed and returns how many are worse.
func run(ctx context.Context, file, only string, write bool) (worse int, err error) {
	before, err := readBoard(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without it, all is new
		return 0, err
	}
	spec := trials(only)
	results, err := spec.Run(ctx, func(p sweep.SweepProgress) {
		done, running, failed, total, left := p.Tally()
		fmt.Fprintf(os.Stderr, "\r%d of %d trials, %d running, %d refused, %v left   ", done, total, running, failed, left.Round(time.Second))
	})
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return 0, err
	}
	now := make(board)
	var order []string
	for i := range results.Rows {
		row := &results.Rows[i]
		name := nameOf(row.Trial)
		now[name] = scoreOf(row)
		order = append(order, name)
	}
	counts := make(map[verdict]int)
	for _, name := range order {
		was, known := before[name]
		v := compare(was, now[name], known)
		counts[v]++
		if v != same {
			fmt.Printf("%-7s %s\n        was %s\n        is  %s\n", v, name, was, now[name])
		}
	}
	fmt.Printf("%d the same within noise, %d better, %d worse, %d new\n", counts[same], counts[better], counts[worseThan], counts[unknown])
	if write {
		for name, s := range before { // what was not played now stays
			if _, played := now[name]; !played && only != "" {
				now[name] = s
			}
		}
		return counts[worseThan], now.write(file)
	}
	return counts[worseThan], nil
}

// trials returns those whose names have only in them.
func trials(only string) sweep.Spec {
	spec := sweep.Spec{Name: "scoreboard", Base: sweep.Trial{Seed: 1}}
	for _, m := range models() {
		for _, method := range methods {
			t := sweep.Trial{Env: m.env, Set: m.set, Algorithm: method.algorithm, Params: method.params}
			if !strings.Contains(nameOf(t), only) {
				continue
			}
			s := sweep.Setting{"env": m.env, "algorithm": method.algorithm, "eval.episodes": method.episodes}
			for key, value := range m.set {
				s["set."+key] = value
			}
			for key, value := range method.params {
				s["params."+key] = value
			}
			spec.List = append(spec.List, s)
		}
	}
	return spec
}

// problem is an environment with parameters.
type problem struct {
	env string
	set sweep.Values
}

// model makes the model.
func (p problem) model() (bcpace.Model, error) {
	var params []bcpace.Param
	for key, value := range p.set {
		params = append(params, bcpace.Param{Key: key, Value: fmt.Sprint(value)})
	}
	return envs.New(p.env, params)
}

// models are all environments, the integrator among them, and 20 random models.
func models() (list []problem) {
	for _, info := range envs.List() {
		if info.Name != jumpsInfo.Name {
			list = append(list, problem{env: info.Name})
		}
	}
	for axes := 2; axes <= 5; axes++ {
		for layout := 1; layout <= 5; layout++ {
			list = append(list, problem{jumpsInfo.Name, sweep.Values{"axes": axes, "layout": layout}})
		}
	}
	return list
}

// methods are the solvers with their budgets. certified is what the command takes by default.
var methods = []struct {
	algorithm string
	params    sweep.Values
	episodes  int
}{
	{"qmdp", nil, 2000},
	{"certainty-equivalent", nil, 2000},
	{"certified", sweep.Values{"max-samples": 100}, 2000},
	{"bayes-cpace", sweep.Values{"max-samples": 500}, 2000},
	{"pomcpow", sweep.Values{"budget": 20}, 50},
	{"policy-search", sweep.Values{"max-steps": 5_000_000}, 2000},
}
