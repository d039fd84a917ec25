package robust

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// game returns the best mixture of the rows of a matrix, of which the other player chooses the worst column, the best mixture of
// columns for that player, and the value.
func game(pay [][]float64) (rows, columns []float64, value float64, err error) {
	low := pay[0][0]
	for _, row := range pay {
		for _, x := range row {
			low = min(low, x)
		}
	}
	if columns, value, err = least(pay, low); err != nil {
		return nil, nil, 0, err
	}
	// The rows of the game in which both have changed sides are columns, and pay is lost.
	high := -low
	turned := make([][]float64, len(pay[0]))
	for j := range turned {
		turned[j] = make([]float64, len(pay))
		for i := range pay {
			turned[j][i] = -pay[i][j]
			high = min(high, turned[j][i])
		}
	}
	rows, _, err = least(turned, high)
	return rows, columns, value, err
}

// least returns the mixture of columns that has the least largest entry, and that entry. No entry is below low.
//
// With entries above 0 it is y/Σy for the y ≥ 0 that makes Σy largest where A·y ≤ 1 (Dantzig 1951), which has a first solution, y = 0.
func least(a [][]float64, low float64) (share []float64, value float64, err error) {
	scale := 0.0
	for _, row := range a {
		for _, x := range row {
			scale = max(scale, x-low)
		}
	}
	if scale == 0 {
		scale = 1
	}
	n, m := len(a[0]), len(a)
	cost, one, basis := make([]float64, n+m), make([]float64, m), make([]int, m)
	table := mat.NewDense(m, n+m, nil)
	for i, row := range a {
		for j, x := range row {
			table.Set(i, j, 1+(x-low)/scale)
		}
		table.Set(i, n+i, 1)
		one[i], basis[i] = 1, n+i
	}
	for j := range n {
		cost[j] = -1
	}
	_, y, err := lp.Simplex(cost, table, one, 1e-12, basis)
	if err != nil {
		return nil, 0, fmt.Errorf("game of %d policies and %d priors: %w", m, n, err)
	}
	sum := 0.0
	for j := range n {
		y[j] = max(y[j], 0)
		sum += y[j]
	}
	share = y[:n]
	for j := range share {
		share[j] /= sum
	}
	return share, (1/sum-1)*scale + low, nil
}
