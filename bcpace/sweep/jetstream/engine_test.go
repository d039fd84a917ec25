package jetstream

import (
	"testing"
	"time"
)

// TestDo: every task is answered once, with the bytes of its handler, and what is kept is not
// computed again.
//
//test:race
func TestDo(t *testing.T) {
	folder := t.TempDir()
	tasks := tasksOf("hash", 300, testInput{})
	e := embed(t, Embedded{Folder: folder, Workers: 2})
	answers, err := collect(t, t.Context(), e, tasks)
	if err != nil {
		t.Fatal(err)
	}
	same(t, tasks, answers)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = embed(t, Embedded{Folder: folder})
	began := time.Now()
	again, err := collect(t, t.Context(), e, tasks)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(began))
	same(t, tasks, again)
	for k, a := range again {
		if a.Worker != answers[k].Worker || a.Seconds != answers[k].Seconds {
			t.Fatalf("task %s was computed again: %+v, first %+v", k, a, answers[k])
		}
	}
}
