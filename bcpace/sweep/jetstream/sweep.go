package jetstream

import (
	"time"

	"bayescpace/bcpace/sweep"
)

// Sweep is what a server knows of a sweep.
type Sweep struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Version sweep.Version `json:"version"`
	Kinds   []string      `json:"kinds"`
	Needs   []string      `json:"needs"`
	// Live says that its coordinator runs. If not, the counts are those when it was last
	// heard of.
	Live  bool      `json:"live"`
	Began time.Time `json:"began"`
	Heard time.Time `json:"heard"`
	// Tasks, Done, Failed, Running and Queued count tasks; Failed are among those Done.
	Tasks   int `json:"tasks"`
	Done    int `json:"done"`
	Failed  int `json:"failed"`
	Running int `json:"running"`
	Queued  int `json:"queued"`
	// Workers are the names of the worker processes that have been heard of lately.
	Workers []string `json:"workers"`
	Note    string   `json:"note,omitempty"`
}

// heardWithin is how long State waits for coordinators.
const heardWithin = time.Second
