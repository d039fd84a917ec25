package answer

import (
	"cmp"
	"fmt"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
)

// RoomQuestion asks for the values of a room with two goals, like envs.LightDarkTiger. A
// tiger waits in one of the goals: entering that one earns −100 and the other one 10, and
// ends the episode. A step that ends in the light shows where the tiger is, not always
// correctly. Moves against a wall or out of the room stay where they are.
type RoomQuestion struct {
	// Rows are the rows of cells from the top: 'A' and 'B' are the goals, 'S' is the start,
	// each of them once; '#' is a wall, '*' is light and '.' is a cell with nothing in it.
	Rows []string
	// Tiger is the probability from 0 to 1 that the tiger is in goal A, as it is believed at
	// the start.
	Tiger float64
	// Truth is the probability from 0.7 to 1 that the light shows the true goal.
	Truth float64
	// Discount is γ, from 0.5 to 0.98.
	Discount float64
}

// RoomAnswer has the values of a room, and the paths that the policy takes.
type RoomAnswer struct {
	// Lower and Upper bracket the optimal value at the start, in reward units. The policy
	// earns the lower bound.
	Lower, Upper float64
	// Limited says that the search ended at its limit, so that the bounds may be further
	// apart than elsewhere.
	Limited bool
	// Cells has the lower bound at each cell with the belief of the start, row by row from
	// the top: nil for walls, goals and cells that cannot be reached.
	Cells [][]*float64
	// Paths are what the policy does where the tiger is in goal A and in goal B, if the
	// light shows the truth at every step; nil for a goal where it cannot be.
	Paths [2]*RoomPath
}

// RoomPath is an episode.
type RoomPath struct {
	// X and Y are the cells, from the left and from the top, with the start.
	X, Y []int
	// Tiger is the probability at each of them that the tiger is in goal A.
	Tiger []float64
	// End is the goal that is reached, "A" or "B", or "" where none is.
	End string
	// Return is the discounted sum of its rewards.
	Return float64
}

const (
	roomSide    = 12 // cells along each side, at most
	roomEpsilon = 0.02
	roomSteps   = 100 // of a path, at most
)

// room is the model of a question. Coordinates are those of Rows.
type room struct {
	RoomQuestion
	startX, startY int
}

// moves are the steps of the actions, with y downwards.
var moves = []struct {
	name string
	x, y int
}{{"up", 0, -1}, {"down", 0, 1}, {"left", -1, 0}, {"right", 1, 0}}

// Room brackets the optimal value of a room and follows its policy.
func Room(q RoomQuestion) (*RoomAnswer, error) {
	r := room{RoomQuestion: q}
	if err := cmp.Or(within("Tiger", q.Tiger, 0, 1), within("Truth", q.Truth, 0.7, 1), within("Discount", q.Discount, 0.5, 0.98), r.read()); err != nil {
		return nil, err
	}
	m, err := r.model()
	if err != nil {
		return nil, err
	}
	belief := bcpace.Belief{q.Tiger, 1 - q.Tiger}
	a := &RoomAnswer{Cells: make([][]*float64, len(q.Rows))}
	var starts []bcpace.StartPoint
	for y, row := range q.Rows {
		a.Cells[y] = make([]*float64, len(row))
		for x := range row {
			if s := r.stateAt(m, x, y); s != nil {
				starts = append(starts, bcpace.StartPoint{State: s, Belief: belief})
			}
		}
	}
	run, err := search(m, certified.Solver{Epsilon: roomEpsilon, Starts: starts})
	if err != nil {
		return nil, err
	}
	a.Limited = limited(run)
	a.Lower, a.Upper = bounds(run, bcpace.StartPoint{State: r.state(r.startX, r.startY, 0), Belief: belief})
	for _, p := range starts {
		lower, _ := bounds(run, p)
		a.Cells[int(p.State[1])][int(p.State[0])] = &lower
	}
	for latent, p := range belief {
		if p == 0 {
			continue
		}
		if a.Paths[latent], err = r.follow(m, run.Policy(), latent); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// read checks the rows and finds the start.
func (r *room) read() error {
	if len(r.Rows) < 2 || len(r.Rows) > roomSide || len(r.Rows[0]) < 2 || len(r.Rows[0]) > roomSide {
		return bad("Rows", fmt.Sprint(r.Rows), fmt.Sprintf("from 2 to %d rows of 2 to %d cells", roomSide, roomSide))
	}
	for y, row := range r.Rows {
		if len(row) != len(r.Rows[0]) || strings.Trim(row, "ABS#*.") != "" {
			return bad(fmt.Sprintf("row %d", y), row, fmt.Sprintf("%d cells of A, B, S, #, * and .", len(r.Rows[0])))
		}
	}
	all := strings.Join(r.Rows, "")
	for _, c := range []string{"A", "B", "S"} {
		if n := strings.Count(all, c); n != 1 {
			return bad("Rows", fmt.Sprintf("%d cells %s", n, c), "one of it")
		}
	}
	start := strings.Index(all, "S")
	r.startX, r.startY = start%len(r.Rows[0]), start/len(r.Rows[0])
	return nil
}

// state is a cell with what the light has shown there: 0 nothing, 1 the tiger in goal A and
// 2 in goal B.
func (r *room) state(x, y, seen int) []float64 {
	return []float64{float64(x), float64(y), float64(seen)}
}

// stateAt returns a state at a cell that the model has and where no episode ends, or nil.
func (r *room) stateAt(m bcpace.Finite, x, y int) []float64 {
	if strings.IndexByte("AB#", r.Rows[y][x]) >= 0 {
		return nil
	}
	for seen := range 3 { // it matters to no value
		if s := r.state(x, y, seen); m.StateIndex(s) >= 0 {
			return s
		}
	}
	return nil
}

// model returns the room as a model. Its latents are the goals, where the tiger may be.
func (r *room) model() (bcpace.Finite, error) {
	spec := bcpace.Spec{
		Name: "room",
		Axes: []bcpace.Axis{
			{Name: "x", Unit: "cell", Max: float64(len(r.Rows[0]) - 1), Discrete: true},
			{Name: "y", Unit: "cell", Max: float64(len(r.Rows) - 1), Discrete: true},
			{Name: "seen", Max: 2, Discrete: true},
		},
		Latents:  []string{"tiger in A", "tiger in B"},
		Discount: r.Discount, RewardMin: -100, RewardMax: 10,
	}
	for _, move := range moves {
		spec.Actions = append(spec.Actions, bcpace.Actions(move.name)...)
	}
	return bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: spec, Prior: bcpace.Belief{r.Tiger, 1 - r.Tiger},
		Starts:      []bcpace.Transition{{Next: r.state(r.startX, r.startY, 0), Prob: 1}},
		Transitions: r.transitions,
	})
}

// transitions returns what may follow an action, first of all what does if the light shows the truth.
func (r *room) transitions(s []float64, latent, action int) []bcpace.Transition {
	x, y := r.step(int(s[0]), int(s[1]), action)
	switch c := r.Rows[y][x]; c {
	case 'A', 'B':
		reward := 10.0
		if int(c-'A') == latent {
			reward = -100
		}
		return []bcpace.Transition{{Next: r.state(x, y, 0), Prob: 1, Reward: reward, Done: true}}
	case '*':
		return []bcpace.Transition{
			{Next: r.state(x, y, latent+1), Prob: r.Truth},
			{Next: r.state(x, y, 2-latent), Prob: 1 - r.Truth},
		}
	}
	return []bcpace.Transition{{Next: r.state(x, y, 0), Prob: 1}}
}

// step returns the cell to which an action leads.
func (r *room) step(x, y, action int) (toX, toY int) {
	toX, toY = x+moves[action].x, y+moves[action].y
	if toY < 0 || toY >= len(r.Rows) || toX < 0 || toX >= len(r.Rows[0]) || r.Rows[toY][toX] == '#' {
		return x, y
	}
	return toX, toY
}

// follow plays a policy where the tiger is in a goal and the light shows that.
func (r *room) follow(m bcpace.Finite, p bcpace.Policy, latent int) (*RoomPath, error) {
	path, bayes := &RoomPath{}, bcpace.NewBayes(m)
	belief, next := bcpace.Belief{r.Tiger, 1 - r.Tiger}, make(bcpace.Belief, 2)
	s, done, weight := r.state(r.startX, r.startY, 0), false, 1.0
	for range roomSteps {
		x, y := int(s[0]), int(s[1])
		path.X, path.Y, path.Tiger = append(path.X, x), append(path.Y, y), append(path.Tiger, belief[0])
		if done {
			path.End = string(r.Rows[y][x])
			break
		}
		action := p.Act(s, belief, nil)
		t := r.transitions(s, latent, action)[0]
		path.Return += weight * t.Reward
		if err := bayes.Update(next, belief, s, action, t.Next); err != nil {
			return nil, err
		}
		copy(belief, next)
		s, done = t.Next, t.Done
		weight *= r.Discount
	}
	return path, nil
}
