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
	optima, err := Optima()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range optima {
		if o.QMDP > o.Value || o.Discount <= 0 || o.Discount > 1 || o.Environment == "" {
			t.Errorf("%+v cannot be", o)
		}
	}
	if o := optima[0]; o != (ExactOptimum{"tiger", "accuracy=0.85", 0.95, 0, 19.3714, 19.3714}) {
		t.Errorf("row 0 is %+v", o)
	}
	if o := optima[1]; o != (ExactOptimum{"tiger", "accuracy=0.85", 0.95, 100, 19.247, 19.243}) {
		t.Errorf("row 1 is %+v", o)
	}
}
