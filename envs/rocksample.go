package envs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// RockSample is the search for good rocks (Smith and Simmons 2004) as a BAMDP: a rover drives
// over a field of Size × Size cells with Rocks rocks at known places, each of which is good
// or bad with probability ½. Latent φ is the set of the rocks that are good now; bit r of its
// number stands for rock r+1. It is Deterministic: a sample leaves a rock bad.
//
// The state is the rover's cell and the last reading of its sensor. A move takes the rover
// to the next cell, and from the last column east to the exit, which earns 10 and ends the
// episode. A sample earns 10 where the rock in the rover's cell is good and −10 where it is
// bad. To check rock r from a distance of d cells tells whether it is good with probability
// (1 + 2^(−d/20))/2. All else earns nothing. The rover starts in the first column, in the
// middle or just above it.
//
// A move against a wall, or a sample where there is no rock, does nothing; the files of
// Smith and Simmons fine it 100 and end the episode. Neither is ever better than another
// action, so that optimal values are the same.
//
// The rocks of (Size, Rocks) = (7, 8) and (11, 11) lie where those files have them, which
// came with SARSOP (Kurniawati, Hsu and Lee 2008). Those of (15, 15) lie where programs
// descended from that of Silver and Veness (2010) have them. Others are drawn once for each
// Size and Rocks.
type RockSample struct {
	// Size is the number of cells on each side, from 2 to 50. If it is 0, 7 is used.
	Size int
	// Rocks is the number of rocks, from 1 to 15 and at most one for each cell. If it is 0,
	// 8 is used.
	Rocks int
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	rockSampleName = "rocksample"
	rockSizeMax    = 50
	rockRange      = 20 // cells in which what the sensor tells falls by half
	rockPay        = 10 // of a good rock, and of the exit
)

// Actions of RockSample behind the moves; action rockCheck+r checks rock r.
const (
	rockTake  = 4
	rockCheck = 5
)

// Readings of the sensor.
const (
	rockNoReading = iota
	rockBad
	rockGood
)

// rockPlaces are the cells of rocks, as x and y from the corner in the south-west.
var rockPlaces = map[[2]int][][2]int{
	{7, 8}:   {{2, 0}, {0, 1}, {3, 1}, {6, 3}, {2, 4}, {3, 4}, {5, 5}, {1, 6}},
	{11, 11}: {{0, 3}, {0, 7}, {1, 8}, {2, 4}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}},
	{15, 15}: {{0, 4}, {0, 11}, {1, 8}, {2, 4}, {2, 12}, {3, 9}, {4, 3}, {5, 14}, {6, 0}, {6, 8}, {9, 3}, {10, 2}, {11, 7}, {12, 12}, {14, 9}},
}

const wantRocks = "a number of rocks from %v to %v, at most one for each cell"

var rockParameters = parameters[RockSample]{
	{"size", "a number of cells from %v to %v", "cells on each side of the field", counted(func(r *RockSample) *int { return &r.Size }, 7, 2, rockSizeMax)},
	{"rocks", wantRocks, "rocks, each of which is good or bad", counted(func(r *RockSample) *int { return &r.Rocks }, 8, 1, 15)},
	discounted(func(r *RockSample) *float64 { return &r.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (r RockSample) Model() (bcpace.Enumerator, error) {
	r, err := rockParameters.sound(rockSampleName, r)
	size, rocks := r.Size, r.Rocks
	if err == nil {
		err = checkRocks(rockSampleName, size, rocks)
	}
	if err != nil {
		return nil, err
	}
	m := &rockSample{size: size, rocks: rocks}
	m.place, m.rockAt = placeRocks(size, rocks)
	m.fill()
	m.spec = m.describe(r)
	return m, nil
}

// checkRocks returns an *InputError unless there is a cell for each rock.
func checkRocks(env string, size, rocks int) error {
	if rocks <= size*size {
		return nil
	}
	return inputError(env, "rocks", rocks, fmt.Sprintf(wantRocks, 1, size*size))
}

// placeRocks returns the cells of rocks, always the same ones, and by cell y·size + x its rock, or −1.
func placeRocks(size, rocks int) (places [][2]int, rockAt []int) {
	rockAt = slices.Repeat([]int{-1}, size*size)
	if places = rockPlaces[[2]int{size, rocks}]; places == nil {
		rng := rand.New(rand.NewPCG(uint64(size), uint64(rocks)))
		for _, cell := range rng.Perm(size * size)[:rocks] {
			places = append(places, [2]int{cell % size, cell / size})
		}
	}
	for r, p := range places {
		rockAt[p[1]*size+p[0]] = r
	}
	return places, rockAt
}

// rockRight returns the probability that a check from (x, y) tells the truth of a rock.
func rockRight(rock [2]int, x, y int) float64 {
	return (1 + math.Exp2(-math.Hypot(float64(rock[0]-x), float64(rock[1]-y))/rockRange)) / 2
}

// rockSample is the model of RockSample. Cell (x, y) has the number y·size + x.
type rockSample struct {
	spec        bcpace.Spec
	size, rocks int
	place       [][2]int
	rockAt      []int // by cell: its rock, or −1

	// By cell·rocks + rock: the probability that a check tells the truth, its log and that
	// of the opposite.
	right, logRight, logWrong []float64

	tours rockTours
}

var (
	_ bcpace.Finite              = (*rockSample)(nil)
	_ bcpace.DeterministicLatent = (*rockSample)(nil)
	_ bcpace.LatentValues        = (*rockSample)(nil)
	_ bcpace.ValueBounds         = (*rockSample)(nil)
)

// fill fills the tables by cell.
func (m *rockSample) fill() {
	for cell := range m.rockAt {
		for _, p := range m.place {
			right := rockRight(p, cell%m.size, cell/m.size)
			m.right = append(m.right, right)
			m.logRight, m.logWrong = append(m.logRight, math.Log(right)), append(m.logWrong, math.Log(1-right))
		}
	}
}

// rockActions names the actions of a rover among so many rocks.
func rockActions(rocks int) []string {
	checks := listOf(rocks, func(i int) string { return fmt.Sprintf("check %d", i+1) })
	return append([]string{"north", "east", "south", "west", "sample"}, checks...)
}

func (m *rockSample) describe(e RockSample) bcpace.Spec {
	axes := append(cellAxes(m.size, m.size-1),
		bcpace.Axis{Name: "reading", Max: rockGood, Discrete: true, Labels: []string{"none", "bad", "good"}, Scale: math.Inf(1)})
	return bcpace.Spec{
		Name: rockSampleName, Params: rockParameters.of(e),
		Axes: axes, Actions: bcpace.Actions(rockActions(m.rocks)...), Latents: listOf(1<<m.rocks, rocksName), Discount: e.Discount,
		RewardMin: -rockPay, RewardMax: rockPay,
	}
}

// rocksName names a latent by its good rocks.
func rocksName(latent int) string {
	if latent == 0 {
		return "none good"
	}
	name := "good"
	for r := 0; latent>>r > 0; r++ {
		if good(r, latent) {
			name += fmt.Sprintf(" %d", r+1)
		}
	}
	return name
}

// Spec implements bcpace.Model.
func (m *rockSample) Spec() bcpace.Spec { return m.spec }

// Prior fills b with the same probability for each latent.
func (m *rockSample) Prior(b bcpace.Belief) { copy(b, bcpace.Uniform(len(b))) }

// Start sets s to the middle of the first column.
func (m *rockSample) Start(s []float64, _ int, _ *rand.Rand) {
	clear(s)
	s[axisY] = float64(m.size / 2)
}

// Step implements bcpace.Model.
func (m *rockSample) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	x, y := m.move(s, action)
	next[axisX], next[axisY], next[axisSeen] = x, y, rockNoReading
	if r := action - rockCheck; r >= 0 && !m.ended(s) {
		right := rng.Float64() < m.right[m.cell(s)*m.rocks+r]
		next[axisSeen] = pick[float64](good(r, latent) == right, rockGood, rockBad)
	}
	return bcpace.Outcome{Reward: m.reward(s, action, latent), Done: m.ended(next)}
}

// move returns the place to which an action leads. The exit is not left.
func (m *rockSample) move(s []float64, action int) (x, y float64) {
	if m.ended(s) {
		return s[axisX], s[axisY]
	}
	return walk(s[axisX], s[axisY], action, float64(m.size), float64(m.size-1))
}

// reward returns what an action earns.
func (m *rockSample) reward(s []float64, action, latent int) float64 {
	if action == toEast && s[axisX] == float64(m.size-1) {
		return rockPay
	}
	switch r := m.taken(s, action); {
	case r < 0:
		return 0
	case good(r, latent):
		return rockPay
	}
	return -rockPay
}

// taken returns the rock of which an action takes a sample, or −1.
func (m *rockSample) taken(s []float64, action int) int {
	if action != rockTake || m.ended(s) {
		return -1
	}
	return m.rockAt[m.cell(s)]
}

// good reports whether rock r is good.
func good(r, latent int) bool { return latent>>r&1 == 1 }

// LatentKind implements bcpace.LatentDynamics.
func (m *rockSample) LatentKind() bcpace.LatentKind { return bcpace.Deterministic }

// NextLatent implements bcpace.DeterministicLatent: a rock that was taken is bad.
func (m *rockSample) NextLatent(s []float64, action, latent int) int {
	if r := m.taken(s, action); r >= 0 {
		return latent &^ (1 << r)
	}
	return latent
}

// LatentTransition implements bcpace.LatentDynamics.
func (m *rockSample) LatentTransition(p []float64, s []float64, action, latent int) bool {
	to := m.NextLatent(s, action, latent)
	if to == latent {
		return false
	}
	clear(p)
	p[to] = 1
	return true
}

// LogLikelihood implements bcpace.Model.
func (m *rockSample) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	if x, y := m.move(s, action); next[axisX] != x || next[axisY] != y {
		return math.Inf(-1)
	}
	if r := action - rockCheck; r >= 0 && !m.ended(s) {
		return m.logReading(s, r, next[axisSeen], latent)
	}
	return logOf(next[axisSeen] == rockNoReading)
}

// logReading returns the log of the probability that a check of rock r reads so.
func (m *rockSample) logReading(s []float64, r int, reading float64, latent int) float64 {
	k := m.cell(s)*m.rocks + r
	switch {
	case reading != rockBad && reading != rockGood:
		return math.Inf(-1)
	case good(r, latent) == (reading == rockGood):
		return m.logRight[k]
	}
	return m.logWrong[k]
}

// Starts implements bcpace.Enumerator.
func (m *rockSample) Starts(z *bcpace.Successors) { m.Start(sureStart(z), 0, nil) }

// Successors implements bcpace.Enumerator.
func (m *rockSample) Successors(z *bcpace.Successors, s []float64, action int) {
	x, y := m.move(s, action)
	if r := action - rockCheck; r >= 0 && !m.ended(s) {
		right := m.right[m.cell(s)*m.rocks+r]
		for reading := rockBad; reading <= rockGood; reading++ {
			next, p, _ := z.Add(false)
			next[axisX], next[axisY], next[axisSeen] = x, y, float64(reading)
			for φ := range p {
				p[φ] = either(good(r, φ) == (reading == rockGood), right)
			}
		}
		return
	}
	next, p, reward := z.Add(x == float64(m.size))
	next[axisX], next[axisY] = x, y
	for φ := range p {
		p[φ], reward[φ] = 1, m.reward(s, action, φ)
	}
}

// ReturnRange is bcpace.Abilities.ReturnRange: each rock and the exit pay once at most.
func (m *rockSample) ReturnRange() (lo, hi float64) {
	γ := m.spec.Discount
	return m.spec.VMin(), rockPay * (1 - math.Pow(γ, float64(m.rocks+1))) / (1 - γ)
}

// NumStates implements bcpace.Finite: each cell with each reading, and the exit from each row.
func (m *rockSample) NumStates() int { return (rockGood+1)*m.size*m.size + m.size }

// StateAt implements bcpace.Finite.
func (m *rockSample) StateAt(s []float64, number int) {
	cell, reading := number/(rockGood+1), number%(rockGood+1)
	s[axisX], s[axisY], s[axisSeen] = float64(cell%m.size), float64(cell/m.size), float64(reading)
	if y := number - (rockGood+1)*m.size*m.size; y >= 0 {
		s[axisX], s[axisY], s[axisSeen] = float64(m.size), float64(y), rockNoReading
	}
}

// StateIndex implements bcpace.Finite.
func (m *rockSample) StateIndex(s []float64) int {
	x, y, reading := wholeWithin(s[axisX], 0, m.size), wholeWithin(s[axisY], 0, m.size-1), wholeWithin(s[axisSeen], 0, rockGood)
	switch {
	case x < 0 || y < 0 || reading < 0 || x == m.size && reading != rockNoReading:
		return -1
	case x == m.size:
		return (rockGood+1)*m.size*m.size + y
	}
	return (rockGood+1)*(y*m.size+x) + reading
}

// ended reports whether the rover is at the exit.
func (m *rockSample) ended(s []float64) bool { return s[axisX] == float64(m.size) }

// cell returns the number of the rover's cell.
func (m *rockSample) cell(s []float64) int { return int(s[axisY])*m.size + int(s[axisX]) }
