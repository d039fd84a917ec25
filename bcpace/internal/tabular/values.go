package tabular

import "math"

// Values are the optimal values of the mean MDP of a Posterior, in which every transition has
// its mean probability: what an agent would earn if it learned no more. They follow the
// posterior as it learns.
type Values struct {
	V []float64 // by state

	know   Posterior
	total  float64 // Σ V
	within float64 // the error that Update leaves
}

// NewValues returns values that are within an error of the optimal ones, in reward units, after
// Update.
func NewValues(know Posterior, within float64) *Values {
	return &Values{V: make([]float64, know.States()), know: know, within: within}
}

// Reset sets all values to 0.
func (x *Values) Reset() {
	clear(x.V)
	x.total = 0
}

// mostSweeps bounds the work of an Update. Values that are not there yet go on from where they
// are at the next.
const mostSweeps = 1000

// Update sweeps over the states until the values change little.
func (x *Values) Update() {
	γ := x.know.Discount()
	for range mostSweeps {
		change := 0.0
		for s := range x.V {
			q, _ := x.Best(s)
			change = max(change, math.Abs(q-x.V[s]))
			x.total += q - x.V[s]
			x.V[s] = q
		}
		if change*γ <= x.within*(1-γ) {
			break
		}
	}
	x.total = 0 // without what rounding has left in it
	for _, v := range x.V {
		x.total += v
	}
}

// Best returns the largest value of an action at s, and the first action that has it.
func (x *Values) Best(s int) (q float64, action int) {
	q = math.Inf(-1)
	for a := range x.know.Actions() {
		if y := x.know.Backup(s, a, x.V, x.total); y > q {
			q, action = y, a
		}
	}
	return q, action
}
