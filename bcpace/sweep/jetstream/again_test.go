package jetstream

import (
	"fmt"
	"testing"

	"bayescpace/bcpace/sweep"
)

// TestManyShortDos: workers that ask while one Do ends have an answer, so that the next one
// need not wait until they ask again.
//
//test:race
func TestManyShortDos(t *testing.T) {
	e := embed(t, Embedded{Workers: 2})
	for i := range 300 {
		waited := 0
		tasks := tasksOf("hash", 3, testInput{})
		for k := range tasks {
			tasks[k] = taskOf("hash", testInput{Text: fmt.Sprint(i, "/", k)})
			tasks[k].Transient = true
		}
		// The first status comes at once, and the others at least every half second.
		if err := e.Do(t.Context(), tasks, sweep.EngineObserver{Status: func(sweep.Status) { waited++ }}); err != nil {
			t.Fatal(err)
		}
		if waited > 6 {
			t.Fatalf("Do number %d has shown %d statuses", i, waited)
		}
	}
}
