package rollout

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
)

// TestPlay lets some episode fail, or be dropped after the context has ended: all
// those before it are played once, for any number of workers.
//
//test:race
func TestPlay(t *testing.T) {
	const n = 40
	broken := errors.New("broken")
	for _, workers := range []int{1, 2, 7, 50} {
		for _, c := range []struct {
			bad  int // the first episode that fails; n for none
			err  error
			want string
		}{{n, nil, ""}, {0, broken, "broken"}, {23, broken, "broken"}, {23, ErrDropped, "context canceled"}} {
			ctx, cancel := context.WithCancel(t.Context())
			var played [n]atomic.Int32
			player := func() Player {
				return func(i int) error {
					if i >= c.bad {
						if c.err == ErrDropped {
							cancel()
						}
						return c.err
					}
					played[i].Add(1)
					return nil
				}
			}
			most := 0
			done, err := Play(ctx, n, workers, player, func(k int) {
				if k != most+1 {
					t.Errorf("progress %d after %d", k, most)
				}
				most = k
			})
			cancel()
			if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("%d workers, episode %d: error %v, want %q", workers, c.bad, err, c.want)
			}
			if done != c.bad && c.err != ErrDropped || done > c.bad || most < done {
				t.Errorf("%d workers: %d episodes done, progress %d, want %d", workers, done, most, c.bad)
			}
			for i := range done {
				if k := played[i].Load(); k != 1 {
					t.Errorf("%d workers: episode %d was played %d times", workers, i, k)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if done, err := Play(ctx, n, 1, func() Player { return func(int) error { return nil } }, nil); done != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %d episodes, %v", done, err)
	}
}

//test:race
func TestSettle(t *testing.T) {
	n, horizon, workers := 0, 0, 0
	if err := Settle(&n, &horizon, &workers); err != nil || n != 1000 || horizon != 0 || workers < 1 {
		t.Errorf("%d episodes of %d steps, %d workers: %v", n, horizon, workers, err)
	}
	for want, x := range map[string][3]int{
		"evaluation options: Episodes is -1, want a number of episodes, or 0 for 1000":                                     {-1, 0, 0},
		"evaluation options: Horizon is -2, want a number of steps up to 1000000000, or 0 for the default":                 {0, -2, 0},
		"evaluation options: Workers is -3, want a number of episodes side by side up to 1024, or 0 for one per processor": {0, 0, -3},
	} {
		err := Settle(&x[0], &x[1], &x[2])
		if input := new(bcpace.InputError); !errors.As(err, &input) || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
