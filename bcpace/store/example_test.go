package store_test

import (
	"fmt"
	"os"

	"bayescpace/bcpace/store"
)

func ExampleValueIn() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		mean, origin, err := store.ValueIn(s, "mean 1", []any{10, 20}, func() (float64, error) {
			fmt.Println("computing")
			return 15, nil
		})
		fmt.Println(mean, origin.Cached, err)
	}
	// Output:
	// computing
	// 15 false <nil>
	// 15 true <nil>
}
