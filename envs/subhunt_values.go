package envs

import "math"

// subValues are the values of SubHunt for an agent who sees the target. They are those of a target whose goal is in the north; the
// sea looks the same from any side. A target comes nearer to its goal with each step, so that one pass
// from there computes them.
type subValues struct {
	discount float64
	value    [2 * subSide * subSide * subSide * subSide]float64
}

// subPlace is where both are, and whether the target is aware: 0 or 1. Coordinates are from 0 to 19, of a sea turned so that the
// goal is in the north.
type subPlace struct{ aware, targetX, targetY, x, y int }

// subPlaceOf turns the sea.
func subPlaceOf(s, x []float64) subPlace {
	ax, ay := turned(int(x[subTargetX])-1, int(x[subTargetY])-1, int(x[subGoal]))
	bx, by := turned(int(s[subX])-1, int(s[subY])-1, int(x[subGoal]))
	return subPlace{int(s[subKnows]), ax, ay, bx, by}
}

// turned returns where a cell lies when what was in that direction is in the north.
func turned(x, y, direction int) (int, int) {
	const last = subSide - 1
	switch direction {
	case 1: // east
		return last - y, x
	case 2: // south
		return last - x, last - y
	case 3: // west
		return y, last - x
	}
	return x, y
}

func (p subPlace) number() int {
	return (((p.aware*subSide+p.targetY)*subSide+p.targetX)*subSide+p.y)*subSide + p.x
}

func newSubValues(discount float64) *subValues {
	v := &subValues{discount: discount}
	for targetY := subSide - 2; targetY >= 0; targetY-- { // of a target at its goal it is 0
		for aware := 1; aware >= 0; aware-- {
			for targetX := range subSide {
				for y := range subSide {
					for x := range subSide {
						p := subPlace{aware, targetX, targetY, x, y}
						_, best := v.best(p)
						v.value[p.number()] = best
					}
				}
			}
		}
	}
	return v
}

func (v *subValues) at(p subPlace) float64 { return v.value[p.number()] }

// best returns the best action, as the sea lies for p, and its value.
func (v *subValues) best(p subPlace) (action int, value float64) {
	value = math.Inf(-1)
	for a := range subActions {
		q, chance := p, 0.0
		switch {
		case a == subPing:
			q.aware = 1
		case a == subEngage && square(float64(p.targetX-p.x))+square(float64(p.targetY-p.y)) <= subKill*subKill:
			chance = 1
			if p.aware == 1 {
				chance = subAware
			}
		case a < subPing:
			q.x, q.y = within(p.x+subSpeed*subDirections[a][0]), within(p.y+subSpeed*subDirections[a][1])
		}
		if x := chance*subPay + (1-chance)*v.discount*v.after(q); x > value {
			action, value = a, x
		}
	}
	return action, value
}

// within puts a coordinate into the sea.
func within(x int) int { return min(max(x, 0), subSide-1) }

// after returns the mean value where the target has moved on.
func (v *subValues) after(p subPlace) float64 {
	ahead, left, right := p, p, p
	ahead.targetY = within(p.targetY + 2)
	left.targetY, right.targetY = within(p.targetY+1), within(p.targetY+1)
	left.targetX, right.targetX = within(p.targetX-1), within(p.targetX+1)
	return v.at(ahead)/2 + v.at(left)/4 + v.at(right)/4
}
