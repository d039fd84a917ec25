package cpace

import (
	"fmt"

	"bayescpace/bcpace"
)

// Batch is a batch of rollouts (Solver.Batch) for Solver.Rollouts to have played:
// Episodes of them, from number First on, all with the greedy policy of one estimate. A
// BatchWorker plays any part of it, in this process or on another machine.
type Batch struct {
	// Setup is what NewBatchWorker needs: the model's name and parameters, the options and
	// the latent values. It is the same for all batches of an exploration.
	Setup []byte
	// Estimate is what BatchWorker.Play needs: where the samples are, and their values Q̃.
	Estimate []byte
	// First is the number of the first episode, and Episodes is how many there are.
	First, Episodes int

	take func(rollouts []byte, first, n int) error // keeps what Play has returned for them
}

// Played takes what BatchWorker.Play has returned for n episodes from number first on. The
// parts of a batch may come in any order. Bytes that cannot be what Play returns for them
// are refused with an *InputError that says what is wrong, and leave the batch as it was.
// Played is for one goroutine at a time.
func (b *Batch) Played(first, n int, rollouts []byte) error {
	if from := first - b.First; first < b.First || n < 1 || n > b.Episodes || from > b.Episodes-n {
		return bcpace.In("rollouts").Bad("the part of the batch", fmt.Sprintf("%d episodes from number %d on", n, first), fmt.Sprintf("some of the %d from number %d on", b.Episodes, b.First))
	}
	return b.take(rollouts, first, n)
}
