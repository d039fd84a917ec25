// Compare-tiger plays Tiger with the planners of this module, and prints a line of a table for each: with the tiger as one of a list of latents,
// and as a hidden vector of which a planner is told nothing but the list (hidden.FromModel).
//
//	go run ./.ci/compare-tiger [-seconds 0.1] [-episodes 200] [-seed 1] [-rows TEXT]
//
// A planner gets as many simulations for a decision as it does in that many seconds of one core, which are measured first in seconds
// of the process, so that a busy machine changes little. The problem, and the planners of other packages, are those of others.py beside this.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

const steps = 40

// player is a form of the problem.
type player interface {
	// make makes the planner of that name.
	make(name string, params []bcpace.Param)
	// decide takes a decision at the start.
	decide(rng *rand.Rand)
	play(episodes int, seed uint64) eval.Result
}

// list has the tiger as one of a list of latents.
type list struct{ policy bcpace.Policy }

func (l *list) make(name string, params []bcpace.Param) {
	s := must(solvers.New(name, envs.Tiger{}))
	for _, p := range params {
		s = must(solvers.Set(s, p.Key, p.Value))
	}
	l.policy = must(s.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})).Policy
}

func (l *list) decide(rng *rand.Rand) {
	planner := bcpace.PolicyAbilitiesOf(bcpace.Fork(l.policy))
	must(planner.Plan(context.Background(), []float64{0}, bcpace.Belief{0.5, 0.5}, rng))
}

func (l *list) play(episodes int, seed uint64) eval.Result {
	return must(eval.Rollouts(context.Background(), envs.Tiger{}, l.policy, eval.Options{Episodes: episodes, Horizon: steps, Seed: seed, Workers: 1}))
}

// vector has it as a hidden vector.
type vector struct {
	model  *hidden.Model
	policy hidden.Policy
}

func (v *vector) make(name string, params []bcpace.Param) {
	v.model = must(hidden.FromModel(envs.Tiger{}))
	v.policy = must(solvers.NewPlanner(name, params, v.model))
}

func (v *vector) decide(rng *rand.Rand) {
	b := must(hidden.DefaultFilter(v.model).Begin(v.model, []float64{0}, rng))
	must(v.policy.(hidden.Planner).Plan(context.Background(), []float64{0}, b, rng))
}

func (v *vector) play(episodes int, seed uint64) eval.Result {
	return must(hidden.Simulate(context.Background(), v.model, v.policy, hidden.Options{Episodes: episodes, Horizon: steps, Seed: seed, Workers: 1}))
}

func main() {
	seconds := flag.Float64("seconds", 0.1, "of one core, for a decision")
	episodes := flag.Int("episodes", 200, "of each planner")
	seed := flag.Uint64("seed", 1, "of the episodes")
	rows := flag.String("rows", "", "play only the planners that have this in their line")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	fmt.Println("| planner | simulations | episodes | mean return | standard error |\n| --- | --- | --- | --- | --- |")
	for _, form := range []struct {
		name     string
		player   player
		planners []string
	}{
		{"a list of latents", &list{}, []string{"lookahead", "despot", "adaops", "pomcp", "pomcpow"}},
		{"a hidden vector", &vector{}, []string{"despot", "adaops", "pomcp", "pomcpow"}},
	} {
		for _, name := range form.planners {
			settings := [][]bcpace.Param{nil, {{Key: "depth", Value: "3"}}}
			if strings.HasPrefix(name, "pomcp") {
				settings[1] = append(settings[1], bcpace.Param{Key: "exploration", Value: "50"})
			}
			for _, params := range settings {
				line := name + ", " + form.name
				for _, p := range params {
					line += ", " + p.Key + " " + p.Value
				}
				if !strings.Contains(line, *rows) {
					continue
				}
				n := within(form.player, name, params, *seconds)
				form.player.make(name, append(params, bcpace.Param{Key: "budget", Value: strconv.Itoa(n)}))
				r := form.player.play(*episodes, *seed)
				fmt.Printf("| %s | %d | %d | %.1f | %.1f |\n", line, n, r.Episodes, r.Mean, r.StdErr)
			}
		}
	}
}

// within returns how many simulations of a decision take so many seconds of one core.
func within(p player, name string, params []bcpace.Param, seconds float64) int {
	const most = 1 << 20
	best := 0
	for n := 10; ; n *= 2 {
		p.make(name, append(params, bcpace.Param{Key: "budget", Value: strconv.Itoa(n)}))
		p.decide(rand.New(rand.NewPCG(1, 1))) // what is kept for all decisions
		spent := seconds
		for i := range uint64(3) {
			at := cpu()
			p.decide(rand.New(rand.NewPCG(i, 2)))
			spent = min(spent, cpu()-at)
		}
		best = max(1, int(float64(n)*seconds/spent))
		if best < 2*n || n >= most {
			return min(best, most)
		}
	}
}

// cpu returns the seconds of the processor that this program took.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// must returns v, and ends the program with an error.
func must[V any](v V, err error) V {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
