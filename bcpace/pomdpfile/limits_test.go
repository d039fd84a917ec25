package pomdpfile

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestHostile: small files that ask for much: the error comes before the work, with figures and
// the name of the limit.
func TestHostile(t *testing.T) {
	flat := func(states, actions, observations string, tables ...string) string {
		return "discount: 0.9\nvalues: reward\nstates: " + states + "\nactions: " + actions + "\nobservations: " + observations + "\n" + strings.Join(tables, "\n") + "\n"
	}
	const still, blind = "T: * identity", "O: * uniform"
	variable := func(k int, values int) string {
		return fmt.Sprintf(`<StateVar vnamePrev="s%d" vnameCurr="t%d"><NumValues>%d</NumValues></StateVar>`, k, k, values)
	}
	product := func(entry string, sizes ...int) string {
		var variables, start, move strings.Builder
		for k, n := range sizes {
			variables.WriteString(variable(k, n))
			fmt.Fprintf(&start, `<CondProb><Var>s%d</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance><ProbTable>uniform</ProbTable></Entry></Parameter></CondProb>`, k)
			fmt.Fprintf(&move, `<CondProb><Var>t%d</Var><Parent>a s%d</Parent><Parameter><Entry><Instance>* %s</Instance></Entry></Parameter></CondProb>`, k, k,
				strings.Replace(entry, "/", "</Instance><ProbTable>", 1)+"</ProbTable><Instance>")
		}
		return `<pomdpx><Discount>0.9</Discount><Variable>` + variables.String() + `<ActionVar vname="a"><NumValues>9</NumValues></ActionVar><RewardVar vname="r"/></Variable>
<InitialStateBelief>` + start.String() + `</InitialStateBelief><StateTransitionFunction>` + strings.ReplaceAll(move.String(), "<Instance></Instance>", "") + `</StateTransitionFunction>
<RewardFunction><Func><Var>r</Var><Parent>null</Parent><Parameter/></Func></RewardFunction></pomdpx>`
	}
	rewards := ""
	for s := range 40 {
		rewards += fmt.Sprintf("R: 0 : %d : * : 1 %d\n", s, s+2)
	}
	l := limits{states: 1 << 20, actions: 1 << 10, bytes: 64e6, steps: 2e7}
	for name, c := range map[string]struct{ text, want string }{
		"actions":          {flat("300", "2000000", "1", still, blind), `found "2000000", want a number of actions within the limit MaxActions, 1024`},
		"dense":            {flat("4000", "1", "1", "T: * uniform", blind), "found a model that takes at least 192.3 MB of memory, want one within the limit MaxMemory, 64.0 MB"},
		"dense, wildcards": {flat("4000", "1", "1", "T: * : * uniform", blind), "at least 192.3 MB"},
		"dense, numbers":   {flat("1000000", "1", "1", "T: * : * : * 0.000001", blind), "MaxMemory"},
		"dense columns":    {flat("600000", "1", "1", still, "T: * : * : 3 1", blind), "MaxMemory"},
		"pairs":            {flat("1000000", "1000", "1", "T: * : * : 0 1", blind), "at least 8.0 GB"},
		"observations":     {flat("10000", "2", "100000", still, blind), "at least 12.0 GB"},
		"names":            {flat("1000000", "1000", "1000000"), "MaxMemory"},
		"start":            {flat("1000000", "1", "1", "start include: *", still, blind), "MaxMemory"},
		"rewards":          {flat("1000", "1", "1000", "T: * uniform", blind, "R: * : * : * : 1 1", rewards), "20000000 steps to multiply out, want one within the limit MaxSteps"},
		"product":          {product("- -/identity", 100, 100, 100), "MaxMemory"},
		"dense product":    {product("* -/uniform", 50, 50), "MaxMemory"},
		"joint":            {product("- -/identity", 500, 500, 500), "125000000 joint states, want a model within the limit MaxStates"},
	} {
		read := readPOMDP
		if c.text[0] == '<' {
			read = readPOMDPX
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(t.Context(), strings.NewReader(c.text), "f", l)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if used := int(after.TotalAlloc - before.TotalAlloc); used > 3*l.bytes {
			t.Errorf("%s: %s allocated", name, inBytes(used))
		}
	}
}

// What is shared by states and actions takes the memory of one of them.
func TestCompact(t *testing.T) {
	l := limits{states: MaxStates, actions: MaxActions, bytes: 32e6, steps: 1e7}
	for name, text := range map[string]string{
		"identity": "discount: 0.9\nvalues: reward\nstates: 100000\nactions: 10\nobservations: 2\nT: * identity\nO: * : * : 0 1\nR: * : * : * : * 3\n",
		"actions":  "discount: 0.9\nvalues: reward\nstates: 50\nactions: 60000\nobservations: 2\nT: * identity\nO: * uniform\nR: * : 5 : * : 1 3\n",
		"rewards":  "discount: 0.9\nvalues: reward\nstates: 500\nactions: 2\nobservations: 500\nT: * uniform\nO: * uniform\nR: * : * : * : 1 3\n",
	} {
		m, err := readPOMDP(t.Context(), strings.NewReader(text), "f", l)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Move[0] != m.Move[1] || &m.Reward[0][0] != &m.Reward[1][0] {
			t.Errorf("%s: actions that are alike have tables of their own", name)
		}
	}
}

// The limit of the program stands for that of the package.
func TestMemoryLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(10e6))
	_, err := Read(t.Context(), strings.NewReader("discount: 0.9\nvalues: reward\nstates: 1000\nactions: 1\nT: * uniform\n"), "f")
	if err == nil || !strings.Contains(err.Error(), "of memory, want one within the limit MaxMemory, 10.0 MB (the environment variable GOMEMLIMIT sets another)") {
		t.Error(err)
	}
}
