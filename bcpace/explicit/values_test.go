package explicit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/explicit"
)

// drawn describes a random model: choices with labels a, b, c in any order, of which each observation has some.
type drawn struct {
	states, observations int
	hidden               bool // several states show one observation
	layers               bool // a choice leads to later states, or to the last ones, which are stayed in
}

// draw makes it. The last state has the label goal, the one before it the label bad, and may be a trap.
func draw(rng *rand.Rand, d drawn) *explicit.Model {
	m := &explicit.Model{Name: "drawn", Actions: []string{"a", "b", "c"}, Choice: []int{0}, Branch: []int{0}, Rewards: []explicit.Reward{{Name: "cost"}}}
	goal, bad := explicit.Label{Name: "goal"}, explicit.Label{Name: "bad"}
	has := make([][]int32, d.observations)
	for o := range has {
		for len(has[o]) == 0 {
			for a := range int32(3) {
				if rng.IntN(3) > 0 {
					has[o] = append(has[o], a)
				}
			}
		}
	}
	for s := range d.states {
		o := s
		if d.hidden {
			o = rng.IntN(d.observations)
			m.Observation = append(m.Observation, int32(o))
		}
		goal.States, bad.States = append(goal.States, s == d.states-1), append(bad.States, s == d.states-2)
		m.Rewards[0].State = append(m.Rewards[0].State, float64(rng.IntN(2)))
		own := slices.Clone(has[o%d.observations])
		rng.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		for _, a := range own {
			m.Action = append(m.Action, a)
			m.Rewards[0].Choice = append(m.Rewards[0].Choice, float64(rng.IntN(3)))
			from := 0
			if d.layers {
				from = min(s+1, d.states-2)
			}
			next := map[int32]float64{}
			for range 1 + rng.IntN(2) {
				next[int32(from+rng.IntN(d.states-from))] = 1 + float64(rng.IntN(3))
			}
			if d.layers && s >= d.states-2 {
				next = map[int32]float64{int32(s): 1}
			}
			total := 0.0
			for _, w := range next {
				total += w
			}
			for to := range int32(d.states) {
				if w := next[to]; w > 0 {
					m.Target, m.Probability = append(m.Target, to), append(m.Probability, w/total)
				}
			}
			m.Branch = append(m.Branch, len(m.Target))
		}
		m.Choice = append(m.Choice, len(m.Action))
	}
	m.Labels = []explicit.Label{goal, bad}
	return m
}

var asked = []string{`Pmax=? [F "goal"]`, `Pmin=? [F "goal"]`, `Pmax=? [!"bad" U "goal"]`, `R{"cost"}min=? [F "goal"]`, `Rmax=? [F "goal"]`}

// solved returns the bounds of what a property asks, with its own sign, and false where there is no value: it is infinite, or decided at once.
func solved(t *testing.T, m *explicit.Model, text string) (low, high float64, ok bool) {
	t.Helper()
	p, err := explicit.ParseProperty(text)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := m.POMDP(t.Context(), p)
	if errors.As(err, new(*bcpace.InputError)) {
		return 0, 0, false
	} else if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	trials := 0
	s, err := sarsop.Solver{Epsilon: 1e-7}.SolvePOMDP(ctx, tables, bcpace.Control{Workers: 1, Progress: func(now bcpace.Progress) {
		if trials = now.Episodes; trials > 300 {
			cancel()
		}
	}})
	if errors.As(err, new(*bcpace.UnsupportedError)) {
		return 0, 0, false
	} else if err != nil {
		t.Fatal(err)
	}
	low, high = s.Certificate.Lower, s.Certificate.Upper
	if p.Minimize {
		low, high = -high, -low
	}
	return low, high, true
}

// TestSeen: of a model whose states are seen, values are those of the best policy without memory, which every property has; all of them are tried.
// Where the goal need not be reached, a total is infinite.
func TestSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	infinite, free := 0, 0
	for trial := range 100 {
		m := draw(rng, drawn{states: 6, observations: 6})
		for _, text := range asked {
			p, _ := explicit.ParseProperty(text)
			want, open := best(m, p), true
			low, high, ok := solved(t, m, text)
			if math.IsInf(want, 0) || math.IsNaN(want) {
				infinite++
				open = false
			}
			if p.Rewards && p.Minimize && ok && low < 1e-6 {
				free++
			}
			if ok != open || ok && (low > want+1e-9 || high < want-1e-9 || high-low > 1e-4) {
				t.Fatalf("model %d, %s: [%v, %v] (%v), want %v", trial, text, low, high, ok, want)
			}
		}
	}
	if infinite < 20 || free == 0 {
		t.Errorf("%d values were infinite and %d totals nothing, want more", infinite, free)
	}
}

// best returns the value of the best deterministic policy of the observations: for a least total of those that reach the goal with probability 1;
// +Inf where none does, or some need not for a largest one. It is NaN where the initial state decides.
func best(m *explicit.Model, p explicit.Property) float64 {
	goal, bad := m.Labels[0].States, m.Labels[1].States
	end := func(s int) bool { return goal[s] || p.Stay != "" && bad[s] }
	if end(m.Initial) {
		return math.NaN()
	}
	value := math.Inf(1)
	if !p.Minimize {
		value = math.Inf(-1)
	}
	policy := make([]int32, m.States()) // by state or observation: the action
	seen := func(s int) int {
		if m.Observation != nil {
			return int(m.Observation[s])
		}
		return s
	}
	var try func(o int)
	try = func(o int) {
		if o == len(policy) {
			v := worth(m, p, end, func(s int) int {
				for c := m.Choice[s]; c < m.Choice[s+1]; c++ {
					if m.Action[c] == policy[seen(s)] {
						return c
					}
				}
				panic("no such choice")
			})
			if p.Minimize {
				value = min(value, v)
			} else {
				value = max(value, v)
			}
			return
		}
		i := slices.IndexFunc(m.Choice[:m.States()], func(c int) bool { return seen(slices.Index(m.Choice, c)) == o })
		if i < 0 || end(i) && m.Observation == nil {
			try(o + 1)
			return
		}
		for c := m.Choice[i]; c < m.Choice[i+1]; c++ {
			policy[o] = m.Action[c]
			try(o + 1)
		}
	}
	try(0)
	return value
}

// worth returns what a policy is worth by linear equations.
func worth(m *explicit.Model, p explicit.Property, end func(int) bool, choice func(s int) int) float64 {
	n := m.States()
	goal := m.Labels[0].States
	met, reach := make([]bool, n), slices.Clone(goal) // from the start, and the goal from there
	met[m.Initial] = true
	for range n {
		for s := range n {
			if end(s) {
				continue
			}
			for i := m.Branch[choice(s)]; i < m.Branch[choice(s)+1]; i++ {
				to := m.Target[i]
				met[to] = met[to] || met[s]
				reach[s] = reach[s] || reach[to]
			}
		}
	}
	if p.Rewards {
		for s := range n {
			if met[s] && !reach[s] {
				return math.Inf(1)
			}
		}
	}
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for s := range n {
		a.Set(s, s, 1)
		if end(s) || !reach[s] || !met[s] {
			if goal[s] && !p.Rewards {
				b.SetVec(s, 1)
			}
			continue
		}
		c := choice(s)
		if p.Rewards {
			b.SetVec(s, m.Rewards[0].State[s]+m.Rewards[0].Choice[c])
		}
		for i := m.Branch[c]; i < m.Branch[c+1]; i++ {
			a.Set(s, int(m.Target[i]), a.At(s, int(m.Target[i]))-m.Probability[i])
		}
	}
	var v mat.VecDense
	if err := v.SolveVec(a, b); err != nil {
		panic(err)
	}
	return v.AtVec(m.Initial)
}

// TestHidden: of a model of layers, whose observations hide the state, values are those of all that an agent may do after what it has seen, tried
// one by one. It sees an observation before it acts, and knows actions by their labels.
func TestHidden(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	finite, infinite := 0, 0
	for trial := range 100 {
		m := draw(rng, drawn{states: 8, observations: 3, hidden: true, layers: true})
		for _, text := range asked {
			p, _ := explicit.ParseProperty(text)
			low, high, ok := solved(t, m, text)
			b := map[int]float64{m.Initial: 1}
			want := after(m, p, b)
			if p.Rewards && !p.Minimize { // whoever may come to the trap is paid there without end
				ok = ok || math.IsInf(want, 0)
			}
			if math.IsInf(want, 0) {
				infinite++
				if ok && p.Minimize && !math.IsInf(high, 1) && high < 1e6 {
					t.Fatalf("model %d, %s: [%v, %v], want no finite value", trial, text, low, high)
				}
				continue
			}
			finite++
			if !ok || low > want+1e-9 || high < want-1e-9 || high-low > 1e-4 {
				t.Fatalf("model %d, %s: [%v, %v] (%v), want %v\n%s", trial, text, low, high, ok, want, written(t, m))
			}
		}
	}
	if finite < 200 || infinite < 20 {
		t.Errorf("%d values were finite and %d infinite, want more", finite, infinite)
	}
}

func written(t *testing.T, m *explicit.Model) string {
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// after returns what the best policy earns from a belief over states that show one observation, or of which all have ended.
func after(m *explicit.Model, p explicit.Property, b map[int]float64) float64 {
	first := -1
	for s := range m.States() {
		if b[s] > 0 {
			first = s
			break
		}
	}
	labels := map[int32]bool{}
	for c := m.Choice[first]; c < m.Choice[first+1]; c++ {
		labels[m.Action[c]] = true
	}
	value := math.Inf(-1)
	if p.Minimize {
		value = math.Inf(1)
	}
	for a := range labels {
		now := 0.0
		parts := map[int32]map[int]float64{} // by observation: the belief, not normed
		for s := range m.States() {
			if b[s] == 0 {
				continue
			}
			for c := m.Choice[s]; c < m.Choice[s+1]; c++ {
				if m.Action[c] != a {
					continue
				}
				if p.Rewards {
					now += b[s] * (m.Rewards[0].State[s] + m.Rewards[0].Choice[c])
				}
				for i := m.Branch[c]; i < m.Branch[c+1]; i++ {
					to, w := int(m.Target[i]), b[s]*m.Probability[i]
					switch {
					case m.Labels[0].States[to]:
						if !p.Rewards {
							now += w
						}
					case m.Labels[1].States[to]: // the trap
						if p.Rewards {
							now = math.Inf(1)
						}
					default:
						o := m.Observation[to]
						if parts[o] == nil {
							parts[o] = map[int]float64{}
						}
						parts[o][to] += w
					}
				}
			}
		}
		for _, part := range parts {
			total := 0.0
			for _, w := range part {
				total += w
			}
			for s := range part {
				part[s] /= total
			}
			now += total * after(m, p, part)
		}
		if p.Minimize {
			value = min(value, now)
		} else {
			value = max(value, now)
		}
	}
	return value
}

func Example() {
	const file = "@type: POMDP\n@reward_models\nsteps \n@nr_states\n3\n@model\n" +
		"state 0 {0} [0] init\n\taction go\n\t\t1 : 1/2\n\t\t2 : 1/2\n" +
		"state 1 {1} [1]\n\taction try\n\t\t1 : 0.5\n\t\t2 : 0.5\n" +
		"state 2 {2} [0] goal\n\taction stay\n\t\t2 : 1\n"
	m, err := explicit.Read(context.Background(), bytes.NewBufferString(file), "coin.drn")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Suggest())
	p, _ := explicit.ParseProperty(`R{"steps"}min=? [F "goal"]`)
	tables, _ := m.POMDP(context.Background(), p)
	s, _ := sarsop.Solver{}.SolvePOMDP(context.Background(), tables, bcpace.Control{})
	fmt.Printf("%.3f steps\n", -s.Value)
	// Output:
	// R{"steps"}min=? [F "goal"]; it has the labels "goal" and the rewards "steps"
	// 1.000 steps
}

// TestOffers: the action that another one stands for at a state is one of its choices, and does the same.
func TestOffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	others := 0
	for range 100 {
		m := draw(rng, drawn{states: 8, observations: 3, hidden: true})
		p, _ := explicit.ParseProperty(`Rmin=? [F "goal"]`)
		q, err := m.POMDP(t.Context(), p)
		if err != nil {
			continue
		}
		for s := range q.NumStates() {
			choices := map[string]bool{}
			for c := m.Choice[s]; c < m.Choice[s+1]; c++ {
				choices[m.Actions[m.Action[c]]] = true
			}
			_, observation := q.Sense[0].At(s)
			for a := range q.Actions {
				offered := q.Offers[s][a]
				col, value := q.Move[a].At(s)
				sameCol, sameValue := q.Move[offered].At(s)
				if !slices.Equal(col, sameCol) || !slices.Equal(value, sameValue) || q.Reward[a][s] != q.Reward[offered][s] {
					t.Fatalf("state %d: action %d stands for %d, which does something else", s, a, offered)
				}
				if ended := col[0] == int32(s) && value[0] == 1; !ended && len(choices) > 1 && !choices[q.Actions[offered]] {
					t.Fatalf("state %d, observation %v: action %q stands for %q, want one of %v", s, observation, q.Actions[a], q.Actions[offered], choices)
				}
				if int(offered) != a {
					others++
				}
			}
		}
	}
	if others < 100 {
		t.Errorf("%d actions stood for others, want more", others)
	}
}
