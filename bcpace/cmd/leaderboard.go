package cmd

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/leaderboard"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/store"
)

var leaderboardVerb = newVerb[leaderboardArgs]("leaderboard", "rank policies that others have handed in, all in the same episodes",
	"--folder DIR --env NAME [--set KEY=VALUE]… [--episodes N] [--horizon T] [--seed N] [--out FILE [--force]] [--json]",
	"leaderboard --folder handed-in --env chain --horizon 100 --seed 8231 --out chain.html")

// boardKind is a page of the verb leaderboard.
var boardKind = fileKind{"a leaderboard", begins(`^<!DOCTYPE html>`)}

// leaderboardArgs are the flags of leaderboard.
type leaderboardArgs struct {
	folder, out       string
	env               environment
	episodes, horizon int
	seed              uint64
}

func (a *leaderboardArgs) flags(f *flags) {
	a.episodes = defaultEpisodes
	f.section("policies")
	f.value("folder", "DIR", "folder with a file of each who takes part, as bcpace solve --out saves it: the name of a file, or of the folder below DIR that it lies in, with what follows, is that of its row", text(&a.folder))
	a.env.flags(f, ", for which all policies are")
	f.section("evaluation")
	f.value("episodes", "N", fmt.Sprintf("episodes that each policy plays (default %d)", defaultEpisodes), whole(&a.episodes))
	f.value("horizon", "T", "steps after which an episode is cut; 0, the default, for those of the model or where the rest is negligible", whole(&a.horizon))
	f.value("seed", "N", "seed of the episodes (default 0): keep it to yourself until the last policy is in", unsigned(&a.seed))
	f.outFlag("write the board as a page of HTML", &a.out)
}

// rank is the verb leaderboard.
func (a *leaderboardArgs) run(p program, f *flags) error {
	if err := cmp.Or(f.require("folder", "env"), checkEpisodes(a.episodes, 2), solverkit.CheckHorizon("options", "--horizon", a.horizon, "the default"), f.checkTarget("out", a.out, boardKind)); err != nil {
		return err
	}
	m, err := a.env.model(p.ctx, a.seed)
	if err != nil {
		return err
	}
	entries, err := handedIn(p, a.folder, m)
	if err != nil {
		return err
	}
	board, err := leaderboard.Of(p.ctx, m, entries, eval.Options{Episodes: a.episodes, Horizon: a.horizon, Seed: a.seed})
	if err != nil {
		return interrupted(err)
	}
	if a.out != "" {
		if err := store.WriteFile(a.out, store.Content(board.WriteHTML)); err != nil {
			return err
		}
	}
	list := each(board.Rows, placeOf)
	return f.printText(p.stdout, list, func(w io.Writer) {
		table(w, columns(list, "rank", "name", "return", "95% interval", "behind the first"))
	})
}

// handedIn opens the policies of a folder, by name.
func handedIn(p program, folder string, m bcpace.Model) (entries []leaderboard.Entry, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		e := leaderboard.Entry{Name: filepath.ToSlash(strings.TrimSuffix(name, filepath.Ext(name)))}
		e.Policy, e.Fault = policyFor(p, path, m)
		entries = append(entries, e)
		return p.ctx.Err()
	})
	if err == nil && len(entries) == 0 {
		err = inputError("--folder", folder, "a folder with a policy at least")
	}
	return entries, err
}

// policyFor reads a run or a policy that is for m.
func policyFor(p program, path string, m bcpace.Model) (bcpace.Policy, error) {
	a, f := savedArgs{policy: path}, newFlags()
	f.given["policy"] = true
	s, err := a.playable(p, f)
	if err != nil {
		return nil, err
	}
	if want, got := m.Spec(), s.model.Spec(); got.Name != want.Name || !slices.Equal(got.Params, want.Params) {
		return nil, fmt.Errorf("the policy is for %s %v, want one for %s %v", got.Name, got.Params, want.Name, want.Params)
	}
	return s.policy, nil
}

// placeOf is a row of the verb leaderboard. A change of a key or meaning breaks what reads the JSON.
func placeOf(r leaderboard.Row) facts {
	if r.Fault != nil {
		return facts{{"rank", "", r.Rank}, {"", "rank", "–"}, {"name", "name", r.Name}, {"mean", "", none}, {"ci95", "", interval{none, none}}, {"behind", "", none},
			{"fault", "return", r.Fault.Error()}}
	}
	return facts{{"rank", "rank", r.Rank}, {"name", "name", r.Name}, {"mean", "return", number(r.Result.Mean)}, {"ci95", "95% interval", intervalOf(r.Result.CI95)},
		{"behind", "behind the first", number(r.Behind.Mean)}}
}
