package pomdp

import "slices"

// Policy chooses an action from what the agent sees, x, and its belief b over
// the hidden y, of length |Y|.
type Policy interface {
	// Act returns an action, or −1 for an x that the policy's model does not have.
	Act(x int, b []float64) int
}

// Forker is a Policy with working memory. Only one goroutine may call Act of a Forker;
// Fork returns a copy of the policy for another goroutine.
type Forker interface {
	Fork() Policy
}

// Fork returns a policy that another goroutine may use beside p.
func Fork(p Policy) Policy {
	if f, ok := p.(Forker); ok {
		return f.Fork()
	}
	return p
}

// PolicyFunc is a function as a Policy. It must be safe for concurrent use.
type PolicyFunc func(x int, b []float64) int

// Act calls f.
func (f PolicyFunc) Act(x int, b []float64) int { return f(x, b) }

// StartBelief fills b, of length |Y|, with the belief over y of an agent that sees x at
// the start, and returns the probability of x. If that is 0, it does not change b.
func (m *Model) StartBelief(b []float64, x int) float64 {
	p := 0.0
	for _, e := range m.Start {
		if int(e.At)/len(b) == x {
			p += e.Value
		}
	}
	if p == 0 {
		return 0
	}
	clear(b)
	for _, e := range m.Start {
		if int(e.At)/len(b) == x {
			b[int(e.At)%len(b)] = e.Value / p
		}
	}
	return p
}

// Update fills next with the belief over y' after action a at (x, b), where x'
// and observation o were seen:
//
//	b'(y') ∝ P(o|x',y',a) Σ_y b(y) P(x',y'|x,y,a)
//
// and returns the probability P(x', o | x, b, a). If that is 0, there is no such belief,
// and next holds zeros. next and b are of length |Y| and must not
// overlap. Update does not allocate.
func (m *Model) Update(next, b []float64, x, action, xNext, obs int) float64 {
	n := len(b)
	lo, hi := int32(xNext*n), int32((xNext+1)*n)
	clear(next)
	move := m.Move[action]
	for y, p := range b {
		if p == 0 {
			continue
		}
		col, value := move.At(x*n + y)
		i, _ := slices.BinarySearch(col, lo)
		for ; i < len(col) && col[i] < hi; i++ {
			next[col[i]-lo] += p * value[i]
		}
	}
	sense, sum := m.Sense[action], 0.0
	for y, p := range next {
		if p > 0 {
			next[y] = p * lookup(sense, xNext*n+y, obs)
			sum += next[y]
		}
	}
	if sum > 0 {
		for y := range next {
			next[y] /= sum
		}
	}
	return sum
}

// lookup returns the value at row i and column j, 0 where none is stored.
func lookup(m *Matrix, i, j int) float64 {
	col, value := m.At(i)
	if k, ok := slices.BinarySearch(col, int32(j)); ok {
		return value[k]
	}
	return 0
}

// Ends returns, by state, whether the episode ends there: every action leads
// to the state itself and pays nothing.
func (m *Model) Ends() []bool {
	ends := make([]bool, m.NumStates())
	for s := range ends {
		ends[s] = true
		for a := range m.Actions {
			col, _ := m.Move[a].At(s)
			if len(col) != 1 || int(col[0]) != s || m.Reward[a][s] != 0 {
				ends[s] = false
				break
			}
		}
	}
	return ends
}
