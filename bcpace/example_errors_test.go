package bcpace_test

import (
	"context"
	"errors"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

func ExampleInputError() {
	_, err := runs.Explore(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: -1})
	var input *bcpace.InputError
	if errors.As(err, &input) {
		fmt.Println(input.What, "is", input.Got)
	}
	// Output: Epsilon is -1
}

// A function that checks its options says what it was given, and what would be right.
func ExampleIn() {
	fmt.Println(bcpace.In("options").Bad("Delta", 2, "a probability in (0, 1)"))
	// Output: options: Delta is 2, want a probability in (0, 1)
}

// The coin does not list what follows a toss.
func ExampleUnsupportedError() {
	_, err := dp.SolveLatent(context.Background(), Coin{})
	var unsupported *bcpace.UnsupportedError
	if errors.As(err, &unsupported) {
		fmt.Println("it needs", unsupported.Need)
	}
	// Output: it needs a list of the successors of a state (Enumerator), for which Successors in Funcs beside Step, FromOutcomes or FromGaussian would do, or latent values of the model's own (LatentValues); pomcpow and policy-search do without
}

// A row of a table sums to 1.1.
func ExampleConformanceError() {
	_, err := bcpace.FromTables(bcpace.Tables{
		States: []string{"on", "off"}, Actions: []string{"press"}, Latents: []string{"sound"}, Discount: 0.9,
		P: [][][][]float64{{{{0.5, 0.6}, {0, 1}}}}, R: [][][]float64{{{1, 0}}},
	})
	var fault *bcpace.ConformanceError
	if errors.As(err, &fault) {
		fmt.Println(fault.State, fault.Action, fault.Latent)
		fmt.Println(fault.What)
	}
	// Output:
	// [0] press sound
	// in state "on", the row of P sums to 1.1, want 1
}

// A growl from the right cannot be, where listening is perfect and the tiger is left.
func ExampleImpossibleObservationError() {
	tiger, belief := envs.Tiger{Accuracy: 1}, bcpace.OneHot(2, 0)
	err := bcpace.NewBayes(tiger).Update(belief, belief, []float64{0}, 0, []float64{2})
	var impossible *bcpace.ImpossibleObservationError
	fmt.Println(errors.As(err, &impossible), belief)
	// Output: true [1 0]
}
