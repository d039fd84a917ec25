package family

import (
	"encoding/binary"
	"runtime"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/side"
)

// history is a list of different transitions in flat arrays, each with how often it was.
type history struct {
	axes    int
	state   []float64 // axes numbers for each; 0 before a start
	next    []float64
	action  []int // −1 for a start
	count   []float64
	numbers map[string]int
	key     []byte
}

// number returns the number of a transition, or of a start if action is −1. A new one has the
// count 0.
func (h *history) number(s []float64, action int, next []float64) int {
	h.key = binary.LittleEndian.AppendUint64(keyOf(keyOf(h.key[:0], s), next), uint64(action))
	if i, ok := h.numbers[string(h.key)]; ok {
		return i
	}
	if h.numbers == nil {
		h.numbers = make(map[string]int)
	}
	i := len(h.count)
	h.numbers[string(h.key)] = i
	if s == nil {
		s = make([]float64, h.axes)
	}
	h.state, h.next = append(h.state, s...), append(h.next, next...)
	h.action, h.count = append(h.action, action), append(h.count, 0)
	return i
}

// at returns a transition.
func (h *history) at(number int) (s []float64, action int, next []float64) {
	from := number * h.axes
	return h.state[from : from+h.axes], h.action[number], h.next[from : from+h.axes]
}

// likelihoods sets total to the log likelihood of all transitions under each latent of m. The
// latents are shared out between processors, which changes no number.
func (h *history) likelihoods(m bcpace.Model, total []float64) {
	clear(total)
	side.Each(runtime.GOMAXPROCS(0), len(total), func(_, i int) {
		for k, n := range h.count {
			s, action, next := h.at(k)
			total[i] += n * likelihood(m, s, action, next, i)
		}
	})
}
