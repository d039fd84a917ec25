package answer

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The published values of envs.LightDarkTiger, which is such a room: 6.98337 for 5 × 5
// cells and 4.63291 for 9 × 9.
func TestRoomOfThePaper(t *testing.T) {
	for _, c := range []struct {
		side  int
		value float64
	}{{5, 6.98337}, {9, 4.63291}} {
		var rows []string
		for y := range c.side {
			row := []byte("*" + strings.Repeat(".", c.side-1))
			switch y {
			case 0:
				row[c.side-1] = 'A'
			case c.side / 2:
				row[c.side/2] = 'S'
			case c.side - 1:
				row[c.side-1] = 'B'
			}
			rows = append(rows, string(row))
		}
		a, err := Room(RoomQuestion{Rows: rows, Tiger: 0.5, Truth: 1, Discount: 0.95})
		if err != nil {
			t.Fatal(err)
		}
		if !(a.Lower <= c.value+1e-5 && c.value-1e-5 <= a.Upper && a.Upper-a.Lower <= roomEpsilon) {
			t.Errorf("%d × %d: [%v, %v], want %v", c.side, c.side, a.Lower, a.Upper, c.value)
		}
	}
}

// Where the light is always right, the two paths are all that can happen, and their mean is
// what the policy earns.
func TestRoomPathsEarnTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(2, 8).Draw(t, "width"), rapid.IntRange(2, 8).Draw(t, "height")
		cells := rapid.Permutation(append([]byte("ABS"), rapid.SliceOfN(rapid.SampledFrom([]byte("...*#")), width*height-3, width*height-3).Draw(t, "cells")...)).Draw(t, "order")
		q := RoomQuestion{Tiger: rapid.Float64Range(0, 1).Draw(t, "tiger"), Truth: 1, Discount: rapid.Float64Range(0.5, 0.95).Draw(t, "discount")}
		for row := range slices.Chunk(cells, width) {
			q.Rows = append(q.Rows, string(row))
		}
		a, err := Room(q)
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for i, p := range []float64{q.Tiger, 1 - q.Tiger} {
			path := a.Paths[i]
			if (path == nil) != (p == 0) {
				t.Fatalf("the path of a goal with probability %v is %+v", p, path)
			}
			if path != nil {
				mean += p * path.Return
			}
		}
		if !(mean >= a.Lower-1e-6 && mean <= a.Upper+1e-6) {
			t.Fatalf("the paths earn %v, outside of the bracket [%v, %v]", mean, a.Lower, a.Upper)
		}
		for y, row := range a.Cells {
			for x, value := range row {
				if value != nil && (*value < -1e-6 || *value > 10) {
					t.Fatalf("cell %d, %d is worth %v: staying in place earns 0, and nothing more than 10", x, y, *value)
				}
			}
		}
	})
}
