package bcpace_test

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// Where the tiger is after a door was opened.
func ExampleAbilities_Mover() {
	const openLeft = 1
	mover, rng := bcpace.AbilitiesOf(envs.Tiger{}).Mover(), rand.New(rand.NewPCG(1, 2))
	var counts [2]int
	for range 1000 {
		counts[mover.Draw([]float64{0}, openLeft, 0, rng)]++
	}
	fmt.Println(counts)
	// Output: [512 488]
}
