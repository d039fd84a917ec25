package answer

import (
	"strings"
	"testing"
)

// lightRoom is a room of light alone, where a search takes the most samples.
func lightRoom(width, height int) (rows []string) {
	for y := range height {
		row := []byte(strings.Repeat("*", width))
		switch y {
		case 0:
			row[width-1] = 'A'
		case height / 2:
			row[width/2] = 'S'
		case height - 1:
			row[width-1] = 'B'
		}
		rows = append(rows, string(row))
	}
	return rows
}

// What the pages offer takes fewer samples and trials than the limits, in the corners of the
// ranges too.
func TestCornersEndBeforeTheLimits(t *testing.T) {
	want := func(limited bool, q any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if limited {
			t.Errorf("the search for %+v ended at its limit", q)
		}
	}
	for _, accuracy := range []float64{0.6, 0.99} {
		for _, discount := range []float64{0.5, 0.98} {
			for _, penalty := range []float64{1, 20, 100, 200} {
				q := TigerQuestion{Accuracy: accuracy, Discount: discount, Penalty: penalty, Trials: 1}
				a, err := Tiger(q)
				want(err == nil && a.Limited, q, err)
			}
		}
	}
	beliefs := [][3]float64{{1, 0, 0}, {0.25, 0.5, 0.25}, {0.1, 0.4, 0.5}}
	for _, belief := range beliefs {
		for _, discount := range []float64{0.5, 0.95} {
			for _, accuracy := range []float64{0.5, 0.53, 0.98} {
				for _, cost := range []float64{0, 30} {
					q := SimplexQuestion{Boxes: &Boxes{Accuracy: accuracy, Cost: cost, Discount: discount}, Belief: belief}
					a, err := Simplex(q)
					want(err == nil && a.Limited, *q.Boxes, err)
				}
			}
			for _, spread := range []float64{0.2, 0.45} {
				for _, state := range []int{1, 5} {
					q := SimplexQuestion{Chain: &SlipChain{State: state, Spread: spread, Discount: discount}, Belief: belief}
					a, err := Simplex(q)
					want(err == nil && a.Limited, *q.Chain, err)
				}
			}
		}
	}
	for _, truth := range []float64{0.7, 1} {
		for _, discount := range []float64{0.5, 0.98} {
			for _, tiger := range []float64{0, 0.05, 0.5} {
				q := RoomQuestion{Rows: lightRoom(9, 7), Tiger: tiger, Truth: truth, Discount: discount}
				a, err := Room(q)
				want(err == nil && a.Limited, q, err)
			}
		}
	}
}

// A search that ends at its limit says so, and its bounds hold: the optimal value grows with
// how often the light is right, and lies between those of searches that end by themselves.
func TestLimitedSearch(t *testing.T) {
	room := func(truth float64) *RoomAnswer {
		a, err := Room(RoomQuestion{Rows: lightRoom(12, 12), Tiger: 0.05, Truth: truth, Discount: 0.98})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a, better := room(0.7), room(0.8)
	if !a.Limited || better.Limited {
		t.Fatalf("limited where the light is right with probability 0.7: %v, and with 0.8: %v; want the first alone", a.Limited, better.Limited)
	}
	if !(a.Upper-a.Lower > roomEpsilon && a.Upper-a.Lower < 10 && a.Lower <= better.Upper+1e-9) {
		t.Errorf("the brackets are [%v, %v] and [%v, %v]", a.Lower, a.Upper, better.Lower, better.Upper)
	}
}
