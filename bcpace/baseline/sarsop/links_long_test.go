//go:build long

package sarsop_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

const numLinks, queueEnd = 3, 3

// links is a model of three links with a queue of at most two packets each, for so many slots. In a slot the agent, which sees the queues, tries one of them.
// A packet of link i is sent, and pays i + 1, if the link is good. That changes unseen.
func links(slots int) *pomdp.Model {
	const queues, goods = queueEnd * queueEnd * queueEnd, 1 << numLinks
	end := slots * queues * goods
	m := pomdptest.New(1, end+1, numLinks, queues+1, 1, []float64{1})
	for a := range numLinks {
		move, sense, reward := &pomdp.Matrix{Row: []int{0}}, &pomdp.Matrix{Row: []int{0}}, make([]float64, end+1)
		for s := range end + 1 {
			slot, queue, good := s/(queues*goods), s/goods%queues, s%goods
			if s == end {
				queue = queues
			}
			sense.Col, sense.Value, sense.Row = append(sense.Col, int32(queue)), append(sense.Value, 1), append(sense.Row, s+1)
			left := [numLinks]int{queue % queueEnd, queue / queueEnd % queueEnd, queue / queueEnd / queueEnd}
			if s < end && left[a] > 0 && good>>a&1 == 1 {
				left[a]--
				reward[s] = float64(a + 1)
			}
			if slot >= slots-1 {
				move.Col, move.Value = append(move.Col, int32(end)), append(move.Value, 1)
			} else {
				next(move, (slot+1)*queues*goods, left, good)
			}
			move.Row = append(move.Row, len(move.Col))
		}
		m.Move, m.Sense, m.Reward = append(m.Move, move), append(m.Sense, sense), append(m.Reward, reward)
	}
	return m
}

// next adds what follows in a slot whose states have numbers from base on: each queue gets a packet with probability ½, a good link becomes bad with
// probability .3, and a bad one good with .2.
func next(move *pomdp.Matrix, base int, left [numLinks]int, good int) {
	prob := map[int]float64{}
	for come := range 1 << numLinks {
		for after := range 1 << numLinks {
			queue, p := 0, 1.
			for i := numLinks - 1; i >= 0; i-- {
				queue = queue*queueEnd + min(left[i]+come>>i&1, queueEnd-1)
				p *= .5 * [2][2]float64{{.8, .2}, {.3, .7}}[good>>i&1][after>>i&1]
			}
			prob[base+queue<<numLinks+after] += p
		}
	}
	for to := base; len(prob) > 0; to++ {
		if p, ok := prob[to]; ok {
			move.Col, move.Value = append(move.Col, int32(to)), append(move.Value, p)
			delete(prob, to)
		}
	}
}

// TestLinks: where trials take long, triangulations and controllers are in time. After five trials the bounds of 8,641 states are nearly as close as after sixty,
// [40.5, 41.9].
func TestLinks(t *testing.T) {
	found, err := sarsop.Solver{MaxTrials: 5}.SolvePOMDP(t.Context(), links(40), bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if c := found.Certificate; c.Lower < 37.5 || c.Upper > 42 || c.Lower > 41.9 || c.Upper < 40.5 {
		t.Errorf("[%v, %v] after five trials", c.Lower, c.Upper)
	}
}
