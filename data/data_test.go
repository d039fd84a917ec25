package data

import "testing"

func TestTablesAreWhole(t *testing.T) {
	rows, err := read("table1.csv", 4)
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range rows {
		for _, cell := range r[1:] {
			if cell != "yes" && cell != "no" {
				t.Errorf("table 1, row %d: %q is neither yes nor no", i+1, cell)
			}
		}
	}
	table, err := Table2()
	if err != nil || len(table) != 14 {
		t.Fatalf("%d rows, %v", len(table), err)
	}
	if r := table[7]; r != (Reported{"chain", "bayes-cpace", 14.3, 0.1}) {
		t.Errorf("row 7 is %+v", r)
	}
}
