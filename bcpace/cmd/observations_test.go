package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace/act"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// ferry has what is visible, what is hidden and moves, and two observations. The bank "far" cannot be reached.
const ferry = `<pomdpx><Discount>0.8</Discount><Variable>
<StateVar vnamePrev="bank0" vnameCurr="bank1" fullyObs="true"><ValueEnum>east west far</ValueEnum></StateVar>
<StateVar vnamePrev="river0" vnameCurr="river1"><ValueEnum>low high</ValueEnum></StateVar>
<ObsVar vname="gauge"><ValueEnum>calm rough</ValueEnum></ObsVar>
<ActionVar vname="do"><ValueEnum>wait cross</ValueEnum></ActionVar><RewardVar vname="fare"/></Variable>
<InitialStateBelief>
<CondProb><Var>bank0</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance><ProbTable>0.5 0.5 0</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>river0</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance><ProbTable>uniform</ProbTable></Entry></Parameter></CondProb>
</InitialStateBelief><StateTransitionFunction>
<CondProb><Var>bank1</Var><Parent>do bank0</Parent><Parameter><Entry><Instance>wait - -</Instance><ProbTable>identity</ProbTable></Entry>
<Entry><Instance>cross - -</Instance><ProbTable>0 1 0 1 0 0 0 0 1</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>river1</Var><Parent>river0</Parent><Parameter><Entry><Instance>- -</Instance><ProbTable>0.9 0.1 0.3 0.7</ProbTable></Entry></Parameter></CondProb>
</StateTransitionFunction><ObsFunction>
<CondProb><Var>gauge</Var><Parent>river1</Parent><Parameter><Entry><Instance>low -</Instance><ProbTable>0.8 0.2</ProbTable></Entry>
<Entry><Instance>high -</Instance><ProbTable>0.3 0.7</ProbTable></Entry></Parameter></CondProb>
</ObsFunction><RewardFunction>
<Func><Var>fare</Var><Parent>do bank0 river0</Parent><Parameter><Entry><Instance>* * *</Instance><ValueTable>0</ValueTable></Entry>
<Entry><Instance>cross * low</Instance><ValueTable>3</ValueTable></Entry><Entry><Instance>cross * high</Instance><ValueTable>-9</ValueTable></Entry></Parameter></Func>
</RewardFunction></pomdpx>`

// written writes a file for a test.
func written(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// talk runs act, and returns what asks it.
func talk(t *testing.T, args string) func(request string) (act.Choice, string) {
	t.Helper()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := dispatch(program{ctx: context.Background(), stdin: requests, stdout: answers, stderr: io.Discard}, line(args))
		answers.CloseWithError(fmt.Errorf("act has ended: %w", err))
		ended <- err
	}()
	t.Cleanup(func() {
		in.Close()
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", args, err)
		}
	})
	lines := bufio.NewReader(out)
	return func(request string) (c act.Choice, answer string) {
		t.Helper()
		if _, err := io.WriteString(in, request+"\n"); err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		answer, err := lines.ReadString('\n')
		if err != nil || json.Unmarshal([]byte(answer), &c) != nil {
			t.Fatalf("%s: %s answers %q, %v", args, request, answer, err)
		}
		return c, answer
	}
}

// TestActObserves: a policy of a model file, of each solver that takes tables, with a horizon or without, earns what its bounds say where it
// is told what is seen in the world that the file describes.
func TestActObserves(t *testing.T) {
	t.Parallel()
	for _, model := range []string{dataFolder + "tiger.pomdp", dataFolder + "chain.pomdp", written(t, "ferry.pomdpx", ferry)} {
		m, err := pomdpfile.ReadFile(t.Context(), model)
		if err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range []string{"sarsop", "pbvi", "perseus", "qmdp"} {
			for _, horizon := range []int{0, 3} {
				flags, steps := " --model "+model+" --algorithm "+algorithm, 30
				if horizon > 0 {
					flags, steps = flags+fmt.Sprint(" --horizon ", horizon), horizon
				}
				file := filepath.Join(t.TempDir(), "kept")
				if algorithm != "qmdp" {
					file += ".policy"
				}
				succeed(t, line("solve"+flags+" --timeout 20s --out "+file)...)
				want := decode[wantEvaluation](t, succeed(t, line(fmt.Sprintf("eval --policy %s --model %s --episodes 3000 --horizon %d --json", file, model, steps))...))
				mean, stderr := playedByAct(t, talk(t, "act --policy "+file+" --model "+model), m, steps)
				if off := math.Hypot(stderr, *want.StdErr); math.Abs(mean-*want.Mean) > 4.5*off+1e-9 { // a false alarm in 100,000
					t.Errorf("act%s earns %v ± %v, eval says %v ± %v", flags, mean, stderr, *want.Mean, *want.StdErr)
				}
			}
		}
	}
}

// playedByAct plays episodes in the world of m, which tells act by their names what is seen.
func playedByAct(t *testing.T, ask func(string) (act.Choice, string), m *pomdp.Model, steps int) (mean, stderr float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 0))
	draw := func(row []pomdp.Entry) int {
		u := rng.Float64()
		for _, e := range row {
			if u -= e.Value; u < 0 {
				return int(e.At)
			}
		}
		return int(row[len(row)-1].At)
	}
	of := func(x *pomdp.Matrix, s int) (row []pomdp.Entry) {
		col, value := x.At(s)
		for i, c := range col {
			row = append(row, pomdp.Entry{At: c, Value: value[i]})
		}
		return row
	}
	const episodes = 200
	sum, squares := 0.0, 0.0
	for range episodes {
		s, total, weight := draw(m.Start), 0.0, 1.0
		seen := pomdp.ValueNames(m.Visible, s/m.NumHidden())
		choice, answer := ask(asJSON(map[string]any{"state": seen}))
		for range steps {
			if strings.Contains(answer, "error") || choice.Surprised || choice.Name != m.Actions[choice.Action] || choice.Belief[s%m.NumHidden()] <= 0 {
				t.Fatalf("%s in state %s", answer, m.StateName(s))
			}
			total += weight * m.Reward[choice.Action][s]
			weight *= m.Discount
			a := choice.Action
			s = draw(of(m.Move[a], s))
			seen = pomdp.ValueNames(m.Visible, s/m.NumHidden())
			if o := draw(of(m.Sense[a], s)); len(m.Observations) > 1 {
				seen = append(seen, m.Observations[o])
			}
			if choice, answer = ask(asJSON(map[string]any{"reward": m.Reward[a][s], "next": seen})); strings.Contains(answer, "the episode is over") {
				break
			}
		}
		sum, squares = sum+total, squares+total*total
	}
	mean = sum / episodes
	return mean, math.Sqrt(max(0, squares/episodes-mean*mean) / episodes)
}

func asJSON(x any) string {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestUnreachedVisible: a policy needs no vector for a visible state to which it never comes. One that is needed is missed where an episode
// begins before anything is played, and elsewhere once an episode comes there.
func TestUnreachedVisible(t *testing.T) {
	model := written(t, "ferry.pomdpx", ferry)
	policy := func(vectors string) string {
		return written(t, "ferry.policy", `<Policy type="value"><AlphaVector vectorLength="2" numObsValue="3" numVectors="3">`+vectors+"</AlphaVector></Policy>")
	}
	const cross, wait = `<Vector action="1" obsValue="%d">0 0</Vector>`, `<SparseVector action="0" obsValue="%d"></SparseVector>`
	always := policy(fmt.Sprintf(cross+cross, 0, 1))
	e := decode[wantEvaluation](t, succeed(t, "eval", "--model", model, "--policy", always, "--episodes", "4000", "--horizon", "3", "--json"))
	// The river is high with probability .5, .4 and .34 at the three crossings.
	if want := (3 - 12*0.5) + 0.8*(3-12*0.4) + 0.64*(3-12*0.34); math.Abs(*e.Mean-want) > 4*(*e.StdErr) { // a false alarm in 15,000
		t.Errorf("earns %v ± %v, want %v", *e.Mean, *e.StdErr, want)
	}
	ask := talk(t, "act --policy "+always+" --model "+model)
	if c, answer := ask(`{"state": ["west"]}`); c.Name != "cross" {
		t.Error(answer)
	}
	if _, answer := ask(`{"reward": 3, "next": ["far", "calm"]}`); !strings.Contains(answer, `the action where far is seen is none, want one: the policy has none for this visible state`) {
		t.Error(answer)
	}
	if code, _, stderr := call(t, "eval", "--model", model, "--policy", policy(fmt.Sprintf(wait, 0))); code != exitError || !strings.Contains(stderr, "no vector where west is visible") {
		t.Errorf("without a vector where episodes begin: %d, %s", code, stderr)
	}
	begins := written(t, "east.pomdpx", strings.Replace(ferry, "0.5 0.5 0", "1 0 0", 1))
	if code, _, stderr := call(t, "eval", "--model", begins, "--policy", policy(fmt.Sprintf(cross, 0))); code != exitError || !strings.Contains(stderr, "west is seen is none") {
		t.Errorf("without a vector where an episode comes: %d, %s", code, stderr)
	}
	if out := succeed(t, "eval", "--model", begins, "--policy", policy(fmt.Sprintf(wait, 0)), "--episodes", "10"); !strings.Contains(out, "mean") {
		t.Error(out)
	}
}

// TestNotes: what the reader of a model took as it does not stand there is told beside the result, and a file that stands as it is has no note.
func TestNotes(t *testing.T) {
	const n = 42
	text := fmt.Sprintf("discount: 0.5\nvalues: reward\nstates: %d\nactions: 1\nobservations: 1\nT: * identity\nO: * uniform\nR: * : 3 : * : * 21\nstart: ", n)
	rounded, even := written(t, "rounded.pomdp", text+strings.Repeat("0.02381 ", n)), written(t, "even.pomdp", text+"uniform")
	kept := filepath.Join(t.TempDir(), "kept.policy")
	for _, args := range []string{"solve --algorithm sarsop --json --out " + kept, "eval --algorithm qmdp --episodes 2", "eval --episodes 2 --policy " + kept, "convert --force --out " + filepath.Join(t.TempDir(), "x.pomdpx")} {
		code, out, stderr := call(t, line(args+" --model "+rounded)...)
		if code != 0 || !strings.Contains(stderr, "rounded.pomdp:9: probabilities of the start that add up to 1.00002; 1 such distribution, off 1 by up to 2e-05") || strings.Contains(out, "add up") {
			t.Errorf("%s: %d, %s, %s", args, code, out, stderr)
		}
		if code, _, stderr := call(t, line(strings.Replace(args, kept, kept+" --force", 1)+" --model "+even)...); code == 0 && stderr != "" {
			t.Errorf("%s: %s", args, stderr)
		}
	}
	_, out, _ := call(t, line("solve --json --algorithm sarsop --model "+rounded)...)
	if r := decode[result](t, out); math.Abs(float64(r.Value)-1) > 1e-3 { // 21·2/42
		t.Errorf("value %v, want 1", r.Value)
	}
}
