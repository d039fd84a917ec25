package pomdpfile

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// rover is the tutorial problem of the PomdpX document, RockSample on a map of
// 1 × 3 with one rock at the left end and the exit at the right: each part is
// given as a table or as a decision diagram.
const (
	roverHead = `<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- a comment -- with dashes --->
<pomdpx version="1.0" id="rover" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<Description>One <b>rock</b> &amp; an exit</Description>
<Discount>0.95</Discount>
<Variable>
 <StateVar vnamePrev="rock_0" vnameCurr="rock_1"><ValueEnum>good bad</ValueEnum></StateVar>
 <StateVar vnamePrev="rover_0" vnameCurr='rover_1' fullyObs="true"><NumValues>3</NumValues></StateVar>
 <ObsVar vname="sensor"><ValueEnum>ogood obad</ValueEnum></ObsVar>
 <ActionVar vname="act"><ValueEnum>amw ame ac as</ValueEnum></ActionVar>
 <RewardVar vname="reward"/>
</Variable>
`
	roverStart = `<InitialStateBelief>
<CondProb><Var>rock_0</Var><Parent>null</Parent><Parameter type="TBL"><Entry><Instance>-</Instance><ProbTable>uniform</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>rover_0</Var><Parent>null</Parent><Parameter type = "TBL">
 <Entry><Instance> - </Instance><ProbTable>0.0 <!-- the middle --> 1.0 0.0</ProbTable></Entry></Parameter></CondProb>
</InitialStateBelief>
`
	roverStartDD = `<InitialStateBelief>
<CondProb><Var>rover_0 rock_0</Var><Parent>null</Parent><Parameter type="DD"><DAG><Node var="rover_0">
 <Edge val="s0"><Terminal>0.0</Terminal></Edge><Edge val="s1"><SubDAG type="uniform" var="rock_0"/></Edge><Edge val="2"><Terminal>0</Terminal></Edge>
</Node></DAG></Parameter></CondProb></InitialStateBelief>
`
	roverMove = `<StateTransitionFunction>
<CondProb><Var>rover_1</Var><Parent>act rover_0</Parent><Parameter>
 <Entry><Instance>amw s0 s2</Instance><ProbTable>1.0</ProbTable></Entry>
 <Entry><Instance>amw s1 s0</Instance><ProbTable>1.0</ProbTable></Entry>
 <Entry><Instance>ame s0 s1</Instance><ProbTable>1.0</ProbTable></Entry>
 <Entry><Instance>ame s1 s2</Instance><ProbTable>1.0</ProbTable></Entry>
 <Entry><Instance>ac - -</Instance><ProbTable>identity</ProbTable></Entry>
 <Entry><Instance>as - -</Instance><ProbTable>1 0 0 0 0 1 0 0 1</ProbTable></Entry>
 <Entry><Instance>* s2 -</Instance><ProbTable>0 0 1</ProbTable></Entry>
</Parameter></CondProb>
<CondProb><Var>rock_1</Var><Parent>act rover_0 rock_0</Parent><Parameter type="TBL">
 <Entry><Instance>* * - -</Instance><ProbTable>1 0 0 1</ProbTable></Entry>
 <Entry><Instance>as s0 * -</Instance><ProbTable>0 1</ProbTable></Entry>
</Parameter></CondProb></StateTransitionFunction>
`
	roverMoveDD = `<StateTransitionFunction>
<CondProb><Var>rover_1</Var><Parent>act rover_0</Parent><Parameter type="DD"><DAG><Node var="act">
 <Edge val="amw"><Node var="rover_0"><Edge val="s0"><SubDAG type="deterministic" var="rover_1" val="s2"/></Edge>
   <Edge val="s1"><SubDAG type="deterministic" var="rover_1" val="s0"/></Edge>
   <Edge val="s2"><SubDAG type="template" idref="exit"/></Edge></Node></Edge>
 <Edge val="ame"><Node var="rover_0"><Edge val="s0"><SubDAG type="deterministic" var="rover_1" val="s1"></SubDAG></Edge>
   <Edge val="s1"><SubDAG type="template" idref="exit"/></Edge>
   <Edge val="s2"><SubDAG type="template" idref="exit"/></Edge></Node></Edge>
 <Edge val="ac"><SubDAG type="persistent" var="rover_1"/></Edge>
 <Edge val="as"><Node var="rover_0"><Edge val="s0"><SubDAG type="persistent" var="rover_1"/></Edge>
   <Edge val="s1"><SubDAG type="template" idref="exit"/></Edge>
   <Edge val="s2"><SubDAG type="template" idref="exit"/></Edge></Node></Edge>
</Node></DAG><SubDAGTemplate id="exit"><SubDAG type="deterministic" var="rover_1" val="s2"/></SubDAGTemplate></Parameter></CondProb>
<CondProb><Var>rock_1</Var><Parent>act rover_0 rock_0</Parent><Parameter type="DD"><DAG><Node var="act">
 <Edge val="amw"><SubDAG type="persistent" var="rock_1"/></Edge>
 <Edge val="ame"><SubDAG type="persistent" var="rock_1"/></Edge>
 <Edge val="ac"><SubDAG type="persistent" var="rock_1"/></Edge>
 <Edge val="as"><Node var="rover_0"><Edge val="s0"><SubDAG type="deterministic" var="rock_1" val="bad"/></Edge>
   <Edge val="s1"><SubDAG type="persistent" var="rock_1"/></Edge>
   <Edge val="s2"><SubDAG type="persistent" var="rock_1"/></Edge></Node></Edge>
</Node></DAG></Parameter></CondProb></StateTransitionFunction>
`
	roverSense = `<ObsFunction><CondProb><Var>sensor</Var><Parent>act rover_1 rock_1</Parent><Parameter type="TBL">
 <Entry><Instance>* * * -</Instance><ProbTable>1.0 0.0</ProbTable></Entry>
 <Entry><Instance>ac s0 - -</Instance><ProbTable>1 0 0 1</ProbTable></Entry>
 <Entry><Instance>ac s1 - -</Instance><ProbTable>0.8 0.2 0.2 0.8</ProbTable></Entry>
 <Entry><Instance>ac s2 - -</Instance><ProbTable>0.8 0.2 0.2 0.8</ProbTable></Entry>
</Parameter></CondProb></ObsFunction>
`
	roverSenseDD = `<ObsFunction><CondProb><Var>sensor</Var><Parent>act rover_1 rock_1</Parent><Parameter type="DD"><DAG><Node var="act">
 <Edge val="amw"><SubDAG type="deterministic" var="sensor" val="ogood"/></Edge>
 <Edge val="ame"><SubDAG type="deterministic" var="sensor" val="ogood"/></Edge>
 <Edge val="ac"><Node var="rover_1">
   <Edge val="s0"><Node var="rock_1"><Edge val="good"><SubDAG type="deterministic" var="sensor" val="ogood"/></Edge>
      <Edge val="bad"><SubDAG type="deterministic" var="sensor" val="obad"/></Edge></Node></Edge>
   <Edge val="s1"><SubDAG type="template" idref="obs_rock"/></Edge>
   <Edge val="s2"><SubDAG type="template" idref="obs_rock"/></Edge></Node></Edge>
 <Edge val="as"><SubDAG type="deterministic" var="sensor" val="ogood"/></Edge></Node></DAG>
 <SubDAGTemplate id="obs_rock"><Node var="rock_1">
   <Edge val="good"><Node var="sensor"><Edge val="ogood"><Terminal>0.8</Terminal></Edge><Edge val="obad"><Terminal>0.2</Terminal></Edge></Node></Edge>
   <Edge val="bad"><Node var="sensor"><Edge val="ogood"><Terminal>0.2</Terminal></Edge><Edge val="obad"><Terminal>0.8</Terminal></Edge></Node></Edge>
 </Node></SubDAGTemplate></Parameter></CondProb></ObsFunction>
`
	roverReward = `<RewardFunction><Func><Var>reward</Var><Parent>act rover_0 rock_0</Parent><Parameter type="TBL">
 <Entry><Instance>ame s1 *</Instance><ValueTable>10</ValueTable></Entry>
 <Entry><Instance>amw s0 *</Instance><ValueTable>-100</ValueTable></Entry>
 <Entry><Instance>as s1 *</Instance><ValueTable>-100</ValueTable></Entry>
 <Entry><Instance>as s0 -</Instance><ValueTable>10 -10</ValueTable></Entry>
</Parameter></Func></RewardFunction>
</pomdpx>
`
	roverRewardDD = `<RewardFunction><Func><Var>reward</Var><Parent>act rock_0 rover_0</Parent><Parameter type="DD"><DAG><Node var="act">
 <Edge val="amw"><Node var="rover_0"><Edge val="s0"><Terminal>-100.0</Terminal></Edge><Edge val="s1"><Terminal>0.0</Terminal></Edge></Node></Edge>
 <Edge val="ame"><Node var="rover_0"><Edge val="s1"><Terminal>10.0</Terminal></Edge></Node></Edge>
 <Edge val="as"><Node var="rover_0"><Edge val="s0"><Node var="rock_0"><Edge val="good"><Terminal>10</Terminal></Edge><Edge val="bad"><Terminal>-10</Terminal></Edge></Node></Edge>
   <Edge val="s1"><Terminal>-100</Terminal></Edge></Node></Edge>
</Node></DAG></Parameter></Func></RewardFunction>
</pomdpx>
`
	rover   = roverHead + roverStart + roverMove + roverSense + roverReward
	roverDD = roverHead + roverStartDD + roverMoveDD + roverSenseDD + roverRewardDD
)

// The rules of the problem, told again in code.
func TestReadPOMDPX(t *testing.T) {
	for name, text := range map[string]string{"TBL": rover, "DD": roverDD} {
		m := read(t, text)
		if m.Discount != 0.95 || m.NumVisible() != 3 || m.NumHidden() != 2 ||
			m.Visible[0].Name != "rover_0" || !slices.Equal(m.Visible[0].Values, []string{"s0", "s1", "s2"}) ||
			m.Hidden[0].Name != "rock_0" || !slices.Equal(m.Observations, []string{"ogood", "obad"}) {
			t.Fatalf("%s: %+v", name, m)
		}
		wantRows(t, name, [][]float64{belief(m)}, [][]float64{{0, 0, 0.5, 0.5, 0, 0}})
		for a, action := range m.Actions {
			for s := range 6 {
				x, bad := s/2, s%2
				next, nextBad, reward := x, bad, 0.0
				switch {
				case x == 2:
				case action == "amw" && x == 1:
					next = 0
				case action == "amw":
					next, reward = 2, -100
				case action == "ame":
					next = x + 1
					reward = float64(10 * x)
				case action == "as" && x == 1:
					next, reward = 2, -100
				case action == "as":
					nextBad, reward = 1, 10-20*float64(bad)
				}
				move := make([]float64, 6)
				move[2*next+nextBad] = 1
				good := 1.0
				if action == "ac" {
					good = [][]float64{{1, 0}, {0.8, 0.2}, {0.8, 0.2}}[x][bad]
				}
				at := fmt.Sprint(name, " ", action, s)
				wantRows(t, at, [][]float64{dense(m.Move[a], s, 6), dense(m.Sense[a], s, 2), {m.Reward[a][s]}},
					[][]float64{move, {good, 1 - good}, {reward}})
			}
		}
		if m.Sense[0] != m.Sense[1] || m.Sense[0] == m.Sense[2] {
			t.Error("wrong tables of observations are shared")
		}
	}
}

// A reward of the next state and the observation is paid in its mean, and
// several functions add up.
func TestReadPOMDPXRewards(t *testing.T) {
	more := `<RewardFunction>
<Func><Var>reward</Var><Parent>null</Parent><Parameter type="TBL"><Entry><Instance></Instance><ValueTable>5</ValueTable></Entry></Parameter></Func>
<Func><Var>reward</Var><Parent>sensor act</Parent><Parameter><Entry><Instance>obad ac</Instance><ValueTable>100</ValueTable></Entry></Parameter></Func>
<Func><Var>reward</Var><Parent>rover_1 rover_0</Parent><Parameter><Entry><Instance>s0 s1</Instance><ValueTable>7</ValueTable></Entry></Parameter></Func>
<Func><Var>reward</Var><Parent>act</Parent><Parameter><Entry><Instance>-</Instance><ValueTable>0 1 0 0</ValueTable></Entry></Parameter></Func>
</RewardFunction></pomdpx>`
	m := read(t, roverHead+roverStart+roverMove+roverSense+more)
	for a, want := range [][]float64{
		{5, 5, 12, 12, 5, 5},
		{6, 6, 6, 6, 6, 6},
		{5, 105, 25, 85, 25, 85},
		{5, 5, 5, 5, 5, 5},
	} {
		wantRows(t, m.Actions[a], [][]float64{m.Reward[a]}, [][]float64{want})
	}
}

// minimal is a model without observations and with two actions variables; the
// hidden variable depends on the visible one after the step.
const minimal = `<pomdpx version="1.0"><Discount>0.5</Discount><Variable>
<StateVar vnamePrev="y" vnameCurr="y'"><ValueEnum>u v</ValueEnum></StateVar>
<StateVar vnamePrev="x" vnameCurr="x'" fullyObs="true"><ValueEnum>a&amp;b c</ValueEnum></StateVar>
<ActionVar vname="p"><ValueEnum>p0 p1</ValueEnum></ActionVar><ActionVar vname="q"><NumValues>2</NumValues></ActionVar><RewardVar vname="r"/></Variable>
<InitialStateBelief>
<CondProb><Var>y</Var><Parent>x</Parent><Parameter><Entry><Instance>a&amp;b -</Instance><ProbTable>0.5 0.5</ProbTable></Entry><Entry><Instance>c v</Instance><ProbTable>1</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>x</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance><ProbTable>0.5 0.5</ProbTable></Entry></Parameter></CondProb>
</InitialStateBelief><StateTransitionFunction>
<CondProb><Var>y'</Var><Parent>x' y</Parent><Parameter><Entry><Instance>c - -</Instance><ProbTable>identity</ProbTable></Entry><Entry><Instance>a&amp;b * -</Instance><ProbTable>0.25 0.75</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>x'</Var><Parent>q p</Parent><Parameter><Entry><Instance>* * -</Instance><ProbTable>0.5 0.5</ProbTable></Entry><Entry><Instance>a1 p0 -</Instance><ProbTable>0 1</ProbTable></Entry></Parameter></CondProb>
</StateTransitionFunction><RewardFunction><Func><Var>r</Var><Parent>x' p</Parent><Parameter><Entry><Instance>c p0</Instance><ValueTable>4</ValueTable></Entry></Parameter></Func></RewardFunction></pomdpx>`

func TestReadPOMDPXDependent(t *testing.T) {
	m := read(t, minimal)
	if want := []string{"p0,a0", "p0,a1", "p1,a0", "p1,a1"}; !slices.Equal(m.Actions, want) ||
		!slices.Equal(m.Observations, []string{"none"}) || m.Visible[0].Values[0] != "a&b" {
		t.Fatalf("%+v", m)
	}
	wantRows(t, "start", [][]float64{belief(m)}, [][]float64{{0.25, 0.25, 0, 0.5}})
	half := [][]float64{{0.125, 0.375, 0.5, 0}, {0.125, 0.375, 0, 0.5}, {0.125, 0.375, 0.5, 0}, {0.125, 0.375, 0, 0.5}}
	for a := range m.Actions {
		want := half
		if a == 1 {
			want = [][]float64{{0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 0, 1}}
		}
		wantRows(t, m.Actions[a], full(m.Move[a], 4), want)
	}
	wantRows(t, "reward", m.Reward, [][]float64{{2, 2, 2, 2}, {4, 4, 4, 4}, {0, 0, 0, 0}, {0, 0, 0, 0}})
}

func TestReadPOMDPXErrors(t *testing.T) {
	change := func(old, new string) string {
		if strings.Count(rover+roverDD, old) == 0 {
			t.Fatalf("%q is not there", old)
		}
		if strings.Contains(rover, old) {
			return strings.Replace(rover, old, new, 1)
		}
		return strings.Replace(roverDD, old, new, 1)
	}
	// line is where a text first stands.
	line := func(text, part string) int {
		before, _, _ := strings.Cut(text, part)
		return 1 + strings.Count(before, "\n")
	}
	for _, c := range []struct{ text, at, part string }{
		{"<", "", "found the end of the file, want a tag"},
		{"<model/>", "", "found <model>, want <pomdpx>"},
		{"<pomdpx>", "", "found the end of the file, want an element or </pomdpx>"},
		{"<pomdpx/>", "", "found the end of the file, want <Discount> before it"},
		{"<pomdpx><!DOCTYPE x></pomdp>", "", "found </pomdp>, want an element or </pomdpx>"},
		{"<pomdpx><![CDATA[", "", "a CDATA section"},
		{rover + "more", "more", `found "more", want nothing after </pomdpx>`},
		{change("<Discount>0.95", "<Discount>x"), "<Discount>", `found "x", want a discount factor`},
		{change("<Discount>0.95", "<Discount>-1"), "<Discount>", "found -1, want a discount factor"},
		{change("<Discount>0.95</Discount>", ""), "", "want <Discount> before it"},
		{change("<Discount>", "<Discunt>"), "<Discunt>", `; did you mean "Discount"?`},
		{change(roverStart, ""), "", "want <InitialStateBelief> before it"},
		{change(roverSense, ""), "", "want <ObsFunction> before it"},
		{change(`fullyObs="true"`, `fullyObs="maybe"`), "maybe", `found fullyObs="maybe"`},
		{change(`vname="sensor"`, `vname="rock_1"`), `vnamePrev="rock_0"`, `a second variable named "rock_1"`},
		{change("<NumValues>3", "<NumValues>3000000000"), "<NumValues>", "the limit MaxStates"},
		{change("good bad<", "good good<"), "good good", `found "good", want values that differ`},
		{change("<Var>rock_1</Var>", "<Var>rok_1</Var>"), "rok_1", `found "rok_1", want the name of a variable; did you mean "rock_1"?`},
		{change("<Var>rock_1</Var>", "<Var>rock_0</Var>"), "<Var>rock_0</Var><Parent>act", `found "rock_0", want a state variable after the step`},
		{change("<Parent>act rover_0</Parent>", "<Parent>act act</Parent>"), "act act", `a second "act"`},
		{change("<Parent>act rover_1 rock_1</Parent>", "<Parent>act rover_0 rock_1</Parent>"), "<Parent>act rover_0 rock_1", `found "rover_0", want an action variable or a state variable after`},
		{change("<Instance>as s0 * -</Instance>", "<Instance>as s5 * -</Instance>"), "s5 *", `found "s5", want a value of the variable; did you mean "s0"?`},
		{change("<Instance>as s0 * -</Instance>", "<Instance>as s0 -</Instance>"), "as s0 -", "found 3 values, want 4"},
		{change("<Instance>as s0 * -</Instance>", "<Instance>as s0 * - -</Instance>"), "as s0 *", `found "-", want 4 values`},
		{change("<ProbTable>0 1</ProbTable>", "<ProbTable>0 0.9</ProbTable>"), "0 0.9", `probabilities of rock_1 that add up to 0.9, after action "as" in state "s0,good"`},
		{change("<ProbTable>0 1</ProbTable>", "<ProbTable>0 2</ProbTable>"), "0 2", `found "2", want a probability`},
		{change("<ProbTable>0 1</ProbTable>", "<ProbTable>0 nan</ProbTable>"), "0 nan", `found "nan", which is no number in decimals, want a probability`},
		{change("<ProbTable>0 1</ProbTable>", "<ProbTable>1</ProbTable>"), "<ProbTable>1</", "found 1 numbers"},
		{change("<ProbTable>0 1</ProbTable>", "<ProbTable>0 1 0</ProbTable>"), "0 1 0<", "more than 2 numbers"},
		{change("<ProbTable>0 1</ProbTable>", "<ProbTable>identity</ProbTable>"), " * -</Instance><ProbTable>id", `found "identity"`},
		{change("<ProbTable>0 1</ProbTable>", ""), "as s0 * -", "found the end of the element, want <ProbTable>"},
		{change("<ValueTable>10</ValueTable>", "<ValueTable>uniform</ValueTable>"), "uniform</V", "want numbers"},
		{change("<Instance>* s2 -</Instance><ProbTable>0 0 1", "<Instance>ac s2 -</Instance><ProbTable>0 0 1"), "<CondProb><Var>rover_1", `add up to 0, after action "amw" in state "s2,good"`},
		{change("<Var>rover_1</Var><Parent>act rover_0</Parent>", "<Var>rock_1</Var><Parent>act rover_0</Parent>"), "", `found "s`},
		{change(`type="uniform"`, `type="even"`), "even", `found type="even"`},
		{change(`idref="obs_rock"`, `idref="obs_rok"`), "obs_rok", `; did you mean "obs_rock"?`},
		{change(`<SubDAGTemplate id="exit"><SubDAG type="deterministic" var="rover_1" val="s2"/>`, `<SubDAGTemplate id="exit"><SubDAG type="template" idref="exit"/>`), `<SubDAGTemplate id="exit"`, "which holds itself"},
		{change(`<SubDAG type="uniform" var="rock_0"/>`, `<SubDAG type="uniform" var="rock_1"/>`), `var="rock_1"`, `found var="rock_1"`},
		{change("</Entry>", "</Entrance>"), "</Entrance>", "found </Entrance>, want an element or </Entry>"},
		{change("<DAG>", "<Dag>"), "<Dag>", "found <Dag>, want DAG or SubDAGTemplate"},
		{change("</DAG>", "</DAG><DAG></DAG>"), "<DAG></DAG>", "a second <DAG>"},
		{change(`id="obs_rock"`, `id=""`), `id=""`, "the new name of a template"},
		{change(`<Edge val="as"><SubDAG type="deterministic"`, `<Edgy val="as"><SubDAG type="deterministic"`), "<Edgy", "found <Edgy>, want <Edge>"},
		{change("<Terminal>0.8</Terminal>", ""), "<Terminal>0.2</Terminal>", "found the end of the element, want Node, SubDAG or Terminal in <Edge>"},
		{change("<Terminal>0.8</Terminal>", "<Terminal>0.8 0.2</Terminal>"), "<Terminal>0.8 ", `found the text "0.2"`},
		{change(`<SubDAG type="deterministic" var="sensor" val="ogood"/>`, `<SubDAG type="deterministic" var="rock_1" val="good"/>`), `var="rock_1" val="good"`, "a variable that the function determines"},
		{change(`<SubDAG type="deterministic" var="sensor" val="ogood"/>`, `<SubDAG type="persistent" var="sensor"/>`), `persistent" var="sensor"`, "its value before the step among the parents"},
		{change(`<SubDAG type="uniform" var="rock_0"/>`, "<Terminal>0.4</Terminal>"), "<CondProb><Var>rover_0 rock", "probabilities of rover_0 rock_0 that add up to 0.8"},
		// What is said under a value that was tested above holds for that value alone.
		{change(`<SubDAG type="uniform" var="rock_0"/>`, `<Node var="rock_0"><Edge val="good"><Terminal>0.4</Terminal></Edge><Edge val="bad"><SubDAG type="deterministic" var="rock_0" val="good"/></Edge></Node>`),
			"<CondProb><Var>rover_0 rock", "probabilities of rover_0 rock_0 that add up to 0.4"},
		{change(`<NumValues>3</NumValues>`, "<Values>3</Values>"), "<Values>", "want ValueEnum or NumValues"},
		{change("good bad<", "<"), "<ValueEnum><", "found no value, want at least one"},
		{change("<RewardVar", "<RewardVars"), "<RewardVars", `; did you mean "RewardVar"?`},
		{change(`<RewardVar vname="reward"/>`, ""), "</Variable>", "found no <RewardVar>"},
		{change(`<RewardVar vname="reward"/>`, `<RewardVar vname="act"/>`), "<RewardVar", `the new name of a reward`},
		{change(`<ObsVar vname="sensor">`, "<ObsVar>"), "<ObsVar>", "a variable without a name"},
		{change(`vnamePrev="rock_0" `, ""), "<StateVar vnameCurr", "vnamePrev and vnameCurr in it"},
		{change("<Var>reward</Var>", "<Var>rewards</Var>"), "rewards", "the name of a reward variable"},
		{change("<Var>reward</Var>", "<Var></Var>"), "<Var></Var>", "found an empty <Var>"},
		{change("<Func><Var>reward</Var>", "<Func>"), "<Func><Parent>", "want Var, Parent and Parameter in <Func>, in this order"},
		{change("<Func>", "<CondProb>"), "<CondProb><Var>reward", "found <CondProb>, want <Func>"},
		{change(`<Parameter type = "TBL">`, `<Parameter type="CONT">`), "CONT", `want "TBL" or "DD"`},
		{change("<Instance> - </Instance>", "<Instances>-</Instances>"), "<Instances>", "want <Instance>"},
		{change("<ValueTable>10</ValueTable>", "<ValueTable>ten</ValueTable>"), ">ten<", `found "ten", want a finite number`},
		{change("<ValueTable>10</ValueTable>", "<ValueTable>10/4</ValueTable>"), ">10/4<", `found "10/4", which is no number, want decimals, as in 2.5`},
		{change("<Discount>0.95", "<Discount>95%"), "<Discount>", `found "95%", which is no number, want decimals, as in 0.95`},
		{change("<ProbTable>0 1</ProbTable>", "<ProbTable>1/4 3/4</ProbTable>"), ">1/4", `found "1/4", which is no number, want decimals, as in 0.25`},
		{change("good bad<", "[good bad]<"), "[good", `found "[good", want names with nothing but white space between and around them`},
		{change("good bad<", "good, bad<"), "good, bad", `found "good,"`},
		{change("<ValueTable>10</ValueTable>", "<ValueTable>-1e308</ValueTable>"), "-1e308", `found "-1e308", want a reward of size 5e149 at most`},
		{change("<ValueTable>10</ValueTable>", "<ValueTable>1e149</ValueTable>"), "<Func>", "want rewards of size 2.5e+148 at most with a discount of 0.95"},
		{change("good bad<", "good b&#127;d<"), "b&#127;d", `found "b\x7fd", want values that differ`},
		{change(`vname="sensor"`, "vname=\"sens\x01or\""), "sens\x01or", `found a variable named "sens\x01or", want a name without control characters`},
		{change(`<RewardVar vname="reward"/>`, `<RewardVar vname="r&#127;"/>`), "<RewardVar", "want the new name of a reward, without control characters"},
		{change("<Discount>0.95</Discount>", "<Discount>0.95</Discount><Discount>0.95</Discount>"), "<Discount>", "a second <Discount>"},
		{change("<Variable>", "<ObsFunction/><Variable>"), "<ObsFunction/>", "<Variable> before it"},
		{change("&amp; an exit", "&amp; an exit<![CDATA[]]>"), "<![CDATA", "a CDATA section"},
		{change(`id="rover"`, "id=rover"), "<pomdpx", "found id= without quotes"},
		{change(`id="rover"`, "id"), "<pomdpx", `want an attribute name="value"`},
		{change(`id="rover"`, `id="rover<"`), "<pomdpx", "an attribute id without an end"},
		{change("ogood obad<", "&good; obad<"), "&good;", "&lt; &gt; &amp; &quot; &apos; or &#number;"},
		{change("</Discount>", "</Discount"), "</Discount", `">" behind it`},
		{change("<Discount>", "< Discount>"), "< Discount", "the name of an element behind it"},
		{change("</Parameter></CondProb>", "</Parameter></CondProb><CondProb><Var>rock_0</Var><Parent>null</Parent><Parameter></Parameter></CondProb>"), "<CondProb><Var>rock_0</Var><Parent>null</Parent><Parameter></", "determined in line"},
		{rover[:len(rover)/2], "", "found the end of the file"},
	} {
		_, err := Read(t.Context(), strings.NewReader(c.text), "f")
		if err == nil {
			t.Errorf("%q: no error", c.part)
			continue
		}
		where := fmt.Sprintf("f:%d:", line(c.text, c.at))
		if got := err.Error(); c.at != "" && !strings.HasPrefix(got, where) || !strings.Contains(got, c.part) {
			t.Errorf("%s\nwant %s …%s…", got, where, c.part)
		}
	}
}

// Each of the functions of a product may be rounded.
func TestReadPOMDPXRounded(t *testing.T) {
	rounded := func(rock string) string {
		text := strings.Replace(rover, "<Instance>-</Instance><ProbTable>uniform</ProbTable>", "<Instance>-</Instance><ProbTable>"+rock+"</ProbTable>", 1)
		return strings.Replace(text, "0.0 <!-- the middle --> 1.0 0.0", "0.0 0.999991 0.0", 1)
	}
	m := read(t, rounded("0.4 0.599991"))
	if len(m.Start) != 2 || math.Abs(m.Start[0].Value+m.Start[1].Value-1) > 1e-15 || math.Abs(m.Start[0].Value-0.4/0.999991) > 1e-15 {
		t.Error(m.Start)
	}
	if _, err := Read(t.Context(), strings.NewReader(rounded("0.4 0.59997")), "f"); err == nil || !strings.Contains(err.Error(), "probabilities of rock_0 that add up to 0.99997") {
		t.Error(err)
	}
}

// Rows of several functions may be rounded to six decimals, each by as much as its probabilities are many.
func TestReadPOMDPXSixDecimals(t *testing.T) {
	const n = 42 // 42 times 0.02381 are 1.00002
	text := func(row string) string {
		function := func(name string) string {
			return "<CondProb><Var>" + name + "</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance><ProbTable>" + row + "</ProbTable></Entry></Parameter></CondProb>"
		}
		state := func(k string) string {
			return fmt.Sprintf(`<StateVar vnamePrev="x%s" vnameCurr="y%s"><NumValues>%d</NumValues></StateVar>`, k, k, n)
		}
		return "<pomdpx><Discount>0.5</Discount><Variable>" + state("1") + state("2") + `<ActionVar vname="a"><NumValues>1</NumValues></ActionVar><RewardVar vname="r"/></Variable>` +
			"<InitialStateBelief>" + function("x1") + function("x2") + "</InitialStateBelief><StateTransitionFunction>" +
			strings.NewReplacer("x1", "y1").Replace(function("x1")) + strings.NewReplacer("x2", "y2").Replace(function("x2")) +
			"</StateTransitionFunction><RewardFunction><Func><Var>r</Var><Parent>x1</Parent><Parameter><Entry><Instance>s3</Instance><ValueTable>2</ValueTable></Entry></Parameter></Func></RewardFunction></pomdpx>"
	}
	m := read(t, text(strings.Repeat("0.023810 ", n)))
	if _, prob := m.Move[0].At(7); len(prob) != n*n || math.Abs(prob[11]-1./n/n) > 1e-15 || len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "probabilities of x1 that add up to 1.00002; 1,765 such distributions") {
		t.Errorf("%d probabilities, %q", len(prob), m.Notes)
	}
	if _, err := Read(t.Context(), strings.NewReader(text(strings.Repeat("0.023811 ", n))), "f"); err == nil || !strings.Contains(err.Error(), "probabilities of x1 that add up to 1.000062, want a sum of 1 within 4.2e-05") {
		t.Errorf("%v", err)
	}
}

// Names are text of XML, in UTF-8 or else in ISO 8859-1.
func TestReadPOMDPXNames(t *testing.T) {
	text := strings.Replace(minimal, "a&amp;b c<", "&#97;&#x26;b &lt;\xe9&gt;&quot;&apos;<", 1)
	text = strings.ReplaceAll(text, "<Instance>c", "<Instance>&lt;\xe9&gt;&quot;&apos;")
	m := read(t, text)
	if want := []string{"a&b", "<é>\"'"}; !slices.Equal(m.Visible[0].Values, want) {
		t.Errorf("%q", m.Visible[0].Values)
	}
}

// Joint names are told apart.
func TestReadPOMDPXJointNames(t *testing.T) {
	text := strings.Replace(minimal, "p0 p1<", "p0 p,0<", 1)
	if m, want := read(t, text), []string{"0,0", "0,1", "1,0", "1,1"}; !slices.Equal(m.Actions, want) {
		t.Error(m.Actions)
	}
}

// Cyclic dependence and missing functions have no single word at fault.
func TestReadPOMDPXOrder(t *testing.T) {
	cyclic := strings.Replace(minimal, "<Parent>q p</Parent><Parameter><Entry><Instance>* * -</Instance><ProbTable>0.5 0.5</ProbTable></Entry><Entry><Instance>a1 p0 -</Instance>",
		"<Parent>y' p</Parent><Parameter><Entry><Instance>* * -</Instance><ProbTable>0.5 0.5</ProbTable></Entry><Entry><Instance>v p0 -</Instance>", 1)
	if _, err := Read(t.Context(), strings.NewReader(cyclic), "f"); err == nil || !strings.Contains(err.Error(), "which depends on itself") {
		t.Error(err)
	}
	i := strings.Index(minimal, "<CondProb><Var>x'</Var>")
	j := strings.Index(minimal, "</StateTransitionFunction>")
	if _, err := Read(t.Context(), strings.NewReader(minimal[:i]+minimal[j:]), "f"); err == nil || !strings.Contains(err.Error(), `a function of "x'" in <StateTransitionFunction>`) {
		t.Error(err)
	}
}

// What a short file claims must not be allocated.
func TestLimits(t *testing.T) {
	many := func(kind string, n, values int) string {
		var b strings.Builder
		for i := range n {
			switch kind {
			case "state":
				fmt.Fprintf(&b, `<StateVar vnamePrev="p%d" vnameCurr="c%d"><NumValues>%d</NumValues></StateVar>`, i, i, values)
			default:
				fmt.Fprintf(&b, `<%s vname="%s%d"><NumValues>%d</NumValues></%s>`, kind, kind, i, values, kind)
			}
		}
		return b.String()
	}
	nested := `<StateTransitionFunction><CondProb><Var>rover_1</Var><Parent>act rover_0 rock_0</Parent><Parameter type="DD"><DAG><SubDAG type="template" idref="t0"/></DAG>`
	for i := range 60 {
		nested += fmt.Sprintf(`<SubDAGTemplate id="t%d"><Node var="act"><Edge val="as"><SubDAG type="template" idref="t%d"/></Edge><Edge val="as"><SubDAG type="template" idref="t%d"/></Edge></Node></SubDAGTemplate>`, i, i+1, i+1)
	}
	nested += `<SubDAGTemplate id="t60"><SubDAG type="uniform" var="rover_1"/></SubDAGTemplate></Parameter></CondProb>`
	// Each template is nested less deeply than an element may be, all of them together more.
	deep := `<InitialStateBelief><CondProb><Var>rock_0</Var><Parent>null</Parent><Parameter type="DD"><DAG><SubDAG type="template" idref="t0"/></DAG>`
	for i := range 3 {
		deep += fmt.Sprintf(`<SubDAGTemplate id="t%d">%s<SubDAG type="template" idref="t%d"/>%s</SubDAGTemplate>`, i,
			strings.Repeat(`<Node var="rock_0"><Edge val="good">`, 4000), i+1, strings.Repeat("</Edge></Node>", 4000))
	}
	deep += `<SubDAGTemplate id="t3"><Terminal>1</Terminal></SubDAGTemplate></Parameter></CondProb></InitialStateBelief>`
	for name, c := range map[string]struct{ text, part string }{
		"states":   {strings.Replace(rover, "<RewardVar", many("state", 40, 16)+"<RewardVar", 1), "found"},
		"actions":  {strings.Replace(rover, "<RewardVar", many("ActionVar", 40, 16)+"<RewardVar", 1), "MaxActions"},
		"many":     {strings.Replace(rover, "<RewardVar", many("state", 2000, 1)+"<RewardVar", 1), "MaxVariables"},
		"nested":   {roverHead + roverStart + nested, "MaxVisits"},
		"path":     {roverHead + deep, "more than 10000 nodes"},
		"deep":     {roverHead + strings.Repeat("<Description>", 20_000), "nested deeper"},
		"short":    {"discount: 0.5\nvalues: reward\nstates: 16000000\nactions: 1\nobservations: 1\n", "MaxMemory"},
		"flat":     {"discount: 0.5\nvalues: reward\nstates: 16000000\nactions: 16000000\nobservations: 1000\nT: * identity\n", "MaxMemory"},
		"dense":    {"discount: 0.5\nvalues: reward\nstates: 1000000\nactions: 1\nobservations: 1\nT: * uniform\nO: * uniform\n", "MaxMemory"},
		"matrices": {"discount: 0.5\nvalues: reward\nstates: 1000000\nactions: 1\nobservations: 1\nT: *\n0 0 1", "found the end of the file"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lower := limits{states: MaxStates, actions: MaxActions, bytes: 1 << 27, steps: 1 << 30}
		f := readPOMDP
		if strings.HasPrefix(c.text, "<") {
			f = readPOMDPX
		}
		_, err := f(t.Context(), strings.NewReader(c.text), "f", lower)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: %v", name, err)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 400 {
			t.Errorf("%s: %d MB allocated", name, used)
		}
	}
}
