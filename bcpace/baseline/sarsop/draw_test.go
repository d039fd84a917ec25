package sarsop_test

import (
	"fmt"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/stop"
)

// watch is where an agent is, and a guard, and whether the agent has just looked for the guard.
type watch struct {
	at, guard cell
	looked    bool
	over      string
}

// rounds is a square of so many cells a side, in which an agent goes from corner to corner and a guard walks at random. They move in turn. Who
// meets the guard is caught. The agent sees the guard within so many cells, and anywhere where it stays and looks.
func rounds(n, sight int) program[watch] {
	far := func(a, b cell) int { return max(a.x-b.x, b.x-a.x, a.y-b.y, b.y-a.y) }
	beside := func(c cell) (list []cell) {
		for _, to := range []cell{{x: c.x + 1, y: c.y}, {x: c.x - 1, y: c.y}, {x: c.x, y: c.y + 1}, {x: c.x, y: c.y - 1}} {
			if min(to.x, to.y) >= 0 && max(to.x, to.y) < n {
				list = append(list, to)
			}
		}
		return list
	}
	return program[watch]{
		name: fmt.Sprint("rounds ", n), actions: []string{"right", "left", "up", "down", "look"}, start: watch{at: cell{}, guard: cell{x: n - 1, y: 1}},
		step: func(s watch, action string) (to []way[watch]) {
			next := watch{at: s.at, looked: action == "look"}
			switch action {
			case "right":
				next.at.x = min(n-1, s.at.x+1)
			case "left":
				next.at.x = max(0, s.at.x-1)
			case "up":
				next.at.y = min(n-1, s.at.y+1)
			case "down":
				next.at.y = max(0, s.at.y-1)
			}
			around := beside(s.guard)
			for _, next.guard = range around {
				end := next
				switch {
				case next.at == s.guard || next.at == next.guard:
					end = watch{over: "caught"}
				case next.at == (cell{x: n - 1, y: n - 1}):
					end = watch{over: "through"}
				}
				to = append(to, way[watch]{end, 1 / float64(len(around))})
			}
			return to
		},
		pay: reach(func(s watch) bool { return s.over == "through" }),
		see: func(s watch) string {
			if s.looked || far(s.at, s.guard) <= sight {
				return fmt.Sprint(s.at, s.guard, s.over)
			}
			return fmt.Sprint(s.at, s.over)
		},
		ends: func(s watch) bool { return s.over != "" },
	}
}

// TestDrawsController: an agent that looks until the way is free, whatever it has seen before, comes through almost surely. That is a memoryless
// policy, which is found within eight trials. Trials alone take 20 and 22 for as good a one.
func TestDrawsController(t *testing.T) {
	for _, n := range []int{5, 7} {
		found, err := sarsop.Solver{Epsilon: .01, MaxTrials: 12}.SolvePOMDP(t.Context(), rounds(n, 1).tables(), bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if found.Stop != stop.Certified || found.Value < .99 || found.Value > 1 {
			t.Errorf("%d cells a side: %v, stopped by %v", n, found.Value, found.Stop)
		}
	}
}
