package answer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/envs/envtest"

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

// drawRoom returns a room of random cells.
func drawRoom(t *rapid.T) (rows []string) {
	width, height := rapid.IntRange(2, 8).Draw(t, "width"), rapid.IntRange(2, 8).Draw(t, "height")
	cells := rapid.Permutation(append([]byte("ABS"), rapid.SliceOfN(rapid.SampledFrom([]byte("...*#")), width*height-3, width*height-3).Draw(t, "cells")...)).Draw(t, "order")
	for row := range slices.Chunk(cells, width) {
		rows = append(rows, string(row))
	}
	return rows
}

// roomValue solves a room whose light is always right by shortest paths. From a cell, the
// agent stays away from both goals, walks to one of them, or first walks to a light, which
// tells it the goal that is worth 10.
func roomValue(q RoomQuestion, x, y int) float64 {
	type cell struct{ x, y int }
	// walk returns the steps from a cell to every other one, and to itself, in one step or
	// more; episodes end in the goals.
	walk := func(from cell) map[cell]int {
		steps := make(map[cell]int)
		for ring, n := []cell{from}, 1; len(ring) > 0; n++ {
			var further []cell
			for _, c := range ring {
				for _, to := range []cell{{c.x + 1, c.y}, {c.x - 1, c.y}, {c.x, c.y + 1}, {c.x, c.y - 1}} {
					if to.y < 0 || to.y == len(q.Rows) || to.x < 0 || to.x == len(q.Rows[0]) || q.Rows[to.y][to.x] == '#' {
						to = c
					}
					if _, seen := steps[to]; seen {
						continue
					}
					steps[to] = n
					if !strings.ContainsRune("AB", rune(q.Rows[to.y][to.x])) {
						further = append(further, to)
					}
				}
			}
			ring = further
		}
		return steps
	}
	discounted := func(steps map[cell]int, kind byte) (best float64) { // γ^(steps − 1), or 0
		for c, n := range steps {
			if q.Rows[c.y][c.x] == kind {
				best = max(best, math.Pow(q.Discount, float64(n-1)))
			}
		}
		return best
	}
	from := walk(cell{x, y})
	best := max(0, discounted(from, 'A')*(10*(1-q.Tiger)-100*q.Tiger), discounted(from, 'B')*(10*q.Tiger-100*(1-q.Tiger)))
	for c, n := range from {
		if q.Rows[c.y][c.x] == '*' {
			known := walk(c)
			value := 10 * (q.Tiger*discounted(known, 'B') + (1-q.Tiger)*discounted(known, 'A'))
			best = max(best, math.Pow(q.Discount, float64(n))*value)
		}
	}
	return best
}

// The bracket at the start holds the optimal value, and no cell is worth more than its own.
func TestRoomByShortestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := RoomQuestion{Rows: drawRoom(t), Tiger: rapid.SampledFrom([]float64{0, 0.02, 0.3, 0.5, 0.95, 1}).Draw(t, "tiger"), Truth: 1, Discount: envtest.Evenly(0.5, 0.98).Draw(t, "discount")}
		a, err := Room(q)
		if err != nil {
			t.Fatal(err)
		}
		cells := 0
		for y, row := range a.Cells {
			for x, lower := range row {
				if lower == nil {
					continue
				}
				cells++
				if want := roomValue(q, x, y); *lower > want+1e-6 || *lower < want-roomEpsilon-1e-6 {
					t.Fatalf("cell %d, %d has the lower bound %v, want %v or up to %v less", x, y, *lower, want, roomEpsilon)
				}
				if q.Rows[y][x] == 'S' {
					if want := roomValue(q, x, y); a.Lower != *lower || want > a.Upper+1e-6 {
						t.Fatalf("the bracket at the start is [%v, %v], the cell has %v, want %v", a.Lower, a.Upper, *lower, want)
					}
				}
			}
		}
		if cells == 0 {
			t.Fatal("no cell has a value")
		}
	})
}

// Where the light is always right, the two paths are all that can happen, and their mean is
// what the policy earns.
func TestRoomPathsEarnTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := RoomQuestion{Rows: drawRoom(t), Tiger: envtest.Evenly(0, 1).Draw(t, "tiger"), Truth: 1, Discount: envtest.Evenly(0.5, 0.98).Draw(t, "discount")}
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
