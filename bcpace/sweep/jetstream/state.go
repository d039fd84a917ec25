package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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

// State returns the sweeps that a server knows: those that run first, then by when they
// began, the last one first. Where Address is the folder of an embedded engine that has
// ended, it reads what is kept there.
func State(ctx context.Context, s Server) ([]Sweep, error) {
	l, err := s.resolve()
	if err != nil {
		return nil, err
	}
	nc, err := l.dial("state")
	if errors.Is(err, nats.ErrNoServers) && !strings.Contains(s.Address, "://") {
		folder := s.Address
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("no engine runs at %s, which %s names", l.shown(), folder)
		}
		h, err := openHouse(ctx, folder, "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer h.close()
		return state(ctx, h.nc)
	}
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	return state(ctx, nc)
}

func state(ctx context.Context, nc *nats.Conn) ([]Sweep, error) {
	all := make(map[string]Sweep)
	live, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return nil, err
	}
	defer live.Unsubscribe()
	if err := nc.PublishRequest(helloSubject, live.Subject, nil); err != nil {
		return nil, err
	}
	v, err := openVault(ctx, nc, false, 0)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrBucketNotFound):
		return nil, nil // no engine has ever used it
	case err != nil:
		return nil, fmt.Errorf("reading what the server keeps: %w", err)
	}
	ids, err := v.sweeps.ListKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading what the server keeps: %w", err)
	}
	for id := range ids.Keys() {
		if e, err := v.sweeps.Get(ctx, id); err == nil {
			var s offer
			if read(e.Value(), &s) == nil && s.ID == id {
				s.Live, s.Workers = false, nil
				all[id] = s.Sweep
			}
		}
	}
	for until := time.Now().Add(heardWithin); ; {
		m, err := live.NextMsg(time.Until(until))
		if err != nil {
			break
		}
		var o offer
		if read(m.Data, &o) == nil {
			all[o.ID] = o.Sweep
		}
	}
	sweeps := slices.Collect(maps.Values(all))
	slices.SortFunc(sweeps, func(a, b Sweep) int {
		if a.Live != b.Live {
			if a.Live {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Began.Compare(a.Began), cmp.Compare(a.ID, b.ID))
	})
	return sweeps, ctx.Err()
}
