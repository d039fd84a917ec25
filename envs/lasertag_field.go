package envs

import (
	"math"
	"sync"
	"sync/atomic"
)

// lostField is the field of an episode of LaserTagHidden. Cell (x, y) has the number y·laserWidth + x.
type lostField struct {
	obstacles [2]uint64 // a bit for each cell
	discount  float64
	free      [laserWidth * laserHeight][laserBeams]int // cells to the next wall or obstacle, that one included

	once  sync.Once // of what follows, by lostPair: values for an agent who sees both cells, and the best actions
	value []float64
	best  []uint8
}

// lostFields keeps fields that were made before, as many as there is room for.
type lostFields struct {
	discount float64
	slots    [512]atomic.Pointer[lostField]
	stored   atomic.Uint32
}

// at returns the field of a state.
func (f *lostFields) at(s []float64) *lostField {
	var obstacles [2]uint64
	for _, cell := range s[laserBeams:] {
		obstacles[int(cell)/64] |= 1 << (int(cell) % 64)
	}
	const near, odd = 4, 0x9e3779b97f4a7c15
	slot := (obstacles[0]*odd ^ obstacles[1]*odd>>7) >> 32
	for i := range uint64(near) {
		if x := f.slots[(slot+i)%uint64(len(f.slots))].Load(); x != nil && x.obstacles == obstacles {
			return x
		}
	}
	x := newLostField(obstacles, f.discount)
	f.slots[(slot+uint64(f.stored.Add(1)%near))%uint64(len(f.slots))].Store(x)
	return x
}

func newLostField(obstacles [2]uint64, discount float64) *lostField {
	f := &lostField{obstacles: obstacles, discount: discount}
	for cell := range f.free {
		for k, d := range laserDirections {
			n := 1
			for f.open(cell%laserWidth+n*d.dx, cell/laserWidth+n*d.dy) {
				n++
			}
			f.free[cell][k] = n
		}
	}
	return f
}

// open reports whether one can go to (x, y): that is neither outside nor an obstacle.
func (f *lostField) open(x, y int) bool {
	if x < 0 || x >= laserWidth || y < 0 || y >= laserHeight {
		return false
	}
	cell := y*laserWidth + x
	return f.obstacles[cell/64]>>(cell%64)&1 == 0
}

// lostMoves are the moves of the agent and of the opponent, by the actions.
var lostMoves = [tagActions][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}

// to returns the cell to which an action leads.
func (f *lostField) to(cell, action int) int {
	x, y := cell%laserWidth+lostMoves[action][0], cell/laserWidth+lostMoves[action][1]
	if f.open(x, y) {
		return y*laserWidth + x
	}
	return cell
}

// lostAway is where the opponent may go.
type lostAway struct {
	cell   [tagActions]uint8
	chance [tagActions]float64 // sum 1
}

// away returns where the opponent may go: away from the agent, with 0.4 on each axis, half of it to either side where both are
// as far; else it stays, as it does where its way is blocked.
func (f *lostField) away(agent, opponent int) (a lostAway) {
	east, north := awayShare(opponent%laserWidth-agent%laserWidth), awayShare(opponent/laserWidth-agent/laserWidth)
	a.chance = [tagActions]float64{tagMoves * north, tagMoves * east, tagMoves * (1 - north), tagMoves * (1 - east), 1 - 2*tagMoves}
	for i := range lostMoves {
		a.cell[i] = uint8(f.to(opponent, i))
	}
	return a
}

// lostPair numbers the cells of agent and opponent.
func lostPair(agent, opponent int) int { return agent*laserWidth*laserHeight + opponent }

// solve computes value and best, once, and returns f. Values come down to those of an agent who sees both cells, and so are never
// less.
func (f *lostField) solve() *lostField {
	f.once.Do(func() {
		const cells, enough = laserWidth * laserHeight, 1e-6
		f.value, f.best = make([]float64, cells*cells), make([]uint8, cells*cells)
		ways := make([]lostAway, cells*cells)
		for agent := range cells {
			for opponent := range cells {
				ways[lostPair(agent, opponent)] = f.away(agent, opponent)
				f.value[lostPair(agent, opponent)] = tagPay
			}
		}
		for change := math.Inf(1); change > enough; {
			change = 0
			for agent := range cells {
				for opponent := range cells {
					i := lostPair(agent, opponent)
					value, best := f.backup(agent, opponent, &ways[i])
					change = max(change, f.value[i]-value)
					f.value[i], f.best[i] = value, best
				}
			}
		}
	})
	return f
}

// backup returns the value of the best action.
func (f *lostField) backup(agent, opponent int, ways *lostAway) (value float64, best uint8) {
	if agent == opponent {
		return tagPay, tagTag // no later reward is larger
	}
	value = math.Inf(-1)
	for action := range lostMoves {
		reward := -1.0
		if action == tagTag {
			reward = -tagPay
		}
		to, after := f.to(agent, action), 0.0
		for i, p := range ways.chance {
			after += p * f.value[lostPair(to, int(ways.cell[i]))]
		}
		if q := reward + f.discount*after; q > value {
			value, best = q, uint8(action)
		}
	}
	return value, best
}
