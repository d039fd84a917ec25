package data

import "testing"

func TestTablesAreWhole(t *testing.T) {
	table, err := Table2()
	if err != nil || len(table) != 14 {
		t.Fatalf("%d rows, %v", len(table), err)
	}
	if r := table[7]; r != (Reported{"chain", "bayes-cpace", 14.3, 0.1}) {
		t.Errorf("row 7 is %+v", r)
	}
}
