package leaderboard_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/leaderboard"
	"bayescpace/envs"
)

// constant always takes one action.
func constant(a int) bcpace.Policy {
	return bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return a })
}

func TestRanks(t *testing.T) {
	tiger := envs.Tiger{}
	fault := errors.New("the file is cut short")
	board, err := leaderboard.Of(t.Context(), tiger, []leaderboard.Entry{
		{Name: "b", Policy: constant(1)},
		{Name: "none", Fault: fault},
		{Name: "a", Policy: constant(0)},
		{Name: "again", Policy: constant(0)},
		{Name: "broken", Policy: constant(7)},
	}, eval.Options{Episodes: 400, Horizon: 100, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range board.Rows {
		names = append(names, r.Name)
	}
	if got := strings.Join(names, " "); got != "a again b broken none" && got != "again a b broken none" {
		t.Errorf("order %q", got)
	}
	for i, want := range []int{1, 1, 3, 0, 0} {
		if board.Rows[i].Rank != want {
			t.Errorf("%s has rank %d, want %d", board.Rows[i].Name, board.Rows[i].Rank, want)
		}
	}
	if board.Rows[3].Fault == nil || !errors.Is(board.Rows[4].Fault, fault) || board.Rows[0].Fault != nil {
		t.Errorf("faults %v, %v", board.Rows[3].Fault, board.Rows[4].Fault)
	}
	if d := board.Rows[2].Behind; !(d.CI95[0] > 0) || d.Episodes != 400 {
		t.Errorf("the third is behind by %+v", d)
	}
	var page bytes.Buffer
	if err := board.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Leaderboard: tiger", "400 episodes", "the file is cut short", "again"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestPageEscapes expects names and faults to be text.
func TestPageEscapes(t *testing.T) {
	board, err := leaderboard.Of(t.Context(), envs.Tiger{}, []leaderboard.Entry{{Name: "<script>x</script>", Policy: constant(0)}, {Name: "y", Fault: errors.New("<b>")}}, eval.Options{Episodes: 10, Horizon: 5})
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := board.WriteHTML(&page); err != nil || strings.Contains(page.String(), "<script>") || strings.Contains(page.String(), "<b>") {
		t.Errorf("error %v, page %s", err, &page)
	}
}

func TestRefused(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	one := []leaderboard.Entry{{Name: "a", Policy: constant(0)}}
	for what, call := range map[string]func() (*leaderboard.Board, error){
		"no entries": func() (*leaderboard.Board, error) {
			return leaderboard.Of(t.Context(), envs.Tiger{}, nil, eval.Options{})
		},
		"two of a name": func() (*leaderboard.Board, error) {
			return leaderboard.Of(t.Context(), envs.Tiger{}, append(one, one...), eval.Options{Episodes: 10, Horizon: 5})
		},
		"a model that cannot be": func() (*leaderboard.Board, error) {
			return leaderboard.Of(t.Context(), envs.Tiger{Accuracy: 2}, one, eval.Options{})
		},
		"options that cannot be": func() (*leaderboard.Board, error) {
			return leaderboard.Of(t.Context(), envs.Tiger{}, one, eval.Options{Episodes: -1})
		},
		"a context that has ended": func() (*leaderboard.Board, error) {
			return leaderboard.Of(cancelled, envs.Tiger{}, one, eval.Options{Episodes: 10, Horizon: 5})
		},
	} {
		if b, err := call(); err == nil {
			t.Errorf("%s: board %+v", what, b)
		}
	}
}
