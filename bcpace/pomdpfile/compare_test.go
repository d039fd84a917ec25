package pomdpfile

import (
	"fmt"
	"math"

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
