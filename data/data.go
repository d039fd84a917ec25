// Package data holds the paper's tables, embedded, so that a notebook can set its own results
// beside them; and exact reference values and small models as files.
package data

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"
)

//go:embed table1.csv table2.csv
var files embed.FS

// Sources are the Go files of this package, see bcpace.Sources.
//
//go:embed *.go
var Sources embed.FS

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
		out[i] = Features{Algorithm: r[0], Continuous: r[1] == "yes", PAC: r[2] == "yes", Offline: r[3] == "yes"}
	}
	return out, nil
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
