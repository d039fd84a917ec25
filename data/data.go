// Package data holds the paper's tables, exact reference values and small models
// as files, embedded, so that a notebook can set its own results beside them.
package data

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

//go:embed *.csv *.pomdp *.pomdpx
var files embed.FS

// Features are the entries of an algorithm in the paper's Table 1.
type Features struct {
	Algorithm  string // "sarsop", "pomdp-lite", "pomcpow", "bayes-cpace"
	Continuous bool   // takes continuous states and actions
	PAC        bool   // probably approximately correct
	Offline    bool   // plans before it acts
}

// Table1 returns the paper's comparison of BAMDP algorithms, in its order.
func Table1() ([]Features, error) {
	rows, err := read("table1.csv", 4)
	if err != nil {
		return nil, err
	}
	out := make([]Features, len(rows))
	for i, r := range rows {
		var x [3]bool
		for j := range x {
			switch r[1+j] {
			case "yes":
				x[j] = true
			case "no":
			default:
				return nil, fmt.Errorf("data: table1.csv, row %d: %q is neither yes nor no", i+1, r[1+j])
			}
		}
		out[i] = Features{Algorithm: r[0], Continuous: x[0], PAC: x[1], Offline: x[2]}
	}
	return out, nil
}

// Model returns a POMDP as a file, for pomdpfile.Read: "tiger", "chain" or
// "light-dark-tiger" (5 × 5 cells), at the default parameters of package envs,
// with the ending ".pomdp" or ".pomdpx". Their optimal values are among Optima,
// without a horizon. "maze.pomdp" has no discount: its optimal value is −74/13, by the tests
// of Storm. An unknown name is an error.
func Model(name string) ([]byte, error) {
	if !strings.HasSuffix(name, ".pomdp") && !strings.HasSuffix(name, ".pomdpx") {
		return nil, fmt.Errorf("data: model %q: want a name that ends in .pomdp or .pomdpx", name)
	}
	b, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("data: model %q: want tiger, chain or light-dark-tiger with .pomdp or .pomdpx behind it, or maze.pomdp", name)
	}
	return b, nil
}

// Reported is a mean return of the paper's Table 2, with the half width that
// the paper prints behind it. The paper gives no discount, horizon, ε or k for
// them.
type Reported struct {
	Environment string // "tiger", "chain", "light-dark-tiger", "light-dark-tiger continuous"
	Algorithm   string // "qmdp", "pomdp-lite", "sarsop", "bayes-cpace"
	Mean        float64
	HalfWidth   float64 // 0 where the paper prints none
}

// Table2 returns the benchmark results of the paper, in its order.
func Table2() ([]Reported, error) {
	rows, err := read("table2.csv", 4)
	if err != nil {
		return nil, err
	}
	out := make([]Reported, len(rows))
	for i, r := range rows {
		mean, err1 := strconv.ParseFloat(r[2], 64)
		half, err2 := strconv.ParseFloat(r[3], 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("data: table2.csv, row %d: %q ± %q are no numbers", i+1, r[2], r[3])
		}
		out[i] = Reported{Environment: r[0], Algorithm: r[1], Mean: mean, HalfWidth: half}
	}
	return out, nil
}

// ExactOptimum is an exact value at the start of an environment.
type ExactOptimum struct {
	Environment string  // as in Spec.Name
	Setting     string  // parameters as on the command line, beside the discount
	Discount    float64 // γ
	Horizon     int     // T, 0 for infinite
	Value       float64 // of an optimal policy
	QMDP        float64 // of the QMDP policy
}

// Optima returns exact values of the environments, computed by dynamic
// programming over sufficient statistics (Tiger, Chain), by value iteration
// (Light-Dark Tiger) and by dynamic programming on a fine grid, steps 0.01 and
// 0.02 agreeing to 1e-4 (Light-Dark Tiger with noise).
func Optima() ([]ExactOptimum, error) {
	rows, err := read("optima.csv", 6)
	if err != nil {
		return nil, err
	}
	out := make([]ExactOptimum, len(rows))
	for i, r := range rows {
		var x [4]float64
		for j := range x {
			if x[j], err = strconv.ParseFloat(r[2+j], 64); err != nil {
				return nil, fmt.Errorf("data: optima.csv, row %d: %q is no number", i+1, r[2+j])
			}
		}
		out[i] = ExactOptimum{Environment: r[0], Setting: r[1], Discount: x[0], Horizon: int(x[1]), Value: x[2], QMDP: x[3]}
	}
	return out, nil
}

// read returns the rows of an embedded file below its header line. Lines that
// begin with # say where the figures are from.
func read(name string, columns int) ([][]string, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment, r.FieldsPerRecord = '#', columns
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", name, err)
	}
	return rows[1:], nil
}
