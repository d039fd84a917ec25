// Package leaderboard ranks policies that others have handed in. All play the same episodes, so that
// the latents and starts are the same for all, and a rank says who is surely better: one whose
// difference in these episodes has a 95 % interval above 0.
//
// In a course the teacher keeps the seed of the episodes until the last policy is in. Then nobody can
// fit a policy to them.
package leaderboard

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
)

// Entry is a policy with the name of who has handed it in.
type Entry struct {
	Name   string
	Policy bcpace.Policy
	Fault  error // why it cannot be played, in the place of Policy
}

// Row is an entry on the board.
type Row struct {
	Name string
	// Rank is 1 more than the number of entries that are surely better. Those that no interval tells
	// apart share a rank. It is 0 for an entry with a Fault.
	Rank   int
	Result eval.Result
	// Behind is how much less than the first row it earned in the same episodes; zero for that row.
	Behind eval.Paired
	Fault  error // why it was not played to the end; nil if it was
}

// Board ranks entries.
type Board struct {
	Model    bcpace.Spec
	Episodes int
	Horizon  int   // steps after which an episode was cut
	Rows     []Row // by mean return, the largest first; those with a fault last, by name
}

// Of plays all entries in the episodes that o names, and ranks them. An entry whose policy fails, as by an
// action that there is not, has a row with its fault. The error is an *bcpace.InputError for no entries or two of
// one name, that of the model, the error of ctx, or that of the first entry if none could be played, as with options that cannot
// be used.
func Of(ctx context.Context, m bcpace.Model, entries []Entry, o eval.Options) (*Board, error) {
	in := bcpace.In("a leaderboard")
	if err := cmp.Or(
		in.Need(len(entries) != 0, "the entries", "none", "a policy at least"),
		bcpace.Validate(m)); err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	b := &Board{Model: m.Spec()}
	for _, e := range entries {
		if names[e.Name] {
			return nil, in.Bad("the name of an entry", e.Name, "one that no other entry has")
		}
		names[e.Name] = true
		row := Row{Name: e.Name, Fault: e.Fault}
		if row.Fault == nil && e.Policy == nil {
			row.Fault = in.Bad("the policy of "+e.Name, "nil", "a policy")
		}
		if row.Fault == nil {
			if row.Result, row.Fault = eval.Rollouts(ctx, m, e.Policy, o); ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		b.Rows = append(b.Rows, row)
	}
	if err := b.rank(); err != nil {
		return nil, err
	}
	if len(b.played()) == 0 {
		return nil, fmt.Errorf("no policy could be played to the end; %s: %w", b.Rows[0].Name, b.Rows[0].Fault)
	}
	return b, nil
}

// rank sorts the rows and sets their ranks.
func (b *Board) rank() error {
	slices.SortStableFunc(b.Rows, func(x, y Row) int {
		switch {
		case x.Fault != nil && y.Fault != nil:
			return cmp.Compare(x.Name, y.Name)
		case x.Fault != nil:
			return 1
		case y.Fault != nil:
			return -1
		}
		return cmp.Compare(y.Result.Mean, x.Result.Mean)
	})
	for i := range b.played() {
		row := &b.Rows[i]
		row.Rank, b.Episodes, b.Horizon = 1, row.Result.Episodes, row.Result.Horizon
		for k, better := range b.Rows[:i] {
			d, err := eval.Difference(better.Result, row.Result)
			if err != nil {
				return err
			}
			if k == 0 {
				row.Behind = d
			}
			if d.CI95[0] > 0 {
				row.Rank++
			}
		}
	}
	return nil
}

//go:embed board.html
var page string

// bar is where a row's interval stands on the common scale, in per cent.
type bar struct{ Left, Width, Mean float64 }

// WriteHTML writes the board as a page that needs no other file.
func (b *Board) WriteHTML(w io.Writer) error {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range b.played() {
		low, high = min(low, r.Result.CI95[0]), max(high, r.Result.CI95[1])
	}
	scale := func(x float64) float64 {
		if high == low {
			return 50
		}
		return 100 * (x - low) / (high - low)
	}
	t, err := template.New("board").Funcs(template.FuncMap{
		"number": func(x float64) string { return numtext.Fixed(x, b.decimals()) },
		"count":  numtext.Count,
		"bar": func(r Row) bar {
			return bar{scale(r.Result.CI95[0]), scale(r.Result.CI95[1]) - scale(r.Result.CI95[0]), scale(r.Result.Mean)}
		},
	}).Parse(page)
	if err != nil {
		return fmt.Errorf("the page of a leaderboard: %w", err)
	}
	return t.Execute(w, b)
}

// played returns the rows without a fault.
func (b *Board) played() []Row {
	n := slices.IndexFunc(b.Rows, func(r Row) bool { return r.Fault != nil })
	if n < 0 {
		n = len(b.Rows)
	}
	return b.Rows[:n]
}

// decimals returns how many decimals tell the widest standard error apart from 0.
func (b *Board) decimals() int {
	most := 0.0
	for _, r := range b.played() {
		most = max(most, r.Result.StdErr)
	}
	return min(max(numtext.Digits(most, 2), 1), 6)
}
