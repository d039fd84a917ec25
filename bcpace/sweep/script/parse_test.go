package script

import (
	"strings"
	"testing"

	"bayescpace/bcpace/sweep"
)

// TestParseShard: numbers, and what job arrays and Indexed Jobs say; whatever may be a misunderstanding
// is refused.
func TestParseShard(t *testing.T) {
	slurm := func(id, first, last, count string) map[string]string {
		return map[string]string{slurmTask: id, slurmFirst: first, slurmLast: last, slurmTasks: count}
	}
	kubernetes := func(index string) map[string]string { return map[string]string{kubernetesIndex: index} }
	for _, c := range []struct {
		text string
		env  map[string]string
		want sweep.Shard
		bad  string
	}{
		{"3/40", nil, sweep.Shard{Index: 3, Count: 40}, ""},
		{"1/1", slurm("7", "1", "9", "9"), sweep.Shard{Index: 1, Count: 1}, ""}, // who says a number has it
		{"auto", slurm("7", "1", "9", "9"), sweep.Shard{Index: 7, Count: 9}, ""},
		{"auto", slurm("0", "0", "8", "9"), sweep.Shard{Index: 1, Count: 9}, ""},
		{"auto/40", slurm("7", "7", "31", "2"), sweep.Shard{Index: 7, Count: 40}, ""},
		{"auto/40", map[string]string{slurmTask: "40"}, sweep.Shard{Index: 40, Count: 40}, ""},
		{"auto/40", kubernetes("0"), sweep.Shard{Index: 1, Count: 40}, ""},
		{"auto/40", kubernetes("39"), sweep.Shard{Index: 40, Count: 40}, ""},
		{"", nil, sweep.Shard{}, "one such as 3/40"}, {"3", nil, sweep.Shard{}, "one such as 3/40"}, {"0/4", nil, sweep.Shard{}, "one such as 3/40"},
		{"5/4", nil, sweep.Shard{}, "one such as 3/40"}, {"1/0", nil, sweep.Shard{}, "1 to 1000000 shards"}, {"a/b", nil, sweep.Shard{}, "one such as"}, {"1/2/3", nil, sweep.Shard{}, "one such as"},
		{"auto", nil, sweep.Shard{}, "in a job array of Slurm or an Indexed Job"},
		{"auto/4", nil, sweep.Shard{}, "in a job array of Slurm or an Indexed Job"},
		{"auto", slurm("7", "7", "31", "2"), sweep.Shard{}, "for some tasks of an array 1-40 say --shard auto/40"},
		{"auto", slurm("7", "7", "8", "2"), sweep.Shard{}, "from 0 or 1 up"},
		{"auto", slurm("3", "1", "9", "5"), sweep.Shard{}, "without gaps"}, // 1-9:2
		{"auto", map[string]string{slurmTask: "3"}, sweep.Shard{}, slurmFirst},
		{"auto/4", slurm("0", "0", "3", "4"), sweep.Shard{}, "1 to 4"},
		{"auto/4", slurm("5", "1", "5", "5"), sweep.Shard{}, "1 to 4"},
		{"auto/4", slurm("x", "1", "5", "5"), sweep.Shard{}, slurmTask},
		{"auto", kubernetes("0"), sweep.Shard{}, "does not tell its completions"},
		{"auto/4", kubernetes("4"), sweep.Shard{}, "0 to 3"}, {"auto/4", kubernetes("-1"), sweep.Shard{}, "0 to 3"},
		{"auto/4", map[string]string{slurmTask: "1", kubernetesIndex: "0"}, sweep.Shard{}, "one of them"},
	} {
		got, err := ParseShard(c.text, func(name string) string { return c.env[name] })
		if got != c.want || (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%q in %v: %v, error %v, want %v, %q", c.text, c.env, got, err, c.want, c.bad)
		}
	}
}
