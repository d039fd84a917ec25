package envs

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// pursuit is a map of cells on which an agent follows an opponent that walks away, as in Tag
// and LaserTag. Cells have numbers in the order of their rows from the south, and in a row from
// the west.
type pursuit struct {
	width, height int
	number        []int // by y·width + x: the cell, or −1 outside of the map
	x, y          []int // by cell

	move []int     // by cell·tagActions + action: where it takes the agent
	away []float64 // by (agent·cells + opponent)·cells + next: P(next), see awayFrom
}

// Actions of Tag and LaserTag behind the moves.
const (
	tagTag     = 4
	tagActions = 5
)

// The moves of grids, which are their first actions.
const (
	toNorth = iota
	toEast
	toSouth
	toWest
	stay
)

// Axes of an agent on a plane: where it is, and what it has seen or heard last.
const (
	axisX = iota
	axisY
	axisSeen
)

// cellAxes returns the axes of a cell.
func cellAxes(right, top int) []bcpace.Axis {
	return []bcpace.Axis{{Name: "x", Unit: "cell", Max: float64(right), Discrete: true}, {Name: "y", Unit: "cell", Max: float64(top), Discrete: true}}
}

// compass are the moves of grids, each next to those at a right angle to it, and one that stays.
var compass = [...][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {0, 0}}

// walk returns where a move leads from (x, y), stopped at 0 and at the last column and row. Other actions stay.
func walk[T int | float64](x, y T, action int, right, top T) (toX, toY T) {
	d := compass[min(action, stay)]
	return min(max(x+T(d[0]), 0), right), min(max(y+T(d[1]), 0), top)
}

var tagActionNames = []string{"north", "east", "south", "west", "tag"}

// Rewards and moves of Tag and LaserTag.
const (
	tagPay   = 10  // of a tag where the opponent is; as much is the fine elsewhere
	tagMoves = 0.4 // probability that the opponent moves along each axis
)

// towards returns the move along x, or else along y, that brings nearer to a cell; stay in that cell.
func towards(from, to [2]int) int {
	switch {
	case from[0] < to[0]:
		return toEast
	case from[0] > to[0]:
		return toWest
	case from[1] < to[1]:
		return toNorth
	case from[1] > to[1]:
		return toSouth
	}
	return stay
}

// apart returns the number of moves between two cells.
func apart(a, b [2]int) int {
	return max(a[0]-b[0], b[0]-a[0]) + max(a[1]-b[1], b[1]-a[1])
}

// newPursuit returns the map of the cells that are open.
func newPursuit(width, height int, open func(x, y int) bool) *pursuit {
	m := &pursuit{width: width, height: height, number: make([]int, width*height)}
	for k := range m.number {
		m.number[k] = -1
		if x, y := k%width, k/width; open(x, y) {
			m.number[k] = len(m.x)
			m.x, m.y = append(m.x, x), append(m.y, y)
		}
	}
	n := m.cells()
	m.move = make([]int, 0, n*tagActions)
	for cell := range n {
		for _, d := range compass {
			m.move = append(m.move, m.from(cell, d[0], d[1]))
		}
	}
	m.away = make([]float64, n*n*n)
	for agent := range n {
		for cell := range n {
			p := m.awayFrom(agent, cell)
			east, north := awayShare(m.x[cell]-m.x[agent]), awayShare(m.y[cell]-m.y[agent])
			p[m.from(cell, 1, 0)] += tagMoves * east
			p[m.from(cell, -1, 0)] += tagMoves * (1 - east)
			p[m.from(cell, 0, 1)] += tagMoves * north
			p[m.from(cell, 0, -1)] += tagMoves * (1 - north)
			p[cell] += 1 - 2*tagMoves
		}
	}
	return m
}

// awayShare returns the share of moves to the positive side for an opponent that is so far
// on that side of the agent.
func awayShare(distance int) float64 {
	switch {
	case distance > 0:
		return 1
	case distance < 0:
		return 0
	}
	return 0.5
}

// cells returns the number of cells.
func (m *pursuit) cells() int { return len(m.x) }

// cell returns the cell at a place, or −1 outside of the map.
func (m *pursuit) cell(x, y int) int {
	if x < 0 || y < 0 || x >= m.width || y >= m.height {
		return -1
	}
	return m.number[y*m.width+x]
}

// from returns the cell that lies so far from a cell, or the cell itself where that is outside
// of the map.
func (m *pursuit) from(cell, dx, dy int) int {
	if next := m.cell(m.x[cell]+dx, m.y[cell]+dy); next >= 0 {
		return next
	}
	return cell
}

// awayFrom returns the probabilities of the cells to which an opponent goes with the agent in
// the first cell.
func (m *pursuit) awayFrom(agent, opponent int) []float64 {
	n := m.cells()
	k := (agent*n + opponent) * n
	return m.away[k : k+n : k+n]
}

// connected reports whether moves lead from each cell to each other.
func (m *pursuit) connected() bool {
	seen, found := make([]bool, m.cells()), []int{0}
	seen[0] = true
	for i := 0; i < len(found); i++ {
		for _, to := range m.move[found[i]*tagActions : (found[i]+1)*tagActions] {
			if !seen[to] {
				seen[to], found = true, append(found, to)
			}
		}
	}
	return len(found) == m.cells()
}

// names returns a name for each cell, behind a word.
func (m *pursuit) names(word string) []string {
	return listOf(m.cells(), func(cell int) string { return fmt.Sprintf("%s %d, %d", word, m.x[cell], m.y[cell]) })
}

// axes returns the axes of the agent's cell, and of what it sees of the opponent.
func (m *pursuit) axes() []bcpace.Axis {
	return append(cellAxes(m.width-1, m.height-1),
		bcpace.Axis{Name: "opponent", Max: tagTagged, Discrete: true, Labels: []string{"not seen", "here", "tagged"}})
}

// set fills the first entries of s with a cell and what is seen of the opponent there.
func (m *pursuit) set(s []float64, cell, seen int) {
	s[axisX], s[axisY], s[axisSeen] = float64(m.x[cell]), float64(m.y[cell]), float64(seen)
}

// agent returns the cell of the agent, or −1 where that is none.
func (m *pursuit) agent(s []float64) int {
	return m.cell(wholeWithin(s[axisX], 0, m.width-1), wholeWithin(s[axisY], 0, m.height-1))
}

// NumStates returns the number of cells, each with all that may be seen there.
func (m *pursuit) NumStates() int { return m.cells() * (tagTagged + 1) }

// StateAt fills s with the state of a number.
func (m *pursuit) StateAt(s []float64, number int) { m.set(s, number%m.cells(), number/m.cells()) }

// StateIndex returns the number of s, or −1 where it is no state.
func (m *pursuit) StateIndex(s []float64) int {
	cell, seen := m.agent(s), wholeWithin(s[axisSeen], 0, tagTagged)
	if cell < 0 || seen < 0 {
		return -1
	}
	return seen*m.cells() + cell
}

// start draws the agent's cell.
func (m *pursuit) start(s []float64, rng *rand.Rand) { m.set(s, rng.IntN(m.cells()), tagNothing) }

// What is seen of the opponent.
const (
	tagNothing = iota
	tagSeen
	tagTagged
)
