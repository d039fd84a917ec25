package pomdpfile

import (
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace/pomdp"
)

// dense returns a row of a sparse matrix in full.
func dense(m *pomdp.Matrix, i, n int) []float64 {
	row := make([]float64, n)
	col, value := m.At(i)
	for j, c := range col {
		row[c] = value[j]
	}
	return row
}

// belief returns the initial belief in full.
func belief(m *pomdp.Model) []float64 {
	b := make([]float64, m.NumStates())
	for _, e := range m.Start {
		b[e.At] = e.Value
	}
	return b
}

func differ(what string, a, b []float64, tolerance float64) error {
	if len(a) != len(b) {
		return fmt.Errorf("%s: lengths %d and %d", what, len(a), len(b))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tolerance*max(1, math.Abs(a[i]))) {
			return fmt.Errorf("%s: %v and %v at %d", what, a[i], b[i], i)
		}
	}
	return nil
}

// compare says where two models of the same sizes differ.
func compare(a, b *pomdp.Model, tolerance float64) error {
	if a.NumStates() != b.NumStates() || len(a.Actions) != len(b.Actions) || len(a.Observations) != len(b.Observations) {
		return fmt.Errorf("sizes %d, %d, %d and %d, %d, %d", a.NumStates(), len(a.Actions), len(a.Observations),
			b.NumStates(), len(b.Actions), len(b.Observations))
	}
	if err := differ("start", belief(a), belief(b), tolerance); err != nil {
		return err
	}
	if a.Discount != b.Discount {
		return fmt.Errorf("discounts %v and %v", a.Discount, b.Discount)
	}
	n := a.NumStates()
	for k := range a.Actions {
		for s := range n {
			at := fmt.Sprintf(" action %d state %d", k, s)
			if err := differ("move"+at, dense(a.Move[k], s, n), dense(b.Move[k], s, n), tolerance); err != nil {
				return err
			}
			if err := differ("sense"+at, dense(a.Sense[k], s, len(a.Observations)), dense(b.Sense[k], s, len(a.Observations)), tolerance); err != nil {
				return err
			}
		}
		if err := differ(fmt.Sprintf("reward action %d", k), a.Reward[k], b.Reward[k], tolerance); err != nil {
			return err
		}
	}
	return nil
}

// sound says what is wrong with a model that a reader returned.
func sound(m *pomdp.Model) error {
	if err := fits(m, "reader"); err != nil {
		return err
	}
	if !(m.Discount >= 0 && m.Discount <= 1) {
		return fmt.Errorf("discount %v", m.Discount)
	}
	start := &pomdp.Matrix{Row: []int{0, len(m.Start)}}
	for _, e := range m.Start {
		start.Col, start.Value = append(start.Col, e.At), append(start.Value, e.Value)
	}
	check := func(what string, x *pomdp.Matrix, columns int) error {
		for i := range x.Len() {
			sum := 0.0
			col, value := x.At(i)
			for j, v := range value {
				if !(v > 0) || int(col[j]) >= columns || col[j] < 0 || j > 0 && col[j] <= col[j-1] {
					return fmt.Errorf("%s row %d: %v %v", what, i, col, value)
				}
				sum += v
			}
			if math.Abs(sum-1) > 1e-10 {
				return fmt.Errorf("%s row %d: sum %v", what, i, sum)
			}
		}
		return nil
	}
	if err := check("start", start, m.NumStates()); err != nil {
		return err
	}
	for a := range m.Actions {
		if err := check("move", m.Move[a], m.NumStates()); err != nil {
			return err
		}
		if err := check("sense", m.Sense[a], len(m.Observations)); err != nil {
			return err
		}
		if slices.ContainsFunc(m.Reward[a], func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return fmt.Errorf("reward %v", m.Reward[a])
		}
	}
	return nil
}
