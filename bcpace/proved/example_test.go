package proved_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/proved"
	"bayescpace/envs"
)

// Nobody earns more than this in dual control, whatever the controls between −1 and 1.
func ExampleUpper() {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := proved.Upper(context.Background(), m, proved.Options{Tolerance: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at the start %.2f, in the middle with the gain known %.2f\n", b.Start, b.At([]float64{0}, bcpace.Belief{1, 0}))
	// Output: at the start 9.45, in the middle with the gain known 9.86
}
